/* SPDX-License-Identifier: MIT */
/*
 * calls_order.h - calls in the order of a tree walk
 *
 * A caller comes before its callees, and all calls of a tree before those of the next tree.
 */
#ifndef ANALYSES_CALLS_ORDER_H
#define ANALYSES_CALLS_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct calls;

struct calls_order {
	/* caller of each call, from the trace or from `ends`; INDEX_NONE: none */
	const uint32_t *parent;
	uint32_t *rows; /* calls in walk order; NULL: the trace has this order */
	uint32_t *size; /* number of calls in the subtree of each call, the call included */
	/* callers found in a trace that has only the ends of calls; else NULL */
	uint32_t *ends;
};

/*
 * @is_ends_only: the trace has only the ends of calls (tracing_thresh), so callers are found by
 * depth, reading backwards. Owner of @ret: caller, calls_order_fini(); @c must outlive @ret.
 * Cost: O(calls + lanes). Memory: at most 12 bytes a call.
 */
void calls_order_of(const struct calls *c, bool is_ends_only, struct calls_order *ret);
void calls_order_fini(struct calls_order *o);

#endif
