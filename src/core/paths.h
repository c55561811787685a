/* SPDX-License-Identifier: MIT */
/*
 * paths.h - a capture as weighted call paths
 *
 * What flame graphs and other viewers take: a prefix tree of symbols and the
 * weight that ends at each node. Of a profile these are its stacks and samples;
 * of calls the call paths, the command of the task outermost, and the time of
 * each call that is not in the calls below it. Calls without a duration count 0.
 */
#ifndef CORE_PATHS_H
#define CORE_PATHS_H

#include "core/capture.h"

struct paths {
	const struct stacks *stacks; /* borrowed from the capture, or `own` */
	uint64_t *self;              /* by node; sums past 2^64 - 1 stay there */
	uint64_t *count;             /* by node: samples or calls that end there */
	uint64_t total;
	uint64_t n_samples; /* samples or calls that were added up */
	enum weight_unit unit;
	uint8_t decimals;
	bool from_calls;
	struct stacks *own;
};

/*
 * Owner of @ret: caller, paths_fini(); zeroed on error. It borrows from @c.
 * Errors: ERR_UNSUPPORTED when @c has neither samples nor calls.
 * Cost: O(samples + stack nodes), or O(calls).
 */
MUST_CHECK int paths_of(const struct capture *c, struct paths *ret, struct error *err);
void paths_fini(struct paths *p);

#endif
