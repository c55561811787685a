/* SPDX-License-Identifier: MIT */
/*
 * statement_rows.h - figures of database statements, added up by statement
 *
 * Readers of slow query logs add one record for each execution. Readers of statistics add one
 * record for each statement, with the sums over its executions.
 */
#ifndef FORMATS_STATEMENT_ROWS_H
#define FORMATS_STATEMENT_ROWS_H

#include "base/idmap.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

#include <stdbool.h>
#include <stdint.h>

struct capture;

enum statement_column {
	STATEMENT_CALLS,
	STATEMENT_TIME,
	STATEMENT_LONGEST,
	STATEMENT_MEAN, /* mean time, for statistics without the longest time */
	STATEMENT_LOCK,
	STATEMENT_EXAMINED,
	STATEMENT_RETURNED,
	STATEMENT_SCANS,
	STATEMENT_JOINS,
	STATEMENT_COLUMNS
};

struct statement_row {
	sym_id sym;
	uint32_t line; /* line number of the record with the longest time */
	double values[STATEMENT_COLUMNS];
};

struct statement_rows {
	VEC(struct statement_row) rows;
	struct idmap map;
};

/*
 * Add a record of the statement @shape. @values: the figures, with times in ns; NAN: the record has
 * no such figure. The figures of all records of a statement are added up, except the longest time:
 * the largest of them is stored. False: LIMIT_ROWS is reached.
 */
bool statement_rows_add(struct capture *c, struct statement_rows *s, struct str shape,
			const double values[STATEMENT_COLUMNS], uint32_t line);
/*
 * Write the rows to the metrics of @c, the row with the longest total time first. A column in which
 * no row has a value is left out. Cost: O(n log n).
 */
void statement_rows_fill(struct capture *c, struct statement_rows *s);
void statement_rows_fini(struct statement_rows *s);

#endif
