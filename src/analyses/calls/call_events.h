/* SPDX-License-Identifier: MIT */
/*
 * call_events.h - the events in a trace, counted by name
 */
#ifndef ANALYSES_CALL_EVENTS_H
#define ANALYSES_CALL_EVENTS_H

#include "core/capture.h"

struct call_event {
	struct str name; /* borrowed from the capture's strings */
	uint64_t count;
	uint32_t line; /* of the first */
};

struct call_events {
	VEC(struct call_event) rows; /* most frequent first */
	uint64_t count;
};

/*
 * The name of an event is its text up to ':', '(' or a blank: "sched_switch",
 * "sys_write". What is no name (text of trace_marker, lines of the wakeup
 * tracers) counts as "(text)". Owner: caller, call_events_fini().
 */
void call_events_count(const struct capture *c, struct call_events *ret);
void call_events_fini(struct call_events *e);

#endif
