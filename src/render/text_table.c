/* SPDX-License-Identifier: MIT */
/*
 * text_table.c - tables and trees in text
 *
 * Rows are buffered until the table ends, because column widths depend on the content. At most
 * TEXT_WINDOW_ROWS rows are buffered: later rows are printed immediately, with the same widths. A
 * tree is buffered completely, because its branches depend on later rows. Empty columns are not
 * printed.
 */
#include "render/text_view.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/str.h"
#include "base/text/utf8.h"
#include "base/vec.h"
#include "core/names/arguments.h"
#include "core/names/package.h"
#include "render/view.h"

#include <math.h>

#define TEXT_BLOCK_GAP 4u
/*
 * Limits in percent for the colours of shares, as in perf: red from TEXT_RED_PCT, green from
 * TEXT_GREEN_PCT.
 */
#define TEXT_RED_PCT   5.0
#define TEXT_GREEN_PCT 0.5

bool text_cell_is_number(uint8_t kind)
{
	return kind == CELL_COUNT || kind == CELL_FIXED || kind == CELL_REAL || kind == CELL_NS ||
	       kind == CELL_LINE;
}

static double text_cell_share(struct cell c)
{
	if (c.kind == CELL_REAL)
		return c.d;
	if (c.kind == CELL_FIXED)
		return (double)c.i / pow(10, c.decimals);
	return NAN;
}

void text_table_begin(struct text_view *t, const struct view_table *def)
{
	struct text_table *tab = &t->table;

	tab->def = def;
	arena_clear(&tab->arena);
	tab->cells.len = 0;
	tab->rows.len = 0;
	tab->is_laid_out = false;
	tab->is_tree = false;
	tab->max_share = 0;
	tab->text.fd = -1;
	tab->line.fd = -1;
	tab->n_printed = 0;
	tab->n_slots = 0;
	for (unsigned int i = 0; i < def->n_columns; i++) {
		tab->is_tree |= (def->columns[i].flags & COLUMN_TREE) != 0;
		tab->slot[i] = def->columns[i].title ? tab->n_slots++ : VIEW_COLUMNS_MAX;
	}
}

static bool text_table_is_text(const struct text_table *tab)
{
	return !tab->def->is_json_only;
}

static bool text_cell_is_zero(struct cell c)
{
	return c.kind == CELL_REAL    ? fabs(c.d) < 1e-9
	       : c.kind == CELL_FIXED ? c.i == 0
				      : (c.kind == CELL_COUNT || c.kind == CELL_NS) && c.u == 0;
}

/*
 * Add a cell to the buffered row. A duration is stored as a number, because the layout chooses its
 * unit later.
 */
static void text_table_keep(struct text_view *t, struct cell c, unsigned int flags)
{
	struct text_cell *cell = VEC_PUSH(&t->table.cells);
	struct out *text = &t->table.text;

	*cell = (struct text_cell){ .kind = c.kind, .share = text_cell_share(c) };
	if ((flags & COLUMN_NO_ZERO) && text_cell_is_zero(c)) {
		cell->kind = CELL_NONE;
		return;
	}
	if (c.kind == CELL_NS) {
		cell->ns = c.u;
		return;
	}
	text->len = 0;
	text_cell_text(t, text, c, 0);
	cell->text = arena_str(&t->table.arena, out_view(text));
	cell->width = (uint32_t)utf8_width(cell->text);
}

static void text_table_flush(struct text_view *t);

static void text_table_stream(struct text_view *t, const struct cell *cells);

void text_table_row(struct text_view *t, const struct cell *cells, unsigned int depth)
{
	struct text_table *tab = &t->table;

	if (!text_table_is_text(tab))
		return;
	if (tab->is_laid_out && !t->side_by_side && !tab->is_tree) {
		text_table_stream(t, cells);
		return;
	}
	for (unsigned int i = 0; i < tab->def->n_columns; i++) {
		if (tab->def->columns[i].title)
			text_table_keep(t, cells[i], tab->def->columns[i].flags);
	}
	*VEC_PUSH(&tab->rows) = (struct text_row){ depth };
	if (tab->rows.len >= TEXT_WINDOW_ROWS && !t->side_by_side && !tab->is_tree)
		text_table_flush(t);
}

