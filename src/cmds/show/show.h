/* SPDX-License-Identifier: MIT */
/*
 * show.h - functions that write a capture into a view, for the front page and the commands
 *
 * Each show_*() function writes one part of the page, for text and JSON alike. If show.is_brief is
 * set, the part is for the front page, which has about a screen per capture: the part contains only
 * the heaviest rows. In the comments on show_*() functions, names in backquotes are JSON keys.
 */
#ifndef CMDS_SHOW_H
#define CMDS_SHOW_H

#include "analyses/top/top.h"
#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/session.h"
#include "core/ids.h"
#include "render/view.h"

struct capture;
struct code_function;
struct compare_lines;
struct diag;
struct profile;

/* Styles of call trees, as in perf. */
enum show_tree_style {
	/* a tree with shares of the total */
	SHOW_TREE_GRAPH,
	/*
	 * a tree with shares of the parent node; the parent is the caller, or the callee if
	 * is_callers is set
	 */
	SHOW_TREE_FRACTAL,
	/* whole chains one after another, one frame per line */
	SHOW_TREE_FLAT,
	/* whole chains one after another, one chain per line */
	SHOW_TREE_FOLDED,
};

enum show_columns {
	SHOW_CHILDREN = 1 << 0,
	SHOW_SELF = 1 << 1,
	SHOW_SAMPLES = 1 << 2,
	SHOW_PERIOD = 1 << 3,
};

/* Options of `report`. A zeroed struct means a flat table of all samples. */
struct show_profile_options {
	struct top_spec spec;
	/* the user chose spec.keys; each row in JSON has exactly these keys */
	bool has_keys;
	bool has_tree;
	/* the children of a tree node are its callers, not its callees */
	bool is_callers;
	unsigned int tree_style; /* enum show_tree_style */
	/* smallest share of a tree node to print, in percent; 0: default */
	double tree_limit;
	uint64_t limit; /* maximum number of rows to print; 0: all */
	/* set of enum show_columns: requested columns; 0: all available */
	unsigned int columns;
	/* print all lines of the header, not only the first ones */
	bool has_header;
	/*
	 * trees start at functions that match this pattern; STR_NONE: trees start at all functions
	 */
	struct str tree_start;
	/*
	 * noun for the units of work to divide by, such as "requests". The input must state their
	 * number. STR_NONE: do not divide
	 */
	struct str per;
	/* C sources whose metrics are printed in additional columns; NULL: none */
	const struct heat_sources *risk;
};

struct call_tree_options;
struct heat_sources;

struct tracer_cost_given;
struct tracer_joint;

/*
 * The table of a function graph to print. The values before CALLS_BY_SLOW have the order of the
 * values of the option --by of `calls`.
 */
enum show_calls_by {
	CALLS_BY_ALL,
	CALLS_BY_FUNCTION,
	CALLS_BY_MODULE,
	CALLS_BY_CATEGORY,
	CALLS_BY_TASK,
	CALLS_BY_CPU,
	/* a row for each slow call (option --slow) */
	CALLS_BY_SLOW,
};

/* A reason to doubt the data of a capture. `id`: its name in quality.h. */
struct show_said {
	const struct capture *capture;
	const char *id;
};

/* A line of a capture that a finding of the page cites. */
struct show_cited {
	const struct capture *capture;
	uint32_t line;
};

struct show {
	struct session *session;
	struct view *v;
	/* options of a profile; NULL: defaults */
	const struct show_profile_options *profile;
	const struct call_tree_options *call_tree; /* options of the call tree; NULL: no tree */
	enum show_calls_by calls_by;
	/* tracing cost of a call, as given by the user; NULL: estimated from the trace */
	const struct tracer_cost_given *tracer_cost;
	/*
	 * indexed by capture: tracing overhead, estimated from the traces of all inputs; NULL:
	 * estimate it from each capture alone
	 */
	const struct tracer_joint *joint;
	/*
	 * the only input was already named by a heading, so later headings contain only line ranges
	 */
	bool has_title;
	/* the only input was already named in a printed command; see show_file() */
	bool has_path;
	struct arena scratch; /* text of cells; cleared by each show_capture() */
	/* buffer for the name of the current row */
	struct out name;
	bool is_brief;
	/* if is_brief: write all rows, because view_budget() chooses the rows to print */
	bool is_budget;
	/* number of decimals of shares on the front page, as the number of samples justifies */
	unsigned int decimals;
	/* reasons to doubt the data that the front page has already printed */
	VEC(struct show_said) said;
	/* lines that the findings of the front page cite, in the order of the findings */
	VEC(struct show_cited) cited;
	uint32_t only; /* number of the only finding to show; 0: show all */
	/*
	 * also print the names of checks without a finding, and the certainty of findings in
	 * percent
	 */
	bool is_verbose;
};

/*
 * Number of rows to write: @full or, on the front page, @brief. If view_budget() chooses the rows
 * of the front page: @full.
 */
static inline size_t show_rows_of(const struct show *s, size_t brief, size_t full)
{
	return s->is_brief && !s->is_budget ? brief : full;
}

/* Number of rows to write: @brief on the front page, otherwise all; see show_rows_of(). */
static inline size_t show_rows(const struct show *s, size_t brief)
{
	return show_rows_of(s, brief, SIZE_MAX);
}

