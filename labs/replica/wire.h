/* SPDX-License-Identifier: MIT */
/*
 * wire.h - messages as datagrams
 *
 * A plain message is a header, a checkpoint if it has one, and entries, in native byte order,
 * because all replicas of the lab run on the same machine. The other kind is a message of Protocol
 * Buffers (vr.proto); programs that are built with libprotobuf-c send and understand it too.
 *
 * A message larger than a datagram of WIRE_BYTES is split into fragments, which may arrive in any
 * order, and mixed with those of other messages. If a fragment is lost, the whole message is lost,
 * which the protocol tolerates.
 */
#ifndef LABS_REPLICA_WIRE_H
#define LABS_REPLICA_WIRE_H

#include "replica/vr.h"

#define WIRE_BYTES          8192u
#define WIRE_MAGIC          0x32727661u /* "avr2" */
#define WIRE_MAGIC_PROTOBUF 0x31707661u /* "avp1" */
#define WIRE_SENDERS        VR_REPLICAS_MAX
/* incomplete messages of one sender that are kept; the oldest one is given up */
#define WIRE_SLOTS 4u

struct wire_header {
	uint32_t magic;
	uint32_t serial; /* number of the message, counted by the sender */
	uint32_t fragment;
	uint32_t state_bytes; /* of the checkpoint; 0: none */
	struct vr_message m;  /* all members except the pointers `entries` and `state` */
};

/* Before each fragment of a message of Protocol Buffers. */
struct wire_packed_header {
	uint32_t magic; /* WIRE_MAGIC_PROTOBUF */
	uint32_t serial;
	uint32_t fragment;
	uint32_t from;  /* as in the message */
	uint32_t bytes; /* of the whole message */
};

enum wire_kind {
	WIRE_PLAIN,
	WIRE_PROTOBUF,
};

#define WIRE_PART (WIRE_BYTES - sizeof(struct wire_header))
/* more than Protocol Buffers need for the most entries and clients: 14, 33 and 200 bytes */
#define WIRE_PACKED_MAX    (VR_PIECE_MAX * 16 + VR_CLIENTS_MAX * 40 + 256)
#define WIRE_PAYLOAD_MAX   WIRE_PACKED_MAX /* a plain message has less, too */
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

/* The message that is being sent. */
struct wire_out {
	enum wire_kind kind;
	const struct vr_message *m;
	uint32_t serial;
	size_t state_bytes; /* WIRE_PLAIN: of the checkpoint */
	size_t payload;
	const char *packed;         /* WIRE_PROTOBUF: the message */
	struct wire_packer *packer; /* owned; made for the first message of WIRE_PROTOBUF */
};

/* The kind called @name, "plain" or "protobuf". False: there is none, or it was not built. */
bool wire_kind_find(const char *name, enum wire_kind *ret_kind);
/*
 * Begin to send @m, which must stay as it is until its last fragment is written. @serial is another
 * one for each message, also after a restart. Returns the number of datagrams; 0: @m is larger than
 * a message may be, or there is no memory.
 */
uint32_t wire_begin(struct wire_out *out, const struct vr_message *m, uint32_t serial);
/*
 * Write fragment @i of the message to @buffer, which has WIRE_BYTES bytes. Returns the length of
 * the fragment.
 */
size_t wire_put(const struct wire_out *out, uint32_t i, void *buffer);
void wire_out_fini(struct wire_out *out);
/*
 * Process a datagram. True: it completes the message in @ret_m, whose entries and state are valid
 * until the next call. @in may be NULL for a client. Both kinds are understood.
 */
bool wire_get(struct wire_in *in, const void *data, size_t len, struct vr_message *ret_m);
void wire_fini(struct wire_in *in);

#endif
