/* SPDX-License-Identifier: MIT */
/*
 * Logs of other replicas, in pieces: GET_STATE asks for the entries after an op-number, NEW_STATE
 * has the next of them. The sender answers with a checkpoint if it has dropped these entries.
 *
 * Three replicas need that. One that missed messages of its view (VR_NORMAL) appends the pieces to
 * its log. One that knows of a later view (VR_TRANSFER), has lost its state (VR_RECOVERING), or
 * leads a new view and lacks entries of the best log (VR_VIEW_CHANGE), collects the whole log
 * first (struct vr_fetch).
 *
 * A replica that is normal in a view has at least the log with which that view began. So its log is
 * complete at the op-number where the sender's log ended when the fetch began, but not before.
 */
#include "replica/vr_parts.h"

#include <string.h>

void vr_fetch_end(struct vr *r)
{
	r->fetch.is_on = false;
}

/* Forget the pieces: the next one must continue the executed entries. */
static void vr_fetch_restart(struct vr *r)
{
	r->fetch.has_state = false;
	vr_log_restart(&r->fetch.log, r->state.op);
}

void vr_fetch_ask(struct vr *r, uint32_t to, struct vr_out *out)
{
	struct vr_message m = { .type = VR_GET_STATE,
				.from = r->config.self,
				.view = r->fetch.view,
				.op = r->fetch.log.op };

	out->send(out, to, &m);
}

void vr_fetch_begin(struct vr *r, uint32_t from, uint64_t view, uint64_t last_normal, uint64_t goal,
		    struct vr_out *out)
{
	struct vr_fetch *f = &r->fetch;

	f->is_on = true;
	f->from = from;
	f->view = view;
	f->last_normal = last_normal;
	f->goal = goal;
	f->commit = 0;
	vr_fetch_restart(r);
	vr_fetch_ask(r, from, out);
}

bool vr_fetch_install(struct vr *r, struct vr_out *out)
{
	struct vr_fetch *f = &r->fetch;

	f->is_on = false;
	if (f->has_state && f->state.op > r->state.op)
		vr_adopt_state(r, &f->state, out);
	return vr_adopt(r, f->log.base, f->log.entries, f->log.op - f->log.base, out);
}

/*
 * Add the entries of @m that are new. False: they do not continue the log, are more than a log may
 * have, or there is no memory.
 */
static bool vr_fetch_add(struct vr *r, const struct vr_message *m, struct vr_out *out)
{
	struct vr_fetch *f = &r->fetch;
	uint64_t first = m->op - m->n_entries;

	if (m->state && m->state->op > f->log.op) {
		f->state = *m->state;
		f->has_state = true;
		vr_log_restart(&f->log, m->state->op);
	}
	if (first > f->log.op || m->op < f->log.op)
		return false;
	if (m->op - f->log.base > VR_LOG_MAX)
		return false;
	if (!vr_log_room(&f->log, m->op)) {
		vr_report(r, VR_NO_MEMORY, out);
		return false;
	}
	vr_log_add(&f->log, m->entries + (f->log.op - first), m->op - f->log.op);
	return true;
}

static void vr_fetch_piece(struct vr *r, const struct vr_message *m, uint64_t now_ns,
			   struct vr_out *out)
{
	struct vr_fetch *f = &r->fetch;
	uint64_t had = f->log.op;

	if (m->view != f->view || m->last_normal != f->last_normal ||
	    (f->last_normal != f->view && m->from != f->from))
		return;
	if (!vr_fetch_add(r, m, out))
		return;
	r->fetched += m->n_entries;
	/* a piece shows that the sender is alive */
	r->heard_ns = now_ns;
	if (f->goal == 0)
		f->goal = m->goal;
	if (m->commit > f->commit)
		f->commit = m->commit;
	if (f->log.op < f->goal) {
		if (f->log.op > had) {
			r->sent_ns = now_ns;
			vr_fetch_ask(r, m->from, out);
		}
		return;
	}
	if (r->status == VR_VIEW_CHANGE) {
		vr_view_fetched(r, now_ns, out);
	} else if (r->status == VR_RECOVERING) {
		vr_recovery_fetched(r, now_ns, out);
	} else if (vr_fetch_install(r, out)) {
		vr_enter(r, r->view, VR_NORMAL, now_ns, out);
		vr_execute(r, f->commit, out);
	}
}

