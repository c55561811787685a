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
#define COST_ABOVE_MAX   4u /* maximum number of lines that the titles of one table take */

enum cost_kind {
	COST_OTHER, /* not read */
	COST_VETO,  /* no table of costs has such a column */
	COST_CALLS,
	COST_FUNCTION,
	COST_WAIT,
	/* names of rows; a row may be a part of a whole, or one of several alternatives */
	COST_VAGUE,
	COST_STEP, /* names of rows that are neither functions nor waits: steps of the work */
	COST_MODULE,
	COST_SELF,
	COST_TOTAL,
	COST_AMOUNT,
};

enum cost_layout {
	COST_DELIMITED, /* struct cost_head.delimiter separates the cells */
	COST_RULED,     /* a ruler (a line of dashes) below the titles marks each column */
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
	 * factor that converts numbers without a unit to ns or bytes: 1e6 if the title says ms; 0:
	 * the title has no unit
	 */
	double scale;
	enum amount_unit unit;
	bool is_cost;    /* the title alone shows that the column has costs */
	bool is_time;    /* elapsed time or CPU time */
	bool is_cpu;     /* CPU time */
	bool is_samples; /* number of samples */
	bool is_wait;    /* the title says that the table is about waits */
	/* the rows are successive states of one statement: SHOW PROFILE of MySQL */
	bool is_state;
	/* COST_RULED: offsets of the start and the end of the column in a line */
	size_t from, to;
};

struct cost_head {
	enum cost_layout layout;
	char delimiter;
	size_t n;
	struct cost_column columns[COST_COLUMNS_MAX];
	size_t name; /* index of the column with the names */
	/* index of the column with the modules (objects or files); equal to `n`: none */
	size_t module;
	bool is_named; /* COST_KEYED: column 0 is the name before the first "title=value" */
	/*
	 * COST_KEYED: hash of the titles. All rows have the same titles. Other titles have this
	 * hash with a probability of 2^-64
	 */
	uint64_t titles;
	bool is_untitled; /* column 0 has the names, and no title */
};

enum cost_value {
	COST_VALUE_SELF,
	COST_VALUE_TOTAL, /* cost with callees */
	COST_VALUE_PLAIN, /* the title does not say whether callees are included */
	COST_VALUES,
};

struct cost_row {
	struct str name;
	struct str module;
	struct amount amount[COST_VALUES]; /* value < 0: missing in the row */
	double pct[COST_VALUES];           /* percent; < 0: missing in the row */
	unsigned int decimals;             /* largest number of decimals of a share */
	struct str calls;                  /* number of calls, as printed; empty: none */
	/* number of blanks before the name, if the name comes first */
	size_t indent;
	/* a number next to the name, on the side of the other cells: the columns may not fit */
	bool is_stuck;
};

/*
 * Find the columns from the titles in the @n @lines before @ruler. If @ruler is empty, the last
 * line has the titles. False: the lines are no titles.
 */
bool cost_head_of(const struct str *lines, size_t n, struct str ruler, struct cost_head *ret);
/*
 * Divide the titles of @h, in the line @titles, by the numbers of @row, its first row: "Calls Avg
 * us" is two titles if one number ends below "Calls" and one below "us". False: nothing to divide,
 * or the columns found do not fit @row.
 */
bool cost_head_align(const struct cost_head *h, struct str titles, struct str row,
		     struct cost_head *ret);
/* Whether @line is a ruler: runs of '-', '=' or '~', separated by blanks, '+' or '|'. */
bool cost_head_is_ruler(struct str line);
/* Parse a row of the table with the columns @h. False: @line is not such a row. */
bool cost_row_of(const struct cost_head *h, struct str line, struct cost_row *ret);
/*
 * Find the columns in a row that has a title for each cell: "name: calls=12,usec=345". False:
 * another kind of row.
 */
bool cost_head_keyed(struct str line, struct cost_head *ret);
/* Take the next "title=value" of a COST_KEYED row. False: the start of @rest is no such pair. */
bool cost_head_take_pair(struct str *rest, struct str *ret_title, struct str *ret_value);
/* Take the name before the first "title=value" of a COST_KEYED row; empty: no name. */
struct str cost_head_take_name(struct str *rest);
/*
 * The step that ends at @name, which is a time of curl's --write-out such as "time_connect"; NULL:
 * another name.
 */
const char *cost_curl_step(struct str name);
/*
 * Find the layout of @line, a row of a table without titles: COST_SHARES, COST_NAME_TIME,
 * COST_TIME_NAME or COST_KEYED. False: none of these.
 */
bool cost_row_list(struct str line, struct cost_head *ret);

#endif
