/* SPDX-License-Identifier: MIT */
/*
 * signature.h - rules that recognise a problem by its hot functions
 *
 * Such a rule is a table of functions, thresholds and texts. Its certainty depends on the data: it
 * is lower if the 95 % interval of the share includes values below the threshold. With few samples
 * it is never high.
 */
#ifndef EXPLAIN_SIGNATURE_H
#define EXPLAIN_SIGNATURE_H

#include "explain/facts.h"
#include "explain/rule.h"

struct finding;
struct findings;

/*
 * If one sample has a larger share in percent (fewer than 100 samples), no share alone proves a
 * cause.
 */
#define SIGNATURE_FEW_PCT  1.0
#define SIGNATURE_FEW_SURE 65u
/*
 * If one sample has a larger share in percent (fewer than 30 samples), the share of a function
 * means nothing: 30 % may be 17 to 48 %.
 */
#define SIGNATURE_NONE_PCT 3.34
/* If the rows cover less of the total, in percent, leaves of printed trees count as well. */
#define SIGNATURE_VISIBLE_PCT 50.0
/* Modules of the C library. */
#define SIGNATURE_LIBC "libc.so*|libc-*|libpthread*|libc.musl*"

struct signature {
	/*
	 * Functions whose self shares are summed: "a|b_*". Only kernel functions count unless
	 * is_user or also_user is set: a renderer also has a trace_ray.
	 */
	const char *functions;
	const char *except; /* exceptions from `functions`; NULL: none */
	/* one of these functions must have a share or a row; NULL: no condition */
	const char *needs;
	const char *needs_too; /* a second condition like `needs` */
	/* none of these functions may have a share or a row; NULL: no condition */
	const char *absent;
	/* the inclusive share of these functions counts if it is larger; NULL: none */
	const char *under;
	const char *under_except;
	/*
	 * report the first callers of the functions that do not match this; NULL: report the owners
	 * (facts_owners())
	 */
	const char *through;
	double note_pct; /* least share of the busy time for a note, percent */
	double lead_pct; /* least share of the busy time for a warning, percent */
	unsigned int sure_note;
	unsigned int sure_lead;
	bool is_minor;      /* always a note: the cost may be the program's actual work */
	bool interrupts;    /* runs between any two instructions: code above it did not call it */
	bool needs_threads; /* the problem needs several threads: a single thread rules it out */
	/*
	 * user functions count as well; a profile without kernel functions still gives no "clean"
	 */
	bool also_user;
	bool is_user; /* the functions are user code: a profile without a kernel suffices */
	/*
	 * established name of the problem, printed before the claim: "System call overhead"; may be
	 * NULL
	 */
	const char *headline;
	const char *what; /* "is clearing new pages": follows "12.3 % of CPU time" */
	/* name of the figure; also follows "0.10 % in": "clearing new pages" */
	const char *name;
	const char *cause, *usual_cause; /* one of them is NULL: finding_causes() */
	const char *because;             /* reason for the certainty */
	const char *next[2];             /* commands or changes to try */
	/*
	 * Other explanations for the same functions: the first case that applies replaces this
	 * signature. The list ends with a case without functions; NULL: no cases.
	 */
	const struct signature *cases;
	/*
	 * Condition of a case: these functions have at least `part` of the share. Without
	 * `part_of`: the functions of the signature's `needs` are missing.
	 */
	const char *part_of; /* compared by self share */
	/* or these functions have at least `part` of the share, callees included; NULL: none */
	const char *part_under;
	double part;
	bool part_is_below; /* reverse the condition: they have less than `part` */
};

/* Share of a signature's functions in a profile. */
struct signature_share {
	struct fact_sum sum; /* self shares of the functions */
	/* inclusive share of the functions in `under`, percent; < 0: unknown */
	double under;
	double pct;      /* the larger one of sum.self and under */
	double busy_pct; /* pct relative to the busy time */
	bool has_needs;
	/* the shares come from leaves of printed trees, since the excerpt has no rows */
	bool is_of_trees;
};

/*
 * Does the event record the exact instruction: PEBS ("cycles:pp"), IBS, SPE? With other events the
 * sample shows a later instruction (skid).
 */
bool signature_is_precise(const struct rule_input *in);
/*
 * Is all cost in one function by construction? True for a tracepoint ("sched:sched_wakeup", but not
 * "cycles:pp"), and for stacks that a tool counted in one probed function.
 */
bool signature_is_tracepoint(const struct rule_input *in);
/* Does the profile show off-CPU time, by the stack at which threads left the CPU? */
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
 * Report "clean". The engine checks separately that this data could show the problem (visible.h).
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
/* Add the heaviest functions of @pattern as evidence, at most three. */
void signature_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
			const char *pattern);
/*
 * Are the shares CPU time, from enough samples? If not, add @rule's "not assessed" with the reason.
 * A capture without functions gets no result.
 */
bool signature_can_judge(const struct rule_input *in, struct findings *out,
			 const struct rule *rule);
/* Does an earlier finding about this capture, with a certainty of at least @sure, explain @f? */
bool signature_is_explained(const struct rule_input *in, const struct findings *out,
			    const struct fact_function *f, unsigned int sure);
/* Fewer than 100 samples? False if the number is unknown. */
bool signature_is_few(const struct rule_input *in);
/* @pct of the total as a share of the busy time, in percent. */
double signature_of_busy(const struct rule_input *in, double pct);

#endif
