/* SPDX-License-Identifier: MIT */
/*
 * terminal.h - take out what terminals, editors and web pages put between text
 *
 * Escape sequences (ECMA-48: colours, cursor moves, titles) go. U+00A0 becomes a
 * blank. The shading and slider that perf's TUI paints into the last column
 * (U+2592, U+25C6) go with the blanks before them; elsewhere in a line they
 * become a blank. Tabs stay: they carry columns.
 */
#ifndef DOCUMENT_TERMINAL_H
#define DOCUMENT_TERMINAL_H

#include "document/linemap.h"

/* Bytes that a text has anywhere: tells which steps can be left out. */
struct byte_traits {
	bool has_escape; /* 0x1b */
	bool has_cr;
	bool has_high; /* 0x80 and up */
	bool has_amp;
	bool has_tick; /* '`' */
	bool has_less;
	size_t n_control; /* control bytes that are no part of text, NUL among them */
};

/* Cost: one vectorised pass. */
struct byte_traits terminal_traits(struct str text);

/* Does @line hold anything that terminal_line() would change? */
bool terminal_is_dirty(struct str line, const struct byte_traits *t);
/* Append @line, cleaned; what was undone is or'ed into *@undone (enum undone). */
void terminal_line(struct str line, struct out *out, uint32_t *undone);

#endif
