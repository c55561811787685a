/* SPDX-License-Identifier: MIT */
/*
 * A heap of very small blocks. For each block the allocator adds a header and rounds up the size;
 * this overhead is a large part of the heap. The input is a table of snapshots over time; the
 * snapshot with the largest heap is used.
 *
 * Threshold: the overhead is 20 % of the heap, which means blocks of 32 bytes or less. (malloc of
 * glibc adds 8 bytes and rounds up to a multiple of 16, so blocks of 64 bytes lose only 11 %.)
 */
#include "core/capture.h"
#include "explain/facts.h"
#include "explain/words/table_words.h"

#include "core/kinds/metrics.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(heap_overhead);

#define OVERHEAD_PCT  20.0
#define OVERHEAD_SURE 75u

static void overhead_check(const struct rule_input *in, struct findings *out)
{
	const struct metrics *m = in->capture->metrics;
	size_t total = table_words_column(in, "total");
	size_t extra = table_words_column(in, "extra heap");
	size_t peak = 0;
	double pct;
	struct finding *f;

	if (total == TABLE_NO_COLUMN || extra == TABLE_NO_COLUMN || m->n_rows == 0)
		return;
	for (size_t row = 1; row < m->n_rows; row++) {
		if (metrics_value(m, row, total) > metrics_value(m, peak, total))
			peak = row;
	}
	if (metrics_value(m, peak, total) <= 0) {
		finding_not_assessed(out, in, &rule_heap_overhead, "valgrind --tool=massif",
				     "no snapshot has a heap");
		return;
	}
	pct = 100 * metrics_value(m, peak, extra) / metrics_value(m, peak, total);
	if (pct < OVERHEAD_PCT) {
		finding_clean(out, in, &rule_heap_overhead,
			      "the allocator adds %.1f %% to the largest heap", pct);
		return;
	}
	f = finding_add(out, in, &rule_heap_overhead, FINDING_NOTE, OVERHEAD_SURE);
	f->impact = pct;
	finding_claim(out, f, "%.1f %% of the largest heap is allocator overhead (%.2f of %.2f MB)",
		      pct, metrics_value(m, peak, extra) / 1e6,
		      metrics_value(m, peak, total) / 1e6);
	finding_figure(f, "overhead of the allocator", pct, 0, "%");
	finding_evidence(out, f, in, m->lines.data[peak], "largest snapshot");
	finding_cause(out, f, "Very many small blocks: each has a header and is rounded up");
	finding_because(out, f, "valgrind counts its own allocator; others add more or less");
	finding_next(out, f, "allocate these objects in arrays or arenas instead of one by one");
}

const struct rule rule_heap_overhead = {
	.id = "heap-overhead",
	.title = "Allocator overhead",
	.needs = RULE_METRICS,
	.check = overhead_check,
};
