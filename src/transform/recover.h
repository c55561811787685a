/* SPDX-License-Identifier: MIT */
/*
 * recover.h - rebuild the samples behind a printed report
 *
 * A report with `--children` and complete trees prints every stack many times: once for each
 * function in the stack. Percentages can be converted to counts under two conditions: the header
 * has the number of samples, and one sample is a larger share than the rounding error. Let x(stack)
 * be the number of samples with this stack. Then x is found from these equations, from the longest
 * stack to the shortest:
 *
 *     count(row, chain) = sum of x(stack) over the stacks that perf prints as `chain`
 *                         in the tree of `row`
 *
 * The result is RECOVERY_EXACT only if Children, Self and every branch of every row, computed again
 * from x, equal the printed figures.
 *
 * Otherwise the result is RECOVERY_PARTIAL: each row gets samples whose weights add up to the row's
 * self weight. Where the trees show the call chains for certain, the samples have these chains.
 * Otherwise a sample has only command and function.
 *
 * The samples and stacks are added to the profile. Each stack begins with the command, then follows
 * the outermost function. With RECOVERY_EXACT weights are counts of samples, otherwise printed
 * weights.
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
	/* RECOVERY_EXACT: number of different stacks; RECOVERY_PARTIAL: number of samples made */
	uint64_t stacks;
	uint64_t rows_checked;  /* rows whose figures were computed again from the samples */
	uint64_t rows_matching; /* rows whose computed figures equal the printed ones */
	uint64_t rows_with_self;
	uint64_t rows_with_tree;
	/* percentage of the weight in samples that have a printed call chain */
	double recovered_pct;
	/* percentage of the weight in samples that have only command and function */
	double bare_pct;
	/*
	 * upper limit for the percentage of the weight that is in no printed row, for example
	 * because perf hid small rows. If the rows show their cost with callees
	 * (profile_is_inclusive()), weight below a row is in this row
	 */
	double missing_pct;
	struct error why; /* reason why the result is not exact */
};

/*
 * Make samples and stacks of c->profile from the rows and trees in c->profile->table. Nothing
 * changes if there is no table, if the profile already has samples, or if no row has a self figure.
 * The result is then RECOVERY_NONE.
 */
void recover_samples(struct capture *c, struct recover_result *ret);
/*
 * Step of transform.h. Calls recover_samples() for each capture. With t->takes_trees, it also drops
 * rows that name no function or have no self figure, if samples from their trees replace them. It
 * always succeeds.
 */
int recover_step(struct dossier *d, struct transform *t, struct error *err);

#endif
