/* SPDX-License-Identifier: MIT */
/*
 * line_table.h - what readers of tables share that have one row in one line
 *
 * Such a reader says of a line what it is; finding the stretch and filling the
 * model is done here.
 */
#ifndef FORMATS_LINE_TABLE_H
#define FORMATS_LINE_TABLE_H

#include "formats/format.h"

enum line_kind {
	LINE_OTHER,
	LINE_BLANK, /* blank, a comment, a ruler: may stand between rows */
	LINE_HEAD,  /* only this tool prints such a line; below rows it begins another table */
	LINE_PART,  /* as a head, but of a part: the rows above it are of the same table */
	LINE_ROW,
};

struct line_table {
	enum line_kind (*kind)(struct str line);
	unsigned int gap;      /* other lines between rows, at most */
	unsigned int min_rows; /* below it, and without a head, it is no table */
	unsigned int score;
};

/* From the first head or row to the last row. Cost: linear. */
bool line_table_find(const struct line_table *t, struct str text, size_t from, struct extent *ret);
/* The probe() of such a format: 85 where the head of a file has a table, else 0. */
unsigned int line_table_probe(const struct line_table *t, struct str head);

struct line_column {
	const char *name;
	const char *unit; /* NULL: none */
	bool is_text;
};

/* Give the metrics of @c their columns; once, before rows. */
void line_table_columns(struct capture *c, const char *name_column,
			const struct line_column *columns, size_t n);
/*
 * Add a row. @values and @texts have one element a column; @texts may be NULL
 * where no column is_text. False: LIMIT_ROWS is reached.
 */
bool line_table_add(struct capture *c, sym_id name, const double *values, const struct str *texts,
		    uint32_t line);

/* Take "12.5 ms", "4.36 m", "172.15 h" (minutes, hours) as nanoseconds. */
bool line_table_duration(struct str *s, double *ret_ns);
/* Take "12.34%" or "12,34%", with its sign if @is_signed (then it must have one). */
bool line_table_percent(struct str *s, bool is_signed, double *ret);
/* Without the number and tab that `cat -n` puts before a line. */
struct str line_table_unnumbered(struct str line);

#endif
