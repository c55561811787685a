/* SPDX-License-Identifier: MIT */
/*
 * terminal.h - remove bytes that terminals, editors and web pages add to text
 *
 * Escape sequences (ECMA-48: colours, cursor moves, titles) are removed. U+00A0 and the other
 * blanks of Unicode become a blank. The shading and slider of perf's TUI in the last column
 * (U+2592, U+25C6) are removed with the blanks before them; elsewhere they become a blank. Tabs
 * stay: they align columns.
 */
#ifndef DOCUMENT_TERMINAL_H
#define DOCUMENT_TERMINAL_H

#include "base/str.h"

struct out;

/* Special bytes that occur in a text. Cleaning skips the steps for bytes that do not occur. */
struct byte_traits {
	bool has_escape; /* the text has escape bytes (0x1b), which begin terminal codes */
	bool has_cr;
	bool has_high; /* the text has bytes of 0x80 or more */
	bool has_amp;
	bool has_tick; /* the text has backticks ('`') */
	bool has_less;
	size_t n_control; /* number of control bytes that do not occur in text, including NUL */
};

/* Find the special bytes in @text. Cost: one vectorised pass. */
struct byte_traits terminal_traits(struct str text);

/* Whether terminal_line() would change @line, a line of a text with the special bytes @t. */
bool terminal_is_dirty(struct str line, const struct byte_traits *t);
/* Append the cleaned @line. Adds undone encodings to *@undone, a set of enum undone. */
void terminal_line(struct str line, struct out *out, uint32_t *undone);

#endif
