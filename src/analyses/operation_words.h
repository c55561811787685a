/* SPDX-License-Identifier: MIT */
/*
 * operation_words.h - texts that begin or end an operation
 *
 * The words for this are in operations.tsv. Two texts belong to one operation if they are equal
 * without these words and one line of the table has both words: that of the first text as a begin,
 * and that of the second text as an end.
 */
#ifndef ANALYSES_OPERATION_WORDS_H
#define ANALYSES_OPERATION_WORDS_H

#include "base/str.h"

#include <stdint.h>

struct operation_text {
	uint64_t stem; /* hash of the text without its word of the table and without fields */
	/* bit set of the lines of operations.tsv that have the word as a begin; 0: none */
	uint32_t begins;
	uint32_t ends;
	struct str name;   /* name of the event, or the message up to its first field */
	struct str fields; /* the text after the name, with the fields */
};

/* Parse an event: "block_rq_issue: 8,0 W 4096 () 1000 + 8 [fio]". False: no word of the table. */
bool operation_words_event(struct str text, struct operation_text *ret);
/* Parse a message: "checkpoint 7 started". False: no word of the table. */
bool operation_words_message(struct str text, struct operation_text *ret);

#endif
