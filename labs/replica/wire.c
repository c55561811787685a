/* SPDX-License-Identifier: MIT */
#include "replica/wire.h"

#ifdef HAVE_PROTOBUF
#include "replica/wire_protobuf.h"
#endif

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct vr_state) + VR_PIECE_MAX * sizeof(struct vr_entry) <= WIRE_PAYLOAD_MAX,
	       "a plain message has room");

/* Bytes of a checkpoint whose client table has @n rows. */
static size_t wire_state_bytes(uint64_t n)
{
	return offsetof(struct vr_state, clients) + n * sizeof(struct vr_client_row);
}

static uint32_t wire_parts(size_t payload)
{
	return payload ? (uint32_t)((payload + WIRE_PART - 1) / WIRE_PART) : 1;
}

#ifdef HAVE_PROTOBUF
static uint32_t wire_begin_packed(struct wire_out *out)
{
	if (!out->packer)
		out->packer = wire_packer_new();
	out->payload = out->packer ? wire_pack(out->packer, out->m, &out->packed) : 0;
	return out->payload ? wire_parts(out->payload) : 0;
}

static bool wire_unpack_packed(struct wire_in *in, const struct wire_header *h, const char *payload,
			       size_t n, struct vr_message *ret_m)
{
	return wire_parse(payload, n, in, ret_m) && ret_m->from == h->m.from;
}
#else
static uint32_t wire_begin_packed(struct wire_out *out)
{
	(void)out;
	return 0;
}

static bool wire_unpack_packed(struct wire_in *in, const struct wire_header *h, const char *payload,
			       size_t n, struct vr_message *ret_m)
{
	(void)in;
	(void)h;
	(void)payload;
	(void)n;
	(void)ret_m;
	return false;
}
#endif

bool wire_kind_find(const char *name, enum wire_kind *ret_kind)
{
	if (strcmp(name, "plain") == 0) {
		*ret_kind = WIRE_PLAIN;
		return true;
	}
#ifdef HAVE_PROTOBUF
	if (strcmp(name, "protobuf") == 0) {
		*ret_kind = WIRE_PROTOBUF;
		return true;
	}
#endif
	return false;
}

