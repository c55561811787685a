/* SPDX-License-Identifier: MIT */
/*
 * latency_section.h - the longest latency, in the trace of a latency tracer of ftrace
 *
 * Such a tracer records only one section: the longest time with interrupts or preemption off, or
 * the longest wait of a task from its wakeup until it runs. The header prints the length of the
 * section: "latency: 97 us". The rows are the calls and events in the section, with times since its
 * start.
 * Source: kernel, Documentation/trace/ftrace.rst.
 */
#ifndef ANALYSES_LATENCY_SECTION_H
#define ANALYSES_LATENCY_SECTION_H

#include "base/str.h"

struct capture;

enum latency_kind {
	LATENCY_NONE, /* the capture is not a trace of a latency tracer */
	LATENCY_IRQS_OFF,
	LATENCY_PREEMPT_OFF,
	LATENCY_BOTH_OFF, /* time with interrupts or preemption off */
	LATENCY_WAKEUP,
};

enum latency_kind latency_kind_of(const struct capture *c);

/* A row of the trace: a call or an event. */
struct latency_row {
	uint64_t at_ns;    /* time of the row, measured from the start of the section */
	struct str name;   /* function, or text of the event; borrowed from the dossier */
	struct str caller; /* caller of the function that the row names; empty: unknown */
	uint32_t line;
	uint32_t lane;
};

struct latency_section {
	uint64_t ns; /* length of the section (the longest latency), from the header */
	struct latency_row first;
	struct latency_row last; /* last row whose time is within the section */
	/*
	 * the two rows with the longest time between them (step_ns), of all pairs of rows on
	 * consecutive lines
	 */
	struct latency_row from;
	struct latency_row to;
	uint64_t step_ns;
	/*
	 * sum of the times between successive rows that are not on consecutive lines. The lines
	 * between two such rows are not rows of the section, for example lines of a call stack
	 */
	uint64_t hidden_ns;
};

/*
 * Read the section of a latency trace. Returns false if the header has no length, or if fewer than
 * two rows have a time within the section. Cost: O(calls + marks).
 */
bool latency_section_find(const struct capture *c, struct latency_section *ret);

#endif
