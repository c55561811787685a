/* SPDX-License-Identifier: MIT */
/*
 * perf_script_events.h - samples of several tracepoints, as one trace
 *
 * A reader makes a separate profile for each event. But an operation, such as a block request,
 * begins and ends with different events, and only a trace with both events shows it. So such events
 * also become marks (events in a trace) of an additional capture.
 */
#ifndef FORMATS_PERF_SCRIPT_EVENTS_H
#define FORMATS_PERF_SCRIPT_EVENTS_H

#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

#include <stdint.h>

struct capture;
struct strings;

#define SCRIPT_EVENTS_MAX   (UINT32_C(1) << 18)
#define SCRIPT_EVENTS_NAMES 256u

struct script_mark {
	uint64_t time_ns;
	/* name and fields of the event: "block_rq_issue: 8,0 W 4096 () 1000 + 8 [fio]" */
	str_id text;
	str_id comm;
	uint32_t pid;
	uint32_t line; /* line number in the original input */
	uint16_t cpu;
};

struct script_events {
	VEC(struct script_mark) marks;
	VEC(str_id) names; /* distinct names of the events; at most SCRIPT_EVENTS_NAMES */
};

/*
 * Name of a tracepoint without its system: "block_rq_issue" for "block:block_rq_issue". Empty:
 * @event is no tracepoint, or its name has no '_'. Also empty for tracepoints of the scheduler and
 * of system calls: other code finds the pairs of these.
 */
struct str script_events_name(struct str event);
/*
 * Add an event with the name @name and the text @fields. The caller sets all members of @mark
 * except text. An event without name or fields is not added. After SCRIPT_EVENTS_MAX events, no
 * more are added.
 */
void script_events_add(struct script_events *e, struct strings *strings, struct str name,
		       struct str fields, struct script_mark mark);
/*
 * Whether one of the events @a and @b may begin an operation and the other may end it. True if
 * their names differ only in the last word (the text after the last '_'), or are a known pair
 * (nvme, i2c).
 */
bool script_events_is_pair(struct str a, struct str b);
/* Whether two of the added events are such a pair (script_events_is_pair()). */
bool script_events_are_pairs(const struct script_events *e, const struct strings *strings);
/*
 * Store the added events in @c as marks (events) of a trace. Two events whose names end in _entry
 * and _exit become a call. @lost: the recording lost events.
 */
void script_events_end(const struct script_events *e, bool lost, struct capture *c);
void script_events_fini(struct script_events *e);

#endif
