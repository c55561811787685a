/* SPDX-License-Identifier: MIT */
/*
 * metric_table.c - tables of numbers by function: colons, CSV, TSV
 *
 * The first column of words has the names. Titles and units are never guessed: without a line of
 * titles, columns have no titles; without a printed unit, they have no unit.
 */
#include "base/alloc.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/metrics.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "formats/tables/metric_cells.h"

#include <math.h>

DECLARE_FORMAT(metric_table);

/* number of rows that are read to decide which columns have numbers and which have texts */
#define METRIC_SAMPLE_ROWS 256u
#define METRIC_MIN_ROWS    3u
#define METRIC_MIN_COLONS  3u /* minimum number of cells of a row with colons */
#define METRIC_HEAD_BYTES  65536u

static const struct diag_kind metric_short = { "metric-short-rows", DIAG_DATALOSS,
					       "rows with fewer cells than the table has columns" };
static const struct diag_kind metric_long = { "metric-long-rows", DIAG_DATALOSS,
					      "rows with more cells than the table has columns" };
static const struct diag_kind metric_words = { "metric-not-a-number", DIAG_INFO,
					       "cells with words in a column of numbers" };
static const struct diag_kind metric_skipped = { "metric-skipped-lines", DIAG_DATALOSS,
						 "lines that are no row of the table" };
static const struct diag_kind metric_wrapped = { "metric-wrapped-rows", DIAG_INFO,
						 "rows that were broken over lines" };
static const struct diag_kind metric_cut = { "metric-past-limit", DIAG_DATALOSS,
					     "rows or columns past the number that can be held" };

/* The number of cells in @row that are numbers. */
static unsigned int metric_numbers(const struct metric_row *row)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < row->n; i++)
		n += metric_cell_number(row->cells[i].text, NULL, NULL, NULL);
	return n;
}

/* Whether @row is a name with nothing but numbers after it: "name : 1 : 2". */
static bool metric_is_colon_row(const struct metric_row *row)
{
	return row->n >= METRIC_MIN_COLONS && metric_cell_is_name(row->cells[0].text) &&
	       metric_numbers(row) == row->n - 1;
}

static bool metric_is_header(const struct metric_row *row)
{
	for (unsigned int i = 0; i < row->n; i++) {
		if (row->cells[i].text.len == 0 || row->cells[i].text.len > 256)
			return false;
	}
	return row->n >= 2 && metric_numbers(row) == 0;
}

/*
 * Index of the cell with the name. This is the first cell that is no number; if that cannot be a
 * name, the result is row->n.
 */
static unsigned int metric_name_cell(const struct metric_row *row)
{
	unsigned int i = 0;

	while (i < row->n && metric_cell_number(row->cells[i].text, NULL, NULL, NULL))
		i++;
	return i < row->n && metric_cell_is_name(row->cells[i].text) ? i : row->n;
}

struct metric_finder {
	struct metric_row *row;
	struct arena scratch;
};

/*
 * Number of rows with colons at the start of @text that have the same number of cells as the first
 * row. @ret_to: end of these rows. @ret_is_wide: they are certainly a table, because they have many
 * cells or fullwidth colons.
 */
static size_t metric_colon_run(struct metric_finder *f, struct str text, size_t *ret_to,
			       bool *ret_is_wide)
{
	struct str rest = text;
	unsigned int width = 0;
	size_t n = 0;

	*ret_is_wide = false;
	while (metric_row_take(&rest, METRIC_COLON, true, &f->scratch, f->row)) {
		if (!metric_is_colon_row(f->row) || (n && f->row->n != width))
			break;
		arena_clear(&f->scratch);
		width = f->row->n;
		*ret_is_wide |= width >= 5 || f->row->cells[width - 1].is_fullwidth;
		*ret_to = (size_t)(rest.p - text.p);
		n++;
	}
	return n;
}

/*
 * Number of rows with @separator at the start of @text, after a line of titles. 0: @text does not
 * start with titles. @ret_to: end of these rows.
 */
