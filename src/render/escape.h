/* SPDX-License-Identifier: MIT */
/*
 * escape.h - make names of an input safe for a terminal
 *
 * Names come from untrusted files. Escape sequences, other control characters, bidirectional
 * controls and bytes that are not UTF-8 are printed as \x1b or \u202e. Nothing else changes.
 */
#ifndef RENDER_ESCAPE_H
#define RENDER_ESCAPE_H

#include "base/str.h"

struct out;

/* Append @s to @out, escaped. */
void escape_text(struct out *out, struct str s);

#endif
