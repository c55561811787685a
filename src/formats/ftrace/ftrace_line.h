/* SPDX-License-Identifier: MIT */
/*
 * ftrace_line.h - parse one line of ftrace text without a graph
 *
 * tracefs and trace-cmd report print `comm-pid [(tgid)] [cpu] [flags] time: body`. The latency
 * format is `comm-pid cpuflags time us: body`. The body is an event or a call. The parser has no
 * state and allocates no memory.
 */
#ifndef FORMATS_FTRACE_LINE_H
#define FORMATS_FTRACE_LINE_H

#include "base/str.h"

struct capture;

enum ft_kind {
	FT_NONE, /* not a line of a trace */
	FT_BLANK,
	FT_COMMENT,  /* # …, and header lines of the latency format; `text` is the line */
	FT_TRACER,   /* # tracer: NAME; `text` is the name */
	FT_WORDS,    /* a message of trace-cmd: "cpus=2", "CPU 1 is empty" */
	FT_LOST,     /* lost events; `count` is their number, valid if has_count */
	FT_NOTE,     /* part of a stack trace: recognised, not stored */
	FT_FUNCTION, /* a call: `caller` called the function `name` */
	FT_EVENT,    /* `text` is the event and its fields */
};

struct ft_line {
	enum ft_kind kind;
	uint32_t cpu;
	uint64_t time_ns;
	uint64_t count;
	struct str task; /* the task, "comm-pid" */
	struct str name; /* function name, may end in " [module]" */
	struct str args;
	struct str caller;
	struct str text;
	/* offset of the '[' before the CPU, without leading blanks; 0: no '[' */
	uint32_t bracket;
	bool has_count;
	bool is_by_irq;   /* an interrupt, softirq or NMI was running, according to the flags */
	bool is_relative; /* time_ns counts from the start of the trace */
};

#define FT_FRONTS      256u
#define FT_FRONT_CHARS 56u

/*
 * Text at the start of a CPU's previous line, up to the '[' before the CPU number. The CPU's next
 * line usually starts with the same text.
 */
struct ft_front {
	char text[FT_FRONT_CHARS];
	uint32_t task_at;  /* offset of "comm-pid" in the line */
	uint32_t task_len; /* length of "comm-pid"; 0: the entry is free */
};

struct ft_fronts {
	/* offset of the '[' before the CPU, the same in all cached lines; 0: no line is cached */
	uint32_t bracket;
	struct ft_front cpus[FT_FRONTS]; /* indexed by CPU number modulo FT_FRONTS */
};

/*
 * Like ft_line_parse(), but faster if the line starts like the previous line of its CPU, which
 * @fronts has. @only_kind: the caller only tests if the line is a trace line. The fast path then
 * does not parse the text after the time: it is stored as `text`, and the kind is FT_EVENT even for
 * a call.
 */
void ft_line_parse_next(struct ft_fronts *fronts, struct str line, bool only_kind,
			struct ft_line *ret);

/* Parse a line without its line end. Cost: linear in the line. */
void ft_line_parse(struct str line, struct ft_line *ret);
/* Whether @tracer writes lines that this parser reads: function, nop, irqsoff, wakeup_rt …. */
bool ft_is_tracer(struct str tracer);
/*
 * Whether @tracer is a latency tracer, which keeps only the trace of the longest latency: irqsoff,
 * preemptoff, wakeup ….
 */
bool ft_is_latency_tracer(struct str tracer);
/* Add notes to @c from @comment, a header line: latency, task, start and end, number of entries. */
void ft_header(struct capture *c, struct str comment, uint32_t line);

#endif
