/* SPDX-License-Identifier: MIT */
/*
 * calls_below.h - what stands directly and altogether below each call
 *
 * For the analyses of calls: self times and sizes of subtrees, as columns that
 * are made, used and freed.
 */
#ifndef ANALYSES_CALLS_BELOW_H
#define ANALYSES_CALLS_BELOW_H

#include "core/calls.h"

/* One of the calls directly below is not closed, or has no duration. */
#define CALLS_KIDS_OPEN (UINT32_C(1) << 31)

/* The calls directly below: how many, and the sum of their durations. 8 bytes a call. */
struct calls_below {
	uint32_t *kids; /* by call; CALLS_KIDS_OPEN may be set */
	uint32_t *low;  /* by call, stops at UINT32_MAX */
	uint64_t *wide; /* by place in long_durations */
};

/* Owner: caller, calls_below_fini(). Cost: O(calls). */
void calls_below_init(struct calls_below *b, const struct calls *c);
void calls_below_fini(struct calls_below *b);

/* Whether the self time of @call can be known: timed, and its children are known. */
static inline bool calls_has_self(const struct calls *c, uint32_t call)
{
	return calls_is_timed(c, call) && (c->state.data[call] & CALL_STATE_MASK) != CALL_ORPHAN;
}

/* How many calls are directly below @call. */
static inline uint32_t calls_kids(const struct calls_below *b, uint32_t call)
{
	return b->kids[call] & ~CALLS_KIDS_OPEN;
}

/* What is below a call of UINT32_MAX ns or more. */
uint64_t calls_below_long(const struct calls *c, const struct calls_below *b, uint32_t call);

/*
 * Duration less what is below; 0 and @ret_overfull where more is below than the
 * call took. False: not known, @ret_ns is 0.
 */
static inline bool calls_self(const struct calls *c, const struct calls_below *b, uint32_t call,
			      uint64_t *ret_ns, bool *ret_overfull)
{
	uint64_t dur;
	uint64_t below = b->low[call];

	*ret_ns = 0;
	*ret_overfull = false;
	if (UNLIKELY(!calls_has_self(c, call)))
		return false;
	dur = calls_duration(c, call);
	if (UNLIKELY(c->dur_ns_low.data[call] == UINT32_MAX))
		below = calls_below_long(c, b, call);
	*ret_overfull = below > dur;
	*ret_ns = below > dur ? 0 : dur - below;
	return true;
}

/*
 * By call, the calls in its subtree, itself included. Owner: caller, free().
 * Cost: O(calls), 4 bytes a call.
 */
uint32_t *calls_sizes(const struct calls *c);

#endif
