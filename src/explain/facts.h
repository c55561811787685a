/* SPDX-License-Identifier: MIT */
/*
 * facts.h - data about each capture, computed once for all rules
 *
 * Shares are in percent of the capture's total; `err` is half of the range from rounding. A
 * function can have several rows, one per command or module:
 *
 *     14.00 %  7.00 %  prog1  malloc      children, self, command, function
 *      9.00 %  5.00 %  prog2  malloc
 *
 * Its `self` is the sum, 12 %. Its `children` is the largest inclusive share, 14 %: these shares
 * may count the same samples, so they cannot be added. If a function has no row, but occurs in
 * printed call trees with the outermost function at the top, `children` is from these trees, and
 * `self` is 0.
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

struct symbols;
struct spreads;
struct syscalls_summary;
struct counter_metrics;
struct threads_summary;
struct calls_summary;
struct capture;
struct code;
struct log_requests;
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
	/* if the function has no row: its self share in printed trees, in percent; otherwise 0 */
	double leaf;
	/*
	 * standard deviations of `self` and `children` between runs, percentage points; NAN: the
	 * table prints none
	 */
	double self_spread, children_spread;
	uint64_t samples;
	uint32_t line; /* line of the heaviest printed row; 0: no row */
	/*
	 * number of printed rows of the function. If the profile has no printed rows: number of
	 * symbols with the name of the function
	 */
	uint32_t rows;
	uint32_t number; /* index in profile_facts.functions */
};

/*
 * A caller that facts_callers() or a similar function found. `pct`: the cost of the selected
 * functions in calls from this caller, in percent of the profile.
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
	/*
	 * roles for this profile only; `roles` then points to them. A function has the role of its
	 * waits, such as ROLE_SLEEP, if at least half of its inclusive share is waits. NULL: no
	 * such roles
	 */
	struct role_cache *own_roles;
	VEC(struct fact_function) functions; /* largest self share first */
	struct idmap by_name;
	/*
	 * indices into `functions`, sorted by function name; bisection finds the functions with a
	 * prefix
	 */
	VEC(uint32_t) by_text;
	/*
	 * grams[i]: filter of the name of by_text[i]. Each pair of adjacent letters, such as "lo"
	 * and "oc" in "lock", sets one of 64 bits (facts_gram()). A name can match a pattern only
	 * if it has the bits of all pairs in the pattern.
	 */
	VEC(uint64_t) grams;
	/*
	 * self[node]: weight of the samples whose innermost frame is this stack node; NULL: no
	 * samples
	 */
	uint64_t *self;
	/*
	 * no_frame[node]: the part of self[node] from samples whose call chain perhaps lacks the
	 * direct caller (samples.no_frame); NULL: no such samples
	 */
	uint64_t *no_frame;
	uint64_t weight;  /* weight of all samples */
	uint32_t n_nodes; /* number of stack nodes */
	/*
	 * The following members, up to function_of, are set only if the capture has samples and no
	 * printed rows.
	 */
	uint64_t *inclusive; /* inclusive[node]: weight of all samples through this stack node */
	/*
	 * A linked list of the stack nodes of each symbol, from the last node to the first. With
	 * the lists, a search for a few functions visits only their nodes, and not all nodes.
	 */
	/* last_node[symbol]: head of the list; 0: no node */
	uint32_t *last_node;
	uint32_t *next_node; /* next_node[node]: next element of the list; 0: no more */
	uint32_t *nodes_of;  /* nodes_of[symbol]: length of the list */
	/* function_of[symbol]: index in `functions`, plus 1; 0: no sample has the symbol */
	uint32_t *function_of;
	struct top_summary summary;
	/* unit of the shares. unit.of: the words after "12 % of " in a claim, such as "CPU time" */
	struct event_unit unit;
	bool is_unit_guessed; /* the event has no name; the unit was guessed from the functions */
	double total;         /* sum of the visible self shares, percent */
	bool is_skewed;       /* the rows add up to more than 100 %, so all shares are doubtful */
	double idle;          /* share of the idle loop, percent */
	/*
	 * Share of all other functions, in percent. Hidden rows of an excerpt count as busy: a
	 * table that shows 7 % does not mean that the CPU was 93 % idle.
	 */
	double busy;
	bool has_stacks;  /* the profile has samples or printed trees, which may show callers */
	bool has_callers; /* the stack of at least one sample has a function and its caller */
	/*
	 * Nearly all user functions have names of an interpreter or virtual machine. Compiled
	 * functions of the program are then not visible.
	 */
	bool is_script;
	bool is_off_cpu; /* the stacks show where tasks go to sleep, not CPU time */
	/* in a profile without an event name, nearly all stacks end in the scheduler */
	bool ends_in_scheduler;
	/* the table also prints rows of 0.00 %, so a function without a row was not sampled */
	bool prints_zero_rows;
	/*
	 * number of samples with equal weights that would give shares of the same precision as this
	 * profile (profile_effective_samples()); 0: unknown
	 */
	double effective;
	double one_sample; /* share of one sample, percent; 0: unknown */
};

