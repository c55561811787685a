/* SPDX-License-Identifier: MIT */
#include "replica/wire.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a checkpoint whose client table has @n rows. */
static size_t wire_state_bytes(uint64_t n)
{
	return offsetof(struct vr_state, clients) + n * sizeof(struct vr_client_row);
}

static size_t wire_payload(const struct vr_message *m)
{
	return (m->state ? wire_state_bytes(m->state->n_clients) : 0) +
	       m->n_entries * sizeof(struct vr_entry);
}

static uint32_t wire_parts(size_t payload)
{
	return payload ? (uint32_t)((payload + WIRE_PART - 1) / WIRE_PART) : 1;
}

uint32_t wire_fragments(const struct vr_message *m)
{
	return m->n_entries <= VR_PIECE_MAX ? wire_parts(wire_payload(m)) : 0;
}

/* Copy bytes @from to @to of the payload: the checkpoint, then the entries. */
static void wire_copy(const struct vr_message *m, size_t state_bytes, size_t from, size_t to,
		      char *at)
{
	if (from < state_bytes) {
		size_t n = (to < state_bytes ? to : state_bytes) - from;

		memcpy(at, (const char *)m->state + from, n);
		at += n;
		from += n;
	}
	if (from < to)
		memcpy(at, (const char *)m->entries + (from - state_bytes), to - from);
}

size_t wire_put(const struct vr_message *m, uint32_t serial, uint32_t i, void *buffer)
{
	struct wire_header h = { .magic = WIRE_MAGIC, .serial = serial, .fragment = i, .m = *m };
	size_t from = i * WIRE_PART;
	size_t to = wire_payload(m);

	if (m->state)
		h.state_bytes = (uint32_t)wire_state_bytes(m->state->n_clients);
	if (to - from > WIRE_PART)
		to = from + WIRE_PART;
	h.m.entries = NULL;
	h.m.state = NULL;
	memcpy(buffer, &h, sizeof(h));
	wire_copy(m, h.state_bytes, from, to, (char *)buffer + sizeof(h));
	return sizeof(h) + to - from;
}

/* Bytes of the payload that @h announces; 0 and @ret_is_bad: more than there can be. */
static size_t wire_announced(const struct wire_header *h, bool *ret_is_bad)
{
	*ret_is_bad = h->m.n_entries > VR_PIECE_MAX || h->state_bytes > sizeof(struct vr_state) ||
		      (h->state_bytes && h->state_bytes < wire_state_bytes(0));
	return *ret_is_bad ? 0 : h->state_bytes + h->m.n_entries * sizeof(struct vr_entry);
}

/* The message of which @h is a fragment; a new one replaces the oldest. NULL: no memory. */
static struct wire_assembly *wire_find(struct wire_in *in, const struct wire_header *h,
				       size_t payload)
{
	struct wire_assembly *slots = in->of[h->m.from];
	struct wire_assembly *oldest = &slots[0];

	for (size_t i = 0; i < WIRE_SLOTS; i++) {
		const struct wire_header *known = &slots[i].header;

		if (slots[i].used && known->serial == h->serial &&
		    known->state_bytes == h->state_bytes && known->m.n_entries == h->m.n_entries)
			return &slots[i];
		if (slots[i].used < oldest->used)
			oldest = &slots[i];
	}
	in->n_given_up += oldest->n_missing > 0;
	if (!oldest->payload)
		oldest->payload = malloc(WIRE_PAYLOAD_MAX);
	if (!oldest->payload)
		return NULL;
	memset(oldest->has, 0, sizeof(oldest->has));
	oldest->used = ++in->clock;
	oldest->n_missing = wire_parts(payload);
	oldest->header = *h;
	return oldest;
}

/* Make the message of a whole payload. */
static bool wire_unpack(struct wire_in *in, const struct wire_header *h, const char *payload,
			struct vr_message *ret_m)
{
	*ret_m = h->m;
	ret_m->entries = NULL;
	ret_m->state = NULL;
	if (h->state_bytes) {
		memset(&in->state, 0, sizeof(in->state));
		memcpy(&in->state, payload, h->state_bytes);
		if (in->state.n_clients > VR_CLIENTS_MAX ||
		    wire_state_bytes(in->state.n_clients) != h->state_bytes) {
			in->n_bad++;
			return false;
		}
		ret_m->state = &in->state;
	}
	if (!h->m.n_entries)
		return true;
	if (!in->entries)
		in->entries = malloc(VR_PIECE_MAX * sizeof(*in->entries));
	if (!in->entries)
		return false;
	memcpy(in->entries, payload + h->state_bytes, h->m.n_entries * sizeof(*in->entries));
	ret_m->entries = in->entries;
	return true;
}

static bool wire_add(struct wire_in *in, const struct wire_header *h, const char *data, size_t n,
		     struct vr_message *ret_m)
{
	bool is_bad;
	size_t payload = wire_announced(h, &is_bad);
	size_t from = h->fragment * WIRE_PART;
	struct wire_assembly *a;

	if (is_bad || h->fragment >= wire_parts(payload) ||
	    n != (payload - from < WIRE_PART ? payload - from : WIRE_PART)) {
		in->n_bad++;
		return false;
	}
	if (n == payload)
		return wire_unpack(in, h, data, ret_m);
	a = wire_find(in, h, payload);
	if (!a || a->has[h->fragment])
		return false;
	memcpy(a->payload + from, data, n);
	a->has[h->fragment] = true;
	/* a complete message keeps its slot, so that doubled fragments do not begin it again */
	return --a->n_missing == 0 && wire_unpack(in, &a->header, a->payload, ret_m);
}

bool wire_get(struct wire_in *in, const void *data, size_t len, struct vr_message *ret_m)
{
	struct wire_header h;

	if (len >= sizeof(h))
		memcpy(&h, data, sizeof(h));
	if (len < sizeof(h) || h.magic != WIRE_MAGIC || h.m.type == 0 || h.m.type >= VR_TYPES) {
		if (in)
			in->n_bad++;
		return false;
	}
	if (h.m.type == VR_REQUEST || h.m.type == VR_REPLY) {
		*ret_m = h.m;
		ret_m->n_entries = 0;
		ret_m->entries = NULL;
		ret_m->state = NULL;
		return true;
	}
	if (!in || h.m.from >= WIRE_SENDERS)
		return false;
	return wire_add(in, &h, (const char *)data + sizeof(h), len - sizeof(h), ret_m);
}

void wire_fini(struct wire_in *in)
{
	for (size_t i = 0; i < WIRE_SENDERS; i++) {
		for (size_t k = 0; k < WIRE_SLOTS; k++)
			free(in->of[i][k].payload);
	}
	free(in->entries);
}
