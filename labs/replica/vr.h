/* SPDX-License-Identifier: MIT */
/*
 * vr.h - Viewstamped Replication as a state machine
 *
 * After Liskov and Cowling, "Viewstamped Replication Revisited", MIT-CSAIL-TR-2012-021: normal
 * operation, view change, recovery with a nonce, state transfer, client table; plus batching.
 * n = 2f + 1 replicas survive f replicas that are down or still recovering.
 *
 * No I/O and no clock: messages and times go in, messages come out through vr_out. A simulator can
 * therefore run any schedule, and two runs of one schedule are equal.
 *
 * One difference from the paper, whose replicas store nothing: a replica could vote for view v + 1,
 * crash, and recover into view v. It could then acknowledge an operation in v. View v + 1, started
 * with the replica's old vote, would not contain that operation (Michael, Ports, Sharma, Szekeres,
 * "Recovering Shared Objects Without Stable Storage", DISC 2017). So one number is stored: the
 * view, passed to keep_view before any message of that view. A recovering replica asks for that
 * view or a later one.
 *
 * The replicated object is one append-only list: a request appends its id, and its result is its
 * place and the id before it. That makes the check of a history exact (check.h).
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
	VR_TRANSFER, /* knows of a later view, but lacks its log */
	VR_RECOVERING,
};

/* Planted defects, which the tests must detect. */
enum vr_bug {
	VR_BUG_ACKS_EARLY = 1 << 0,      /* the leader answers before a quorum has the entry */
	VR_BUG_SKIPS_RECOVERY = 1 << 1,  /* a restarted replica continues with an empty log */
	VR_BUG_NO_CLIENT_TABLE = 1 << 2, /* a repeated request is executed again */
	VR_BUG_SHORT_VIEW_LOG = 1 << 3,  /* a view starts with the leader's own log */
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

/* One request in the log. */
struct vr_entry {
	uint32_t client;
	uint32_t number; /* number of the client's request, from 1 */
};

/* Unused fields of a type are 0. */
struct vr_message {
	uint32_t type; /* enum vr_type */
	uint32_t from; /* replica; for a request, the client */
	uint64_t view;
	uint64_t op;     /* op-number n; in PREPARE and states, that of the last entry */
	uint64_t commit; /* commit-number k */
	uint64_t last_normal;
	uint64_t nonce;
	struct vr_entry request; /* VR_REQUEST, VR_REPLY */
	uint64_t place;          /* VR_REPLY: place in the list, from 1 */
	struct vr_entry before;  /* VR_REPLY: the entry before it */
	uint64_t n_entries;
	/* the last n_entries up to op; valid during the call only */
	const struct vr_entry *entries;
};

/* Output of a replica. @to is a replica, or a client in reply. */
struct vr_out {
	void (*send)(struct vr_out *out, uint32_t to, const struct vr_message *m);
	void (*reply)(struct vr_out *out, uint32_t client, const struct vr_message *m);
	void (*keep_view)(struct vr_out *out, uint64_t view);
	/* PREPARE to all others; NULL: call send for each */
	void (*broadcast)(struct vr_out *out, const struct vr_message *m);
};

struct vr_config {
	uint32_t n_replicas; /* odd */
	uint32_t self;
	uint32_t batch_max;  /* limit of requests in one PREPARE */
	uint64_t resend_ns;  /* retry interval of unanswered messages */
	uint64_t suspect_ns; /* silence of the leader before a view change */
	unsigned int bugs;   /* enum vr_bug */
};

/* State of a client. */
struct vr_client_row {
	uint32_t taken;    /* latest number in the log */
	uint32_t executed; /* latest executed number; place and before are its result */
	uint64_t place;
	struct vr_entry before;
};

/* State of another replica in the current view change or recovery. */
struct vr_vote {
	bool has_started; /* START_VIEW_CHANGE for this view was received */
	bool has_state;   /* DO_VIEW_CHANGE or RECOVERY_RESPONSE was received */
	bool has_log;
	uint64_t view, last_normal, op, commit;
	struct vr_entry *log; /* owned, op entries */
};

struct vr {
	struct vr_config config;
	enum vr_status status;
	uint64_t view;
	uint64_t last_normal;
	uint64_t least_view; /* recovering: lowest acceptable view */
	uint64_t nonce;
	uint64_t op, commit, executed, prepared;
	struct vr_entry *log; /* [op - 1] is the latest */
	size_t log_room;
	struct vr_entry last; /* last entry of the list */
	uint64_t places;      /* length of the list */
	struct vr_client_row clients[VR_CLIENTS_MAX];
	uint64_t acked[VR_REPLICAS_MAX];
	struct vr_vote votes[VR_REPLICAS_MAX];
	uint64_t heard_ns;   /* time of the last message from the leader, or start of the attempt */
	uint64_t sent_ns;    /* time of the last PREPARE, COMMIT, or attempt */
	uint64_t violations; /* executed entries that a later log removed: 0 if correct */
	uint64_t view_changes, recoveries, transfers, batches;
};

/*
 * Initialise a replica. At the first start @is_restart is false. After a crash it is true, with the
 * stored view @kept_view and a fresh @nonce.
 */
void vr_init(struct vr *r, const struct vr_config *config, bool is_restart, uint64_t kept_view,
	     uint64_t nonce, uint64_t now_ns);
void vr_fini(struct vr *r);

/* Process a message. */
void vr_receive(struct vr *r, const struct vr_message *m, uint64_t now_ns, struct vr_out *out);
/* All pending input is processed: send the collected messages. */
void vr_flush(struct vr *r, uint64_t now_ns, struct vr_out *out);
/* Process timeouts; call it at vr_deadline() or earlier. */
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
