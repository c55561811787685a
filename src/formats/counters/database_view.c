/* SPDX-License-Identifier: MIT */
/*
 * database_view.c - views of a database that count per table: pg_stat_user_tables and its like
 *
 * A dialect lists the columns with figures, the columns that identify the view, and the column with
 * the name of each row. Users choose columns, give the column with the name another title, and add
 * computed columns, which are not stored. Clients print rows of cells between bars (psql,
 * Markdown), tabs or commas, or records with one column on each line (psql \x):
 *
 *      relname | seq_scan | seq_tup_read       -[ RECORD 1 ]+------
 *     ---------+----------+--------------      relname      | visits
 *      visits  |      120 |     84000000       seq_scan     | 120
 *
 * Source: PostgreSQL documentation, "The Cumulative Statistics System", pg_stat_all_tables.
 */
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "document/document.h"
#include "formats/counters/counter_number.h"
#include "formats/counters/hand_cells.h"
#include "formats/format.h"

DECLARE_FORMAT(database_view);

#define VIEW_CELLS 64u
#define VIEW_LINE  8192u
/* maximum number of consecutive lines of another kind inside a table */
#define VIEW_GAP 2u
/* minimum number of titles that identify the view */
#define VIEW_MARKS 2u
#define VIEW_SCORE 98u
/* maximum number of lines between a query and its result */
#define VIEW_ABOVE 4u
#define VIEW_NAME  64u

static const struct diag_kind view_lines = { "database-view-lines", DIAG_INFO,
					     "lines between rows of tables" };
static const struct diag_kind view_past = { "database-view-past-limit", DIAG_DATALOSS,
					    "figures past the limit" };

struct view_dialect {
	const char *tool;
	/* str_glob pattern of the title of the column with the names of rows */
	const char *key;
	/* str_glob pattern of the titles of columns whose numbers are stored */
	const char *figures;
	const char *marks; /* titles that only this view has; VIEW_MARKS of them identify it */
};

static const struct view_dialect view_dialects[] = {
	{ "pg_stat_all_tables", "relname|table_name|tablename|table|relation",
	  "seq_scan|seq_tup_read|idx_scan|idx_tup_fetch|n_tup_*|n_live_tup|n_dead_tup|"
	  "n_mod_since_analyze|n_ins_since_vacuum|vacuum_count|autovacuum_count|analyze_count|"
	  "autoanalyze_count",
	  "seq_scan|seq_tup_read|idx_scan|idx_tup_fetch|n_tup_ins|n_tup_upd|n_tup_del|n_live_tup|"
	  "n_dead_tup" },
	{ "pg_replication_slots", "slot_name", "xmin|catalog_xmin",
	  "slot_name|slot_type|xmin|catalog_xmin|restart_lsn|confirmed_flush_lsn" },
};

enum view_layout { VIEW_ROWS, VIEW_RECORDS };

/* The titles of a table. */
struct view_head {
	const struct view_dialect *dialect;
	enum view_layout layout;
	enum hand_layout between;
	struct str titles[VIEW_CELLS];
	size_t n;
};

/* The cells of a row that have been read so far. */
struct view_row {
	struct str key; /* name of the row; empty: the table has no column with names */
	struct str titles[VIEW_CELLS];
	struct counter_number values[VIEW_CELLS];
	size_t n;
	unsigned int marks[ARRAY_LEN(view_dialects)];
	uint32_t line;
};

/* Split a line into cells. Returns their number; 0: there is only one cell, or too many. */
static size_t view_split(struct str line, enum hand_layout between, struct str *ret)
{
	size_t n = line.len > VIEW_LINE ? 0 : hand_cells_split(between, line, ret, VIEW_CELLS);

	for (size_t i = 0; i < n; i++) {
		if (ret[i].len >= 2 && ret[i].p[0] == '"' && ret[i].p[ret[i].len - 1] == '"')
			ret[i] = str_sub(ret[i], 1, ret[i].len - 1);
	}
	return n > 1 ? n : 0;
}

/* The view that the titles of the record @row identify; NULL: none. */
static const struct view_dialect *view_dialect_of_record(const struct view_row *row)
{
	for (size_t i = 0; i < ARRAY_LEN(view_dialects); i++) {
		if (row->marks[i] >= VIEW_MARKS)
			return &view_dialects[i];
	}
	return NULL;
}

/* The view that @titles identify; NULL: none. */
static const struct view_dialect *view_dialect_of(const struct str *titles, size_t n)
{
	for (size_t i = 0; i < ARRAY_LEN(view_dialects); i++) {
		unsigned int marks = 0;

		for (size_t k = 0; k < n; k++)
			marks += str_glob(str_of(view_dialects[i].marks), titles[k]);
		if (marks >= VIEW_MARKS)
			return &view_dialects[i];
	}
	return NULL;
}

