/* SPDX-License-Identifier: MIT */
/*
 * statement_table.c - statistics of statements as clients of databases print them
 *
 * stable_columns states which figure each column of a view is. The same code reads all layouts.
 * psql and mysql print rows with cells between '|'. psql \x and mysql \G print records with one
 * column per line. The profile of pt-query-digest has cells separated by blanks.
 *
 * Sources: PostgreSQL documentation, "pg_stat_statements"; MySQL manual, "Statement Summary Tables"
 * and "The statement_analysis View"; Percona Toolkit, pt-query-digest, "OUTPUT".
 */
#include "base/alloc.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/names/statement.h"
#include "formats/format.h"
#include "formats/statements/statement_rows.h"
#include "formats/tables/line_table.h"

#include <math.h>

DECLARE_FORMAT(statement_table);

#define STABLE_CELLS 64u
/* maximum number of consecutive lines inside a table that do not belong to the table */
#define STABLE_GAP   2u
#define STABLE_BYTES 8192u
#define STABLE_SCORE 98u
#define STABLE_MOST  1e21 /* upper limit of a figure; a figure must be smaller */

static const struct diag_kind stable_lines = { "statement-table-lines", DIAG_INFO,
					       "lines between rows of statements" };
static const struct diag_kind stable_short = { "statement-table-rows", DIAG_DATALOSS,
					       "rows without a statement or its time" };
static const struct diag_kind stable_past = { "statement-table-past-limit", DIAG_DATALOSS,
					      "statements past the limit" };

enum stable_kind {
	STABLE_NONE,
	STABLE_TEXT,   /* the column has the statement */
	STABLE_FIGURE, /* a number, or a duration with its unit */
	STABLE_MARK,   /* '*' or a number above 0: the figure is then the number of calls */
};

/* A column of a view, and the figure that the column has. */
struct stable_column {
	const char *name;
	enum stable_kind kind;
	enum statement_column column;
	double scale; /* factor for numbers without a unit */
};

/* clang-format off */
static const struct stable_column stable_columns[] = {
	/*
	 * pg_stat_statements, of version 13 and later as well as older versions: times in
	 * milliseconds
	 */
	{ "query", STABLE_TEXT, STATEMENT_CALLS, 0 },
	{ "calls", STABLE_FIGURE, STATEMENT_CALLS, 1 },
	{ "total_exec_time", STABLE_FIGURE, STATEMENT_TIME, 1e6 },
	{ "total_time", STABLE_FIGURE, STATEMENT_TIME, 1e6 },
	{ "mean_exec_time", STABLE_FIGURE, STATEMENT_MEAN, 1e6 },
	{ "mean_time", STABLE_FIGURE, STATEMENT_MEAN, 1e6 },
	{ "max_exec_time", STABLE_FIGURE, STATEMENT_LONGEST, 1e6 },
	{ "max_time", STABLE_FIGURE, STATEMENT_LONGEST, 1e6 },
	{ "rows", STABLE_FIGURE, STATEMENT_RETURNED, 1 },
	/* performance_schema.events_statements_summary_by_digest: times in picoseconds */
	{ "DIGEST_TEXT", STABLE_TEXT, STATEMENT_CALLS, 0 },
	{ "COUNT_STAR", STABLE_FIGURE, STATEMENT_CALLS, 1 },
	{ "SUM_TIMER_WAIT", STABLE_FIGURE, STATEMENT_TIME, 1e-3 },
	{ "AVG_TIMER_WAIT", STABLE_FIGURE, STATEMENT_MEAN, 1e-3 },
	{ "MAX_TIMER_WAIT", STABLE_FIGURE, STATEMENT_LONGEST, 1e-3 },
	{ "SUM_LOCK_TIME", STABLE_FIGURE, STATEMENT_LOCK, 1e-3 },
	{ "SUM_ROWS_EXAMINED", STABLE_FIGURE, STATEMENT_EXAMINED, 1 },
	{ "SUM_ROWS_SENT", STABLE_FIGURE, STATEMENT_RETURNED, 1 },
	{ "SUM_NO_INDEX_USED", STABLE_MARK, STATEMENT_SCANS, 1 },
	{ "SUM_SELECT_FULL_JOIN", STABLE_MARK, STATEMENT_JOINS, 1 },
	/*
	 * sys.statement_analysis and similar views: times with a unit. sys.x$statement_analysis:
	 * times in picoseconds
	 */
	{ "exec_count", STABLE_FIGURE, STATEMENT_CALLS, 1 },
	{ "total_latency", STABLE_FIGURE, STATEMENT_TIME, 1e-3 },
	{ "avg_latency", STABLE_FIGURE, STATEMENT_MEAN, 1e-3 },
	{ "max_latency", STABLE_FIGURE, STATEMENT_LONGEST, 1e-3 },
	{ "lock_latency", STABLE_FIGURE, STATEMENT_LOCK, 1e-3 },
	{ "rows_examined", STABLE_FIGURE, STATEMENT_EXAMINED, 1 },
	{ "rows_sent", STABLE_FIGURE, STATEMENT_RETURNED, 1 },
	{ "full_scan", STABLE_MARK, STATEMENT_SCANS, 1 },
};
/* clang-format on */

