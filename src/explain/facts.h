/* SPDX-License-Identifier: MIT */
/*
 * facts.h - what rules ask about a capture, computed once
 *
 * Shares are percent of the capture's total with their rounding half-width.
 * `self` of functions is summed over commands and modules by canonical name,
 * which is how a person reads a table where one function has many rows.
 * `children` is the largest of the rows merged: an inclusive share must not be
 * added up. A function that has no row of its own but stands in a tree that is
 * printed outermost first has `children` from there, and self 0.
 */
#ifndef EXPLAIN_FACTS_H
#define EXPLAIN_FACTS_H

#include "analyses/calls/call_gaps.h"
#include "analyses/calls/slow_calls.h"
#include "analyses/categories.h"
#include "analyses/event_unit.h"
#include "analyses/top/top.h"
#include "analyses/tracer/tracer_cost.h"
#include "base/idmap.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "core/ids.h"

struct threads_summary;
struct calls_summary;
struct capture;
struct log_summary;
struct metrics_summary;
struct waits;

/* A function of a profile. */
struct fact_function {
	str_id name; /* canonical */
	sym_id sym;  /* of its heaviest row */
	category_id category;
	double self; /* percent */
	double self_err;
	double children; /* percent; < 0: not known */
	double leaf;     /* percent; of one without a row: what its ends of printed trees have */
	uint64_t samples;
	uint32_t line;   /* of its heaviest printed row; 0: none */
	uint32_t rows;   /* or symbols, of samples */
	uint32_t number; /* position in profile_facts.functions */
};

/* A caller of one or more functions, and the share that came through it. */
struct fact_caller {
	sym_id sym;
	double pct;
	uint32_t line; /* of the printed tree; 0 */
};

struct profile_facts {
	const struct capture *capture;
	struct category_cache *cats;
	VEC(struct fact_function) functions; /* most self first */
	struct idmap by_name;
	VEC(uint32_t)
	by_text; /* functions in order of their names: what patterns are looked up in */
	VEC(uint64_t)
	grams; /* as by_text: which pairs of letters a name has, one bit for some of them each */
	uint64_t *self;     /* weight of samples by stack node; NULL: there are none */
	uint64_t *no_frame; /* the same of samples.no_frame; NULL: there are none of these */
	uint64_t weight;    /* of all samples */
	/* Only where samples are all there is (no printed rows): */
	uint64_t *inclusive;   /* by stack node */
	uint32_t *function_of; /* by symbol: position in functions + 1; 0: it has no weight */
	struct top_summary summary;
	struct event_unit unit; /* what shares are of; a claim says "of the" unit.of */
	double total;           /* visible self, percent */
	double idle;            /* percent */
	/*
	 * What is not idle: shares can be rebased on it. Of the whole, where rows are
	 * an excerpt: a table that shows 7 % is not 7 % busy.
	 */
	double busy;
	bool has_stacks;       /* callers can be told */
	bool is_script;        /* user code is of an interpreter or a virtual machine: no C in it */
	bool is_off_cpu;       /* stacks of tasks that went to sleep, not of time on a CPU */
	bool prints_zero_rows; /* rows of 0.00 % are there: absence of a name is evidence */
	double one_sample;     /* percent that one sample is; 0: not known */
};

/* What a function graph says beyond its sums. */
struct traced_facts {
	struct tracer_cost cost;
	struct call_gaps gaps;
	struct slow_calls slow;
};

struct facts {
	struct dossier *dossier;
	struct category_cache cats;
	/* by capture number; NULL where the capture is of another kind or an excerpt */
	struct profile_facts **profiles;
	struct calls_summary **calls;
	struct traced_facts **traced;
	struct log_summary **logs;
	struct metrics_summary **metrics;
	struct waits **waits;
	struct threads_summary **threads;
};

/* What a rule is called with. */
struct rule_input {
	struct facts *facts;
	const struct capture *capture;       /* NULL for RULE_DOSSIER */
	uint32_t number;                     /* of the capture */
	const struct profile_facts *profile; /* NULL unless the capture has one */
	const struct calls_summary *calls;
	const struct traced_facts *traced; /* with calls */
	const struct log_summary *log;
	const struct metrics_summary *metrics;
	const struct waits *waits;
	const struct threads_summary *threads;
};

