/* SPDX-License-Identifier: MIT */
#include "formats/perf_text/perf_table.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/ids.h"
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

/* Interval at which processed pages are released. */
#define TABLE_RELEASE_BYTES (4u << 20)

static const struct diag_kind table_truncated = { "perf-report-row-truncated", DIAG_DATALOSS,
						  "rows that are cut before or in the symbol" };
static const struct diag_kind table_joined = { "perf-joined-rows", DIAG_INFO,
					       "rows that stood on the line of another one" };
static const struct diag_kind table_wrapped = { "perf-report-row-wrapped", DIAG_INFO,
						"rows that were joined from several lines" };
static const struct diag_kind table_remark = { "perf-report-remark", DIAG_INFO,
					       "rows with words behind the symbol" };
static const struct diag_kind table_percent = {
	"perf-report-percentage-unread", DIAG_DATALOSS,
	"lines of a table that start with a percentage and are neither row nor branch"
};
static const struct diag_kind table_other = { "perf-report-other-line", DIAG_INFO,
					      "lines between rows that are not of the table" };
static const struct diag_kind table_no_row = { "perf-report-tree-without-row", DIAG_DATALOSS,
					       "call trees whose row is lost" };
static const struct diag_kind table_too_many = { "perf-report-too-many-rows", DIAG_DATALOSS,
						 "rows past the limit" };
static const struct diag_kind table_past_limit = { "perf-report-too-many-tables", DIAG_DATALOSS,
						   "texts with more tables than are read" };
static const struct diag_kind table_decimals = {
	"perf-report-mixed-decimals", DIAG_INFO,
	"rows printed with another number of decimals than the first"
};
static const struct diag_kind table_tail = { "perf-report-tree-wrapped", DIAG_INFO,
					     "frames that a mailer pushed to the next line" };
static const struct diag_kind table_tail_lost = {
	"perf-report-tree-wrapped-lost", DIAG_DATALOSS,
	"lines of trees behind a branch that a mailer pushed to the next line"
};
static const struct diag_kind table_group = { "perf-report-hierarchy-group", DIAG_INFO,
					      "rows of a hierarchy that sum up rows below them" };

#define TABLE_SPACES 64u

struct table_space {
	str_id dso;
	enum symbol_space space;
};

struct table {
	const struct region *in;
	struct str text; /* the remaining lines */
	uint32_t n;      /* number of the current line in the region */
	uint32_t n_next; /* number of the next line */
	struct capture *c;
	struct profile *p;
	struct perf_layout layout;
	struct perf_names *names; /* borrowed */
	struct perf_tree tree;
	struct out joined;
	const char *released;
	bool has_layout; /* set at the first row */
	bool was_blank;
	bool after_row;        /* the previous line was a row */
	bool is_drawn;         /* its tree is drawn with | and -- */
	bool after_tree;       /* the previous line was part of a tree */
	unsigned int n_group;  /* events of --group */
	unsigned int n_values; /* percentages of one event: 1 or 2 */
	struct {
		uint32_t col;
		str_id name;
	} levels[PERF_HIERARCHY]; /* groups of a hierarchy that contain the current line */
	unsigned int n_levels;
	bool is_tree_lost; /* the parent of further tree lines is unknown */
	struct str last;   /* the previous line */
	struct str before; /* the line before `last` */
	struct table_space spaces[TABLE_SPACES];
	bool is_open; /* the last row has the mark of an expanded tree */
	uint32_t mark_at;
	uint32_t row_indent; /* of the last row with a level marker; 0: none */
};

static uint32_t table_line(const struct table *t)
{
	return region_line(t->in, t->n);
}

/* Name @i (from 0) of the events in "anon group { a, b }" or "a, b". */
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

/* Kind of column @i of percentages. */
static enum perf_column_kind table_value_kind(const struct table *t, unsigned int i)
{
	if (t->layout.n_percents)
		return t->layout.columns[t->layout.n_leading + i].kind;
	return t->n_values == 2 && i == 0 ? PERF_COL_CHILDREN : PERF_COL_SELF;
}

