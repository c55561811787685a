/* SPDX-License-Identifier: MIT */
/*
 * terminal.h - remove bytes that terminals, editors and web pages add to text
 *
 * Escape sequences (ECMA-48: colours, cursor moves, titles) are removed. U+00A0 becomes a
 * blank. The shading and slider of perf's TUI in the last column (U+2592, U+25C6) are removed
 * with the blanks before them; elsewhere they become a blank. Tabs stay: they align columns.
 */
#ifndef DOCUMENT_TERMINAL_H
#define DOCUMENT_TERMINAL_H

#include "base/str.h"

struct out;

/* Which special bytes occur in a text: steps without their bytes are skipped. */
struct byte_traits {
	bool has_escape; /* 0x1b */
	bool has_cr;
	bool has_high; /* 0x80 and up */
	bool has_amp;
	bool has_tick; /* '`' */
	bool has_less;
	size_t n_control; /* control bytes that are not text, NUL included */
};

/* Cost: one vectorised pass. */
struct byte_traits terminal_traits(struct str text);

/* Whether terminal_line() would change @line. */
bool terminal_is_dirty(struct str line, const struct byte_traits *t);
/* Append @line, cleaned. Adds the undone encodings to *@undone (enum undone). */
void terminal_line(struct str line, struct out *out, uint32_t *undone);

#endif