/* State transfer ---------------------------------------------------------------- */

void vr_transfer_begin(struct vr *r, uint64_t view, uint64_t now_ns, struct vr_out *out)
{
	vr_enter(r, view, VR_TRANSFER, now_ns, out);
	r->transfers++;
	if (vr_has_bug(r, VR_BUG_TRANSFER_NORMAL))
		r->last_normal = view;
	vr_fetch_begin(r, vr_leader(r), view, view, 0, out);
}

void vr_transfer_ask(struct vr *r, uint32_t to, uint64_t now_ns, struct vr_out *out)
{
	struct vr_message m = {
		.type = VR_GET_STATE, .from = r->config.self, .view = r->view, .op = r->log.op
	};

	if (r->asked_op == r->log.op && now_ns < r->asked_ns + r->config.resend_ns / 2)
		return;
	r->asked_op = r->log.op;
	r->asked_ns = now_ns;
	out->send(out, to, &m);
}

static void vr_on_get_state(struct vr *r, const struct vr_message *m, struct vr_out *out)
{
	struct vr_message reply = { .type = VR_NEW_STATE,
				    .from = r->config.self,
				    .view = r->view,
				    .commit = r->commit,
				    .last_normal = r->last_normal,
				    .goal = r->log.op };
	uint64_t first = m->op;
	uint64_t n;

	/* the log of a replica in a view change no longer changes, and the new leader may need it
	 */
	if ((r->status != VR_NORMAL && r->status != VR_VIEW_CHANGE) || m->view != r->view ||
	    m->op > r->log.op)
		return;
	if (first < r->log.base) {
		reply.state = &r->kept;
		first = r->kept.op;
	}
	n = r->log.op - first < r->config.piece_max ? r->log.op - first : r->config.piece_max;
	reply.op = first + n;
	reply.n_entries = n;
	reply.entries = n ? vr_log_after(&r->log, first) : NULL;
	out->send(out, m->from, &reply);
}

/* VR_NORMAL: a piece of the log of this view. */
static void vr_on_new_state(struct vr *r, const struct vr_message *m, uint64_t now_ns,
			    struct vr_out *out)
{
	uint64_t first = m->op - m->n_entries;
	uint64_t had = r->log.op;

	if (m->view != r->view || m->last_normal != m->view || vr_is_leader(r))
		return;
	/* the checkpoint is later than the whole log: all of the log was committed */
	if (m->state && m->state->op > r->log.op)
		vr_adopt_state(r, m->state, out);
	if (first > r->log.op)
		return;
	for (uint64_t i = r->log.op - first; i < m->n_entries; i++) {
		if (!vr_append(r, m->entries[i], out))
			break;
	}
	r->fetched += m->n_entries;
	r->heard_ns = now_ns;
	vr_execute(r, m->commit, out);
	if (r->log.op > had && r->log.op < m->goal)
		vr_transfer_ask(r, m->from, now_ns, out);
}

void vr_fetch_receive(struct vr *r, const struct vr_message *m, uint64_t now_ns, struct vr_out *out)
{
	if (m->type == VR_GET_STATE) {
		vr_on_get_state(r, m, out);
		return;
	}
	if (m->n_entries > m->op || m->commit > m->goal ||
	    (m->state && m->state->op > m->op - m->n_entries))
		return;
	if (r->fetch.is_on)
		vr_fetch_piece(r, m, now_ns, out);
	else if (r->status == VR_NORMAL)
		vr_on_new_state(r, m, now_ns, out);
}
