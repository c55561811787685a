/* SPDX-License-Identifier: MIT */
/*
 * ftrace_line.h - parse one line of ftrace text without a graph
 *
 * tracefs and trace-cmd report print `comm-pid [(tgid)] [cpu] [flags] time: body`; the latency
 * format is `comm-pid cpuflags time us: body`. The body is an event or a call. The parser has no
 * state and allocates no memory.
 */
#ifndef FORMATS_FTRACE_LINE_H
#define FORMATS_FTRACE_LINE_H

#include "base/str.h"

struct capture;

enum ft_kind {
	FT_NONE, /* the line is no trace line */
	FT_BLANK,
	FT_COMMENT,  /* # …, and header lines of the latency format; `text` is the line */
	FT_TRACER,   /* # tracer: NAME; `text` is the name */
	FT_WORDS,    /* cpus=2, "CPU 1 is empty": messages of trace-cmd */
	FT_LOST,     /* lost events: count; if !has_count, their number is unknown */
	FT_NOTE,     /* part of a stack trace: recognised, not stored */
	FT_FUNCTION, /* a call: `caller` called the function `name` */
	FT_EVENT,    /* `text` is the event and its fields */
};

struct ft_line {
	enum ft_kind kind;
	uint32_t cpu;
	uint64_t time_ns;
	uint64_t count;
	struct str task; /* "comm-pid" */
	struct str name; /* function name, with " [module]" */
	struct str args;
	struct str caller;
	struct str text;
	/* offset of the '[' before the CPU, counted after leading blanks; 0: no '[' */
	uint32_t bracket;
	bool has_count;
	bool is_by_irq;   /* an interrupt, softirq or NMI was running, according to the flags */
	bool is_relative; /* time_ns counts from the start of the trace */
};

#define FT_FRONTS      256u
#define FT_FRONT_CHARS 56u

/*
 * Start of a CPU's previous line, up to the CPU number. The CPU's next line usually starts with the
 * same bytes.
 */
struct ft_front {
	char text[FT_FRONT_CHARS];
	uint32_t task_at;  /* offset of "comm-pid" in the line */
	uint32_t task_len; /* 0: the entry is free */
};

struct ft_fronts {
	uint32_t bracket; /* offset of the '[' before the CPU in the cached lines; 0: none cached */
	struct ft_front cpus[FT_FRONTS]; /* indexed by CPU number modulo FT_FRONTS */
};

/*
 * Like ft_line_parse(), but faster if the line starts like the previous line of its CPU (@fronts).
 * @only_kind: do not distinguish events and calls. A line that starts like the CPU's previous line
 * is then FT_EVENT, and its text is everything after the time.
 */
void ft_line_parse_next(struct ft_fronts *fronts, struct str line, bool only_kind,
			struct ft_line *ret);

/* Parse a line without its line end. Cost: linear in the line. */
void ft_line_parse(struct str line, struct ft_line *ret);
/* Whether @tracer writes lines that this parser reads: function, nop, irqsoff, wakeup_rt …. */
bool ft_is_tracer(struct str tracer);
/* Whether @tracer keeps only the trace of the longest latency: irqsoff, preemptoff, wakeup …. */
bool ft_is_latency_tracer(struct str tracer);
/* Add notes to @c from a header line: latency, task, start and end, number of entries. */
void ft_header(struct capture *c, struct str comment, uint32_t line);

#endif
