/* SPDX-License-Identifier: MIT */
/*
 * calls_select.h - select the k-th smallest duration
 *
 * For calls_summary.c: durations have 32 bits; the few longer ones are in a separate list.
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

/* Durations of UINT32_MAX ns or more, sorted by function, then by length. */
struct calls_long_list {
	VEC(struct calls_long_item) items;
};

void calls_long_list_init(struct calls_long_list *l, const struct calls *c);
void calls_long_list_fini(struct calls_long_list *l);

/*
 * The value at rank @k (< n) of values[0, n), where UINT32_MAX stands for a long duration of
 * @sym. Reorders values. Cost: O(n).
 */
uint64_t calls_select(const struct calls_long_list *l, sym_id sym, uint32_t *values, size_t n,
		      size_t k);

#endif
