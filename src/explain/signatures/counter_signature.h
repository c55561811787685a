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
	/* report values at or below the thresholds instead of at or above them */
	bool is_below;
	double up_to; /* a larger value is a problem of another rule; 0: no limit */
	/* usual cost of one event, ns: rate times cost is the impact, as a share of CPU time */
	uint64_t usual_cost_ns;
	unsigned int sure;
	const char *what; /* start of the claim, before the figure: "threads are switched" */
	const char *name; /* name of the figure */
	const char *cause, *usual_cause; /* one of them is NULL: finding_causes() */
	const char *because;
	const char *next[2];
	const char *needs; /* id of a second metric that must reach needs_from; NULL: none */
	double needs_from;
	bool needs_if_known; /* if the second metric is missing, the condition on it is dropped */
	/*
	 * the problem must go on: it is ruled out if one of several intervals has most of the
	 * events
	 */
	bool is_steady;
	/* "not assessed" if perf stat -p attached to a running process, which may be idle */
	bool is_not_attached;
	/* id of another metric that explains the problem if it reaches unless_from; NULL: none */
	const char *unless;
	double unless_from;
	/*
	 * the metric is a part or a rate of CPU time, and is no problem if the program uses hardly
	 * any
	 */
	bool is_of_cpu_time;
	/*
	 * cause of the problem if the storage devices of the input answer at once; NULL: the rule
	 * is not about storage
	 */
	const char *calm;
	/*
	 * If several keys, such as CPUs, have the problem: start of the claim after their number,
	 * and the cause. NULL: as for one key.
	 */
	const char *several, *several_cause;
};

void counter_signature_check(const struct rule_input *in, struct findings *out,
			     const struct rule *rule);

#endif
