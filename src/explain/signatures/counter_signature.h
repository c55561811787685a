/* SPDX-License-Identifier: MIT */
/*
 * counter_signature.h - rules about one metric: a ratio of counters, such as misses per
 * instruction
 *
 * A `.rule` file of the kind `counters` names a metric of analyses/counters/counter_metrics.c,
 * with thresholds for a note and for a warning. If the measurement was repeated, the mean is
 * compared with the thresholds. The interval of the mean is reported, but does not decide.
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
	/* a value at or below the thresholds is the problem; false: at or above them */
	bool is_below;
	double up_to; /* above this value another rule reports the problem; 0: no limit */
	/* usual cost of one event, ns; the rate of events times this cost is a share of CPU time */
	uint64_t usual_cost_ns;
	unsigned int sure;
	const char *what; /* start of the claim, before the figure: "threads are switched" */
	const char *name; /* name of the figure */
	/* cause if the data proves it, and usual cause otherwise; one is NULL (finding_causes()) */
	const char *cause, *usual_cause;
	const char *because;
	const char *next[2];
	/* id of a second metric; the problem exists only if it reaches needs_from; NULL: none */
	const char *needs;
	double needs_from;
	/* if the table does not have the second metric, the first one decides alone */
	bool needs_if_known;
	/*
	 * a burst is no problem: the rule is ruled out if one of several intervals has most of
	 * the events
	 */
	bool is_steady;
	/* "not assessed" if perf stat -p attached to a running process, which may be idle */
	bool is_not_attached;
	/* id of another metric; if it reaches unless_from, it explains the problem; NULL: none */
	const char *unless;
	double unless_from;
	/*
	 * the metric is a part or a rate of CPU time: no problem if the program uses hardly any
	 * CPU time
	 */
	bool is_of_cpu_time;
	/*
	 * the cause if the storage devices are fast (counter_devices_are_calm()); NULL: the rule
	 * is not about storage
	 */
	const char *calm;
	/*
	 * then, str_glob pattern of devices that serve many requests at once, and the cause if few
	 * are in flight (counter_devices_are_few()); NULL: `calm` holds for all devices
	 */
	const char *parallel, *parallel_few;
	/*
	 * str_glob pattern of other columns; the cause and its reason if one of them has the same
	 * values in the same rows, because both then count the same events; NULL: none
	 */
	const char *equal, *equal_cause, *equal_because;
	/* then the next step instead of the others, and only a note; NULL, false: as without it */
	const char *equal_next;
	bool is_equal_minor;
	/*
	 * `because` if the values are differences of two readings, which the first of `next` asks
	 * for; NULL: the tool has no sums
	 */
	const char *between_because;
	/*
	 * str_glob pattern of keys, such as kernel functions in which tasks sleep, that have a
	 * cause and a next step of their own; NULL: none
	 */
	const char *place, *place_cause, *place_because, *place_next;
	/*
	 * id of another metric; if its value is at most when_up_to, this is the cause and the next
	 * step; NULL: none
	 */
	const char *when;
	double when_up_to;
	const char *when_cause, *when_because, *when_next;
	/*
	 * If several CPUs or other keys have the problem: start of the claim after their number,
	 * and the cause. NULL: the texts for one key are used.
	 */
	const char *several, *several_cause;
};

void counter_signature_check(const struct rule_input *in, struct findings *out,
			     const struct rule *rule);

#endif
