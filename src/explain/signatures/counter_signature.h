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
	double up_to; /* values above this are reported by another rule; 0: no limit */
	/*
	 * Usual cost of one event, ns. Multiplied by the rate of events, it is a share of CPU time.
	 */
	uint64_t usual_cost_ns;
	unsigned int sure;
	const char *what; /* start of the claim, before the figure: "threads are switched" */
	const char *name; /* name of the figure */
	/*
	 * cause: a cause that the data proves. usual_cause: a cause that is usual, but not proved
	 * by the data. One of the two is NULL (finding_causes()).
	 */
	const char *cause, *usual_cause;
	const char *because;
	const char *not_known; /* the thing that the data does not show (finding_unknown()) */
	const char *next[2];
	/*
	 * id of a second metric that must reach needs_from, or else there is no problem; NULL: none
	 */
	const char *needs;
	double needs_from;
	/* if the second metric is not in the table, only `metric` is checked */
	bool needs_if_known;
	/*
	 * The problem must last: if one of several intervals has most of the events (a burst), the
	 * result is "clean" (no problem).
	 */
	bool is_steady;
	/*
	 * The metric shows a problem only in a program that works all the time. So the result is
	 * "not assessed" for perf stat -p (the process may have been idle), for a command that only
	 * sleeps, and for a very short run.
	 */
	bool is_not_attached;
	/*
	 * id of another metric; if it reaches unless_from, it may explain the value of `metric`,
	 * and "not assessed" is added; NULL: none
	 */
	const char *unless;
	double unless_from;
	/*
	 * If kernel threads in the list of tasks of top cause half of the metric, add "not
	 * assessed": other rules report these threads.
	 */
	bool is_unless_threads;
	/*
	 * the metric is a part or a rate of CPU time, so it is no problem if the program uses
	 * hardly any CPU time
	 */
	bool is_of_cpu_time;
	/*
	 * The cause in the finding if the storage devices answer quickly
	 * (counter_devices_are_calm()); NULL: the rule is not about storage.
	 */
	const char *calm;
	/*
	 * For fast devices that serve many requests at once. parallel: str_glob pattern of their
	 * names. parallel_few: the cause if few requests are in flight (counter_devices_are_few()).
	 * NULL: `calm` is used for all devices.
	 */
	const char *parallel, *parallel_few;
	/*
	 * Another column may count the same events as `metric`: then both have the same values in
	 * the same rows. equal: str_glob pattern of the names of such columns; NULL: none. If such
	 * a column is found, equal_cause is the cause in the finding, and equal_because is its
	 * reason.
	 */
	const char *equal, *equal_cause, *equal_because;
	/*
	 * Next step if `equal` matches; NULL: the usual steps. is_equal_minor: the finding then is
	 * a note.
	 */
	const char *equal_next;
	bool is_equal_minor;
	/*
	 * The reason that replaces `because` if the values are differences of two readings. Then
	 * the first step in `next`, "take two readings", is omitted. NULL: the tool prints no
	 * totals since boot.
	 */
	const char *between_because;
	/*
	 * Texts for some keys, such as kernel functions in which tasks sleep. place: str_glob
	 * pattern of these keys; NULL: none. The other three are the cause, its reason and the next
	 * step for such a key.
	 */
	const char *place, *place_cause, *place_because, *place_next;
	/*
	 * id of another metric. If its value is at least when_from (or, if when_from is 0, at most
	 * when_up_to), when_cause, when_because and when_next replace the usual texts. NULL: none.
	 */
	const char *when;
	double when_up_to, when_from;
	const char *when_cause, *when_because, *when_next;
	/*
	 * Texts for the case that several CPUs (or other keys) have the problem. several: the claim
	 * after the number of CPUs ("3 CPUs ..."); NULL: the texts for one CPU are used.
	 * several_cause: the cause.
	 */
	const char *several, *several_cause;
};

void counter_signature_check(const struct rule_input *in, struct findings *out,
			     const struct rule *rule);

#endif