/* Print a bar for @share. The longest bar stands for the largest share in the table. */
static void text_bar(const struct text_view *t, struct out *out, double share)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	double part = isnan(share) || t->table.max_share <= 0 ? 0 : share / t->table.max_share;
	unsigned int eights = (unsigned int)(part * TEXT_BAR_CELLS * 8 + 0.5);

	for (unsigned int i = 0; i < eights / 8; i++)
		out_z(out, t->opt.has_utf8 ? "█" : "#");
	if (t->opt.has_utf8)
		out_z(out, eighths[eights % 8]);
}

static void text_table_bar(struct text_view *t, struct text_cell *c)
{
	struct out text = { .fd = -1 };

	text_bar(t, &text, c->share);
	c->text = arena_str(&t->table.arena, out_view(&text));
	c->width = (uint32_t)utf8_width(c->text);
	out_fini(&text);
}

/*
 * Shorten a C++ name: omit its argument list and, while it is wider than @width columns, also its
 * leading namespaces. Other texts are returned unchanged.
 */
static struct str text_short_name(struct text_view *t, struct str s, size_t width)
{
	struct out text = { .fd = -1 };
	struct str head;
	struct str rest;

	if (!arguments_shorten(s, /* is_name= */ true, "(…)", &text))
		goto end;
	s = arena_str(&t->table.arena, out_view(&text));
	while (utf8_width(s) > width) {
		rest = arguments_skip_namespace(s, &head);
		if (!rest.len)
			break;
		text.len = 0;
		out_printf(&text, STR_FMT STR_FMT, STR_ARG(head), STR_ARG(rest));
		s = arena_str(&t->table.arena, out_view(&text));
	}
end:
	out_fini(&text);
	return s;
}

/*
 * Truncate @s to @width columns. A name is truncated in the middle, because its start and end are
 * most important; with COLUMN_CODE in @flags, @s is truncated at the end.
 */
static struct str text_cut(struct text_view *t, struct str s, size_t width, unsigned int flags)
{
	size_t head = flags & COLUMN_CODE ? width - 1 : (width - 1) * 2 / 3;
	size_t tail = width - 1 - head;
	struct out text = { .fd = -1 };
	size_t i = 0;
	size_t j;
	struct str cut;

	/* first omit the packages of a Java name: its class and method are most important */
	if (!(flags & COLUMN_CODE))
		s = text_short_name(t, package_strip(s), width);
	if (utf8_width(s) <= width)
		return s;
	j = s.len;

	while (i < s.len && utf8_width(str_sub(s, 0, i)) < head)
		i += utf8_length(str_skip(s, i)) ? utf8_length(str_skip(s, i)) : 1;
	while (j > i && utf8_width(str_skip(s, j)) < tail) {
		do
			j--;
		while (j > i && ((unsigned char)s.p[j] & 0xc0) == 0x80);
	}
	out_str(&text, str_sub(s, 0, i));
	out_z(&text, t->opt.has_utf8 ? "…" : "~");
	out_str(&text, str_skip(s, j));
	cut = arena_str(&t->table.arena, out_view(&text));
	out_fini(&text);
	return cut;
}

static enum text_style text_heat(double pct)
{
	return pct >= TEXT_RED_PCT ? STYLE_RED : pct >= TEXT_GREEN_PCT ? STYLE_GREEN : STYLE_PLAIN;
}

static enum text_style text_cell_style(unsigned int flags, uint8_t kind, double share)
{
	if (flags & COLUMN_HEAT && !isnan(share))
		return text_heat(share);
	return kind == CELL_LINE || (flags & COLUMN_BAR) ? STYLE_DIM : STYLE_PLAIN;
}

static struct text_block *text_block_new(struct text_view *t)
{
	struct text_block *b = VEC_PUSH(&t->blocks);

