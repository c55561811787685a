/* SPDX-License-Identifier: MIT */
/*
 * operation_key.h - the field of an event that identifies its operation
 *
 * The field is "seqno=12", "tag: 7", or a word at a certain position from the front or the back.
 * It is learned from the events, see operations.h.
 */
#ifndef ANALYSES_OPERATION_KEY_H
#define ANALYSES_OPERATION_KEY_H

#include "base/str.h"

#include <stdint.h>

enum operation_key_kind {
	OPERATION_KEY_NAME,   /* the value of a named field */
	OPERATION_KEY_FRONT,  /* a bare word with a digit, by its position */
	OPERATION_KEY_BACK,   /* a bare word with a digit, by its position from the end */
	OPERATION_KEY_THREAD, /* no field: all events of a thread have the same key */
};

struct operation_key {
	struct str name; /* name of the field; only OPERATION_KEY_NAME */
	uint8_t kind;    /* enum operation_key_kind */
	/* position, starting at 0; only OPERATION_KEY_FRONT and OPERATION_KEY_BACK */
	uint8_t at;
};

#define OPERATION_KEYS_MAX 40u

/* The value of @key in @fields; empty: missing. Cost: O(fields). */
struct str operation_key_value(const struct operation_key *key, struct str fields);
/*
 * Find all keys that @fields has, and add the thread. Returns their number, at most
 * OPERATION_KEYS_MAX.
 */
size_t operation_keys_of(struct str fields, struct operation_key *ret);

#endif
