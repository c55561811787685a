/* SPDX-License-Identifier: MIT */
/*
 * mysql_explain.c - EXPLAIN of MySQL and MariaDB as a table: one table of the statement per row
 *
 *     +----+-------------+-------+------+---------------+------+---------+------+-------+-------------+
 *     | id | select_type | table | type | possible_keys | key  | key_len | ref  | rows  | Extra |
 *     +----+-------------+-------+------+---------------+------+---------+------+-------+-------------+
 *     |  1 | SIMPLE      | sales | ALL  | by_day        | NULL | NULL    | NULL | 61200 | Using
 * where |
 *
 * Trackers have the same cells as Markdown, "|id|select_type|..." with the ruler "|--|---|", and
 * mysql -B has tabs between them. MySQL before 5.7 has neither partitions nor filtered. Sources:
 * MySQL manual, "EXPLAIN Output Format"; MariaDB, "ANALYZE Statement" (r_rows).
 */
#include "formats/tables/line_table.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/kinds/metrics.h"
#include "core/symbols.h"
#include "formats/format.h"

#include <math.h>

#define MYSQL_CELLS 24u

static const struct diag_kind mysql_explain_skipped = { "mysql-explain-skipped", DIAG_DATALOSS,
							"lines that are no row of EXPLAIN" };

enum mysql_column {
	MYSQL_SELECT,
	MYSQL_TYPE,
	MYSQL_POSSIBLE,
	MYSQL_KEY,
	MYSQL_REF,
	MYSQL_ROWS,
	MYSQL_FILTERED,
	MYSQL_ACTUAL,
	MYSQL_EXTRA,
	MYSQL_COLUMNS,
	MYSQL_TABLE, /* the name of the row */
	MYSQL_OTHER, /* a column that is not kept */
};

static const struct line_column mysql_columns[MYSQL_COLUMNS] = {
	[MYSQL_SELECT] = { "select", NULL, true },
	[MYSQL_TYPE] = { "type", NULL, true },
	[MYSQL_POSSIBLE] = { "possible keys", NULL, true },
	[MYSQL_KEY] = { "key", NULL, true },
	[MYSQL_REF] = { "ref", NULL, true },
	[MYSQL_ROWS] = { "estimated rows", NULL, false },
	[MYSQL_FILTERED] = { "filtered", "%", false },
	[MYSQL_ACTUAL] = { "actual rows", NULL, false },
	[MYSQL_EXTRA] = { "extra", NULL, true },
};

static const struct {
	const char *title;
	enum mysql_column column;
} mysql_titles[] = {
	{ "select_type", MYSQL_SELECT },
	{ "table", MYSQL_TABLE },
	{ "type", MYSQL_TYPE },
	{ "possible_keys", MYSQL_POSSIBLE },
	{ "key", MYSQL_KEY },
	{ "ref", MYSQL_REF },
	{ "rows", MYSQL_ROWS },
	{ "filtered", MYSQL_FILTERED },
	{ "r_rows", MYSQL_ACTUAL },
	{ "Extra", MYSQL_EXTRA },
};

struct mysql_head {
	enum mysql_column columns[MYSQL_CELLS];
	size_t n;
};

/* Split a line at its bars or tabs. Returns the number of cells; 0: no such line, or too many. */
static size_t mysql_split(struct str line, struct str *ret)
{
	char between = str_find_char(line, '|') < line.len ? '|' : '\t';
	size_t n = 0;

	if (between == '|') {
		line = str_trim(line);
		(void)str_take(&line, STR("|"));
		line.len -= str_ends(line, STR("|"));
	}
	for (;;) {
		size_t at = str_find_char(line, between);

		if (n == MYSQL_CELLS)
			return 0;
		ret[n++] = str_trim(str_sub(line, 0, at));
		if (at == line.len)
			return n > 1 ? n : 0;
		line = str_skip(line, at + 1);
	}
}

/* Read the titles. Each EXPLAIN has the first two columns, and these names are its own. */
static bool mysql_head_of(struct str line, struct mysql_head *ret)
{
	struct str cells[MYSQL_CELLS];
	bool has[MYSQL_OTHER + 1] = { false };

	*ret = (struct mysql_head){ .n = 0 };
	if (!str_contains(line, STR("select_type")))
		return false;
	ret->n = mysql_split(line, cells);
	for (size_t i = 0; i < ret->n; i++) {
		ret->columns[i] = MYSQL_OTHER;
		for (size_t k = 0; k < ARRAY_LEN(mysql_titles); k++) {
			if (str_eq_nocase(cells[i], str_of(mysql_titles[k].title)))
				ret->columns[i] = mysql_titles[k].column;
		}
		has[ret->columns[i]] = true;
	}
	return ret->n > 2 && str_eq_nocase(cells[0], STR("id")) &&
	       ret->columns[1] == MYSQL_SELECT && has[MYSQL_TABLE] && has[MYSQL_TYPE] &&
	       has[MYSQL_POSSIBLE] && has[MYSQL_ROWS] && has[MYSQL_EXTRA];
}

