/* SPDX-License-Identifier: MIT */
/*
 * counter_signature.h - rules about one ratio of counters
 *
 * A `.rule` file of the kind `counters` names a metric of
 * analyses/counters/counter_metrics.c and the values from which it is worth a note or a
 * warning. The mean itself is compared; the interval of repeated runs is only a figure.
 */
#ifndef EXPLAIN_COUNTER_SIGNATURE_H
#define EXPLAIN_COUNTER_SIGNATURE_H

#include "explain/rule.h"

#include <stdint.h>

struct findings;
struct rule_input;

struct counter_signature {
	const char *metric;     /* id */
	double note, lead;      /* in the metric's unit */
	bool is_below;          /* a problem where the value is at or below these */
	uint64_t usual_cost_ns; /* of one event: the impact of a rate is its share of CPU time */
	unsigned int sure;
	const char *what; /* "threads are switched": before the figure */
	const char *name; /* of the figure */
	const char *cause;
	const char *because;
	const char *next[2];
	const char
		*needs; /* id of a metric that must be at or above needs_from as well; NULL: none */
	double needs_from;
	const char *unless; /* id of a metric that explains this one at or above unless_from; NULL:
			       none */
	double unless_from;
};

void counter_signature_check(const struct rule_input *in, struct findings *out,
			     const struct rule *rule);

#endif
