/* SPDX-License-Identifier: MIT */
#include "base/sort.h"

#include "base/alloc.h"

#include <stdbool.h>
#include <string.h>

#define SORT_FEW 32u /* arrays of at most this length use insertion sort */

static void sort_insert(struct sort_item *items, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct sort_item item = items[i];
		size_t at = i;

		for (; at > 0 && items[at - 1].key > item.key; at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
}

/*
 * One pass of a radix sort: copy @from to @to, sorted by one byte of the key, which starts at bit
 * @shift.
 */
static void sort_by_byte(const struct sort_item *from, struct sort_item *to, size_t n,
			 unsigned int shift)
{
	size_t first[257] = { 0 };

	for (size_t i = 0; i < n; i++)
		first[((from[i].key >> shift) & 255) + 1]++;
	for (size_t i = 1; i < 256; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < n; i++)
		to[first[(from[i].key >> shift) & 255]++] = from[i];
}

void sort_items(struct sort_item *items, size_t n)
{
	struct sort_item *from = items;
	struct sort_item *scratch;
	struct sort_item *to;
	uint64_t differ = 0;
	bool is_sorted = true;

	if (n <= SORT_FEW) {
		sort_insert(items, n);
		return;
	}
	for (size_t i = 1; i < n; i++) {
		differ |= items[i].key ^ items[0].key;
		is_sorted &= items[i - 1].key <= items[i].key;
	}
	if (is_sorted)
		return;
	scratch = xreallocarray(NULL, n, sizeof(*scratch));
	to = scratch;
	for (unsigned int shift = 0; shift < 64; shift += 8) {
		struct sort_item *swap = from;

		if (!(differ >> shift & 255))
			continue;
		sort_by_byte(from, to, n, shift);
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, n * sizeof(*items));
	free(scratch);
}
