/* SPDX-License-Identifier: MIT */
/*
 * wire_protobuf.h - messages as Protocol Buffers (vr.proto), for wire.c only
 *
 * Not thread safe. Built only with libprotobuf-c (HAVE_PROTOBUF).
 */
#ifndef LABS_REPLICA_WIRE_PROTOBUF_H
#define LABS_REPLICA_WIRE_PROTOBUF_H

#include "replica/wire.h"

struct wire_packer;

/* Owner: the caller, who frees it with free(). NULL: no memory. */
struct wire_packer *wire_packer_new(void);
/*
 * Encode @m. Returns the number of bytes in @ret_bytes, which are valid until the next call; 0: @m
 * is larger than a message may be.
 */
size_t wire_pack(struct wire_packer *p, const struct vr_message *m, const char **ret_bytes);
/*
 * Decode @n bytes. False: they are no message of vr.proto within the limits of vr.h, or there is no
 * memory. @in may be NULL: the message then has neither entries nor a state.
 */
bool wire_parse(const char *bytes, size_t n, struct wire_in *in, struct vr_message *ret_m);

#endif
