/* SPDX-License-Identifier: MIT */
/* text_table_layout.c - compute the widths of columns, and the branches of a tree */
#include "render/text_view.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/str.h"
#include "base/text/utf8.h"
#include "base/vec.h"
#include "render/escape.h"
#include "render/view.h"

#define TEXT_FLEX_MIN   10u
#define TEXT_FLEX_GOOD  18u
#define TEXT_FLEX_PIPED 32u
/* maximum width of a short word, such as "of", which is kept on one line with its neighbour */
#define TEXT_SHORT_WORD 2u

struct text_cell *text_table_cell(struct text_table *tab, size_t row, unsigned int column)
{
	return &tab->cells.data[row * tab->n_slots + tab->slot[column]];
}

/* Whether any row has a duration in @column. */
static bool text_table_is_time(struct text_table *tab, unsigned int column)
{
	for (size_t row = 0; row < tab->rows.len; row++) {
		if (text_table_cell(tab, row, column)->kind == CELL_NS)
			return true;
	}
	return false;
}

/*
 * Choose units for durations. A column with COLUMN_UNIT has its own unit; all other columns share
 * one unit. The longest duration determines the unit.
 */
static void text_table_units(struct text_table *tab)
{
	uint64_t all = 0;
	uint64_t max[VIEW_COLUMNS_MAX] = { 0 };

	for (unsigned int i = 0; i < tab->def->n_columns; i++) {
		unsigned int slot = tab->slot[i];

		if (!tab->def->columns[i].title)
			continue;
		for (size_t row = 0; row < tab->rows.len; row++) {
			const struct text_cell *c = text_table_cell(tab, row, i);

			if (c->kind == CELL_NS && c->ns > max[slot])
				max[slot] = c->ns;
		}
		if (!(tab->def->columns[i].flags & COLUMN_UNIT) && max[slot] > all)
			all = max[slot];
	}
	for (unsigned int i = 0; i < tab->def->n_columns; i++) {
		unsigned int slot = tab->slot[i];
		bool is_own = tab->def->columns[i].flags & COLUMN_UNIT;

		if (tab->def->columns[i].title)
			tab->ns_unit[slot] = (uint8_t)text_view_ns_unit(is_own ? max[slot] : all);
	}
}

void text_table_times(struct text_view *t)
{
	struct text_table *tab = &t->table;

	if (!tab->is_laid_out)
		text_table_units(tab);
	VEC_FOREACH (c, &tab->cells) {
		struct out text = { .fd = -1 };

		if (c->kind != CELL_NS)
			continue;
		text_cell_text(t, &text, cell_ns(c->ns),
			       tab->ns_unit[(size_t)(c - tab->cells.data) % tab->n_slots]);
		c->text = arena_str(&tab->arena, out_view(&text));
		c->width = (uint32_t)c->text.len;
		out_fini(&text);
	}
}

/*
 * Drawing before a name in a tree, such as "|- ". An only child has no such drawing and is not
 * indented, so that long call chains stay narrow.
 */
struct text_branch {
	bool is_branch; /* the parent has several children: draw a branch */
	bool has_more;  /* another child of the same parent follows: the line continues downwards */
};

void text_table_tree(struct text_view *t, unsigned int column)
{
	struct text_table *tab = &t->table;
	bool utf8 = t->opt.has_utf8;
	size_t n = tab->rows.len;
	/* indexed by depth: number of rows below the current row that have the same parent */
	VEC(uint32_t) later = VEC_INIT;
	VEC(struct text_branch) marks = VEC_INIT;
	VEC(struct text_branch) path = VEC_INIT;

	VEC_RESERVE(&marks, n);
	marks.len = n;
	for (size_t i = n; i-- > 0;) {
		uint32_t d = tab->rows.data[i].depth;

		while (later.len <= d)
			*VEC_PUSH(&later) = 0;
		/*
		 * the rows at greater depths are below row i, and can have no sibling above it:
		 * forget their numbers
		 */
		later.len = d + 1;
		marks.data[i].has_more = later.data[d] > 0;
		later.data[d]++;
	}
	for (size_t i = 0; i < n; i++) {
		uint32_t d = tab->rows.data[i].depth;
		struct text_cell *c = text_table_cell(tab, i, column);
		struct out text = { .fd = -1 };
		bool is_first = i == 0 || tab->rows.data[i - 1].depth < d;

		marks.data[i].is_branch = d > 0 && !(is_first && !marks.data[i].has_more);
		if (d > path.len)
			d = (uint32_t)path.len;
		path.len = d;
		for (uint32_t k = 1; k < d; k++) {
			if (path.data[k].is_branch)
				out_z(&text, !path.data[k].has_more ? "   " : utf8 ? "│  " : "|  ");
		}
		*VEC_PUSH(&path) = marks.data[i];
		if (marks.data[i].is_branch)
			out_z(&text, marks.data[i].has_more ? (utf8 ? "├─ " : "|- ")
							    : (utf8 ? "└─ " : "`- "));
		out_str(&text, c->text);
		c->text = arena_str(&tab->arena, out_view(&text));
		c->width = (uint32_t)utf8_width(c->text);
		out_fini(&text);
	}
	VEC_FREE(&later);
	VEC_FREE(&marks);
	VEC_FREE(&path);
}

