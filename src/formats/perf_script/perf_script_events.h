/* SPDX-License-Identifier: MIT */
/*
 * perf_script_events.h - tracepoints of `perf script` in the order of their times
 *
 * The samples of each event are a profile of their own. Pairs of events that begin and end an
 * operation need all of them in one trace: such events become the marks of one more capture.
 */
#ifndef FORMATS_PERF_SCRIPT_EVENTS_H
#define FORMATS_PERF_SCRIPT_EVENTS_H

#include "base/vec.h"
#include "core/ids.h"

#include <stdint.h>

struct capture;
struct script_header;
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

/* Take a sample, if it is one of a tracepoint with a time and fields. */
void script_events_add(struct script_events *e, struct strings *strings,
		       const struct script_header *h, uint32_t line);
/* Do two events have names that differ in their last word alone? */
bool script_events_are_pairs(const struct script_events *e, const struct strings *strings);
/* Make them the events of a trace in @c. */
void script_events_end(const struct script_events *e, struct capture *c);
void script_events_fini(struct script_events *e);

#endif
