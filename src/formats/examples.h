/* SPDX-License-Identifier: MIT */
/*
 * examples.h - the lines that a text shows as an example instead of as evidence
 *
 * Documentation, runbooks, tests and patches quote dumps and logs of no running system. A text
 * says so by a title "Example", by placeholders such as <pid>, by the marks of a patch, or by the
 * quotes of a string in source code. A quote in a mail ("> ") is no such mark.
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
