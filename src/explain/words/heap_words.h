/* SPDX-License-Identifier: MIT */
/* heap_words.h - sizes of the heap that an input shows in several profiles, for rules about memory
 */
#ifndef EXPLAIN_HEAP_WORDS_H
#define EXPLAIN_HEAP_WORDS_H

#include <stdint.h>

struct fact_function;
struct rule_input;

/*
 * The bytes of the whole profile: of its own weights, or of the bytes that the same input counts
 * next to these objects ("inuse_space" for "inuse_objects"). 0: unknown.
 */
uint64_t heap_words_bytes(const struct rule_input *in);
/*
 * Part (0 to 1) of all memory ever allocated in @site that is still in use, by the profile of
 * memory in use in the same input. < 0: the input has none.
 */
double heap_words_kept(const struct rule_input *in, const struct fact_function *site);

#endif
