/* SPDX-License-Identifier: MIT */
/*
 * cut_text.h - texts that their author shortened, or that end too early
 *
 * All formats have the same two signs of a shortened text. First, a line "(...)" replaces removed
 * lines. Second, the last line of a truncated text opens a quote or a curly bracket without closing
 * it. Readers that know the grammar of their format find further damage themselves.
 */
#ifndef FORMATS_CUT_TEXT_H
#define FORMATS_CUT_TEXT_H

#include <stddef.h>

struct detection;
struct document;
struct dossier;

/*
 * Find both signs (see the start of this file), and count them in the diag of the captures that
 * contain them. @first_capture: index in @d of the first capture of @doc. Cost: one pass over the
 * text. A text of more than CUT_BYTES, or one that detect() only sampled, is not searched.
 */
void cut_text_mark(struct dossier *d, const struct document *doc, const struct detection *found,
		   size_t first_capture);

#endif
