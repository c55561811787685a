/* SPDX-License-Identifier: MIT */
/*
 * metrics.h - a table of numbers by function
 *
 * A column without a title stays unnamed and without a unit: nothing is
 * guessed. Values are doubles that print back as they were read (the shortest
 * text that reads back the same); a cell that is not a number is kept as text
 * and counted.
 */
#ifndef CORE_METRICS_H
#define CORE_METRICS_H

#include "core/symbols.h"

struct metric_column {
	str_id name;                    /* STR_ID_NONE: the table has no header */
	str_id unit;                    /* STR_ID_NONE: not said */
	bool is_integer;                /* every value read was written without '.' and exponent */
	bool is_text;                   /* the column holds words; values are NaN, see texts */
	uint8_t separator_is_fullwidth; /* the ':' before it was U+FF1A */
};

struct metrics {
	VEC(struct metric_column) columns; /* without the column of names */
	VEC(sym_id) names;                 /* by row */
	VEC(uint32_t) lines;               /* by row */
	VEC(double) values; /* row * columns.len + column; NaN: empty or not a number */
	VEC(str_id) texts;  /* as values, STR_ID_NONE where it is a number; or empty */
	str_id name_column; /* title of the names, if there is one */
	size_t n_rows;
};

void metrics_init(struct metrics *m);
void metrics_fini(struct metrics *m);

static inline double metrics_value(const struct metrics *m, size_t row, size_t column)
{
	return m->values.data[row * m->columns.len + column];
}

#endif
