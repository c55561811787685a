/* SPDX-License-Identifier: MIT */
/*
 * wire.h - messages as datagrams
 *
 * A message is a header and entries, in the byte order of the machine: all
 * replicas of the lab run on one. What is larger than a datagram of WIRE_BYTES is
 * cut in fragments; a lost one loses the message, which the protocol stands.
 */
#ifndef LABS_REPLICA_WIRE_H
#define LABS_REPLICA_WIRE_H

#include "replica/vr.h"

#define WIRE_BYTES   8192u
#define WIRE_MAGIC   0x31727661u /* "avr1" */
#define WIRE_SENDERS (VR_REPLICAS_MAX + 1)

struct wire_header {
	uint32_t magic;
	uint32_t serial; /* of the message, by the sender */
	uint32_t fragment, n_fragments;
	struct vr_message m; /* without its pointer */
};

#define WIRE_ENTRIES ((WIRE_BYTES - sizeof(struct wire_header)) / sizeof(struct vr_entry))

/* Messages of which not all fragments have come, one a sender. */
struct wire_assembly {
	uint32_t serial;
	uint32_t next; /* fragment */
	uint64_t n;
	struct vr_entry *entries; /* ours */
	size_t room;
};

struct wire_in {
	struct wire_assembly of[WIRE_SENDERS];
};

uint32_t wire_fragments(const struct vr_message *m);
/* Fragment @i of @m into @buffer of WIRE_BYTES; its length. */
size_t wire_put(const struct vr_message *m, uint32_t serial, uint32_t i, void *buffer);
/*
 * Take in a datagram. True when it completes a message, in @ret_m; its entries are
 * valid until the next call.
 */
bool wire_get(struct wire_in *in, const void *data, size_t len, struct vr_message *ret_m);
void wire_fini(struct wire_in *in);

#endif
