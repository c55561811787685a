/* SPDX-License-Identifier: MIT */
/*
 * counter_label.h - the name of a measurement, from the text above its table
 */
#ifndef FORMATS_COUNTER_LABEL_H
#define FORMATS_COUNTER_LABEL_H

#include "base/str.h"
#include "formats/format.h"

/*
 * The nearest line above @in that names a side ("before:", "With the patch"). If there is none, the
 * line right above @in, if it ends with a colon. Empty: neither. Borrowed.
 */
struct str counter_label(const struct region *in);
/* Whether @line is short, ends with a colon and names a side: "before the change:". */
bool counter_label_is_side(struct str line);

#endif
