/* SPDX-License-Identifier: MIT */
/*
 * vr.h - Viewstamped Replication as a state machine
 *
 * After Liskov and Cowling, "Viewstamped Replication Revisited", MIT-CSAIL-TR-2012-021: normal
 * operation, view change, recovery with a nonce, state transfer, client table; plus batching. n =
 * 2f + 1 replicas survive f replicas that are down or still recovering.
 *
 * The code does no I/O and reads no clock: the caller passes messages and times, and vr_out
 * receives the messages to send. A simulator can therefore run any schedule, and repeat it exactly.
 *
 * One difference from the paper, whose replicas store nothing: a replica could vote for view v + 1,
 * crash, and recover into view v. It could then acknowledge an operation in v. View v + 1, started
 * with the replica's old vote, would not contain that operation (Michael, Ports, Sharma, Szekeres,
 * "Recovering Shared Objects Without Stable Storage", DISC 2017). So one number is stored: the
 * view. It is passed to keep_view() before any message of that view is sent. A recovering replica
 * asks for that view or a later one.
 *
 * The replicated object is one append-only list: a request appends its id, and its result is its
 * place and the id before it. A history can therefore be checked exactly (check.h).
 *
 * Not thread safe.
 */
#ifndef LABS_REPLICA_VR_H
#define LABS_REPLICA_VR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VR_REPLICAS_MAX 7u
#define VR_CLIENTS_MAX  256u
#define VR_LOG_MAX      (1u << 20)

enum vr_status {
	VR_NORMAL,
	VR_VIEW_CHANGE,
	VR_TRANSFER, /* knows that a later view exists, but lacks its log */
	VR_RECOVERING,
};

/* Defects that a test can switch on, to show that the tests detect them. */
enum vr_bug {
	VR_BUG_ACKS_EARLY = 1 << 0,     /* the leader answers before a quorum has the entry */
	VR_BUG_SKIPS_RECOVERY = 1 << 1, /* a restarted replica continues with an empty log */
	/* the client table is not used: a repeated request is executed again */
	VR_BUG_NO_CLIENT_TABLE = 1 << 2,
	/* a view starts with the new leader's own log, even if another replica has a longer one */
	VR_BUG_SHORT_VIEW_LOG = 1 << 3,
};

enum vr_type {
	VR_REQUEST = 1,
	VR_REPLY,
	VR_PREPARE,
	VR_PREPARE_OK,
	VR_COMMIT,
	VR_START_VIEW_CHANGE,
	VR_DO_VIEW_CHANGE,
	VR_START_VIEW,
	VR_RECOVERY,
	VR_RECOVERY_RESPONSE,
	VR_GET_STATE,
	VR_NEW_STATE,
	VR_TYPES
};

/* An entry of the log: one request. */
struct vr_entry {
	uint32_t client;
	uint32_t number; /* number of the client's request, from 1 */
};

/* A message. Members that its type does not use are 0. Names are those of the paper. */
struct vr_message {
	uint32_t type; /* enum vr_type */
	uint32_t from; /* sending replica; in a VR_REQUEST the client */
	uint64_t view;
	uint64_t op; /* op-number n; in messages with entries, the op-number of the last entry */
	uint64_t commit; /* commit-number k */
	uint64_t last_normal;
	uint64_t nonce;
	struct vr_entry request; /* VR_REQUEST, VR_REPLY */
	uint64_t place;          /* VR_REPLY: place of the request in the list, from 1 */
	struct vr_entry before;  /* VR_REPLY: the previous entry of the list */
	uint64_t n_entries;
	/* the last n_entries entries of the log up to `op`; valid only during the call */
	const struct vr_entry *entries;
};

/* Functions that a replica calls to send messages and to store its view. @to is a replica. */
struct vr_out {
	void (*send)(struct vr_out *out, uint32_t to, const struct vr_message *m);
	void (*reply)(struct vr_out *out, uint32_t client, const struct vr_message *m);
	void (*keep_view)(struct vr_out *out, uint64_t view);
	/* sends @m to all other replicas; NULL: call send for each */
	void (*broadcast)(struct vr_out *out, const struct vr_message *m);
};

struct vr_config {
	uint32_t n_replicas; /* odd */
	uint32_t self;
	uint32_t batch_max; /* maximum number of requests in a PREPARE */
	uint64_t resend_ns; /* interval after which unanswered messages are sent again */
	/* a replica that hears nothing from the leader for this time begins a view change */
	uint64_t suspect_ns;
	unsigned int bugs; /* enum vr_bug */
};

/* One client in the client table, which recognises repeated requests. */
struct vr_client_row {
	uint32_t taken; /* number of the client's latest request in the log */
	/* number of the client's latest executed request, whose result is `place` and `before` */
	uint32_t executed;
	uint64_t place;
	struct vr_entry before;
};

/* Messages of another replica in the current view change or recovery. */
struct vr_vote {
	bool has_started; /* the other replica's START_VIEW_CHANGE for this view was received */
	bool has_state;   /* the other replica's DO_VIEW_CHANGE or RECOVERY_RESPONSE was received */
	bool has_log;
	uint64_t view, last_normal, op, commit;
	struct vr_entry *log; /* owned, op entries */
};

struct vr {
	struct vr_config config;
	enum vr_status status;
	uint64_t view;
	uint64_t last_normal;
	uint64_t least_view; /* VR_RECOVERING: lowest view to which the replica may recover */
	uint64_t nonce;
	uint64_t op, commit, executed, prepared;
	struct vr_entry *log; /* log[op - 1] is the latest entry */
	size_t log_room;
	struct vr_entry last; /* last executed entry, also the last one of the application's list */
	uint64_t places;      /* length of the application's list */
	struct vr_client_row clients[VR_CLIENTS_MAX];
	uint64_t acked[VR_REPLICAS_MAX];
	struct vr_vote votes[VR_REPLICAS_MAX];
	/*
	 * time of the leader's last message; during a view change, transfer or recovery: time at
	 * which that began
	 */
	uint64_t heard_ns;
	/*
	 * time at which this replica last sent a PREPARE or COMMIT; during a view change, transfer
	 * or recovery: time at which it last sent a message about that
	 */
	uint64_t sent_ns;
	uint64_t violations; /* number of executed entries that a later log removed; must be 0 */
	uint64_t view_changes, recoveries, transfers, batches;
};

/*
 * Initialise a replica. @is_restart: the replica has crashed and must recover; @kept_view is then
 * the stored view, and @nonce a number that was not used before.
 */
void vr_init(struct vr *r, const struct vr_config *config, bool is_restart, uint64_t kept_view,
	     uint64_t nonce, uint64_t now_ns);
void vr_fini(struct vr *r);

/* Process a message. */
void vr_receive(struct vr *r, const struct vr_message *m, uint64_t now_ns, struct vr_out *out);
/* Send the collected messages. Call it when all pending messages were processed. */
void vr_flush(struct vr *r, uint64_t now_ns, struct vr_out *out);
/* Handle timeouts. Call at vr_deadline() at the latest. */
void vr_tick(struct vr *r, uint64_t now_ns, struct vr_out *out);
uint64_t vr_deadline(const struct vr *r);

static inline uint32_t vr_leader(const struct vr *r)
{
	return (uint32_t)(r->view % r->config.n_replicas);
}

static inline bool vr_is_leader(const struct vr *r)
{
	return r->status == VR_NORMAL && vr_leader(r) == r->config.self;
}

#endif
