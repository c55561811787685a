/* SPDX-License-Identifier: MIT */
/*
 * sleeping.h - rules about where threads leave the CPU
 *
 * Of samples of context switches (context-switches, sched:sched_switch, stacks in the
 * scheduler): each says where a thread went to sleep, none for how long. So a share is
 * of the switches, and what takes long but happens seldom does not show.
 */
#ifndef EXPLAIN_SLEEPING_H
#define EXPLAIN_SLEEPING_H

#include <stdbool.h>

struct findings;
struct rule;
struct rule_input;
struct wait_switches;

/* The whole check of a rule that is a kind of wait: rule->sleeping. */
void sleeping_check(const struct rule_input *in, struct findings *out, const struct rule *rule);
/* "of the context switches" as a noun behind a figure, with its verb: "… are". */
const char *sleeping_verb(const struct rule_input *in, const char *plural, const char *singular);
/* Switches by kind; false: there are no stacks, which is said as @rule's "not assessed". */
bool sleeping_measure(const struct rule_input *in, struct findings *out, const struct rule *rule,
		      struct wait_switches *ret);

#endif
