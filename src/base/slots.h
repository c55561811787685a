/* SPDX-License-Identifier: MIT */
/*
 * slots.h - a hash table that grows in place: the key is a pair of 32-bit integers, the value one
 * 32-bit integer
 *
 * The key is stored in the slot, so a look-up normally reads one cache line. A large table grows at
 * its end, and its slots are then moved within the table. So there is never a second copy, and only
 * the new part is zeroed.
 *
 *     slots_reserve(&t, 1);
 *     slot = slots_find(&t, a, b);
 *     if (!slot->value)
 *             slots_fill(&t, slot, (struct slot){ a, b, value });
 *
 * A slot has 12 bytes, and at most 3/4 of the slots are used. A zeroed struct is an empty table.
 * Growth moves slots: do not keep pointers to slots.
 */
#ifndef BASE_SLOTS_H
#define BASE_SLOTS_H

#include "base/idmap.h"
#include "base/status.h"

struct slot {
	uint32_t a, b;
	uint32_t value; /* the value of the key; 0: the slot is free */
};

struct slots {
	struct slot *data;
	size_t len;        /* number of used slots */
	unsigned int bits; /* log2 of the number of slots */
};

void slots_fini(struct slots *t);
/* Remove all keys, but keep the memory of the table. */
void slots_clear(struct slots *t);
/*
 * Make room for @n more keys. Cost: O(1) per key on average, because the table grows by powers of
 * two.
 */
void slots_make_room(struct slots *t, size_t n);

static inline bool slots_have_room(const struct slots *t, size_t n)
{
	return t->data && (t->len + n) * 4 <= ((size_t)3 << t->bits);
}

static inline void slots_reserve(struct slots *t, size_t n)
{
	if (UNLIKELY(!slots_have_room(t, n)))
		slots_make_room(t, n);
}

/* Index of the slot at which the search for the key (@a, @b) starts. @t must have memory. */
static inline size_t slots_home(const struct slots *t, uint32_t a, uint32_t b)
{
	return (size_t)(hash_u64(a, b) >> (64 - t->bits));
}

/*
 * Find the slot of the key (@a, @b). If the table does not have the key, returns the free slot for
 * it. @t must have a free slot.
 */
static inline struct slot *slots_find(const struct slots *t, uint32_t a, uint32_t b)
{
	size_t mask = ((size_t)1 << t->bits) - 1;

	for (size_t at = slots_home(t, a, b);; at = (at + 1) & mask) {
		struct slot *slot = &t->data[at];

		if (slot->value == 0 || (slot->a == a && slot->b == b))
			return slot;
	}
}

static inline void slots_fill(struct slots *t, struct slot *slot, struct slot with)
{
	*slot = with;
	t->len++;
}

#endif