void text_table_title(struct text_view *t, unsigned int column, struct out *out)
{
	struct text_table *tab = &t->table;

	escape_text(out, str_of(tab->def->columns[column].title));
	if (text_table_is_time(tab, column))
		out_printf(out, " %s", text_view_ns_unit_name(t, tab->ns_unit[tab->slot[column]]));
}

/*
 * The next offset after @at at which a title may be broken: at a blank, after a hyphen, and after
 * an underscore unless the title has quotes.
 */
static size_t text_title_break(struct str title, size_t at)
{
	bool has_quotes = str_find_char(title, '\'') < title.len;

	do
		at++;
	while (at < title.len && title.p[at] != ' ' && title.p[at - 1] != '-' &&
	       (has_quotes || title.p[at - 1] != '_'));
	return at < title.len ? at : title.len;
}

/*
 * The offset in @title of the end of the word that starts at @at. A short word that follows, such
 * as "of" or "%", belongs to this word. If the word itself is short, the next word belongs to it.
 */
static size_t text_title_word(struct str title, size_t at)
{
	size_t end = text_title_break(title, at);

	while (end < title.len) {
		size_t next = text_title_break(title, end + 1);

		if (utf8_width(str_trim(str_sub(title, end, next))) > TEXT_SHORT_WORD &&
		    utf8_width(str_trim(str_sub(title, at, end))) > TEXT_SHORT_WORD)
			break;
		end = next;
	}
	return end;
}

struct str text_table_title_part(struct str *title, size_t width)
{
	size_t end = text_title_word(*title, 0);
	struct str part;

	while (end < title->len) {
		size_t next = text_title_word(*title, end);

		if (utf8_width(str_sub(*title, 0, next)) > width)
			break;
		end = next;
	}
	part = str_sub(*title, 0, end);
	*title = str_trim(str_skip(*title, end));
	return part;
}

/* Width of the column's title; if @is_word is set, width of the longest word in it. */
static size_t text_title_width(struct text_view *t, unsigned int column, bool is_word)
{
	struct out title = { .fd = -1 };
	struct str text;
	size_t width = 0;

	text_table_title(t, column, &title);
	text = out_view(&title);
	if (!is_word)
		width = utf8_width(text);
	while (is_word && text.len) {
		size_t word = utf8_width(text_table_title_part(&text, 1));

		width = word > width ? word : width;
	}
	out_fini(&title);
	return width;
}

/* The width of the widest cell of a column. */
static size_t text_cells_width(struct text_table *tab, unsigned int column)
{
	size_t width = 0;

	for (size_t r = 0; r < tab->rows.len; r++) {
		const struct text_cell *c = text_table_cell(tab, r, column);

		width = c->width > width ? c->width : width;
	}
	return width;
}

static size_t text_table_width(const struct text_table *tab)
{
	size_t total = TEXT_INDENT;

	for (unsigned int i = 0; i < tab->def->n_columns; i++)
		total += tab->is_shown[i] ? tab->widths[i] + TEXT_GAP : 0;
	return total - TEXT_GAP;
}

/*
 * Narrow flexible columns, the widest first, until the table fits into @width. @least: minimum
 * width of a column.
 */
static void text_table_narrow(struct text_table *tab, size_t width, size_t least)
{
	for (size_t total = text_table_width(tab); total > width; total--) {
		unsigned int widest = UINT32_MAX;

		for (unsigned int i = 0; i < tab->def->n_columns; i++) {
			if (tab->is_shown[i] && (tab->def->columns[i].flags & COLUMN_FLEX) &&
			    tab->widths[i] > least &&
			    (widest == UINT32_MAX || tab->widths[i] >= tab->widths[widest]))
				widest = i;
		}
		if (widest == UINT32_MAX)
			return;
		tab->widths[widest]--;
	}
}

/*
 * If a title of several words is wider than the cells of its column, break it into several lines.
 */
static void text_table_wrap(struct text_view *t, size_t *natural)
{
	struct text_table *tab = &t->table;

	for (unsigned int i = 0; i < tab->def->n_columns && !tab->def->has_no_header; i++) {
		size_t cells;
		size_t word;

		if (!tab->is_shown[i] || tab->def->columns[i].flags & COLUMN_BAR)
			continue;
		cells = text_cells_width(tab, i);
		word = text_title_width(t, i, /* is_word= */ true);
		natural[i] = cells > word ? cells : word;
	}
	memcpy(tab->widths, natural, sizeof(tab->widths));
}

/*
 * Whether the shown columns of the table fit into the terminal if each flexible column is narrowed
 * to the width @good.
 */
