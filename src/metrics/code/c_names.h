/* SPDX-License-Identifier: MIT */
/* c_names.h - a small, often emptied set of names with numbers */
#ifndef METRICS_C_NAMES_H
#define METRICS_C_NAMES_H

#include "base/str.h"
#include "base/vec.h"

struct c_names {
	VEC(struct str) names; /* borrowed */
	VEC(uint32_t) slots;   /* id + 1 by hash; a power of two */
	VEC(uint32_t) used;    /* slots to clear */
};

/* A zeroed struct is an empty set. */
void c_names_fini(struct c_names *n);
void c_names_clear(struct c_names *n);
/* The number of @name, added if new. */
uint32_t c_names_add(struct c_names *n, struct str name);
/* The number of @name, or UINT32_MAX. */
uint32_t c_names_find(const struct c_names *n, struct str name);

#endif
