/* SPDX-License-Identifier: MIT */
/*
 * operation_words.h - recognise texts that begin or end an operation
 *
 * Such a text has a word of operations.tsv, such as "started" or "completed". Two texts are the
 * begin and the end of one kind of operation under two conditions: the texts are equal without
 * these words, and one line of operations.tsv has the first word as a begin and the second word as
 * an end.
 */
#ifndef ANALYSES_OPERATIONS_OPERATION_WORDS_H
#define ANALYSES_OPERATIONS_OPERATION_WORDS_H

#include "base/str.h"

#include <stdint.h>

struct operation_text {
	uint64_t stem; /* hash of the text without fields and without its word of operations.tsv */
	/*
	 * bit n is set if row n of operations.tsv has the text's word as a begin (`begins`) or as
	 * an end (`ends`)
	 */
	uint32_t begins;
	uint32_t ends;
	struct str name;   /* name of the event; of a message, the text up to its first field */
	struct str fields; /* the rest of the text, which has the fields */
};

/*
 * Parse an event: "block_rq_issue: 8,0 W 4096 () 1000 + 8 [fio]". False: its name has no word of
 * operations.tsv.
 */
bool operation_words_event(struct str text, struct operation_text *ret);
/* Parse a message: "checkpoint 7 started". False: it has no word of operations.tsv. */
bool operation_words_message(struct str text, struct operation_text *ret);

#endif
