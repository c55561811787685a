/* SPDX-License-Identifier: MIT */
/*
 * call_signature.h - rules that recognise the path of a function graph by its functions
 *
 * Times are as printed, with the tracer's own cost. Shares are of the topmost time of the
 * trace.
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
	const char *below;  /* NULL, or: markers count only below one of these */
	/* functions whose topmost calls are summed; NULL: the marker's */
	const char *cost;
	const char *inner;  /* NULL, or: functions that count as cost below `around` */
	const char *around; /* NULL, or: see inner */
	const char *scope;  /* one of these must be in the trace to rule the problem out */
	const char *absent; /* NULL, or: none of these may be in the trace */
	/* least number of topmost marker calls a root; 0: one in total */
	unsigned int min_per_root;
	/*
	 * Only count calls with a caller in the trace, as a share of the time of such callers:
	 * in a trace of only the marker, its share means nothing.
	 */
	bool needs_caller;
	double note_pct;   /* share of the trace; silent below it */
	double lead_pct;   /* warning from here on; above 100: always a note */
	uint64_t usual_ns; /* topmost calls up to this time are normal; 0: no limit */
	unsigned int sure;
	const char *what; /* start of the claim: "this is the first packet of a flow" */
	const char *name; /* of the figure, and in the sentence that rules the problem out */
	const char *cause;
	const char *because;
	const char *next;
	/* NULL, or: a further condition on the marker's calls */
	bool (*holds)(const struct rule_input *in);
	/* NULL, or: adds figures to the finding */
	void (*add)(const struct rule_input *in, struct finding *f);
};

/* The complete check function of a rule with such a signature. */
void call_signature_check(const struct rule_input *in, struct findings *out,
			  const struct rule *rule);

#endif
