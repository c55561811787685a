/* SPDX-License-Identifier: MIT */
/*
 * calls_order.h - calls in the order of a walk through their trees
 *
 * A caller stands before the calls below it, and a tree before the next one.
 */
#ifndef ANALYSES_CALLS_ORDER_H
#define ANALYSES_CALLS_ORDER_H

#include "core/capture.h"

struct calls_order {
	const uint32_t *parent; /* by call; INDEX_NONE: none. As in the trace, or ends */
	uint32_t *rows;         /* calls as they are walked; NULL: as they stand */
	uint32_t *size;         /* by call: calls in its subtree, itself included */
	uint32_t *ends;         /* parents of calls that are known by their ends only, or NULL */
};

/*
 * @is_ends_only: the trace has no entries (tracing_thresh), so that parents follow
 * from depth, read backwards.
 * Owner of @ret: caller, calls_order_fini(); @c must outlive it.
 * Cost: O(calls + lanes). Memory: 12 bytes a call at most.
 */
void calls_order_of(const struct calls *c, bool is_ends_only, struct calls_order *ret);
void calls_order_fini(struct calls_order *o);

#endif
