/* SPDX-License-Identifier: MIT */
/*
 * signature.h - rules that know a kind of problem by the functions that it heats
 *
 * Such a rule is a table: which functions, from which share on, what to say. The
 * words of certainty follow the data: a share whose 95 % interval reaches below
 * the threshold is less sure, and few samples never make a rule confident.
 */
#ifndef EXPLAIN_SIGNATURE_H
#define EXPLAIN_SIGNATURE_H

#include "explain/facts.h"
#include "explain/rule.h"

struct finding;
struct findings;

/* Where one sample is more than this (below 100 samples) no share proves a cause by itself. */
#define SIGNATURE_FEW_PCT  1.0
#define SIGNATURE_FEW_SURE 65u
/* Below 30 samples a share says nothing of a single function: 30 % may be 17 to 48 %. */
#define SIGNATURE_NONE_PCT 3.34
/* Of an excerpt that shows less of the whole, ends of printed trees count as well. */
#define SIGNATURE_VISIBLE_PCT 50.0
/* Modules of the C library. */
#define SIGNATURE_LIBC "libc.so*|libc-*|libpthread*|libc.musl*"

struct signature {
	/*
	 * Whose self shares are summed: "a|b_*". Unless is_user or also_user, functions of
	 * programs that bear such names (a renderer's trace_ray) are not meant.
	 */
	const char *functions;
	const char *except;    /* NULL, or: functions that match and are not meant */
	const char *needs;     /* NULL, or: of these one must have a share or a row */
	const char *needs_too; /* NULL, or: and one of these */
	const char *under;     /* NULL, or: what runs below these counts as well */
	const char *through;   /* NULL, or: callers are named; frames to look through */
	double note_pct;       /* of the busy time: worth a line */
	double lead_pct;       /* of the busy time: leads */
	unsigned int sure_note;
	unsigned int sure_lead;
	bool is_minor;       /* stays a note at any share: it may be the work itself */
	bool needs_threads;  /* waits for other CPUs: not where one thread of a program is all */
	bool also_user;      /* functions of programs count, too; to acquit a kernel is needed */
	bool is_user;        /* user code counts: a profile without a kernel can be assessed */
	const char *what;    /* "goes into clearing new pages": after "12.30 % of the CPU time" */
	const char *name;    /* of the figure, and after "0.10 % in": "clearing new pages" */
	const char *cause;   /* in one clause */
	const char *because; /* why so sure */
	const char *next[3]; /* commands or changes */
};

/* What a signature weighs in a profile. */
struct signature_share {
	struct fact_sum sum; /* self of the functions */
	double under;        /* percent of the whole below `under`; < 0: not known */
	double pct;          /* the larger of both */
	double busy_pct;     /* the same of the busy time */
	bool has_needs;
	bool is_of_trees; /* of an excerpt: functions without a row, by the ends of printed trees */
};

/*
 * Whether the profile's event names the very instruction: PEBS ("cycles:pp"), IBS, SPE. Of
 * others the processor has gone on a bit until the sample is taken.
 */
bool signature_is_precise(const struct rule_input *in);
/* The functions of @s, as facts_sum_of() wants them. */
struct fact_names signature_names(const struct signature *s);
struct signature_share signature_measure(const struct rule_input *in, const struct signature *s);
/*
 * A finding of @rule with claim, figures, evidence and next steps, or NULL where the
 * share is too small. Borrowed until the next finding is added.
 */
struct finding *signature_find(const struct rule_input *in, struct findings *out,
			       const struct rule *rule, const struct signature *s,
			       const struct signature_share *share);
/* Say that it is not so; the engine asks whether it could have shown (visible.h). */
void signature_acquit(const struct rule_input *in, struct findings *out, const struct rule *rule,
		      const struct signature *s, const struct signature_share *share);
/* The whole check of a rule that is a signature: measure, then find or acquit. */
void signature_check(const struct rule_input *in, struct findings *out, const struct rule *rule);
/* @sure, lowered to what few samples and @sum's interval against @threshold_pct allow. */
unsigned int signature_sure(const struct rule_input *in, const struct fact_sum *sum,
			    double threshold_pct, unsigned int sure, unsigned int sure_below);
/* Evidence lines of the heaviest functions of @pattern, at most three. */
void signature_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
			const char *pattern);
/*
 * Whether shares of this capture are of what ran on a CPU, with enough samples behind
 * them; says why not as @rule's "not assessed" otherwise.
 */
bool signature_can_judge(const struct rule_input *in, struct findings *out,
			 const struct rule *rule);
/*
 * Whether @f is among the evidence of what was found of this capture so far by a
 * rule that explains a function, and does not only name it, at least so @sure.
 */
bool signature_is_explained(const struct rule_input *in, const struct findings *out,
			    const struct fact_function *f, unsigned int sure);
/* Below 100 samples. Where their number is not known: false. */
bool signature_is_few(const struct rule_input *in);
/* Share of what is busy, in percent. */
double signature_of_busy(const struct rule_input *in, double pct);

#endif