/* The cells of a row that were read so far. */
struct stable_row {
	double values[STATEMENT_COLUMNS];
	/* above 0: the row has a mark for this figure (column of kind STABLE_MARK) */
	double marks[STATEMENT_COLUMNS];
	char text[STABLE_BYTES]; /* the statement, with its lines joined */
	size_t text_len;
	/*
	 * the last line of the statement ends with '+', so the next line continues the statement
	 * (psql)
	 */
	bool goes_on;
	bool has_any;
	uint32_t line;
};

enum stable_layout { STABLE_ROWS, STABLE_RECORDS, STABLE_DIGEST };

/* The titles of a table. */
struct stable_head {
	enum stable_layout layout;
	/* for each column of the table, its meaning; NULL: the column is not read */
	const struct stable_column *columns[STABLE_CELLS];
	size_t n;
	size_t text; /* index of the column with the statement */
};

static const struct stable_column *stable_column(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(stable_columns); i++) {
		if (str_eq_nocase(str_of(stable_columns[i].name), name))
			return &stable_columns[i];
	}
	return NULL;
}

/* @line without the bars at its start and end, which mysql prints, and psql with border 2 */
static struct str stable_inner(struct str line)
{
	line = str_trim(line);
	if (line.len >= 2 && line.p[0] == '|' && line.p[line.len - 1] == '|')
		line = str_sub(line, 1, line.len - 1);
	return line;
}

/*
 * Whether the columns include a statement, its calls and its time, which only tables of statements
 * have together.
 */
static bool stable_is_whole(const struct stable_head *h)
{
	bool has[STATEMENT_COLUMNS] = { false };
	bool has_text = false;

	for (size_t i = 0; i < h->n; i++) {
		if (h->columns[i] && h->columns[i]->kind == STABLE_TEXT)
			has_text = true;
		else if (h->columns[i])
			has[h->columns[i]->column] = true;
	}
	return has_text && has[STATEMENT_CALLS] && (has[STATEMENT_TIME] || has[STATEMENT_MEAN]);
}

/* Read a line of titles. False: @line has other titles, or none. */
static bool stable_titles(struct str line, struct stable_head *ret)
{
	struct str rest = stable_inner(line);

	if (line.len > STABLE_BYTES)
		return false;
	if (str_starts(rest, STR("# Rank ")) && str_contains(rest, STR("Response time")) &&
	    str_contains(rest, STR("Calls"))) {
		*ret = (struct stable_head){ .layout = STABLE_DIGEST };
		return true;
	}
	if (!str_contains(rest, STR("|")))
		return false;
	*ret = (struct stable_head){ .layout = STABLE_ROWS };
	while (ret->n < STABLE_CELLS) {
		size_t bar = str_find_char(rest, '|');
		const struct stable_column *c = stable_column(str_trim(str_sub(rest, 0, bar)));

		if (c && c->kind == STABLE_TEXT)
			ret->text = ret->n;
		ret->columns[ret->n++] = c;
		if (bar == rest.len)
			break;
		rest = str_skip(rest, bar + 1);
	}
	return stable_is_whole(ret);
}

/* Whether @line begins a record: "-[ RECORD 1 ]---+----", "****** 1. row ******". */
static bool stable_begins(struct str line)
{
	line = str_trim(line);
	return (str_starts(line, STR("-[ RECORD ")) || str_starts(line, STR("─[ RECORD ")) ||
		str_starts(line, STR("*****"))) &&
	       (str_contains(line, STR(" ]")) || str_contains(line, STR(". row *****")));
}

