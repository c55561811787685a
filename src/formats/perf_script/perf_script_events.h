/* SPDX-License-Identifier: MIT */
/*
 * perf_script_events.h - tracepoints of perf in the order of their times
 *
 * The samples of each event are a profile of their own. Matching the begin and the end of an
 * operation needs both events in one trace: such events become the marks of one more capture.
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
	str_id text; /* "block_rq_issue: 8,0 W 4096 () 1000 + 8 [fio]" */
	str_id comm;
	uint32_t pid;
	uint32_t line; /* of the original input */
	uint16_t cpu;
};

struct script_events {
	VEC(struct script_mark) marks;
	VEC(str_id) names; /* of different events, SCRIPT_EVENTS_NAMES at most */
};

/*
 * "block_rq_issue" of "block:block_rq_issue". Empty: no tracepoint, a name without '_', or a
 * tracepoint of the scheduler or of system calls, which have their own readers.
 */
struct str script_events_name(struct str event);
/*
 * Take an event named @name with its @fields. @mark has its other data; mark.text is set here.
 * Events without fields, and those past SCRIPT_EVENTS_MAX, are left out.
 */
void script_events_add(struct script_events *e, struct strings *strings, struct str name,
		       struct str fields, struct script_mark mark);
/*
 * Whether events of these two names may begin and end operations: the names differ only after
 * their last '_', or are a listed pair (nvme, i2c).
 */
bool script_events_is_pair(struct str a, struct str b);
/* Are two of the names such a pair? */
bool script_events_are_pairs(const struct script_events *e, const struct strings *strings);
/*
 * Make them the events of a trace in @c, and calls of those that end in _entry and _exit.
 * @lost: the recording lost events.
 */
void script_events_end(const struct script_events *e, bool lost, struct capture *c);
void script_events_fini(struct script_events *e);

#endif
