/* SPDX-License-Identifier: MIT */
/* mutex_words.h - the holder of a lock for which others wait, from mutex profiles of Go */
#ifndef EXPLAIN_MUTEX_WORDS_H
#define EXPLAIN_MUTEX_WORDS_H

#include <stdbool.h>

struct fact_function;
struct finding;
struct findings;
struct rule_input;

/*
 * Does @f unlock a mutex of Go, in a profile of waits? Then its caller held the lock: the runtime
 * charges a wait to the stack that ended the wait (SetMutexProfileFraction in package runtime).
 */
bool mutex_words_is_unlock(const struct rule_input *in, const struct fact_function *f);
/*
 * Were the waits that ended in @unlock long and many? Then the holder does slow work under the
 * lock, or the queue is long. False if the profile does not count the waits.
 */
bool mutex_words_is_slow(const struct rule_input *in, const struct fact_function *unlock);
/*
 * Rewrite claim, cause and next step of @f, so that they name the caller of @unlock, which held the
 * lock. False: no caller is known, and @f is unchanged.
 */
bool mutex_words_add(const struct rule_input *in, struct findings *out, struct finding *f,
		     const struct fact_function *unlock);

#endif
