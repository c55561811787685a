/* SPDX-License-Identifier: MIT */
/*
 * operation_key.h - the field of a trace event whose value identifies an operation
 *
 * All events of one operation have the same value in that field. The field has a name, as in
 * "seqno=12" or "tag: 7", or is a word at a certain position from the front or the back.
 * operations.c finds out which field it is.
 */
#ifndef ANALYSES_OPERATIONS_OPERATION_KEY_H
#define ANALYSES_OPERATIONS_OPERATION_KEY_H

#include "base/str.h"

#include <stdint.h>

enum operation_key_kind {
	OPERATION_KEY_NAME, /* the value of a field with a name: 12 in "seqno=12" */
	/*
	 * a word that has a digit, but is not the value of a named field; its position is counted
	 * from the start of the fields
	 */
	OPERATION_KEY_FRONT,
	/* like OPERATION_KEY_FRONT, but the position is counted from the end of the fields */
	OPERATION_KEY_BACK,
	OPERATION_KEY_THREAD, /* no field: all events of a thread have the same key */
};

struct operation_key {
	struct str name; /* name of the field; only OPERATION_KEY_NAME */
	uint8_t kind;    /* enum operation_key_kind */
	/*
	 * position, starting at 0, among the words without a name; only OPERATION_KEY_FRONT and
	 * OPERATION_KEY_BACK
	 */
	uint8_t at;
};

#define OPERATION_KEYS_MAX 40u

/*
 * The value of @key in @fields, the text of an event after its name. Empty: @fields lacks the key.
 * Cost: O(fields).
 */
struct str operation_key_value(const struct operation_key *key, struct str fields);
/*
 * List all possible keys of an event with @fields, including OPERATION_KEY_THREAD. Returns their
 * number, at most OPERATION_KEYS_MAX.
 */
size_t operation_keys_of(struct str fields, struct operation_key *ret);

#endif
