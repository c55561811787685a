/* SPDX-License-Identifier: MIT */
/*
 * line_table.h - shared functions of readers for tables with one row per line
 *
 * Each reader classifies single lines. The functions here find where a table starts and ends, and
 * fill its metrics.
 */
#ifndef FORMATS_LINE_TABLE_H
#define FORMATS_LINE_TABLE_H

#include "base/str.h"
#include "core/ids.h"
#include "formats/format.h"

struct capture;

enum line_kind {
	LINE_OTHER,
	LINE_BLANK, /* a blank line, a comment or a ruler; it may be between rows */
	/*
	 * a line, such as titles, that only this tool prints; if rows precede it, it begins another
	 * table
	 */
	LINE_HEAD,
	LINE_PART, /* titles inside a table, which do not begin another table */
	LINE_ROW,
	/* a line that belongs to the rows before it; it is ignored if no row precedes it */
	LINE_TAIL,
	/* a row that only this tool prints; a table with such a row needs no LINE_HEAD */
	LINE_SURE,
};

struct line_table {
	enum line_kind (*kind)(struct str line);
	/*
	 * The name of a row, for tables in which each name occurs only once. If a row after a
	 * LINE_OTHER has the same name as the first row, it begins the next table. If the function
	 * returns STR_NONE, the name is ignored. NULL: names are not compared.
	 */
	struct str (*name)(struct str line);
	/* maximum number of LINE_OTHER lines between two rows of a table */
	unsigned int gap;
	unsigned int min_rows; /* minimum number of rows of a table without a LINE_HEAD */
	unsigned int score;
};

/*
 * Find the next table of @text at or after @from. A table extends from its first line of titles, or
 * its first row, to its last row. Cost: linear.
 */
bool line_table_find(const struct line_table *t, struct str text, size_t from, struct extent *ret);
/*
 * Implements format.probe for a reader with a line_table. @head: start of a file. Returns 85 if it
 * contains a table, otherwise 0.
 */
unsigned int line_table_probe(const struct line_table *t, struct str head);

struct line_column {
	const char *name;
	const char *unit; /* unit of the values; NULL: they have no unit */
	bool is_text;
};

/*
 * Set the columns of the metrics of @c. Call this once, before the first row. @cost: name of the
 * column by which rows are sorted, largest value first; NULL: rows keep the order of the file.
 */
void line_table_columns(struct capture *c, const char *name_column, const char *cost,
			const struct line_column *columns, size_t n);
/*
 * Add a row. @values and @texts have one element for each column. @texts may be NULL if there is no
 * column of text. False: LIMIT_ROWS is reached.
 */
bool line_table_add(struct capture *c, sym_id name, const double *values, const struct str *texts,
		    uint32_t line);

/* Take a duration from the start of @s: "12.5 ms", "4.36 m" (minutes), "172.15 h" (hours). */
bool line_table_duration(struct str *s, double *ret_ns);
/*
 * Take a percentage, "12.34%" or "12,34%". @is_signed: a sign must precede it; if false, no sign
 * may precede it.
 */
bool line_table_percent(struct str *s, bool is_signed, double *ret);
/* @line without the line number and tab that `cat -n` prints. */
struct str line_table_unnumbered(struct str line);

#endif
