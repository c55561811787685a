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
 * How much of all memory that @site allocated since the start is still in use, 0 to 1. Negative:
 * unknown, because the input has no profile of memory in use.
 */
double heap_words_kept(const struct rule_input *in, const struct fact_function *site);

#endif
