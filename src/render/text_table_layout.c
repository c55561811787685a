/* SPDX-License-Identifier: MIT */
/* text_table_layout.c - widths of the columns of a table, and the branches of its tree */
#include "render/text_view.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/str.h"
#include "base/text/utf8.h"
#include "base/vec.h"
#include "render/view.h"

#define TEXT_FLEX_MIN   10u
#define TEXT_FLEX_GOOD  18u
#define TEXT_FLEX_PIPED 32u

struct text_cell *text_table_cell(struct text_table *tab, size_t row, unsigned int column)
{
	return &tab->cells.data[row * tab->n_slots + tab->slot[column]];
}

bool text_table_is_time(struct text_table *tab, unsigned int column)
{
	for (size_t row = 0; row < tab->rows.len; row++) {
		if (text_table_cell(tab, row, column)->kind == CELL_NS)
			return true;
	}
	return false;
}

/*
 * Choose one unit for all columns of durations, by the longest duration. A column with COLUMN_UNIT
 * gets a unit of its own.
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
 * Branches are drawn in front of names. An only child is placed on the line after its parent,
 * without a branch, so that chains stay narrow.
 */
struct text_branch {
	bool is_branch; /* the row's parent has other children: draw a branch */
	bool has_more;  /* further rows with the same parent follow */
};

void text_table_tree(struct text_view *t, unsigned int column)
{
	struct text_table *tab = &t->table;
	bool utf8 = t->opt.has_utf8;
	size_t n = tab->rows.len;
	/* indexed by depth: number of later rows with the same parent */
	VEC(uint32_t) later = VEC_INIT;
	VEC(struct text_branch) marks = VEC_INIT;
	VEC(struct text_branch) path = VEC_INIT;

	VEC_RESERVE(&marks, n);
	marks.len = n;
	for (size_t i = n; i-- > 0;) {
		uint32_t d = tab->rows.data[i].depth;

		while (later.len <= d)
			*VEC_PUSH(&later) = 0;
		later.len = d + 1; /* rows at deeper levels are children of this row */
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

static size_t text_title_width(struct text_view *t, unsigned int column)
{
	struct text_table *tab = &t->table;
	size_t width = utf8_width(str_of(tab->def->columns[column].title));

	if (text_table_is_time(tab, column))
		width += 1 + utf8_width(str_of(
				     text_view_ns_unit_name(t, tab->ns_unit[tab->slot[column]])));
	return width;
}

static size_t text_table_width(const struct text_table *tab)
{
	size_t total = TEXT_INDENT;

	for (unsigned int i = 0; i < tab->def->n_columns; i++)
		total += tab->is_shown[i] ? tab->widths[i] + TEXT_GAP : 0;
	return total - TEXT_GAP;
}

/* Narrow the widest flexible columns until the table fits. No column gets narrower than @least. */
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
 * Fit the table to the width: narrow flexible columns a little, omit minor columns, then narrow
 * more.
 */
static void text_table_squeeze(struct text_view *t)
{
	struct text_table *tab = &t->table;
	size_t natural[VIEW_COLUMNS_MAX];

	if (t->opt.width == 0)
		return;
	if (t->opt.is_piped) {
		text_table_narrow(tab, t->opt.width, TEXT_FLEX_PIPED);
		return;
	}
	memcpy(natural, tab->widths, sizeof(natural));
	text_table_narrow(tab, t->opt.width, TEXT_FLEX_GOOD);
	for (unsigned int i = tab->def->n_columns; i-- > 0;) {
		if (text_table_width(tab) <= t->opt.width)
			break;
		if (!(tab->def->columns[i].flags & COLUMN_MINOR) || !tab->is_shown[i])
			continue;
		tab->is_shown[i] = false;
		memcpy(tab->widths, natural, sizeof(natural));
		text_table_narrow(tab, t->opt.width, TEXT_FLEX_GOOD);
	}
	text_table_narrow(tab, t->opt.width, TEXT_FLEX_MIN);
}

void text_table_layout(struct text_view *t)
{
	struct text_table *tab = &t->table;

	for (unsigned int i = 0; i < tab->def->n_columns; i++) {
		const struct view_column *col = &tab->def->columns[i];
		size_t width = 0;
		bool has_any = false;

		tab->is_shown[i] = false;
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
		if (!tab->def->has_no_header && text_title_width(t, i) > width)
			width = text_title_width(t, i);
		tab->widths[i] = col->flags & COLUMN_BAR ? TEXT_BAR_CELLS : width;
	}
	if (!t->beside)
		text_table_squeeze(t);
	tab->is_laid_out = true;
}
