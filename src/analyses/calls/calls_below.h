/* SPDX-License-Identifier: MIT */
/*
 * calls_below.h - for each call, the sum of its direct callees' durations, and the size of its
 * subtree
 *
 * Each analysis computes these arrays for itself and frees them after use.
 */
#ifndef ANALYSES_CALLS_BELOW_H
#define ANALYSES_CALLS_BELOW_H

#include "base/status.h"
#include "core/calls.h"

/* a bit in calls_below.kids: a direct callee of the call has not ended, or has no duration */
#define CALLS_KIDS_OPEN (UINT32_C(1) << 31)

/* The number of direct callees of each call, and the sum of their durations. 8 bytes a call. */
struct calls_below {
	/* indexed by call: number of direct callees; the bit CALLS_KIDS_OPEN may be added */
	uint32_t *kids;
	/* indexed by call: sum of the direct callees' durations in ns; saturates at UINT32_MAX */
	uint32_t *low;
	/*
	 * sums of the direct callees' durations for calls of UINT32_MAX ns or more, because `low`
	 * is too narrow for them; same order as calls.long_durations
	 */
	uint64_t *wide;
};

/* Compute all members for the calls of @c. Owner: caller, calls_below_fini(). Cost: O(calls). */
void calls_below_init(struct calls_below *b, const struct calls *c);
void calls_below_fini(struct calls_below *b);

/* Whether the self time of @call is known: the call is timed, and its callees are in the trace. */
static inline bool calls_has_self(const struct calls *c, uint32_t call)
{
	uint8_t state = c->state.data[call] & CALL_STATE_MASK;

	return calls_is_timed(c, call) && state != CALL_ORPHAN && state != CALL_SHORTENED;
}

/* Number of direct callees of @call. */
static inline uint32_t calls_kids(const struct calls_below *b, uint32_t call)
{
	return b->kids[call] & ~CALLS_KIDS_OPEN;
}

/*
 * The sum of the durations of @call's direct callees, from calls_below.wide. Only for calls of
 * UINT32_MAX ns or more.
 */
uint64_t calls_below_long(const struct calls *c, const struct calls_below *b, uint32_t call);

/*
 * Self time of @call: its duration minus the durations of its direct callees. If the callees
 * together took longer than the call, the self time is 0 and *@ret_overfull is true. False: the
 * self time is unknown, and *@ret_ns is 0.
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
 * For each call, the number of calls in its subtree, itself included. Owner: caller, free(). Cost:
 * O(calls), 4 bytes a call.
 */
uint32_t *calls_sizes(const struct calls *c);

#endif
