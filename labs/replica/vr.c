/* SPDX-License-Identifier: MIT */
/* Normal operation, messages in general, and time. */
#include "replica/vr_parts.h"

#include <stdlib.h>
#include <string.h>

#define VR_SUFFIX      1024u
#define VR_CHECKPOINT  10000u
#define VR_RESENDS_MAX 3u /* messages are sent again at intervals that double so many times */

const char *vr_trouble_text(enum vr_trouble trouble)
{
	switch (trouble) {
	case VR_LOG_FULL:
		return "the log is full: requests wait until a quorum acknowledges older ones";
	case VR_NO_MEMORY:
		return "no memory: a message was ignored";
	case VR_BROKEN:
		return "another replica's log contradicts what was executed here";
	case VR_TROUBLES:
		break;
	}
	return "unknown trouble";
}

void vr_report(struct vr *r, enum vr_trouble trouble, struct vr_out *out)
{
	r->troubles[trouble]++;
	if (out->report)
		out->report(out, trouble);
}

/* Put the usual values into members that are 0, and others within their limits. */
static void vr_complete_config(struct vr_config *c)
{
	if (!c->log_max || c->log_max > VR_LOG_MAX)
		c->log_max = VR_LOG_MAX;
	if (!c->suffix_max || c->suffix_max > VR_PIECE_MAX)
		c->suffix_max = VR_SUFFIX;
	if (!c->piece_max || c->piece_max > VR_PIECE_MAX)
		c->piece_max = VR_PIECE_MAX;
	if (!c->batch_max || c->batch_max > VR_PIECE_MAX)
		c->batch_max = VR_PIECE_MAX;
	if (!c->checkpoint_every)
		c->checkpoint_every = VR_CHECKPOINT;
	/* the log holds two intervals, and needs room for entries that are not executed */
	if (c->checkpoint_every > c->log_max / 4)
		c->checkpoint_every = c->log_max / 4;
}

void vr_init(struct vr *r, const struct vr_config *config, bool is_restart, uint64_t kept_view,
	     uint64_t nonce, uint64_t now_ns)
{
	memset(r, 0, sizeof(*r));
	r->config = *config;
	vr_complete_config(&r->config);
	r->nonce = nonce;
	r->heard_ns = now_ns;
	r->sent_ns = now_ns;
	if (!is_restart)
		return;
	if (vr_has_bug(r, VR_BUG_SKIPS_RECOVERY)) {
		r->view = kept_view;
		r->last_normal = kept_view;
		return;
	}
	r->status = VR_RECOVERING;
	r->least_view = vr_has_bug(r, VR_BUG_FORGETS_VIEW) ? 0 : kept_view;
	/* a time so long ago that the recovery request is sent at once */
	r->sent_ns = now_ns > config->resend_ns ? now_ns - config->resend_ns : 0;
}

static void vr_forget_votes(struct vr *r)
{
	for (size_t i = 0; i < VR_REPLICAS_MAX; i++) {
		vr_log_fini(&r->votes[i].log);
		r->votes[i] = (struct vr_vote){ 0 };
	}
}