static void table_group_titles(struct table *t)
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
		capture_note(t->c, STR("events of the group"), event, table_line(t));
		t->p->event = strings_add(t->names->strings, table_group_event(event, 0));
	}
}

/* Set the columns from the titles or the first row; called once, at the first row. */
static void table_settle(struct table *t, const struct perf_row_text *row)
{
	struct profile_table *out = &t->p->table;

	t->has_layout = true;
	out->has_header = t->layout.has_titles;
	t->p->unit = WEIGHT_PERCENT;
	t->p->is_rounded = true;
	t->p->decimals = (uint8_t)row->percents[0].decimals;
	t->p->printed_decimals = t->p->decimals;
	/* without titles, two percentages are Children and Self; more are a group */
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

static str_id table_percent_cell(struct table *t, const struct perf_row_text *text, unsigned int i)
{
	struct out o;
	str_id id;

	if (i >= text->n_percents)
		return STR_ID_NONE;
	out_init(&o);
	out_fixed(&o, (int64_t)text->percents[i].units, text->percents[i].decimals);
	out_char(&o, '%');
	id = strings_add(t->names->strings, out_view(&o));
	out_fini(&o);
	return id;
}

static void table_cells(struct table *t, struct profile_row *row, const struct perf_row_text *text)
{
	struct profile_table *out = &t->p->table;
	unsigned int first = t->layout.n_leading;

	if (out->extra_columns.len == 0)
		return;
	row->extra = (uint32_t)out->extra_cells.len;
	for (unsigned int i = 0; i < t->layout.n_hierarchy; i++) {
		if (t->layout.hierarchy[i] == PERF_COL_EXTRA)
			*VEC_PUSH(&out->extra_cells) =
				perf_names_add(t->names, text->cells[PERF_COLUMNS - 1 - i]);
	}
	for (unsigned int i = 0; !t->layout.n_hierarchy && i < t->layout.n; i++) {
		str_id cell;

		if (t->layout.columns[i].kind != PERF_COL_EXTRA)
			continue;
		if (i >= first && i < first + t->layout.n_percents)
			cell = table_percent_cell(t, text, (i - first) * t->n_group);
		else
			cell = perf_names_add(t->names, text->cells[i]);
		*VEC_PUSH(&out->extra_cells) = cell;
	}
	for (unsigned int v = 0; v < t->n_values; v++) {
		for (unsigned int g = 1; g < t->n_group; g++)
			*VEC_PUSH(&out->extra_cells) =
				table_percent_cell(t, text, v * t->n_group + g);
	}
}

static void table_weight(struct table *t, struct profile_row *row, enum perf_column_kind kind,
			 struct perf_percent percent)
{
	uint64_t units = perf_tree_units(t->p, percent);

	if (kind == PERF_COL_CHILDREN) {
		row->children = units;
		row->has |= ROW_HAS_CHILDREN;
	} else if (kind == PERF_COL_SELF) {
		row->self = units;
		row->has |= ROW_HAS_SELF;
	}
}

static void table_weights(struct table *t, struct profile_row *row,
			  const struct perf_row_text *text)
{
	for (unsigned int i = 0; i < text->n_percents; i++) {
		if (LIKELY(text->percents[i].decimals == t->p->printed_decimals))
			continue;
		diag_count(&t->c->diag, &table_decimals, row->line);
		if (text->percents[i].decimals < t->p->printed_decimals)
			t->p->printed_decimals = (uint8_t)text->percents[i].decimals;
		break;
	}
	/* rows with another number of percentages than the first, and no titles */
	if (!t->layout.has_titles && text->n_percents != t->n_values * t->n_group) {
		if (text->n_percents == 2)
			table_weight(t, row, PERF_COL_CHILDREN, text->percents[0]);
		table_weight(t, row, PERF_COL_SELF, text->percents[text->n_percents == 2]);
		return;
	}
	for (unsigned int v = 0; v < t->n_values && v * t->n_group < text->n_percents; v++)
		table_weight(t, row, table_value_kind(t, v), text->percents[v * t->n_group]);
}

/* The space of a module, cached: a table has few modules. */
static enum symbol_space table_space(struct table *t, str_id id, struct str dso)
{
	struct table_space *slot = &t->spaces[id.v % TABLE_SPACES];

	if (slot->dso.v != id.v)
		*slot = (struct table_space){ id, symbol_space_of_module(dso) };
	return slot->space;
}

static void table_symbol(struct table *t, struct profile_row *row, const struct perf_row_text *text)
{
	struct symbols *symbols = capture_symbols(t->c);
	enum symbol_space space = SPACE_UNKNOWN;

	row->level = text->level;
	if (text->dso.len)
		space = table_space(t, row->dso, text->dso);
	/* for BPF, vDSO or JIT code the DSO is more precise than the level */
	if (space == SPACE_UNKNOWN || (space == SPACE_KERNEL && text->level != ' ')) {
		enum symbol_space of_level = symbol_space_of_level(text->level);

		space = of_level != SPACE_UNKNOWN ? of_level : space;
	}
	if (space == SPACE_KERNEL && str_starts(text->symbol, STR("bpf_prog_")) &&
	    str_starts(text->dso, STR("bpf_")))
		space = SPACE_BPF;
	if (text->symbol.len)
		row->sym = symbols_add(symbols, perf_names_symbol(t->names, text->symbol), row->dso,
				       space);
}

static bool table_add(struct table *t, const struct perf_row_text *text)
{
	struct profile_table *out = &t->p->table;
	struct profile_row *row;

	if (!t->has_layout)
		table_settle(t, text);
	if (out->rows.len >= LIMIT_ROWS) {
		diag_count(&t->c->diag, &table_too_many, table_line(t));
		return false;
	}
	row = VEC_PUSH(&out->rows);
	*row = (struct profile_row){
		.samples = text->samples,
		.period = text->period,
		.pid = text->pid,
		.cpu = text->cpu,
		.line = table_line(t),
		.tree = INDEX_NONE,
		.extra = INDEX_NONE,
		.has = text->has,
	};
	row->comm = perf_names_add(t->names, text->comm);
	row->dso = perf_names_add(t->names, text->dso);
	if (row->comm.v)
		row->has |= ROW_HAS_COMM;
	if (row->dso.v)
		row->has |= ROW_HAS_DSO;
	table_weights(t, row, text);
	table_symbol(t, row, text);
	table_cells(t, row, text);
	if (text->has_open_symbol) {
		row->is_truncated = true;
		diag_count(&t->c->diag, &table_truncated, row->line);
	}
	if (text->remark.len)
		diag_count(&t->c->diag, &table_remark, row->line);
	out->columns |= row->has;
	perf_tree_start(&t->tree, (uint32_t)out->rows.len - 1);
	t->is_tree_lost = false;
	t->is_open = text->mark == '-';
	t->mark_at = text->mark_at;
	t->row_indent = text->level != ' ' ? text->mark_at : 0;
	t->after_row = true;
	return true;
}

static void table_level(struct table *t, struct perf_row_text *text, unsigned int depth,
			struct str name)
{
	switch (t->layout.hierarchy[depth]) {
	case PERF_COL_COMM:
		text->comm = name;
		break;
	case PERF_COL_DSO:
		text->dso = name;
		break;
	case PERF_COL_SYMBOL:
		if (text->level == ' ')
			text->symbol = name;
		text->has |= text->symbol.len ? ROW_HAS_SYMBOL : 0;
		break;
	default:
		text->cells[PERF_COLUMNS - 1 - depth] = name;
		break;
	}
}

/*
 * A line of --hierarchy: names of outer levels stand further left. True: it sums up lines below
 * it and is no row. False: @text gets the outer names.
 */
static bool table_hierarchy(struct table *t, struct perf_row_text *text)
{
	struct str name = text->level == ' ' ? text->cells[t->layout.n_percents] : STR_NONE;
	unsigned int last = t->layout.n_hierarchy - 1;

	while (t->n_levels && t->levels[t->n_levels - 1].col >= text->name_at)
		t->n_levels--;
	if (t->n_levels < last && text->level == ' ') {
		t->levels[t->n_levels].col = text->name_at;
		t->levels[t->n_levels].name = strings_add(t->names->strings, name);
		t->n_levels++;
		diag_count(&t->c->diag, &table_group, table_line(t));
		return true;
	}
	for (unsigned int i = 0; i <= last; i++)
		text->cells[PERF_COLUMNS - 1 - i] = STR_NONE;
	for (unsigned int i = 0; i < t->n_levels && i < last; i++)
		table_level(t, text, i, strings_get(t->names->strings, t->levels[i].name));
	table_level(t, text, last, name);
	return false;
}

/*
 * Start of a second row in @line after the row @text: mailers that reflow text join two rows.
 * It is a percentage and a level marker after the first marker; @line.len: no second row. Cost:
 * a look at the symbol if it has no blank.
 */
static size_t table_second(struct str line, const struct perf_row_text *text)
{
	size_t level, at;

	if (text->level == ' ' ||
	    (text->remark.len == 0 && str_find_char(text->symbol, ' ') == text->symbol.len))
		return line.len;
	level = perf_line_level(line, 0);
	at = perf_line_level(line, level + 3);
	if (at >= line.len)
		return line.len;
	at = str_rfind_char(str_sub(line, 0, at), '%');
	while (at > level && at < line.len && !char_is_blank(line.p[at - 1]))
		at--;
	return at > level + 3 && at < line.len && char_is_digit(line.p[at]) ? at : line.len;
}

/* The rows of @line: one, unless a mailer joined several. */
static void table_rows(struct table *t, struct str line)
{
	while (line.len) {
		struct perf_row_text text;
		size_t second;

		text.samples = text.period = 0;
		text.pid = text.cpu = 0;
		if (!perf_row_parse(line, &t->layout, &text)) {
			diag_count(&t->c->diag, &table_percent, table_line(t));
			return;
		}
		second = table_second(line, &text);
		if (second < line.len) {
			diag_count(&t->c->diag, &table_joined, table_line(t));
			if (!perf_row_parse(str_sub(line, 0, second), &t->layout, &text))
				return;
		}
		if (!(t->layout.n_hierarchy && table_hierarchy(t, &text)))
			(void)table_add(t, &text);
		t->after_tree = false;
		line = str_skip(line, second);
	}
}

static void table_row(struct table *t, struct str line, enum perf_line kind)
{
	struct perf_joined j = perf_join(line, kind, t->text, &t->joined);

	if (j.n_lines) {
		diag_count(&t->c->diag, &table_wrapped, table_line(t));
		t->text = str_skip(t->text, j.bytes);
		t->n_next += j.n_lines;
	}
	if (!t->has_layout && !t->layout.has_titles)
		perf_row_sniff((struct str){ line.p, line.len + t->text.len }, &t->layout);
	table_rows(t, j.line);
}

/* A tree without its row: make a row of its first frame. */
static void table_tree_row(struct table *t, struct str line)
{
	struct perf_row_text text = { .level = ' ', .mark = ' ' };
	struct str s = line;
	struct profile_row *row;

	while (s.len && !char_is_digit(s.p[0]))
		s = str_skip(s, 1);
	if (!perf_line_percent(&s, &text.percents[0]))
		return;
	text.n_percents = 1;
	while (s.len && (s.p[0] == '-' || char_is_blank(s.p[0])))
		s = str_skip(s, 1);
	text.symbol = str_trim(s);
	text.has = ROW_HAS_SYMBOL;
	if (!table_add(t, &text))
		return;
	row = &t->p->table.rows.data[t->p->table.rows.len - 1];
	row->children = row->self;
	row->self = 0;
	row->has = (uint16_t)((row->has & ~ROW_HAS_SELF) | ROW_HAS_CHILDREN);
	t->p->table.columns = (uint16_t)((t->p->table.columns & ~ROW_HAS_SELF) | row->has);
	row->is_truncated = true;
	diag_count(&t->c->diag, &table_no_row, row->line);
}

static void table_tree(struct table *t, struct str line, enum perf_line kind)
{
	if (t->p->table.rows.len == 0)
		table_tree_row(t, line);
	if (t->p->table.rows.len == 0) {
		diag_count(&t->c->diag, &table_other, table_line(t));
		return;
	}
	t->is_drawn = kind == PERF_LINE_TREE && t->mark_at < PERF_TREE_INDENT / 2;
	t->tree.line = table_line(t);
	if (t->is_tree_lost) {
		diag_count(&t->c->diag, &table_tail_lost, table_line(t));
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

/* A plain line after a row or in a tree. */
static void table_plain(struct table *t, struct str line)
{
	size_t indent = perf_line_column(line);

	if (t->p->table.rows.len && t->after_tree && perf_tree_takes(&t->tree, indent)) {
		t->tree.line = table_line(t);
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
	diag_count(&t->c->diag, &table_other, table_line(t));
}

/* A percentage and words: a row of a table with titles, or a branch of the TUI. */
static void table_percent_line(struct table *t, struct str line)
{
	struct perf_joined j = perf_join(line, PERF_LINE_PERCENT, t->text, &t->joined);
	bool is_branch = j.n_lines == 0 && (t->after_tree || t->after_row) && !t->was_blank &&
			 (perf_line_is_branch(line) || perf_line_is_folded(line, t->row_indent));

	if (!t->has_layout && !t->layout.has_titles)
		t->layout.has_bare = perf_row_is_bare(line, t->text);
	if (is_branch)
		table_tree(t, line, PERF_LINE_PERCENT);
	else if (t->layout.has_titles || j.n_lines || t->layout.has_bare)
		table_row(t, line, PERF_LINE_PERCENT);
	else
		diag_count(&t->c->diag, &table_percent, table_line(t));
}

static void table_header(struct table *t, struct str line, enum perf_line kind)
{
	struct str rest = t->text;
	struct str next;

	if (kind == PERF_LINE_TITLES) {
		(void)perf_titles_read(line, &t->layout);
		/* wrapped titles: the next line has titles too */
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
		perf_header_read(t->c, out_view(&t->joined), table_line(t));
		t->text = rest;
		t->n_next++;
		return;
	}
	perf_header_read(t->c, line, table_line(t));
}

/*
 * The end of a deep line of a drawn tree, wrapped to the margin by a mailer; its bars are the
 * previous line. A frame continues the innermost chain. A branch belongs to the bar that only
 * the spacer line before it shows.
 */
static bool table_tail_line(struct table *t, struct str line, enum perf_line kind)
{
	size_t bars = perf_line_column(line) < PERF_TREE_INDENT ? perf_line_bars(t->last) : 0;
	struct str s = perf_line_ltrim(line);
	size_t col = perf_line_bars(t->before);

	if (bars <= PERF_TREE_INDENT || t->tree.open.len == 0 || s.len == 0 ||
	    (kind != PERF_LINE_TREE && kind != PERF_LINE_OTHER) || perf_line_bars(line))
		return false;
	t->tree.line = table_line(t);
	t->joined.len = 0;
	if (kind == PERF_LINE_OTHER) {
		if (str_find_char(str_trim(s), ' ') < str_trim(s).len)
			return false;
		col = t->tree.open.data[t->tree.open.len - 1].col + PERF_TREE_INDENT;
	} else if (col <= bars) {
		diag_count(&t->c->diag, &table_tail_lost, table_line(t));
		t->is_tree_lost = true;
		return true;
	} else {
		col -= s.p[0] == '|';
	}
	out_repeat(&t->joined, ' ', col);
	out_str(&t->joined, s);
	perf_tree_line(&t->tree, out_view(&t->joined));
	diag_count(&t->c->diag, &table_tail, table_line(t));
	return true;
}

static void table_one(struct table *t, struct str line)
{
	enum perf_line kind;

	if (t->is_drawn && perf_line_is_deep(line)) {
		t->tree.line = table_line(t);
		if (LIKELY(!t->is_tree_lost))
			perf_tree_line(&t->tree, line);
		else
			diag_count(&t->c->diag, &table_tail_lost, table_line(t));
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
		table_row(t, line, kind);
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

static void table_lines(struct table *t)
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

/* One table of the region: its lines are @text, the first one is line @n of the region. */
static bool table_read(const struct format *f, const struct region *in, struct str text,
		       uint32_t *n, struct perf_names *names, struct dossier *d)
{
	struct region part = *in;
	struct table t = { .in = in, .text = text, .n = *n, .names = names };
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
