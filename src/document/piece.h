/* SPDX-License-Identifier: MIT */
/*
 * piece.h - borrowed text with the original line number of each line
 *
 * Cleaning a text (document.h) takes several steps. Between steps, text is a `struct piece`. The
 * last step appends its lines to a `struct clean` (clean.h).
 */
#ifndef DOCUMENT_PIECE_H
#define DOCUMENT_PIECE_H

#include "base/str.h"
#include "base/vec.h"

/*
 * A position where the original line number changes. The bytes from `offset` to the offset of the
 * next line_break are from the original line `line`.
 */
struct line_break {
	size_t offset;
	uint32_t line;
};

/* The line breaks of a piece, sorted by offset. */
struct line_breaks {
	VEC(struct line_break) v;
};

/*
 * Maximum number of breaks in a piece. All text after the last break counts as part of that break's
 * original line.
 */
#define LINE_BREAKS_MAX (UINT32_C(1) << 26)

/*
 * Append a break: text from byte @offset on is from the original line @line. A previous break at
 * the same offset is replaced.
 */
static inline void line_breaks_add(struct line_breaks *b, size_t offset, uint32_t line)
{
	if (b->v.len && b->v.data[b->v.len - 1].offset == offset)
		b->v.len--;
	if (b->v.len < LINE_BREAKS_MAX)
		*VEC_PUSH(&b->v) = (struct line_break){ offset, line };
}

struct piece {
	struct str text;
	uint32_t first_line; /* original line of the first byte of `text` */
	/* decompressed data: all bytes count as part of the original line first_line */
	bool is_one_line;
	/*
	 * where the original line changes. NULL: the lines are consecutive original lines from
	 * first_line on or, if is_one_line is set, all of them are the original line first_line
	 */
	const struct line_breaks *breaks;
};

/* Iterates over the lines of a piece. A copy of the cursor can look ahead. */
struct piece_cursor {
	const struct piece *piece;
	size_t at;     /* offset of the next line */
	uint32_t line; /* original line of the next line */
	/* index of the first break in piece->breaks whose offset is above `at` */
	size_t next_break;
};

struct piece_cursor piece_cursor(const struct piece *p);
/* Return the next line without its '\n'; a '\r' before the '\n' stays. False at the end. */
bool piece_line(struct piece_cursor *c, struct str *ret_line, uint32_t *ret_original);
/* Move to byte @offset, which is at or after c->at, and update c->line. */
void piece_seek(struct piece_cursor *c, size_t offset);

#endif
