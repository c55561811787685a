/* SPDX-License-Identifier: MIT */
/* sort.h - radix sort of numbers */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

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
