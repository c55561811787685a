/* SPDX-License-Identifier: MIT */
/*
 * function_graph_line.h - parse one line of a function graph
 *
 * The parser reads lines of tracefs with any of its columns, of perf ftrace, perf-tools funcgraph
 * and trace-cmd report. It has no state and allocates no memory. Large files have mostly plain
 * lines, which function_graph_fast.h reads instead.
 */
#ifndef FORMATS_FUNCTION_GRAPH_LINE_H
#define FORMATS_FUNCTION_GRAPH_LINE_H

#include "base/str.h"

enum fg_kind {
	FG_NONE, /* not a graph line */
	FG_BLANK,
	FG_COMMENT,   /* a comment: # … */
	FG_WORDS,     /* a message of a tool: ^C, "Ending tracing…", cpus=2 */
	FG_TRACER,    /* # tracer: NAME; `text` is the name */
	FG_TRACING,   /* the line 'Tracing "f"…' of perf-tools; `text` is the name */
	FG_ELIDED,    /* [...] or …: the author removed lines */
	FG_OPEN,      /* a call with callees: "f() {" */
	FG_LEAF,      /* a call without callees: "f();" */
	FG_CLOSE,     /* the end of a call: "}" */
	FG_EVENT,     /* `text` is a comment inside the graph, or an event of trace-cmd */
	FG_IRQ_ENTER, /* an interrupt begins: "==========>" */
	FG_IRQ_EXIT,  /* an interrupt ends: "<==========" */
	FG_RULER,     /* the line ----- around a task switch */
	FG_SWITCH,    /* a task switch: `task` is the previous task, `text` the next one */
	FG_LOST,      /* lost events; `count` is their number, valid if has_count */
	FG_NOTE,      /* ` => frame` of a stack trace, or (Overruns: n); neither is stored */
	FG_PARTIAL,   /* columns and an incomplete call: a mailer may have broken the line */
};

/* Columns of a line. All lines of a trace usually have the same set of columns. */
enum fg_column {
	FG_TIME = 1 << 0, /* the column has an absolute time */
	FG_CPU = 1 << 1,
	FG_TASK = 1 << 2,
	FG_FLAGS = 1 << 3,
	FG_DURATION = 1 << 4,  /* the column exists, but may be blank */
	FG_TRACE_CMD = 1 << 5, /* a line of trace-cmd report */
	FG_REL_TIME = 1 << 6,  /* time since the start of the trace, as latency tracers print it */
};

/* The parts of the comment after `}`, `;` or `{`: "name <-retaddr ret=2". */
struct fg_tail {
	struct str name;    /* function name, may end in " [module]"; empty: none */
	struct str retaddr; /* return address: "caller+0x5f/0xa0" */
	uint64_t retval;
	uint8_t retval_kind; /* kind of `retval`, a value of enum retval_kind */
};

struct fg_line {
	enum fg_kind kind;
	unsigned int columns; /* bits of enum fg_column */
	uint64_t time_ns;     /* time of the line, ns; valid if `columns` has FG_TIME */
	uint64_t dur_ns;      /* duration of the call, ns; valid if has_duration */
	uint64_t count;       /* number of lost events */
	/* number of the CPU; valid if `columns` has FG_CPU, and for FG_LOST and FG_SWITCH */
	uint32_t cpu;
	uint32_t depth;        /* depth of the call, by its indentation; valid if has_depth */
	struct str task;       /* the task, "comm-pid", without blanks at its start and end */
	struct str task_field; /* the task column, including its blanks and '|' */
	struct str name;       /* function name, may end in " [module]" */
	struct str args;
	struct str text;
	struct fg_tail tail;
	uint8_t decimals; /* number of decimals of the last number on the line */
	bool has_duration;
	bool has_depth; /* false: the line has no indentation, because the author removed it */
	bool has_count;
	bool has_odd_indent; /* the indentation has an odd number of blanks */
	bool bad_duration;   /* the duration is out of range */
	bool has_rest;       /* unknown words follow the function */
	/* the comment after the call has no end, because a mailer broke the line */
	bool has_open_tail;
};

/* Parse a line without its line end. Cost: linear in the line. */
void fg_line_parse(struct str line, struct fg_line *ret);
/*
 * Parse the comment after a call or brace. False: some words were not understood; @ret has the
 * words before them.
 */
bool fg_tail_parse(struct str text, struct fg_tail *ret);
/*
 * Parse a line about lost events, "CPU:0 [LOST 65094 EVENTS]" or "CPU:1 [581 EVENTS DROPPED]".
 * Every tracer prints such lines. False: another line.
 */
bool fg_line_lost(struct str s, uint32_t *ret_cpu, bool *ret_has_count, uint64_t *ret_count);
/* Whether @name is a function name, optionally with " [module]". */
bool fg_name_ok(struct str name);
/* Split "comm-pid"; the comm may contain '-' and blanks. */
bool fg_task_split(struct str task, struct str *ret_comm, uint32_t *ret_pid);

/*
 * Parse @digits, such as "12.345", and multiply by @scale, in ns. Digits below a nanosecond are
 * dropped. False: not a number, or too large.
 */
bool fg_number(struct str digits, uint64_t scale, uint64_t *ret, uint8_t *ret_decimals);
bool fg_is_flags(struct str s);
/*
 * Parse the columns of a line, and the call or event after them. @s must begin at the first column.
 */
void fg_columns(struct str s, struct fg_line *ret);
/*
 * Parse `comm-pid [cpu] flags time: `, the text before an event. Its first words may be missing: a
 * mailer broke the line, or a user removed them. False: other text.
 */
bool fg_trace_cmd_front(struct str s, struct fg_line *ret);
/*
 * Parse a line with the event funcgraph_entry or funcgraph_exit. False: another event, or the text
 * before the event is not task, CPU and time.
 */
bool fg_trace_cmd(struct str s, struct fg_line *ret);

#endif
