/* SPDX-License-Identifier: MIT */
/*
 * A heap that grows until the end of the recording. The input is a table of heap sizes over time,
 * one row per snapshot.
 *
 * The rows are split into four parts of equal length. In steady growth the mean of each part is
 * at least a tenth above the previous one, and the last size is near the peak. Memory that is
 * filled once levels off, and a wave ends below its peak.
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
#define GROWTH_END       0.90 /* minimum ratio of the last size to the peak */
#define GROWTH_SURE      60u

struct growth {
	double part[GROWTH_PARTS]; /* mean size of the heap in each part */
	double peak, last;
};

static void growth_measure(const struct rule_input *in, size_t column, struct growth *g)
{
	const struct metrics *m = in->capture->metrics;
	size_t counts[GROWTH_PARTS] = { 0 };

	*g = (struct growth){ .peak = 0 };
	for (size_t row = 0; row < m->n_rows; row++) {
		size_t part = row * GROWTH_PARTS / m->n_rows;
		double v = metrics_value(m, row, column);

		g->part[part] += v;
		counts[part]++;
		g->peak = v > g->peak ? v : g->peak;
		g->last = v;
	}
	for (size_t i = 0; i < GROWTH_PARTS; i++)
		g->part[i] /= counts[i] ? (double)counts[i] : 1;
}

static bool growth_is_steady(const struct growth *g)
{
	for (size_t i = 1; i < GROWTH_PARTS; i++) {
		if (g->part[i] < g->part[i - 1] * GROWTH_STEP)
			return false;
	}
	return g->last >= g->peak * GROWTH_END;
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
			      "the heap does not grow in each quarter of the recording");
		return;
	}
	f = finding_add(out, in, &rule_heap_growth, FINDING_NOTE, GROWTH_SURE);
	finding_claim(out, f,
		      "The heap grows until the end: from %.2f MB in the first quarter of the "
		      "recording to %.2f MB in the last",
		      g.part[0] / 1e6, g.part[GROWTH_PARTS - 1] / 1e6);
	finding_figure(f, "heap in the first quarter", g.part[0], 0, "bytes");
	finding_figure(f, "heap in the last quarter", g.part[GROWTH_PARTS - 1], 0, "bytes");
	finding_figure(f, "peak", g.peak, 0, "bytes");
	finding_evidence(out, f, in, m->lines.data[0], "first snapshot");
	finding_evidence(out, f, in, m->lines.data[m->n_rows - 1], "last snapshot");
	finding_usual_cause(
		out, f,
		"Memory is allocated but not freed: a leak, a cache without limit, or data "
		"that is read as a whole");
	finding_because(out, f, "the growth is counted; whether the memory is needed is unknown");
	finding_next(out, f, "valgrind --leak-check=full COMMAND: unreachable blocks");
}

const struct rule rule_heap_growth = {
	.id = "heap-growth",
	.title = "Heap growth",
	.needs = RULE_METRICS,
	.check = growth_check,
};
