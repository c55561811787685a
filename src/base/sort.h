/* SPDX-License-Identifier: MIT */
/* sort.h - the order of two numbers, and radix sort of many */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/*
 * For comparison functions: negative, 0 or positive if @a comes before, with or after @b. Keys are
 * joined by ?:, the most important one first. Swap the arguments for a descending order.
 */
#define SORT_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

struct sort_item {
	uint64_t key;
	uint32_t value;
};

/*
 * Sort by key, ascending and stable. Cost: one pass per byte in which keys differ, none if
 * already sorted; 16 bytes an item of temporary memory.
 */
void sort_items(struct sort_item *items, size_t n);

#endif
