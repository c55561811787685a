/* SPDX-License-Identifier: MIT */
/*
 * A heap that grows until its peak, late in the recording. The input is a table of heap sizes over
 * time, one row per snapshot.
 *
 * A program that ends normally frees much of its memory at exit, so only the rows up to the peak
 * are judged. They are split into four parts of equal length. In steady growth the mean of each
 * part is at least a tenth above the previous one, and the peak is late. A heap that the program
 * fills only once stops growing. A temporary rise has an earlier peak.
 *
 * A program that reads all its data and then ends also grows, for a good reason. So the certainty
 * is only 60 %, and the finding is a note.
 */
#include "core/capture.h"
#include "explain/facts.h"
#include "explain/words/table_words.h"

#include "core/kinds/metrics.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(heap_growth);

#define GROWTH_SNAPSHOTS 12u
#define GROWTH_PARTS     4u
#define GROWTH_STEP      1.10
/*
 * If the ratio of the last size to the peak is smaller than this, the program freed memory at exit.
 * Otherwise the claim says that the heap grows until the end.
 */
#define GROWTH_END 0.90
/* the peak is late if it is at this position of the recording, 0 to 1, or after it */
#define GROWTH_LATE 0.90
#define GROWTH_SURE 60u

struct growth {
	/* mean size of the heap in each of the four parts of the rows up to the peak */
	double part[GROWTH_PARTS];
	double peak, last;
	size_t peak_row;
	/*
	 * position of the peak in the recording, 0 to 1: computed from times, or from row numbers
	 * if no times are printed
	 */
	double at;
};

static double growth_place(const struct metrics *m, size_t time, size_t row)
{
	double end = time == TABLE_NO_COLUMN ? 0 : metrics_value(m, m->n_rows - 1, time);

	if (end > 0)
		return metrics_value(m, row, time) / end;
	return (double)row / (double)(m->n_rows - 1);
}

static void growth_measure(const struct rule_input *in, size_t column, struct growth *g)
{
	const struct metrics *m = in->capture->metrics;
	size_t counts[GROWTH_PARTS] = { 0 };

	*g = (struct growth){ .last = metrics_value(m, m->n_rows - 1, column) };
	for (size_t row = 0; row < m->n_rows; row++) {
		double v = metrics_value(m, row, column);

		g->peak_row = v >= g->peak ? row : g->peak_row;
		g->peak = v > g->peak ? v : g->peak;
	}
	for (size_t row = 0; row <= g->peak_row; row++) {
		size_t part = row * GROWTH_PARTS / (g->peak_row + 1);

		g->part[part] += metrics_value(m, row, column);
		counts[part]++;
	}
	for (size_t i = 0; i < GROWTH_PARTS; i++)
		g->part[i] /= counts[i] ? (double)counts[i] : 1;
	g->at = growth_place(m, table_words_column(in, "time"), g->peak_row);
}

/* Does the heap grow in each part up to its peak? */
static bool growth_is_steady(const struct growth *g)
{
	if (g->peak_row + 1 < GROWTH_PARTS)
		return false;
	for (size_t i = 1; i < GROWTH_PARTS; i++) {
		if (g->part[i] < g->part[i - 1] * GROWTH_STEP)
			return false;
	}
	return true;
}

static void growth_words(const struct growth *g, struct findings *out, struct finding *f)
{
	const double *part = g->part;

	if (g->last >= g->peak * GROWTH_END)
		finding_claim(out, f,
			      "The heap grows until the end: from %.2f MB in the first quarter of "
			      "the recording to %.2f MB in the last",
			      part[0] / 1e6, part[GROWTH_PARTS - 1] / 1e6);
	else
		finding_claim(
			out, f,
			"The heap grows to its peak of %.2f MB at %.0f %% of the recording: "
			"from %.2f MB in the first quarter of that time to %.2f MB in the last",
			g->peak / 1e6, g->at * 100, part[0] / 1e6, part[GROWTH_PARTS - 1] / 1e6);
}

static void growth_check(const struct rule_input *in, struct findings *out)
{
	const struct metrics *m = in->capture->metrics;
	size_t column = table_words_column(in, "total");
	struct growth g;
	struct finding *f;

	if (column == TABLE_NO_COLUMN || table_words_column(in, "useful heap") == TABLE_NO_COLUMN)
		return;
	if (m->n_rows < GROWTH_SNAPSHOTS) {
		finding_not_assessed(out, in, &rule_heap_growth,
				     "valgrind --tool=massif, for longer",
				     "%zu snapshots are too few", m->n_rows);
		return;
	}
	growth_measure(in, column, &g);
	if (!growth_is_steady(&g)) {
		finding_clean(out, in, &rule_heap_growth,
			      "the heap does not grow in each quarter of the time up to its peak");
		return;
	}
	if (g.at < GROWTH_LATE) {
		finding_clean(out, in, &rule_heap_growth,
			      "the heap grows only to its peak at %.0f %% of the recording",
			      g.at * 100);
		return;
	}
	f = finding_add(out, in, &rule_heap_growth, FINDING_NOTE, GROWTH_SURE);
	growth_words(&g, out, f);
	finding_figure(f, "heap in the first quarter", g.part[0], 0, "bytes");
	finding_figure(f, "heap in the last quarter", g.part[GROWTH_PARTS - 1], 0, "bytes");
	finding_figure(f, "peak", g.peak, 0, "bytes");
	finding_figure(f, "recorded until the peak", g.at * 100, 0, "%");
	finding_evidence(out, f, in, m->lines.data[0], "first snapshot");
	finding_evidence(out, f, in, m->lines.data[g.peak_row], "peak");
	if (g.peak_row + 1 < m->n_rows)
		finding_evidence(out, f, in, m->lines.data[m->n_rows - 1], "last snapshot");
	finding_usual_cause(
		out, f,
		"Memory is allocated but not freed: a leak, a cache without limit, or data "
		"that is read as a whole");
	finding_because(out, f,
			"the growth is counted\n"
			"whether the memory is needed");
	finding_next(out, f, "valgrind --leak-check=full COMMAND: unreachable blocks");
}

const struct rule rule_heap_growth = {
	.id = "heap-growth",
	.title = "Heap growth",
	.needs = RULE_METRICS,
	.check = growth_check,
};
