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
 * Do several threads of profile @p draw random numbers with rand() or random() of glibc, and is
 * most of that time in the function that takes the lock? glibc has one lock for all threads
 * (stdlib/random.c).
 */
bool rand_words_is_shared(const struct profile_facts *p);
/*
 * Does a profile in the input of @in show this? Then threads that wait in system calls of the same
 * input are not idle.
 */
bool rand_words_is_in_input(const struct rule_input *in);
/* Replace claim, cause and next step of @f, which is about @pct percent of profile @in. */
void rand_words_add(const struct rule_input *in, struct findings *out, struct finding *f,
		    double pct);

#endif
