/* SPDX-License-Identifier: MIT */
/*
 * calls_order.h - calls in the order of a tree walk
 *
 * A caller precedes its callees, and a tree the next tree.
 */
#ifndef ANALYSES_CALLS_ORDER_H
#define ANALYSES_CALLS_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct calls;

struct calls_order {
	const uint32_t *parent; /* by call; INDEX_NONE: none. From the trace, or equal to ends */
	uint32_t *rows;         /* calls in walk order; NULL: row order */
	uint32_t *size;         /* by call: subtree size, itself included */
	uint32_t *ends;         /* parents of calls with a recorded end only, or NULL */
};

/*
 * @is_ends_only: the trace has no entries (tracing_thresh), so parents follow from depths, read
 * backwards. Owner of @ret: caller, calls_order_fini(); @c must outlive it. Cost: O(calls +
 * lanes). Memory: at most 12 bytes a call.
 */
void calls_order_of(const struct calls *c, bool is_ends_only, struct calls_order *ret);
void calls_order_fini(struct calls_order *o);

#endif
