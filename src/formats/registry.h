/* SPDX-License-Identifier: MIT */
/*
 * registry.h - the table of all formats
 *
 * Readers do not use it: it names each of them, so a reader that calls it depends on all others.
 */
#ifndef FORMATS_REGISTRY_H
#define FORMATS_REGISTRY_H

#include "base/str.h"

struct format;

/* NULL-terminated, in the order of the list in meson.build. */
extern const struct format *const formats[];

/* The format named @name, or NULL. */
const struct format *format_find(struct str name);
/* The title of the format @name, else @name. */
const char *format_title(const char *name);

#endif
