/* SPDX-License-Identifier: MIT */
/*
 * call_signature.h - rules that recognise a code path in a function graph by its functions
 *
 * Times are as printed, so they include tracing overhead. Shares are of the total time of the root
 * calls: calls without a caller in the trace.
 */
#ifndef EXPLAIN_CALL_SIGNATURE_H
#define EXPLAIN_CALL_SIGNATURE_H

#include "explain/rule.h"

#include <stdint.h>

struct finding;
struct findings;
struct rule_input;

struct call_signature {
	const char *marker; /* the problem exists if these functions are called: "a|b_*" */
	/*
	 * a call of `marker` counts only if one of these functions called it, directly or not;
	 * NULL: always
	 */
	const char *below;
	/*
	 * the time in these functions is the cost (nested calls count once); NULL: the time in
	 * `marker`
	 */
	const char *cost;
	/*
	 * the time in these functions is added to the cost, but only if a function of `around`
	 * called them, directly or not; NULL: none
	 */
	const char *inner;
	const char *around; /* pattern of the callers for `inner` */
	/*
	 * the problem is ruled out only if the trace has a call of one of these functions; NULL:
	 * never ruled out
	 */
	const char *scope;
	const char *absent; /* none of these functions may be in the trace; NULL: no restriction */
	/* minimum number of calls of `marker` per root call; 0: one call in the trace suffices */
	unsigned int min_per_root;
	/*
	 * Ignore calls of `marker` without a caller in the trace, and subtract their time from
	 * the total. A trace of `marker` alone cannot show its share of anything.
	 */
	bool needs_caller;
	/* the functions are waits: a trace that ends inside one of them is a note */
	bool is_open_wait;
	double note_pct; /* minimum share of the trace for a finding, percent */
	double lead_pct; /* minimum share for a warning, percent; above 100: always a note */
	/*
	 * A mean time up to this, ns, is normal for calls of `cost`. Then the finding is a note
	 * with a lower certainty. 0: no such limit.
	 */
	uint64_t usual_ns;
	unsigned int sure;
	/*
	 * start of the claim, before the time and the share: "this is the first packet of a flow"
	 */
	const char *what;
	/* name of the figure, also used in the "clean" sentence */
	const char *name;
	/* cause if the data proves it, and usual cause otherwise; one is NULL (finding_causes()) */
	const char *cause, *usual_cause;
	const char *because;
	const char *next;
	/* returns whether a further condition holds; NULL: no condition */
	bool (*holds)(const struct rule_input *in);
	/* adds figures to the finding; NULL: none */
	void (*add)(const struct rule_input *in, struct finding *f);
};

/* Check of a rule that has rule->call_signature: add its finding, "clean" or "not assessed". */
void call_signature_check(const struct rule_input *in, struct findings *out,
			  const struct rule *rule);

#endif
