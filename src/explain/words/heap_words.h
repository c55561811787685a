/* SPDX-License-Identifier: MIT */
/* heap_words.h - sizes of the heap that an input shows in several profiles, for rules about memory
 */
#ifndef EXPLAIN_HEAP_WORDS_H
#define EXPLAIN_HEAP_WORDS_H

#include <stdint.h>

struct fact_function;
struct rule_input;

/*
 * Total bytes of the profile. If the profile counts objects ("inuse_objects"), the total is taken
 * from the profile of their bytes in the same input ("inuse_space"). 0: unknown.
 */
uint64_t heap_words_bytes(const struct rule_input *in);
/*
 * Part (0 to 1) of all memory allocated in @site since the start that is still in use. It needs a
 * profile of memory in use in the same input. Negative: the input has none.
 */
double heap_words_kept(const struct rule_input *in, const struct fact_function *site);

#endif
