/* SPDX-License-Identifier: MIT */
/*
 * calls_select.h - select the k-th smallest duration
 *
 * For calls_summary.c, which stores durations in 32 bits. Durations that do not fit in 32 bits are
 * in a separate list.
 */
#ifndef ANALYSES_CALLS_SELECT_H
#define ANALYSES_CALLS_SELECT_H

#include "base/vec.h"
#include "core/ids.h"

struct calls;

struct calls_long_item {
	uint64_t dur_ns;
	uint32_t sym;
};

/* Durations of UINT32_MAX ns or more, sorted by function, then by duration. */
struct calls_long_list {
	VEC(struct calls_long_item) items;
};

void calls_long_list_init(struct calls_long_list *l, const struct calls *c);
void calls_long_list_fini(struct calls_long_list *l);

/*
 * The value with rank @k (from 0) among the @n @values, which are durations of function @sym.
 * UINT32_MAX in @values stands for a longer duration, which is in the list @l. Reorders @values.
 * Cost: O(n).
 */
uint64_t calls_select(const struct calls_long_list *l, sym_id sym, uint32_t *values, size_t n,
		      size_t k);

#endif
