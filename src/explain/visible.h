/* SPDX-License-Identifier: MIT */
/*
 * visible.h - whether a finding could have shown in a capture at all
 *
 * "Clean" is a claim: looked, and it is not there. It holds only where the finding
 * would have shown: of the right event, with the functions, chains and rows that the
 * rule reads. The engine asks this once for all rules.
 */
#ifndef EXPLAIN_VISIBLE_H
#define EXPLAIN_VISIBLE_H

#include "explain/rule.h"

struct findings;
struct rule_input;

/*
 * Whether @rule holds for the event of the profile. Otherwise a rule about CPU time says so
 * as its "not assessed"; one about another kind of event says nothing.
 */
bool visible_is_of_event(const struct rule_input *in, const struct rule *rule,
			 struct findings *out);
/*
 * Each "clean" of @rule about this capture, from @first on, whose finding could not have
 * shown becomes "not assessed", with the reason. Cost: O(such sentences).
 */
void visible_doubt(const struct rule_input *in, const struct rule *rule, struct findings *out,
		   size_t first);

#endif
