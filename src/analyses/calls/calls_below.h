/* SPDX-License-Identifier: MIT */
/*
 * calls_below.h - callees and subtree sizes per call
 *
 * Columns for analyses of calls: self times and subtree sizes, computed, used and freed.
 */
#ifndef ANALYSES_CALLS_BELOW_H
#define ANALYSES_CALLS_BELOW_H

#include "base/status.h"
#include "core/calls.h"

/* A direct callee is open or has no duration. */
#define CALLS_KIDS_OPEN (UINT32_C(1) << 31)

/* Number of direct callees, and sum of their durations. 8 bytes a call. */
struct calls_below {
	uint32_t *kids; /* by call; CALLS_KIDS_OPEN may be set */
	uint32_t *low;  /* by call, saturates at UINT32_MAX */
	uint64_t *wide; /* by index in long_durations */
};

/* Owner: caller, calls_below_fini(). Cost: O(calls). */
void calls_below_init(struct calls_below *b, const struct calls *c);
void calls_below_fini(struct calls_below *b);

/* Whether the self time of @call is known: it is timed, and its callees are known. */
static inline bool calls_has_self(const struct calls *c, uint32_t call)
{
	return calls_is_timed(c, call) && (c->state.data[call] & CALL_STATE_MASK) != CALL_ORPHAN;
}

/* Number of direct callees of @call. */
static inline uint32_t calls_kids(const struct calls_below *b, uint32_t call)
{
	return b->kids[call] & ~CALLS_KIDS_OPEN;
}

/* Time of the callees of a call of UINT32_MAX ns or more. */
uint64_t calls_below_long(const struct calls *c, const struct calls_below *b, uint32_t call);

/*
 * Self time: duration less that of the callees; 0 and @ret_overfull if the callees took longer.
 * False: unknown, @ret_ns is 0.
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

/* Subtree size by call, itself included. Owner: caller, free(). Cost: O(calls), 4 bytes a call. */
uint32_t *calls_sizes(const struct calls *c);

#endif
