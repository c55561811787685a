/* SPDX-License-Identifier: MIT */
#include "formats/perf_text/perf_table.h"

#include "core/ids.h"
#include "formats/perf_text/perf_table_part.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/perf_text/perf_header.h"
#include "formats/perf_text/perf_join.h"
#include "formats/perf_text/perf_line.h"
#include "formats/perf_text/perf_rows.h"
#include "formats/perf_text/perf_titles.h"
#include "formats/perf_text/perf_tree.h"

/* number of bytes that are read before the memory pages with them are released */
#define TABLE_RELEASE_BYTES (4u << 20)

const struct diag_kind perf_table_percent = {
	"perf-report-percentage-unread", DIAG_DATALOSS,
	"lines of a table that start with a percentage and are neither row nor branch"
};

static const struct diag_kind table_other = { "perf-report-other-line", DIAG_INFO,
					      "lines between rows that are not of the table" };

static const struct diag_kind table_past_limit = { "perf-report-too-many-tables", DIAG_DATALOSS,
						   "texts with more tables than are read" };

static const struct diag_kind table_tail = { "perf-report-tree-wrapped", DIAG_INFO,
					     "frames that a mailer pushed to the next line" };

static const struct diag_kind table_tail_lost = {
	"perf-report-tree-wrapped-lost", DIAG_DATALOSS,
	"lines of trees behind a branch that a mailer pushed to the next line"
};

uint32_t perf_table_line(const struct perf_table *t)
{
	return region_line(t->in, t->n);
}

/* The name at index @i in a list of event names: "a, b", or "anon group { a, b }". */
static struct str table_group_event(struct str event, unsigned int i)
{
	size_t brace = str_find_char(event, '{');

	if (brace < event.len)
		event = str_skip(event, brace + 1);
	event = str_sub(event, 0, str_find_char(event, '}'));
	for (; i && event.len; i--)
		event = str_skip(event, str_find_char(event, ',') + 1);
	return str_trim(str_sub(event, 0, str_find_char(event, ',')));
}

enum perf_column_kind perf_table_value_kind(const struct perf_table *t, unsigned int i)
{
	if (t->layout.n_percents)
		return t->layout.columns[t->layout.n_leading + i].kind;
	return t->n_values == 2 && i == 0 ? PERF_COL_CHILDREN : PERF_COL_SELF;
}

static void table_group_titles(struct perf_table *t)
{
	struct profile_table *out = &t->p->table;
	struct str event = strings_get(t->names->strings, t->p->event);

	for (unsigned int v = 0; v < t->n_values; v++) {
		for (unsigned int g = 1; g < t->n_group; g++) {
			struct str name = table_group_event(event, g);
			struct str title =
				t->layout.n_percents
					? t->layout.columns[t->layout.n_leading + v].title
					: STR("Overhead");
			struct out o;

			out_init(&o);
			if (name.len)
				out_printf(&o, STR_FMT " of " STR_FMT, STR_ARG(title),
					   STR_ARG(name));
			else
				out_printf(&o, STR_FMT " of event %u", STR_ARG(title), g + 1);
			*VEC_PUSH(&out->extra_columns) =
				strings_add(t->names->strings, out_view(&o));
			out_fini(&o);
		}
	}
	if (t->n_group > 1 && event.len) {
		capture_note(t->c, STR("events of the group"), event, perf_table_line(t));
		t->p->event = strings_add(t->names->strings, table_group_event(event, 0));
	}
}

void perf_table_settle(struct perf_table *t, const struct perf_row_text *row)
{
	struct profile_table *out = &t->p->table;

	t->has_layout = true;
	out->has_header = t->layout.has_titles;
	t->p->unit = WEIGHT_PERCENT;
	t->p->is_rounded = true;
	t->p->decimals = (uint8_t)row->percents[0].decimals;
	t->p->printed_decimals = t->p->decimals;
	/*
	 * In a table without titles, two percentages are Children and Self. Otherwise each
	 * percentage belongs to another event (--group)
	 */
	t->n_values = t->layout.n_percents;
	if (t->n_values == 0)
		t->n_values = row->n_percents == 2 ? 2 : 1;
	t->n_group = row->n_percents / t->n_values;
	if (t->n_group == 0)
		t->n_group = 1;
	for (unsigned int i = 0; i < t->layout.n_hierarchy; i++) {
		if (t->layout.hierarchy[i] == PERF_COL_EXTRA)
			*VEC_PUSH(&out->extra_columns) =
				strings_add(t->names->strings, t->layout.level_titles[i]);
	}
	for (unsigned int i = 0; !t->layout.n_hierarchy && i < t->layout.n; i++) {
		if (t->layout.columns[i].kind == PERF_COL_EXTRA)
			*VEC_PUSH(&out->extra_columns) =
				strings_add(t->names->strings, t->layout.columns[i].title);
	}
	if (t->n_group > 1)
		table_group_titles(t);
}

