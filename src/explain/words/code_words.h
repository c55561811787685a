/* SPDX-License-Identifier: MIT */
/* code_words.h - texts and shares of annotated code (perf annotate), for several rules */
#ifndef EXPLAIN_CODE_WORDS_H
#define EXPLAIN_CODE_WORDS_H

#include "analyses/event_unit.h"
#include "base/str.h"
#include "explain/rule.h"

struct code_function;
struct code_row;
struct finding;
struct rule_input;

/* The instruction or source line of @row, truncated if long. Borrowed from the dossier. */
struct str code_words_text(const struct rule_input *in, const struct code_row *row);
/*
 * The unit of the weights in a listing of code: the unit of the event that the listing names.
 * Without a name, it is the unit of the last profile before the listing in the same input. Without
 * a profile, it follows from the kind of weights.
 */
struct event_unit code_words_unit(const struct rule_input *in);
/*
 * Share of @f in the whole recording, percent. The listing prints it, or a profile of the same
 * input has it. 0: unknown.
 */
double code_words_of_all(const struct rule_input *in, const struct code_function *f);
/*
 * Add @pct to @f as the figure @name. @n: total number of samples, from which a 95 % confidence
 * interval is computed; 0: unknown, then @err is the error of the figure.
 */
void code_words_share(struct finding *f, const char *name, double pct, double err, uint64_t n);

#endif