/* Analyses of a function graph whose results are not in calls_summary. */
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
	 * Arrays with one element per capture. An element is NULL if the capture is of another
	 * kind, or an excerpt.
	 */
	struct profile_facts **profiles;
	struct calls_summary **calls;
	struct traced_facts **traced;
	struct log_summary **logs;
	struct log_requests **requests; /* an element is set if that of `logs` is set */
	struct metrics_summary **metrics;
	struct waits **waits;
	struct wait_holders **holders; /* an element is set if that of `waits` is set */
	struct threads_summary **threads;
	struct spreads **spreads;
	/* summary of system calls; `calls` and `metrics` of the capture are then NULL */
	struct syscalls_summary **syscalls;
	struct counter_metrics **counters;
};

/* Input of a rule. */
struct rule_input {
	struct facts *facts;
	/* the capture to judge; NULL for rules about all captures (RULE_DOSSIER) */
	const struct capture *capture;
	/*
	 * source lines or instructions, each with its weight: capture->code, or
	 * capture->instructions of a profile; NULL: none
	 */
	const struct code *code;
	uint32_t number;                     /* index of the capture */
	const struct profile_facts *profile; /* NULL if the capture has no profile */
	const struct calls_summary *calls;
	const struct traced_facts *traced; /* set if `calls` is set */
	const struct log_summary *log;
	const struct log_requests *requests; /* set if `log` is set */
	const struct metrics_summary *metrics;
	const struct waits *waits;
	const struct wait_holders *holders; /* set if `waits` is set */
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
	const char *pattern; /* pattern for str_glob(), with '|' between alternatives */
	const char *except;  /* functions that match `pattern`, but are not selected; NULL: none */
	bool is_kernel;      /* skip user functions whose names match */
};

/*
 * Whether the category of @f is a general one, such as "application" or "libc". Only the words in
 * the name then show what @f does. If the category is specific, the words do not count: "findMatch"
 * of compress/flate compresses, and does not search.
 */
bool facts_is_guessed(const struct fact_function *f);
/* Sum over the functions that a pattern or category selects. */
struct fact_sum {
	double self;     /* self share, percent */
	double err;      /* half of the range from rounding, percent */
	double children; /* largest inclusive share of one function; < 0: unknown */
	/*
	 * like self, but a function without a row counts with its share in trees
	 * (fact_function.leaf)
	 */
	double leaf;
	/* 95 % interval from sampling; both equal self if the number of samples is unknown */
	double low, high;
	uint64_t samples;
	uint32_t functions;              /* number of matching functions */
	const struct fact_function *top; /* the heaviest function; NULL: no match */
};

/*
 * Sum over the functions whose canonical name matches @pattern ("a|b_*"). Cost: O(alternatives *
 * log functions + matches); an alternative that begins with a wildcard costs O(functions).
 */
struct fact_sum facts_sum(const struct profile_facts *p, const char *pattern);
struct fact_sum facts_sum_of(const struct profile_facts *p, const struct fact_names *names);
/*
 * Write up to @max matching functions to @ret, heaviest first. Returns their number. Cost: like
 * facts_sum().
 */
