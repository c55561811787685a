/* SPDX-License-Identifier: MIT */
/*
 * line_table.h - shared parts of readers for tables with one row per line
 *
 * Each reader classifies single lines. The functions here find the extent of the table and fill the
 * metrics.
 */
#ifndef FORMATS_LINE_TABLE_H
#define FORMATS_LINE_TABLE_H

#include "base/str.h"
#include "core/ids.h"
#include "formats/format.h"

struct capture;

enum line_kind {
	LINE_OTHER,
	LINE_BLANK, /* blank line, comment or ruler; may be between rows */
	/* a line that only this tool prints, such as titles; after rows it begins another table */
	LINE_HEAD,
	LINE_PART, /* titles of a further part of the same table */
	LINE_ROW,
	LINE_TAIL, /* line that belongs to the rows above it; ignored if no row is above it */
	/* a row that only this tool prints: a table with such a row needs no LINE_HEAD */
	LINE_SURE,
};

struct line_table {
	enum line_kind (*kind)(struct str line);
	/*
	 * Returns the name of a row, for tables in which each name occurs once. After a LINE_OTHER,
	 * a row with the name of the first row begins the next table. STR_NONE: ignore the name.
	 * NULL: do not compare names.
	 */
	struct str (*name)(struct str line);
	/* maximum number of LINE_OTHER lines between two rows of a table */
	unsigned int gap;
	unsigned int min_rows; /* minimum number of rows of a table without a LINE_HEAD */
	unsigned int score;
};

/*
 * Find the next table of @text at or after @from. A table extends from its first title or row to
 * its last row. Cost: linear.
 */
bool line_table_find(const struct line_table *t, struct str text, size_t from, struct extent *ret);
/*
 * Implements format.probe for a reader with a line_table: 85 if @head, the start of a file,
 * contains a table; otherwise 0.
 */
unsigned int line_table_probe(const struct line_table *t, struct str head);

struct line_column {
	const char *name;
	const char *unit; /* NULL: no unit */
	bool is_text;
};

/*
 * Set the columns of the metrics of @c, once, before the first row. @cost: name of the column by
 * which rows are ranked, the largest value first. NULL: rows keep the order of the file.
 */
void line_table_columns(struct capture *c, const char *name_column, const char *cost,
			const struct line_column *columns, size_t n);
/*
 * Add a row. @values and @texts have one element for each column. @texts may be NULL if all columns
 * are numbers. False: LIMIT_ROWS is reached.
 */
bool line_table_add(struct capture *c, sym_id name, const double *values, const struct str *texts,
		    uint32_t line);

/* Take a duration from the start of @s: "12.5 ms", "4.36 m" (minutes), "172.15 h" (hours). */
bool line_table_duration(struct str *s, double *ret_ns);
/*
 * Take a percentage, "12.34%" or "12,34%". With @is_signed it must have a sign, otherwise it must
 * have none.
 */
bool line_table_percent(struct str *s, bool is_signed, double *ret);
/* @line without the line number and tab that `cat -n` prints. */
struct str line_table_unnumbered(struct str line);

#endif
