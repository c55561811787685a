/* SPDX-License-Identifier: MIT */
/*
 * event_unit.h - the unit of a profile's shares
 *
 * 12 % of the samples of the event cycles is 12 % of CPU time. 12 % of the samples of page-faults
 * is 12 % of page faults, but no share of time. The table events.tsv maps the names of events to a
 * unit, a text that completes "12 % of", and to a kind, such as CPU time.
 */
#ifndef ANALYSES_EVENT_UNIT_H
#define ANALYSES_EVENT_UNIT_H

#include "base/str.h"

struct capture;

enum event_kind {
	EVENT_TIME,    /* counts while a CPU runs: shares are of CPU time */
	EVENT_UNNAMED, /* unknown event: treated as CPU time, but not named "CPU time" */
	EVENT_WORK,    /* counts executed code: instructions, branches, operations */
	/* counts how often threads give up their CPU; a sample is at the code that gives it up */
	EVENT_SLEEP,
	EVENT_OTHER,  /* counts something else: misses, faults, calls */
	EVENT_MEMORY, /* counts memory allocated or in use: bytes or objects */
	/* time of steps that are not functions, such as the nodes of a query plan */
	EVENT_PLAN,
	EVENT_UNJUDGED, /* weights of unknown meaning, which no rule judges */
};

/* the bit of @kind in a set of kinds */
#define EVENT_BIT(kind) (1u << (kind))
#define EVENT_IS_TIME   (EVENT_BIT(EVENT_TIME) | EVENT_BIT(EVENT_UNNAMED))
#define EVENT_IS_WORK   (EVENT_IS_TIME | EVENT_BIT(EVENT_WORK))
#define EVENT_IS_ANY \
	(EVENT_IS_WORK | EVENT_BIT(EVENT_SLEEP) | EVENT_BIT(EVENT_OTHER) | EVENT_BIT(EVENT_MEMORY))

#define EVENT_UNIT_MAX 112u

struct event_unit {
	enum event_kind kind;
	char of[EVENT_UNIT_MAX]; /* "CPU time", "page faults", "'irq:irq_entry' events" */
	bool is_plural;          /* `of` is plural: print "are in" instead of "is in" */
	bool is_exact;           /* each step was timed: shares have no sampling error */
};

/*
 * The unit of the shares of profile @c: from its event, else from the unit of its weights, else
 * "the profile". Cost: one walk over the table events.tsv.
 */
struct event_unit event_unit_of(const struct capture *c);
/*
 * Whether the event counts waits for locks, perhaps among other waits. Samples in a function that
 * takes a lock are then waits for that lock.
 */
bool event_unit_is_lock_wait(const struct event_unit *unit);
/* Whether the event counts waiting. Idle threads then have shares of the profile, too. */
bool event_unit_is_wait(const struct event_unit *unit);
/* Whether the profile counts goroutines. Goroutines may be waiting, so such shares are no cost. */
bool event_unit_is_goroutines(const struct event_unit *unit);
/* Whether the event counts bytes of memory, not objects. */
bool event_unit_is_bytes(const struct event_unit *unit);
/*
 * The unit of an event's shares. @event is the printed name: "cycles:ppp",
 * "cpu/mem-loads,ldlat=30/P". If a modifier restricts the event, the unit shows this: "CPU time in
 * the kernel" for "cpu-clock:k".
 */
struct event_unit event_unit_named(struct str event);
/*
 * Whether samples of @event, a printed name, are at the instruction that caused them: PEBS (the
 * modifier p), IBS, SPE. Source: perf-list(1), "precise event".
 */
bool event_unit_name_is_precise(struct str event);

#endif
