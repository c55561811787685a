/* SPDX-License-Identifier: MIT */
/* perf_table_row.c - read one row of a table of perf report: cells, weight, symbol, samples */
#include "formats/perf_text/perf_table_part.h"

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
#include "formats/perf_text/perf_join.h"
#include "formats/perf_text/perf_line.h"
#include "formats/perf_text/perf_rows.h"
#include "formats/perf_text/perf_titles.h"
#include "formats/perf_text/perf_tree.h"

static const struct diag_kind table_truncated = { "perf-report-row-truncated", DIAG_DATALOSS,
						  "rows that are cut before or in the symbol" };

static const struct diag_kind table_joined = { "perf-joined-rows", DIAG_INFO,
					       "rows that stood on the line of another one" };

static const struct diag_kind table_wrapped = { "perf-report-row-wrapped", DIAG_INFO,
						"rows that were joined from several lines" };

static const struct diag_kind table_remark = { "perf-report-remark", DIAG_INFO,
					       "rows with words behind the symbol" };

static const struct diag_kind table_no_row = {
	"perf-report-tree-without-row", DIAG_INFO,
	"call trees without their row: the first function is the row"
};

static const struct diag_kind table_too_many = { "perf-report-too-many-rows", DIAG_DATALOSS,
						 "rows past the limit" };

static const struct diag_kind table_decimals = {
	"perf-report-mixed-decimals", DIAG_INFO,
	"rows printed with another number of decimals than the first"
};

static const struct diag_kind table_group = { "perf-report-hierarchy-group", DIAG_INFO,
					      "rows of a hierarchy that sum up rows below them" };

static str_id table_percent_cell(struct perf_table *t, const struct perf_row_text *text,
				 unsigned int i)
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

static void table_cells(struct perf_table *t, struct profile_row *row,
			const struct perf_row_text *text)
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

static void table_weight(struct perf_table *t, struct profile_row *row, enum perf_column_kind kind,
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

static void table_weights(struct perf_table *t, struct profile_row *row,
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
	/* without titles, the number of percentages may differ from row to row */
	if (!t->layout.has_titles && text->n_percents != t->n_values * t->n_group) {
		if (text->n_percents == 2)
			table_weight(t, row, PERF_COL_CHILDREN, text->percents[0]);
		table_weight(t, row, PERF_COL_SELF, text->percents[text->n_percents == 2]);
		return;
	}
	for (unsigned int v = 0; v < t->n_values && v * t->n_group < text->n_percents; v++)
		table_weight(t, row, perf_table_value_kind(t, v), text->percents[v * t->n_group]);
}

/*
 * The symbol space (kernel, user, JIT, ...) of the module @dso. The result is cached, because a
 * table has few modules.
 */
static enum symbol_space table_space(struct perf_table *t, str_id id, struct str dso)
{
	struct perf_table_space *slot = &t->spaces[id.v % PERF_TABLE_SPACES];

	if (slot->dso.v != id.v)
		*slot = (struct perf_table_space){ id, symbol_space_of_module(dso) };
	return slot->space;
}

static void table_symbol(struct perf_table *t, struct profile_row *row,
			 const struct perf_row_text *text)
{
	struct symbols *symbols = capture_symbols(t->c);
	enum symbol_space space = SPACE_UNKNOWN;

	row->level = text->level;
	if (text->dso.len)
		space = table_space(t, row->dso, text->dso);
	/*
	 * The DSO shows the space more exactly for BPF, vDSO and JIT code, so it comes first.
	 * Otherwise the level marker ("[k]", "[.]") shows kernel or user
	 */
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

static bool table_add(struct perf_table *t, const struct perf_row_text *text)
{
	struct profile_table *out = &t->p->table;
	struct profile_row *row;

	if (!t->has_layout)
		perf_table_settle(t, text);
	if (out->rows.len >= LIMIT_ROWS) {
		diag_count(&t->c->diag, &table_too_many, perf_table_line(t));
		return false;
	}
	row = VEC_PUSH(&out->rows);
	*row = (struct profile_row){
		.samples = text->samples,
		.period = text->period,
		.pid = text->pid,
		.cpu = text->cpu,
		.line = perf_table_line(t),
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

static void table_level(struct perf_table *t, struct perf_row_text *text, unsigned int depth,
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
 * Read a line of a report of --hierarchy. Each line has one name; the names of outer levels start
 * further left. True: the line is an outer level, the sum of the lines below it. False: the line is
 * a row, and @text got the names of its outer levels.
 */
static bool table_hierarchy(struct perf_table *t, struct perf_row_text *text)
{
	struct str name = text->level == ' ' ? text->cells[t->layout.n_percents] : STR_NONE;
	unsigned int last = t->layout.n_hierarchy - 1;

	while (t->n_levels && t->levels[t->n_levels - 1].col >= text->name_at)
		t->n_levels--;
	if (t->n_levels < last && text->level == ' ') {
		t->levels[t->n_levels].col = text->name_at;
		t->levels[t->n_levels].name = strings_add(t->names->strings, name);
		t->n_levels++;
		diag_count(&t->c->diag, &table_group, perf_table_line(t));
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
 * Offset in @line of a second row, which has a percentage and a level marker ("[k]"), if a mailer
 * joined two rows; otherwise line.len. @text: the first row.
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

/* Add the row in @line. If a mailer joined several rows on the line, add each of them. */
static void table_rows(struct perf_table *t, struct str line)
{
	while (line.len) {
		struct perf_row_text text;
		size_t second;

		text.samples = text.period = 0;
		text.pid = text.cpu = 0;
		if (!perf_row_parse(line, &t->layout, &text)) {
			diag_count(&t->c->diag, &perf_table_percent, perf_table_line(t));
			return;
		}
		second = table_second(line, &text);
		if (second < line.len) {
			diag_count(&t->c->diag, &table_joined, perf_table_line(t));
			if (!perf_row_parse(str_sub(line, 0, second), &t->layout, &text))
				return;
		}
		if (!(t->layout.n_hierarchy && table_hierarchy(t, &text)))
			(void)table_add(t, &text);
		t->after_tree = false;
		line = str_skip(line, second);
	}
}

void perf_table_row(struct perf_table *t, struct str line, enum perf_line kind)
{
	struct perf_joined j = perf_join(line, kind, t->text, &t->joined);

	if (j.n_lines) {
		diag_count(&t->c->diag, &table_wrapped, perf_table_line(t));
		t->text = str_skip(t->text, j.bytes);
		t->n_next += j.n_lines;
	}
	if (!t->has_layout && !t->layout.has_titles)
		perf_row_sniff((struct str){ line.p, line.len + t->text.len }, &t->layout);
	table_rows(t, j.line);
}

void perf_table_tree_row(struct perf_table *t, struct str line)
{
	struct perf_row_text text = { .level = ' ', .mark = ' ' };
	uint16_t columns = t->p->table.columns;
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
	row->children = perf_tree_units(t->p, text.percents[0]);
	row->self = 0;
	row->has = (uint16_t)((row->has & ~ROW_HAS_SELF) | ROW_HAS_CHILDREN);
	t->p->table.columns = columns | row->has;
	diag_count(&t->c->diag, &table_no_row, row->line);
}
