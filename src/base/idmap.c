/* SPDX-License-Identifier: MIT */
#include "base/idmap.h"

#include "base/alloc.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

void idmap_fini(struct idmap *m)
{
	if (m->slots)
		free_table(m->slots, (m->mask + 1) * sizeof(*m->slots));
	memset(m, 0, sizeof(*m));
}

void idmap_grow(struct idmap *m)
{
	size_t n = m->slots ? (m->mask + 1) * 2 : 64;
	struct idmap_slot *slots = xcalloc_table(n * sizeof(*slots));

	for (size_t i = 0; m->slots && i <= m->mask; i++) {
		size_t at = m->slots[i].hash & (n - 1);

		if (m->slots[i].id_plus_1 == 0)
			continue;
		while (slots[at].id_plus_1)
			at = (at + 1) & (n - 1);
		slots[at] = m->slots[i];
	}
	if (m->slots)
		free_table(m->slots, (m->mask + 1) * sizeof(*m->slots));
	m->slots = slots;
	m->mask = n - 1;
}

uint64_t hash_str(struct str s)
{
	return XXH3_64bits(s.p ? s.p : "", s.len);
}
