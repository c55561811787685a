/* SPDX-License-Identifier: MIT */
/* c_names.h - a small set of names, numbered from 0, which is cheap to empty */
#ifndef METRICS_C_NAMES_H
#define METRICS_C_NAMES_H

#include "base/str.h"
#include "base/vec.h"

struct c_names {
	VEC(struct str) names; /* names[number]; the text is borrowed */
	/*
	 * hash table: each slot has the number of a name plus 1; 0: free. The size is a power of
	 * two
	 */
	VEC(uint32_t) slots;
	/* indices of the slots in use, so that c_names_clear() need not visit all slots */
	VEC(uint32_t) used;
};

/* Free the memory. A zeroed struct is an empty set. */
void c_names_fini(struct c_names *n);
void c_names_clear(struct c_names *n);
/* The number of @name, which is added if it is new. */
uint32_t c_names_add(struct c_names *n, struct str name);
/* The number of @name; UINT32_MAX: not in the set. */
uint32_t c_names_find(const struct c_names *n, struct str name);

#endif
