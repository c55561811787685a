/* SPDX-License-Identifier: MIT */
/* c_names.h - a set of names, which get the numbers 0, 1, 2 …; it is fast to clear */
#ifndef METRICS_C_NAMES_H
#define METRICS_C_NAMES_H

#include "base/str.h"
#include "base/vec.h"

struct c_names {
	VEC(struct str) names; /* names[number]; the text is borrowed */
	/*
	 * hash table: each slot has the number of a name, plus 1; 0: free slot. The number of slots
	 * is a power of two
	 */
	VEC(uint32_t) slots;
	/* indices of the occupied slots: c_names_clear() clears only these */
	VEC(uint32_t) used;
};

/* Free the memory of @n. A zeroed struct is an empty set and needs no initialisation. */
void c_names_fini(struct c_names *n);
void c_names_clear(struct c_names *n);
/* Return the number of @name. Add @name to the set if it is new. */
uint32_t c_names_add(struct c_names *n, struct str name);
/* The number of @name; UINT32_MAX: not in the set. */
uint32_t c_names_find(const struct c_names *n, struct str name);

#endif
