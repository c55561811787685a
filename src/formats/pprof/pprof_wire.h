/* SPDX-License-Identifier: MIT */
/*
 * pprof_wire.h - decode the fields of protobuf messages in place
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

/* The little-endian number in the first @n bytes of @s, which has at least @n bytes. */
uint64_t pprof_fixed(struct str s, size_t n);
/* Take a varint (a number of one to ten bytes) from @s. False: none, and @s is unchanged. */
bool pprof_take_varint(struct str *s, uint64_t *ret);
/* Take the next field of the message @s. False: the end, or damage, which sets *ret_bad to true. */
bool pprof_next(struct str *s, struct pprof_item *ret, bool *ret_bad);
/*
 * The value of field @field in @message, the last one if the field is repeated; 0: none. Damage
 * sets *@ret_bad to true; otherwise *@ret_bad is unchanged.
 */
uint64_t pprof_number(struct str message, unsigned int field, bool *ret_bad);
/*
 * Append the numbers in @f, an item of an array field. @f has one number, or bytes with a list of
 * varints.
 */
void pprof_append_numbers(const struct pprof_item *f, struct pprof_numbers *out);

#endif
