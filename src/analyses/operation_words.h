/* SPDX-License-Identifier: MIT */
/*
 * operation_words.h - texts that begin or end an operation
 *
 * The words are in operations.tsv. Two texts are of one operation if they are equal without that
 * word and the word's masks have a bit in common.
 */
#ifndef ANALYSES_OPERATION_WORDS_H
#define ANALYSES_OPERATION_WORDS_H

#include "base/str.h"

#include <stdint.h>

struct operation_text {
	uint64_t stem;   /* hash of the text without the word and the fields */
	uint32_t begins; /* bits of the lines of operations.tsv; 0: no such word */
	uint32_t ends;
	struct str name;   /* of the event, or the message up to its first field */
	struct str fields; /* text after the name */
};

/* Parse "block_rq_issue: 8,0 W 4096 () 1000 + 8 [fio]". False: no such word. */
bool operation_words_event(struct str text, struct operation_text *ret);
/* Parse "checkpoint 7 started". False: no such word. */
bool operation_words_message(struct str text, struct operation_text *ret);

#endif
