/* SPDX-License-Identifier: MIT */
/*
 * paths.h - a capture as weighted call paths
 *
 * Flame graphs and other viewers need a prefix tree of symbols, and the self weight of each node.
 * For a profile these are its stacks and samples. For calls they are the call paths, with the task
 * name outermost, and the self time of each call. Calls without a duration count 0.
 */
#ifndef CORE_PATHS_H
#define CORE_PATHS_H

#include "base/status.h"
#include "core/profile.h"

struct capture;
struct stacks;

struct paths {
	const struct stacks *stacks; /* borrowed from the capture, or points to `own` */
	uint64_t *self;              /* self weight by node; saturates at 2^64 - 1 */
	uint64_t *count;             /* number of samples or calls that end in a node */
	uint64_t total;
	uint64_t n_samples; /* number of samples or calls in all nodes */
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
