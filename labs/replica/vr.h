/* SPDX-License-Identifier: MIT */
/*
 * vr.h - Viewstamped Replication as a state machine
 *
 * After Liskov and Cowling, "Viewstamped Replication Revisited", MIT-CSAIL-TR-2012-021: normal
 * operation, view change, recovery with a nonce, state transfer, client table, checkpoints; plus
 * batching. n = 2f + 1 replicas survive f replicas that are down or still recovering.
 *
 * No message has the whole log. A view change sends the last entries of a log. A replica that lacks
 * earlier entries fetches them in pieces. It gets a checkpoint, the state of the replicated object,
 * instead of entries that nobody keeps any more.
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
#define VR_LOG_MAX      (1u << 20) /* entries that a log keeps at most: those since a checkpoint */
#define VR_BACKOFF_MAX  4u
#define VR_PIECE_MAX    4096u /* entries in one message */
/* a message with a later view is damaged: no group changes its view so often */
#define VR_VIEW_MAX (UINT64_MAX / 2)

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
	VR_BUG_FORGETS_VIEW = 1 << 4, /* a restarted replica does not read its stored view */
	VR_BUG_STALE_ACKS = 1 << 5,   /* the leader counts PREPARE_OK of earlier views */
	/* a replica that knows of a view, but lacks its log, votes as if it had the log */
	VR_BUG_TRANSFER_NORMAL = 1 << 6,
	VR_BUG_NO_NONCE = 1 << 7,    /* recovery accepts answers to an earlier recovery */
	VR_BUG_ACKS_VOTED = 1 << 8,  /* a replica acknowledges in a view that it voted to end */
	VR_BUG_LONGEST_LOG = 1 << 9, /* a view starts with the longest log, of whatever view */
	/* a new log does not replace entries that were not executed, it is added to them */
	VR_BUG_KEEPS_TAIL = 1 << 10,
	VR_BUG_NO_STATE_TABLE = 1 << 11, /* a transferred checkpoint lacks the client table */
	/* a new leader lacks entries before the last ones of the best log, and uses its own */
	VR_BUG_FILLS_GAP = 1 << 12,
};

