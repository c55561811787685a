/* SPDX-License-Identifier: MIT */
/* sort.h - the order of two numbers, and a radix sort for many numbers */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/*
 * The result of a comparison function: negative, 0 or positive if @a is smaller than, equal to or
 * greater than @b. For several keys, join the results with ?:, the most important key first. For a
 * descending order, swap the arguments.
 */
#define SORT_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

struct sort_item {
	uint64_t key;
	uint32_t value;
};

/*
 * Sort @items by key in ascending order. The sort is stable. Cost: one pass for each byte in which
 * keys differ; none if the items are already sorted. Temporary memory: 16 bytes per item.
 */
void sort_items(struct sort_item *items, size_t n);

#endif
