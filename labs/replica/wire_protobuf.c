/* SPDX-License-Identifier: MIT */
#include "replica/wire_protobuf.h"

#include "vr.pb-c.h"

#include <stdlib.h>
#include <string.h>

/* A message of vr.proto has pointers to its parts. They are here. */
struct wire_packer {
	Replica__Entry entries[VR_PIECE_MAX];
	Replica__Entry *entry_at[VR_PIECE_MAX];
	Replica__Client clients[VR_CLIENTS_MAX];
	Replica__Client *client_at[VR_CLIENTS_MAX];
	Replica__Entry client_before[VR_CLIENTS_MAX];
	uint8_t bytes[WIRE_PACKED_MAX];
};

struct wire_packer *wire_packer_new(void)
{
	return malloc(sizeof(struct wire_packer));
}

/* Fill @at with @e. Returns @at; NULL for an entry of zeroes, which is left out. */
static Replica__Entry *wire_pack_entry(Replica__Entry *at, struct vr_entry e)
{
	replica__entry__init(at);
	at->client = e.client;
	at->number = e.number;
	return e.client || e.number ? at : NULL;
}

static void wire_pack_entries(struct wire_packer *p, const struct vr_message *m,
			      Replica__Message *to)
{
	for (size_t i = 0; i < m->n_entries; i++) {
		(void)wire_pack_entry(&p->entries[i], m->entries[i]);
		p->entry_at[i] = &p->entries[i];
	}
	to->n_entries = m->n_entries;
	to->entries = p->entry_at;
}

static void wire_pack_state(struct wire_packer *p, const struct vr_state *s, Replica__State *to,
			    Replica__Entry *last)
{
	to->op = s->op;
	to->places = s->places;
	to->digest = s->digest;
	to->last = wire_pack_entry(last, s->last);
	for (size_t i = 0; i < s->n_clients; i++) {
		replica__client__init(&p->clients[i]);
		p->clients[i].place = s->clients[i].place;
		p->clients[i].executed = s->clients[i].executed;
		p->clients[i].before = wire_pack_entry(&p->client_before[i], s->clients[i].before);
		p->client_at[i] = &p->clients[i];
	}
	to->n_clients = s->n_clients;
	to->clients = p->client_at;
}

size_t wire_pack(struct wire_packer *p, const struct vr_message *m, const char **ret_bytes)
{
	Replica__Message to = REPLICA__MESSAGE__INIT;
	Replica__State state = REPLICA__STATE__INIT;
	Replica__Entry request, before, last;

	if (m->n_entries > VR_PIECE_MAX || (m->state && m->state->n_clients > VR_CLIENTS_MAX))
		return 0;
	to.type = m->type;
	to.from = m->from;
	to.view = m->view;
	to.op = m->op;
	to.commit = m->commit;
	to.last_normal = m->last_normal;
	to.nonce = m->nonce;
	to.request = wire_pack_entry(&request, m->request);
	to.place = m->place;
	to.before = wire_pack_entry(&before, m->before);
	to.goal = m->goal;
	wire_pack_entries(p, m, &to);
	if (m->state) {
		wire_pack_state(p, m->state, &state, &last);
		to.state = &state;
	}
	if (replica__message__get_packed_size(&to) > sizeof(p->bytes))
		return 0;
	*ret_bytes = (const char *)p->bytes;
	return replica__message__pack(&to, p->bytes);
}

static struct vr_entry wire_entry_of(const Replica__Entry *e)
{
	return e ? (struct vr_entry){ e->client, e->number } : (struct vr_entry){ 0, 0 };
}

static bool wire_take_state(const Replica__State *s, struct vr_state *to)
{
	if (s->n_clients > VR_CLIENTS_MAX)
		return false;
	memset(to, 0, sizeof(*to));
	to->op = s->op;
	to->places = s->places;
	to->digest = s->digest;
	to->last = wire_entry_of(s->last);
	to->n_clients = s->n_clients;
	for (size_t i = 0; i < s->n_clients; i++) {
		to->clients[i].place = s->clients[i]->place;
		to->clients[i].executed = s->clients[i]->executed;
		to->clients[i].before = wire_entry_of(s->clients[i]->before);
	}
	return true;
}

static bool wire_take_entries(const Replica__Message *p, struct wire_in *in)
{
	if (p->n_entries > VR_PIECE_MAX)
		return false;
	if (!in->entries)
		in->entries = malloc(VR_PIECE_MAX * sizeof(*in->entries));
	if (!in->entries)
		return false;
	for (size_t i = 0; i < p->n_entries; i++)
		in->entries[i] = wire_entry_of(p->entries[i]);
	return true;
}

static bool wire_take(const Replica__Message *p, struct wire_in *in, struct vr_message *ret_m)
{
	bool is_for_client = p->type == VR_REQUEST || p->type == VR_REPLY;

	if (p->type == 0 || p->type >= VR_TYPES)
		return false;
	/* only a replica's messages have a replica as their sender, entries and a checkpoint */
	if (is_for_client ? p->n_entries || p->state : !in || p->from >= WIRE_SENDERS)
		return false;
	/* members that vr.proto does not have: another program's message */
	if (p->base.n_unknown_fields)
		return false;
	*ret_m = (struct vr_message){ .type = p->type,
				      .from = p->from,
				      .view = p->view,
				      .op = p->op,
				      .commit = p->commit,
				      .last_normal = p->last_normal,
				      .nonce = p->nonce,
				      .request = wire_entry_of(p->request),
				      .place = p->place,
				      .before = wire_entry_of(p->before),
				      .goal = p->goal,
				      .n_entries = p->n_entries };
	if (p->n_entries) {
		if (!wire_take_entries(p, in))
			return false;
		ret_m->entries = in->entries;
	}
	if (p->state) {
		if (!wire_take_state(p->state, &in->state))
			return false;
		ret_m->state = &in->state;
	}
	return true;
}

bool wire_parse(const char *bytes, size_t n, struct wire_in *in, struct vr_message *ret_m)
{
	Replica__Message *p = replica__message__unpack(NULL, n, (const uint8_t *)bytes);
	bool is_good = p && wire_take(p, in, ret_m);

	if (p)
		replica__message__free_unpacked(p, NULL);
	return is_good;
}
