/* SPDX-License-Identifier: MIT */
/*
 * call_signature.h - rules that recognise a code path in a function graph by its functions
 *
 * Times are as printed, so they include tracing overhead. Shares are of the total time of the root
 * calls, that is, of calls without a caller in the trace.
 */
#ifndef EXPLAIN_CALL_SIGNATURE_H
#define EXPLAIN_CALL_SIGNATURE_H

#include "explain/rule.h"

#include <stdint.h>

struct finding;
struct findings;
struct rule_input;

struct call_signature {
	/* pattern of functions that show the problem if they are called: "a|b_*" */
	const char *marker;
	/*
	 * a call of `marker` counts only if one of these functions called it, directly or not;
	 * NULL: every call counts
	 */
	const char *below;
	/*
	 * The time in these functions is the cost of the problem; nested calls are counted once.
	 * NULL: the cost is the time in `marker`.
	 */
	const char *cost;
	/*
	 * the time in these functions is added to the cost if a function of `around` called them,
	 * directly or not; NULL: none
	 */
	const char *inner;
	const char *around; /* pattern of the callers for `inner` */
	/*
	 * A result "clean" or "not assessed" is added only if the trace has a call of one of these
	 * functions. NULL: no such result.
	 */
	const char *scope;
	/*
	 * if the trace has one of these functions, the problem does not exist; NULL: no such
	 * functions
	 */
	const char *absent;
	/* minimum number of calls of `marker` per root call; 0: one call in the trace suffices */
	unsigned int min_per_root;
	/*
	 * Ignore calls of `marker` without a caller in the trace, and subtract their time from the
	 * total. Without callers, the share of `marker` in the work of the caller is unknown.
	 */
	bool needs_caller;
	/* the functions are waits: if the trace ends inside one of them, a note is added */
	bool is_open_wait;
	double note_pct; /* minimum share of the trace for a finding, percent */
	double lead_pct; /* minimum share for a warning, percent; above 100: always a note */
	/*
	 * The highest mean time, ns, of a normal call of `cost`. With a shorter mean, the finding
	 * is a note with a lower certainty. 0: no such limit.
	 */
	uint64_t usual_ns;
	unsigned int sure;
	/*
	 * start of the claim, before the time and the share: "this is the first packet of a flow"
	 */
	const char *what;
	/* name of the figure, also used in the "clean" sentence */
	const char *name;
	/*
	 * cause: a cause that the data proves. usual_cause: a cause that is usual, but not proved
	 * by the data. One of the two is NULL (finding_causes()).
	 */
	const char *cause, *usual_cause;
	const char *because;
	const char *not_known; /* the thing that the data does not show (finding_unknown()) */
	const char *next;
	/* checks an additional condition; NULL: no condition */
	bool (*holds)(const struct rule_input *in);
	/* adds figures to the finding; NULL: none */
	void (*add)(const struct rule_input *in, struct finding *f);
};

/* The check of a rule with rule->call_signature: adds its finding, "clean" or "not assessed". */
void call_signature_check(const struct rule_input *in, struct findings *out,
			  const struct rule *rule);

#endif
