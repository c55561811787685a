/* SPDX-License-Identifier: MIT */
/*
 * signature.h - rules that recognise a problem by its hot functions
 *
 * Such a rule is a table: functions, thresholds, texts. Certainty follows the data: a share
 * whose 95 % interval reaches below the threshold is less certain, and few samples never make a
 * rule confident.
 */
#ifndef EXPLAIN_SIGNATURE_H
#define EXPLAIN_SIGNATURE_H

#include "explain/facts.h"
#include "explain/rule.h"

struct finding;
struct findings;

/* If one sample is more than this (below 100 samples) no share alone proves a cause. */
#define SIGNATURE_FEW_PCT  1.0
#define SIGNATURE_FEW_SURE 65u
/* Below 30 samples the share of a single function means nothing: 30 % may be 17 to 48 %. */
#define SIGNATURE_NONE_PCT 3.34
/* In an excerpt that shows less of the whole, leaves of printed trees count as well. */
#define SIGNATURE_VISIBLE_PCT 50.0
/* Modules of the C library. */
#define SIGNATURE_LIBC "libc.so*|libc-*|libpthread*|libc.musl*"

struct signature {
	/*
	 * Functions whose self shares are summed: "a|b_*". Without is_user or also_user, user
	 * functions with such names (a renderer's trace_ray) do not count.
	 */
	const char *functions;
	const char *except;    /* NULL, or: exceptions from `functions` */
	const char *needs;     /* NULL, or: one of these must have a share or a row */
	const char *needs_too; /* NULL, or: one of these as well */
	const char *absent;    /* NULL, or: none of these may have a share or a row */
	const char *under;     /* NULL, or: functions whose callees count as well */
	const char *through;   /* NULL, or: name the callers, and skip these frames */
	double note_pct;       /* of the busy time: note */
	double lead_pct;       /* of the busy time: warning */
	unsigned int sure_note;
	unsigned int sure_lead;
	bool is_minor;      /* always a note: it may be the work itself */
	bool needs_threads; /* waits for other CPUs: impossible with a single thread */
	/* user functions count as well; a profile without a kernel cannot rule it out */
	bool also_user;
	bool is_user;         /* user code counts: a profile without a kernel can be assessed */
	const char *headline; /* term of the field before the claim: "System call overhead"; may be
				 NULL */
	const char *what;     /* "is clearing new pages": follows "12.3 % of CPU time" */
	const char *name;     /* of the figure, and after "0.10 % in": "clearing new pages" */
	const char *cause;    /* in one clause */
	const char *because;  /* the reason for the certainty */
	const char *next[2];  /* commands or changes */
	/*
	 * The same functions for another reason: the first that applies is reported instead of
	 * this one. Ends with a case without functions; NULL: none.
	 */
	const struct signature *cases;
	/* A case applies if these functions have this part of the share; without `part_of`, if the
	 * functions of the signature's `needs` are missing. */
	const char *part_of;    /* by their self shares */
	const char *part_under; /* NULL, or: or by the code below these */
	double part;
	bool part_is_below; /* it applies if they have less */
};

/* Share of a signature in a profile. */
struct signature_share {
	struct fact_sum sum; /* self of the functions */
	double under;        /* percent of the whole below `under`; < 0: unknown */
	double pct;          /* the larger of both */
	double busy_pct;     /* the same relative to the busy time */
	bool has_needs;
	/* in an excerpt: functions without a row, from the leaves of printed trees */
	bool is_of_trees;
};

/*
 * Does the profile's event name the exact instruction: PEBS ("cycles:pp"), IBS, SPE? With
 * others the processor advances a bit before the sample is taken.
 */
bool signature_is_precise(const struct rule_input *in);
/*
 * "sched:sched_wakeup", not "cycles:pp", or stacks that a tool counted in one probed function: all
 * of it is in one function by construction.
 */
bool signature_is_tracepoint(const struct rule_input *in);
/* Is it the time that threads spent off the CPU, by the stack at which they left it? */
bool signature_is_off_cpu(const struct rule_input *in);
struct signature_share signature_measure(const struct rule_input *in, const struct signature *s);
/*
 * Add a finding of @rule with claim, figures, evidence and next steps; NULL if the share is too
 * small. Borrowed until the next finding is added.
 */
struct finding *signature_find(const struct rule_input *in, struct findings *out,
			       const struct rule *rule, const struct signature *s,
			       const struct signature_share *share);
/* Report "clean"; the engine checks that this data could show the problem (visible.h). */
void signature_rule_out(const struct rule_input *in, struct findings *out, const struct rule *rule,
			const struct signature *s, const struct signature_share *share);
/* The complete check of a rule with a signature: measure, then report a finding or "clean". */
void signature_check(const struct rule_input *in, struct findings *out, const struct rule *rule);
/* @sure, limited by few samples and by @sum's interval against @threshold_pct. */
unsigned int signature_sure(const struct rule_input *in, const struct fact_sum *sum,
			    double threshold_pct, unsigned int sure, unsigned int sure_below);
/* Add evidence lines for the heaviest functions of @pattern, at most three. */
void signature_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
			const char *pattern);
/*
 * Are shares of this capture CPU time, with enough samples? Otherwise adds the reason as
 * @rule's "not assessed"; none if the capture has no functions.
 */
bool signature_can_judge(const struct rule_input *in, struct findings *out,
			 const struct rule *rule);
/*
 * Is @f in the evidence of an earlier finding about this capture by a rule with a cause, with a
 * certainty of at least @sure?
 */
bool signature_is_explained(const struct rule_input *in, const struct findings *out,
			    const struct fact_function *f, unsigned int sure);
/* Below 100 samples? False if their number is unknown. */
bool signature_is_few(const struct rule_input *in);
/* Share of the busy time, in percent. */
double signature_of_busy(const struct rule_input *in, double pct);

#endif
