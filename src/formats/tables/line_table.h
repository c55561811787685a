/* SPDX-License-Identifier: MIT */
/*
 * line_table.h - shared parts of readers for tables with one row a line
 *
 * Such a reader classifies a line; this file finds the extent and fills the model.
 */
#ifndef FORMATS_LINE_TABLE_H
#define FORMATS_LINE_TABLE_H

#include "base/str.h"
#include "core/ids.h"
#include "formats/format.h"

struct capture;

enum line_kind {
	LINE_OTHER,
	LINE_BLANK, /* blank, comment or ruler: allowed between rows */
	LINE_HEAD,  /* a line that only this tool prints; after rows it starts another table */
	LINE_PART,  /* a head of a part: the rows above it belong to the same table */
	LINE_ROW,
	LINE_TAIL, /* part of the rows above it; ignored without rows */
	LINE_SURE, /* a row that only this tool prints: it needs no head and no company */
};

struct line_table {
	enum line_kind (*kind)(struct str line);
	unsigned int gap;      /* limit of other lines between rows */
	unsigned int min_rows; /* fewer rows without a head are no table */
	unsigned int score;
};

/* Find the extent from the first head or row to the last row. Cost: linear. */
bool line_table_find(const struct line_table *t, struct str text, size_t from, struct extent *ret);
/* The probe() of such a format: 85 if the head of a file contains a table, otherwise 0. */
unsigned int line_table_probe(const struct line_table *t, struct str head);

struct line_column {
	const char *name;
	const char *unit; /* NULL: none */
	bool is_text;
};

/*
 * Set the columns of the metrics of @c; once, before rows. @cost names the column by which rows
 * cost most; NULL: the order of the file says more.
 */
void line_table_columns(struct capture *c, const char *name_column, const char *cost,
			const struct line_column *columns, size_t n);
/*
 * Add a row. @values and @texts have one element a column; @texts may be NULL if no column
 * is_text. False: LIMIT_ROWS is reached.
 */
bool line_table_add(struct capture *c, sym_id name, const double *values, const struct str *texts,
		    uint32_t line);

/* Take "12.5 ms", "4.36 m", "172.15 h" (minutes, hours) as nanoseconds. */
bool line_table_duration(struct str *s, double *ret_ns);
/* Take "12.34%" or "12,34%"; with @is_signed it needs a sign. */
bool line_table_percent(struct str *s, bool is_signed, double *ret);
/* @line without the number and tab of `cat -n`. */
struct str line_table_unnumbered(struct str line);

#endif