	*b = (struct text_block){ .text = { .fd = -1 } };
	return b;
}

static void text_block_line(struct text_block *b, size_t from, size_t width)
{
	*VEC_PUSH(&b->lines) = (struct text_line){ from, b->text.len, width };
	if (width > b->width)
		b->width = width;
}

/*
 * Print one cell. *@owed: number of blanks to print before the next text. They are printed only
 * together with a text, so that no line ends with blanks.
 */
static void text_place(struct text_view *t, struct out *out, struct str text, size_t width,
		       unsigned int column, enum text_style style, size_t *at, size_t *owed)
{
	const struct text_table *tab = &t->table;
	size_t room = tab->widths[column];
	size_t pad = width < room ? room - width : 0;

	if (tab->is_right[column])
		*owed += pad;
	if (text.len) {
		out_repeat(out, ' ', *owed);
		*at += *owed + width;
		*owed = 0;
		text_view_styled(t, out, style, text);
	}
	if (!tab->is_right[column] || !text.len)
		*owed += tab->is_right[column] ? room - pad : pad;
	*owed += TEXT_GAP;
}

/* Number of lines that @title takes in its column. */
static size_t text_title_lines(const struct text_table *tab, struct str title, unsigned int column)
{
	size_t n = 0;

	for (; title.len; n++)
		text_table_title_part(&title, tab->widths[column]);
	return n;
}

/*
 * Print one line of the column titles: line @line of @n_lines. A title that needs fewer than
 * @n_lines lines is printed on the last of them.
 */
static void text_table_header_line(struct text_view *t, struct text_block *b, size_t line,
				   size_t n_lines)
{
	struct text_table *tab = &t->table;
	size_t from = b->text.len;
	size_t owed = TEXT_INDENT;
	size_t at = 0;

	for (unsigned int i = 0; i < tab->def->n_columns; i++) {
		struct out title = { .fd = -1 };
		struct str rest;
		struct str part = STR("");
		size_t first;

		if (!tab->is_shown[i])
			continue;
		text_table_title(t, i, &title);
		rest = out_view(&title);
		first = n_lines - text_title_lines(tab, rest, i);
		for (size_t k = first; k <= line; k++)
			part = text_table_title_part(&rest, tab->widths[i]);
		text_place(t, &b->text, part, utf8_width(part), i, STYLE_DIM, &at, &owed);
		out_fini(&title);
	}
	text_block_line(b, from, at);
}

static void text_table_header(struct text_view *t, struct text_block *b)
{
	struct text_table *tab = &t->table;
	size_t n_lines = 1;

	for (unsigned int i = 0; i < tab->def->n_columns; i++) {
		struct out title = { .fd = -1 };
		size_t n = 0;

		if (!tab->is_shown[i])
			continue;
		text_table_title(t, i, &title);
		n = text_title_lines(tab, out_view(&title), i);
		n_lines = n > n_lines ? n : n_lines;
		out_fini(&title);
	}
	for (size_t line = 0; line < n_lines; line++)
		text_table_header_line(t, b, line, n_lines);
}

static void text_table_line(struct text_view *t, struct text_block *b, size_t row)
{
	struct text_table *tab = &t->table;
	size_t from = b->text.len;
	size_t owed = TEXT_INDENT;
	size_t at = 0;

	for (unsigned int i = 0; i < tab->def->n_columns; i++) {
		struct text_cell *c;

		if (!tab->is_shown[i])
			continue;
		c = text_table_cell(tab, row, i);
		if (c->width > tab->widths[i] && (tab->def->columns[i].flags & COLUMN_FLEX) &&
		    t->opt.width) {
			c->text = text_cut(t, c->text, tab->widths[i], tab->def->columns[i].flags);
			c->width = (uint32_t)utf8_width(c->text);
		}
		text_place(t, &b->text, c->text, c->width, i,
			   text_cell_style(tab->def->columns[i].flags, c->kind, c->share), &at,
			   &owed);
	}
	text_block_line(b, from, at);
}

