/* SPDX-License-Identifier: MIT */
/*
 * vr_parts.h - functions that the files behind vr.h share: vr.c (normal operation), vr_log.c (log,
 * execution, checkpoints), vr_view.c (view change), vr_fetch.c (logs in pieces, state transfer) and
 * vr_recover.c (recovery)
 */
#ifndef LABS_REPLICA_VR_PARTS_H
#define LABS_REPLICA_VR_PARTS_H

#include "replica/vr.h"

static inline uint32_t vr_faults(const struct vr *r)
{
	return (r->config.n_replicas - 1) / 2;
}

static inline bool vr_has_bug(const struct vr *r, enum vr_bug bug)
{
	return (r->config.bugs & bug) != 0;
}

/* Count @trouble and report it. */
void vr_report(struct vr *r, enum vr_trouble trouble, struct vr_out *out);

/* The entry after op-number @op, which the log must have, or the end of the log. */
const struct vr_entry *vr_log_after(const struct vr_log *l, uint64_t op);
/* Make room for entries up to the op-number @op. False: no memory. */
bool vr_log_room(struct vr_log *l, uint64_t op);
/* Append; there must be room. */
void vr_log_add(struct vr_log *l, const struct vr_entry *entries, uint64_t n);
/* Remove all entries; the next one gets the op-number @base + 1. */
void vr_log_restart(struct vr_log *l, uint64_t base);
void vr_log_fini(struct vr_log *l);

/* Set the entries of @m to the last @n entries of the log, or to fewer if the log is shorter. */
void vr_attach_log(const struct vr *r, struct vr_message *m, uint64_t n);
void vr_send_others(struct vr *r, struct vr_message *m, struct vr_out *out);
/*
 * Replace the entries that were not executed by @entries, which continue op-number @base. @base is
 * at most the op-number of the last executed entry. False: the log is unchanged, because the new
 * one contradicts what was executed, or there is no memory; this was reported.
 */
bool vr_adopt(struct vr *r, uint64_t base, const struct vr_entry *entries, uint64_t n,
	      struct vr_out *out);
/* Replace log and state by a checkpoint, which is later than the last executed entry. */
void vr_adopt_state(struct vr *r, const struct vr_state *state, struct vr_out *out);
/* False: the entry is not in the log; this was reported. */
bool vr_append(struct vr *r, struct vr_entry e, struct vr_out *out);
/*
 * Execute entries up to the op-number @commit, as far as the log has them. The leader also replies
 * to the clients.
 */
void vr_execute(struct vr *r, uint64_t commit, struct vr_out *out);
/* Send the result of the latest request of @client that was executed. */
void vr_reply(struct vr *r, uint32_t client, struct vr_out *out);
/* Begin @view with @status: forgets the votes, and stores the view. */
void vr_enter(struct vr *r, uint64_t view, enum vr_status status, uint64_t now_ns,
	      struct vr_out *out);

void vr_view_begin(struct vr *r, uint64_t view, uint64_t now_ns, struct vr_out *out);
void vr_view_receive(struct vr *r, const struct vr_message *m, uint64_t now_ns, struct vr_out *out);
void vr_view_resend(struct vr *r, struct vr_out *out);
/* The fetched log has arrived: begin the view with it. */
void vr_view_fetched(struct vr *r, uint64_t now_ns, struct vr_out *out);

/*
 * Begin to fetch the log of replica @from, in whose message r->view and @last_normal must stand.
 * The fetch is complete at op-number @goal; 0: at the end of the sender's log.
 */
void vr_fetch_begin(struct vr *r, uint32_t from, uint64_t view, uint64_t last_normal, uint64_t goal,
		    struct vr_out *out);
void vr_fetch_end(struct vr *r);
/* Ask again for the next piece. */
void vr_fetch_ask(struct vr *r, uint32_t to, struct vr_out *out);
/* Install the fetched log. False: it was not taken, and this was reported. */
bool vr_fetch_install(struct vr *r, struct vr_out *out);
void vr_fetch_receive(struct vr *r, const struct vr_message *m, uint64_t now_ns,
		      struct vr_out *out);
void vr_transfer_begin(struct vr *r, uint64_t view, uint64_t now_ns, struct vr_out *out);
/* VR_NORMAL: ask replica @to for entries that are missing here, unless this was done just now. */
void vr_transfer_ask(struct vr *r, uint32_t to, uint64_t now_ns, struct vr_out *out);

void vr_recovery_ask(struct vr *r, struct vr_out *out);
void vr_recovery_receive(struct vr *r, const struct vr_message *m, uint64_t now_ns,
			 struct vr_out *out);
/* The fetched log has arrived: recovery is complete. */
void vr_recovery_fetched(struct vr *r, uint64_t now_ns, struct vr_out *out);

#endif
