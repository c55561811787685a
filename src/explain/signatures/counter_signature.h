/* SPDX-License-Identifier: MIT */
/*
 * counter_signature.h - rules about one ratio of counters
 *
 * A `.rule` file of the kind `counters` names a metric of analyses/counters/counter_metrics.c, with
 * its thresholds for a note and for a warning. The rule compares the mean of repeated runs with the
 * thresholds. The interval of these runs is reported, but does not decide.
 */
#ifndef EXPLAIN_COUNTER_SIGNATURE_H
#define EXPLAIN_COUNTER_SIGNATURE_H

#include "explain/rule.h"

#include <stdint.h>

struct findings;
struct rule_input;

struct counter_signature {
	const char *metric; /* id of the metric */
	double note, lead;  /* thresholds for a note and for a warning, in the metric's unit */
	bool is_below;      /* report values at or below the thresholds, not at or above them */
	double up_to;       /* values above it are no problem of this rule; 0: no limit */
	/* usual cost of one event: rate times cost is the impact, as a share of CPU time */
	uint64_t usual_cost_ns;
	unsigned int sure;
	const char *what; /* start of the claim, before the figure: "threads are switched" */
	const char *name; /* name of the figure */
	const char *cause, *usual_cause; /* one of them is NULL: finding_causes() */
	const char *because;
	const char *next[2];
	const char *needs; /* id of a metric that must reach needs_from as well; NULL: none */
	double needs_from;
	bool needs_if_known; /* if that metric is missing, the rule goes on without it */
	bool is_steady;      /* no problem if one of several intervals has most of the events */
	/* not assessed in a process that ran already, which may be idle: perf stat -p */
	bool is_not_attached;
	/* id of a metric that explains the problem if it reaches unless_from; NULL: none */
	const char *unless;
	double unless_from;
	/*
	 * the metric is a part or a rate of CPU time: no problem if there is hardly any CPU time
	 */
	bool is_of_cpu_time;
	/* cause if the input shows that its storage devices answer at once; NULL: they do not
	 * matter */
	const char *calm;
	/* start of the claim after a number, and cause, if several keys are alike; NULL: no matter
	 */
	const char *several, *several_cause;
};

void counter_signature_check(const struct rule_input *in, struct findings *out,
			     const struct rule *rule);

#endif
