/* SPDX-License-Identifier: MIT */
/* visible.h - could a capture show a finding at all? */
#ifndef EXPLAIN_VISIBLE_H
#define EXPLAIN_VISIBLE_H

#include "explain/rule.h"

#include <stddef.h>

struct findings;
struct rule_input;

/*
 * Does @rule support the event of this profile? If not, a rule about CPU time adds "not assessed",
 * and any other rule adds nothing.
 */
bool visible_is_of_event(const struct rule_input *in, const struct rule *rule,
			 struct findings *out);
/*
 * For @rule and this capture: check whether the data could show a finding at all. If not, turn each
 * of its "clean" results at index @first or later into "not assessed", with the reason. Cost:
 * O(number of "clean").
 */
void visible_doubt(const struct rule_input *in, const struct rule *rule, struct findings *out,
		   size_t first);

#endif
