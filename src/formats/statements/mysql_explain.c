/* SPDX-License-Identifier: MIT */
/*
 * mysql_explain.c - EXPLAIN of MySQL and MariaDB as a table: one table of the statement per row
 *
 *     +----+-------------+-------+------+---------------+------+---------+-------+-------------+
 *     | id | select_type | table | type | possible_keys | key  | key_len | rows  | Extra       |
 *     +----+-------------+-------+------+---------------+------+---------+-------+-------------+
 *     |  1 | SIMPLE      | sales | ALL  | by_day        | NULL | NULL    | 61200 | Using where |
 *
 * (The column "ref" is left out here.) Trackers have the same cells as Markdown,
 * "|id|select_type|..." with the ruler "|--|---|", and mysql -B has tabs between them. MySQL
 * before 5.7 has neither partitions nor filtered, and before 4.1 neither id nor select_type. With
 * \G each row is a record:
 *
 *     *************************** 1. row ***************************
 *                id: 1
 *       select_type: SIMPLE
 *             table: sales
 *
 * Sources: MySQL manual, "EXPLAIN Output Format"; MariaDB, "ANALYZE Statement" (r_rows).
 */
#include "formats/above.h"
#include "formats/tables/line_table.h"

#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/kinds/metrics.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/format.h"

#include <math.h>

DECLARE_FORMAT(mysql_explain);

#define MYSQL_CELLS 24u
/*
 * The statement of a plan is searched in at most MYSQL_STATEMENT_LINES lines before the plan, and
 * has at most MYSQL_STATEMENT_BYTES bytes.
 */
#define MYSQL_STATEMENT_LINES 60u
#define MYSQL_STATEMENT_BYTES 2000u

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
	MYSQL_TABLE, /* name of the table, which becomes the name of the row */
	MYSQL_OTHER, /* a column that is not read */
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

/*
 * Split a line into cells at its bars or tabs. @ret: the cells. Returns their number; 0: the line
 * has no cells, or too many.
 */
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

/*
 * Read the titles of a plan. "id" and "select_type" are the first two columns of each EXPLAIN, and
 * of no other table. Before MySQL 4.1 they are "table" and "type". False: @line has other titles.
 */
static bool mysql_head_of(struct str line, struct mysql_head *ret)
{
	struct str cells[MYSQL_CELLS];
	bool has[MYSQL_OTHER + 1] = { false };

	*ret = (struct mysql_head){ .n = 0 };
	if (!str_contains(line, STR("possible_keys")))
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
	return ret->n > 2 &&
	       ((str_eq_nocase(cells[0], STR("id")) && ret->columns[1] == MYSQL_SELECT) ||
		(ret->columns[0] == MYSQL_TABLE && ret->columns[1] == MYSQL_TYPE)) &&
	       has[MYSQL_TABLE] && has[MYSQL_TYPE] && has[MYSQL_POSSIBLE] && has[MYSQL_ROWS] &&
	       has[MYSQL_EXTRA];
}

static bool mysql_is_select(struct str s)
{
	return str_glob(STR("SIMPLE|PRIMARY|*UNION*|*SUBQUERY*|*DERIVED|MATERIALIZED|INSERT|"
			    "UPDATE|DELETE|REPLACE"),
			s);
}

/* Number of columns before MySQL 4.1: table, type, possible_keys, key, key_len, ref, rows, Extra.
 */
#define MYSQL_OLD_CELLS 8u

/* Whether @s is a way to read a table; source: MySQL manual, "EXPLAIN Join Types". */
static bool mysql_is_type(struct str s)
{
	return str_glob(STR("system|const|eq_ref|ref|fulltext|ref_or_null|index_merge|range|index|"
			    "ALL"),
			s);
}

/*
 * Whether @line begins with the first two cells of a row of EXPLAIN: "1|SIMPLE|...", "NULL|UNION
 * RESULT|...", or "sales|ALL|..." before MySQL 4.1.
 */
