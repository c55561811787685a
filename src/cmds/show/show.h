/* SPDX-License-Identifier: MIT */
/*
 * show.h - captures as parts of a view; shared by the front page and the commands
 *
 * Each show_* emits one part into the view, for text and JSON alike. `is_brief`
 * is the front page: a screen a capture, the heaviest rows only.
 */
#ifndef CMDS_SHOW_H
#define CMDS_SHOW_H

#include "analyses/top/top.h"
#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "cmds/run/session.h"
#include "core/ids.h"
#include "render/view.h"

struct capture;
struct diag;
struct profile;

/* perf's ways to print call trees. */
enum show_tree_style {
	SHOW_TREE_GRAPH,   /* shares of the whole */
	SHOW_TREE_FRACTAL, /* shares of the parent node: caller, or callee with is_callers */
	SHOW_TREE_FLAT,    /* one chain under another */
	SHOW_TREE_FOLDED,  /* one chain a line */
};

enum show_columns {
	SHOW_CHILDREN = 1 << 0,
	SHOW_SELF = 1 << 1,
	SHOW_SAMPLES = 1 << 2,
	SHOW_PERIOD = 1 << 3,
};

/* Options of `report`; zeroed: the flat table of all samples. */
struct show_profile_options {
	struct top_spec spec;
	bool has_keys; /* the user chose spec.keys: rows in JSON have these */
	bool has_tree;
	bool is_callers;         /* of the tree: from functions to their callers */
	unsigned int tree_style; /* enum show_tree_style */
	double tree_limit;       /* percent; 0: the usual one */
	uint64_t limit;          /* rows to print; 0: all */
	unsigned int columns;    /* requested columns, enum show_columns; 0: all available */
	bool has_header;         /* all lines of the header, not only the first */
	struct str tree_start;   /* pattern; STR_NONE: all */
	struct str per;          /* divide by this workload fact; STR_NONE: do not */
	const struct heat_sources *risk; /* columns of these sources; NULL: none */
};

struct call_tree_options;
struct heat_sources;

struct tracer_cost_given;
struct tracer_joint;

/* Which table of a function graph; the order is that of calls' --by. */
enum show_calls_by {
	CALLS_BY_ALL,
	CALLS_BY_FUNCTION,
	CALLS_BY_MODULE,
	CALLS_BY_CATEGORY,
	CALLS_BY_TASK,
	CALLS_BY_CPU,
	CALLS_BY_SLOW, /* --slow: each slow call by itself */
};

struct show {
	struct session *session;
	struct view *v;
	const struct show_profile_options *profile; /* may be NULL */
	const struct call_tree_options *call_tree;  /* the tree of calls; NULL: no tree */
	enum show_calls_by calls_by;
	const struct tracer_cost_given *tracer_cost; /* NULL: estimated from the trace */
	const struct tracer_joint *joint; /* by capture: computed for all traces; NULL: alone */
	struct arena scratch;             /* texts of cells, cleared by show_capture */
	struct out name;                  /* of the current row */
	uint32_t capture;                 /* in the dossier, set by show_capture */
	bool is_brief;
	bool is_budget;        /* with is_brief: the view chooses the rows (view_budget()) */
	unsigned int decimals; /* of shares on the front page: as many as the number of samples
				  justifies */
	uint32_t only;         /* number of the finding to show; 0: all */
	bool is_verbose; /* print names of checks without a finding, and certainty in percent */
};

/* Rows of a part: @brief on the front page, else @full. */
static inline size_t show_rows_of(const struct show *s, size_t brief, size_t full)
{
	return s->is_brief && !s->is_budget ? brief : full;
}

/* Rows of a part: @brief on the front page, all in a report and where the view chooses. */
static inline size_t show_rows(const struct show *s, size_t brief)
{
	return show_rows_of(s, brief, SIZE_MAX);
}

static inline void show_fini(struct show *s)
{
	arena_fini(&s->scratch);
	out_fini(&s->name);
}
/* The view is complete. Returns @status, or EXIT_FAILED where it could not be written. */
int show_end(struct show *s, int status);

/*
 * One capture as an element of captures[]: heading, source, facts, and the part
 * of its kind. Errors: ERR_USAGE when it cannot be shown as asked; nothing was
 * emitted then.
 */
MUST_CHECK int show_capture(struct show *s, uint32_t capture, struct error *err);

/* The capture with its header only. */
void show_header(struct show *s, uint32_t capture);

/* Parts of show_capture(). */
MUST_CHECK int show_profile(struct show *s, const struct capture *c, struct error *err);
void show_profile_head(struct show *s, const struct capture *c);
/* Origin of the samples, recorded or rebuilt: `stacks`, and one sentence. */
void show_profile_stacks(struct show *s, const struct profile *p);
/* Text of the front page: cost per request, or other unit of work that the input states. */
void show_per_hint(struct show *s, const struct capture *c);
MUST_CHECK int show_calls(struct show *s, const struct capture *c, struct error *err);
void show_log(struct show *s, const struct capture *c);
void show_code(struct show *s, const struct capture *c);
void show_distribution(struct show *s, const struct capture *c);
/* A log or a table of system calls or library calls. */
void show_syscalls(struct show *s, const struct capture *c);
void show_metrics(struct show *s, const struct capture *c);
void show_threads(struct show *s, const struct capture *c);
void show_counters(struct show *s, const struct capture *c);
/* Time of threads on and off the CPU and who held them up, of each off-CPU capture: `waits`. */
void show_all_waits(struct show *s);
/* A capture of C sources that were measured here. */
void show_sources(struct show *s, const struct capture *c);
/* Which functions of a table of metrics are hot in the profiles of the dossier. */
void show_hot(struct show *s, const struct capture *table);
/* Context of the capture in its input: facts of the workload, command, header. */
void show_said(struct show *s, const struct capture *c);
/* Counters of skipped input: `skipped`; in text one sentence each. */
void show_skipped(struct show *s, const struct diag *diag, const char *title);
/* `source`: path and line range; @title in text, or NULL. */
void show_source(struct show *s, const struct capture *c);

/* Which samples of capture @s->capture were chosen: `selected`; in text one sentence. */
void show_selected(struct show *s);

/* Names as cells and words. */
struct cell show_name(const struct show *s, str_id id);
struct str show_string(const struct show *s, str_id id);
/* The only input as a word for a command that people paste; "FILE" of several and of pipes. */
struct str show_file(struct show *s);
/* printf into the scratch arena. */
struct str show_format(struct show *s, const char *fmt, ...) PRINTF(2, 3);
/* "lines 13-133", "line 7"; "" for binary inputs. */
struct str show_lines(struct show *s, uint32_t first, uint32_t last);
/*
 * An amount for people: "61.3 G cycles", "677 ms" for "ns". Exact below a million, three digits
 * above, as totals are.
 */
struct str show_amount(struct show *s, double value, struct str unit);
/* "1 row", "2 rows". @many is the plural. */
struct str show_plural(struct show *s, uint64_t n, const char *one, const char *many);
/* Samples as counted, or as the header rounds them: "73000 ± 500 samples". */
struct str show_samples(struct show *s, const struct profile *p);
/* Weight of an exact or printed figure for sentences: "26.76 %", "26.76 ± 0.01 %". */
struct str show_pct(struct show *s, double pct, double err);

#endif