/* Whether the line has the first two cells of a row: "1|SIMPLE|...", "NULL|UNION RESULT|...". */
static bool mysql_is_row(struct str line)
{
	struct str cells[MYSQL_CELLS];
	size_t n = mysql_split(line, cells);
	uint64_t id;

	if (n < 5 || !str_glob(STR("SIMPLE|PRIMARY|*UNION*|*SUBQUERY*|*DERIVED|MATERIALIZED|INSERT|"
				   "UPDATE|DELETE|REPLACE"),
			       cells[1]))
		return false;
	return cells[0].len == 0 || str_eq(cells[0], STR("NULL")) ||
	       (str_u64(&cells[0], &id) && cells[0].len == 0);
}

static bool mysql_is_ruler(struct str line)
{
	line = str_trim(line);
	for (size_t i = 0; i < line.len; i++) {
		if (!strchr("+-|: ", line.p[i]))
			return false;
	}
	return true;
}

static enum line_kind mysql_explain_kind(struct str line)
{
	struct mysql_head head;

	if (mysql_is_ruler(line))
		return LINE_BLANK;
	if (mysql_head_of(line, &head))
		return LINE_HEAD;
	return mysql_is_row(line) ? LINE_ROW : LINE_OTHER;
}

static const struct line_table mysql_explain_table = {
	.kind = mysql_explain_kind, .gap = 2, .min_rows = UINT32_MAX, .score = 98
};

static unsigned int mysql_explain_probe(struct str head)
{
	/* a plan in JSON may be above it */
	return line_table_probe(&mysql_explain_table, head) ? 55 : 0;
}

static bool mysql_explain_find(struct str text, size_t from, struct extent *ret)
{
	return line_table_find(&mysql_explain_table, text, from, ret);
}

static bool mysql_add(struct capture *c, const struct mysql_head *head, struct str line,
		      uint32_t number)
{
	struct str cells[MYSQL_CELLS];
	struct str texts[MYSQL_COLUMNS] = { STR_NONE };
	struct str table = STR_NONE;
	double values[MYSQL_COLUMNS];

	if (mysql_split(line, cells) != head->n)
		return false;
	for (size_t i = 0; i < MYSQL_COLUMNS; i++)
		values[i] = (double)NAN;
	for (size_t i = 0; i < head->n; i++) {
		enum mysql_column column = head->columns[i];
		struct str cell = cells[i];
		double value;

		if (str_eq(cell, STR("NULL")))
			cell = STR_NONE;
		if (column == MYSQL_TABLE)
			table = cell;
		else if (column < MYSQL_COLUMNS && mysql_columns[column].is_text)
			texts[column] = cell;
		else if (column < MYSQL_COLUMNS && cell.len && str_double(&cell, &value) &&
			 cell.len == 0 && value >= 0)
			values[column] = value;
	}
	return line_table_add(
		c, symbols_add_text(capture_symbols(c), table, STR_NONE, SPACE_UNKNOWN, 0), values,
		texts, number);
}

static int mysql_explain_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_mysql_explain, in, d);
	struct mysql_head head = { .n = 0 };
	struct str text = in->text;
	struct str line;

	line_table_columns(c, "table", NULL, mysql_columns, ARRAY_LEN(mysql_columns));
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		enum line_kind kind = mysql_explain_kind(line);

		if (kind == LINE_HEAD)
			(void)mysql_head_of(line, &head);
		else if (kind == LINE_OTHER ||
			 (kind == LINE_ROW && !mysql_add(c, &head, line, region_line(in, n))))
			diag_count(&c->diag, &mysql_explain_skipped, region_line(in, n));
	}
	return c->metrics->n_rows ? OK : fail(err, ERR_FORMAT, "no row of EXPLAIN");
}

const struct format format_mysql_explain = {
	.name = "mysql-explain",
	.title = "EXPLAIN of MySQL",
	.summary = "EXPLAIN of MySQL and MariaDB as a table, also in Markdown",
	.kinds = KIND_METRICS,
	.probe = mysql_explain_probe,
	.find = mysql_explain_find,
	.read = mysql_explain_read,
};
