/* SPDX-License-Identifier: MIT */
/*
 * perf_script_events.h - samples of several tracepoints, as one trace
 *
 * The reader makes a separate profile of each event. But an operation, such as a block request,
 * begins and ends with different events, and finding both needs one trace. Therefore such events
 * also become the marks of one more capture.
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
	uint32_t line; /* line number in the original input */
	uint16_t cpu;
};

struct script_events {
	VEC(struct script_mark) marks;
	VEC(str_id) names; /* names of the different events, at most SCRIPT_EVENTS_NAMES */
};

/*
 * The name of a tracepoint without its system: "block_rq_issue" for "block:block_rq_issue". Empty:
 * not a tracepoint, a name without '_', or a tracepoint of the scheduler or of system calls, which
 * other code pairs.
 */
struct str script_events_name(struct str event);
/*
 * Add an event @name with the text @fields. The caller sets all members of @mark except text.
 * Events without name or fields, and those past SCRIPT_EVENTS_MAX, are omitted.
 */
void script_events_add(struct script_events *e, struct strings *strings, struct str name,
		       struct str fields, struct script_mark mark);
/*
 * Whether events of these two names may be the begin and the end of an operation: the names differ
 * only after their last '_', or are a listed pair (nvme, i2c).
 */
bool script_events_is_pair(struct str a, struct str b);
/* Whether two of the collected names may be the begin and the end of an operation. */
bool script_events_are_pairs(const struct script_events *e, const struct strings *strings);
/*
 * Store the events in @c as the marks of a trace. Events that end in _entry and _exit become calls.
 * @lost: the recording lost events.
 */
void script_events_end(const struct script_events *e, bool lost, struct capture *c);
void script_events_fini(struct script_events *e);

#endif
