/* SPDX-License-Identifier: MIT */
/*
 * unwrap.h - join lines that a mailer broke, for readers that know the grammar of the text
 *
 * Only the reader knows where a record ends; these functions know how to join its lines. Most
 * mailers break a line at a blank, and remove the blank. Some break inside an address, a path or a
 * number, and remove nothing. The last word of a line and the first word of the next line show
 * where the mailer broke.
 *
 *     out_str(&o, first_line);
 *     while (reader says that the next line continues)
 *             unwrap_append_squeezed(&o, next_line);
 *
 * A mailer that wraps a line of quote depth 6 may quote the rest of this line at a smaller depth. A
 * line can therefore continue a record if its document_quote_depth() is not larger than that of the
 * record's first line: unwrap_depth_fits().
 */
#ifndef DOCUMENT_UNWRAP_H
#define DOCUMENT_UNWRAP_H

#include "base/str.h"

struct out;

enum unwrap {
	UNWRAP_BLANK, /* the line was broken at a blank: insert a blank */
	UNWRAP_GLUE,  /* the line was broken inside a word: insert nothing */
};

/*
 * Decide how to join @tail to @head. @head is a line, or the text joined so far; @tail is the next
 * line. Cost: O(1); inspects the last word of @head and the first word of @tail, up to 256 bytes
 * each.
 */
enum unwrap unwrap_decide(struct str head, struct str tail);

/*
 * Append the line @tail to the last record in @o. Blanks at the end of @o and around @tail are
 * removed. One blank is inserted, except if the line was broken inside a word. Several blanks
 * inside @tail become one. An empty @tail adds nothing.
 */
void unwrap_append_squeezed(struct out *o, struct str tail);

/* Whether a line of quote depth @tail_depth can continue a record of quote depth @first_depth. */
static inline bool unwrap_depth_fits(unsigned int first_depth, unsigned int tail_depth)
{
	return tail_depth <= first_depth;
}

#endif
