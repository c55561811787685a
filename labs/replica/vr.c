/* SPDX-License-Identifier: MIT */
#include "replica/vr_parts.h"

#include <stdlib.h>
#include <string.h>

void vr_init(struct vr *r, const struct vr_config *config, bool is_restart, uint64_t kept_view,
	     uint64_t nonce, uint64_t now_ns)
{
	memset(r, 0, sizeof(*r));
	r->config = *config;
	r->nonce = nonce;
	r->heard_ns = now_ns;
	r->sent_ns = now_ns;
	if (!is_restart)
		return;
	if (config->bugs & VR_BUG_SKIPS_RECOVERY) {
		r->view = kept_view;
		r->last_normal = kept_view;
		return;
	}
	r->status = VR_RECOVERING;
	r->least_view = kept_view;
	/* a time so long ago that the recovery request is sent at once */
	r->sent_ns = now_ns > config->resend_ns ? now_ns - config->resend_ns : 0;
}

static void vr_forget_votes(struct vr *r)
{
	for (size_t i = 0; i < VR_REPLICAS_MAX; i++) {
		free(r->votes[i].log);
		r->votes[i] = (struct vr_vote){ 0 };
	}
}

void vr_fini(struct vr *r)
{
	vr_forget_votes(r);
	free(r->log);
	r->log = NULL;
}

void vr_enter(struct vr *r, uint64_t view, enum vr_status status, uint64_t now_ns,
	      struct vr_out *out)
{
	if (view > r->view)
		out->keep_view(out, view);
	r->view = view;
	r->status = status;
	r->heard_ns = now_ns;
	r->sent_ns = now_ns;
	vr_forget_votes(r);
	if (status != VR_NORMAL)
		return;
	r->last_normal = view;
	r->prepared = r->op;
	memset(r->acked, 0, sizeof(r->acked));
}

/* The log ----------------------------------------------------------------------- */

static bool vr_log_room(struct vr *r, uint64_t op)
{
	struct vr_entry *log;
	size_t room = r->log_room ? r->log_room : 1024;

	if (op > VR_LOG_MAX)
		return false;
	while (room < op)
		room *= 2;
	if (room == r->log_room)
		return true;
	log = realloc(r->log, room * sizeof(*log));
	if (!log)
		return false;
	r->log = log;
	r->log_room = room;
	return true;
}

bool vr_append(struct vr *r, struct vr_entry e)
{
	if (e.client >= VR_CLIENTS_MAX || !vr_log_room(r, r->op + 1))
		return false;
	r->log[r->op++] = e;
	if (e.number > r->clients[e.client].taken)
		r->clients[e.client].taken = e.number;
	return true;
}

void vr_adopt(struct vr *r, const struct vr_entry *log, uint64_t op)
{
	if (op < r->executed ||
	    (r->executed && memcmp(log, r->log, r->executed * sizeof(*log)) != 0)) {
		r->violations++;
		return;
	}
	if (!vr_log_room(r, op))
		return;
	for (size_t i = 0; i < VR_CLIENTS_MAX; i++)
		r->clients[i].taken = r->clients[i].executed;
	r->op = r->executed;
	for (uint64_t i = r->executed; i < op; i++) {
		if (!vr_append(r, log[i]))
			return;
	}
}

void vr_attach_log(const struct vr *r, struct vr_message *m, uint64_t n)
{
	m->op = r->op;
	m->n_entries = n;
	m->entries = n ? r->log + (r->op - n) : NULL;
}

void vr_send_others(struct vr *r, struct vr_message *m, struct vr_out *out)
{
	m->from = r->config.self;
	if (m->type == VR_PREPARE && out->broadcast) {
		out->broadcast(out, m);
		return;
	}
	for (uint32_t i = 0; i < r->config.n_replicas; i++) {
		if (i != r->config.self)
			out->send(out, i, m);
	}
}

static void vr_reply(struct vr *r, uint32_t client, struct vr_out *out)
{
	const struct vr_client_row *row = &r->clients[client];
	struct vr_message m = { .type = VR_REPLY,
				.from = r->config.self,
				.view = r->view,
				.request = { client, row->executed },
				.place = row->place,
				.before = row->before };

	out->reply(out, client, &m);
}

