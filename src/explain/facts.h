/* SPDX-License-Identifier: MIT */
/*
 * facts.h - data for rules about a capture, computed once
 *
 * Shares are in percent of the capture's total; `err` is half of the range from rounding. A
 * function can have several rows, one per command or module. `self` is the sum of their self
 * shares. `children` is the largest inclusive share of these rows, because inclusive shares overlap
 * and cannot be added. A function may have no row, but occur in trees that are printed with the
 * outermost function first. Then `children` comes from these trees, and `self` is 0.
 */
#ifndef EXPLAIN_FACTS_H
#define EXPLAIN_FACTS_H

#include "analyses/calls/call_gaps.h"
#include "analyses/categories.h"
#include "analyses/event_unit.h"
#include "analyses/roles.h"
#include "analyses/slow/slow_calls.h"
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
	str_id name; /* canonical name */
	sym_id sym;  /* symbol of the heaviest row of the function */
	category_id category;
	double self; /* self share, percent */
	double self_err;
	double children; /* inclusive share, percent; < 0: unknown */
	/*
	 * if the function has no row: self share, percent, from the leaves of printed trees;
	 * otherwise 0
	 */
	double leaf;
	uint64_t samples;
	uint32_t line; /* line of the heaviest printed row; 0: no row */
	/* number of printed rows that were merged; if the profile has only samples, of symbols */
	uint32_t rows;
	uint32_t number; /* index in profile_facts.functions */
};

/*
 * A caller of the functions in question. @pct: share of the profile, in percent, that these
 * functions cost when this symbol calls them.
 */
struct fact_caller {
	sym_id sym;
	double pct;
	uint32_t line; /* line in the printed tree; 0: not printed */
};

struct profile_facts {
	const struct capture *capture;
	struct category_cache *cats;
	struct role_cache *roles;
	VEC(struct fact_function) functions; /* largest self share first */
	struct idmap by_name;
	VEC(uint32_t)
	/*
	 * indices into functions, sorted by function name, so that a pattern's prefix is found by
	 * bisection
	 */
	by_text;
	VEC(uint64_t)
	/* at index i: the pairs of letters in the name of by_text[i], as a 64-bit set of hashes */
	grams;
	uint64_t *self; /* self weight by stack node; NULL: no samples */
	/*
	 * by stack node: weight of the samples whose chain may miss the caller (samples.no_frame);
	 * self includes it. NULL: no such samples
	 */
	uint64_t *no_frame;
	uint64_t weight;  /* weight of all samples */
	uint32_t n_nodes; /* number of stack nodes */
	/*
	 * The members from here to function_of are set only if the capture has samples and no
	 * printed rows.
	 */
	uint64_t *inclusive; /* inclusive weight by stack node */
	/*
	 * Per symbol, a linked list of its stack nodes: a rule about few functions visits few
	 * nodes. The list begins with the last node and goes backwards.
	 */
	/* by symbol: its last stack node, the head of its list; 0: no node */
	uint32_t *last_node;
	uint32_t *next_node; /* by stack node: the previous node of the same symbol; 0: no more */
	uint32_t *nodes_of;  /* by symbol: number of its stack nodes */
	/* by symbol: index in functions + 1; 0: the symbol is in no sample */
	uint32_t *function_of;
	struct top_summary summary;
	/*
	 * names the total of the shares: if unit.of is "CPU time", a claim says "12 % of CPU time"
	 */
	struct event_unit unit;
	bool is_unit_guessed; /* the event has no name; the unit was guessed from the functions */
	double total;         /* sum of the visible self shares, percent */
	bool is_skewed;       /* the rows add up to more than 100 %: all shares are doubtful */
	double idle;          /* idle share, percent */
	/*
	 * Non-idle share, percent: the base for shares of busy time. For an excerpt the hidden rows
	 * count as busy: a table that shows 7 % does not mean a CPU that is 7 % busy.
	 */
	double busy;
	bool has_stacks;  /* samples or printed trees, which may show callers */
	bool has_callers; /* at least one sampled stack has a function and its caller */
	/*
	 * nearly all user code has names of an interpreter or virtual machine: compiled functions
	 * are not visible
	 */
	bool is_script;
	bool is_off_cpu; /* the stacks show where tasks go to sleep, not CPU time */
	/* the table goes down to rows of 0.00 %: a function without a row was not sampled */
	bool prints_zero_rows;
	/* effective number of samples, from profile_effective_samples(); 0: unknown */
	double effective;
	double one_sample; /* share of one sample, percent; 0: unknown */
};

