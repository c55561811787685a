/* SPDX-License-Identifier: MIT */
/*
 * operation_key.h - the field of an event that identifies its operation
 *
 * "seqno=12", "tag: 7", or a word by its position from the front or the back. The field is
 * learned from the events: operations.h.
 */
#ifndef ANALYSES_OPERATION_KEY_H
#define ANALYSES_OPERATION_KEY_H

#include "base/str.h"

#include <stdint.h>

enum operation_key_kind {
	OPERATION_KEY_NAME,   /* the value of a named field */
	OPERATION_KEY_FRONT,  /* a word with a digit, by its position */
	OPERATION_KEY_BACK,   /* by its position from the end */
	OPERATION_KEY_THREAD, /* no field: the events of one thread */
};

struct operation_key {
	struct str name; /* of OPERATION_KEY_NAME */
	uint8_t kind;    /* enum operation_key_kind */
	uint8_t at;      /* of FRONT and BACK, from 0 */
};

#define OPERATION_KEYS_MAX 40u

/* The value of @key in @fields; empty: missing. Cost: O(fields). */
struct str operation_key_value(const struct operation_key *key, struct str fields);
/* Every key that @fields has, and the thread; returns their number, OPERATION_KEYS_MAX at most. */
size_t operation_keys_of(struct str fields, struct operation_key *ret);

#endif
