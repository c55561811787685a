/* SPDX-License-Identifier: MIT */
/*
 * markdown.h - pages of docs/ as text for a terminal
 *
 * Understands the Markdown that these pages use: headings, paragraphs, lists, tables, fenced
 * blocks, code, bold, emphasis and links. Pages are part of the program and trusted.
 */
#ifndef RENDER_MARKDOWN_H
#define RENDER_MARKDOWN_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct out;

/*
 * Append @page, wrapped at @columns. With colour, headings and code are bold. Without colour, code
 * that contains blanks is in single quotes.
 */
void markdown_write(struct out *out, struct str page, size_t columns, bool has_colour);

#endif