/* Does @line begin a record of psql: "-[ RECORD 1 ]---+----"? */
static bool view_begins(struct str line)
{
	line = str_trim(line);
	return (str_starts(line, STR("-[ RECORD ")) || str_starts(line, STR("─[ RECORD "))) &&
	       str_contains(line, STR(" ]"));
}

static bool view_titles(struct str line, struct view_head *ret)
{
	*ret = (struct view_head){ .layout = VIEW_ROWS };
	/* each title that identifies a view of PostgreSQL contains one of these texts */
	if (line.len > VIEW_LINE ||
	    (!str_contains(line, STR("_scan")) && !str_contains(line, STR("_tup")) &&
	     !str_contains(line, STR("slot_name"))))
		return false;
	ret->between = hand_cells_is_drawn(line)       ? HAND_DRAWN
		       : str_contains(line, STR("\t")) ? HAND_TABS
		       : str_contains(line, STR(","))  ? HAND_COMMAS
						       : HAND_GAPS;
	ret->n = view_split(line, ret->between, ret->titles);
	ret->dialect = view_dialect_of(ret->titles, ret->n);
	return ret->dialect != NULL;
}

/* Parse an integer, such as "123532874750" or "123,532,874,750". False for an empty cell. */
static bool view_number(struct str cell, struct counter_number *ret)
{
	if (!counter_number(&cell, ret) || cell.len)
		return false;
	*ret = counter_number_whole(*ret);
	return true;
}

/* Add a cell to @row. False: the column must have numbers, but the cell is no number. */
static bool view_cell(const struct view_dialect *d, struct str title, struct str cell,
		      struct view_row *row)
{
	struct counter_number value;

	if (str_glob(str_of(d->key), title) && row->key.len == 0)
		row->key = cell;
	row->marks[d - view_dialects] += str_glob(str_of(d->marks), title);
	if (!str_glob(str_of(d->figures), title))
		return true;
	if (cell.len == 0 || str_glob(STR("NULL|null|[null]|\\N"), cell))
		return true;
	if (!view_number(cell, &value) || row->n == VIEW_CELLS)
		return false;
	row->titles[row->n] = title;
	row->values[row->n++] = value;
	return true;
}

enum view_line { VIEW_OTHER, VIEW_FILLER, VIEW_BEGIN, VIEW_FIELD, VIEW_ROW };

/* Is @line a ruler, a blank line, or the number of rows that psql prints after a table? */
static bool view_is_filler(struct str line)
{
	line = str_trim(line);
	return line.len == 0 || str_glob(STR("(* row*)"), line) || hand_cells_is_rule(line);
}

/*
 * Read the line "seq_scan | 120" of a record. The view of the record is not known yet, so the
 * titles of all views are tried.
 */
static bool view_field(struct str line, struct view_row *row)
{
	struct str cells[VIEW_CELLS];

	if (view_split(line, HAND_DRAWN, cells) != 2 || str_find_char(cells[0], ' ') < cells[0].len)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(view_dialects); i++)
		(void)view_cell(&view_dialects[i], cells[0], cells[1], row);
	return true;
}

/* Read a line after the titles @h. */
static enum view_line view_line(const struct view_head *h, struct str line, struct view_row *row)
{
	struct str cells[VIEW_CELLS];
	size_t n;

	if (h->layout == VIEW_RECORDS && view_begins(line))
		return VIEW_BEGIN;
	if (view_is_filler(line))
		return VIEW_FILLER;
	if (h->layout == VIEW_RECORDS)
		return view_field(line, row) ? VIEW_FIELD : VIEW_OTHER;
	*row = (struct view_row){ .line = row->line };
	n = view_split(line, h->between, cells);
	/* psql prints no bar after the last cell; if this cell is empty, it seems to be missing */
	if (n != h->n && (h->between != HAND_DRAWN || n + 1 != h->n))
		return VIEW_OTHER;
	for (size_t i = 0; i < n; i++) {
		if (!view_cell(h->dialect, h->titles[i], cells[i], row))
			return VIEW_OTHER;
	}
	return row->n ? VIEW_ROW : VIEW_OTHER;
}

static bool database_view_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	struct view_head head = { .dialect = NULL };
	struct view_row row = { .n = 0 };
	struct view_head next;
	unsigned int others = 0;
	bool has_head = false, has_rows = false;
	struct str line;

	for (size_t at = from; str_line(&rest, &line); at = text.len - rest.len) {
		enum view_line kind;

		if (!has_head || (!has_rows && view_begins(line))) {
			bool is_record = view_begins(line);

			if (is_record || view_titles(line, &next)) {
				head = is_record ? (struct view_head){ .layout = VIEW_RECORDS }
						 : next;
				row = (struct view_row){ .n = 0 };
				ret->from = at;
				has_head = true;
				others = 0;
			}
			continue;
		}
		if (view_titles(line, &next)) {
			if (has_rows)
				break; /* the titles of the next table follow */
			has_head = true;
			head = next;
			ret->from = at;
			continue;
		}
		kind = view_line(&head, line, &row);
		if (kind == VIEW_BEGIN)
			row = (struct view_row){ .n = 0 };
		if (kind == VIEW_ROW || (kind == VIEW_FIELD && view_dialect_of_record(&row)))
			has_rows = true;
		if ((kind == VIEW_ROW || kind == VIEW_FIELD) && has_rows)
			ret->to = text.len - rest.len;
		others = kind == VIEW_OTHER ? others + 1 : 0;
		if (others > VIEW_GAP) {
			if (has_rows)
				break;
			has_head = false;
		}
	}
	ret->score = VIEW_SCORE;
	ret->name = NULL;
	ret->declined = NULL;
	return has_rows;
}

