/* SPDX-License-Identifier: MIT */
/*
 * Recovery, for a replica that lost all its state: f + 1 replicas answer, among them the leader of
 * the latest view that they know. The leader's answer has the op-number up to which the log must be
 * fetched: all entries that this replica acknowledged before its crash are up to there.
 *
 * The nonce of the request stands in each answer, so that answers to an earlier recovery do not
 * count. Pieces of the log need none: the log of a view only grows.
 */
#include "replica/vr_parts.h"

void vr_recovery_ask(struct vr *r, struct vr_out *out)
{
	struct vr_message m = { .type = VR_RECOVERY, .view = r->least_view, .nonce = r->nonce };

	vr_send_others(r, &m, out);
	for (uint32_t i = 0; r->fetch.is_on && i < r->config.n_replicas; i++) {
		if (i != r->config.self)
			vr_fetch_ask(r, i, out);
	}
}

static void vr_recovery_answer(struct vr *r, const struct vr_message *m, uint64_t now_ns,
			       struct vr_out *out)
{
	struct vr_message reply = { .type = VR_RECOVERY_RESPONSE,
				    .from = r->config.self,
				    .view = r->view,
				    .op = r->log.op,
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
	if (r->status == VR_NORMAL)
		out->send(out, m->from, &reply);
}

/*
 * Fetch the log if f + 1 replicas have answered, including the leader of the latest view. A fetch
 * of an earlier view begins anew.
 */
static void vr_recovery_try(struct vr *r, struct vr_out *out)
{
	const struct vr_vote *best;
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
	if (!best->has_state || best->view != view || (r->fetch.is_on && r->fetch.view == view))
		return;
	vr_fetch_begin(r, (uint32_t)(view % r->config.n_replicas), view, view, best->op, out);
}

void vr_recovery_fetched(struct vr *r, uint64_t now_ns, struct vr_out *out)
{
	if (!vr_fetch_install(r, out))
		return;
	r->recoveries++;
	vr_enter(r, r->fetch.view, VR_NORMAL, now_ns, out);
	vr_execute(r, r->fetch.commit, out);
}

void vr_recovery_receive(struct vr *r, const struct vr_message *m, uint64_t now_ns,
			 struct vr_out *out)
{
	struct vr_vote *v = &r->votes[m->from];

	if (m->type == VR_RECOVERY) {
		vr_recovery_answer(r, m, now_ns, out);
		return;
	}
	if ((m->nonce != r->nonce && !vr_has_bug(r, VR_BUG_NO_NONCE)) ||
	    (v->has_state && m->view < v->view))
		return;
	/* keep only the latest answer of each replica */
	v->has_state = true;
	v->view = m->view;
	v->commit = m->commit;
	v->op = m->op;
	vr_recovery_try(r, out);
}