static size_t metric_csv_run(struct metric_finder *f, struct str text,
			     enum metric_separator separator, size_t *ret_to)
{
	struct str rest = text;
	unsigned int width;
	unsigned int name = 0;
	size_t n = 0;

	if (!metric_row_take(&rest, separator, false, &f->scratch, f->row) ||
	    !metric_is_header(f->row))
		return 0;
	width = f->row->n;
	for (;;) {
		arena_clear(&f->scratch);
		if (!metric_row_take(&rest, separator, n >= METRIC_MIN_ROWS, &f->scratch, f->row) ||
		    f->row->n != width)
			break;
		if (n == 0)
			name = metric_name_cell(f->row);
		if (n < METRIC_MIN_ROWS &&
		    (name >= width || metric_name_cell(f->row) != name || !metric_numbers(f->row)))
			break;
		*ret_to = (size_t)(rest.p - text.p);
		n++;
	}
	return n;
}

static bool metric_find_at(struct metric_finder *f, struct str text, struct str line, size_t at,
			   struct extent *ret)
{
	static const char separators[] = { '\t', ',', ';' };
	struct str here = str_skip(text, at);
	bool is_wide;
	size_t to = 0;

	if (metric_cell_may_be_colon(line) &&
	    metric_colon_run(f, here, &to, &is_wide) >= METRIC_MIN_ROWS) {
		*ret = (struct extent){ .from = at, .to = at + to, .score = is_wide ? 95 : 85 };
		return true;
	}
	if (line.len > METRIC_HEAD_BYTES)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(separators); i++) {
		if (str_find_char(line, separators[i]) < line.len &&
		    metric_csv_run(f, here, METRIC_TAB + (unsigned int)i, &to) >= METRIC_MIN_ROWS) {
			*ret = (struct extent){ .from = at, .to = at + to, .score = 80 };
			return true;
		}
	}
	return false;
}

static bool metric_table_find(struct str text, size_t from, struct extent *ret)
{
	struct metric_finder f = { .row = xmalloc(sizeof(*f.row)) };
	struct str rest = str_skip(text, from);
	struct str line;
	bool found = false;

	while (!found && str_line(&rest, &line))
		found = metric_find_at(&f, text, line, (size_t)(line.p - text.p), ret);
	free(f.row);
	arena_fini(&f.scratch);
	return found;
}

static unsigned int metric_table_probe(struct str head)
{
	struct extent e;

	/*
	 * accept the file only if the table begins at the start of @head and extends to its last
	 * line; this line may be incomplete
	 */
	if (!metric_table_find(head, 0, &e) || str_trim(str_sub(head, 0, e.from)).len)
		return 0;
	return str_find_char(str_skip(head, e.to), '\n') + e.to >= head.len ? 75 : 0;
}

struct metric_reader {
	const struct region *in;
	struct capture *c;
	struct metrics *m;
	struct metric_row *row;
	struct arena scratch;
	enum metric_separator separator;
	unsigned int width; /* number of cells in a row, including the name */
	unsigned int name;  /* index of the cell with the name */
	bool has_header;
	bool has_lines; /* a quoted cell may extend over several lines */
};

/*
 * Choose the separator with which the most rows have the same number of cells. If several
 * separators give the same number of rows, the first in enum metric_separator is used.
 */
static void metric_choose(struct metric_reader *t)
{
	size_t best = 0;

	for (unsigned int s = 0; s < METRIC_SEPARATORS; s++) {
		struct str text = str_sub(t->in->text, 0, METRIC_HEAD_BYTES);
		unsigned int width = 0;
		size_t n = 0;

		for (size_t i = 0; i < METRIC_SAMPLE_ROWS; i++) {
			if (!metric_row_take(&text, s, s == METRIC_COLON, &t->scratch, t->row))
				break;
			if (t->row->n < 2 || t->row->is_cut)
				continue;
			if (width == 0)
				width = t->row->n;
			n += t->row->n == width;
		}
		if (n > best) {
			best = n;
			t->separator = s;
			t->width = width;
		}
		arena_clear(&t->scratch);
	}
}

