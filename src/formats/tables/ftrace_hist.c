/* SPDX-License-Identifier: MIT */
/*
 * ftrace_hist.c - counts by key of ftrace's hist triggers
 *
 *     # trigger info: hist:keys=id.syscall,common_pid.execname:vals=hitcount [active]
 *     { id: sys_ioctl  [ 16], common_pid: compiz  [  2994] } hitcount:   5580  bytes_req:  12
 *     Totals:
 *         Hits: 31536
 *
 * The name of a row is its key. If the key has several fields, each field is also a column of text.
 * Each sum (hitcount, bytes_req) is a column of numbers. stack_counts.c reads the tables whose key
 * is a stack. Definition: hist_trigger_entry_print() in kernel/trace/trace_events_hist.c of Linux,
 * Documentation/trace/histogram.rst.
 */
#include "formats/tables/line_table.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "formats/unread_rows.h"

#include <math.h>

DECLARE_FORMAT(ftrace_hist);

/* maximum number of fields in a key; the kernel allows three */
#define HIST_KEYS   4u
#define HIST_VALUES 8u    /* maximum number of sums in a row */
#define HIST_BYTES  1024u /* maximum number of bytes of a line that are read */

static const struct diag_kind hist_lines = { "ftrace-hist-lines", DIAG_INFO,
					     "lines between rows that were not read" };
static const struct diag_kind hist_rows = { "ftrace-hist-rows", DIAG_DATALOSS,
					    "rows with another key than the first, or past the "
					    "limit" };

struct hist_cell {
	struct str name;
	struct str value;
};

struct hist_row {
	struct hist_cell keys[HIST_KEYS];
	struct hist_cell values[HIST_VALUES];
	unsigned int n_keys, n_values;
};

static bool hist_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || char_is_digit(c) || c == '_' ||
	       c == '.' || c == '$' || c == '-';
}

/* The name of the field at the start of @s, which ends before ": "; STR_NONE: no field. */
static struct str hist_field(struct str s)
{
	size_t n = 0;

	while (n < s.len && hist_is_letter(s.p[n]))
		n++;
	return n && n + 1 < s.len && s.p[n] == ':' && s.p[n + 1] == ' ' ? str_sub(s, 0, n)
									: STR_NONE;
}

/*
 * Split the key of a row into its fields: "id: sys_read [ 0], common_pid: app [ 7]". A field's
 * value may contain ", ".
 */
static bool hist_keys(struct str s, struct hist_row *row)
{
	struct str sep = STR(", ");

	s = str_trim(s);
	while (s.len) {
		struct hist_cell *cell = &row->keys[row->n_keys];
		struct str name = hist_field(s);
		size_t end;

		if (row->n_keys == HIST_KEYS || name.len == 0)
			return false;
		s = str_skip(s, name.len + 2);
		end = str_find(s, sep);
		while (end < s.len && hist_field(str_skip(s, end + sep.len)).len == 0)
			end += sep.len + str_find(str_skip(s, end + sep.len), sep);
		if (end > s.len)
			end = s.len;
		*cell = (struct hist_cell){ name, str_trim(str_sub(s, 0, end)) };
		if (cell->value.len == 0)
			return false;
		row->n_keys++;
		s = str_ltrim(str_skip(s, end + sep.len));
	}
	return row->n_keys > 0;
}

/* Split the sums of a row: "hitcount: 5580  bytes_req: 12  hitcount (%): 4.11  runtime: ####". */
static bool hist_values(struct str s, struct hist_row *row)
{
	s = str_trim(s);
	while (s.len) {
		struct hist_cell *cell = &row->values[row->n_values];
		size_t colon = str_find_char(s, ':');
		struct str word;
		double value;

		if (colon == 0 || colon >= s.len || row->n_values == HIST_VALUES)
			return false;
		cell->name = str_trim(str_sub(s, 0, colon));
		s = str_skip(s, colon + 1);
		/*
		 * a field without a number is the bar of a chart: '#' signs or nothing follows the
		 * colon
		 */
		if (!str_word(&s, &word))
			break;
		cell->value = word;
		s = str_ltrim(s);
		if (str_double(&word, &value) && word.len == 0)
			row->n_values++;
		else if (cell->value.p[0] != '#')
			return false;
	}
	return row->n_values > 0;
}