static bool mysql_is_row(struct str line)
{
	struct str cells[MYSQL_CELLS];
	size_t n = mysql_split(line, cells);
	uint64_t id;

	if (n == MYSQL_OLD_CELLS && mysql_is_type(cells[1]))
		return cells[0].len > 0;
	if (n < 5 || !mysql_is_select(cells[1]))
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

/* Whether @line begins a record of \G: "****** 1. row ******". */
static bool mysql_is_record(struct str line)
{
	line = str_trim(line);
	return str_starts(line, STR("*****")) && str_contains(line, STR(". row *****"));
}

/*
 * Split a line of a record into column and value: "select_type: SIMPLE". False: @line is no such
 * line.
 */
static bool mysql_field(struct str line, enum mysql_column *ret, struct str *ret_value)
{
	struct str name;
	size_t colon;

	line = str_trim(line);
	colon = str_find_char(line, ':');
	name = str_sub(line, 0, colon);
	*ret_value = str_trim(str_skip(line, colon + 1));
	if (colon == line.len)
		return false;
	for (size_t k = 0; k < ARRAY_LEN(mysql_titles); k++) {
		if (str_eq_nocase(name, str_of(mysql_titles[k].title))) {
			*ret = mysql_titles[k].column;
			return true;
		}
	}
	*ret = MYSQL_OTHER;
	return str_glob(STR("id|partitions|key_len|r_filtered"), name);
}

static enum line_kind mysql_explain_kind(struct str line)
{
	enum mysql_column column;
	struct mysql_head head;
	struct str value;

	if (mysql_is_ruler(line))
		return LINE_BLANK;
	if (mysql_is_record(line))
		return LINE_PART;
	if (mysql_field(line, &column, &value))
		return column == MYSQL_SELECT && mysql_is_select(value) ? LINE_ROW : LINE_TAIL;
	if (mysql_head_of(line, &head))
		return LINE_HEAD;
	return mysql_is_row(line) ? LINE_ROW : LINE_OTHER;
}

static const struct line_table mysql_explain_table = {
	.kind = mysql_explain_kind, .gap = 2, .min_rows = UINT32_MAX, .score = 98
};

static unsigned int mysql_explain_probe(struct str head)
{
	/* a low score, because another reader may read a plan in JSON before the table */
	return line_table_probe(&mysql_explain_table, head) ? 55 : 0;
}

static bool mysql_explain_find(struct str text, size_t from, struct extent *ret)
{
	return line_table_find(&mysql_explain_table, text, from, ret);
}

/* A plan while it is read, with its current row. */
struct mysql_plan {
	struct capture *c;
	struct mysql_head head;
	struct str table;
	struct str texts[MYSQL_COLUMNS];
	double values[MYSQL_COLUMNS];
	uint32_t line; /* line number of the current row; 0: there is no row to add */
};

static void mysql_begin(struct mysql_plan *p, uint32_t line)
{
	p->table = STR_NONE;
	p->line = line;
	for (size_t i = 0; i < MYSQL_COLUMNS; i++) {
		p->texts[i] = STR_NONE;
		p->values[i] = (double)NAN;
	}
}

static void mysql_cell(struct mysql_plan *p, enum mysql_column column, struct str cell)
{
	double value;

	if (str_eq(cell, STR("NULL")))
		cell = STR_NONE;
	if (column == MYSQL_TABLE)
		p->table = cell;
	else if (column < MYSQL_COLUMNS && mysql_columns[column].is_text)
		p->texts[column] = cell;
	else if (column < MYSQL_COLUMNS && cell.len && str_double(&cell, &value) && cell.len == 0 &&
		 value >= 0)
		p->values[column] = value;
}

/*
 * Add the current row of @p to the capture; does nothing if p->line is 0. False: the limit of rows
 * is reached.
 */
static bool mysql_end(struct mysql_plan *p)
{
	uint32_t line = p->line;

	p->line = 0;
	return !line || line_table_add(p->c,
				       symbols_add_text(capture_symbols(p->c), p->table, STR_NONE,
							SPACE_UNKNOWN, 0),
				       p->values, p->texts, line);
}

static bool mysql_add(struct mysql_plan *p, struct str line, uint32_t number)
{
	struct str cells[MYSQL_CELLS];

	if (mysql_split(line, cells) != p->head.n)
		return false;
	mysql_begin(p, number);
	for (size_t i = 0; i < p->head.n; i++)
		mysql_cell(p, p->head.columns[i], cells[i]);
	return mysql_end(p);
}

/* Read a line of the plan. False: @line does not belong to it. */
static bool mysql_line(struct mysql_plan *p, struct str line, uint32_t number)
{
	enum line_kind kind = mysql_explain_kind(line);
	enum mysql_column column;
	struct str value;

	if (kind == LINE_BLANK)
		return true;
	if (kind == LINE_PART)
		return mysql_end(p);
	if (!mysql_field(line, &column, &value)) {
		(void)mysql_end(p);
		return kind == LINE_HEAD ? mysql_head_of(line, &p->head)
					 : kind == LINE_ROW && mysql_add(p, line, number);
	}
	if (kind == LINE_ROW) {
		(void)mysql_end(p);
		mysql_begin(p, number);
	}
	if (p->line)
		mysql_cell(p, column, value);
	/*
	 * a record has several lines, and rules cite the line of the column "rows": use its number
	 */
	if (p->line && column == MYSQL_ROWS)
		p->line = number;
	return true;
}

/* @line without the prompt of the client mysql: "mysql> ", "MariaDB [shop]> ", "    -> ". */
static struct str mysql_unprompted(struct str line)
{
	line = str_trim(line);
	if (str_take(&line, STR("mysql>")) || str_take(&line, STR("->")))
		return str_trim(line);
	if (str_glob(STR("MariaDB [*]>*"), line))
		return str_trim(str_skip(line, str_find(line, STR("]>")) + 2));
	return line;
}

static bool mysql_begins_statement(struct str line)
{
	static const char *const words[] = {
		"explain", "describe", "desc",   "analyze", "select",
		"update",  "delete",   "insert", "with",    "replace"
	};
	struct str word;

	if (!str_word(&line, &word))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (str_eq_nocase(word, str_of(words[i])))
			return true;
	}
	return false;
}

