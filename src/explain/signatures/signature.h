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
 * If one sample has a larger share than this, in percent, there are fewer than 100 samples: the
 * share of a function alone proves no cause.
 */
#define SIGNATURE_FEW_PCT  1.0
#define SIGNATURE_FEW_SURE 65u
/*
 * If one sample has a larger share than this, in percent, there are fewer than 30 samples: the
 * share of a function means nothing, since 30 % may be 17 to 48 %.
 */
#define SIGNATURE_NONE_PCT 3.34
/*
 * If the printed rows cover less than this, in percent, the leaves of printed trees count as well.
 */
#define SIGNATURE_VISIBLE_PCT 50.0
/* Patterns of the modules of the C library. */
#define SIGNATURE_LIBC "libc.so*|libc-*|libpthread*|libc.musl*"

struct signature {
	/*
	 * The self shares of these functions are summed: "a|b_*". Only kernel functions count,
	 * unless is_user or also_user is set: a renderer, for example, also has a function
	 * trace_ray.
	 */
	const char *functions;
	const char *except; /* exceptions from `functions`; NULL: none */
	/* one of these functions must have a share or a printed row; NULL: no condition */
	const char *needs;
	const char *needs_too; /* a second condition like `needs` */
	/* none of these functions may have a share or a printed row; NULL: no condition */
	const char *absent;
	/*
	 * if the inclusive share of these functions is larger than the self shares, it counts
	 * instead; NULL: none
	 */
	const char *under;
	const char *under_except;
	/*
	 * The callers to report are the nearest frames outside of the functions that do not match
	 * this pattern. NULL: report the owners (facts_owners()).
	 */
	const char *through;
	double note_pct; /* minimum share of the busy time for a note, percent */
	double lead_pct; /* minimum share of the busy time for a warning, percent */
	unsigned int sure_note;
	unsigned int sure_lead;
	bool is_minor; /* always a note: the cost may be the program's actual work */
	/*
	 * the functions run between any two instructions, as interrupts do: frames above them did
	 * not call them
	 */
	bool interrupts;
	/* the problem needs several threads: it is ruled out if only one was recorded */
	bool needs_threads;
	/*
	 * user functions count as well as kernel functions; a profile without kernel functions
	 * still gives no "clean"
	 */
	bool also_user;
	bool is_user; /* the functions are user code: a profile without kernel functions suffices */
	/*
	 * established name of the problem, printed before the claim: "System call overhead"; NULL:
	 * none
	 */
	const char *headline;
	const char *what; /* "is clearing new pages": follows "12.3 % of CPU time" */
	/* name of the figure; also follows "0.10 % in": "clearing new pages" */
	const char *name;
	const char *cause, *usual_cause; /* one of them is NULL: finding_causes() */
	const char *because;             /* reason for the certainty */
	const char *next[2];             /* commands or changes to try */
	/*
	 * Other explanations for the same functions. The first case whose condition is true
	 * replaces this signature. The list ends with a case without functions; NULL: no cases.
	 */
	const struct signature *cases;
	/*
	 * Condition of a case: the functions in part_of have at least `part` (0 to 1) of the share.
	 * If part_of is NULL: the functions in `needs` of the main signature are missing.
	 */
	const char *part_of; /* functions that are compared by self share */
	/* or these functions, by inclusive share; NULL: none */
	const char *part_under;
	/* or samples of `functions` that have one of these on the stack */
	const char *part_within;
	double part;
	bool part_is_below; /* reverse the condition: they have less than `part` */
};

/* Share of a signature's functions in a profile. */
struct signature_share {
	struct fact_sum sum; /* self shares of the functions */
	/* inclusive share of the functions in `under`, percent; < 0: unknown */
	double under;
	double pct;      /* the larger one of sum.self and under */
	double busy_pct; /* pct in percent of the busy time */
	bool has_needs;
	/*
	 * the shares come from leaves of printed trees, because the excerpt has no rows of the
	 * functions
	 */
	bool is_of_trees;
};

/*
 * Does the event record the exact instruction: PEBS ("cycles:pp"), IBS, SPE? With other events a
 * sample shows an instruction shortly after it (skid).
 */
bool signature_is_precise(const struct rule_input *in);
/*
 * Is all cost in one function by construction? True for a tracepoint ("sched:sched_wakeup", but not
 * "cycles:pp"), and for stacks that a tool counted at one probed function.
 */
bool signature_is_tracepoint(const struct rule_input *in);
/* Is it a profile of off-CPU time: stacks at which threads left the CPU? */
bool signature_is_off_cpu(const struct rule_input *in);
struct signature_share signature_measure(const struct rule_input *in, const struct signature *s);
/*
 * Add a finding of @rule with claim, figures, evidence and next steps; NULL: the share is too
 * small. The returned pointer is valid until the next finding is added.
 */
struct finding *signature_find(const struct rule_input *in, struct findings *out,
			       const struct rule *rule, const struct signature *s,
			       const struct signature_share *share);
/*
 * Add "clean". The engine then checks whether this data could show the problem at all (visible.h).
 */
void signature_rule_out(const struct rule_input *in, struct findings *out, const struct rule *rule,
			const struct signature *s, const struct signature_share *share);
/* The complete check of a rule with a signature: measure, then report a finding or "clean". */
void signature_check(const struct rule_input *in, struct findings *out, const struct rule *rule);
/*
 * Certainty of a finding: at most @sure_below if the interval of @sum includes values below
 * @threshold_pct, and lower with few samples; otherwise @sure.
 */
unsigned int signature_sure(const struct rule_input *in, const struct fact_sum *sum,
			    double threshold_pct, unsigned int sure, unsigned int sure_below);
/* Add the functions that match @pattern as evidence, the heaviest first, at most three. */
void signature_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
			const char *pattern);
/*
 * Is it a profile of CPU time with enough samples? If not, add @rule's "not assessed" or "clean"
 * with the reason. A capture without functions gets no result.
 */
bool signature_can_judge(const struct rule_input *in, struct findings *out,
			 const struct rule *rule);
/* Does an earlier finding about this capture, with a certainty of at least @sure, explain @f? */
bool signature_is_explained(const struct rule_input *in, const struct findings *out,
			    const struct fact_function *f, unsigned int sure);
/* Fewer than 100 samples, or too many lost ones? False if their number is unknown. */
bool signature_is_few(const struct rule_input *in);
/* @pct of the total, converted to percent of the busy time. */
double signature_of_busy(const struct rule_input *in, double pct);

#endif
