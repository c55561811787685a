/* SPDX-License-Identifier: MIT */
/*
 * latency_section.h - the latency that one of ftrace's latency tracers measured
 *
 * Such a tracer keeps one section: the longest time with interrupts or preemption off, or the
 * longest wait of a task between its wakeup and its switch to the CPU. The header states its
 * length, "latency: 97 us". The rows are what the kernel recorded inside it, with times from its
 * start. Source: kernel, Documentation/trace/ftrace.rst.
 */
#ifndef ANALYSES_LATENCY_SECTION_H
#define ANALYSES_LATENCY_SECTION_H

#include "base/str.h"

struct capture;

enum latency_kind {
	LATENCY_NONE, /* not a trace of a latency tracer */
	LATENCY_IRQS_OFF,
	LATENCY_PREEMPT_OFF,
	LATENCY_BOTH_OFF, /* interrupts or preemption off */
	LATENCY_WAKEUP,
};

enum latency_kind latency_kind_of(const struct capture *c);

/* A row of the trace: a call or an event. */
struct latency_row {
	uint64_t at_ns;    /* from the start of the section */
	struct str name;   /* function, or text of the event; borrowed from the dossier */
	struct str caller; /* empty: unknown */
	uint32_t line;
	uint32_t lane;
};

struct latency_section {
	uint64_t ns; /* length, from the header */
	struct latency_row first;
	struct latency_row last; /* last row within the section */
	/* the two rows on consecutive lines with the longest time between them, and that time */
	struct latency_row from;
	struct latency_row to;
	uint64_t step_ns;
	/* time between rows with other lines between them: rows were left out, or stacks printed */
	uint64_t hidden_ns;
};

/*
 * Read the section of a latency trace. Returns false if the header states no length, or fewer than
 * two rows have a time within it. Cost: O(calls + marks).
 */
bool latency_section_find(const struct capture *c, struct latency_section *ret);

#endif
