/* SPDX-License-Identifier: MIT */
/*
 * recover.h - the samples behind a printed report
 *
 * A report with `--children` and complete trees prints every stack many times:
 * once for each function on it. If the header tells how many samples there are
 * and one sample is larger than the rounding, percentages become counts, and
 *
 *     count(row, chain) = sum of x(stack) over the stacks of which `chain` is
 *                         what perf prints in the tree of `row`
 *
 * can be solved for x, longest stack first. The result is RECOVERY_EXACT only
 * when regenerating Children, Self and every branch of every row gives exactly
 * what was printed. Else it is RECOVERY_PARTIAL: each row's self weight, with
 * its chains as far as the trees tell, and bare (command, function) for the
 * rest; flat figures are the printed ones then.
 *
 * What lands in the profile: samples, stacks (command first, outermost to
 * innermost). With RECOVERY_EXACT the weights are counts of samples, else
 * weights as printed.
 *
 * Cost: O(tree nodes) memory, O(sum of stack depths) time.
 */
#ifndef ANALYSES_RECOVER_H
#define ANALYSES_RECOVER_H

#include "core/capture.h"

struct recover_result {
	enum recovery recovery;
	uint64_t samples;       /* EXACT: how many; else 0 */
	uint64_t stacks;        /* distinct; of PARTIAL, pieces */
	uint64_t rows_checked;  /* rows whose figures were regenerated … */
	uint64_t rows_matching; /* … and are as printed */
	uint64_t rows_with_self;
	uint64_t rows_with_tree;
	double recovered_pct; /* share that has a printed chain */
	double bare_pct;      /* share that is only (command, function) */
	double missing_pct;   /* at most: what no row shows */
	struct error why;     /* why it is not exact; empty if it is */
};

/*
 * Fill c->profile->samples and stacks from c->profile->table. Does nothing, with
 * RECOVERY_NONE, when there is no table, the profile has samples already, or no
 * row has a self figure.
 */
void recover_samples(struct capture *c, struct recover_result *ret);

#endif