/*
 * Whether the branch on @line is the root of a tree whose row is not in the text. Authors cut a
 * report to the trees that matter: a blank line precedes such a root, and its share is no part of
 * the tree above.
 */
static bool table_is_root(const struct perf_table *t, struct str line)
{
	struct perf_percent percent;
	struct str s = line;
	size_t col = 0;

	if (!t->was_blank || t->is_tree_lost)
		return false;
	for (; s.len && (char_is_blank(s.p[0]) || s.p[0] == '|'); s = str_skip(s, 1))
		col = s.p[0] == '\t' ? (col | 7) + 1 : col + 1;
	/* a drawn branch starts at the column of its bar */
	col -= col && str_starts(s, STR("--"));
	while (s.len && (s.p[0] == '-' || s.p[0] == '+' || char_is_blank(s.p[0])))
		s = str_skip(s, 1);
	return perf_line_percent(&s, &percent) && !perf_tree_has_room(&t->tree, col, percent);
}

static void table_tree(struct perf_table *t, struct str line, enum perf_line kind)
{
	if (t->p->table.rows.len == 0 || (kind != PERF_LINE_FLAT && table_is_root(t, line)))
		perf_table_tree_row(t, line);
	if (t->p->table.rows.len == 0) {
		diag_count(&t->c->diag, &table_other, perf_table_line(t));
		return;
	}
	t->is_drawn = kind == PERF_LINE_TREE && t->mark_at < PERF_TREE_INDENT / 2;
	t->tree.line = perf_table_line(t);
	if (t->is_tree_lost) {
		diag_count(&t->c->diag, &table_tail_lost, perf_table_line(t));
		return;
	}
	switch (kind) {
	case PERF_LINE_FLAT:
		perf_tree_flat(&t->tree, line);
		break;
	case PERF_LINE_MARK:
	case PERF_LINE_PERCENT:
		perf_tree_tui(&t->tree, line);
		break;
	default:
		perf_tree_line(&t->tree, line);
		break;
	}
	t->after_tree = true;
	t->after_row = false;
	t->was_blank = false;
}

/* Read a line without marks, which follows a row or is inside a tree. */
static void table_plain(struct perf_table *t, struct str line)
{
	size_t indent = perf_line_column(line);

	if (t->p->table.rows.len && t->after_tree && perf_tree_takes(&t->tree, indent)) {
		t->tree.line = perf_table_line(t);
		if (t->tree.style == CHAIN_TUI)
			perf_tree_tui(&t->tree, line);
		else
			perf_tree_line(&t->tree, line);
		return;
	}
	if (t->after_tree && perf_tree_is_open(&t->tree) && perf_tree_append(&t->tree, line))
		return;
	if (t->after_row && t->is_open && indent >= 3 && indent > t->mark_at) {
		table_tree(t, line, PERF_LINE_MARK);
		return;
	}
	t->after_tree = false;
	t->after_row = false;
	diag_count(&t->c->diag, &table_other, perf_table_line(t));
}

/*
 * Read a line that starts with a percentage and words, but has no level marker ("[k]"). The line
 * may be a branch of a call tree, of perf's TUI or of -g folded. It may also be a row without a
 * marker, for one of three reasons: the table has titles, no row of the table has a marker, or a
 * mailer wrapped the row before the marker. Any other line is counted as unread.
 */
static void table_percent_line(struct perf_table *t, struct str line)
{
	struct perf_joined j = perf_join(line, PERF_LINE_PERCENT, t->text, &t->joined);
	bool is_branch = j.n_lines == 0 && (t->after_tree || t->after_row) && !t->was_blank &&
			 (perf_line_is_branch(line) || perf_line_is_folded(line, t->row_indent));

	if (!t->has_layout && !t->layout.has_titles)
		t->layout.has_bare = perf_row_is_bare(line, t->text);
	if (is_branch)
		table_tree(t, line, PERF_LINE_PERCENT);
	else if (t->layout.has_titles || j.n_lines || t->layout.has_bare)
		perf_table_row(t, line, PERF_LINE_PERCENT);
	else
		diag_count(&t->c->diag, &perf_table_percent, perf_table_line(t));
}

