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

/* A protobuf field: a number (a varint, or a fixed number of 32 or 64 bits), or bytes. */
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

/* The little-endian number in the first @n bytes of @s. @s must have at least @n bytes. */
uint64_t pprof_fixed(struct str s, size_t n);
/*
 * Take a varint (a number of one to ten bytes) from the start of @s. False: no varint; @s is
 * unchanged.
 */
bool pprof_take_varint(struct str *s, uint64_t *ret);
/*
 * Take the next field of the message @s. False: the message has ended, or it is damaged; only
 * damage sets *@ret_bad to true.
 */
bool pprof_next(struct str *s, struct pprof_item *ret, bool *ret_bad);
/*
 * The value of field @field in @message; 0: no such field. Of repeated fields, the last one counts.
 * If the message is damaged, *@ret_bad becomes true; otherwise it is unchanged.
 */
uint64_t pprof_number(struct str message, unsigned int field, bool *ret_bad);
/*
 * Append the numbers in @f, a field that is an array, to @out. @f is one number, or bytes with a
 * list of varints.
 */
void pprof_append_numbers(const struct pprof_item *f, struct pprof_numbers *out);

#endif
