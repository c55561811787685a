/* SPDX-License-Identifier: MIT */
/*
 * The log, execution of its entries, and checkpoints.
 *
 * A checkpoint is a copy of the state. When a checkpoint is taken, entries before the previous
 * checkpoint are dropped: so a replica that is a little behind still gets entries, and only one
 * that is far behind gets the checkpoint.
 */
#include "replica/vr_parts.h"

#include <stdlib.h>
#include <string.h>

const struct vr_entry *vr_log_after(const struct vr_log *l, uint64_t op)
{
	return l->entries + (op - l->base);
}

bool vr_log_room(struct vr_log *l, uint64_t op)
{
	struct vr_entry *entries;
	size_t room = l->room ? l->room : 64;

	while (room < op - l->base)
		room *= 2;
	if (room == l->room)
		return true;
	entries = realloc(l->entries, room * sizeof(*entries));
	if (!entries)
		return false;
	l->entries = entries;
	l->room = room;
	return true;
}

void vr_log_add(struct vr_log *l, const struct vr_entry *entries, uint64_t n)
{
	if (!n)
		return;
	memcpy(l->entries + (l->op - l->base), entries, n * sizeof(*entries));
	l->op += n;
}

void vr_log_restart(struct vr_log *l, uint64_t base)
{
	l->base = base;
	l->op = base;
}

void vr_log_fini(struct vr_log *l)
{
	free(l->entries);
	*l = (struct vr_log){ 0 };
}

/* Drop the entries up to the op-number @base. */
static void vr_log_drop(struct vr_log *l, uint64_t base)
{
	memmove(l->entries, vr_log_after(l, base), (l->op - base) * sizeof(*l->entries));
	l->base = base;
}

bool vr_append(struct vr *r, struct vr_entry e, struct vr_out *out)
{
	if (e.client >= VR_CLIENTS_MAX)
		return false;
	if (r->log.op - r->log.base >= r->config.log_max) {
		vr_report(r, VR_LOG_FULL, out);
		return false;
	}
	if (!vr_log_room(&r->log, r->log.op + 1)) {
		vr_report(r, VR_NO_MEMORY, out);
		return false;
	}
	vr_log_add(&r->log, &e, 1);
	if (e.number > r->taken[e.client])
		r->taken[e.client] = e.number;
	return true;
}

/* Requests that are not executed are no longer in the log. */
static void vr_untake(struct vr *r)
{
	for (uint32_t i = 0; i < VR_CLIENTS_MAX; i++)
		r->taken[i] = r->state.clients[i].executed;
}

/* Whether @entries, which continue @base, agree with the executed entries that the log still has.
 */
static bool vr_agrees(const struct vr *r, uint64_t base, const struct vr_entry *entries, uint64_t n)
{
	uint64_t from = base > r->log.base ? base : r->log.base;
	uint64_t to = r->state.op;

	if (base > to || base + n < to)
		return false;
	return from >= to || memcmp(entries + (from - base), vr_log_after(&r->log, from),
				    (to - from) * sizeof(*entries)) == 0;
}

bool vr_adopt(struct vr *r, uint64_t base, const struct vr_entry *entries, uint64_t n,
	      struct vr_out *out)
{
	uint64_t from = r->state.op;

	if (!vr_agrees(r, base, entries, n)) {
		vr_report(r, VR_BROKEN, out);
		return false;
	}
	if (vr_has_bug(r, VR_BUG_KEEPS_TAIL) && r->log.op > from)
		from = r->log.op < base + n ? r->log.op : base + n;
	for (uint64_t i = from - base; i < n; i++) {
		if (entries[i].client >= VR_CLIENTS_MAX) {
			vr_report(r, VR_BROKEN, out);
			return false;
		}
	}
	if (!vr_log_room(&r->log, base + n)) {
		vr_report(r, VR_NO_MEMORY, out);
		return false;
	}
	r->log.op = from;
	vr_untake(r);
	vr_log_add(&r->log, entries + (from - base), base + n - from);
	for (const struct vr_entry *e = vr_log_after(&r->log, r->state.op);
	     e < vr_log_after(&r->log, r->log.op); e++) {
		if (e->number > r->taken[e->client])
			r->taken[e->client] = e->number;
	}
	return true;
}

void vr_adopt_state(struct vr *r, const struct vr_state *state, struct vr_out *out)
{
	r->state = *state;
	if (vr_has_bug(r, VR_BUG_NO_STATE_TABLE)) {
		memset(r->state.clients, 0, sizeof(r->state.clients));
		r->state.n_clients = 0;
	}
	r->kept = r->state;
	vr_log_restart(&r->log, state->op);
	vr_untake(r);
	if (state->op > r->commit)
		r->commit = state->op;
	if (out->executed)
		out->executed(out, &r->state);
}

void vr_attach_log(const struct vr *r, struct vr_message *m, uint64_t n)
{
	if (n > r->log.op - r->log.base)
		n = r->log.op - r->log.base;
	m->op = r->log.op;
	m->n_entries = n;
	m->entries = n ? vr_log_after(&r->log, r->log.op - n) : NULL;
}

void vr_reply(struct vr *r, uint32_t client, struct vr_out *out)
{
	const struct vr_client_row *row = &r->state.clients[client];
	struct vr_message m = { .type = VR_REPLY,
				.from = r->config.self,
				.view = r->view,
				.request = { client, row->executed },
				.place = row->place,
				.before = row->before };

	out->reply(out, client, &m);
}

/* Take a checkpoint if the latest one is old enough. */
static void vr_checkpoint(struct vr *r)
{
	if (r->state.op < r->kept.op + r->config.checkpoint_every)
		return;
	vr_log_drop(&r->log, r->kept.op);
	r->kept = r->state;
	r->checkpoints++;
}

static uint64_t vr_digest(uint64_t digest, struct vr_entry e)
{
	uint64_t x = digest ^ ((uint64_t)e.client << 32 | e.number);

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return (x ^ x >> 31) + 0x9e3779b97f4a7c15u;
}

static void vr_execute_entry(struct vr *r, struct vr_entry e, struct vr_out *out)
{
	struct vr_state *s = &r->state;
	struct vr_client_row *row = &s->clients[e.client];
	bool is_repeated = e.number <= row->executed && !vr_has_bug(r, VR_BUG_NO_CLIENT_TABLE);

	s->op++;
	s->digest = vr_digest(s->digest, e);
	if (!is_repeated) {
		row->executed = e.number;
		row->place = ++s->places;
		row->before = s->last;
		s->last = e;
		if (e.client >= s->n_clients)
			s->n_clients = e.client + 1;
	}
	if (out->executed)
		out->executed(out, s);
	if (!is_repeated && vr_is_leader(r))
		vr_reply(r, e.client, out);
}

void vr_execute(struct vr *r, uint64_t commit, struct vr_out *out)
{
	/* not beyond the log: entries that arrive later need not be those that were committed */
	if (commit > r->log.op)
		commit = r->log.op;
	if (commit > r->commit)
		r->commit = commit;
	while (r->state.op < r->commit) {
		vr_execute_entry(r, *vr_log_after(&r->log, r->state.op), out);
		vr_checkpoint(r);
	}
}
