/* SPDX-License-Identifier: MIT */
/*
 * wire.h - messages as datagrams
 *
 * A message is a header and entries, in native byte order, because all replicas of the lab run on
 * the same machine. A message larger than a datagram of WIRE_BYTES is split into fragments. If a
 * fragment is lost, the whole message is lost, which the protocol tolerates.
 */
#ifndef LABS_REPLICA_WIRE_H
#define LABS_REPLICA_WIRE_H

#include "replica/vr.h"

#define WIRE_BYTES   8192u
#define WIRE_MAGIC   0x31727661u /* "avr1" */
#define WIRE_SENDERS (VR_REPLICAS_MAX + 1)

struct wire_header {
	uint32_t magic;
	uint32_t serial; /* number of the message, counted by the sender */
	uint32_t fragment, n_fragments;
	struct vr_message m; /* all members except the pointer `entries` */
};

#define WIRE_ENTRIES ((WIRE_BYTES - sizeof(struct wire_header)) / sizeof(struct vr_entry))

/* Partially received messages, one for each sender. */
struct wire_assembly {
	uint32_t serial;
	uint32_t next; /* next expected fragment */
	uint64_t n;
	struct vr_entry *entries; /* owned */
	size_t room;
};

struct wire_in {
	struct wire_assembly of[WIRE_SENDERS];
};

uint32_t wire_fragments(const struct vr_message *m);
/*
 * Write fragment @i of @m to @buffer, which has WIRE_BYTES bytes. Returns the length of the
 * fragment.
 */
size_t wire_put(const struct vr_message *m, uint32_t serial, uint32_t i, void *buffer);
/*
 * Process a datagram. True: it completes the message in @ret_m, whose entries are valid until the
 * next call.
 */
bool wire_get(struct wire_in *in, const void *data, size_t len, struct vr_message *ret_m);
void wire_fini(struct wire_in *in);

#endif
