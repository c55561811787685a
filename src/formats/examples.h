/* SPDX-License-Identifier: MIT */
/*
 * examples.h - the lines that a text shows as an example instead of as evidence
 *
 * Documentation, runbooks, tests and patches quote dumps and logs that come from no running system.
 * Signs are a title "Example", placeholders such as <pid>, the marks of a patch, or the quotes of a
 * string in source code. A quote in a mail ("> ") is no sign.
 */
#ifndef FORMATS_EXAMPLES_H
#define FORMATS_EXAMPLES_H

struct document;
struct dossier_input;

/*
 * Set in->examples to the line ranges of @doc that are examples. Cost: one pass over the text. A
 * text of more than EXAMPLES_BYTES is not searched.
 */
void examples_mark(struct dossier_input *in, const struct document *doc);

#endif