/* Find the statement in the text before the plan, and add it to the capture as a note. */
static void mysql_statement(struct capture *c, const struct region *in)
{
	struct str above = above_region(in), from = STR_NONE, line;
	char text[MYSQL_STATEMENT_BYTES];
	bool has_text = false;
	size_t n = 0;

	for (unsigned int i = 0; i < MYSQL_STATEMENT_LINES && above_line(&above, &line); i++) {
		line = mysql_unprompted(line);
		if (line.len == 0 || str_starts(line, STR("```"))) {
			if (from.p || (has_text && line.len == 0))
				break;
		} else if (!mysql_is_ruler(line)) {
			has_text = true;
		}
		if (mysql_begins_statement(line))
			from = (struct str){ above.p + above.len,
					     (size_t)(in->text.p - (above.p + above.len)) };
	}
	while (str_line(&from, &line)) {
		line = mysql_unprompted(line);
		if (mysql_is_ruler(line) || str_starts(line, STR("```")))
			break;
		if (n && n < sizeof(text))
			text[n++] = ' ';
		if (line.len > sizeof(text) - n)
			/*
			 * do not store a statement that was cut off: the lost end may have a LIMIT
			 */
			return;
		memcpy(text + n, line.p, line.len);
		n += line.len;
	}
	if (n)
		capture_note(c, STR("statement"), (struct str){ text, n }, 0);
}

static int mysql_explain_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_mysql_explain, in, d);
	struct mysql_plan p = { .c = c };
	struct str text = in->text;
	struct str line;

	line_table_columns(c, "table", NULL, mysql_columns, ARRAY_LEN(mysql_columns));
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		if (!mysql_line(&p, line, region_line(in, n)))
			diag_count(&c->diag, &mysql_explain_skipped, region_line(in, n));
	}
	(void)mysql_end(&p);
	mysql_statement(c, in);
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
