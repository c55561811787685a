/* SPDX-License-Identifier: MIT */
/*
 * call_signature.h - rules that know what a trace went through by its functions
 *
 * Times are as printed, the tracer's own cost included; shares are of the
 * topmost time of the trace.
 */
#ifndef EXPLAIN_CALL_SIGNATURE_H
#define EXPLAIN_CALL_SIGNATURE_H

#include "explain/rule.h"

struct finding;
struct findings;
struct rule_input;

struct call_signature {
	const char *marker;        /* functions that show it: "a|b_*" */
	const char *below;         /* NULL, or: the marker counts only below one of these */
	const char *cost;          /* whose topmost calls are summed; NULL: the marker's */
	const char *inner;         /* NULL, or: functions that count into cost below `around` */
	const char *around;        /* NULL, or: see inner */
	const char *scope;         /* one of these must be in the trace to say it is clean */
	const char *absent;        /* NULL, or: none of these may be in the trace */
	unsigned int min_per_root; /* topmost calls of the marker a root, at least; 0: one in all */
	/*
	 * Only calls that somebody in the trace makes count, of the time of such callers:
	 * where nothing but the marker was traced, its share says nothing.
	 */
	bool needs_caller;
	double note_pct;   /* of the trace: below it nothing is said */
	double lead_pct;   /* from here on a warning; above 100: always a note */
	uint64_t usual_ns; /* a topmost call that takes no longer is no problem by itself; 0 */
	unsigned int sure;
	const char *what; /* "this is the first packet of a flow": the claim's start */
	const char *name; /* of the figure, and in the clean sentence */
	const char *cause;
	const char *because;
	const char *next;
	/* NULL, or: what the marker's calls must show besides */
	bool (*holds)(const struct rule_input *in);
	/* NULL, or: adds figures to the finding */
	void (*add)(const struct rule_input *in, struct finding *f);
};

/* The whole check of a rule that is such a signature. */
void call_signature_check(const struct rule_input *in, struct findings *out,
			  const struct rule *rule);

#endif