static inline void show_fini(struct show *s)
{
	arena_fini(&s->scratch);
	out_fini(&s->name);
	VEC_FREE(&s->said);
	VEC_FREE(&s->cited);
}
/*
 * End the view. Returns @status, or EXIT_FAILED if the view could not be written. It is no failure
 * if the reader of a pipe closed the pipe.
 */
int show_end(struct show *s, int status);

/*
 * Show a capture as an element of `captures`: heading, source, facts, and the parts for each kind
 * of its data. Errors: ERR_USAGE if a part cannot be shown as requested; the other parts are
 * written.
 */
MUST_CHECK int show_capture(struct show *s, uint32_t capture, struct error *err);

/* Show only the header of a capture. */
void show_header(struct show *s, uint32_t capture);

/*
 * The following functions are parts of show_capture(), and commands may call them directly.
 * @capture is an index in dossier.captures. It is also the index of the capture in show.joint and
 * in the arrays of session.change that have an element for each capture.
 */
MUST_CHECK int show_profile(struct show *s, uint32_t capture, struct error *err);
void show_profile_head(struct show *s, const struct capture *c);
/* Whether the title of the front page contains all figures that show_profile_head() would print. */
bool show_profile_is_titled(const struct show *s, const struct profile *p);
/*
 * Write the part `stacks`, and one sentence in text. It reports whether the stacks of the samples
 * were recorded or rebuilt, and how exactly. The capture must have a profile.
 */
void show_profile_stacks(struct show *s, uint32_t capture);
/*
 * For text on the front page: print the cost of one unit of work, such as a request, if the input
 * states the number of units.
 */
void show_per_hint(struct show *s, const struct capture *c);
MUST_CHECK int show_calls(struct show *s, uint32_t capture, struct error *err);
void show_log(struct show *s, const struct capture *c);
void show_code(struct show *s, const struct capture *c);
/*
 * Show the listing of the function @f as an element of a list. The listing is in capture.code of @c
 * or, if that is NULL, in capture.instructions. @is_whole: text has all rows, not only hot rows and
 * rows around them. JSON and CSV always have all rows.
 */
void show_annotate(struct show *s, const struct capture *c, const struct code_function *f,
		   bool is_whole);
/*
 * Show @l, the comparison by line of a function in two captures, as an element of a list.
 * @is_whole: text has all rows; JSON and CSV always have them.
 */
void show_annotate_pair(struct show *s, const struct capture *const sides[2],
			const struct compare_lines *l, bool is_whole);
void show_distribution(struct show *s, const struct capture *c);
/* Show a log or a table of system calls or library calls. */
void show_syscalls(struct show *s, const struct capture *c);
void show_metrics(struct show *s, const struct capture *c);
void show_threads(struct show *s, const struct capture *c);
void show_counters(struct show *s, const struct capture *c);
/*
 * Write the part `waits` for each recording with context switches: how long threads ran and waited,
 * and which threads other threads waited for.
 */
void show_all_waits(struct show *s);
/* Show a capture of C sources that this program measured. */
void show_sources(struct show *s, const struct capture *c);
/*
 * @table is a table of metrics of functions. Show which of these functions are hot in the profiles
 * of the dossier.
 */
void show_hot(struct show *s, const struct capture *table);
/* Show what the input states about a capture: facts about the workload, command, header. */
void show_stated(struct show *s, const struct capture *c);
/*
 * Write the part `skipped`, or a sentence in text: for each kind of damage, how often input was
 * skipped because of it.
 */
void show_skipped(struct show *s, const struct diag *diag, const char *title);
/* Write the part `source`: path and line range of a capture. */
void show_source(struct show *s, const struct capture *c);

/*
 * Write the part `selected`, or a sentence in text: which samples of a capture the user selected.
 */
void show_selected(struct show *s, uint32_t capture);

/* Return the string @id as a cell, or as text. */
struct cell show_name(const struct show *s, str_id id);
struct str show_string(const struct show *s, str_id id);
/*
 * The name of the only input, quoted for a command that users paste. Returns "FILE" if there are
 * several inputs, or if the input is standard input.
 */
struct str show_file(struct show *s);
/* The title of a capture's format, with the tool if it is known: "thread stacks of jstack". */
struct str show_title(struct show *s, const struct capture *c);
/* printf into the scratch arena. The result is valid until show_capture() clears the arena. */
struct str show_format(struct show *s, const char *fmt, ...) PRINTF(2, 3);
/* Format a range of lines: "lines 13-133", "line 7"; "" for binary inputs. */
struct str show_lines(struct show *s, uint32_t first, uint32_t last);
/*
 * Format an amount for people: "61.3 G cycles", or "677 ms" if @unit is "ns". An amount below a
 * million is printed exactly, a larger amount with three digits.
 */
struct str show_amount(struct show *s, double value, struct str unit);
/* Format a number with its noun: "1 row", "2 rows". @many: the plural. */
struct str show_plural(struct show *s, uint64_t n, const char *one, const char *many);
/*
 * Format the number of samples exactly, or with the rounding error of the header: "73000 ± 500
 * samples".
 */
struct str show_samples(struct show *s, const struct profile *p);
/* Format a percentage for sentences: "26.76 %"; with a half-width @err, "26.76 ± 0.01 %". */
struct str show_pct(struct show *s, double pct, double err);

#endif
