/* SPDX-License-Identifier: MIT */
/*
 * State transfer, for a replica that missed messages or a view; and recovery, for a replica that
 * lost all its state.
 *
 * A replica may know that a later view exists, and not have the log of that view yet. Until that
 * log arrives, the replica keeps its own log. In a view change it votes with its own log, so it
 * must not claim that this log is from the later view.
 */
#include "replica/vr_parts.h"

#include <stdlib.h>
#include <string.h>

void vr_transfer_ask(struct vr *r, uint32_t to, struct vr_out *out)
{
	/*
	 * executed entries are in the log of every later view; entries that were not executed may
	 * be missing there
	 */
	struct vr_message m = { .type = VR_GET_STATE,
				.from = r->config.self,
				.view = r->view,
				.op = r->status == VR_NORMAL ? r->op : r->executed };

	out->send(out, to, &m);
}

void vr_transfer_begin(struct vr *r, uint64_t view, uint64_t now_ns, struct vr_out *out)
{
	vr_enter(r, view, VR_TRANSFER, now_ns, out);
	r->transfers++;
	vr_transfer_ask(r, vr_leader(r), out);
}

static void vr_transfer_on_get(struct vr *r, const struct vr_message *m, struct vr_out *out)
{
	struct vr_message reply = {
		.type = VR_NEW_STATE, .from = r->config.self, .view = r->view, .commit = r->commit
	};

	if (r->status != VR_NORMAL || m->view != r->view || m->op > r->op)
		return;
	vr_attach_log(r, &reply, r->op - m->op);
	out->send(out, m->from, &reply);
}

static void vr_transfer_on_new(struct vr *r, const struct vr_message *m, uint64_t now_ns,
			       struct vr_out *out)
{
	uint64_t first = m->op - m->n_entries;

	if (m->n_entries > m->op || m->view != r->view)
		return;
	if (r->status == VR_TRANSFER) {
		if (first > r->executed || m->op < r->executed)
			return;
		r->op = r->executed;
		for (size_t i = 0; i < VR_CLIENTS_MAX; i++)
			r->clients[i].taken = r->clients[i].executed;
	} else if (r->status != VR_NORMAL || first > r->op || vr_is_leader(r)) {
		return;
	}
	for (uint64_t i = r->op - first; i < m->n_entries; i++) {
		if (!vr_append(r, m->entries[i]))
			return;
	}
	if (r->status == VR_TRANSFER)
		vr_enter(r, r->view, VR_NORMAL, now_ns, out);
	r->heard_ns = now_ns;
	vr_execute(r, m->commit, out);
}

void vr_transfer_receive(struct vr *r, const struct vr_message *m, uint64_t now_ns,
			 struct vr_out *out)
{
	if (m->type == VR_GET_STATE)
		vr_transfer_on_get(r, m, out);
	else
		vr_transfer_on_new(r, m, now_ns, out);
}

void vr_recovery_ask(struct vr *r, struct vr_out *out)
{
	struct vr_message m = { .type = VR_RECOVERY, .view = r->least_view, .nonce = r->nonce };

	vr_send_others(r, &m, out);
}

static void vr_recovery_answer(struct vr *r, const struct vr_message *m, uint64_t now_ns,
			       struct vr_out *out)
{
	struct vr_message reply = { .type = VR_RECOVERY_RESPONSE,
				    .from = r->config.self,
				    .view = r->view,
				    .op = r->op,
				    .commit = r->commit,
				    .nonce = m->nonce };

	/*
	 * the recovering replica was in a later view than this replica: begin a change to the later
	 * view
	 */
	if (m->view > r->view) {
		vr_view_begin(r, m->view, now_ns, out);
		return;
	}
	if (r->status != VR_NORMAL)
		return;
	if (vr_is_leader(r))
		vr_attach_log(r, &reply, r->op);
	out->send(out, m->from, &reply);
}

/* Finish recovery if f + 1 replicas have answered, including the leader of the latest view. */
static void vr_recovery_try(struct vr *r, uint64_t now_ns, struct vr_out *out)
{
	const struct vr_vote *best = NULL;
	uint64_t view = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->config.n_replicas; i++) {
		n += r->votes[i].has_state;
		if (r->votes[i].has_state && r->votes[i].view > view)
			view = r->votes[i].view;
	}
	if (n < vr_faults(r) + 1 || view < r->least_view)
		return;
	best = &r->votes[view % r->config.n_replicas];
	if (!best->has_state || !best->has_log || best->view != view)
		return;
	vr_adopt(r, best->log, best->op);
	n = 0;
	r->commit = 0;
	vr_execute(r, best->commit, out);
	r->recoveries++;
	vr_enter(r, view, VR_NORMAL, now_ns, out);
}

void vr_recovery_receive(struct vr *r, const struct vr_message *m, uint64_t now_ns,
			 struct vr_out *out)
{
	struct vr_vote *v = &r->votes[m->from];

	if (m->type == VR_RECOVERY) {
		vr_recovery_answer(r, m, now_ns, out);
		return;
	}
	if (m->nonce != r->nonce || (m->n_entries && m->n_entries != m->op) ||
	    (v->has_state && m->view < v->view))
		return;
	/* keep only the latest answer of each replica */
	free(v->log);
	*v = (struct vr_vote){
		.has_state = true,
		.has_log = m->from == m->view % r->config.n_replicas && m->n_entries == m->op,
		.view = m->view,
		.op = m->op,
		.commit = m->commit,
	};
	if (v->has_log) {
		v->log = malloc((m->op + 1) * sizeof(*v->log));
		v->has_log = v->log != NULL;
		if (v->log && m->op)
			memcpy(v->log, m->entries, m->op * sizeof(*v->log));
	}
	vr_recovery_try(r, now_ns, out);
}
