/* SPDX-License-Identifier: MIT */
/*
 * cut_text.h - texts that their author shortened, or that end too early
 *
 * Two signs are the same in all formats: a line "(...)" stands for lines that were left out, and a
 * last line that opens a quote or a curly bracket without closing it is cut. Readers that know the
 * grammar of their format count further damage themselves.
 */
#ifndef FORMATS_CUT_TEXT_H
#define FORMATS_CUT_TEXT_H

#include <stddef.h>

struct detection;
struct document;
struct dossier;

/*
 * Count both signs in the diag of the captures in whose lines they are. @first_capture: index in @d
 * of the first capture of @doc. Cost: one pass over the text. A text of more than CUT_BYTES, and
 * one that detect() only sampled, is not searched.
 */
void cut_text_mark(struct dossier *d, const struct document *doc, const struct detection *found,
		   size_t first_capture);

#endif
