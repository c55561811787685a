/* SPDX-License-Identifier: MIT */
/*
 * linemap.h - text with the original line number of each line
 *
 * Cleaning a text (document.h) takes several steps. Between steps, text is a `struct piece`:
 * borrowed bytes, and for each line the number of the original line. The last step appends lines to
 * a `struct clean`, from which the document takes its text, line map and depth map.
 */
#ifndef DOCUMENT_LINEMAP_H
#define DOCUMENT_LINEMAP_H

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

struct diag;

/*
 * A place where the original line number changes: the bytes from @offset to the offset of the next
 * line_break are from line @line of the original text.
 */
struct line_break {
	size_t offset;
	uint32_t line;
};

/* Sorted by offset. */
struct line_breaks {
	VEC(struct line_break) v;
};

/*
 * Maximum number of breaks in a piece. All text after the last break counts as being from the
 * original line of that break.
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
	/* decompressed data: all bytes count as being from the original line first_line */
	bool is_one_line;
	/* NULL: the lines are consecutive original lines from first_line on, unless is_one_line */
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

/* @line + @n, at most UINT32_MAX. */
static inline uint32_t linemap_advance(uint32_t line, size_t n)
{
	return n > UINT32_MAX - line ? UINT32_MAX : line + (uint32_t)n;
}

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
/* Append a line and a '\n'. */
void clean_line(struct clean *c, struct str line, uint32_t original, size_t depth);
/* Remove the last @drop bytes of the last line, then append @line to it. */
void clean_join(struct clean *c, struct str line, size_t drop);
/* The last line, without its '\n'. */
struct str clean_last(const struct clean *c);
/* Append an empty line between two parts of a mail, unless the last line is empty already. */
void clean_separate(struct clean *c, uint32_t original);
/* Whether the limit is reached. Callers then stop. */
static inline bool clean_is_full(const struct clean *c)
{
	return UNLIKELY(c->cut_line != 0);
}

#endif
