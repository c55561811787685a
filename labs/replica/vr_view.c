/* SPDX-License-Identifier: MIT */
/*
 * View change: f + 1 replicas send op-numbers and the last entries of their logs. The new leader
 * takes the log whose replica was last in normal operation in the latest view; of several such
 * logs, the longest. Any f + 1 logs together contain every committed entry.
 *
 * If the last entries do not continue what the new leader has executed, it fetches the rest. The
 * log of the other replica does not change meanwhile: in a view change it takes no entries.
 */
#include "replica/vr_parts.h"

static uint32_t vr_view_started(const struct vr *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->config.n_replicas; i++)
		n += r->votes[i].has_started;
	return n;
}

static void vr_view_send_do(struct vr *r, struct vr_out *out)
{
	struct vr_message m = { .type = VR_DO_VIEW_CHANGE,
				.from = r->config.self,
				.view = r->view,
				.commit = r->commit,
				.last_normal = r->last_normal };

	if (vr_leader(r) == r->config.self)
		return;
	vr_attach_log(r, &m, r->config.suffix_max);
	out->send(out, vr_leader(r), &m);
}

static void vr_view_send_start(struct vr *r, uint32_t to, bool is_all, struct vr_out *out)
{
	struct vr_message m = {
		.type = VR_START_VIEW, .from = r->config.self, .view = r->view, .commit = r->commit
	};

	vr_attach_log(r, &m, r->config.suffix_max);
	if (is_all)
		vr_send_others(r, &m, out);
	else
		out->send(out, to, &m);
}

void vr_view_resend(struct vr *r, struct vr_out *out)
{
	struct vr_message m = { .type = VR_START_VIEW_CHANGE, .view = r->view };

	vr_send_others(r, &m, out);
	if (vr_view_started(r) >= vr_faults(r))
		vr_view_send_do(r, out);
	if (r->fetch.is_on)
		vr_fetch_ask(r, r->fetch.from, out);
}

void vr_view_begin(struct vr *r, uint64_t view, uint64_t now_ns, struct vr_out *out)
{
	vr_enter(r, view, VR_VIEW_CHANGE, now_ns, out);
	r->view_changes++;
	r->tries++;
	vr_view_resend(r, out);
}

/* The vote with the log for the new view; NULL: this replica's own log is used. */
static const struct vr_vote *vr_view_best(const struct vr *r)
{
	const struct vr_vote *best = NULL;
	uint64_t last_normal = r->last_normal;
	uint64_t op = r->log.op;

	if (vr_has_bug(r, VR_BUG_SHORT_VIEW_LOG))
		return NULL;
	for (uint32_t i = 0; i < r->config.n_replicas; i++) {
		const struct vr_vote *v = &r->votes[i];
		bool is_same = v->last_normal == last_normal || vr_has_bug(r, VR_BUG_LONGEST_LOG);

		if (!v->has_state || (is_same ? v->op <= op : v->last_normal < last_normal))
			continue;
		best = v;
		last_normal = v->last_normal;
		op = v->op;
	}
	return best;
}

/* The log of the new view is here: start it. */
static void vr_view_start(struct vr *r, uint64_t now_ns, struct vr_out *out)
{
	uint64_t commit = r->commit;

	for (uint32_t i = 0; i < r->config.n_replicas; i++) {
		if (r->votes[i].has_state && r->votes[i].commit > commit)
			commit = r->votes[i].commit;
	}
	vr_enter(r, r->view, VR_NORMAL, now_ns, out);
	vr_execute(r, commit, out);
	vr_view_send_start(r, 0, true, out);
}

void vr_view_fetched(struct vr *r, uint64_t now_ns, struct vr_out *out)
{
	if (vr_fetch_install(r, out))
		vr_view_start(r, now_ns, out);
}

/* A planted bug: use the own entries instead of those that are missing before those of @best. */
static bool vr_view_fill_gap(struct vr *r, const struct vr_vote *best, struct vr_out *out)
{
	r->log.op = best->log.base;
	for (uint64_t i = 0; i < best->log.op - best->log.base; i++) {
		if (!vr_append(r, best->log.entries[i], out))
			return false;
	}
	return true;
}

