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
	LINE_BLANK, /* blank line, comment or ruler between rows */
	LINE_HEAD,  /* line that only this tool prints; after rows it starts another table */
	LINE_PART,  /* head of a part of the table: the rows before it belong to the same table */
	LINE_ROW,
	LINE_TAIL, /* line that belongs to the rows before it; ignored if there are none */
	LINE_SURE, /* row that only this tool prints: valid without a head and without other rows */
};

struct line_table {
	enum line_kind (*kind)(struct str line);
	unsigned int gap;      /* limit of LINE_OTHER lines between two rows */
	unsigned int min_rows; /* minimum number of rows of a table without a head */
	unsigned int score;
};

/*
 * Find the next table of @text at or after @from. It extends from its first head or row to its last
 * row. Cost: linear.
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
 * Set the columns of the metrics of @c, once, before the first row. @cost: name of the column that
 * decides which rows cost most; NULL: keep the order of the file.
 */
void line_table_columns(struct capture *c, const char *name_column, const char *cost,
			const struct line_column *columns, size_t n);
/*
 * Add a row. @values and @texts have one element per column. @texts may be NULL if no column
 * is_text. False: LIMIT_ROWS is reached.
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
