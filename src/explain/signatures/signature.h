/* SPDX-License-Identifier: MIT */
/*
 * signature.h - rules that recognise a problem by its hot functions
 *
 * Such a rule is a table of functions, thresholds and texts. Its certainty depends on the data: it
 * is lower if the 95 % interval of the share includes values below the threshold. With few samples
 * it is at most SIGNATURE_FEW_SURE.
 */
#ifndef EXPLAIN_SIGNATURE_H
#define EXPLAIN_SIGNATURE_H

#include "explain/facts.h"
#include "explain/rule.h"

struct finding;
struct findings;

/*
 * If one sample is more than this percentage, there are fewer than 100 samples. Then the certainty
 * of a finding is at most SIGNATURE_FEW_SURE.
 */
#define SIGNATURE_FEW_PCT  1.0
#define SIGNATURE_FEW_SURE 65u
/*
 * If one sample is more than this percentage, there are fewer than 30 samples. Then a share is
 * useless: 30 % may be 17 to 48 %.
 */
#define SIGNATURE_NONE_PCT 3.34
/*
 * If the printed rows add up to less than this percentage, the innermost nodes of the printed call
 * trees are used, too.
 */
#define SIGNATURE_VISIBLE_PCT 50.0
/* Patterns of the modules of the C library. */
#define SIGNATURE_LIBC "libc.so*|libc-*|libpthread*|libc.musl*"

struct signature {
	/*
	 * The self shares of these functions are added up: "a|b_*". Only kernel functions are
	 * included, unless is_user or also_user is set. (A program may have a function of the same
	 * name: a renderer's trace_ray is no kernel tracing.)
	 */
	const char *functions;
	/* exceptions: functions that match `functions`, but are not included; NULL: none */
	const char *except;
	/* one of these functions must be in the profile; NULL: no condition */
	const char *needs;
	/* one of these functions must be in the profile, too; NULL: no condition */
	const char *needs_too;
	/* none of these functions may be in the profile; NULL: no condition */
	const char *absent;
	/*
	 * The inclusive share of these functions, used if it is larger than the self shares of
	 * `functions`; NULL: none. under_except: the inclusive share of these functions is
	 * subtracted from `under`; NULL: none.
	 */
	const char *under;
	const char *under_except;
	/*
	 * Pattern of helper functions that may be between `functions` and the caller that the claim
	 * names. The claim names the first frame outwards that matches neither pattern. NULL: name
	 * the owners (facts_owners()).
	 */
	const char *through;
	/*
	 * functions that are known to call `functions`: in a case of is_by_known, the claim names
	 * the heaviest one if the profile has no call chains; NULL: none
	 */
	const char *known_callers;
	double note_pct; /* minimum share of the busy time for a note, percent */
	double lead_pct; /* minimum share of the busy time for a warning, percent */
	unsigned int sure_note;
	unsigned int sure_lead;
	bool is_minor; /* always a note: the cost may be the program's actual work */
	/*
	 * These functions interrupt the program at any instruction. So the next frames outwards are
	 * the interrupted code, not callers.
	 */
	bool interrupts;
	/*
	 * Functions that show the problem only if doubtful_under calls them, or if several threads
	 * of one process run them. (A single thread yields for other reasons.) If neither stacks
	 * nor threads are known, the functions are included. NULL: none; `except` must be NULL if
	 * this is set.
	 */
	const char *doubtful;
	const char *doubtful_under;
	/* the problem needs several threads, so a recording of one thread rules it out */
	bool needs_threads;
	/*
	 * User functions are included like kernel functions. A profile without kernel functions can
	 * lead to a finding, but not to "clean".
	 */
	bool also_user;
	/* the functions are user code, so a profile without kernel functions suffices */
	bool is_user;
	/*
	 * established name of the problem, printed before the claim: "System call overhead"; NULL:
	 * none
	 */
	const char *headline;
	/* "is clearing new pages": this text follows "12.3 % of CPU time" in the claim */
	const char *what;
	/*
	 * name of the figure, "clearing new pages"; in the "clean" sentence this name follows "0.10
	 * % in"
	 */
	const char *name;
	/*
	 * cause: a cause that the data proves. usual_cause: a cause that is usual, but not proved
	 * by the data. One of the two is NULL (finding_causes()).
	 */
	const char *cause, *usual_cause;
	const char *because;   /* reason for the certainty */
	const char *not_known; /* the thing that the data does not show (finding_unknown()) */
	const char *next[2];   /* commands or changes to try */
	/*
	 * Other explanations for the same functions. The first case whose condition is true
	 * replaces this signature. The list ends with a case without functions; NULL: no cases.
	 */
	const struct signature *cases;
	/*
	 * Condition of a case: some functions have at least the part `part` (0 to 1) of the
	 * signature's share. These functions are in part_of (by self shares), part_under (by
	 * inclusive shares) or part_within (as callers). If both part_of and part_within are NULL,
	 * the condition is that the functions in `needs` of the main signature are missing from the
	 * profile.
	 */
	const char *part_of; /* functions whose self shares are compared with `part`; NULL: none */
	/* functions whose inclusive share is compared with `part`; NULL: none */
	const char *part_under;
	/*
	 * pattern of callers: their part of the samples in `functions` is compared with `part`;
	 * NULL: none
	 */
	const char *part_within;
	double part;
	/*
	 * The case also needs that `known_callers` calls half of the share. Without call chains:
	 * that `known_callers` has SIGNATURE_KNOWN_PART of it.
	 */
	bool is_by_known;
	bool part_is_below; /* the condition is reversed: the functions have less than `part` */
};

