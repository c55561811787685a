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
 * If one sample is more than this share of all, in percent, there are fewer than 100 samples.
 * Then the certainty of a finding is at most SIGNATURE_FEW_SURE.
 */
#define SIGNATURE_FEW_PCT  1.0
#define SIGNATURE_FEW_SURE 65u
/*
 * If one sample is more than this share of all, in percent, there are fewer than 30 samples. Then
 * a share is useless: 30 % may be 17 to 48 %.
 */
#define SIGNATURE_NONE_PCT 3.34
/*
 * If the printed rows have less than this share, in percent, the innermost nodes of the printed
 * call trees count as well.
 */
#define SIGNATURE_VISIBLE_PCT 50.0
/* Patterns of the modules of the C library. */
#define SIGNATURE_LIBC "libc.so*|libc-*|libpthread*|libc.musl*"

struct signature {
	/*
	 * The self shares of these functions are added: "a|b_*". Only kernel functions count,
	 * unless is_user or also_user is set. (A program may have a function of the same name:
	 * the renderer's trace_ray is no kernel tracing.)
	 */
	const char *functions;
	/* functions that `functions` matches, but that do not count; NULL: none */
	const char *except;
	/* one of these functions must be in the profile; NULL: no condition */
	const char *needs;
	/* one of these functions must also be in the profile; NULL: no condition */
	const char *needs_too;
	/* none of these functions may be in the profile; NULL: no condition */
	const char *absent;
	/*
	 * the inclusive share of these functions; it is used if it is larger than the self shares
	 * of `functions`; NULL: none. under_except: functions whose inclusive share is subtracted
	 * from it; NULL: none
	 */
	const char *under;
	const char *under_except;
	/*
	 * Helpers between `functions` and the callers that the claim names: the caller is the
	 * first frame that matches neither pattern. NULL: name the owners (facts_owners()).
	 */
	const char *through;
	double note_pct; /* minimum share of the busy time for a note, percent */
	double lead_pct; /* minimum share of the busy time for a warning, percent */
	unsigned int sure_note;
	unsigned int sure_lead;
	bool is_minor; /* always a note: the cost may be the program's actual work */
	/*
	 * these functions interrupt the program at any instruction: the next outer frames on the
	 * stack are not their callers
	 */
	bool interrupts;
	/*
	 * Functions that show the problem only below doubtful_under, or where several threads of a
	 * process run them: a single thread yields for other reasons. Without stacks and threads
	 * they count. NULL: none; then `except` is NULL, too.
	 */
	const char *doubtful;
	const char *doubtful_under;
	/* the problem needs several threads: a recording of one thread rules it out */
	bool needs_threads;
	/*
	 * User functions count like kernel functions. A profile without kernel functions can give
	 * a finding, but no "clean".
	 */
	bool also_user;
	bool is_user; /* the functions are user code: a profile without kernel functions suffices */
	/*
	 * established name of the problem, printed before the claim: "System call overhead"; NULL:
	 * none
	 */
	const char *headline;
	/* "is clearing new pages": the claim is "12.3 % of CPU time" and this text */
	const char *what;
	/*
	 * name of the figure, "clearing new pages"; the "clean" sentence has it after "0.10 % in"
	 */
	const char *name;
	/* cause if the data proves it, and usual cause otherwise; one is NULL (finding_causes()) */
	const char *cause, *usual_cause;
	const char *because; /* reason for the certainty */
	const char *next[2]; /* commands or changes to try */
	/*
	 * Other explanations for the same functions. The first case whose condition is true
	 * replaces this signature. The list ends with a case without functions; NULL: no cases.
	 */
	const struct signature *cases;
	/*
	 * Condition of a case. Either functions have at least the part `part` (0 to 1) of the
	 * share: those in part_of (self shares), part_under (inclusive shares) or part_within.
	 * Or, if part_of and part_within are NULL: the functions in `needs` of the main signature
	 * are missing.
	 */
	const char *part_of; /* functions whose self shares are compared with `part`; NULL: none */
	/* functions whose inclusive share is compared with `part`; NULL: none */
	const char *part_under;
	/*
	 * pattern of callers: the share of the samples in `functions` that have such a caller is
	 * compared with `part`; NULL: none
	 */
	const char *part_within;
	double part;
	bool part_is_below; /* the case holds if the functions have less than `part` */
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
	 * the shares were taken from the innermost nodes of printed call trees, because the
	 * excerpt has no rows of the functions
	 */
	bool is_of_trees;
};

/*
 * Does the event record the exact instruction, as PEBS ("cycles:pp"), IBS and SPE do? Samples of
 * other events show an instruction shortly after it (skid).
 */
bool signature_is_precise(const struct rule_input *in);
/*
 * Are all samples in one function because of the method? True for a tracepoint
 * ("sched:sched_wakeup"), and for stacks that a tool counted at one probed function.
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
 * Add "clean" for @rule. The engine turns it into "not assessed" if this data could not show the
 * problem (visible.h).
 */
void signature_rule_out(const struct rule_input *in, struct findings *out, const struct rule *rule,
			const struct signature *s, const struct signature_share *share);
/* Check of a rule that has rule->signature: measure the share, then add a finding or "clean". */
void signature_check(const struct rule_input *in, struct findings *out, const struct rule *rule);
/*
 * Certainty of a finding, in percent: @sure, or at most @sure_below if the interval of @sum
 * includes values below @threshold_pct. With few samples it is lower.
 */
unsigned int signature_sure(const struct rule_input *in, const struct fact_sum *sum,
			    double threshold_pct, unsigned int sure, unsigned int sure_below);
/* Add the functions that match @pattern as evidence, the heaviest first, at most three. */
void signature_evidence(const struct rule_input *in, struct findings *out, struct finding *f,
			const char *pattern);
/*
 * Is it a profile of CPU time with enough samples? If not, add "not assessed" or "clean" of
 * @rule, with the reason. For a capture without functions, returns false and adds nothing.
 */
bool signature_can_judge(const struct rule_input *in, struct findings *out,
			 const struct rule *rule);
/* Does an earlier finding about this capture, with a certainty of at least @sure, explain @f? */
bool signature_is_explained(const struct rule_input *in, const struct findings *out,
			    const struct fact_function *f, unsigned int sure);
/* Fewer than 100 samples, or too many lost ones? False if their number is unknown. */
bool signature_is_few(const struct rule_input *in);
/*
 * The CPU time of the samples in percent of the time from the first to the last sample, or of the
 * run of the command if that is longer; more than 100 with several CPUs. < 0: the samples have no
 * times, or do not measure CPU time.
 */
double signature_elapsed_pct(const struct rule_input *in);
/* @pct of the total, converted to percent of the busy time. */
double signature_of_busy(const struct rule_input *in, double pct);

#endif
