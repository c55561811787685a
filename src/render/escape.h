/* SPDX-License-Identifier: MIT */
/*
 * escape.h - names of the input on the way to a terminal
 *
 * Names come from files that anybody may have written: escape sequences, other
 * control characters, characters that turn the direction of writing and bytes
 * that are not UTF-8 are shown as \x1b, \u202e. Nothing else changes.
 */
#ifndef RENDER_ESCAPE_H
#define RENDER_ESCAPE_H

#include "base/out.h"

/* Append @s to @out. */
void escape_text(struct out *out, struct str s);

#endif
