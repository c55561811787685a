/* SPDX-License-Identifier: MIT */
/*
 * sort.h - numbers in order, faster than by comparing
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

struct sort_item {
	uint64_t key;
	uint32_t value;
};

/*
 * Ascending by key, equal ones in the order they have. Cost: a pass for each byte
 * in which keys differ, none where they are in order already; 16 bytes an item
 * while it runs.
 */
void sort_items(struct sort_item *items, size_t n);

#endif
