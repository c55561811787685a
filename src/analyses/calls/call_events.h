/* SPDX-License-Identifier: MIT */
/* call_events.h - count the events of a trace by name */
#ifndef ANALYSES_CALL_EVENTS_H
#define ANALYSES_CALL_EVENTS_H

#include "base/str.h"
#include "base/vec.h"

struct capture;

struct call_event {
	struct str name; /* borrowed from the capture's strings */
	uint64_t count;
	uint32_t line; /* line of the event's first occurrence in the input */
};

struct call_events {
	VEC(struct call_event) rows; /* one row for each name, most frequent first */
	uint64_t count;
};

/*
 * Count the events by name. An event's name is its text up to ':', '(' or a blank:
 * "sched_switch", "sys_write". Text without a name (written to trace_marker, or by wakeup
 * tracers) counts as "(text)". Owner: caller, call_events_fini().
 */
void call_events_count(const struct capture *c, struct call_events *ret);
void call_events_fini(struct call_events *e);

#endif