size_t facts_heaviest(const struct profile_facts *p, const char *pattern,
		      const struct fact_function **ret, size_t max);
size_t facts_heaviest_of(const struct profile_facts *p, const struct fact_names *names,
			 const struct fact_function **ret, size_t max);
/* Whether @names selects @f. */
bool facts_is_one_of(const struct profile_facts *p, const struct fact_names *names,
		     const struct fact_function *f);
/* Set marks[f->number] for each function f that @names selects. Cost: like facts_sum(). */
void facts_mark(const struct profile_facts *p, const struct fact_names *names, uint8_t *marks);
/* Sum of the functions in a category, such as "locking", or in a subcategory of it. */
struct fact_sum facts_category(const struct profile_facts *p, const char *category);
/* The function with this canonical name; NULL: not in the profile. */
const struct fact_function *facts_function(const struct profile_facts *p, const char *name);
const struct fact_function *facts_by_name(const struct profile_facts *p, str_id name);
/*
 * Find the callers of the functions that match @pattern. Helpers, which match @through, are
 * skipped: the caller is the first frame outwards that matches neither pattern.
 *
 * Writes up to @max callers to @ret, heaviest first, with shares in percent of the whole profile.
 * Returns their number; 0: the callers are unknown. Reads the samples or, in printed tables, the
 * trees of the functions' rows. A sample does not count if its chain perhaps lacks the direct
 * caller (samples.no_frame).
 */
size_t facts_callers(const struct profile_facts *p, const char *pattern, const char *through,
		     struct fact_caller *ret, size_t max);
/*
 * Like facts_callers(), but reads the printed trees of all rows. If they show no caller, reads
 * printed chains that belong to no row. Use this only for functions that call almost nothing. For
 * other functions, the share would include callees that the tree does not print.
 */
size_t facts_callers_printed(const struct profile_facts *p, const char *pattern,
			     const char *through, struct fact_caller *ret, size_t max);
/*
 * Like facts_callers(), but reads another capture of the same text instead of @of. The best source
 * is an excerpt of @of; otherwise, the capture with the fewest lines between it and @of. Captures
 * that show no caller are skipped. *@ret_where: the capture that was read; NULL: none. Shares are
 * in percent of that capture. Returns 0 if the input is no text.
 */
size_t facts_callers_elsewhere(const struct facts *f, const struct capture *of, const char *pattern,
			       const char *through, struct fact_caller *ret, size_t max,
			       const struct capture **ret_where);
/*
 * Find a caller in the call stacks that the text prints near @of, but outside of any capture
 * (struct dossier_stack). Reads the first stack whose innermost function matches @pattern. @ret has
 * no share. False: no such stack.
 */
bool facts_caller_in_text(const struct facts *f, const struct capture *of, const char *pattern,
			  const char *through, struct fact_caller *ret);
/*
 * Selects functions for facts_owners(), either by name (pattern) or by role (roles). The unused
 * member of these two is NULL.
 */
struct fact_owned {
	const char *pattern;
	const bool *roles; /* roles[r] is true: select the functions of role r (enum role) */
	bool is_user;      /* skip frames in the kernel, to find the user code that owns the cost */
	/*
	 * report the library function that the owner calls, not the owner. Wrappers
	 * (ROLE_TRANSPARENT) are skipped. Needs samples
	 */
	bool wants_entry;
	/*
	 * the selected functions may be anywhere on the stack, and not only innermost. The search
	 * begins at the outermost selected function, and skips only functions with a helper role
	 * (role_is_helper())
	 */
	bool is_anywhere;
	bool is_asked;   /* with is_anywhere: skip functions with any role, and not only helpers */
	enum role named; /* also skip functions whose names contain a word of this role */
};

