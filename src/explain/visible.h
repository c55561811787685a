/* SPDX-License-Identifier: MIT */
/* visible.h - could a capture show a finding at all? */
#ifndef EXPLAIN_VISIBLE_H
#define EXPLAIN_VISIBLE_H

#include "explain/rule.h"

#include <stddef.h>

struct findings;
struct rule_input;

/*
 * Does @rule support the event of the profile? If not, a rule about CPU time adds "not
 * assessed"; a rule about another kind of event is silent.
 */
bool visible_is_of_event(const struct rule_input *in, const struct rule *rule,
			 struct findings *out);
/*
 * Turn each "clean" of @rule about this capture, from @first on, into "not assessed" with the
 * reason if the finding could not have shown. Cost: O(number of "clean").
 */
void visible_doubt(const struct rule_input *in, const struct rule *rule, struct findings *out,
		   size_t first);

#endif
