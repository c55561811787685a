/* SPDX-License-Identifier: MIT */
/*
 * counter_label.h - the name of a measurement, from the text above its table
 */
#ifndef FORMATS_COUNTER_LABEL_H
#define FORMATS_COUNTER_LABEL_H

#include "base/str.h"
#include "formats/format.h"

/*
 * The nearest line above @in that names a side ("before:", "With the patch"), or else
 * the line right above it that ends with a colon. Empty: there is none. Borrowed.
 */
struct str counter_label(const struct region *in);

#endif
