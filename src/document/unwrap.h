/* SPDX-License-Identifier: MIT */
/*
 * unwrap.h - join lines that a mailer broke, for readers that know their grammar
 *
 * Only the reader knows where a record ends. These functions know how to join the parts. Most
 * mailers break at a blank, which is then lost. Some break inside an address, a path or a
 * number, where nothing is lost. The last word of one line and the first of the next decide.
 *
 *     out_str(&o, first_line);
 *     while (reader says that the next line continues)
 *             unwrap_append_squeezed(&o, next_line);
 *
 * Quoting: a mailer that wraps a line of depth 6 may quote the tail at its own depth, say 4. A
 * line can therefore continue a record if its document_quote_depth() does not exceed that of
 * the record's first line: unwrap_depth_fits().
 */
#ifndef DOCUMENT_UNWRAP_H
#define DOCUMENT_UNWRAP_H

#include "base/str.h"

struct out;

enum unwrap {
	UNWRAP_BLANK, /* broken at a blank: put one back */
	UNWRAP_GLUE,  /* broken inside a word: join directly */
};

/*
 * How to join @tail to @head: a line and its successor, or all text joined so far. Cost: O(1);
 * inspects the last and first word, up to 256 bytes each.
 */
enum unwrap unwrap_decide(struct str head, struct str tail);

/*
 * Append line @tail to the text in @o (which starts at or before the start of the record).
 * Blanks at the end of @o and around @tail are removed; one is inserted unless the break was
 * inside a word. Runs of blanks inside @tail become one blank. An empty @tail adds nothing.
 */
void unwrap_append_squeezed(struct out *o, struct str tail);

/* Whether a line quoted @tail_depth deep can continue a record that starts @first_depth deep. */
static inline bool unwrap_depth_fits(unsigned int first_depth, unsigned int tail_depth)
{
	return tail_depth <= first_depth;
}

#endif
