/* SPDX-License-Identifier: MIT */
#include "analyses/calls/calls_select.h"

#include "base/sort.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/ids.h"

#define SELECT_SMALL 64u
#define SELECT_BITS  11u /* number of bits of each value that one pass examines */

static int select_compare_items(const void *a, const void *b)
{
	const struct calls_long_item *x = a;
	const struct calls_long_item *y = b;

	return SORT_ORDER(x->sym, y->sym) ?: SORT_ORDER(x->dur_ns, y->dur_ns);
}

void calls_long_list_init(struct calls_long_list *l, const struct calls *c)
{
	VEC_FOREACH (d, &c->long_durations)
		*VEC_PUSH(&l->items) =
			(struct calls_long_item){ d->dur_ns, c->sym.data[d->call].v };
	VEC_SORT(&l->items, select_compare_items);
}

void calls_long_list_fini(struct calls_long_list *l)
{
	VEC_FREE(&l->items);
}

static uint32_t select_small(uint32_t *values, size_t n, size_t k)
{
	for (size_t i = 1; i < n; i++) {
		uint32_t v = values[i];
		size_t at = i;

		for (; at && values[at - 1] > v; at--)
			values[at] = values[at - 1];
		values[at] = v;
	}
	return values[k];
}

/*
 * Find the value of rank @k by radix selection. Each pass finds some more bits of the result, from
 * the highest to the lowest. It keeps only the values that have the same bits.
 */
static uint32_t select_radix(uint32_t *values, size_t n, size_t k)
{
	for (unsigned int shift = 32 - SELECT_BITS;;
	     shift = shift > SELECT_BITS ? shift - SELECT_BITS : 0) {
		uint32_t counts[1u << SELECT_BITS] = { 0 };
		uint32_t mask = (1u << SELECT_BITS) - 1;
		uint32_t bucket = 0;
		size_t kept = 0;

		for (size_t i = 0; i < n; i++)
			counts[values[i] >> shift & mask]++;
		while (k >= counts[bucket])
			k -= counts[bucket++];
		if (shift == 0 || counts[bucket] == n) {
			if (shift == 0) {
				for (size_t i = 0; i < n; i++) {
					if ((values[i] & mask) == bucket)
						return values[i];
				}
			}
			continue;
		}
		/* swap instead of overwriting: later selections in this array need all values */
		for (size_t i = 0; i < n; i++) {
			if ((values[i] >> shift & mask) == bucket) {
				uint32_t swap = values[kept];

				values[kept++] = values[i];
				values[i] = swap;
			}
		}
		n = kept;
		if (n <= SELECT_SMALL)
			return select_small(values, n, k);
	}
}

uint64_t calls_select(const struct calls_long_list *l, sym_id sym, uint32_t *values, size_t n,
		      size_t k)
{
	uint32_t v = n <= SELECT_SMALL ? select_small(values, n, k) : select_radix(values, n, k);
	size_t long_values;
	size_t low;

	if (LIKELY(v != UINT32_MAX))
		return v;
	/*
	 * the list has the durations of @sym that do not fit in 32 bits, in ascending order. `low`
	 * is the index after the last of them
	 */
	low = VEC_PARTITION(&l->items, it, it->sym <= sym.v);
	long_values = n - k; /* number of durations from rank k to the largest */
	return low >= long_values ? l->items.data[low - long_values].dur_ns : UINT32_MAX;
}
