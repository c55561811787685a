/* SPDX-License-Identifier: MIT */
/*
 * clean.h - the output of cleaning a text
 *
 * The last step of cleaning appends lines to a `struct clean`. The document takes its text, line
 * map and depth map from there. The earlier steps work on pieces (piece.h).
 */
#ifndef DOCUMENT_CLEAN_H
#define DOCUMENT_CLEAN_H

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

struct diag;

/* Encodings that cleaning removed. document.encoding lists them in this order. */
enum undone {
	UNDONE_UTF16 = 1 << 0,
	UNDONE_BOM = 1 << 1,
	UNDONE_MBOX = 1 << 2,
	UNDONE_MAIL = 1 << 3,
	UNDONE_MIME = 1 << 4,
	UNDONE_BASE64 = 1 << 5,
	UNDONE_QP = 1 << 6,
	UNDONE_PACKED = 1 << 7, /* a compressed attachment */
	UNDONE_LATIN1 = 1 << 8,
	UNDONE_FLOWED = 1 << 9,
	UNDONE_HTML = 1 << 10,
	UNDONE_QUOTES = 1 << 11,
	UNDONE_FENCES = 1 << 12,
	UNDONE_ENTITIES = 1 << 13,
	UNDONE_CR = 1 << 14,
	UNDONE_ESCAPES = 1 << 15,
	UNDONE_NBSP = 1 << 16,
	UNDONE_SHADES = 1 << 17,
	UNDONE_LABELS = 1 << 18,
	UNDONE_LINKS = 1 << 19,
	UNDONE_WRAPPED = 1 << 20,
	UNDONE_LISTING = 1 << 21,
};

/* The output of cleaning: text, and for each line its original line and quote depth. */
struct clean {
	struct out text;
	VEC(uint32_t) lines; /* original line of each line */
	VEC(uint8_t) depths; /* quote depth of each line */
	size_t limit;        /* limit of text and maps together, in bytes */
	uint32_t undone;     /* set of enum undone */
	uint32_t cut_line;   /* original line at which the limit was reached; 0: not reached */
	bool has_depth;
	struct diag *diag;
};

void clean_init(struct clean *c, size_t limit, struct diag *diag);
void clean_fini(struct clean *c);
/* Append @line and a '\n'. @original: its original line; @depth: its quote depth. */
void clean_line(struct clean *c, struct str line, uint32_t original, size_t depth);
/* Remove the last @drop bytes of the last line, then append @line to it. */
void clean_join(struct clean *c, struct str line, size_t drop);
/* The last line, without its '\n'. */
struct str clean_last(const struct clean *c);
/* Append an empty line between two parts of a mail, unless the last line is empty already. */
void clean_separate(struct clean *c, uint32_t original);
/* Whether the limit is reached. Callers must then stop. */
static inline bool clean_is_full(const struct clean *c)
{
	return UNLIKELY(c->cut_line != 0);
}

#endif