/*
 * Decide for each column if it has numbers, the name or other text. Also decide if the first row
 * has the titles. False: the rows are no table.
 */
static bool metric_judge(struct metric_reader *t)
{
	struct str text = str_sub(t->in->text, 0, METRIC_HEAD_BYTES);
	CLEANUP(freep) uint32_t *numbers = xcalloc(t->width, sizeof(*numbers));
	CLEANUP(freep) uint32_t *filled = xcalloc(t->width, sizeof(*filled));
	bool is_first = true;

	for (size_t i = 0; i < METRIC_SAMPLE_ROWS; i++) {
		if (!metric_row_take(&text, t->separator, t->separator == METRIC_COLON, &t->scratch,
				     t->row))
			break;
		if (t->row->n != t->width)
			continue;
		if (is_first)
			t->has_header = metric_numbers(t->row) == 0;
		for (unsigned int c = 0; !(is_first && t->has_header) && c < t->width; c++) {
			struct str cell = t->row->cells[c].text;

			filled[c] += cell.len > 0;
			numbers[c] += metric_cell_number(cell, NULL, NULL, NULL);
		}
		is_first = false;
	}
	arena_clear(&t->scratch);
	t->name = t->width;
	for (unsigned int c = 0; c < t->width; c++) {
		bool is_text = (uint64_t)numbers[c] * 2 < filled[c];

		if (is_text && t->name == t->width)
			t->name = c;
		else
			*VEC_PUSH(&t->m->columns) =
				(struct metric_column){ .is_text = is_text,
							.is_integer = !is_text };
	}
	return t->name < t->width && t->width > 1;
}

/*
 * Split a title such as "time(ms)" or "time [ms]". Returns the title without the unit. @ret_unit:
 * the unit.
 */
static struct str metric_title(struct str title, struct str *ret_unit)
{
	char close = title.len ? title.p[title.len - 1] : ' ';
	size_t open = str_rfind_char(title, close == ')' ? '(' : '[');

	*ret_unit = STR("");
	if ((close != ')' && close != ']') || open >= title.len || open == 0)
		return title;
	*ret_unit = str_trim(str_sub(title, open + 1, title.len - 1));
	return str_trim(str_sub(title, 0, open));
}

static void metric_read_header(struct metric_reader *t)
{
	struct strings *names = capture_strings(t->c);
	size_t column = 0;

	for (unsigned int i = 0; i < t->row->n; i++) {
		struct str unit;
		struct str title = metric_title(t->row->cells[i].text, &unit);

		if (i == t->name) {
			t->m->name_column = strings_add(names, t->row->cells[i].text);
			continue;
		}
		t->m->columns.data[column].name = strings_add(names, title);
		t->m->columns.data[column].unit = strings_add(names, unit);
		column++;
	}
}

/*
 * Store @text as the text of the cell with index @at in metrics.values. metrics.texts ends at the
 * last cell with a text, so it is first filled up with empty texts.
 */
static void metric_keep_text(struct metric_reader *t, size_t at, struct str text)
{
	struct metrics *m = t->m;

	VEC_RESERVE(&m->texts, at + 1);
	memset(m->texts.data + m->texts.len, 0, (at - m->texts.len) * sizeof(*m->texts.data));
	m->texts.len = at + 1;
	m->texts.data[at] = strings_add(capture_strings(t->c), text);
}

static void metric_read_cell(struct metric_reader *t, size_t column, const struct metric_cell *cell,
			     uint32_t line)
{
	struct metric_column *col = &t->m->columns.data[column];
	size_t at = t->m->values.len;
	bool is_integer = true;
	bool is_percent = false;
	double v = NAN;
	bool is_number =
		!col->is_text && metric_cell_number(cell->text, &v, &is_integer, &is_percent);

	*VEC_PUSH(&t->m->values) = v;
	col->separator_is_fullwidth |= cell->is_fullwidth;
	if (is_number) {
		col->is_integer &= is_integer;
		if (is_percent && col->unit.v == STR_ID_NONE.v)
			col->unit = strings_add(capture_strings(t->c), STR("%"));
	} else if (cell->text.len) {
		metric_keep_text(t, at, cell->text);
		if (!col->is_text)
			diag_count(&t->c->diag, &metric_words, line);
	}
}

