/* SPDX-License-Identifier: MIT */
/*
 * event_unit.h - what a share of a profile is a share of
 *
 * 12 % of the samples of cycles is 12 % of the CPU time; 12 % of those of page faults
 * is no time at all. The table in event_unit.c knows events by their names: what they
 * count, in words that follow "of the", and whether that is time of a CPU.
 */
#ifndef ANALYSES_EVENT_UNIT_H
#define ANALYSES_EVENT_UNIT_H

#include "core/dossier.h"

enum event_kind {
	EVENT_TIME,    /* counts while a CPU runs: shares are of CPU time */
	EVENT_UNNAMED, /* the event is not said: taken for time, and not called so */
	EVENT_WORK,    /* counts what code executes: instructions, branches, operations */
	EVENT_SLEEP,   /* counts threads that leave their CPU, where they do */
	EVENT_OTHER,   /* anything else: misses, faults, allocations, calls */
};

/* As bits, for what holds of several. */
#define EVENT_BIT(kind) (1u << (kind))
#define EVENT_IS_TIME   (EVENT_BIT(EVENT_TIME) | EVENT_BIT(EVENT_UNNAMED))
#define EVENT_IS_WORK   (EVENT_IS_TIME | EVENT_BIT(EVENT_WORK))
#define EVENT_IS_ANY    (EVENT_IS_WORK | EVENT_BIT(EVENT_SLEEP) | EVENT_BIT(EVENT_OTHER))

#define EVENT_UNIT_MAX 112u

struct event_unit {
	enum event_kind kind;
	char of[EVENT_UNIT_MAX]; /* "CPU time", "page faults", "'irq:irq_entry' events" */
	bool is_plural;          /* "are in", not "is in" */
};

/*
 * What shares of the profile @c are of. Without an event the unit of the weights tells,
 * or "profile" stands for what nobody said. Cost: one walk over the table.
 */
struct event_unit event_unit_of(const struct capture *c);
/*
 * The same of a name as tools print it: "cycles:ppp", "cpu/mem-loads,ldlat=30/P". Modifiers
 * that restrict it to one side are said: "CPU time in the kernel" of "cpu-clock:k".
 */
struct event_unit event_unit_named(struct str event);

#endif