/* Share of a signature's functions in a profile. */
struct signature_share {
	struct fact_sum sum; /* self shares of the functions */
	/* inclusive share of the functions in `under`, percent; negative: unknown */
	double under;
	double pct;      /* the larger of sum.self and under */
	double busy_pct; /* pct, converted to percent of the busy time */
	bool has_needs;
	/*
	 * the shares are sums of innermost nodes of printed call trees, because the rows of the
	 * functions are not in the excerpt
	 */
	bool is_of_trees;
};

/*
 * Does the event record the exact instruction, as PEBS ("cycles:pp"), IBS and SPE do? Samples of
 * other events show a slightly later instruction (skid).
 */
bool signature_is_precise(const struct rule_input *in);
/*
 * Are all samples in one function because of the way they were recorded? True for a tracepoint
 * ("sched:sched_wakeup"), and for stacks that a tool recorded at one probed function.
 */
bool signature_is_tracepoint(const struct rule_input *in);
/* Is this a profile of off-CPU time, with the stacks at which threads left the CPU? */
bool signature_is_off_cpu(const struct rule_input *in);
struct signature_share signature_measure(const struct rule_input *in, const struct signature *s);
/*
 * Add a finding of @rule with claim, figures, evidence and next steps. Returns NULL if the share is
 * too small. The returned pointer is valid until the next finding is added.
 */
struct finding *signature_find(const struct rule_input *in, struct findings *out,
			       const struct rule *rule, const struct signature *s,
			       const struct signature_share *share);
/*
 * Add the result "clean" (no problem) for @rule. The engine turns it into "not assessed" if this
 * data could not show the problem (visible.h).
 */
void signature_rule_out(const struct rule_input *in, struct findings *out, const struct rule *rule,
			const struct signature *s, const struct signature_share *share);
/* The check of a rule with rule->signature: measures the share, then adds a finding or "clean". */
void signature_check(const struct rule_input *in, struct findings *out, const struct rule *rule);
/*
 * Certainty of a finding, percent: @sure, or at most @sure_below if the interval of @sum includes
 * values below @threshold_pct. With few samples it is lower.
 */
unsigned int signature_sure(const struct rule_input *in, const struct fact_sum *sum,
			    double threshold_pct, unsigned int sure, unsigned int sure_below);
/* Add the functions that match @pattern as evidence, the heaviest first, at most three. */
void signature_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
			const char *pattern);
/*
 * Is this a profile of CPU time with enough samples? If not, add "not assessed" or "clean" of
 * @rule, with the reason. For a capture without functions, returns false and adds nothing.
 */
bool signature_can_judge(const struct rule_input *in, struct findings *out,
			 const struct rule *rule);
/* Does an earlier finding about this capture, with a certainty of at least @sure, explain @f? */
bool signature_is_explained(const struct rule_input *in, const struct findings *out,
			    const struct fact_function *f, unsigned int sure);
/*
 * Does the profile have fewer than 100 samples, or too many lost samples? False if the numbers are
 * unknown.
 */
bool signature_is_few(const struct rule_input *in);
/*
 * The CPU time of the samples in percent of the elapsed time; more than 100 with several CPUs. The
 * elapsed time is from the first to the last sample, or the run time of the command if that is
 * longer. Negative: the samples have no times, or do not measure CPU time.
 */
double signature_elapsed_pct(const struct rule_input *in);
/* Convert @pct of the total to percent of the busy time. */
double signature_of_busy(const struct rule_input *in, double pct);

#endif