/* Whether @cell has the same text as the cell above it, in the previously printed line. */
static bool text_is_printed(const struct text_table *tab, const struct text_printed *before,
			    const struct cell *cell)
{
	const struct cell *c = &before->cell;

	if (c->kind != cell->kind)
		return false;
	if (cell->kind == CELL_NONE || cell->kind == CELL_NULL)
		return true;
	/* the strings of the previous row may have been freed: compare with the printed text */
	if (cell->kind == CELL_TEXT || cell->kind == CELL_WORD)
		return before->from != SIZE_MAX && c->s.len == cell->s.len &&
		       (cell->s.len == 0 ||
			memcmp(tab->line.data + before->from, cell->s.p, cell->s.len) == 0);
	if (cell->kind == CELL_BOOL)
		return c->b == cell->b;
	return c->u == cell->u && c->decimals == cell->decimals && c->shown == cell->shown;
}

static void text_stream_cell(struct text_view *t, struct cell c, unsigned int i, size_t *owed)
{
	struct text_table *tab = &t->table;
	unsigned int flags = tab->def->columns[i].flags;
	bool is_none = (flags & COLUMN_NO_ZERO) && text_cell_is_zero(c);
	enum text_style style;
	double share = NAN;
	struct str text;
	size_t width;
	size_t at = 0;

	tab->text.len = 0;
	if (flags & (COLUMN_HEAT | COLUMN_BAR))
		share = text_cell_share(c);
	if (flags & COLUMN_BAR)
		text_bar(t, &tab->text, share);
	else if (!is_none)
		text_cell_text(t, &tab->text, c, tab->ns_unit[tab->slot[i]]);
	text = out_view(&tab->text);
	width = utf8_width(text);
	if (width > tab->widths[i] && (flags & COLUMN_FLEX) && t->opt.width) {
		text = text_cut(t, text, tab->widths[i], flags);
		width = utf8_width(text);
	}
	style = text_cell_style(flags, is_none ? CELL_NONE : c.kind, share);
	text_place(t, &tab->line, text, width, i, style, &at, owed);
	tab->printed[i].from = SIZE_MAX;
	if (text.len == c.s.len && (c.kind == CELL_TEXT || c.kind == CELL_WORD) &&
	    style == STYLE_PLAIN)
		tab->printed[i].from = tab->line.len - text.len;
}

/*
 * Print a row without buffering it, with the widths that were computed before. In a sorted table, a
 * row often starts with the same cells as the previous row; this part of the printed line is
 * reused.
 */
static void text_table_stream(struct text_view *t, const struct cell *cells)
{
	struct text_table *tab = &t->table;
	unsigned int n = tab->def->n_columns;
	unsigned int i = 0;
	size_t owed;

	while (i < tab->n_printed &&
	       (!tab->is_shown[i] || text_is_printed(tab, &tab->printed[i], &cells[i])))
		i++;
	tab->line.len = i ? tab->printed[i - 1].to : 0;
	owed = i ? tab->printed[i - 1].owed : TEXT_INDENT;
	for (; i < n; i++) {
		if (tab->is_shown[i])
			text_stream_cell(t, cells[i], i, &owed);
		tab->printed[i].cell = cells[i];
		tab->printed[i].to = tab->line.len;
		tab->printed[i].owed = owed;
	}
	tab->n_printed = n;
	out_str(t->base.out, out_view(&tab->line));
	out_char(t->base.out, '\n');
	arena_clear(&tab->arena);
}

static void text_block_print(struct text_view *t, const struct text_block *b)
{
	VEC_FOREACH (line, &b->lines) {
		out_str(t->base.out, str_sub(out_view(&b->text), line->from, line->to));
		out_char(t->base.out, '\n');
	}
	if (b->lines.len) {
		t->has_output = true;
		t->is_gap = false;
		t->is_headed = false;
	}
}

static void text_block_free(struct text_block *b)
{
	out_fini(&b->text);
	VEC_FREE(&b->lines);
}

