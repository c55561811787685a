/* SPDX-License-Identifier: MIT */
/* claim_prose_names.h - private to claim_prose.c: names of functions among the words of prose */
#ifndef EXPLAIN_CLAIM_PROSE_NAMES_H
#define EXPLAIN_CLAIM_PROSE_NAMES_H

#include "base/str.h"

struct facts;

struct prose_names {
	const struct facts *facts;
	/*
	 * indexed by string id: 1 if the string is the name of a function, 2 if it is the name of a
	 * system call
	 */
	uint8_t *is_function;
	size_t n;
	uint64_t n_searches; /* number of names whose ends were compared with a word of the prose */
};

void prose_names_init(struct prose_names *n, const struct facts *f);
void prose_names_fini(struct prose_names *n);
/*
 * Whether @word is the name of a function in a capture, or the end of a name. *@ret: the whole
 * name. Some names are English words, such as "read". So @word must be marked as code (@is_code),
 * be a system call that is no English word, or have a part that English words do not have, such as
 * '_', a digit or "mem". Cost: O(word). A word of code that is not a whole name is compared with
 * the ends of all names, up to PROSE_SEARCHES_MAX comparisons in total.
 */
bool prose_names_find(struct prose_names *n, struct str word, bool is_code, struct str *ret);

#endif
