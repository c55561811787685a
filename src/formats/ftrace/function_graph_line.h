/* SPDX-License-Identifier: MIT */
/*
 * function_graph_line.h - what one line of a function graph says
 *
 * All dialects: tracefs with any of its columns, perf ftrace, perf-tools
 * funcgraph, trace-cmd report. Pure: no state, no memory. The common lines of
 * large files never come here; function_graph.c reads those in place.
 */
#ifndef FORMATS_FUNCTION_GRAPH_LINE_H
#define FORMATS_FUNCTION_GRAPH_LINE_H

#include "core/calls.h"

enum fg_kind {
	FG_NONE, /* no line of a graph */
	FG_BLANK,
	FG_COMMENT, /* # … */
	FG_WORDS,   /* ^C, "Ending tracing…", cpus=2: of the tools */
	FG_TRACER,  /* # tracer: text */
	FG_TRACING, /* Tracing "text"… of perf-tools */
	FG_ELIDED,  /* [...] or …: somebody cut lines out */
	FG_OPEN,
	FG_LEAF,
	FG_CLOSE,
	FG_EVENT, /* comment inside the graph, or an event line of trace-cmd: text */
	FG_IRQ_ENTER,
	FG_IRQ_EXIT,
	FG_RULER,
	FG_SWITCH,  /* task => text */
	FG_LOST,    /* count, or 0 with !has_count */
	FG_NOTE,    /* ` => frame` of a stack trace, (Overruns: n): understood, not kept */
	FG_PARTIAL, /* the columns are right, the function is cut: maybe folded */
};

/* Columns of a line; together they are the layout of a trace. */
enum fg_column {
	FG_TIME = 1 << 0, /* absolute */
	FG_CPU = 1 << 1,
	FG_TASK = 1 << 2,
	FG_FLAGS = 1 << 3,
	FG_DURATION = 1 << 4,  /* the column, filled or not */
	FG_TRACE_CMD = 1 << 5, /* a line of trace-cmd report */
	FG_REL_TIME = 1 << 6,  /* of the wakeup tracers */
};

/* What stands behind `}`, `;` or `{`. */
struct fg_tail {
	struct str name;    /* with " [module]"; len 0: none */
	struct str retaddr; /* "caller+0x5f/0xa0" */
	uint64_t retval;
	uint8_t retval_kind; /* enum retval_kind */
};

struct fg_line {
	enum fg_kind kind;
	unsigned int columns;  /* enum fg_column */
	uint64_t time_ns;      /* with FG_TIME */
	uint64_t dur_ns;       /* with has_duration */
	uint64_t count;        /* of lost events */
	uint32_t cpu;          /* with FG_CPU, and of FG_LOST, FG_SWITCH */
	uint32_t depth;        /* with has_depth */
	struct str task;       /* "comm-pid", trimmed */
	struct str task_field; /* the whole column with its '|', as it stands */
	struct str name;       /* with " [module]" */
	struct str args;
	struct str text;
	struct fg_tail tail;
	uint8_t decimals; /* of the duration as printed */
	bool has_duration;
	bool has_depth; /* false: the indentation was lost */
	bool has_count;
	bool is_odd;       /* indentation by an odd number of blanks */
	bool bad_duration; /* a duration that does not fit */
	bool has_rest;     /* words behind the function that were not understood */
};

/* @line without its end. Cost: linear in the line. */
void fg_line_parse(struct str line, struct fg_line *ret);
/* False: not understood; @ret has what was. */
bool fg_tail_parse(struct str text, struct fg_tail *ret);
/*
 * "CPU:0 [LOST 65094 EVENTS]", "CPU:1 [581 EVENTS DROPPED]", as every tracer's text has
 * them. False: it is not such a line.
 */
bool fg_line_lost(struct str s, uint32_t *ret_cpu, bool *ret_has_count, uint64_t *ret_count);
/* A function name, maybe with " [module]". */
bool fg_name_ok(struct str name);
/* "comm-pid"; the comm may hold '-' and blanks. */
bool fg_task_split(struct str task, struct str *ret_comm, uint32_t *ret_pid);

#endif
