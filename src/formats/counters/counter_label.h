/* SPDX-License-Identifier: MIT */
/*
 * counter_label.h - the name of a measurement, from the text above its table
 */
#ifndef FORMATS_COUNTER_LABEL_H
#define FORMATS_COUNTER_LABEL_H

#include "base/str.h"
#include "formats/format.h"

/*
 * Find the label of the table @in: the nearest of ten lines above that names a side of a comparison
 * ("before:", "With the patch"). If none does: the nearest text above, if it ends with a colon.
 * The search ends at "Ann wrote:". Empty: no label. The result points into the document.
 */
struct str counter_label(const struct region *in);
/*
 * Whether @line is a short heading that names a side and ends with a colon: "before the change:".
 */
bool counter_label_is_side(struct str line);

#endif