/*
 * Parse a number, or a duration such as "2.53 h" or "31.55 min". @ret: the value in the unit of
 * column @c. False: @cell is neither.
 */
static bool stable_figure(const struct stable_column *c, struct str cell, double *ret)
{
	double value;

	cell = str_trim(cell);
	if (c->kind == STABLE_MARK && str_eq(cell, STR("*"))) {
		*ret = 1;
		return true;
	}
	if (cell.len == 0 || !(char_is_digit(cell.p[0]) || cell.p[0] == '.') ||
	    !str_double(&cell, &value))
		return false;
	cell = str_ltrim(cell);
	if (cell.len == 0) {
		*ret = value * c->scale;
	} else {
		static const struct {
			const char *unit;
			double ns;
		} units[] = { { "ps", 1e-3 },  { "ns", 1 },     { "us", 1e3 },
			      { "ms", 1e6 },   { "s", 1e9 },    { "m", 60e9 },
			      { "min", 60e9 }, { "h", 3600e9 }, { "d", 86400e9 } };
		size_t i = 0;

		while (i < ARRAY_LEN(units) && !str_eq(str_of(units[i].unit), cell))
			i++;
		if (i == ARRAY_LEN(units))
			return false;
		*ret = value * units[i].ns;
	}
	return *ret >= 0 && *ret < STABLE_MOST;
}

static void stable_text(struct stable_row *row, struct str cell)
{
	cell = str_trim(cell);
	row->goes_on = str_ends(cell, STR("+"));
	cell.len -= row->goes_on;
	if (row->text_len && row->text_len < sizeof(row->text))
		row->text[row->text_len++] = '\n';
	cell = str_sub(cell, 0, sizeof(row->text) - row->text_len);
	memcpy(row->text + row->text_len, cell.p, cell.len);
	row->text_len += cell.len;
}

static void stable_cell(struct stable_row *row, const struct stable_column *c, struct str cell)
{
	double value;

	row->has_any = true;
	if (c->kind == STABLE_TEXT)
		stable_text(row, cell);
	else if (stable_figure(c, cell, &value))
		(c->kind == STABLE_MARK ? row->marks : row->values)[c->column] = value;
}

static void stable_clear(struct stable_row *row, uint32_t line)
{
	row->text_len = 0;
	row->goes_on = row->has_any = false;
	row->line = line;
	for (size_t i = 0; i < STATEMENT_COLUMNS; i++) {
		row->values[i] = (double)NAN;
		row->marks[i] = 0;
	}
}

/*
 * Split a row into cells. The statement may contain bars. Therefore the cells before it are counted
 * from the left, and the cells after it from the right. False: the row has too few cells.
 */
static bool stable_split(const struct stable_head *h, struct str line, struct str *ret)
{
	struct str rest = stable_inner(line);

	for (size_t i = 0; i < h->text; i++) {
		size_t bar = str_find_char(rest, '|');

		if (bar == rest.len)
			return false;
		ret[i] = str_sub(rest, 0, bar);
		rest = str_skip(rest, bar + 1);
	}
	for (size_t i = h->n - 1; i > h->text; i--) {
		size_t bar = str_rfind_char(rest, '|');

		if (bar == rest.len)
			return false;
		ret[i] = str_skip(rest, bar + 1);
		rest = str_sub(rest, 0, bar);
	}
	ret[h->text] = rest;
	return true;
}

/*
 * Parse a row of pt-query-digest: "# 1 0x7F1B... 3012.1234 82.3%  4012 0.7508  0.31 SELECT orders".
 * False: @line is no such row.
 */
static bool stable_digest(struct str line, struct stable_row *row)
{
	struct str rest = line;
	struct str word, cell;
	double value;

	if (!str_take(&rest, STR("# ")) || !str_word(&rest, &word) || !str_word(&rest, &cell) ||
	    !str_starts(cell, STR("0x")) || !str_word(&rest, &word) ||
	    !str_double(&word, &row->values[STATEMENT_TIME]) || word.len)
		return false;
	row->values[STATEMENT_TIME] *= 1e9;
	if (!str_word(&rest, &word) || !str_ends(word, STR("%")) || !str_word(&rest, &word) ||
	    !str_double(&word, &row->values[STATEMENT_CALLS]) || word.len ||
	    !str_word(&rest, &word) || !str_double(&word, &value) || word.len)
		return false;
	row->values[STATEMENT_MEAN] = value * 1e9;
	/* skip the Apdx score of old versions, or the variance-to-mean ratio of newer versions */
	for (struct str next = rest; str_word(&next, &word); rest = next) {
		if (!str_double(&word, &value) || word.len)
			break;
	}
	row->has_any = true;
	stable_text(row, rest);
	return true;
}