static void table_header(struct perf_table *t, struct str line, enum perf_line kind)
{
	struct str rest = t->text;
	struct str next;

	if (kind == PERF_LINE_TITLES) {
		(void)perf_titles_read(line, &t->layout);
		/* a mailer wrapped the titles: the other titles are on the next line */
		if (!t->layout.has_symbol && perf_line_next(&rest, &next) &&
		    perf_line_kind(next) == PERF_LINE_OTHER && str_trim(next).len < 40 &&
		    (str_starts(str_ltrim(next), STR("Symbol")) ||
		     str_starts(str_ltrim(next), STR("Shared O")) ||
		     str_starts(str_ltrim(next), STR("Command")))) {
			perf_titles_more(next, &t->layout);
			t->text = rest;
			t->n_next++;
		}
		return;
	}
	if (kind == PERF_LINE_RULER) {
		if (t->layout.has_titles)
			perf_titles_ruler(line, &t->layout);
		return;
	}
	if (kind == PERF_LINE_BANNER && perf_line_next(&rest, &next) &&
	    perf_header_goes_on(line, next)) {
		t->joined.len = 0;
		out_str(&t->joined, str_rtrim(line));
		out_char(&t->joined, ' ');
		out_str(&t->joined, str_trim(next));
		perf_header_read(t->c, out_view(&t->joined), perf_table_line(t));
		t->text = rest;
		t->n_next++;
		return;
	}
	perf_header_read(t->c, line, perf_table_line(t));
}

/*
 * Read @line, the second half of a long line of a drawn tree that a mailer wrapped. The first half
 * is t->last, which has only bars. The second half starts at the left margin:
 *
 *       |          |          |
 *     --12.5%--do_work
 *
 * A frame continues the innermost chain. A branch gets its column from the bars of t->before, the
 * line before the first half. False: @line is no second half.
 */
static bool table_tail_line(struct perf_table *t, struct str line, enum perf_line kind)
{
	struct str s = perf_line_ltrim(line);
	size_t bars, col;

	if (t->tree.open.len == 0 || s.len == 0 ||
	    (kind != PERF_LINE_TREE && kind != PERF_LINE_OTHER) ||
	    perf_line_column(line) >= PERF_TREE_INDENT)
		return false;
	bars = perf_line_bars(t->last);
	if (bars <= PERF_TREE_INDENT || perf_line_bars(line))
		return false;
	col = perf_line_bars(t->before);
	t->tree.line = perf_table_line(t);
	t->joined.len = 0;
	if (kind == PERF_LINE_OTHER) {
		if (str_find_char(str_trim(s), ' ') < str_trim(s).len)
			return false;
		col = t->tree.open.data[t->tree.open.len - 1].col + PERF_TREE_INDENT;
	} else if (col <= bars) {
		diag_count(&t->c->diag, &table_tail_lost, perf_table_line(t));
		t->is_tree_lost = true;
		return true;
	} else {
		col -= s.p[0] == '|';
	}
	out_repeat(&t->joined, ' ', col);
	out_str(&t->joined, s);
	perf_tree_line(&t->tree, out_view(&t->joined));
	diag_count(&t->c->diag, &table_tail, perf_table_line(t));
	return true;
}

static void table_one(struct perf_table *t, struct str line)
{
	enum perf_line kind;

	if (t->is_drawn && perf_line_is_deep(line)) {
		t->tree.line = perf_table_line(t);
		if (LIKELY(!t->is_tree_lost))
			perf_tree_line(&t->tree, line);
		else
			diag_count(&t->c->diag, &table_tail_lost, perf_table_line(t));
		return;
	}
	kind = perf_line_kind(line);
	if (t->after_tree && table_tail_line(t, line, kind))
		return;
	t->is_drawn = false;
	if (UNLIKELY(t->layout.n_leading && kind == PERF_LINE_OTHER &&
		     str_find_char(line, '%') < line.len &&
		     char_is_digit(line.p[perf_line_indent(line)])))
		kind = PERF_LINE_PERCENT;
	switch (kind) {
	case PERF_LINE_BLANK:
		if (t->was_blank)
			t->after_tree = false;
		t->was_blank = true;
		t->after_row = false;
		return;
	case PERF_LINE_ROW:
		perf_table_row(t, line, kind);
		break;
	case PERF_LINE_PERCENT:
		table_percent_line(t, line);
		break;
	case PERF_LINE_FLAT:
	case PERF_LINE_TREE:
	case PERF_LINE_MARK:
		table_tree(t, line, kind);
		break;
	case PERF_LINE_TITLES:
	case PERF_LINE_RULER:
	case PERF_LINE_BANNER:
	case PERF_LINE_COMMENT:
		table_header(t, line, kind);
		break;
	case PERF_LINE_LEVEL:
	case PERF_LINE_OTHER:
		table_plain(t, line);
		break;
	}
	t->was_blank = false;
}

