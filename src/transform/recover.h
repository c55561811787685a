/* SPDX-License-Identifier: MIT */
/*
 * recover.h - rebuild the samples behind a printed report
 *
 * A report with `--children` and complete trees prints every stack many times: once for each
 * function on it. Percentages can be converted to counts under two conditions: the header has the
 * number of samples, and the share of one sample is larger than the rounding error. Let x(stack) be
 * the number of samples with this stack. Then
 *
 *     count(row, chain) = sum of x(stack) over the stacks that perf prints as `chain`
 *                         in the tree of `row`
 *
 * can be solved for x, from the longest stack to the shortest. The result is RECOVERY_EXACT only if
 * Children, Self and every branch of every row, computed again from x, equal the printed figures.
 *
 * Otherwise the result is RECOVERY_PARTIAL: each row gets samples with its self weight, so self
 * figures equal the printed ones. Where trees determine the call chains, the samples have these
 * chains. Elsewhere a sample has only command and function.
 *
 * The samples and stacks are added to the profile. Each stack begins with the command, then the
 * outermost function. With RECOVERY_EXACT weights are counts of samples, otherwise printed weights.
 *
 * Cost: O(tree nodes) memory, O(sum of stack depths) time.
 */
#ifndef TRANSFORM_RECOVER_H
#define TRANSFORM_RECOVER_H

#include "base/status.h"
#include "core/profile.h"

struct capture;
struct dossier;
struct transform;

struct recover_result {
	enum recovery recovery;
	uint64_t samples; /* RECOVERY_EXACT: number of samples; else 0 */
	/* RECOVERY_EXACT: number of distinct stacks; RECOVERY_PARTIAL: number of samples made */
	uint64_t stacks;
	uint64_t rows_checked;  /* rows whose figures were computed again from the samples */
	uint64_t rows_matching; /* rows whose computed figures equal the printed ones */
	uint64_t rows_with_self;
	uint64_t rows_with_tree;
	double recovered_pct; /* percent of the weight for which samples have a printed chain */
	/* percent of the weight for which samples have only command and function */
	double bare_pct;
	double missing_pct; /* upper limit of the percentage of weight that is in no printed row */
	struct error why;   /* reason why the result is not exact */
};

/*
 * Fill c->profile->samples and stacks from c->profile->table. If there is no table, the profile
 * already has samples, or no row has a self figure, nothing changes: RECOVERY_NONE.
 */
void recover_samples(struct capture *c, struct recover_result *ret);
/* Step of transform.h: recover_samples() for all captures. */
int recover_step(struct dossier *d, struct transform *t, struct error *err);

#endif
