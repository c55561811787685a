/* SPDX-License-Identifier: MIT */
/*
 * registry.h - the table of all formats
 *
 * The table refers to every reader. A reader must not use the table, because it would then depend
 * on all other readers.
 */
#ifndef FORMATS_REGISTRY_H
#define FORMATS_REGISTRY_H

#include "base/str.h"

struct format;

/* All formats, in the order of the list in meson.build. The last element is NULL. */
extern const struct format *const formats[];

/* The format with the name @name; NULL: none. */
const struct format *format_find(struct str name);
/* The title of the format with the name @name; @name if no format has this name. */
const char *format_title(const char *name);

#endif
