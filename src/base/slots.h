/* SPDX-License-Identifier: MIT */
/*
 * slots.h - a hash table from two 32-bit integers to one, which grows in place
 *
 * The key is in the slot, so a look-up costs one cache line. A large table grows at its end, and
 * its slots are redistributed in place. So no second copy exists, and only the new part is zeroed.
 *
 *     slots_reserve(&t, 1);
 *     slot = slots_find(&t, a, b);
 *     if (!slot->value)
 *             slots_fill(&t, slot, (struct slot){ a, b, value });
 *
 * 12 bytes a slot, at most 3/4 full. A zeroed struct is an empty table. Growth moves slots: do not
 * keep pointers to them.
 */
#ifndef BASE_SLOTS_H
#define BASE_SLOTS_H

#include "base/idmap.h"
#include "base/status.h"

struct slot {
	uint32_t a, b;
	uint32_t value; /* 0: free */
};

struct slots {
	struct slot *data;
	size_t len;        /* used slots */
	unsigned int bits; /* log2 of the number of slots */
};

void slots_fini(struct slots *t);
/* Remove all keys and keep the memory. */
void slots_clear(struct slots *t);
/* Make room for @n more keys. Cost: amortised O(1) a key. */
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

/* Number of the slot at which the search for the key (@a, @b) starts. The table is not empty. */
static inline size_t slots_home(const struct slots *t, uint32_t a, uint32_t b)
{
	return (size_t)(hash_u64(a, b) >> (64 - t->bits));
}

/* Return the slot of the key (@a, @b), or the free slot for it. The table has a free slot. */
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
