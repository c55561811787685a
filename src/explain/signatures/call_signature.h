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
	const char *marker; /* calls of these functions identify the problem: "a|b_*" */
	/*
	 * a marker call counts only if one of these functions is among its callers; NULL: it always
	 * counts
	 */
	const char *below;
	/*
	 * the time of these functions is the cost, and nested calls count once; NULL: the functions
	 * of `marker`
	 */
	const char *cost;
	/* these functions also count as cost, but only inside a call of `around`; NULL: none */
	const char *inner;
	const char *around; /* functions that must be among the callers of `inner` */
	/*
	 * the problem is ruled out only if the trace has a call of one of these functions; NULL:
	 * never ruled out
	 */
	const char *scope;
	const char *absent; /* none of these functions may be in the trace; NULL: no restriction */
	/* minimum number of marker calls per root call; 0: one marker call in the trace suffices */
	unsigned int min_per_root;
	/*
	 * Ignore marker calls without a caller in the trace, and subtract them from the total time:
	 * a trace of only the marker cannot show its share of any work.
	 */
	bool needs_caller;
	double note_pct; /* minimum share of the trace for a finding, percent */
	double lead_pct; /* minimum share for a warning, percent; above 100: always a note */
	/*
	 * calls of `cost` that take at most this long on average are normal: then the finding is a
	 * note with a lower certainty; 0: no such limit
	 */
	uint64_t usual_ns;
	unsigned int sure;
	const char *what; /* start of the claim: "this is the first packet of a flow" */
	/* name of the figure; the sentence that rules the problem out also uses it */
	const char *name;
	const char *cause, *usual_cause; /* one of them is NULL: finding_causes() */
	const char *because;
	const char *next;
	/* further condition on the marker's calls; NULL: none */
	bool (*holds)(const struct rule_input *in);
	/* adds figures to the finding; NULL: none */
	void (*add)(const struct rule_input *in, struct finding *f);
};

/* The complete check of a rule with a call signature. */
void call_signature_check(const struct rule_input *in, struct findings *out,
			  const struct rule *rule);

#endif