static void metric_read_row(struct metric_reader *t, uint32_t line)
{
	static const struct metric_cell empty = { { "", 0 }, false };
	struct metric_row *row = t->row;
	size_t column = 0;

	if (row->n <= t->name || row->n * 2 < t->width || row->cells[t->name].text.len == 0) {
		diag_count(&t->c->diag, &metric_skipped, line);
		return;
	}
	if (t->m->n_rows >= LIMIT_ROWS) {
		diag_count(&t->c->diag, &metric_cut, line);
		return;
	}
	if (row->n < t->width)
		diag_count(&t->c->diag, &metric_short, line);
	if (row->n > t->width || row->is_cut)
		diag_count(&t->c->diag, &metric_long, line);
	for (unsigned int i = 0; i < t->width; i++) {
		if (i != t->name)
			metric_read_cell(t, column++, i < row->n ? &row->cells[i] : &empty, line);
	}
	*VEC_PUSH(&t->m->names) = symbols_add_text(capture_symbols(t->c), row->cells[t->name].text,
						   STR(""), SPACE_UNKNOWN, 0);
	*VEC_PUSH(&t->m->lines) = line;
	t->m->n_rows++;
}

static void metric_read_rows(struct metric_reader *t)
{
	struct str text = t->in->text;
	uint32_t n = 0;

	while (metric_row_take(&text, t->separator, t->has_lines, &t->scratch, t->row)) {
		uint32_t line = region_line(t->in, n);

		n += t->row->n_lines;
		if (t->separator == METRIC_COLON && t->row->n_lines > 1)
			diag_count(&t->c->diag, &metric_wrapped, line);
		if (t->row->is_unclosed)
			/*
			 * a quote was never closed: from now on, a quoted cell must end on its
			 * line. Otherwise each such quote would cost a search through the whole
			 * text
			 */
			t->has_lines = false;
		if (t->has_header && t->row->n == t->width) {
			metric_read_header(t);
			t->has_header = false;
		} else if (t->row->n > 1 || t->row->cells[0].text.len) {
			metric_read_row(t, line);
		}
		arena_clear(&t->scratch);
	}
	t->c->last_line = region_line(t->in, n ? n - 1 : 0);
}

static int metric_table_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct metric_reader t = { .in = in, .has_lines = true };
	int r = OK;

	t.c = format_add_capture(&format_metric_table, in, d);
	t.m = capture_metrics(t.c);
	t.row = xmalloc(sizeof(*t.row));
	metric_choose(&t);
	if (t.width < 2 || !metric_judge(&t))
		r = fail(err, ERR_FORMAT, "no table with a column of names and one of numbers");
	else
		metric_read_rows(&t);
	if (r == OK && t.m->texts.len) {
		size_t cells = t.m->values.len;

		VEC_RESERVE(&t.m->texts, cells);
		memset(t.m->texts.data + t.m->texts.len, 0,
		       (cells - t.m->texts.len) * sizeof(*t.m->texts.data));
		t.m->texts.len = cells;
	}
	if (r == OK && t.m->n_rows == 0)
		r = fail(err, ERR_FORMAT, "a table without a row");
	free(t.row);
	arena_fini(&t.scratch);
	return r;
}

static const char *const metric_table_extensions[] = { ".csv", ".tsv", NULL };

const struct format format_metric_table = {
	.name = "metric-table",
	.summary = "tables of metrics by function (colons, CSV, TSV)",
	.kinds = KIND_METRICS,
	.extensions = metric_table_extensions,
	.probe = metric_table_probe,
	.find = metric_table_find,
	.read = metric_table_read,
};
