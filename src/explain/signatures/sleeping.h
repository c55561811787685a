/* SPDX-License-Identifier: MIT */
/*
 * sleeping.h - rules about the functions in which threads go to sleep
 *
 * The input is samples of context switches (context-switches, sched:sched_switch), or folded stacks
 * that end in the scheduler. A sample shows where a thread went to sleep, but not for how long. So
 * shares are of the number of switches, and a few long waits are not visible. The weights of folded
 * stacks may also be times (offcputime of bcc).
 */
#ifndef EXPLAIN_SLEEPING_H
#define EXPLAIN_SLEEPING_H

#include <stdbool.h>

struct findings;
struct rule;
struct rule_input;
struct wait_switches;

/* The check of a rule with rule->sleeping: adds its finding, "clean" or "not assessed". */
void sleeping_check(const struct rule_input *in, struct findings *out, const struct rule *rule);
/*
 * Select the verb that fits the unit of the shares: @plural for numbers ("context switches are"),
 * @singular for times ("time is").
 */
const char *sleeping_verb(const struct rule_input *in, const char *plural, const char *singular);
/* The reason for the certainty of a finding about a profile without an event name. */
#define SLEEPING_UNNAMED                                                                        \
	"the stacks end in the scheduler\nwhat unit the weights have, and whether the threads " \
	"wait for work"
/*
 * Does the profile have no event name? Then it is unknown whether its weights are times or numbers
 * of switches.
 */
bool sleeping_is_unnamed(const struct rule_input *in);
/* Are the weights times off the CPU, and not numbers of switches? */
bool sleeping_is_time(const struct rule_input *in);
/* The reason for the certainty of a finding about times off the CPU. */
#define SLEEPING_TIMED "the stacks show the reason, and the tool has added up the times"
/*
 * Measure the share of each kind of wait in the context switches. False: the profile does not show
 * it, and "not assessed" of @rule was added.
 */
bool sleeping_measure(const struct rule_input *in, struct findings *out, const struct rule *rule,
		      struct wait_switches *ret);

#endif
