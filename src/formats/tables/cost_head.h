/* SPDX-License-Identifier: MIT */
/*
 * cost_head.h - tables of costs that no dialect describes: their columns
 *
 * The head names the columns, cost_columns.tsv says what such names mean. Private to cost_*.c.
 */
#ifndef FORMATS_TABLES_COST_HEAD_H
#define FORMATS_TABLES_COST_HEAD_H

#include "base/str.h"
#include "formats/tables/text_dialects.h"

#include <stdbool.h>
#include <stddef.h>

#define COST_COLUMNS_MAX 24u
#define COST_ABOVE_MAX   4u /* lines of a head */

enum cost_kind {
	COST_OTHER,
	COST_VETO,
	COST_CALLS,
	COST_FUNCTION,
	COST_WAIT,
	COST_VAGUE, /* the name of a part, or of an alternative */
	COST_STEP,
	COST_MODULE,
	COST_SELF,
	COST_TOTAL,
	COST_AMOUNT,
};

enum cost_layout {
	COST_DELIMITED, /* cells between head.delimiter */
	COST_RULED,     /* a line of dashes gives each column its place */
	COST_SPACED,    /* cells between blanks */
	COST_SHARES,    /* no head: "12.3 %  object  name" */
	COST_NAME_TIME, /* no head: "name: 12.3 s" */
	COST_TIME_NAME, /* no head: "12.3 s name" */
	COST_KEYED,     /* no head: "name: calls=12,usec=345" */
};

struct cost_column {
	enum cost_kind kind;
	bool is_known; /* its title is in cost_columns.tsv */
	bool is_share;
	double scale; /* of a number without a unit; 0: the title states no unit */
	enum amount_unit unit;
	bool is_cost;    /* the title alone says that these are costs */
	bool is_time;    /* time, elapsed or of the CPU */
	bool is_cpu;     /* of the CPU */
	bool is_samples; /* counts of samples */
	size_t from, to; /* of a ruled column: its place in the line */
};

struct cost_head {
	enum cost_layout layout;
	char delimiter;
	size_t n;
	struct cost_column columns[COST_COLUMNS_MAX];
	size_t name;      /* index of the column with the name */
	size_t module;    /* index; n: none */
	bool is_named;    /* of a keyed row: column 0 is the name before the titles */
	bool is_untitled; /* column 0 was made for names without a title */
};

enum cost_value {
	COST_VALUE_SELF,
	COST_VALUE_TOTAL, /* with callees */
	COST_VALUE_PLAIN, /* the title does not say which of the two */
	COST_VALUES,
};

struct cost_row {
	struct str name;
	struct str module;
	struct amount amount[COST_VALUES]; /* value < 0: not printed */
	double pct[COST_VALUES];           /* the same */
	unsigned int decimals;             /* of the shares, the largest number */
	size_t indent;                     /* blanks before the name, if it comes first */
};

/* The head of the @n lines above @ruler, or of the last of them if @ruler is empty. False: none. */
bool cost_head_of(const struct str *lines, size_t n, struct str ruler, struct cost_head *ret);
/* Is @line a ruler: runs of '-', '=' or '~', with blanks, '+' or '|' between them? */
bool cost_head_is_ruler(struct str line);
/* False: @line is no row below @h. */
bool cost_row_of(const struct cost_head *h, struct str line, struct cost_row *ret);
/* The head of rows whose cells have their titles, "name: calls=12,usec=345". False: none. */
bool cost_head_keyed(struct str line, struct cost_head *ret);
/* Take the next "title=value" of a keyed row. False: none left, or something else. */
bool cost_head_take_pair(struct str *rest, struct str *ret_title, struct str *ret_value);
/* Take the name before the first title; empty: none. */
struct str cost_head_take_name(struct str *rest);
/* A layout without a head of which @line is a row. False: none. */
bool cost_row_list(struct str line, struct cost_head *ret);

#endif
