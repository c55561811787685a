/* SPDX-License-Identifier: MIT */
/*
 * registry.h - the table of all formats
 *
 * The table names each reader. A reader that used the table would therefore depend on all other
 * readers. So readers do not use it.
 */
#ifndef FORMATS_REGISTRY_H
#define FORMATS_REGISTRY_H

#include "base/str.h"

struct format;

/* NULL-terminated, in the order of the list in meson.build. */
extern const struct format *const formats[];

/* The format with the name @name; NULL: none. */
const struct format *format_find(struct str name);
/* The title of the format with the name @name; @name if no format has this name. */
const char *format_title(const char *name);

#endif
