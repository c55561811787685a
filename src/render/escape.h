/* SPDX-License-Identifier: MIT */
/*
 * escape.h - make names of an input safe for a terminal
 *
 * Names come from untrusted files. Escape sequences, other control characters, bidirectional
 * controls and bytes that are no valid UTF-8 are printed as their codes: \x1b, \u202e. All other
 * text is printed unchanged.
 */
#ifndef RENDER_ESCAPE_H
#define RENDER_ESCAPE_H

#include "base/str.h"

struct out;

/* Append @s to @out, with unsafe characters replaced by their codes. */
void escape_text(struct out *out, struct str s);

#endif