/* What a replica reports instead of continuing in silence. */
enum vr_trouble {
	VR_LOG_FULL,  /* a request was refused: the log has as many entries as it may keep */
	VR_NO_MEMORY, /* a message was ignored for lack of memory */
	/*
	 * a log or a checkpoint contradicts what was executed here: the replica does not take it.
	 * This is a bug; the caller should stop.
	 */
	VR_BROKEN,
	VR_TROUBLES
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

/* The last executed request of a client, and its result. */
struct vr_client_row {
	uint64_t place;
	uint32_t executed; /* number of the request; 0: none */
	struct vr_entry before;
};

/*
 * State of the replicated object after the first `op` entries of the log. A copy of it is a
 * checkpoint. The client table is a part: a repeated request must be recognised after a transfer,
 * too.
 */
struct vr_state {
	uint64_t op;
	uint64_t places;      /* length of the list */
	uint64_t digest;      /* of the executed entries; equal if they are the same */
	struct vr_entry last; /* last entry of the list */
	uint64_t n_clients;   /* rows of clients[] in use */
	struct vr_client_row clients[VR_CLIENTS_MAX];
};

/* A log without its beginning. */
struct vr_log {
	uint64_t base;            /* op-number of the last entry that was dropped */
	uint64_t op;              /* op-number of the last entry */
	struct vr_entry *entries; /* entries[0] has op-number base + 1; owned */
	size_t room;
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
	uint64_t goal;           /* VR_NEW_STATE: op-number of the sender's last entry */
	uint64_t n_entries;
	/* the last n_entries entries of the log up to `op`; valid only during the call */
	const struct vr_entry *entries;
	/* VR_NEW_STATE: NULL, or the checkpoint that the entries continue; valid like entries */
	const struct vr_state *state;
};

/* Functions that a replica calls to send messages and to store its view. @to is a replica. */
struct vr_out {
	void (*send)(struct vr_out *out, uint32_t to, const struct vr_message *m);
	void (*reply)(struct vr_out *out, uint32_t client, const struct vr_message *m);
	void (*keep_view)(struct vr_out *out, uint64_t view);
	/* sends @m to all other replicas; NULL: call send for each */
	void (*broadcast)(struct vr_out *out, const struct vr_message *m);
	/* an entry was executed, or a checkpoint replaced the state; NULL: not needed */
	void (*executed)(struct vr_out *out, const struct vr_state *state);
	/* NULL: only counted, in vr.troubles */
	void (*report)(struct vr_out *out, enum vr_trouble trouble);
};

struct vr_config {
	uint32_t n_replicas; /* odd */
	uint32_t self;
	uint32_t batch_max;        /* maximum number of requests in a PREPARE, up to VR_PIECE_MAX */
	uint32_t suffix_max;       /* entries in a message of a view change; 0: 1024 */
	uint32_t piece_max;        /* entries in one piece of a fetched log; 0: VR_PIECE_MAX */
	uint32_t log_max;          /* entries that the log keeps at most; 0: VR_LOG_MAX */
	uint64_t checkpoint_every; /* entries from one checkpoint to the next; 0: 10 000 */
	uint64_t resend_ns;        /* interval after which unanswered messages are sent again */
	/*
	 * a replica that hears nothing from the leader for this time begins a view change. Each
	 * view change without success doubles the time, up to VR_BACKOFF_MAX times.
	 */
	uint64_t suspect_ns;
	unsigned int bugs; /* enum vr_bug */
};

/* Messages of another replica in the current view change or recovery. */
struct vr_vote {
	bool has_started; /* the other replica's START_VIEW_CHANGE for this view was received */
	bool has_state;   /* the other replica's DO_VIEW_CHANGE or RECOVERY_RESPONSE was received */
	uint64_t view, last_normal, op, commit;
	struct vr_log log; /* DO_VIEW_CHANGE: the last entries of the other replica's log */
};

/*
 * A log that another replica sends in pieces. The own log stays as it is until all have arrived: a
 * replica with a part of the log of a view must not vote as if it had all, nor lose entries that it
 * acknowledged.
 */
struct vr_fetch {
	bool is_on;
	bool has_state; /* the log continues `state`; otherwise the entries executed here */
	uint32_t from;  /* the replica to ask */
	uint64_t view;
	uint64_t last_normal; /* last_normal of the sender: equal to view if it is VR_NORMAL */
	uint64_t goal;        /* op-number at which the log is complete; 0: not known yet */
	uint64_t commit;
	struct vr_state state;
	struct vr_log log;
};

struct vr {
	struct vr_config config;
	enum vr_status status;
	uint64_t view;
	uint64_t last_normal;
	uint64_t least_view; /* VR_RECOVERING: lowest view to which the replica may recover */
	uint64_t nonce;
	uint64_t commit, prepared;
	struct vr_log log;     /* begins at the checkpoint before `kept`, or earlier */
	struct vr_state state; /* what was executed */
	struct vr_state kept;  /* the latest checkpoint */
	/* number of each client's latest request in the log */
	uint32_t taken[VR_CLIENTS_MAX];
	uint64_t acked[VR_REPLICAS_MAX];
	struct vr_vote votes[VR_REPLICAS_MAX];
	struct vr_fetch fetch;
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
	uint64_t asked_ns, asked_op;    /* VR_NORMAL: the latest request for missing entries */
	uint32_t tries;                 /* view changes since the leader of a view was last heard */
	uint32_t resends;               /* messages sent again since the status began */
	uint64_t troubles[VR_TROUBLES]; /* how often each happened */
	uint64_t view_changes, recoveries, transfers, batches, checkpoints, fetched;
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

/* One sentence about @trouble, without a name and a final dot. */
const char *vr_trouble_text(enum vr_trouble trouble);

static inline uint32_t vr_leader(const struct vr *r)
{
	return (uint32_t)(r->view % r->config.n_replicas);
}

static inline bool vr_is_leader(const struct vr *r)
{
	return r->status == VR_NORMAL && vr_leader(r) == r->config.self;
}

#endif
