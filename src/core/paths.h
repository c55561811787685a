/* SPDX-License-Identifier: MIT */
/*
 * paths.h - a capture as weighted call paths
 *
 * Flame graphs and other viewers need a prefix tree of symbols, and the self weight of each node.
 * For a profile, these are its stacks and the weights of its samples. For traced calls, they are
 * the call paths, with the name of the task outermost, and the self time of the calls. A call
 * without a duration has self time 0.
 */
#ifndef CORE_PATHS_H
#define CORE_PATHS_H

#include "base/status.h"
#include "core/profile.h"

struct capture;
struct stacks;

struct paths {
	const struct stacks *stacks; /* points to the stacks of the capture, or to `own` */
	uint64_t *self; /* self weight, indexed by node of `stacks`; saturates at 2^64 - 1 */
	/* number of samples or calls whose innermost frame is the node, indexed by node */
	uint64_t *count;
	uint64_t total;
	uint64_t n_samples; /* number of all samples or calls */
	enum weight_unit unit;
	uint8_t decimals;
	bool from_calls;
	struct stacks *own;
};

/*
 * Build the paths of @c, which borrow from @c. Owner of @ret: caller, paths_fini(); zeroed on
 * error. Errors: ERR_UNSUPPORTED if @c has neither samples nor calls. Cost: O(samples + stack
 * nodes), or O(calls).
 */
MUST_CHECK int paths_of(const struct capture *c, struct paths *ret, struct error *err);
void paths_fini(struct paths *p);

#endif