static bool hist_row_of(struct str line, struct hist_row *ret)
{
	size_t close;

	line = str_sub(str_trim(line), 0, HIST_BYTES);
	close = str_rfind_char(line, '}');
	*ret = (struct hist_row){ .n_keys = 0 };
	return str_starts(line, STR("{ ")) && close < line.len &&
	       hist_keys(str_sub(line, 2, close), ret) &&
	       hist_values(str_skip(line, close + 1), ret);
}

static bool hist_is_total(struct str line)
{
	return str_starts(line, STR("Hits: ")) || str_starts(line, STR("Entries: ")) ||
	       str_starts(line, STR("Dropped: ")) || str_eq(line, STR("Totals:")) ||
	       str_starts(line, STR("Duplicates: "));
}

static enum line_kind hist_kind(struct str line)
{
	struct hist_row row;

	line = str_trim(line);
	if (line.len == 0 || str_eq(line, STR("#")) || str_eq(line, STR(".")) ||
	    str_eq(line, STR("...")))
		return LINE_BLANK;
	if (str_starts(line, STR("# event histogram")) ||
	    str_starts(line, STR("# trigger info: hist:")))
		return LINE_HEAD;
	if (hist_is_total(line))
		return LINE_TAIL;
	if (!hist_row_of(line, &row))
		return LINE_OTHER;
	return str_eq(row.values[0].name, STR("hitcount")) ? LINE_SURE : LINE_ROW;
}

/*
 * .min_rows: a table needs its line "# trigger info", because rows without a count of hits, "{ a: b
 * } c: 1", may come from another tool.
 */
static const struct line_table hist_table = {
	.kind = hist_kind, .gap = 0, .min_rows = UINT32_MAX, .score = 98
};

static unsigned int ftrace_hist_probe(struct str head)
{
	return line_table_probe(&hist_table, head);
}

static bool ftrace_hist_find(struct str text, size_t from, struct extent *ret)
{
	return line_table_find(&hist_table, text, from, ret);
}

/*
 * Whether @s, the value of a key, is a number, or a range of numbers such as "~ 2^10" or "~ 0-99".
 */
static bool hist_is_number(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!char_is_digit(s.p[i]) && !memchr("-~ ^", s.p[i], 4))
			return false;
	}
	return true;
}

/* Append @s, the value of a key, to @o. Several blanks become one: "compiz [2994]". */
static void hist_squeeze(struct str s, struct out *o)
{
	bool is_blank = false;

	for (size_t i = 0; i < s.len; i++) {
		if (char_is_blank(s.p[i])) {
			is_blank = true;
			continue;
		}
		if (is_blank && i && o->len && o->data[o->len - 1] != '[')
			out_char(o, ' ');
		is_blank = false;
		out_char(o, s.p[i]);
	}
}

/*
 * Make the columns from the first row. If the key has a single field, this field becomes the name
 * of the row instead of a column.
 */
static void hist_columns(struct capture *c, const struct hist_row *row, struct arena *a)
{
	struct line_column columns[HIST_KEYS + HIST_VALUES];
	bool is_single = row->n_keys == 1;
	size_t n = 0;

	for (unsigned int i = 0; !is_single && i < row->n_keys; i++)
		columns[n++] =
			(struct line_column){ arena_str(a, row->keys[i].name).p, NULL, true };
	for (unsigned int i = 0; i < row->n_values; i++)
		columns[n++] =
			(struct line_column){ arena_str(a, row->values[i].name).p, NULL, false };
	line_table_columns(c, is_single ? arena_str(a, row->keys[0].name).p : "key", "hitcount",
			   columns, n);
}

