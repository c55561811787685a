/* SPDX-License-Identifier: MIT */
/*
 * sleeping.h - rules about the functions in which threads go to sleep
 *
 * The input is samples of context switches (context-switches, sched:sched_switch, stacks in the
 * scheduler). A sample shows where a thread went to sleep, but not for how long. So shares are of
 * the number of switches, and rare long waits stay invisible.
 */
#ifndef EXPLAIN_SLEEPING_H
#define EXPLAIN_SLEEPING_H

#include <stdbool.h>

struct findings;
struct rule;
struct rule_input;
struct wait_switches;

/* The complete check of a rule with the table rule->sleeping. */
void sleeping_check(const struct rule_input *in, struct findings *out, const struct rule *rule);
/* @plural or @singular, whichever agrees with the unit of the shares: "context switches are". */
const char *sleeping_verb(const struct rule_input *in, const char *plural, const char *singular);
/*
 * Measure the share of each kind of wait among the switches. False: the profile cannot show it, and
 * @rule's "not assessed" was added.
 */
bool sleeping_measure(const struct rule_input *in, struct findings *out, const struct rule *rule,
		      struct wait_switches *ret);

#endif