void vr_fini(struct vr *r)
{
	vr_forget_votes(r);
	vr_log_fini(&r->log);
	vr_log_fini(&r->fetch.log);
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
	r->resends = 0;
	vr_forget_votes(r);
	vr_fetch_end(r);
	if (status != VR_NORMAL)
		return;
	r->last_normal = view;
	r->prepared = r->log.op;
	r->asked_ns = 0;
	if (!vr_has_bug(r, VR_BUG_STALE_ACKS))
		memset(r->acked, 0, sizeof(r->acked));
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

/* Normal operation -------------------------------------------------------------- */

static void vr_on_request(struct vr *r, const struct vr_message *m, struct vr_out *out)
{
	uint32_t client = m->request.client;

	if (!vr_is_leader(r) || client >= VR_CLIENTS_MAX || m->request.number == 0)
		return;
	if (!vr_has_bug(r, VR_BUG_NO_CLIENT_TABLE)) {
		if (m->request.number == r->state.clients[client].executed)
			vr_reply(r, client, out);
		if (m->request.number <= r->taken[client])
			return;
	}
	if (vr_append(r, m->request, out) && vr_has_bug(r, VR_BUG_ACKS_EARLY))
		vr_execute(r, r->log.op, out);
}

static void vr_send_prepare(struct vr *r, uint64_t from_op, uint64_t now_ns, struct vr_out *out)
{
	uint64_t n = r->log.op - from_op;
	uint64_t last = n > r->config.batch_max ? from_op + r->config.batch_max : r->log.op;
	struct vr_message m = { .type = VR_PREPARE,
				.view = r->view,
				.op = last,
				.commit = r->commit,
				.n_entries = last - from_op,
				.entries = vr_log_after(&r->log, from_op) };

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
	while (r->prepared < r->log.op &&
	       (r->prepared <= r->commit || r->log.op - r->prepared >= r->config.batch_max))
		vr_send_prepare(r, r->prepared, now_ns, out);
}

static void vr_send_prepare_ok(struct vr *r, const struct vr_message *m, struct vr_out *out)
{
	struct vr_message ok = {
		.type = VR_PREPARE_OK, .from = r->config.self, .view = m->view, .op = r->log.op
	};

	out->send(out, m->from, &ok);
}

static void vr_on_prepare(struct vr *r, const struct vr_message *m, uint64_t now_ns,
			  struct vr_out *out)
{
	/* the op-number before the first entry; this replica must have all entries up to there */
	uint64_t first = m->op - m->n_entries;

	if (m->n_entries > m->op || m->commit > m->op)
		return;
	if (first > r->log.op) {
		vr_transfer_ask(r, m->from, now_ns, out);
		return;
	}
	for (uint64_t i = r->log.op - first; i < m->n_entries; i++) {
		if (!vr_append(r, m->entries[i], out))
			break;
	}
	if (r->status == VR_NORMAL)
		vr_execute(r, m->commit, out);
	vr_send_prepare_ok(r, m, out);
}

static void vr_on_commit(struct vr *r, const struct vr_message *m, uint64_t now_ns,
			 struct vr_out *out)
{
	if (m->commit > r->log.op)
		vr_transfer_ask(r, m->from, now_ns, out);
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
	if (!vr_is_leader(r) || m->op > r->log.op)
		return;
	r->tries = 0;
	if (m->op > r->acked[m->from])
		r->acked[m->from] = m->op;
	vr_execute(r, vr_quorum_op(r), out);
	/* a quorum fetched entries before they were sent: a checkpoint may have dropped them */
	if (r->prepared < r->commit)
		r->prepared = r->commit;
}

/* A message of an earlier view. It counts for nothing, except in replicas with a planted bug. */
static void vr_earlier_receive(struct vr *r, const struct vr_message *m, uint64_t now_ns,
			       struct vr_out *out)
{
	if (m->type == VR_PREPARE_OK && vr_has_bug(r, VR_BUG_STALE_ACKS))
		vr_on_prepare_ok(r, m, out);
	if (m->type == VR_PREPARE && vr_has_bug(r, VR_BUG_ACKS_VOTED) &&
	    r->status == VR_VIEW_CHANGE && m->view == r->last_normal)
		vr_on_prepare(r, m, now_ns, out);
}

/* Process a message of normal operation. */
static void vr_normal_receive(struct vr *r, const struct vr_message *m, uint64_t now_ns,
			      struct vr_out *out)
{
	bool is_leaders = m->type != VR_PREPARE_OK;

	if (m->view < r->view) {
		vr_earlier_receive(r, m, now_ns, out);
		return;
	}
	if (m->view > r->view) {
		if (is_leaders)
			vr_transfer_begin(r, m->view, now_ns, out);
		return;
	}
	if (is_leaders && m->from != vr_leader(r))
		return;
	if (is_leaders && (r->status == VR_NORMAL || r->status == VR_TRANSFER)) {
		/* the leader is alive, also while this replica still fetches its log */
		r->heard_ns = now_ns;
		r->tries = 0;
	}
	if (r->status != VR_NORMAL)
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
	if (m->from >= r->config.n_replicas || m->from == r->config.self || m->view > VR_VIEW_MAX)
		return;
	if (r->status == VR_RECOVERING) {
		if (m->type == VR_RECOVERY_RESPONSE)
			vr_recovery_receive(r, m, now_ns, out);
		else if (m->type == VR_NEW_STATE)
			vr_fetch_receive(r, m, now_ns, out);
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
		vr_fetch_receive(r, m, now_ns, out);
		break;
	case VR_RECOVERY:
		vr_recovery_receive(r, m, now_ns, out);
		break;
	default:
		break;
	}
}

/* Time -------------------------------------------------------------------------- */

static uint64_t vr_resend_at(const struct vr *r)
{
	uint32_t doublings = r->resends < VR_RESENDS_MAX ? r->resends : VR_RESENDS_MAX;

	return r->sent_ns + (r->config.resend_ns << (r->status == VR_NORMAL ? 0 : doublings));
}

static uint64_t vr_suspect_at(const struct vr *r)
{
	uint32_t doublings = r->tries ? r->tries - 1 : 0;

	return r->heard_ns +
	       (r->config.suspect_ns << (doublings < VR_BACKOFF_MAX ? doublings : VR_BACKOFF_MAX));
}

uint64_t vr_deadline(const struct vr *r)
{
	uint64_t resend = vr_resend_at(r);
	uint64_t suspect = vr_suspect_at(r);

	if (r->status == VR_RECOVERING || vr_is_leader(r))
		return resend;
	if (r->status == VR_NORMAL)
		return suspect;
	return resend < suspect ? resend : suspect;
}

static void vr_resend(struct vr *r, uint64_t now_ns, struct vr_out *out)
{
	r->sent_ns = now_ns;
	r->resends++;
	if (r->status == VR_RECOVERING) {
		vr_recovery_ask(r, out);
	} else if (r->status == VR_VIEW_CHANGE) {
		vr_view_resend(r, out);
	} else if (r->status == VR_TRANSFER) {
		for (uint32_t i = 0; i < r->config.n_replicas; i++) {
			if (i != r->config.self)
				vr_fetch_ask(r, i, out);
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
	if (now_ns >= vr_resend_at(r))
		vr_resend(r, now_ns, out);
	if (r->status != VR_RECOVERING && !vr_is_leader(r) && now_ns >= vr_suspect_at(r))
		vr_view_begin(r, r->view + 1, now_ns, out);
}
