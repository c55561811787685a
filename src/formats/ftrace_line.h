/* SPDX-License-Identifier: MIT */
/*
 * ftrace_line.h - what one line of an ftrace text without a graph says
 *
 * `comm-pid [(tgid)] [cpu] [flags] time: what`, as tracefs and trace-cmd report
 * print it, and `comm-pid cpuflags time us: what` of the latency format. Pure:
 * no state, no memory.
 */
#ifndef FORMATS_FTRACE_LINE_H
#define FORMATS_FTRACE_LINE_H

#include "core/capture.h"

enum ft_kind {
	FT_NONE, /* no line of a trace */
	FT_BLANK,
	FT_COMMENT,  /* # …, and the header of the latency format: text */
	FT_TRACER,   /* # tracer: text */
	FT_WORDS,    /* cpus=2, "CPU 1 is empty": of trace-cmd */
	FT_LOST,     /* count, or 0 with !has_count */
	FT_NOTE,     /* of a stack trace: understood, not kept */
	FT_FUNCTION, /* name was called by caller */
	FT_EVENT,    /* text: the event and its fields */
};

struct ft_line {
	enum ft_kind kind;
	uint32_t cpu;
	uint64_t time_ns;
	uint64_t count;
	struct str task; /* "comm-pid" */
	struct str name; /* with " [module]" */
	struct str args;
	struct str caller;
	struct str text;
	bool has_count;
	bool is_relative; /* the time counts from the start of the trace */
};

/* @line without its end. Cost: linear in the line. */
void ft_line_parse(struct str line, struct ft_line *ret);
/* Is @tracer one that writes such lines: function, nop, irqsoff, wakeup_rt …? */
bool ft_is_tracer(struct str tracer);
/* irqsoff, preemptoff, wakeup …: its trace is that of the worst case. */
bool ft_is_latency_tracer(struct str tracer);
/* Keep what a header line says: latency, task, where it started and ended, entries. */
void ft_header(struct capture *c, struct str comment, uint32_t line);

#endif
