/* SPDX-License-Identifier: MIT */
#include "replica/wire.h"

#include <stdlib.h>
#include <string.h>

uint32_t wire_fragments(const struct vr_message *m)
{
	uint64_t n = (m->n_entries + WIRE_ENTRIES - 1) / WIRE_ENTRIES;

	return n ? (uint32_t)n : 1;
}

size_t wire_put(const struct vr_message *m, uint32_t serial, uint32_t i, void *buffer)
{
	struct wire_header h = { .magic = WIRE_MAGIC,
				 .serial = serial,
				 .fragment = i,
				 .n_fragments = wire_fragments(m),
				 .m = *m };
	uint64_t first = (uint64_t)i * WIRE_ENTRIES;
	uint64_t n = m->n_entries - first;

	if (n > WIRE_ENTRIES)
		n = WIRE_ENTRIES;
	h.m.entries = NULL;
	memcpy(buffer, &h, sizeof(h));
	if (n)
		memcpy((char *)buffer + sizeof(h), m->entries + first, n * sizeof(*m->entries));
	return sizeof(h) + n * sizeof(*m->entries);
}

static bool wire_add(struct wire_assembly *a, const struct wire_header *h, const void *data,
		     size_t n)
{
	if (h->fragment == 0) {
		a->serial = h->serial;
		a->next = 0;
		a->n = 0;
	}
	if (h->serial != a->serial || h->fragment != a->next || a->n + n > h->m.n_entries)
		return false;
	if (a->n + n > a->room) {
		size_t room = (a->n + n) * 2;
		struct vr_entry *entries = realloc(a->entries, room * sizeof(*entries));

		if (!entries)
			return false;
		a->entries = entries;
		a->room = room;
	}
	if (n)
		memcpy(a->entries + a->n, data, n * sizeof(*a->entries));
	a->n += n;
	a->next++;
	return a->next == h->n_fragments && a->n == h->m.n_entries;
}

bool wire_get(struct wire_in *in, const void *data, size_t len, struct vr_message *ret_m)
{
	struct wire_header h;
	struct wire_assembly *a;
	size_t n;

	if (len < sizeof(h))
		return false;
	memcpy(&h, data, sizeof(h));
	n = (len - sizeof(h)) / sizeof(struct vr_entry);
	if (h.magic != WIRE_MAGIC || h.m.n_entries > VR_LOG_MAX || n > WIRE_ENTRIES ||
	    h.m.type == 0 || h.m.type >= VR_TYPES)
		return false;
	if (h.m.type == VR_REQUEST || h.m.type == VR_REPLY) {
		h.m.n_entries = 0;
		h.m.entries = NULL;
		*ret_m = h.m;
		return true;
	}
	if (!in || h.m.from >= VR_REPLICAS_MAX)
		return false;
	a = &in->of[h.m.from];
	if (!wire_add(a, &h, (const char *)data + sizeof(h), n))
		return false;
	*ret_m = h.m;
	ret_m->entries = a->entries;
	return true;
}

void wire_fini(struct wire_in *in)
{
	for (size_t i = 0; i < WIRE_SENDERS; i++)
		free(in->of[i].entries);
}
