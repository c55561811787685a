/* SPDX-License-Identifier: MIT */
/* rand_words.h - threads that share the lock of rand() in the C library */
#ifndef EXPLAIN_RAND_WORDS_H
#define EXPLAIN_RAND_WORDS_H

#include <stdbool.h>

struct finding;
struct findings;
struct profile_facts;
struct rule_input;

/*
 * Do several threads of profile @p call rand() or random() of glibc, and is most of that time in
 * the function that takes the lock? glibc has one lock for all threads (stdlib/random.c).
 */
bool rand_words_is_shared(const struct profile_facts *p);
/*
 * Is rand_words_is_shared() true for any profile in the input of @in? Then threads of this input
 * that wait in system calls are not idle.
 */
bool rand_words_is_in_input(const struct rule_input *in);
/*
 * Rewrite claim, cause and next step of @f. @pct: share of the finding in the profile of @in,
 * percent.
 */
void rand_words_add(const struct rule_input *in, struct findings *out, struct finding *f,
		    double pct);

#endif
