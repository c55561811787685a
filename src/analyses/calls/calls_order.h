/* SPDX-License-Identifier: MIT */
/*
 * calls_order.h - the calls of a trace in preorder
 *
 * A caller comes before its callees, and all calls of a tree before those of the next tree.
 */
#ifndef ANALYSES_CALLS_ORDER_H
#define ANALYSES_CALLS_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct calls;

struct calls_order {
	/*
	 * indexed by call: its caller; INDEX_NONE: none. Points to `ends` if the trace has only the
	 * ends of calls, else to calls.parent
	 */
	const uint32_t *parent;
	/* row numbers of the calls in preorder; NULL: the trace itself has this order */
	uint32_t *rows;
	uint32_t *size; /* indexed by call: number of calls in its subtree, itself included */
	/*
	 * NULL, unless the trace has only the ends of calls. Indexed by call: its caller, found
	 * from the depths of the calls
	 */
	uint32_t *ends;
};

/*
 * Find the order of the calls of @c, which must outlive @ret. @is_ends_only: the trace has only the
 * ends of calls (tracing_thresh). Such a trace shows no callers, so callers are found from the
 * depths of calls. Owner of @ret: caller, calls_order_fini(). Cost: O(calls + lanes). Memory: at
 * most 12 bytes a call.
 */
void calls_order_of(const struct calls *c, bool is_ends_only, struct calls_order *ret);
void calls_order_fini(struct calls_order *o);

#endif