void vr_execute(struct vr *r, uint64_t commit, struct vr_out *out)
{
	if (commit > r->commit)
		r->commit = commit;
	while (r->executed < r->commit && r->executed < r->op) {
		struct vr_entry e = r->log[r->executed++];
		struct vr_client_row *row = &r->clients[e.client];

		if (e.number <= row->executed && !(r->config.bugs & VR_BUG_NO_CLIENT_TABLE))
			continue;
		row->executed = e.number;
		row->place = ++r->places;
		row->before = r->last;
		r->last = e;
		if (vr_is_leader(r))
			vr_reply(r, e.client, out);
	}
}

/* Normal operation -------------------------------------------------------------- */

static void vr_on_request(struct vr *r, const struct vr_message *m, struct vr_out *out)
{
	struct vr_client_row *row;

	if (!vr_is_leader(r) || m->request.client >= VR_CLIENTS_MAX || m->request.number == 0)
		return;
	row = &r->clients[m->request.client];
	if (!(r->config.bugs & VR_BUG_NO_CLIENT_TABLE)) {
		if (m->request.number == row->executed)
			vr_reply(r, m->request.client, out);
		if (m->request.number <= row->taken)
			return;
	}
	if (vr_append(r, m->request) && (r->config.bugs & VR_BUG_ACKS_EARLY))
		vr_execute(r, r->op, out);
}

static void vr_send_prepare(struct vr *r, uint64_t from_op, uint64_t now_ns, struct vr_out *out)
{
	uint64_t n = r->op - from_op;
	uint64_t last = n > r->config.batch_max ? from_op + r->config.batch_max : r->op;
	struct vr_message m = { .type = VR_PREPARE,
				.view = r->view,
				.op = last,
				.commit = r->commit,
				.n_entries = last - from_op,
				.entries = r->log + from_op };

	vr_send_others(r, &m, out);
	if (last > r->prepared)
		r->prepared = last;
	r->sent_ns = now_ns;
	r->batches++;
}

static void vr_send_commit(struct vr *r, uint64_t now_ns, struct vr_out *out)
{
	struct vr_message m = { .type = VR_COMMIT, .view = r->view, .commit = r->commit };

	vr_send_others(r, &m, out);
	r->sent_ns = now_ns;
}

void vr_flush(struct vr *r, uint64_t now_ns, struct vr_out *out)
{
	if (!vr_is_leader(r))
		return;
	/* send a batch if no batch is in flight, or if batch_max requests are collected */
	while (r->prepared < r->op &&
	       (r->prepared <= r->commit || r->op - r->prepared >= r->config.batch_max))
		vr_send_prepare(r, r->prepared, now_ns, out);
}

static void vr_send_prepare_ok(struct vr *r, struct vr_out *out)
{
	struct vr_message m = {
		.type = VR_PREPARE_OK, .from = r->config.self, .view = r->view, .op = r->op
	};

	out->send(out, vr_leader(r), &m);
}

static void vr_on_prepare(struct vr *r, const struct vr_message *m, uint64_t now_ns,
			  struct vr_out *out)
{
	/*
	 * index in the log of the message's first entry; this replica must have all earlier entries
	 */
	uint64_t first = m->op - m->n_entries;

	r->heard_ns = now_ns;
	if (m->n_entries > m->op)
		return;
	if (first > r->op) {
		vr_transfer_ask(r, m->from, out);
		return;
	}
	for (uint64_t i = r->op - first; i < m->n_entries; i++) {
		if (!vr_append(r, m->entries[i]))
			return;
	}
	vr_execute(r, m->commit, out);
	vr_send_prepare_ok(r, out);
}

static void vr_on_commit(struct vr *r, const struct vr_message *m, uint64_t now_ns,
			 struct vr_out *out)
{
	r->heard_ns = now_ns;
	if (m->commit > r->op)
		vr_transfer_ask(r, m->from, out);
	else
		vr_execute(r, m->commit, out);
}

/*
 * The highest op-number that at least f other replicas have acknowledged. With this replica, f + 1
 * replicas (a quorum) have the entry.
 */