uint32_t wire_begin(struct wire_out *out, const struct vr_message *m, uint32_t serial)
{
	out->m = m;
	out->serial = serial;
	if (out->kind == WIRE_PROTOBUF)
		return wire_begin_packed(out);
	if (m->n_entries > VR_PIECE_MAX)
		return 0;
	out->state_bytes = m->state ? wire_state_bytes(m->state->n_clients) : 0;
	out->payload = out->state_bytes + m->n_entries * sizeof(struct vr_entry);
	return wire_parts(out->payload);
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

static size_t wire_put_packed(const struct wire_out *out, uint32_t i, void *buffer)
{
	const struct wire_packed_header h = { .magic = WIRE_MAGIC_PROTOBUF,
					      .serial = out->serial,
					      .fragment = i,
					      .from = out->m->from,
					      .bytes = (uint32_t)out->payload };
	size_t from = i * WIRE_PART;
	size_t n = out->payload - from < WIRE_PART ? out->payload - from : WIRE_PART;

	memcpy(buffer, &h, sizeof(h));
	memcpy((char *)buffer + sizeof(h), out->packed + from, n);
	return sizeof(h) + n;
}

size_t wire_put(const struct wire_out *out, uint32_t i, void *buffer)
{
	struct wire_header h = {
		.magic = WIRE_MAGIC, .serial = out->serial, .fragment = i, .m = *out->m
	};
	size_t from = i * WIRE_PART;
	size_t to = out->payload;

	if (out->kind == WIRE_PROTOBUF)
		return wire_put_packed(out, i, buffer);
	h.state_bytes = (uint32_t)out->state_bytes;
	if (to - from > WIRE_PART)
		to = from + WIRE_PART;
	h.m.entries = NULL;
	h.m.state = NULL;
	memcpy(buffer, &h, sizeof(h));
	wire_copy(out->m, h.state_bytes, from, to, (char *)buffer + sizeof(h));
	return sizeof(h) + to - from;
}

void wire_out_fini(struct wire_out *out)
{
	free(out->packer);
	out->packer = NULL;
}

/* Bytes of the payload that @h announces; 0 and @ret_is_bad: more than there can be. */
static size_t wire_announced(const struct wire_header *h, bool *ret_is_bad)
{
	if (h->magic == WIRE_MAGIC_PROTOBUF) {
		*ret_is_bad = h->state_bytes == 0 || h->state_bytes > WIRE_PACKED_MAX;
		return *ret_is_bad ? 0 : h->state_bytes;
	}
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

		if (slots[i].used && known->magic == h->magic && known->serial == h->serial &&
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

/* Make the message of a whole payload of a plain message. */
static bool wire_unpack_plain(struct wire_in *in, const struct wire_header *h, const char *payload,
			      struct vr_message *ret_m)
{
	*ret_m = h->m;
	ret_m->entries = NULL;
	ret_m->state = NULL;
	if (h->state_bytes) {
		memset(&in->state, 0, sizeof(in->state));
		memcpy(&in->state, payload, h->state_bytes);
		if (in->state.n_clients > VR_CLIENTS_MAX ||
		    wire_state_bytes(in->state.n_clients) != h->state_bytes)
			return false;
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

/* Make the message of a whole payload of @n bytes. */
static bool wire_unpack(struct wire_in *in, const struct wire_header *h, const char *payload,
			size_t n, struct vr_message *ret_m)
{
	bool is_good = h->magic == WIRE_MAGIC_PROTOBUF
			       ? wire_unpack_packed(in, h, payload, n, ret_m)
			       : wire_unpack_plain(in, h, payload, ret_m);

	in->n_bad += !is_good;
	return is_good;
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
		return wire_unpack(in, h, data, n, ret_m);
	a = wire_find(in, h, payload);
	if (!a || a->has[h->fragment])
		return false;
	memcpy(a->payload + from, data, n);
	a->has[h->fragment] = true;
	/* a complete message keeps its slot, so that doubled fragments do not begin it again */
	return --a->n_missing == 0 && wire_unpack(in, &a->header, a->payload, payload, ret_m);
}

static bool wire_get_plain(struct wire_in *in, const char *data, size_t len,
			   struct vr_message *ret_m)
{
	struct wire_header h;

	if (len >= sizeof(h))
		memcpy(&h, data, sizeof(h));
	if (len < sizeof(h) || h.m.type == 0 || h.m.type >= VR_TYPES) {
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
	return wire_add(in, &h, data + sizeof(h), len - sizeof(h), ret_m);
}

/* A datagram of Protocol Buffers. A request or a reply is never in fragments. */
static bool wire_get_packed(struct wire_in *in, const char *data, size_t len,
			    struct vr_message *ret_m)
{
	struct wire_packed_header p;
	struct wire_header h = { .magic = WIRE_MAGIC_PROTOBUF };
	size_t n = len - sizeof(p);
	bool is_good;

	if (len >= sizeof(p))
		memcpy(&p, data, sizeof(p));
	if (len < sizeof(p) || p.bytes < n || (p.bytes > n && p.from >= WIRE_SENDERS)) {
		if (in)
			in->n_bad++;
		return false;
	}
	h.serial = p.serial;
	h.fragment = p.fragment;
	h.state_bytes = p.bytes;
	h.m.from = p.from;
	if (p.bytes > n)
		return in && wire_add(in, &h, data + sizeof(p), n, ret_m);
	is_good = p.fragment == 0 && wire_unpack_packed(in, &h, data + sizeof(p), n, ret_m);
	if (in)
		in->n_bad += !is_good;
	return is_good;
}

bool wire_get(struct wire_in *in, const void *data, size_t len, struct vr_message *ret_m)
{
	uint32_t magic = 0;

	if (len >= sizeof(magic))
		memcpy(&magic, data, sizeof(magic));
	if (magic == WIRE_MAGIC)
		return wire_get_plain(in, data, len, ret_m);
	if (magic == WIRE_MAGIC_PROTOBUF)
		return wire_get_packed(in, data, len, ret_m);
	if (in)
		in->n_bad++;
	return false;
}

void wire_fini(struct wire_in *in)
{
	for (size_t i = 0; i < WIRE_SENDERS; i++) {
		for (size_t k = 0; k < WIRE_SLOTS; k++)
			free(in->of[i][k].payload);
	}
	free(in->entries);
}
