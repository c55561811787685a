/* SPDX-License-Identifier: MIT */
/*
 * function_graph_line.h - parse one line of a function graph
 *
 * The parser reads lines of tracefs with any of its columns, of perf ftrace, perf-tools funcgraph
 * and trace-cmd report. It has no state and allocates no memory. Plain lines of large files are
 * read by function_graph_fast.h instead.
 */
#ifndef FORMATS_FUNCTION_GRAPH_LINE_H
#define FORMATS_FUNCTION_GRAPH_LINE_H

#include "base/str.h"

enum fg_kind {
	FG_NONE, /* not a graph line */
	FG_BLANK,
	FG_COMMENT,   /* a comment: # … */
	FG_WORDS,     /* ^C, "Ending tracing…", cpus=2: messages of the tools */
	FG_TRACER,    /* # tracer: NAME; `text` is the name */
	FG_TRACING,   /* Tracing "f"… of perf-tools; `text` is the name */
	FG_ELIDED,    /* [...] or …: lines were removed by hand */
	FG_OPEN,      /* f() { */
	FG_LEAF,      /* f(); */
	FG_CLOSE,     /* } */
	FG_EVENT,     /* `text` is a comment inside the graph, or an event of trace-cmd */
	FG_IRQ_ENTER, /* ==========> */
	FG_IRQ_EXIT,  /* <========== */
	FG_RULER,     /* the line ----- around a task switch */
	FG_SWITCH,    /* a task switch: `task` is the previous task, `text` the next one */
	FG_LOST,      /* lost events: count; if !has_count, their number is unknown */
	FG_NOTE,      /* ` => frame` of a stack trace, or (Overruns: n): not stored */
	FG_PARTIAL,   /* valid columns, but an incomplete call: a mailer may have broken the line */
};

/* Columns of a line. The set of columns is the layout of a trace. */
enum fg_column {
	FG_TIME = 1 << 0, /* absolute time */
	FG_CPU = 1 << 1,
	FG_TASK = 1 << 2,
	FG_FLAGS = 1 << 3,
	FG_DURATION = 1 << 4,  /* the column exists, even if blank */
	FG_TRACE_CMD = 1 << 5, /* a line of trace-cmd report */
	FG_REL_TIME = 1 << 6,  /* time since the start of the trace: latency tracers print it */
};

/* The words of the comment after `}`, `;` or `{`: "name <-retaddr ret=2". */
struct fg_tail {
	struct str name;    /* function name, with " [module]"; empty: none */
	struct str retaddr; /* return address: "caller+0x5f/0xa0" */
	uint64_t retval;
	uint8_t retval_kind; /* enum retval_kind */
};

struct fg_line {
	enum fg_kind kind;
	unsigned int columns;  /* bits of enum fg_column */
	uint64_t time_ns;      /* valid with FG_TIME */
	uint64_t dur_ns;       /* valid with has_duration */
	uint64_t count;        /* number of lost events */
	uint32_t cpu;          /* valid with FG_CPU and in FG_LOST, FG_SWITCH */
	uint32_t depth;        /* valid with has_depth */
	struct str task;       /* "comm-pid", trimmed */
	struct str task_field; /* the task column with its blanks and '|' */
	struct str name;       /* function name, with " [module]" */
	struct str args;
	struct str text;
	struct fg_tail tail;
	uint8_t decimals; /* decimals of the last number on the line, as printed */
	bool has_duration;
	bool has_depth; /* false: the indentation of the line was removed */
	bool has_count;
	bool has_odd_indent; /* indentation by an odd number of blanks */
	bool bad_duration;   /* the duration is out of range */
	bool has_rest;       /* unknown words follow the function */
	bool has_open_tail;  /* the comment after the call has no end: a mailer broke the line */
};

/* Parse a line without its line end. Cost: linear in the line. */
void fg_line_parse(struct str line, struct fg_line *ret);
/* Parse the comment after a call or brace. False: @ret has only the part that was understood. */
bool fg_tail_parse(struct str text, struct fg_tail *ret);
/*
 * Parse "CPU:0 [LOST 65094 EVENTS]" or "CPU:1 [581 EVENTS DROPPED]", which every tracer prints.
 * False: another line.
 */
bool fg_line_lost(struct str s, uint32_t *ret_cpu, bool *ret_has_count, uint64_t *ret_count);
/* Whether @name is a function name, optionally with " [module]". */
bool fg_name_ok(struct str name);
/* Split "comm-pid"; the comm may contain '-' and blanks. */
bool fg_task_split(struct str task, struct str *ret_comm, uint32_t *ret_pid);

/*
 * Parse "12.345" times @scale ns; digits below a nanosecond are dropped. False: no number, or too
 * large.
 */
bool fg_number(struct str digits, uint64_t scale, uint64_t *ret, uint8_t *ret_decimals);
bool fg_is_flags(struct str s);
/* Parse the columns of a line, and the call or event after them. @s begins at the first column. */
void fg_columns(struct str s, struct fg_line *ret);
/*
 * Parse `comm-pid [cpu] flags time: `, the text before an event. Its first words may be missing,
 * because a mailer broke the line or a user removed them. False: other text.
 */
bool fg_trace_cmd_front(struct str s, struct fg_line *ret);
/*
 * Parse a line with the event funcgraph_entry or funcgraph_exit. False: the line has neither, or
 * other text than task, CPU and time before it.
 */
bool fg_trace_cmd(struct str s, struct fg_line *ret);

#endif
