/* SPDX-License-Identifier: MIT */
/*
 * metrics.h - a table of numbers per function, lock, task or statement
 *
 * A column without a title has no name and no unit: nothing is guessed. Values are doubles and
 * print as they were read (the shortest text that reads back the same). A cell that is not a
 * number stays text and is counted.
 */
#ifndef CORE_METRICS_H
#define CORE_METRICS_H

#include "base/vec.h"
#include "core/ids.h"

struct metric_column {
	str_id name;                    /* STR_ID_NONE: the table has no header */
	str_id unit;                    /* STR_ID_NONE: unknown */
	bool is_integer;                /* all values were written without '.' and exponent */
	bool is_text;                   /* the column holds text; values are NaN, see texts */
	uint8_t separator_is_fullwidth; /* the ':' before the value was U+FF1A */
};

struct metrics {
	VEC(struct metric_column) columns; /* the column of names excluded */
	VEC(sym_id) names;                 /* by row */
	VEC(uint32_t) lines;               /* by row */
	VEC(double) values; /* row * columns.len + column; NaN: empty or not a number */
	VEC(str_id) texts;  /* as values, STR_ID_NONE for numbers; or empty */
	str_id name_column; /* title of the column of names, if any */
	size_t n_rows;
	bool is_tool;  /* the rows that a tool printed (locks, tasks, statements), not metrics of
			  code */
	uint32_t cost; /* is_tool: the column that ranks the rows, or INDEX_NONE: as printed */
};

void metrics_init(struct metrics *m);
void metrics_fini(struct metrics *m);

static inline double metrics_value(const struct metrics *m, size_t row, size_t column)
{
	return m->values.data[row * m->columns.len + column];
}

#endif