/* Further analyses of a function graph, besides the sums in calls_summary. */
struct traced_facts {
	struct tracer_cost cost;
	struct call_gaps gaps;
	struct slow_calls slow;
};

struct facts {
	struct dossier *dossier;
	struct category_cache cats;
	struct role_cache *roles;
	/*
	 * The arrays have one element per capture. An element is NULL if the capture is of another
	 * kind, or an excerpt.
	 */
	struct profile_facts **profiles;
	struct calls_summary **calls;
	struct traced_facts **traced;
	struct log_summary **logs;
	struct metrics_summary **metrics;
	struct waits **waits;
	struct wait_holders **holders; /* NULL without waits */
	struct threads_summary **threads;
	struct spreads **spreads;
	/* a capture with a summary of system calls has NULL in calls and metrics */
	struct syscalls_summary **syscalls;
	struct counter_metrics **counters;
};

/* Input of a rule. */
struct rule_input {
	struct facts *facts;
	const struct capture *capture;       /* NULL for RULE_DOSSIER */
	uint32_t number;                     /* index of the capture */
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
 * Compute the facts of all captures. Owner: caller, facts_free(). Cost: the analyses of each
 * capture, at least one pass over its samples or rows.
 */
struct facts *facts_new(struct dossier *d);
void facts_free(struct facts *f);
DEFINE_CLEANUP(struct facts *, facts_free);

/* Selects functions by name. */
struct fact_names {
	const char *pattern; /* str_glob with '|' between alternatives */
	const char *except;  /* pattern of exceptions from @pattern; NULL: none */
	bool is_kernel;      /* skip user functions whose names match */
};

/* Sum over the functions that a pattern or category selects. */
struct fact_sum {
	double self;     /* self share, percent */
	double err;      /* half of the range from rounding, percent */
	double children; /* largest inclusive share of one function; < 0: unknown */
	/* as self, but a function without a row adds its fact_function.leaf */
	double leaf;
	/* 95 % interval from sampling; both equal self if the number of samples is unknown */
	double low, high;
	uint64_t samples;
	uint32_t functions;              /* number of matching functions */
	const struct fact_function *top; /* the heaviest function; NULL: no match */
};

/*
 * Sum of the functions whose canonical name matches @pattern (str_glob with '|' between
 * alternatives). Cost: O(alternatives * log functions + matches); an alternative with a leading
 * wildcard costs O(functions).
 */
struct fact_sum facts_sum(const struct profile_facts *p, const char *pattern);
struct fact_sum facts_sum_of(const struct profile_facts *p, const struct fact_names *names);
/*
 * Write at most @max matching functions to @ret, heaviest first. Returns their number. Cost: as
 * facts_sum().
 */
size_t facts_heaviest(const struct profile_facts *p, const char *pattern,
		      const struct fact_function **ret, size_t max);
size_t facts_heaviest_of(const struct profile_facts *p, const struct fact_names *names,
			 const struct fact_function **ret, size_t max);
/* Does @names select @f? */
bool facts_is_one_of(const struct profile_facts *p, const struct fact_names *names,
		     const struct fact_function *f);
/* Set marks[number] for each function that @names selects. Cost: as facts_sum(). */
void facts_mark(const struct profile_facts *p, const struct fact_names *names, uint8_t *marks);
/* Sum of the functions in a category, such as "locking", or in a subcategory of it. */
struct fact_sum facts_category(const struct profile_facts *p, const char *category);
/* The function with this canonical name; NULL: not in the profile. */
const struct fact_function *facts_function(const struct profile_facts *p, const char *name);
const struct fact_function *facts_by_name(const struct profile_facts *p, str_id name);
/*
 * Find the callers of the functions that match @pattern. From each such function the search goes
 * outwards; the caller is the first frame that matches neither @pattern nor @through (helpers to
 * skip). Writes at most @max callers to @ret, heaviest first, with shares in percent of the whole
 * profile. Returns their number; 0: callers unknown. Reads the samples, or the printed trees of the
 * functions' rows. Samples whose chain may miss the caller (samples.no_frame) do not count.
 */
size_t facts_callers(const struct profile_facts *p, const char *pattern, const char *through,
		     struct fact_caller *ret, size_t max);
/*
 * As facts_callers(), but reads the printed trees of all rows; if these show no caller, reads
 * printed chains that belong to no row. Use it only for functions that call almost nothing: the
 * shares include callees that a tree leaves out.
 */
size_t facts_callers_printed(const struct profile_facts *p, const char *pattern,
			     const char *through, struct fact_caller *ret, size_t max);
/*
 * As facts_callers(), but reads other captures in the text of @of: an excerpt of @of if there is
 * one, otherwise the nearest capture (by line) that shows a caller. @ret_where: this capture; NULL:
 * none. Shares are percent of that capture. Returns 0 if the input is no text.
 */
size_t facts_callers_elsewhere(const struct facts *f, const struct capture *of, const char *pattern,
			       const char *through, struct fact_caller *ret, size_t max,
			       const struct capture **ret_where);
/*
 * Find a caller in the call stacks that the text of @of prints outside of any capture (struct
 * dossier_stack): in the first stack whose innermost function matches @pattern. The caller has no
 * share. False: no such stack.
 */
bool facts_caller_in_text(const struct facts *f, const struct capture *of, const char *pattern,
			  const char *through, struct fact_caller *ret);
/*
 * Selects functions for facts_owners(), by name (pattern) or by role (roles); the other member is
 * NULL.
 */
struct fact_owned {
	const char *pattern;
	const bool *roles; /* by enum role: true selects all functions of this role */
	bool is_user;      /* find the user code that owns the cost: skip kernel frames */
	/* report the function that the owner calls instead of the owner; needs samples */
	bool wants_entry;
	/* start at the outermost match on the stack, and skip only functions with a helper role */
	bool is_anywhere;
	bool is_asked;   /* with is_anywhere: skip functions of any role */
	enum role named; /* also skip functions whose names contain a word of this role */
};

/*
 * Find a caller in a table that has only inclusive shares. If @share and the inclusive share of
 * another function add up to more than 100 %, at least the excess over 100 % is in samples that
 * contain both. @ret: of the application functions with an excess of at least @least, the one with
 * the smallest inclusive share. @but is excluded. False: no such function. Cost: O(functions).
 */
bool facts_caller_bound(const struct profile_facts *p, sym_id but, double share, double least,
			struct fact_caller *ret);
/*
 * Find the owners of the cost of the functions that @of selects. From each such function the search
 * goes outwards; the owner is the first frame without a role (analyses/roles.h). Library code and
 * wrappers have roles, so owners are functions of the application. Reads samples or all printed
 * text, as facts_callers() and facts_callers_printed() do. @ret, @max, shares and return value as
 * there.
 */
size_t facts_owners(const struct profile_facts *p, const struct fact_owned *of,
		    struct fact_caller *ret, size_t max);
/*
 * As facts_callers(), but the matching functions need not be the innermost frames of the samples:
 * writes the callers of the outermost frame that matches @pattern. Reads samples only; returns 0
 * without samples.
 */
size_t facts_callers_anywhere(const struct profile_facts *p, const char *pattern,
			      const char *through, struct fact_caller *ret, size_t max);
/* Is the stack of each sample known? False: inclusive shares come from printed rows. */
bool facts_has_stacks(const struct profile_facts *p);
/*
 * Share, in percent, of the samples with a function on the stack that matches @pattern; < 0:
 * unknown.
 */
double facts_under(const struct profile_facts *p, const char *pattern);
/*
 * Share, in percent, of the samples whose innermost function matches @of and that have a function
 * on the stack that matches @under; < 0: unknown, as there are no stacks.
 */
double facts_of_under(const struct profile_facts *p, const char *of, const char *under);
/*
 * Set marks[number] of each function that spends at least @part (0 to 1) of its self time below a
 * function that matches @pattern, or that matches itself. That time counts as a cost of the
 * matching function. Marks nothing without sampled stacks. Cost: O(nodes).
 */
void facts_mark_below(const struct profile_facts *p, const char *pattern, double part,
		      uint8_t *marks);

/*
 * Is @node the outermost frame of nearly all samples, such as the command in folded stacks? Then it
 * is no caller.
 */
bool facts_is_root(const struct profile_facts *p, stack_id node);

struct str facts_name(const struct facts *f, sym_id sym);

#endif
