/* SPDX-License-Identifier: MIT */
/*
 * sleeping.h - rules about places where threads leave the CPU
 *
 * From samples of context switches (context-switches, sched:sched_switch, stacks in the
 * scheduler): each shows where a thread went to sleep, none for how long. Shares are therefore
 * of the switches; long but rare waits do not show.
 */
#ifndef EXPLAIN_SLEEPING_H
#define EXPLAIN_SLEEPING_H

#include <stdbool.h>

struct findings;
struct rule;
struct rule_input;
struct wait_switches;

/* The complete check of a rule about a kind of wait: rule->sleeping. */
void sleeping_check(const struct rule_input *in, struct findings *out, const struct rule *rule);
/*
 * @plural or @singular, whichever agrees with the unit of the shares: "are" for context switches.
 */
const char *sleeping_verb(const struct rule_input *in, const char *plural, const char *singular);
/* Switches by kind. False: no stacks, which is added as @rule's "not assessed". */
bool sleeping_measure(const struct rule_input *in, struct findings *out, const struct rule *rule,
		      struct wait_switches *ret);

#endif