enum stable_line { STABLE_OTHER, STABLE_RULER, STABLE_BEGIN, STABLE_MORE, STABLE_ROW };

static bool stable_is_ruler(struct str line)
{
	line = str_trim(line);
	for (size_t i = 0; i < line.len; i++) {
		if (!strchr("-+=|# ", line.p[i]))
			return false;
	}
	return line.len > 0;
}

/*
 * Read a line of a record: "name | value", "name: value", or a continuation of the statement.
 * False: @line is none of these.
 */
static bool stable_field(struct str line, struct stable_row *row)
{
	struct str inner = stable_inner(line);
	size_t bar = str_find_char(inner, '|');
	size_t colon = str_find_char(inner, ':');
	size_t at = bar < inner.len ? bar : colon;
	struct str name = str_trim(str_sub(inner, 0, at));
	const struct stable_column *c = stable_column(name);

	if (row->goes_on && name.len == 0) {
		stable_text(row, str_skip(inner, at + 1));
		return true;
	}
	if (at == inner.len || name.len == 0 || str_find_char(name, ' ') < name.len)
		return false;
	if (c)
		stable_cell(row, c, str_skip(inner, at + 1));
	return true;
}

/*
 * Read a line below the titles @h into @row. STABLE_MORE: the line only continues the row, for
 * example its statement. STABLE_BEGIN: the line starts a new record.
 */
static enum stable_line stable_line(const struct stable_head *h, struct str line,
				    struct stable_row *row, uint32_t number)
{
	struct str cells[STABLE_CELLS];

	if (str_trim(line).len == 0 || line.len > LIMIT_LINE_BYTES)
		return STABLE_OTHER;
	if (h->layout == STABLE_RECORDS) {
		if (stable_begins(line))
			return STABLE_BEGIN;
		return stable_field(line, row) ? STABLE_MORE : STABLE_OTHER;
	}
	if (stable_is_ruler(line))
		return STABLE_RULER;
	if (h->layout == STABLE_DIGEST && str_starts(line, STR("# MISC ")))
		return STABLE_RULER; /* a row with the sum of all other statements */
	if (h->layout == STABLE_DIGEST) {
		stable_clear(row, number);
		return stable_digest(line, row) ? STABLE_ROW : STABLE_OTHER;
	}
	if (!stable_split(h, line, cells))
		return STABLE_OTHER;
	if (row->goes_on) {
		stable_text(row, cells[h->text]);
		return STABLE_MORE;
	}
	stable_clear(row, number);
	for (size_t i = 0; i < h->n; i++) {
		if (h->columns[i])
			stable_cell(row, h->columns[i], cells[i]);
	}
	return STABLE_ROW;
}

/*
 * If the time or the mean time is missing, compute it from the other. False: the row is no
 * statement with a time.
 */
static bool stable_finish(struct stable_row *row)
{
	double *v = row->values;

	if (row->text_len == 0 || !(v[STATEMENT_CALLS] > 0))
		return false;
	if (isnan(v[STATEMENT_TIME]))
		v[STATEMENT_TIME] = v[STATEMENT_MEAN] * v[STATEMENT_CALLS];
	if (isnan(v[STATEMENT_MEAN]))
		v[STATEMENT_MEAN] = v[STATEMENT_TIME] / v[STATEMENT_CALLS];
	for (size_t i = 0; i < STATEMENT_COLUMNS; i++) {
		if (row->marks[i] > 0)
			v[i] = v[STATEMENT_CALLS];
	}
	return v[STATEMENT_TIME] >= 0;
}