/* Compute all. Owner: caller, facts_free(). Cost: one pass over each capture. */
struct facts *facts_new(struct dossier *d);
void facts_free(struct facts *f);
DEFINE_CLEANUP(struct facts *, facts_free);

/* Which functions are meant. */
struct fact_names {
	const char *pattern; /* str_glob with '|' between alternatives */
	const char *except;  /* NULL, or: functions that match @pattern and are not meant */
	bool is_kernel;      /* a function of a program that bears such a name is not meant */
};

/* Some functions together. */
struct fact_sum {
	double self;      /* percent */
	double err;       /* rounding half-width */
	double children;  /* the largest inclusive share among them; < 0: not known */
	double leaf;      /* self of those that have a row, and where the others end trees */
	double low, high; /* 95 % interval from sampling; equal to self where n is not known */
	uint64_t samples;
	uint32_t functions;              /* how many have a share or a row */
	const struct fact_function *top; /* the heaviest; NULL: none is there */
};

/*
 * Sum of the functions whose canonical name matches @pattern (str_glob with '|'
 * between alternatives). Cost: O(alternatives * log functions + matches); an
 * alternative that begins with a wildcard costs O(functions).
 */
struct fact_sum facts_sum(const struct profile_facts *p, const char *pattern);
struct fact_sum facts_sum_of(const struct profile_facts *p, const struct fact_names *names);
/* The heaviest of them, at most @max, heaviest first; returns how many. The same cost. */
size_t facts_heaviest(const struct profile_facts *p, const char *pattern,
		      const struct fact_function **ret, size_t max);
size_t facts_heaviest_of(const struct profile_facts *p, const struct fact_names *names,
			 const struct fact_function **ret, size_t max);
/* Whether @f is one of @names. */
bool facts_is_one_of(const struct profile_facts *p, const struct fact_names *names,
		     const struct fact_function *f);
/* Sum of a category and those below it: "locking". */
struct fact_sum facts_category(const struct profile_facts *p, const char *category);
/* One function by exact canonical name, or NULL. */
const struct fact_function *facts_function(const struct profile_facts *p, const char *name);
const struct fact_function *facts_by_name(const struct profile_facts *p, str_id name);
/*
 * Who called the functions that match @pattern: the first frame above them that
 * matches neither @pattern nor @through (helpers to look through), at most @max,
 * most first. Shares are percent of the whole profile. Returns how many.
 * Uses samples, or the printed trees of the rows; 0 where neither tells. Samples whose
 * chain may miss that very caller (samples.no_frame) are evidence for none.
 */
size_t facts_callers(const struct profile_facts *p, const char *pattern, const char *through,
		     struct fact_caller *ret, size_t max);
/*
 * The same from all that is printed: from the trees of other rows, whichever end they
 * begin at, else from chains that belong to no row. Of functions that call next to
 * nothing: what a tree folds away below them is taken as theirs.
 */
size_t facts_callers_printed(const struct profile_facts *p, const char *pattern,
			     const char *through, struct fact_caller *ret, size_t max);
/*
 * Both from the other captures of the text that @of stands in, an excerpt of it
 * first, else the nearest by line that shows a caller: that one is @ret_where, NULL
 * for none, and shares are percent of it. 0 for inputs that are no text.
 */
size_t facts_callers_elsewhere(const struct facts *f, const struct capture *of, const char *pattern,
			       const char *through, struct fact_caller *ret, size_t max,
			       const struct capture **ret_where);
/*
 * Who called them in the first stack of the text of @of that stands beside its tables
 * (struct dossier_stack): it has no share. False: in none of them.
 */
bool facts_caller_beside(const struct facts *f, const struct capture *of, const char *pattern,
			 const char *through, struct fact_caller *ret);
/*
 * The same for functions that need not be the sampled ones: who called the
 * outermost frame that matches @pattern. From samples only; 0 where there are none.
 */
size_t facts_callers_anywhere(const struct profile_facts *p, const char *pattern,
			      const char *through, struct fact_caller *ret, size_t max);
/* Share of the samples that have a function matching @pattern anywhere on the stack; < 0: not
 * known. */
double facts_under(const struct profile_facts *p, const char *pattern);

struct str facts_name(const struct facts *f, sym_id sym);

#endif
