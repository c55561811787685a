/* SPDX-License-Identifier: MIT */
/*
 * bar_tables.h - tables of tools that people pasted as tables of Markdown
 *
 *     | ncalls | tottime | percall | cumtime | percall | filename:lineno(function) |
 *     |-------:|--------:|--------:|--------:|--------:|---------------------------|
 *     | 34766  | 0.231   | 0.000   | 0.350   | 0.000   | plan.py:171(score)        |
 *
 * Readers of tables whose columns are separated by blanks would each have to know the bars. So the
 * bars become blanks if one of these readers then takes the table from its titles on. All other
 * tables stay: their readers know the bars, and need them for empty cells and for names of several
 * words.
 */
#ifndef FORMATS_BAR_TABLES_H
#define FORMATS_BAR_TABLES_H

#include "base/str.h"

/* Maximum size of a text, in bytes. Larger texts are no pages with pasted tables. */
#define BAR_TABLES_BYTES (1u << 20)

/*
 * A copy of @text in which the bars of such tables are blanks. It has the same size and lines.
 * NULL: @text has no such table. Owner: caller, free().
 */
char *bar_tables_blank(struct str text);

#endif
