/* SPDX-License-Identifier: MIT */
/*
 * ftrace_line.h - parse one line of ftrace text without a graph
 *
 * `comm-pid [(tgid)] [cpu] [flags] time: what` of tracefs and trace-cmd report, and `comm-pid
 * cpuflags time us: what` of the latency format. Pure: no state, no memory.
 */
#ifndef FORMATS_FTRACE_LINE_H
#define FORMATS_FTRACE_LINE_H

#include "base/str.h"

struct capture;

enum ft_kind {
	FT_NONE, /* not a trace line */
	FT_BLANK,
	FT_COMMENT,  /* # …, and the header of the latency format: text */
	FT_TRACER,   /* # tracer: text */
	FT_WORDS,    /* cpus=2, "CPU 1 is empty": messages of trace-cmd */
	FT_LOST,     /* count, or 0 with !has_count */
	FT_NOTE,     /* part of a stack trace: recognised, not stored */
	FT_FUNCTION, /* caller called name */
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
	uint32_t bracket; /* position of the CPU's '[' in the line; 0: another layout */
	bool has_count;
	bool is_relative; /* time since the start of the trace */
};

#define FT_FRONTS      256u
#define FT_FRONT_CHARS 56u

/* Text before the CPU in that CPU's last line, which the next line usually repeats. */
struct ft_front {
	char text[FT_FRONT_CHARS];
	uint32_t task_at;
	uint32_t task_len; /* 0: free */
};

struct ft_fronts {
	uint32_t bracket;
	struct ft_front cpus[FT_FRONTS]; /* by CPU number, direct-mapped */
};

/*
 * As ft_line_parse(), faster if the front of the line is cached. With @only_kind events are not
 * parsed: text is everything after the time, and calls of the function tracer count as events
 * too.
 */
void ft_line_parse_next(struct ft_fronts *fronts, struct str line, bool only_kind,
			struct ft_line *ret);

/* @line without its end. Cost: linear in the line. */
void ft_line_parse(struct str line, struct ft_line *ret);
/* Whether @tracer writes such lines: function, nop, irqsoff, wakeup_rt …. */
bool ft_is_tracer(struct str tracer);
/* Whether @tracer records a worst case: irqsoff, preemptoff, wakeup …. */
bool ft_is_latency_tracer(struct str tracer);
/* Store the facts in a header line: latency, task, start and end, entries. */
void ft_header(struct capture *c, struct str comment, uint32_t line);

#endif
