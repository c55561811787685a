/* SPDX-License-Identifier: MIT */
/*
 * pprof_wire.h - fields of protobuf messages, decoded in place
 *
 * Source: protobuf.dev/programming-guides/encoding.
 */
#ifndef FORMATS_PPROF_WIRE_H
#define FORMATS_PPROF_WIRE_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A protobuf field: a number (a varint, or one of 32 or 64 bits), or bytes. */
struct pprof_item {
	unsigned int field;
	bool is_bytes;
	uint64_t number;
	struct str bytes;
};

struct pprof_numbers {
	uint64_t *data;
	size_t len;
	size_t cap;
};

/* The little-endian number in the first @n bytes of @s, which must have that many. */
uint64_t pprof_fixed(struct str s, size_t n);
/* Take a varint of up to ten bytes. False: none; @s is then unchanged. */
bool pprof_take_varint(struct str *s, uint64_t *ret);
/* Take the next field of @s. False: the end, or damage (*ret_bad). */
bool pprof_next(struct str *s, struct pprof_item *ret, bool *ret_bad);
/*
 * The last number in field @field of @message; 0: none. Damage sets @ret_bad to true; otherwise it
 * does not change.
 */
uint64_t pprof_number(struct str message, unsigned int field, bool *ret_bad);
/* Append the varints of one occurrence of a repeated field: one number, or a packed list. */
void pprof_append_numbers(const struct pprof_item *f, struct pprof_numbers *out);

#endif
