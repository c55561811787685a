/* SPDX-License-Identifier: MIT */
/* counter_label.h - the name of a measurement, from the text before its table */
#ifndef FORMATS_COUNTER_LABEL_H
#define FORMATS_COUNTER_LABEL_H

#include "base/str.h"
#include "formats/format.h"

/*
 * Find the label of the table @in. It is the nearest of the ten previous lines that names a side of
 * a comparison ("before:", "With the patch"). If no line does, it is the last line of text before
 * the table, if that ends with a colon. The search ends at "Ann wrote:". Empty: no label. The
 * result points into the document.
 */
struct str counter_label(const struct region *in);
/* Is @line a short heading that names a side and ends with a colon: "before the change:"? */
bool counter_label_is_side(struct str line);

#endif
