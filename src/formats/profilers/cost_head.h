/* SPDX-License-Identifier: MIT */
/*
 * cost_head.h - columns of cost tables from tools without an entry in text_dialects.c
 *
 * A line of titles (the head) names the columns. cost_columns.tsv gives the meaning of each title.
 */
#ifndef FORMATS_PROFILERS_COST_HEAD_H
#define FORMATS_PROFILERS_COST_HEAD_H

#include "base/str.h"
#include "formats/profilers/text_dialects.h"

#include <stdbool.h>
#include <stddef.h>

#define COST_COLUMNS_MAX 24u
/* maximum number of lines over which the titles of one table extend */
#define COST_ABOVE_MAX 4u

enum cost_kind {
	COST_OTHER, /* the column is not read */
	COST_VETO,  /* a table with such a column is no table of costs */
	COST_CALLS,
	COST_FUNCTION,
	COST_WAIT,
	/*
	 * names of rows. The title does not show whether the rows are parts of a whole or
	 * alternatives
	 */
	COST_VAGUE,
	COST_STEP, /* names of rows that are steps of the work: neither functions nor waits */
	COST_MODULE,
	COST_SELF,
	COST_TOTAL,
	COST_AMOUNT,
};

enum cost_layout {
	COST_DELIMITED, /* struct cost_head.delimiter is the character between the cells */
	/* a ruler (a line of dashes) below the titles shows where each column starts and ends */
	COST_RULED,
	COST_SPACED,    /* cells are separated by blanks */
	COST_SHARES,    /* without titles: "12.3 %  object  name" */
	COST_NAME_TIME, /* without titles: "name: 12.3 s" */
	COST_TIME_NAME, /* without titles: "12.3 s name" */
	COST_KEYED,     /* titles in each row: "name: calls=12,usec=345" */
};

struct cost_column {
	enum cost_kind kind;
	bool is_known; /* cost_columns.tsv contains the title */
	bool is_share;
	/*
	 * factor that converts numbers without a unit to ns or bytes. Example: 1e6 if the title has
	 * the unit ms. 0: the title has no unit
	 */
	double scale;
	enum amount_unit unit;
	bool is_cost;    /* the column certainly has costs, judged by its title alone */
	bool is_time;    /* elapsed time or CPU time */
	bool is_cpu;     /* CPU time */
	bool is_samples; /* number of samples */
	bool is_wait;    /* its title shows that the table is about waits */
	/* the rows are successive states of one statement: SHOW PROFILE of MySQL */
	bool is_state;
	bool is_pass; /* the rows are passes of a compiler: -ftime-report of GCC */
	/* only for COST_RULED: offsets in a line of the column's start and end */
	size_t from, to;
};

struct cost_head {
	enum cost_layout layout;
	char delimiter;
	size_t n;
	struct cost_column columns[COST_COLUMNS_MAX];
	size_t name; /* index of the column with the names */
	/* index of the column with the modules (objects or files); `n`: there is none */
	size_t module;
	/* only for COST_KEYED: column 0 is the name before the first "title=value" */
	bool is_named;
	/*
	 * only for COST_KEYED: hash of the titles, which are the same in all rows. Other titles
	 * have the same hash with a probability of 2^-64
	 */
	uint64_t titles;
	bool is_untitled; /* column 0 has the names but no title */
};

enum cost_value {
	COST_VALUE_SELF,
	COST_VALUE_TOTAL, /* cost with callees */
	COST_VALUE_PLAIN, /* the title does not show whether the cost includes callees */
	COST_VALUES,
};

struct cost_row {
	struct str name;
	struct str module;
	struct amount amount[COST_VALUES]; /* amount of each kind of cost; value < 0: none */
	double pct[COST_VALUES];           /* share of each kind of cost, percent; < 0: none */
	unsigned int decimals;             /* largest number of decimals of a share */
	struct str calls;                  /* number of calls, as printed; empty: none */
	/* number of blanks before the name, if the name is the first cell */
	size_t indent;
	/*
	 * the name starts or ends with a number that may be a cell of another column. The columns
	 * may then be wrong
	 */
	bool is_stuck;
};

/*
 * Find the columns of a table. The @n @lines before the ruler @ruler have the titles. If @ruler is
 * empty, only the last of these lines has titles. False: the lines are no titles.
 */
bool cost_head_of(const struct str *lines, size_t n, struct str ruler, struct cost_head *ret);
/*
 * Divide the titles of @h, in the line @titles, by the positions of the numbers in @row, the
 * table's first row. "Calls Avg us" becomes two titles if one number ends below "Calls" and another
 * below "us". False: there is nothing to divide, or the new columns do not fit @row.
 */
bool cost_head_align(const struct cost_head *h, struct str titles, struct str row,
		     struct cost_head *ret);
/* Whether @line is a ruler: runs of '-', '=' or '~' with blanks, '+' or '|' between them. */
bool cost_head_is_ruler(struct str line);
/* Parse a row of the table with the columns @h. False: @line is not such a row. */
bool cost_row_of(const struct cost_head *h, struct str line, struct cost_row *ret);
/*
 * Find the columns in a row that has a title for each cell: "name: calls=12,usec=345". False: the
 * row has another form.
 */
bool cost_head_keyed(struct str line, struct cost_head *ret);
/* Take the next "title=value" of a COST_KEYED row. False: @rest does not start with such a pair. */
bool cost_head_take_pair(struct str *rest, struct str *ret_title, struct str *ret_value);
/* Take the name before the first "title=value" of a COST_KEYED row; empty: no name. */
struct str cost_head_take_name(struct str *rest);
/*
 * The step that ends at the time @name of curl's --write-out, such as "time_connect"; NULL: @name
 * is no such time.
 */
const char *cost_curl_step(struct str name);
/*
 * Find the layout of @line, a row of a table without titles: COST_SHARES, COST_NAME_TIME,
 * COST_TIME_NAME or COST_KEYED. False: the row has none of these layouts.
 */
bool cost_row_list(struct str line, struct cost_head *ret);

#endif
