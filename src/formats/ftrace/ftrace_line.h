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
	uint32_t bracket; /* where the CPU's '[' is in the line; 0: another layout */
	bool has_count;
	bool is_relative; /* the time counts from the start of the trace */
};

#define FT_FRONTS      256u
#define FT_FRONT_CHARS 56u

/* What stood before the CPU in the last line of each, which the next one has mostly too. */
struct ft_front {
	char text[FT_FRONT_CHARS];
	uint32_t task_at;
	uint32_t task_len; /* 0: free */
};

struct ft_fronts {
	uint32_t bracket;
	struct ft_front cpus[FT_FRONTS]; /* by CPU, direct-mapped */
};

/*
 * As ft_line_parse(), quicker where the front of the line was seen before. With
 * @only_kind events are not taken apart: text is all that follows the time, and
 * calls of the function tracer are events too.
 */
void ft_line_parse_next(struct ft_fronts *fronts, struct str line, bool only_kind,
			struct ft_line *ret);

/* @line without its end. Cost: linear in the line. */
void ft_line_parse(struct str line, struct ft_line *ret);
/* Is @tracer one that writes such lines: function, nop, irqsoff, wakeup_rt …? */
bool ft_is_tracer(struct str tracer);
/* irqsoff, preemptoff, wakeup …: its trace is that of the worst case. */
bool ft_is_latency_tracer(struct str tracer);
/* Keep what a header line says: latency, task, where it started and ended, entries. */
void ft_header(struct capture *c, struct str comment, uint32_t line);

#endif
