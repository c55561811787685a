/* SPDX-License-Identifier: MIT */
/*
 * facts.h - data for rules about a capture, computed once
 *
 * Shares are percent of the capture's total with their rounding half-width. `self` of a
 * function is the sum over commands and modules by canonical name, as a person adds up a table
 * where one function has many rows. `children` is the largest of the merged rows: inclusive
 * shares cannot be added up. A function without a row, but with a frame in a tree printed
 * outermost first, has `children` from there, and self 0.
 */
#ifndef EXPLAIN_FACTS_H
#define EXPLAIN_FACTS_H

#include "analyses/calls/call_gaps.h"
#include "analyses/calls/slow_calls.h"
#include "analyses/categories.h"
#include "analyses/event_unit.h"
#include "analyses/roles.h"
#include "analyses/top/top.h"
#include "analyses/tracer/tracer_cost.h"
#include "base/idmap.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "core/ids.h"

struct spreads;
struct syscalls_summary;
struct counter_metrics;
struct threads_summary;
struct calls_summary;
struct capture;
struct log_summary;
struct metrics_summary;
struct wait_holders;
struct waits;

/* A function of a profile. */
struct fact_function {
	str_id name; /* canonical */
	sym_id sym;  /* of its heaviest row */
	category_id category;
	double self; /* percent */
	double self_err;
	double children; /* percent; < 0: unknown */
	double leaf;     /* percent; for a function without a row: its leaves of printed trees */
	uint64_t samples;
	uint32_t line;   /* of its heaviest printed row; 0: none */
	uint32_t rows;   /* number of merged rows, or of symbols for samples */
	uint32_t number; /* index in profile_facts.functions */
};

/* A caller of one or more functions, and the share through it. */
struct fact_caller {
	sym_id sym;
	double pct;
	uint32_t line; /* of the printed tree; 0: not printed */
};

struct profile_facts {
	const struct capture *capture;
	struct category_cache *cats;
	struct role_cache *roles;
	VEC(struct fact_function) functions; /* largest self first */
	struct idmap by_name;
	VEC(uint32_t)
	by_text; /* index sorted by function name, for pattern lookup */
	VEC(uint64_t)
	grams;              /* parallel to by_text: hashed set of the letter pairs in the name */
	uint64_t *self;     /* weight of samples by stack node; NULL: no samples */
	uint64_t *no_frame; /* the same for samples.no_frame; NULL: no such samples */
	uint64_t weight;    /* of all samples */
	uint32_t n_nodes;   /* of the stacks */
	/* Only for captures with samples and no printed rows: */
	uint64_t *inclusive; /* by stack node */
	/* the nodes of a symbol are a list, so that a rule about few functions visits few */
	uint32_t *last_node;   /* by symbol: its last node; 0: none */
	uint32_t *next_node;   /* by stack node: the one before it of the same symbol; 0: none */
	uint32_t *nodes_of;    /* by symbol: their number */
	uint32_t *function_of; /* by symbol: index in functions + 1; 0: no weight */
	struct top_summary summary;
	struct event_unit unit; /* denominator of shares; a claim says "of the" unit.of */
	double total;           /* visible self share, percent */
	bool is_skewed;         /* the rows add up to more than a whole: no share is known */
	double idle;            /* percent */
	/*
	 * Non-idle share: shares can be rebased on it. For an excerpt it is relative to the
	 * whole: a table that shows 7 % is not 7 % busy.
	 */
	double busy;
	bool has_stacks;       /* samples or printed trees, which may show callers */
	bool has_callers;      /* a sampled stack has a function and its caller */
	bool is_script;        /* user code runs in an interpreter or virtual machine: no C code */
	bool is_off_cpu;       /* stacks of tasks that go to sleep, not of CPU time */
	bool prints_zero_rows; /* has rows of 0.00 %: a missing name is evidence */
	double effective;      /* profile_effective_samples() */
	double one_sample;     /* percent of one sample; 0: unknown */
};

/* Results from a function graph beyond its sums. */
struct traced_facts {
	struct tracer_cost cost;
	struct call_gaps gaps;
	struct slow_calls slow;
};

struct facts {
	struct dossier *dossier;
	struct category_cache cats;
	struct role_cache *roles;
	/* by capture number; NULL if the capture is of another kind or an excerpt */
	struct profile_facts **profiles;
	struct calls_summary **calls;
	struct traced_facts **traced;
	struct log_summary **logs;
	struct metrics_summary **metrics;
	struct waits **waits;
	struct wait_holders **holders; /* of captures with waits */
	struct threads_summary **threads;
	struct spreads **spreads;
	struct syscalls_summary **syscalls; /* such captures have no calls and metrics here */
	struct counter_metrics **counters;
};

/* Input of a rule. */
struct rule_input {
	struct facts *facts;
	const struct capture *capture;       /* NULL for RULE_DOSSIER */
	uint32_t number;                     /* of the capture */
	const struct profile_facts *profile; /* NULL if the capture has no profile */
	const struct calls_summary *calls;
	const struct traced_facts *traced; /* set together with calls */
	const struct log_summary *log;
	const struct metrics_summary *metrics;
	const struct waits *waits;
	const struct wait_holders *holders; /* set together with waits */
	const struct threads_summary *threads;
	const struct syscalls_summary *syscalls;
	const struct spreads *spreads;
	const struct counter_metrics *counters;
};

/*
 * Compute all. Owner: caller, facts_free(). Cost: that of the analyses of each capture, at least
 * one pass over it.
 */
struct facts *facts_new(struct dossier *d);
void facts_free(struct facts *f);
DEFINE_CLEANUP(struct facts *, facts_free);

/* Selects functions. */
struct fact_names {
	const char *pattern; /* str_glob with '|' between alternatives */
	const char *except;  /* NULL, or: exceptions from @pattern */
	bool is_kernel;      /* skip user functions with such a name */
};