static uint64_t vr_quorum_op(const struct vr *r)
{
	uint64_t best = 0;

	for (uint32_t i = 0; i < r->config.n_replicas; i++) {
		uint32_t n = 0;

		if (i == r->config.self || r->acked[i] <= best)
			continue;
		for (uint32_t j = 0; j < r->config.n_replicas; j++)
			n += j != r->config.self && r->acked[j] >= r->acked[i];
		if (n >= vr_faults(r))
			best = r->acked[i];
	}
	return best;
}

static void vr_on_prepare_ok(struct vr *r, const struct vr_message *m, struct vr_out *out)
{
	if (!vr_is_leader(r) || m->op > r->op)
		return;
	if (m->op > r->acked[m->from])
		r->acked[m->from] = m->op;
	vr_execute(r, vr_quorum_op(r), out);
}

/* Process a message of normal operation. Messages of earlier views are ignored. */
static void vr_normal_receive(struct vr *r, const struct vr_message *m, uint64_t now_ns,
			      struct vr_out *out)
{
	bool is_leaders = m->type != VR_PREPARE_OK;

	if (m->view < r->view)
		return;
	if (m->view > r->view) {
		if (is_leaders)
			vr_transfer_begin(r, m->view, now_ns, out);
		return;
	}
	if (r->status != VR_NORMAL || (is_leaders && m->from != vr_leader(r)))
		return;
	if (m->type == VR_PREPARE)
		vr_on_prepare(r, m, now_ns, out);
	else if (m->type == VR_COMMIT)
		vr_on_commit(r, m, now_ns, out);
	else
		vr_on_prepare_ok(r, m, out);
}

void vr_receive(struct vr *r, const struct vr_message *m, uint64_t now_ns, struct vr_out *out)
{
	if (m->type == VR_REQUEST) {
		vr_on_request(r, m, out);
		return;
	}
	if (m->from >= r->config.n_replicas || m->from == r->config.self)
		return;
	if (r->status == VR_RECOVERING) {
		if (m->type == VR_RECOVERY_RESPONSE)
			vr_recovery_receive(r, m, now_ns, out);
		return;
	}
	switch (m->type) {
	case VR_PREPARE:
	case VR_COMMIT:
	case VR_PREPARE_OK:
		vr_normal_receive(r, m, now_ns, out);
		break;
	case VR_START_VIEW_CHANGE:
	case VR_DO_VIEW_CHANGE:
	case VR_START_VIEW:
		vr_view_receive(r, m, now_ns, out);
		break;
	case VR_GET_STATE:
	case VR_NEW_STATE:
		vr_transfer_receive(r, m, now_ns, out);
		break;
	case VR_RECOVERY:
		vr_recovery_receive(r, m, now_ns, out);
		break;
	default:
		break;
	}
}

/* Time -------------------------------------------------------------------------- */

uint64_t vr_deadline(const struct vr *r)
{
	uint64_t resend = r->sent_ns + r->config.resend_ns;
	uint64_t suspect = r->heard_ns + r->config.suspect_ns;

	if (r->status == VR_RECOVERING || vr_is_leader(r))
		return resend;
	if (r->status == VR_NORMAL)
		return suspect;
	return resend < suspect ? resend : suspect;
}

static void vr_resend(struct vr *r, uint64_t now_ns, struct vr_out *out)
{
	r->sent_ns = now_ns;
	if (r->status == VR_RECOVERING) {
		vr_recovery_ask(r, out);
	} else if (r->status == VR_VIEW_CHANGE) {
		vr_view_resend(r, out);
	} else if (r->status == VR_TRANSFER) {
		for (uint32_t i = 0; i < r->config.n_replicas; i++) {
			if (i != r->config.self)
				vr_transfer_ask(r, i, out);
		}
	} else if (vr_is_leader(r)) {
		if (r->prepared > r->commit)
			vr_send_prepare(r, r->commit, now_ns, out);
		else
			vr_send_commit(r, now_ns, out);
	}
}

void vr_tick(struct vr *r, uint64_t now_ns, struct vr_out *out)
{
	if (now_ns >= r->sent_ns + r->config.resend_ns)
		vr_resend(r, now_ns, out);
	if (r->status != VR_RECOVERING && !vr_is_leader(r) &&
	    now_ns >= r->heard_ns + r->config.suspect_ns)
		vr_view_begin(r, r->view + 1, now_ns, out);
}
