/* SPDX-License-Identifier: MIT */
/*
 * code_words.h - shared by rules about annotated code: the text of a line, the unit of its
 * weights, and the share of its function in everything
 */
#ifndef EXPLAIN_CODE_WORDS_H
#define EXPLAIN_CODE_WORDS_H

#include "analyses/event_unit.h"
#include "base/str.h"
#include "explain/rule.h"

struct code_function;
struct code_row;
struct finding;
struct rule_input;

/*
 * The instruction or source line, with blanks squeezed, truncated if long. In the findings'
 * arena.
 */
struct str code_words_text(const struct rule_input *in, const struct code_row *row);
/*
 * The unit of the weights. A listing without an event belongs to the nearest profile before it
 * in its text; without a profile, the unit of its weights decides.
 */
struct event_unit code_words_unit(const struct rule_input *in);
/*
 * Share of the function in everything, in percent: from the listing, or from the profile of the
 * same input; 0: unknown.
 */
double code_words_of_all(const struct rule_input *in, const struct code_function *f);
/* Add the figure @pct, with a 95 % interval if 100 % is known to be @n samples. */
void code_words_share(struct finding *f, const char *name, double pct, double err, uint64_t n);

#endif
