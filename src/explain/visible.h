/* SPDX-License-Identifier: MIT */
/* visible.h - could a capture show the problem of a rule? Only then the rule may report "clean" */
#ifndef EXPLAIN_VISIBLE_H
#define EXPLAIN_VISIBLE_H

#include "explain/rule.h"

#include <stddef.h>

struct findings;
struct rule_input;

/*
 * Is the event of this profile one that @rule supports? If not, "not assessed" is added for a
 * rule about CPU time, and nothing for any other rule.
 */
bool visible_is_of_event(const struct rule_input *in, const struct rule *rule,
			 struct findings *out);
/*
 * Did a filter such as grep leave out lines between those of this log or trace of calls? Then
 * "not assessed" is added for a rule that needs all calls or their order. head and tail leave out
 * only the ends.
 */
bool visible_is_filtered(const struct rule_input *in, const struct rule *rule,
			 struct findings *out);
/*
 * Could this capture show a problem of @rule at all? If not, turn the rule's "clean" results into
 * "not assessed", with the reason: those at index @first or later of the results. Cost: O(number
 * of "clean").
 */
void visible_doubt(const struct rule_input *in, const struct rule *rule, struct findings *out,
		   size_t first);

#endif
