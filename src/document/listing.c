/* SPDX-License-Identifier: MIT */
#include "document/listing.h"

#include "document/mail/quote.h"
#include "document/piece.h"

#include <stdint.h>

#define LISTING_LEAST  5u /* minimum number of lines in a block of lines with line numbers */
#define LISTING_DIGITS 9u
#define LISTING_INDENT 8u /* maximum number of blanks before a number */

/* A block of consecutive lines with numbers; listing_add() adds one line. */
struct listing_block {
	uint32_t last;
	size_t n_lines;
	size_t n_texts; /* number of lines with text after the number */
	/*
	 * number of lines without text. The last line is not counted, because it may be a truncated
	 * row of a table whose first column has numbers
	 */
	size_t n_inner;
	bool is_bare; /* the last line has no text */
};

/*
 * The number at the start of @line. *@ret_bytes: length of the number with its separator; 0: @line
 * has no number.
 */
static uint32_t listing_number(struct str line, size_t *ret_bytes)
{
	uint32_t number = 0;
	size_t first = 0;
	size_t n;

	*ret_bytes = 0;
	while (first < line.len && first < LISTING_INDENT && line.p[first] == ' ')
		first++;
	for (n = first; n < line.len && n - first < LISTING_DIGITS && char_is_digit(line.p[n]); n++)
		number = number * 10 + (uint32_t)(line.p[n] - '0');
	if (n == first || (n < line.len && line.p[n] != ' ' && line.p[n] != '\t' &&
			   line.p[n] != ':' && line.p[n] != '|'))
		return 0;
	*ret_bytes = n + (n < line.len);
	return number;
}

size_t listing_bytes(struct str line)
{
	size_t bytes;

	(void)listing_number(line, &bytes);
	return bytes;
}

/*
 * Add @line to the block. False: @line has no number, or the number is not the previous one plus 1.
 */
static bool listing_add(struct listing_block *b, struct str line)
{
	size_t bytes;
	uint32_t number = listing_number(line, &bytes);

	if (!bytes || (b->n_lines && number != b->last + 1))
		return false;
	b->last = number;
	b->n_lines++;
	b->n_inner += b->is_bare;
	b->is_bare = str_trim(str_skip(line, bytes)).len == 0;
	b->n_texts += !b->is_bare;
	return true;
}

static bool listing_is_block(const struct listing_block *b)
{
	return b->n_lines >= LISTING_LEAST && b->n_inner && b->n_texts * 2 > b->n_lines;
}

size_t listing_scan(struct piece_cursor c, size_t depth, bool *ret_is_listing)
{
	struct listing_block b = { .n_lines = 0 };
	struct str line;
	uint32_t original;
	size_t own;

	while (piece_line(&c, &line, &original)) {
		line = quote_strip(line, depth, &own);
		if (own != depth || !listing_add(&b, line))
			break;
	}
	*ret_is_listing = listing_is_block(&b);
	return b.n_lines;
}

bool listing_is_in(struct str text)
{
	struct listing_block b = { .n_lines = 0 };
	struct str line;
	size_t depth;

	while (str_line(&text, &line)) {
		line = quote_strip(line, SIZE_MAX, &depth);
		if (!listing_add(&b, line)) {
			b = (struct listing_block){ .n_lines = 0 };
			listing_add(&b, line);
		}
		if (listing_is_block(&b))
			return true;
	}
	return false;
}
