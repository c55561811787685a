/* SPDX-License-Identifier: MIT */
/* visible.h - can a capture show the problem of a rule? If not, the rule must not report "clean" */
#ifndef EXPLAIN_VISIBLE_H
#define EXPLAIN_VISIBLE_H

#include "explain/rule.h"

#include <stddef.h>

struct findings;
struct rule_input;

/*
 * Does @rule support the event of this profile? If not, "not assessed" is added for a rule about
 * CPU time. All other rules get no result.
 */
bool visible_is_of_event(const struct rule_input *in, const struct rule *rule,
			 struct findings *out);
/*
 * Did a filter such as grep remove lines from the middle of this log or trace of calls? Then "not
 * assessed" is added for a rule that needs all calls or their order. (head and tail remove only the
 * start or the end.)
 */
bool visible_is_filtered(const struct rule_input *in, const struct rule *rule,
			 struct findings *out);
/*
 * Can this capture show a problem of @rule at all? If not, change the rule's "clean" results into
 * "not assessed", with the reason. Only results from index @first on are changed. Cost: O(number of
 * "clean").
 */
void visible_doubt(const struct rule_input *in, const struct rule *rule, struct findings *out,
		   size_t first);

#endif
