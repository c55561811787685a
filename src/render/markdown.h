/* SPDX-License-Identifier: MIT */
/*
 * markdown.h - print pages of docs/ as text for a terminal
 *
 * Supported Markdown: headings, paragraphs, lists, tables, fenced blocks, code, bold, emphasis and
 * links. These pages are part of the program, and therefore trusted.
 */
#ifndef RENDER_MARKDOWN_H
#define RENDER_MARKDOWN_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct out;

/*
 * Print @page, wrapped at @columns. With @has_colour, headings and code are bold. Without
 * @has_colour, code that contains blanks is put in single quotes.
 */
void markdown_write(struct out *out, struct str page, size_t columns, bool has_colour);

#endif
