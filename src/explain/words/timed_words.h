/* SPDX-License-Identifier: MIT */
/*
 * timed_words.h - causes of hot Python functions, as shown by numbers of calls in the output of
 * cProfile
 */
#ifndef EXPLAIN_TIMED_WORDS_H
#define EXPLAIN_TIMED_WORDS_H

#include "base/str.h"

#include <stdbool.h>

struct fact_function;
struct finding;
struct findings;
struct rule_input;

/* Number of calls of @fn, as the tool prints it; 0: not printed. */
double timed_words_calls(const struct rule_input *in, const struct fact_function *fn);
/*
 * A clause about the number of calls of @fn, which take @ns nanoseconds in total: ", in 29597 calls
 * of 133 ms". Empty: the number is not printed. @call: the noun, "call" or "wait".
 */
const char *timed_words_in_calls(struct findings *out, const struct rule_input *in,
				 const struct fact_function *fn, double ns, const char *call);
/*
 * If the numbers of calls show why the function @first is hot, set the cause and the next step of
 * @f. @bare: the function's name without its file. False: they show no reason.
 */
bool timed_words_cause(const struct rule_input *in, struct findings *out, struct finding *f,
		       const struct fact_function *first, struct str bare);

#endif