static bool statement_table_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	struct stable_head head = { .n = 0 };
	struct stable_row *row = xmalloc(sizeof(*row));
	size_t ruler = SIZE_MAX, begin = SIZE_MAX, rows = 0;
	unsigned int others = 0;
	bool has_head = false;
	struct str line;

	stable_clear(row, 0);
	for (size_t at = from; str_line(&rest, &line); at = text.len - rest.len) {
		enum stable_line kind = STABLE_OTHER;
		struct stable_head next;

		if (!has_head && stable_begins(line)) {
			head = (struct stable_head){ .layout = STABLE_RECORDS };
			has_head = true;
			begin = at;
			stable_clear(row, 0);
			continue;
		}
		if (!has_head) {
			has_head = stable_titles(line, &next);
			if (has_head) {
				head = next;
				begin = ruler != SIZE_MAX ? ruler : at;
			}
			ruler = str_starts(str_trim(line), STR("+-")) ? at : SIZE_MAX;
			continue;
		}
		kind = stable_line(&head, line, row, 0);
		if (kind == STABLE_OTHER && ++others > STABLE_GAP) {
			if (rows)
				break;
			has_head = false;
			others = 0;
			ruler = SIZE_MAX;
			continue;
		}
		if (kind == STABLE_OTHER)
			continue;
		if (kind == STABLE_BEGIN)
			stable_clear(row, 0);
		others = 0;
		if (kind == STABLE_ROW || kind == STABLE_MORE) {
			bool is_statement =
				kind == STABLE_ROW ||
				(row->text_len > 0 && row->values[STATEMENT_CALLS] > 0 &&
				 (!isnan(row->values[STATEMENT_TIME]) ||
				  !isnan(row->values[STATEMENT_MEAN])));

			rows += is_statement;
		}
		if (rows || head.layout == STABLE_RECORDS)
			ret->to = text.len - rest.len;
	}
	free(row);
	ret->from = begin;
	ret->score = STABLE_SCORE;
	return rows > 0;
}

static unsigned int statement_table_probe(struct str head)
{
	struct extent e;

	return statement_table_find(head, 0, &e) ? 85 : 0;
}

static void stable_add(struct capture *c, struct statement_rows *s, struct stable_row *row)
{
	char shape[STATEMENT_BYTES];
	size_t n;

	if (!row->has_any)
		return;
	if (!stable_finish(row)) {
		diag_count(&c->diag, &stable_short, row->line);
		return;
	}
	n = statement_shape((struct str){ row->text, row->text_len }, STATEMENT_SQL, shape, 0,
			    STATEMENT_BYTES);
	if (!statement_rows_add(c, s, (struct str){ shape, n }, row->values, row->line))
		diag_count(&c->diag, &stable_past, row->line);
}

/*
 * Count @line as not read, unless it is blank, or the number of rows that psql and mysql print
 * after a table.
 */
static void stable_other(struct capture *c, struct str line, uint32_t number)
{
	line = str_trim(line);
	if (line.len && !str_glob(STR("(* row*)|* row* in set*"), line))
		diag_count(&c->diag, &stable_lines, number);
}

static int statement_table_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_statement_table, in, d);
	struct statement_rows s = { .map = { .slots = NULL } };
	struct stable_row *row = xmalloc(sizeof(*row));
	struct stable_head head = { .n = 0 };
	struct str text = in->text;
	bool has_head = false;
	struct str line;
	size_t n_rows;

	stable_clear(row, region_line(in, 0));
	for (uint32_t n = 0; str_line(&text, &line); n++) {
		uint32_t number = region_line(in, n);
		bool was_open = row->goes_on;
		enum stable_line kind;

		if (!has_head) {
			has_head = stable_begins(line) || stable_titles(line, &head);
			if (stable_begins(line))
				head = (struct stable_head){ .layout = STABLE_RECORDS };
			continue;
		}
		/* the previous row is complete, because this line does not continue it */
		if (head.layout != STABLE_RECORDS && !was_open) {
			stable_add(c, &s, row);
			stable_clear(row, number);
		}
		kind = stable_line(&head, line, row, number);
		if (kind == STABLE_BEGIN) {
			stable_add(c, &s, row);
			stable_clear(row, number);
		} else if (kind == STABLE_OTHER) {
			stable_clear(row, number);
			stable_other(c, line, number);
		}
	}
	stable_add(c, &s, row);
	free(row);
	n_rows = s.rows.len;
	if (n_rows)
		statement_rows_fill(c, &s);
	statement_rows_fini(&s);
	return n_rows ? OK : fail(err, ERR_FORMAT, "no statement with its time");
}

const struct format format_statement_table = {
	.name = "statement-table",
	.title = "statement statistics",
	.summary = "statistics of statements: pg_stat_statements, performance_schema, sys, "
		   "pt-query-digest",
	.kinds = KIND_METRICS,
	.probe = statement_table_probe,
	.find = statement_table_find,
	.read = statement_table_read,
};
