/* SPDX-License-Identifier: MIT */
/*
 * code_words.h - what rules about annotated code share: the text of a line, what its
 * weights are of, and how much of everything its function has
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

/* The instruction or source line, blanks squeezed and long ones cut. In the findings' arena. */
struct str code_words_text(const struct rule_input *in, const struct code_row *row);
/*
 * What weights are of. A listing that names no event is of the nearest profile before it in
 * its text; without one the unit of its weights tells.
 */
struct event_unit code_words_unit(const struct rule_input *in);
/*
 * Percent that the function has of everything: as the listing says, or as the profile of
 * the same input has it; 0: not known.
 */
double code_words_of_all(const struct rule_input *in, const struct code_function *f);
/* Figure @pct, with a 95 % interval where @n samples are known to be behind 100 %. */
void code_words_share(struct finding *f, const char *name, double pct, double err, uint64_t n);

#endif