/* Take the log of @best, or begin to fetch it. True: it is here. */
static bool vr_view_take(struct vr *r, const struct vr_vote *best, struct vr_out *out)
{
	if (best->log.base <= r->state.op)
		return vr_adopt(r, best->log.base, best->log.entries, best->log.op - best->log.base,
				out);
	if (vr_has_bug(r, VR_BUG_FILLS_GAP) && best->log.base <= r->log.op)
		return vr_view_fill_gap(r, best, out);
	vr_fetch_begin(r, (uint32_t)(best - r->votes), r->view, best->last_normal, best->op, out);
	return false;
}

/* Start the new view if at least f other replicas have sent their votes. */
static void vr_view_try(struct vr *r, uint64_t now_ns, struct vr_out *out)
{
	const struct vr_vote *best = vr_view_best(r);
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->config.n_replicas; i++)
		n += r->votes[i].has_state;
	if (n < vr_faults(r) || r->fetch.is_on)
		return;
	if (!best || vr_view_take(r, best, out))
		vr_view_start(r, now_ns, out);
}

static void vr_view_on_do(struct vr *r, const struct vr_message *m, uint64_t now_ns,
			  struct vr_out *out)
{
	struct vr_vote *v = &r->votes[m->from];

	if (vr_leader(r) != r->config.self || m->n_entries > m->op || m->commit > m->op)
		return;
	if (r->status == VR_NORMAL) {
		vr_view_send_start(r, m->from, false, out);
		return;
	}
	if (v->has_state)
		return;
	vr_log_restart(&v->log, m->op - m->n_entries);
	if (!vr_log_room(&v->log, m->op)) {
		vr_report(r, VR_NO_MEMORY, out);
		return;
	}
	vr_log_add(&v->log, m->entries, m->n_entries);
	v->has_state = true;
	v->last_normal = m->last_normal;
	v->op = m->op;
	v->commit = m->commit;
	vr_view_try(r, now_ns, out);
}

static void vr_view_on_start(struct vr *r, const struct vr_message *m, uint64_t now_ns,
			     struct vr_out *out)
{
	struct vr_message ok = { .type = VR_PREPARE_OK, .from = r->config.self };
	uint64_t base = m->op - m->n_entries;

	if (m->from != m->view % r->config.n_replicas || m->n_entries > m->op ||
	    m->commit > m->op || (m->view == r->view && r->status == VR_NORMAL))
		return;
	if (base > r->state.op) {
		/* entries before those of the message are missing */
		if (m->view > r->view || r->status == VR_VIEW_CHANGE)
			vr_transfer_begin(r, m->view, now_ns, out);
		return;
	}
	if (!vr_adopt(r, base, m->entries, m->n_entries, out))
		return;
	vr_enter(r, m->view, VR_NORMAL, now_ns, out);
	vr_execute(r, m->commit, out);
	ok.view = r->view;
	ok.op = r->log.op;
	out->send(out, m->from, &ok);
}

void vr_view_receive(struct vr *r, const struct vr_message *m, uint64_t now_ns, struct vr_out *out)
{
	if (m->view < r->view)
		return;
	if (m->type == VR_START_VIEW) {
		vr_view_on_start(r, m, now_ns, out);
		return;
	}
	if (m->view > r->view)
		vr_view_begin(r, m->view, now_ns, out);
	if (m->type == VR_DO_VIEW_CHANGE) {
		if (r->status == VR_VIEW_CHANGE || r->status == VR_NORMAL)
			vr_view_on_do(r, m, now_ns, out);
	} else if (r->status == VR_VIEW_CHANGE) {
		bool is_news = !r->votes[m->from].has_started;

		r->votes[m->from].has_started = true;
		if (is_news && vr_view_started(r) >= vr_faults(r))
			vr_view_send_do(r, out);
	} else if (vr_is_leader(r)) {
		vr_view_send_start(r, m->from, false, out);
	}
}