static bool text_table_fits(struct text_view *t, const size_t *natural, size_t good)
{
	struct text_table *tab = &t->table;

	memcpy(tab->widths, natural, sizeof(tab->widths));
	text_table_narrow(tab, t->opt.width, good);
	return text_table_width(tab) <= t->opt.width;
}

/*
 * Hide minor columns, from right to left, until the table fits. @is_bar: hide only bars; otherwise
 * only other columns.
 */
static void text_table_omit(struct text_view *t, const size_t *natural, size_t good, bool is_bar)
{
	struct text_table *tab = &t->table;

	for (unsigned int i = tab->def->n_columns; i-- > 0;) {
		unsigned int flags = tab->def->columns[i].flags;

		if (!(flags & COLUMN_MINOR) || !tab->is_shown[i] ||
		    ((flags & COLUMN_BAR) != 0) != is_bar)
			continue;
		if (text_table_fits(t, natural, good))
			return;
		tab->is_shown[i] = false;
		tab->is_hidden[i] = true;
	}
}

/* Show hidden columns again while the table fits: hiding the bars may have made space for them. */
static void text_table_restore(struct text_view *t, const size_t *natural, size_t good)
{
	struct text_table *tab = &t->table;

	for (unsigned int i = 0; i < tab->def->n_columns; i++) {
		if (!tab->is_hidden[i])
			continue;
		tab->is_shown[i] = true;
		tab->is_hidden[i] = false;
		if (!text_table_fits(t, natural, good)) {
			tab->is_shown[i] = false;
			tab->is_hidden[i] = true;
		}
	}
}

/* Break the titles of bars into several lines, as text_table_wrap() does for other columns. */
static void text_table_wrap_bars(struct text_view *t, size_t *natural)
{
	struct text_table *tab = &t->table;

	for (unsigned int i = 0; i < tab->def->n_columns && !tab->def->has_no_header; i++) {
		size_t word;

		if (!tab->is_shown[i] || !(tab->def->columns[i].flags & COLUMN_BAR))
			continue;
		word = text_title_width(t, i, /* is_word= */ true);
		natural[i] = word > TEXT_BAR_CELLS ? word : TEXT_BAR_CELLS;
	}
}

/*
 * Fit the table into the terminal. The steps are: narrow flexible columns to a good width; wrap
 * titles; hide minor columns, and bars last; narrow flexible columns further. If the output is a
 * pipe or a file, the good width is larger: grep, for example, then finds more names that are not
 * truncated.
 */
static void text_table_squeeze(struct text_view *t)
{
	struct text_table *tab = &t->table;
	size_t good = t->opt.is_piped ? TEXT_FLEX_PIPED : TEXT_FLEX_GOOD;
	size_t natural[VIEW_COLUMNS_MAX];

	if (t->opt.width == 0)
		return;
	memcpy(natural, tab->widths, sizeof(natural));
	if (!text_table_fits(t, natural, good)) {
		text_table_wrap(t, natural);
		text_table_omit(t, natural, good, /* is_bar= */ false);
	}
	if (!text_table_fits(t, natural, good)) {
		text_table_wrap_bars(t, natural);
		text_table_omit(t, natural, good, /* is_bar= */ true);
		text_table_restore(t, natural, good);
	}
	if (!text_table_fits(t, natural, good))
		text_table_narrow(tab, t->opt.width, TEXT_FLEX_MIN);
}

/*
 * Width of a column of bars: the width @title of its title, but at least TEXT_BAR_CELLS and at most
 * 2 * TEXT_BAR_CELLS.
 */
static size_t text_bar_width(size_t title)
{
	if (title <= TEXT_BAR_CELLS)
		return TEXT_BAR_CELLS;
	return title < 2 * TEXT_BAR_CELLS ? title : 2 * TEXT_BAR_CELLS;
}

void text_table_layout(struct text_view *t)
{
	struct text_table *tab = &t->table;

	for (unsigned int i = 0; i < tab->def->n_columns; i++) {
		const struct view_column *col = &tab->def->columns[i];
		size_t width = 0;
		bool has_any = false;

		tab->is_shown[i] = false;
		tab->is_hidden[i] = false;
		tab->is_right[i] = (col->flags & COLUMN_RIGHT) != 0;
		if (!col->title)
			continue;
		for (size_t r = 0; r < tab->rows.len; r++) {
			const struct text_cell *c = text_table_cell(tab, r, i);

			has_any |= c->kind != CELL_NONE && c->width > 0;
			tab->is_right[i] |=
				text_cell_is_number(c->kind) && !(col->flags & COLUMN_BAR);
			if (c->width > width)
				width = c->width;
		}
		tab->is_shown[i] = has_any;
		if (!tab->def->has_no_header) {
			size_t title = text_title_width(t, i, /* is_word= */ false);

			width = title > width ? title : width;
		}
		if (col->flags & COLUMN_BAR)
			width = text_bar_width(text_title_width(t, i, /* is_word= */ false));
		tab->widths[i] = width;
	}
	if (!t->side_by_side)
		text_table_squeeze(t);
	tab->is_laid_out = true;
}
