/* SPDX-License-Identifier: MIT */
/*
 * perf_diff.c - output of `perf diff`: shares of one profile, and their changes
 *
 * A row is "12.34% +1.50% [command] object [k] symbol". If the baseline is empty, the symbol is
 * only in the second profile. If the change is empty, it is only in the first. Mailers may wrap the
 * symbol. Ratios, weighted differences and cycles of blocks are not read. Definition:
 * tools/perf/builtin-diff.c of Linux.
 */
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/profile_rows.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "formats/tables/line_table.h"
#include "formats/tables/profile_pair.h"

DECLARE_FORMAT(perf_diff);

static const struct diag_kind diff_lines = { "perf-diff-lines", DIAG_DATALOSS,
					     "lines between rows that were not read" };
static const struct diag_kind diff_cut = { "perf-diff-cut", DIAG_DATALOSS,
					   "rows without a symbol" };

struct diff_row {
	double before; /* share in the first profile; < 0: the baseline is empty */
	double change;
	bool has_change;
	struct str dso;
	struct str symbol; /* empty: a mailer put the symbol on the next line */
	char level;
};

/*
 * Find "[k] symbol", the level and the symbol, at the end of @line. @ret_before: the text before
 * them. False: @line does not end with a level and a symbol.
 */
static bool diff_symbol(struct str line, struct str *ret_before, struct diff_row *row)
{
	for (size_t i = 0; i + 3 <= line.len; i++) {
		if (line.p[i] != '[' || line.p[i + 2] != ']' ||
		    (i && !char_is_blank(line.p[i - 1])) ||
		    (i + 3 < line.len && !char_is_blank(line.p[i + 3])))
			continue;
		row->level = line.p[i + 1];
		row->symbol = str_trim(str_skip(line, i + 3));
		*ret_before = str_trim(str_sub(line, 0, i));
		return true;
	}
	return false;
}

static bool diff_row_of(struct str line, struct diff_row *row)
{
	struct str rest = line;
	struct str before;
	struct str word;

	*row = (struct diff_row){ .before = -1, .level = ' ' };
	if (!line_table_percent(&rest, false, &row->before))
		row->before = -1;
	row->has_change = line_table_percent(&rest, true, &row->change);
	if ((row->before < 0 && !row->has_change) || row->before > 100 ||
	    (rest.len && !char_is_blank(rest.p[0])))
		return false;
	if (!diff_symbol(rest, &before, row))
		return false;
	/* reject blocks of perf diff -c cycles: "[div.c:40 -> div.c:42]" */
	if (str_contains(before, STR("->")))
		return false;
	while (str_word(&before, &word))
		row->dso = word; /* the word before the level is the object */
	return row->dso.len > 0;
}

static enum line_kind diff_kind(struct str line)
{
	struct str t = str_trim(line);
	struct diff_row row;

	if (str_starts(t, STR("#")))
		return (str_contains(t, STR("Baseline")) && str_contains(t, STR("Delta"))) ||
				       str_starts(t, STR("# Event '")) ||
				       str_starts(t, STR("# Data files:"))
			       ? LINE_HEAD
			       : LINE_BLANK;
	if (t.len == 0)
		return LINE_BLANK;
	if (!diff_row_of(line, &row))
		return LINE_OTHER;
	/*
	 * a row without a change is not accepted here, because perf report prints such rows, too;
	 * perf_diff_find() accepts them inside a table
	 */
	return row.has_change ? LINE_ROW : LINE_OTHER;
}

static const struct line_table diff_table = {
	.kind = diff_kind, .gap = 2, .min_rows = 3, .score = 98
};

static unsigned int perf_diff_probe(struct str head)
{
	return line_table_probe(&diff_table, head);
}

