/* SPDX-License-Identifier: MIT */
/*
 * paths.h - a capture as weighted call paths
 *
 * The input of flame graphs and other viewers: a prefix tree of symbols, and the self weight of
 * each node. For a profile these are its stacks and samples. For calls they are the call paths,
 * with the task name outermost, and the self time of each call. Calls without a duration count
 * 0.
 */
#ifndef CORE_PATHS_H
#define CORE_PATHS_H

#include "base/status.h"
#include "core/profile.h"

struct capture;
struct stacks;

struct paths {
	const struct stacks *stacks; /* borrowed from the capture, or `own` */
	uint64_t *self;              /* by node; saturates at 2^64 - 1 */
	uint64_t *count;             /* by node: samples or calls that end there */
	uint64_t total;
	uint64_t n_samples; /* samples or calls in the sums */
	enum weight_unit unit;
	uint8_t decimals;
	bool from_calls;
	struct stacks *own;
};

/*
 * Build the paths of @c. Owner of @ret: caller, paths_fini(); zeroed on error. It borrows from
 * @c. Errors: ERR_UNSUPPORTED if @c has neither samples nor calls. Cost: O(samples + stack
 * nodes), or O(calls).
 */
MUST_CHECK int paths_of(const struct capture *c, struct paths *ret, struct error *err);
void paths_fini(struct paths *p);

#endif
