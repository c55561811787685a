/* SPDX-License-Identifier: MIT */
/*
 * event_unit.h - the unit of which a profile's shares are
 *
 * 12 % of the samples of cycles is 12 % of CPU time; 12 % of page fault samples is no time at
 * all. The table events.tsv maps event names to a unit that follows "of the", and states
 * whether it is CPU time.
 */
#ifndef ANALYSES_EVENT_UNIT_H
#define ANALYSES_EVENT_UNIT_H

#include "base/str.h"

struct capture;

enum event_kind {
	EVENT_TIME,    /* counts while a CPU runs: shares are of CPU time */
	EVENT_UNNAMED, /* unknown event: treated as time, but not named time */
	EVENT_WORK,    /* counts executed code: instructions, branches, operations */
	EVENT_SLEEP,   /* counts threads that leave their CPU, at the place where they leave */
	EVENT_OTHER,   /* other events: misses, faults, calls */
	EVENT_MEMORY,  /* counts memory allocated or in use: bytes or objects */
	EVENT_PLAN,    /* time of steps that are no functions: nodes of a query plan */
};

/* As bits, for sets of kinds. */
#define EVENT_BIT(kind) (1u << (kind))
#define EVENT_IS_TIME   (EVENT_BIT(EVENT_TIME) | EVENT_BIT(EVENT_UNNAMED))
#define EVENT_IS_WORK   (EVENT_IS_TIME | EVENT_BIT(EVENT_WORK))
#define EVENT_IS_ANY \
	(EVENT_IS_WORK | EVENT_BIT(EVENT_SLEEP) | EVENT_BIT(EVENT_OTHER) | EVENT_BIT(EVENT_MEMORY))

#define EVENT_UNIT_MAX 112u

struct event_unit {
	enum event_kind kind;
	char of[EVENT_UNIT_MAX]; /* "CPU time", "page faults", "'irq:irq_entry' events" */
	bool is_plural;          /* "are in", not "is in" */
};

/*
 * The unit of shares of profile @c. Without an event it is the unit of the weights, or
 * "profile" if that is unknown. Cost: one walk over the table.
 */
struct event_unit event_unit_of(const struct capture *c);
/* Does the event count waits for locks? A function that takes a lock then waits for it. */
bool event_unit_is_lock_wait(const struct event_unit *unit);
/*
 * The unit of shares of an event by its printed name: "cycles:ppp",
 * "cpu/mem-loads,ldlat=30/P". Restricting modifiers are named: "CPU time in the kernel"
 * for "cpu-clock:k".
 */
struct event_unit event_unit_named(struct str event);

#endif