static bool perf_diff_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest;
	struct str line;
	bool wants_symbol = false;
	struct diff_row row;

	if (!line_table_find(&diff_table, text, from, ret))
		return false;
	/*
	 * Extend the table by lines that diff_kind() does not accept as rows: rows without a
	 * change, and lines with only a symbol, which belongs to the row before.
	 */
	rest = str_sub(text, ret->from, ret->to);
	while (str_line(&rest, &line))
		wants_symbol = diff_row_of(line, &row) && row.symbol.len == 0;
	rest = str_skip(text, ret->to);
	while (str_line(&rest, &line)) {
		bool is_row = diff_row_of(line, &row);
		struct str word = str_trim(line);

		if (word.len && !is_row && !(wants_symbol && str_find_char(word, ' ') == word.len))
			break;
		if (word.len)
			ret->to = text.len - rest.len;
		wants_symbol = is_row && row.symbol.len == 0;
	}
	return true;
}

static void diff_add(struct profile_pair *p, const struct diff_row *row, uint32_t line)
{
	struct capture *c = p->before;
	sym_id sym = symbols_add_text(capture_symbols(c), row->symbol, row->dso,
				      symbol_space_of_level(row->level), 0);
	str_id dso = strings_add(capture_strings(c), row->dso);
	double before = row->before < 0 ? 0 : row->before;

	if (row->symbol.len == 0) {
		diag_count(&c->diag, &diff_cut, line);
		return;
	}
	if (row->before >= 0)
		profile_rows_add(p->before, sym, dso, row->level, before, 0, ROW_HAS_SELF, line);
	if (row->has_change)
		profile_rows_add(p->after, sym, dso, row->level, before + row->change, 0,
				 ROW_HAS_SELF, line);
}

struct diff_reader {
	const struct region *in;
	struct dossier *d;
	/* captures of the current table; pair.before is NULL: no table has begun */
	struct profile_pair pair;
	struct diff_row row; /* the last row; its symbol may be on the next line */
	uint32_t line;
	bool has_row;
	size_t rows;
	struct str event; /* name of the event, "cycles"; empty: not printed */
};

/* Read "# Event 'cycles'". */
static void diff_event(struct diff_reader *r, struct str line)
{
	size_t quote;

	line = str_trim(line);
	if (!str_take(&line, STR("# Event '")))
		return;
	quote = str_rfind_char(line, '\'');
	r->event = str_sub(line, 0, quote);
}

static void diff_flush(struct diff_reader *r)
{
	if (!r->has_row)
		return;
	r->has_row = false;
	r->rows++;
	if (!r->pair.before) {
		profile_pair_begin(&r->pair, &format_perf_diff, r->in, r->d);
		r->pair.before->first_line = r->pair.after->first_line = r->line;
		if (r->event.len)
			r->pair.before->profile->event = r->pair.after->profile->event =
				strings_add(capture_strings(r->pair.before), r->event);
	}
	diff_add(&r->pair, &r->row, r->line);
	r->pair.before->last_line = r->pair.after->last_line = r->line;
}

/* Handle a line that is no row: the symbol of the last row, or text between two tables. */
static void diff_other(struct diff_reader *r, struct str line, uint32_t number)
{
	bool is_word = line.len && str_find_char(line, ' ') == line.len;

	if (line.len == 0 || line.p[0] == '#')
		return;
	if (r->has_row && r->row.symbol.len == 0 && is_word) {
		r->row.symbol = line;
		return;
	}
	diff_flush(r);
	if (r->pair.before && is_word)
		diag_count(&r->pair.before->diag, &diff_lines, number);
	else
		/* the line is prose, so the next row begins another table */
		r->pair.before = NULL;
}

static int perf_diff_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct diff_reader r = { .in = in, .d = d };
	struct str text = in->text;
	struct str line;

	for (uint32_t n = 0; str_line(&text, &line); n++) {
		struct diff_row next;

		if (!diff_row_of(line, &next)) {
			diff_event(&r, line);
			diff_other(&r, str_trim(line), region_line(in, n));
			continue;
		}
		diff_flush(&r);
		r.row = next;
		r.line = region_line(in, n);
		r.has_row = true;
	}
	diff_flush(&r);
	return r.rows ? OK : fail(err, ERR_FORMAT, "no row of perf diff");
}

const struct format format_perf_diff = {
	.name = "perf-diff",
	.summary = "two profiles compared, of perf diff",
	.kinds = KIND_PROFILE,
	.probe = perf_diff_probe,
	.find = perf_diff_find,
	.read = perf_diff_read,
};