static bool hist_is_same(const struct hist_row *a, const struct hist_row *b)
{
	bool is_same = a->n_keys == b->n_keys && a->n_values == b->n_values;

	for (unsigned int i = 0; is_same && i < a->n_keys; i++)
		is_same = str_eq(a->keys[i].name, b->keys[i].name);
	for (unsigned int i = 0; is_same && i < a->n_values; i++)
		is_same = str_eq(a->values[i].name, b->values[i].name);
	return is_same;
}

/*
 * Add a row whose name has the values of its key. Before a value that is only a number, the name
 * has the field, too: "id: 16".
 */
static bool hist_add(struct capture *c, const struct hist_row *row, uint32_t line)
{
	double values[HIST_KEYS + HIST_VALUES] = { 0 };
	struct str texts[HIST_KEYS + HIST_VALUES] = { { NULL, 0 } };
	struct out cells[HIST_KEYS];
	struct out name;
	unsigned int first = row->n_keys == 1 ? 0 : row->n_keys;
	bool is_added;

	out_init(&name);
	for (unsigned int i = 0; i < row->n_keys; i++) {
		struct str value = row->keys[i].value;

		out_init(&cells[i]);
		hist_squeeze(value, &cells[i]);
		texts[i] = out_view(&cells[i]);
		if (i)
			out_str(&name, STR(", "));
		if (hist_is_number(texts[i])) {
			out_str(&name, row->keys[i].name);
			out_char(&name, ' ');
		}
		out_str(&name, texts[i]);
	}
	for (unsigned int i = 0; i < row->n_values; i++) {
		struct str word = row->values[i].value;

		(void)str_double(&word, &values[first + i]);
	}
	is_added = line_table_add(
		c,
		symbols_add_text(capture_symbols(c), out_view(&name), STR_NONE, SPACE_UNKNOWN, 0),
		values, texts, line);
	for (unsigned int i = 0; i < row->n_keys; i++)
		out_fini(&cells[i]);
	out_fini(&name);
	return is_added;
}

/* Add a note to @c from @line, which is no row: "# trigger info: ...", or "Hits: 31536". */
static void hist_note(struct capture *c, struct str line, uint32_t number)
{
	size_t colon = str_find(line, STR(": "));

	if (str_starts(line, STR("# trigger info: ")))
		capture_note(c, STR("trigger"), str_skip(line, colon + 2), number);
	else if (hist_is_total(line) && colon < line.len)
		capture_note(c, str_sub(line, 0, colon), str_trim(str_skip(line, colon + 2)),
			     number);
}

static int ftrace_hist_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct capture *c = format_add_capture(&format_ftrace_hist, in, d);
	struct hist_row first = { .n_keys = 0 };
	struct str text = in->text;
	struct arena a = { 0 };
	struct str line;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		struct hist_row row;

		if (!hist_row_of(line, &row)) {
			hist_note(c, str_trim(line), region_line(in, n));
			if (hist_kind(line) == LINE_OTHER)
				unread_rows_count(c, &hist_lines, line, region_line(in, n));
			continue;
		}
		if (first.n_keys == 0) {
			first = row;
			hist_columns(c, &row, &a);
		}
		if (!hist_is_same(&first, &row) || !hist_add(c, &row, region_line(in, n)))
			diag_count(&c->diag, &hist_rows, region_line(in, n));
	}
	arena_fini(&a);
	return first.n_keys ? OK : fail(err, ERR_FORMAT, "no row of a histogram");
}

const struct format format_ftrace_hist = {
	.name = "ftrace-hist",
	.summary = "counts by key of ftrace's hist triggers",
	.kinds = KIND_METRICS,
	.probe = ftrace_hist_probe,
	.find = ftrace_hist_find,
	.read = ftrace_hist_read,
};
