/* SPDX-License-Identifier: MIT */
/*
 * wire.h - messages as datagrams
 *
 * A message is a header, a checkpoint if it has one, and entries, in native byte order, because all
 * replicas of the lab run on the same machine. A message larger than a datagram of WIRE_BYTES is
 * split into fragments, which may arrive in any order, and mixed with those of other messages. If a
 * fragment is lost, the whole message is lost, which the protocol tolerates.
 */
#ifndef LABS_REPLICA_WIRE_H
#define LABS_REPLICA_WIRE_H

#include "replica/vr.h"

#define WIRE_BYTES   8192u
#define WIRE_MAGIC   0x32727661u /* "avr2" */
#define WIRE_SENDERS VR_REPLICAS_MAX
/* incomplete messages of one sender that are kept; the oldest one is given up */
#define WIRE_SLOTS 4u

struct wire_header {
	uint32_t magic;
	uint32_t serial; /* number of the message, counted by the sender */
	uint32_t fragment;
	uint32_t state_bytes; /* of the checkpoint; 0: none */
	struct vr_message m;  /* all members except the pointers `entries` and `state` */
};

#define WIRE_PART          (WIRE_BYTES - sizeof(struct wire_header))
#define WIRE_PAYLOAD_MAX   (sizeof(struct vr_state) + VR_PIECE_MAX * sizeof(struct vr_entry))
#define WIRE_FRAGMENTS_MAX (WIRE_PAYLOAD_MAX / WIRE_PART + 1)

/* A message of which some fragments are here. */
struct wire_assembly {
	uint64_t used; /* value of wire_in.clock when it began; 0: never */
	uint32_t n_missing;
	bool has[WIRE_FRAGMENTS_MAX];
	struct wire_header header;
	char *payload; /* owned, WIRE_PAYLOAD_MAX bytes */
};

struct wire_in {
	uint64_t clock; /* messages of several fragments that began */
	struct wire_assembly of[WIRE_SENDERS][WIRE_SLOTS];
	struct vr_state state;    /* of the message that wire_get() returned */
	struct vr_entry *entries; /* owned, VR_PIECE_MAX */
	uint64_t n_bad;           /* datagrams that are no fragment of a message */
	uint64_t n_given_up;      /* messages of which a fragment did not come in time */
};

/* Number of datagrams of @m; 0: it is larger than WIRE_PAYLOAD_MAX. */
uint32_t wire_fragments(const struct vr_message *m);
/*
 * Write fragment @i of @m to @buffer, which has WIRE_BYTES bytes. Returns the length of the
 * fragment. @serial is another one for each message, also after a restart.
 */
size_t wire_put(const struct vr_message *m, uint32_t serial, uint32_t i, void *buffer);
/*
 * Process a datagram. True: it completes the message in @ret_m, whose entries and state are valid
 * until the next call. @in may be NULL for a client.
 */
bool wire_get(struct wire_in *in, const void *data, size_t len, struct vr_message *ret_m);
void wire_fini(struct wire_in *in);

#endif