static unsigned int database_view_probe(struct str head)
{
	struct extent e;

	return database_view_find(head, 0, &e) ? 85 : 0;
}

/*
 * The table that the query before @in selects: "visits" in "where relname = 'visits'". Empty: the
 * query names no table, or several.
 */
static struct str view_queried(const struct region *in)
{
	struct str doc = in->doc ? in->doc->text : STR_NONE;
	struct str above, rest, found = STR_NONE;
	size_t at, lines = 0;

	if (!doc.p || in->text.p < doc.p || in->text.p > doc.p + doc.len)
		return STR_NONE;
	above = (struct str){ doc.p, (size_t)(in->text.p - doc.p) };
	for (at = above.len; at && lines <= VIEW_ABOVE; at--)
		lines += above.p[at - 1] == '\n';
	for (rest = str_skip(above, at); (at = str_find(rest, STR("relname"))) < rest.len;) {
		rest = str_ltrim(str_skip(rest, at + strlen("relname")));
		if (!str_take(&rest, STR("=")))
			continue;
		rest = str_ltrim(rest);
		if (!str_take(&rest, STR("'")))
			continue;
		at = str_find_char(rest, '\'');
		if (found.len || at == rest.len || at > VIEW_NAME)
			return STR_NONE;
		found = str_sub(rest, 0, at);
	}
	return found;
}

struct view_reader {
	struct capture *c;
	/* the view that the titles of a record identify; NULL: none */
	const struct view_dialect *dialect;
	/* table name in the query, used if no column has the name; empty: unknown */
	struct str queried;
};

static void view_add(struct view_reader *r, const struct view_row *row)
{
	struct strings *strings = capture_strings(r->c);
	struct str key = row->key.len ? row->key : r->queried;

	if (!r->dialect)
		r->dialect = view_dialect_of_record(row);
	for (size_t i = 0; i < row->n; i++) {
		if (counters_add(capture_counters(r->c), strings,
				 (struct counter){ .name = strings_add(strings, row->titles[i]),
						   .key = key.len ? strings_add(strings, key)
								  : STR_ID_NONE,
						   .value = row->values[i].value,
						   .decimals = row->values[i].decimals,
						   .spread = -1,
						   .running = -1,
						   .line = row->line }) < 0)
			diag_count(&r->c->diag, &view_past, row->line);
	}
}

static int database_view_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct view_reader r = { .c = format_add_capture(&format_database_view, in, d),
				 .queried = view_queried(in) };
	const struct view_dialect *dialect;
	struct view_head head = { .dialect = NULL };
	struct view_row row = { .n = 0 };
	struct str text = in->text;
	struct str line;
	bool has_head = false;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		enum view_line kind;

		if (!has_head) {
			bool is_record = view_begins(line);

			has_head = is_record || view_titles(line, &head);
			if (is_record)
				head = (struct view_head){ .layout = VIEW_RECORDS };
			row = (struct view_row){ .line = region_line(in, n + 1) };
			continue;
		}
		if (head.layout == VIEW_ROWS)
			row.line = region_line(in, n);
		kind = view_line(&head, line, &row);
		if (kind == VIEW_BEGIN) {
			view_add(&r, &row);
			row = (struct view_row){ .line = region_line(in, n + 1) };
		} else if (kind == VIEW_ROW) {
			view_add(&r, &row);
		} else if (kind == VIEW_OTHER) {
			diag_count(&r.c->diag, &view_lines, region_line(in, n));
		}
	}
	if (head.layout == VIEW_RECORDS)
		view_add(&r, &row);
	/* in records, the titles are in the rows, so `head` has no view */
	dialect = head.dialect ? head.dialect : r.dialect;
	if (!r.c->counters)
		return fail(err, ERR_FORMAT, "no row of a table");
	if (!dialect)
		return fail(err, ERR_FORMAT, "no titles of a known view");
	r.c->counters->tool = strings_add(capture_strings(r.c), str_of(dialect->tool));
	r.c->counters->n_intervals = 1;
	return OK;
}

const struct format format_database_view = {
	.name = "database-view",
	.title = "counters",
	.summary = "tables of a database with their scans and dead rows, pg_stat_user_tables; "
		   "replication slots",
	.kinds = KIND_COUNTERS,
	.probe = database_view_probe,
	.find = database_view_find,
	.read = database_view_read,
};
