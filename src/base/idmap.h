/* SPDX-License-Identifier: MIT */
/*
 * idmap.h - a hash index of 32-bit ids; the caller stores the keys
 *
 * Open addressing with linear probing. A slot holds an id and 32 bits of the hash of its key. A
 * look-up reads a key only if these bits match. The caller keeps the keys in arrays, and compares
 * them:
 *
 *     struct idmap_probe p = idmap_first(&m, hash);
 *     while (idmap_next(&m, &p))
 *             if (keys[p.id] == key) return p.id;
 *     idmap_insert(&m, &p, new_id);
 *
 * Ids are never removed. A slot has 8 bytes, and at most 3/4 of the slots are used: 11 to 21 bytes
 * per id. A zeroed struct is an empty map.
 */
#ifndef BASE_IDMAP_H
#define BASE_IDMAP_H

#include "base/status.h"
#include "base/str.h"

struct idmap_slot {
	uint32_t id_plus_1; /* the id, plus 1; 0: the slot is empty */
	uint32_t hash;
};

struct idmap {
	struct idmap_slot *slots;
	size_t mask; /* number of slots minus 1; 0 if there are no slots */
	size_t len;
};

struct idmap_probe {
	size_t at;
	uint32_t hash;
	uint32_t id; /* valid after idmap_next() returned true */
};

void idmap_fini(struct idmap *m);
void idmap_grow(struct idmap *m);

/*
 * Start a look-up of @hash. Grows the map if it is too full for one more id, so that idmap_insert()
 * may follow.
 */
static inline struct idmap_probe idmap_first(struct idmap *m, uint64_t hash)
{
	struct idmap_probe p = { 0, (uint32_t)(hash >> 32) ^ (uint32_t)hash, 0 };

	if (UNLIKELY((m->len + 1) * 4 > (m->mask + 1) * 3 || !m->slots))
		idmap_grow(m);
	p.at = p.hash & m->mask;
	return p;
}

/*
 * Find the next id whose 32 bits of hash match. True: the id is p->id. False: there is no further
 * id; the search ended at a free slot.
 */
static inline bool idmap_next(const struct idmap *m, struct idmap_probe *p)
{
	for (;;) {
		const struct idmap_slot *s = &m->slots[p->at];

		if (s->id_plus_1 == 0)
			return false;
		p->at = (p->at + 1) & m->mask;
		if (s->hash == p->hash) {
			p->id = s->id_plus_1 - 1;
			return true;
		}
	}
}

/*
 * Store @id in the first free slot at or after @p. The map must not have an id with the same key.
 */
static inline void idmap_insert(struct idmap *m, const struct idmap_probe *p, uint32_t id)
{
	size_t at = p->at;

	while (UNLIKELY(m->slots[at].id_plus_1))
		at = (at + 1) & m->mask;
	m->slots[at] = (struct idmap_slot){ id + 1, p->hash };
	m->len++;
}

/* Mix two 64-bit integers into a hash (multiply-fold, as in wyhash). */
static inline uint64_t hash_u64(uint64_t a, uint64_t b)
{
	__uint128_t m = (__uint128_t)(a ^ UINT64_C(0xa0761d6478bd642f)) *
			(b ^ UINT64_C(0xe7037ed1a0b428db));

	return (uint64_t)(m >> 64) ^ (uint64_t)m;
}

/* The 64-bit XXH3 hash of @s. */
uint64_t hash_str(struct str s);

#endif
