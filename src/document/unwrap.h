/* SPDX-License-Identifier: MIT */
/*
 * unwrap.h - join lines that a mailer broke, for readers that know their grammar
 *
 * Where a record ends only its reader knows. What these helpers know is how a
 * broken line goes together again: most mailers break at a blank, which then is
 * gone, but some break inside an address, a path or a number, and then nothing
 * is missing. The last word of one line and the first word of the next tell.
 *
 *     out_str(&o, first_line);
 *     while (reader says that the next line continues)
 *             unwrap_append(&o, next_line);
 *
 * Quoting: a mailer that wraps a line of depth 6 may drop the tail to the depth
 * that it quotes at itself, say 4. So a line can continue a record when its
 * document_quote_depth() is not larger than that of the record's first line;
 * unwrap_depth_fits() says so.
 */
#ifndef DOCUMENT_UNWRAP_H
#define DOCUMENT_UNWRAP_H

#include "base/arena.h"
#include "base/out.h"

enum unwrap {
	UNWRAP_BLANK, /* broken at a blank: put one back */
	UNWRAP_GLUE,  /* broken inside a word: nothing between */
};

/*
 * How @tail goes behind @head: a line and the one after it, or all that was
 * joined so far. Looks at no more than the last and first word.
 * Cost: O(1); words are looked at up to 256 bytes.
 */
enum unwrap unwrap_decide(struct str head, struct str tail);

/*
 * Append line @tail to the text in @o (which starts where the record starts, or
 * before). Blanks at the end of @o and around @tail go; one comes between
 * unless the break was inside a word. An empty @tail adds nothing.
 */
void unwrap_append(struct out *o, struct str tail);
/* The same, and runs of blanks inside @tail become one blank. */
void unwrap_append_squeezed(struct out *o, struct str tail);

/* @head and @tail joined, in @a. Cost: a copy of both; for one or two joins. */
struct str unwrap_join(struct arena *a, struct str head, struct str tail);

/* May a line quoted @tail_depth deep continue a record that starts @first_depth deep? */
static inline bool unwrap_depth_fits(unsigned int first_depth, unsigned int tail_depth)
{
	return tail_depth <= first_depth;
}

#endif