/* Sum over several functions. */
struct fact_sum {
	double self;     /* percent */
	double err;      /* rounding half-width */
	double children; /* the largest inclusive share; < 0: unknown */
	/* self share of functions with a row, plus the leaves of the others in trees */
	double leaf;
	double low, high; /* 95 % interval from sampling; equal to self if n is unknown */
	uint64_t samples;
	uint32_t functions;              /* number of functions with a share or a row */
	const struct fact_function *top; /* the heaviest; NULL: none */
};

/*
 * Sum of the functions whose canonical name matches @pattern (str_glob with '|' between
 * alternatives). Cost: O(alternatives * log functions + matches); an alternative with a leading
 * wildcard costs O(functions).
 */
struct fact_sum facts_sum(const struct profile_facts *p, const char *pattern);
struct fact_sum facts_sum_of(const struct profile_facts *p, const struct fact_names *names);
/* The heaviest matches, at most @max, heaviest first; returns their number. The same cost. */
size_t facts_heaviest(const struct profile_facts *p, const char *pattern,
		      const struct fact_function **ret, size_t max);
size_t facts_heaviest_of(const struct profile_facts *p, const struct fact_names *names,
			 const struct fact_function **ret, size_t max);
/* Is @f one of @names? */
bool facts_is_one_of(const struct profile_facts *p, const struct fact_names *names,
		     const struct fact_function *f);
/* Set @marks, by position in p->functions, for the functions of @names. The same cost. */
void facts_mark(const struct profile_facts *p, const struct fact_names *names, uint8_t *marks);
/* Sum of a category and its subcategories: "locking". */
struct fact_sum facts_category(const struct profile_facts *p, const char *category);
/* One function by exact canonical name, or NULL. */
const struct fact_function *facts_function(const struct profile_facts *p, const char *name);
const struct fact_function *facts_by_name(const struct profile_facts *p, str_id name);
/*
 * Callers of the functions that match @pattern: the first frame above them that matches neither
 * @pattern nor @through (helpers to skip); at most @max, heaviest first. Shares are percent of
 * the whole profile. Returns their number. Uses samples, or the printed trees of the rows; 0:
 * callers unknown. Samples whose chain may miss the caller (samples.no_frame) do not count.
 */
size_t facts_callers(const struct profile_facts *p, const char *pattern, const char *through,
		     struct fact_caller *ret, size_t max);
/*
 * The same from all printed text: from trees of other rows in either direction, otherwise from
 * chains without a row. For functions with next to no callees: anything that a tree folds away
 * below them counts as theirs.
 */
size_t facts_callers_printed(const struct profile_facts *p, const char *pattern,
			     const char *through, struct fact_caller *ret, size_t max);
/*
 * The same from other captures of the text of @of: an excerpt of it first, otherwise the
 * nearest by line that shows a caller. @ret_where is that capture, NULL: none; shares are
 * percent of it. 0 if the input is no text.
 */
size_t facts_callers_elsewhere(const struct facts *f, const struct capture *of, const char *pattern,
			       const char *through, struct fact_caller *ret, size_t max,
			       const struct capture **ret_where);
/*
 * Callers from the first loose stack in the text of @of (struct dossier_stack), without a
 * share. False: no stack contains the functions.
 */
bool facts_caller_in_text(const struct facts *f, const struct capture *of, const char *pattern,
			  const char *through, struct fact_caller *ret);
/* Functions by name or by role; the other one is NULL. */
struct fact_owned {
	const char *pattern;
	const bool *roles; /* by enum role */
	bool is_user;      /* look for code of a program, through that of the kernel */
	bool wants_entry;  /* not the owner, but the frame that it calls; of samples alone */
	bool is_anywhere;  /* above the outermost match on the stack; looks through helpers only */
	bool is_asked;     /* with is_anywhere: looks through functions of any role */
	enum role named;   /* also look through functions whose names contain a word of this role */
};

/*
 * Of a table with inclusive shares alone: samples that have @share of the whole and those below a
 * function overlap by at least the excess of both over 100 %. The application function with the
 * smallest inclusive share whose overlap is @least or more, except @but. False: none.
 * Cost: O(functions).
 */
bool facts_caller_bound(const struct profile_facts *p, sym_id but, double share, double least,
			struct fact_caller *ret);
/*
 * Who makes the functions of @of cost so much: the first frame above them that has no role
 * (analyses/roles.h), so that it is neither of a library nor a wrapper. From samples or all
 * that is printed, as facts_callers() and facts_callers_printed(). @max, shares and the
 * return value are as there.
 */
size_t facts_owners(const struct profile_facts *p, const struct fact_owned *of,
		    struct fact_caller *ret, size_t max);
/*
 * The same for functions that need not be the sampled ones: callers of the outermost frame that
 * matches @pattern. From samples only; 0 without samples.
 */
size_t facts_callers_anywhere(const struct profile_facts *p, const char *pattern,
			      const char *through, struct fact_caller *ret, size_t max);
/*
 * Share of the samples with a function that matches @pattern anywhere on the stack; < 0:
 * unknown.
 */
double facts_under(const struct profile_facts *p, const char *pattern);
/*
 * Set marks[number] of each function with at least @part (0 to 1) of its self time in @pattern or
 * below: its cost is that of @pattern. Needs stacks of samples; marks nothing without them.
 * O(nodes).
 */
void facts_mark_below(const struct profile_facts *p, const char *pattern, double part,
		      uint8_t *marks);

/* The outermost frame of nearly all samples, such as the command of folded stacks: no caller. */
bool facts_is_root(const struct profile_facts *p, stack_id node);

struct str facts_name(const struct facts *f, sym_id sym);

#endif
