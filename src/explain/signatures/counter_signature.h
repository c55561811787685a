/* SPDX-License-Identifier: MIT */
/*
 * counter_signature.h - rules about one metric: a ratio of counters, such as misses per instruction
 *
 * A `.rule` file of the kind `counters` names a metric of analyses/counters/counter_metrics.c, and
 * the thresholds for a note and for a warning. If the measurement was repeated, the mean is
 * compared with the thresholds. The confidence interval of the mean is only reported.
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
	/* the problem is a value at or below the thresholds; false: a value at or above them */
	bool is_below;
	double up_to; /* another rule reports values above this one; 0: no limit */
	/*
	 * usual cost of one event, ns. The rate of events, multiplied by this cost, is a share of
	 * CPU time.
	 */
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
	/* if the table lacks the second metric, only the first one is used */
	bool needs_if_known;
	/* a burst is no problem: add "clean" if one of several intervals has most of the events */
	bool is_steady;
	/* "not assessed" if perf stat -p attached to a running process, which may be idle */
	bool is_not_attached;
	/* id of another metric; if it reaches unless_from, it explains the problem; NULL: none */
	const char *unless;
	double unless_from;
	/*
	 * "not assessed" if threads of the kernel in the list of tasks of top have half of it:
	 * they have findings of their own
	 */
	bool is_unless_threads;
	/*
	 * the metric is a part or a rate of CPU time, so it is no problem if the program uses
	 * hardly any CPU time
	 */
	bool is_of_cpu_time;
	/*
	 * the text that a finding gives as its cause if the storage devices answer quickly
	 * (counter_devices_are_calm()); NULL: the rule is not about storage
	 */
	const char *calm;
	/*
	 * For fast devices that serve many requests at once. parallel: str_glob pattern of such
	 * devices; parallel_few: the cause if few requests are in flight
	 * (counter_devices_are_few()). NULL: `calm` is used for all devices.
	 */
	const char *parallel, *parallel_few;
	/*
	 * Another column may count the same events: it has the same values in the same rows. equal:
	 * str_glob pattern of such columns; equal_cause, equal_because: the cause in this case, and
	 * its reason. NULL: none.
	 */
	const char *equal, *equal_cause, *equal_because;
	/*
	 * In this case: equal_next is the only next step (NULL: the usual steps), and with
	 * is_equal_minor the finding is a note.
	 */
	const char *equal_next;
	bool is_equal_minor;
	/*
	 * Replaces `because` if the values are differences of two readings. The first step in
	 * `next` then is to take two readings, so it is omitted. NULL: the tool prints no totals.
	 */
	const char *between_because;
	/*
	 * Keys with a cause and a next step of their own, such as kernel functions in which tasks
	 * sleep. place: str_glob pattern of the keys; NULL: none.
	 */
	const char *place, *place_cause, *place_because, *place_next;
	/*
	 * id of another metric. If its value is at most when_up_to, or at least when_from if that
	 * is not 0, the following cause and next step are used. NULL: none.
	 */
	const char *when;
	double when_up_to, when_from;
	const char *when_cause, *when_because, *when_next;
	/*
	 * Used if several CPUs or other keys have the problem: start of the claim after their
	 * number, and the cause. NULL: the texts for one key are used.
	 */
	const char *several, *several_cause;
};

void counter_signature_check(const struct rule_input *in, struct findings *out,
			     const struct rule *rule);

#endif
