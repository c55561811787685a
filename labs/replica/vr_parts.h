/* SPDX-License-Identifier: MIT */
/*
 * vr_parts.h - functions that the files behind vr.h share: vr.c (log), vr_view.c (view change)
 * and vr_recover.c (recovery and state transfer)
 */
#ifndef LABS_REPLICA_VR_PARTS_H
#define LABS_REPLICA_VR_PARTS_H

#include "replica/vr.h"

static inline uint32_t vr_faults(const struct vr *r)
{
	return (r->config.n_replicas - 1) / 2;
}

/* Set the entries of @m to the last @n entries of the log. */
void vr_attach_log(const struct vr *r, struct vr_message *m, uint64_t n);
void vr_send_others(struct vr *r, struct vr_message *m, struct vr_out *out);
/* Replace the log by @log, which has @op entries. It must begin with the executed entries. */
void vr_adopt(struct vr *r, const struct vr_entry *log, uint64_t op);
bool vr_append(struct vr *r, struct vr_entry e);
/*
 * Execute entries up to the op-number @commit, as far as the log has them. The leader also replies
 * to the clients.
 */
void vr_execute(struct vr *r, uint64_t commit, struct vr_out *out);
/* Begin @view with @status: forgets the votes, and stores the view. */
void vr_enter(struct vr *r, uint64_t view, enum vr_status status, uint64_t now_ns,
	      struct vr_out *out);

void vr_view_begin(struct vr *r, uint64_t view, uint64_t now_ns, struct vr_out *out);
void vr_view_receive(struct vr *r, const struct vr_message *m, uint64_t now_ns, struct vr_out *out);
void vr_view_resend(struct vr *r, struct vr_out *out);

void vr_transfer_begin(struct vr *r, uint64_t view, uint64_t now_ns, struct vr_out *out);
void vr_transfer_ask(struct vr *r, uint32_t to, struct vr_out *out);
void vr_transfer_receive(struct vr *r, const struct vr_message *m, uint64_t now_ns,
			 struct vr_out *out);
void vr_recovery_ask(struct vr *r, struct vr_out *out);
void vr_recovery_receive(struct vr *r, const struct vr_message *m, uint64_t now_ns,
			 struct vr_out *out);

#endif
