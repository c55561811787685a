/* SPDX-License-Identifier: MIT */
/*
 * above.h - iterate upwards over the lines before a region
 *
 *     struct str above = above_region(in);
 *
 *     for (unsigned int n = 0; n < LINES && above_line(&above, &line); n++)
 *             …
 */
#ifndef FORMATS_ABOVE_H
#define FORMATS_ABOVE_H

#include "base/str.h"
#include "document/document.h"
#include "formats/format.h"

#include <stdbool.h>
#include <stddef.h>

/* The text of the document before @in; empty: the region has no document. */
static inline struct str above_region(const struct region *in)
{
	struct str doc = in->doc ? in->doc->text : STR_NONE;

	return !doc.p || in->text.p < doc.p || in->text.p > doc.p + doc.len
		       ? STR_NONE
		       : str_sub(doc, 0, (size_t)(in->text.p - doc.p));
}

/*
 * Remove the last line from @above and store it in *@ret_line, without its '\n'. False: @above is
 * empty.
 */
static inline bool above_line(struct str *above, struct str *ret_line)
{
	size_t end = above->len && above->p[above->len - 1] == '\n' ? above->len - 1 : above->len;
	size_t start = str_rfind_char(str_sub(*above, 0, end), '\n');

	if (above->len == 0)
		return false;
	start = start < end ? start + 1 : 0;
	*ret_line = str_sub(*above, start, end);
	above->len = start;
	return true;
}

#endif
