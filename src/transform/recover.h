/* SPDX-License-Identifier: MIT */
/*
 * recover.h - rebuild the samples behind a printed report
 *
 * A report with `--children` and complete trees prints every stack many times: once for each
 * function on it. If the header has the number of samples and one sample exceeds the rounding,
 * percentages become counts, and
 *
 *     count(row, chain) = sum of x(stack) over the stacks that perf prints as `chain`
 *                         in the tree of `row`
 *
 * can be solved for x, longest stack first. The result is RECOVERY_EXACT only if regenerating
 * Children, Self and every branch of every row reproduces the print. Otherwise it is
 * RECOVERY_PARTIAL: each row's self weight, with its chains where the trees determine them, and
 * bare (command, function) for the rest. Flat figures are then the printed ones.
 *
 * The profile receives samples and stacks (command first, outermost to innermost). With
 * RECOVERY_EXACT weights are counts of samples, otherwise printed weights.
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
	uint64_t samples;       /* EXACT: their number; else 0 */
	uint64_t stacks;        /* distinct stacks; PARTIAL: pieces */
	uint64_t rows_checked;  /* rows whose figures were regenerated … */
	uint64_t rows_matching; /* … and that match the print */
	uint64_t rows_with_self;
	uint64_t rows_with_tree;
	double recovered_pct; /* share with a printed chain */
	double bare_pct;      /* share with (command, function) only */
	double missing_pct;   /* upper bound of the share that no row shows */
	struct error why;     /* reason, unless exact */
};

/*
 * Fill c->profile->samples and stacks from c->profile->table. No-op with RECOVERY_NONE if there
 * is no table, the profile already has samples, or no row has a self figure.
 */
void recover_samples(struct capture *c, struct recover_result *ret);
/* Step of transform.h: recover the samples of all captures. */
int recover_step(struct dossier *d, struct transform *t, struct error *err);

#endif