/* The function, or group of functions, whose caller facts_caller_bound() looks for. */
struct fact_callee {
	/*
	 * symbol of the function, which is not reported as its own caller; 0: a group of functions
	 */
	sym_id sym;
	double share;   /* share of the function or group, percent of the samples */
	bool is_kernel; /* the function is in the kernel, so kernel functions may call it, too */
	/*
	 * `share` is an inclusive share. A function with a smaller inclusive share may then be a
	 * callee, so it is not reported as a caller
	 */
	bool is_inclusive;
};

/*
 * Find a caller of @of by shares alone, in a table without call stacks.
 *
 * If two shares add up to more than 100 %, some samples contain both functions: with main 90 % and
 * parse 30 %, at least 20 % of the samples. If the share of @of is a self share, @of is the
 * innermost function of these samples, so the other function calls it.
 *
 * *@ret: the function with the smallest inclusive share, among the functions without a role that
 * share at least @least percent of the samples with @of. False: none. Cost: O(functions).
 */
bool facts_caller_bound(const struct profile_facts *p, const struct fact_callee *of, double least,
			struct fact_caller *ret);
/*
 * Find the probable caller of @leaf by shares alone, in a table without call stacks. It is the only
 * application function whose inclusive share is about the self share of @leaf, and whose self share
 * is about 0. The differences are at most @part (0 to 1) of the self share of @leaf. This is no
 * proof: two shares can be equal by chance. False: no function or several functions have such
 * shares, or @leaf has callees. Cost: O(functions).
 */
bool facts_caller_equal(const struct profile_facts *p, const struct fact_function *leaf,
			double part, struct fact_caller *ret);
/*
 * Find the owners of the cost of the functions that @of selects: the application functions for
 * which they run. From each selected function, the search goes outwards to the first frame without
 * a role (analyses/roles.h). Library functions and wrappers have roles.
 *
 * Reads samples, or all printed trees and chains like facts_callers_printed(). @ret, @max, the
 * shares and the return value are the same as for facts_callers().
 */
size_t facts_owners(const struct profile_facts *p, const struct fact_owned *of,
		    struct fact_caller *ret, size_t max);
/*
 * Like facts_callers(), but @pattern may match any frame of a sample, not only the innermost one.
 * The callers are those of the outermost match. Returns 0 if there are no samples.
 */
size_t facts_callers_anywhere(const struct profile_facts *p, const char *pattern,
			      const char *through, struct fact_caller *ret, size_t max);
/* Whether the stack of each sample is known. False: inclusive shares are from printed rows. */
bool facts_has_stacks(const struct profile_facts *p);
/*
 * Share, in percent, of the samples with a function on the stack that matches @pattern; < 0:
 * unknown.
 */
double facts_under(const struct profile_facts *p, const char *pattern);
/*
 * Share, in percent, of the samples whose innermost function matches @of and has a caller that
 * matches @under; < 0: unknown, because there are no stacks.
 */
double facts_of_under(const struct profile_facts *p, const char *of, const char *under);
/*
 * Set marks[f->number] for each function f that matches @pattern, or that spends at least @part (0
 * to 1) of its self time inside calls of matching functions. (This time is a cost of the matching
 * function.) Without sampled stacks, it marks nothing. Cost: O(nodes).
 */
void facts_mark_below(const struct profile_facts *p, const char *pattern, double part,
		      uint8_t *marks);

/*
 * Whether @node is the outermost frame of nearly all samples, such as the command in folded stacks.
 * Such a frame is not reported as a caller.
 */
bool facts_is_root(const struct profile_facts *p, stack_id node);

/* Number of CPUs that the tool or the text around it prints; 0: unknown. */
double facts_cpus(const struct capture *c);

struct str facts_name(const struct facts *f, sym_id sym);
/*
 * Like facts_name(), for a sentence: without the argument list of C++, and at most @max bytes long.
 */
struct str facts_short_name(const struct facts *f, sym_id sym, size_t max);
/*
 * Whether a thread that calls @sym of @symbols may have nothing to do: it sleeps on purpose, or
 * waits for events. A wait for another thread does not count.
 */
bool facts_is_idle_call(const struct facts *f, const struct symbols *symbols, sym_id sym);

#endif
