/* SPDX-License-Identifier: MIT */
/*
 * output_parts.h - is the output of a tool whole, or an excerpt?
 *
 * Many tools always print certain lines: a head with the command or the process, a total, a last
 * line. output_parts.c has a table of these lines for each tool. A text with the data of the tool
 * but without such a line is an excerpt. A text with both the first and the last line is no excerpt
 * at its ends; lines between them may be missing, unless a printed total agrees with the stacks.
 *
 * This is about the size of the text, not about damage: an excerpt can be read without errors.
 */
#ifndef FORMATS_OUTPUT_PARTS_H
#define FORMATS_OUTPUT_PARTS_H

#include <stddef.h>

struct detection;
struct document;
struct dossier;

/*
 * Find the lines that the tools of the captures always print. Each missing line becomes a note
 * CAPTURE_MISSING_PART of the capture, with a phrase as its value: "no SUMMARY line". A capture
 * whose first and last lines are in the text gets a note CAPTURE_ENDS, or CAPTURE_WHOLE if also a
 * printed total agrees with its stacks. @first: index in @d of the first capture of @doc. Cost: one
 * pass over the text, and none if the table has no tool of the captures. A text of more than
 * OUTPUT_PARTS_BYTES, or one that detect() only sampled, is not searched.
 */
void output_parts_mark(struct dossier *d, const struct document *doc, const struct detection *found,
		       size_t first);

#endif
