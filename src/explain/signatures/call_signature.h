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
	const char *marker; /* functions that identify the problem: "a|b_*" */
	/* a marker call counts only if one of these functions is among its callers; NULL: always */
	const char *below;
	/* functions whose time is the cost, nested calls counted once; NULL: the marker */
	const char *cost;
	/*
	 * functions that also count as cost if a function of `around` is among their callers; NULL:
	 * none
	 */
	const char *inner;
	const char *around; /* required callers of `inner` */
	/*
	 * one of these functions must be in the trace to rule the problem out; NULL: never ruled
	 * out
	 */
	const char *scope;
	const char *absent; /* none of these functions may be in the trace; NULL: no restriction */
	/* least number of marker calls per root call; 0: one marker call in the trace suffices */
	unsigned int min_per_root;
	/*
	 * Ignore marker calls without a caller in the trace, also in the total time. A trace of
	 * only the marker cannot show its share of any work.
	 */
	bool needs_caller;
	double note_pct; /* least share of the trace for a finding */
	double lead_pct; /* least share for a warning; above 100: always a note */
	/*
	 * if the calls of `cost` take at most this long on average, they are normal: no warning,
	 * and less certainty; 0: no such limit
	 */
	uint64_t usual_ns;
	unsigned int sure;
	const char *what; /* start of the claim: "this is the first packet of a flow" */
	/* name of the figure, also used in the sentence that rules the problem out */
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
