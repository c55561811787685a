/* SPDX-License-Identifier: MIT */
/* code_words.h - texts and shares of annotated code, for several rules */
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
 * The unit of the weights. It follows from the event of the listing, otherwise from the nearest
 * profile before it in the text, otherwise from the kind of weights.
 */
struct event_unit code_words_unit(const struct rule_input *in);
/*
 * Share of the function in the whole recording, in percent. It comes from the listing, otherwise
 * from a profile of the same input; 0: unknown.
 */
double code_words_of_all(const struct rule_input *in, const struct code_function *f);
/*
 * Add @pct as a figure. If @n, the number of samples in 100 %, is not 0, the figure has its 95 %
 * interval from sampling.
 */
void code_words_share(struct finding *f, const char *name, double pct, double err, uint64_t n);

#endif