static void text_table_flush(struct text_view *t)
{
	struct text_table *tab = &t->table;
	bool is_first = !tab->is_laid_out;
	struct text_block *b;

	if (tab->rows.len == 0)
		return;
	text_table_times(t);
	for (unsigned int i = 0; i < tab->def->n_columns; i++) {
		unsigned int flags = tab->def->columns[i].title ? tab->def->columns[i].flags : 0;

		if (flags & COLUMN_TREE)
			text_table_tree(t, i);
		for (size_t r = 0; (flags & COLUMN_BAR) && r < tab->rows.len; r++) {
			double share = text_table_cell(tab, r, i)->share;

			if (is_first && share > tab->max_share)
				tab->max_share = share;
		}
		for (size_t r = 0; (flags & COLUMN_BAR) && r < tab->rows.len; r++)
			text_table_bar(t, text_table_cell(tab, r, i));
	}
	if (is_first)
		text_table_layout(t);
	b = text_block_new(t);
	if (is_first && tab->def->title) {
		size_t from = b->text.len;

		out_repeat(&b->text, ' ', TEXT_INDENT);
		text_view_styled(t, &b->text, STYLE_BOLD, str_of(tab->def->title));
		text_block_line(b, from, TEXT_INDENT + utf8_width(str_of(tab->def->title)));
	}
	if (is_first && !tab->def->has_no_header)
		text_table_header(t, b);
	for (size_t r = 0; r < tab->rows.len; r++)
		text_table_line(t, b, r);
	arena_clear(&tab->arena);
	tab->cells.len = 0;
	tab->rows.len = 0;
	if (t->side_by_side)
		return;
	if (is_first && !t->is_headed)
		text_view_gap(t);
	text_block_print(t, b);
	text_block_free(b);
	t->blocks.len--;
}

void text_table_end(struct text_view *t, struct out *hidden)
{
	struct text_table *tab = &t->table;

	text_table_flush(t);
	for (unsigned int i = 0; tab->def->is_main && tab->is_laid_out && i < tab->def->n_columns;
	     i++) {
		if (!tab->is_hidden[i] || tab->def->columns[i].flags & COLUMN_BAR)
			continue;
		out_z(hidden, hidden->len ? ", " : "");
		text_table_title(t, i, hidden);
	}
	tab->def = NULL;
}

/* Print the blocks (tables) number @from to @to - 1 side by side. */
static void text_blocks_row(struct text_view *t, size_t from, size_t to)
{
	size_t n_lines = 0;

	for (size_t k = from; k < to; k++) {
		if (t->blocks.data[k].lines.len > n_lines)
			n_lines = t->blocks.data[k].lines.len;
	}
	if (!t->is_headed)
		text_view_gap(t);
	for (size_t i = 0; i < n_lines; i++) {
		size_t owed = 0;

		for (size_t k = from; k < to; k++) {
			const struct text_block *b = &t->blocks.data[k];
			const struct text_line *line = i < b->lines.len ? &b->lines.data[i] : NULL;

			if (line && line->width) {
				out_repeat(t->base.out, ' ', owed);
				owed = 0;
				out_str(t->base.out,
					str_sub(out_view(&b->text), line->from, line->to));
			}
			owed += b->width - (line ? line->width : 0) + TEXT_BLOCK_GAP;
		}
		out_char(t->base.out, '\n');
	}
	t->has_output = true;
	t->is_gap = false;
	t->is_headed = false;
}

void text_blocks_flush(struct text_view *t)
{
	size_t width = t->base.width;
	size_t from = 0;

	while (from < t->blocks.len) {
		size_t to = from + 1;
		size_t used = t->blocks.data[from].width;

		while (to < t->blocks.len &&
		       used + TEXT_BLOCK_GAP + t->blocks.data[to].width <= width)
			used += TEXT_BLOCK_GAP + t->blocks.data[to++].width;
		text_blocks_row(t, from, to);
		from = to;
	}
	VEC_FOREACH (b, &t->blocks)
		text_block_free(b);
	t->blocks.len = 0;
}