static void table_lines(struct perf_table *t)
{
	struct str line;

	while (perf_line_next(&t->text, &line)) {
		t->n_next = t->n + 1;
		table_one(t, line);
		t->before = t->last;
		t->last = line;
		t->n = t->n_next;
		if (UNLIKELY((size_t)(line.p - t->released) > TABLE_RELEASE_BYTES)) {
			document_release(t->in->doc, line.p);
			t->released = line.p;
		}
	}
}

static uint64_t table_number(struct str s)
{
	uint64_t v = 0;

	s = str_trim(s);
	return str_u64(&s, &v) ? v : 0;
}

/*
 * Whether the percentages are shares of the total latency of all memory accesses. Otherwise, they
 * are shares of the number of accesses. perf mem uses the latency as weight
 * (tools/perf/builtin-report.c, --mem-mode). If the processor does not measure the latency, all
 * weights are 1.
 */
static bool table_is_latency(const struct perf_table *t)
{
	const struct profile_table *table = &t->p->table;
	const struct strings *strings = t->names->strings;
	bool is_memory = false;
	bool is_weighted = false;

	for (uint32_t i = 0; i < table->extra_columns.len; i++) {
		struct str title = strings_get(strings, table->extra_columns.data[i]);

		is_memory |= str_eq(title, STR("Memory access"));
		if (!str_eq(title, STR("Local Weight")) && !str_eq(title, STR("Weight")))
			continue;
		VEC_FOREACH (row, &table->rows) {
			if (is_weighted || row->extra == INDEX_NONE)
				continue;
			is_weighted =
				table_number(strings_get(
					strings, table->extra_cells.data[row->extra + i])) > 1;
		}
	}
	if (t->p->has_n_samples)
		is_weighted |= table_number(capture_note_of(t->c, STR("Total weight"))) >
			       2 * (t->p->n_samples + t->p->n_samples_err);
	return is_memory && is_weighted;
}

/*
 * Read one table of @in. @text: the lines of the table. *@n: number of the first line of @text,
 * counted in @in; after the call, number of the line after the table. False: the table has no row.
 */
static bool table_read(const struct format *f, const struct region *in, struct str text,
		       uint32_t *n, struct perf_names *names, struct dossier *d)
{
	struct region part = *in;
	struct perf_table t = { .in = in, .text = text, .n = *n, .names = names };
	bool has_rows;

	part.text = text;
	part.first_line = in->first_line + *n;
	part.n_lines = 0;
	t.c = format_add_capture(f, &part, d);
	t.p = capture_profile(t.c);
	t.tree.capture = t.c;
	t.tree.names = names;
	t.released = text.p;
	out_init(&t.joined);
	table_lines(&t);
	perf_tree_finish(&t.tree);
	has_rows = t.p->table.rows.len > 0;
	t.p->is_latency = table_is_latency(&t);
	t.c->first_line = region_line(in, *n);
	t.c->last_line = region_line(in, t.n ? t.n - 1 : 0);
	*n = t.n;
	perf_tree_fini(&t.tree);
	out_fini(&t.joined);
	if (!has_rows)
		dossier_drop_last(d);
	return has_rows;
}

int perf_table_read(const struct format *f, const struct region *in, struct dossier *d,
		    struct error *err)
{
	struct perf_names *names = xcalloc(1, sizeof(*names));
	struct perf_extent e;
	uint32_t n = 0;
	size_t at = 0;
	size_t n_read = 0;

	names->strings = &d->strings;
	while (at < in->text.len && n_read < LIMIT_REGIONS && perf_table_find(in->text, at, &e)) {
		struct str before = str_sub(in->text, at, e.from);
		struct str line;

		while (str_line(&before, &line))
			n++;
		n_read += table_read(f, in, str_sub(in->text, e.from, e.to), &n, names, d);
		at = e.to;
	}
	if (n_read == LIMIT_REGIONS && at < in->text.len)
		diag_count(&d->captures.data[d->captures.len - 1]->diag, &table_past_limit,
			   region_line(in, n));
	free(names);
	return n_read ? OK : fail(err, ERR_FORMAT, "no perf table row found");
}
