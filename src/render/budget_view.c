/* SPDX-License-Identifier: MIT */
/*
 * budget_view.c - print the most important parts of an output, within a limit of tokens
 *
 * An item is a sentence or a row of a table. Its worth is the share that it explains, and its cost
 * is its number of bytes. A part is a table or a group of sentences. First, one item of each part
 * is kept, so that no kind of evidence is missing. Then items are chosen by their worth per byte.
 * Some items can be kept only with another item: a row with the row above, a tree node with its
 * parent, the continuation of a sentence with this sentence. A footer shows how many items were
 * omitted, and the command that prints them.
 *
 * A fixed selection would be simpler, but some captures are explained by their stacks, and others
 * by their waits. Columns are not aligned, because blanks cost tokens.
 */
#include "base/alloc.h"
#include "base/arena.h"
#include "base/out.h"
#include "base/str.h"
#include "base/text/json.h"
#include "base/vec.h"
#include "core/ids.h"
#include "render/budget_part.h"
#include "render/escape.h"
#include "render/view.h"

#include <inttypes.h>
#include <math.h>

#define BUDGET_ROWS      200u /* maximum number of rows that one table contributes */
#define BUDGET_TREE_ROWS 2000u
#define BUDGET_ITEMS     10000u
/* maximum length of a cell in bytes; a longer text is truncated in the middle */
#define BUDGET_CELL_BYTES 120u
/* maximum length in bytes of a cell in a tree column, such as a call path */
#define BUDGET_TREE_BYTES 260u
#define BUDGET_LINE_BYTES 700u
#define BUDGET_DEPTH      256u
/* view.width, in columns: the width to which commands shorten their texts */
#define BUDGET_WIDTH        160u
#define BUDGET_TRIES        12u
#define BUDGET_FOOTER_SHARE 8u  /* the footer may take 1/8 of the budget */
#define BUDGET_FOOTER_LEAST 90u /* minimum size of the footer in bytes */
/* factor for the worth of a sentence that continues another sentence */
#define BUDGET_CONTINUED 0.6

unsigned int budget_view_tokens(size_t bytes)
{
	return (unsigned int)((bytes * 2 + 6) / 7);
}

static struct budget_view *budget_of(struct view *v)
{
	return (struct budget_view *)v;
}

/* Truncate @s in the middle to about @max bytes, without splitting a UTF-8 character. */
static struct str budget_cut(struct budget_view *b, struct str s, size_t max)
{
	struct out text = { .fd = -1 };
	size_t head = max / 2;
	size_t tail = s.len - max / 2;
	struct str ret;

	if (s.len <= max + 3)
		return arena_str(&b->arena, s);
	while (head && ((unsigned char)s.p[head] & 0xc0) == 0x80)
		head--;
	while (tail < s.len && ((unsigned char)s.p[tail] & 0xc0) == 0x80)
		tail++;
	out_str(&text, str_sub(s, 0, head));
	out_z(&text, "…");
	out_str(&text, str_skip(s, tail));
	ret = arena_str(&b->arena, out_view(&text));
	out_fini(&text);
	return ret;
}

static struct budget_part *budget_add_part(struct budget_view *b)
{
	struct budget_part *part = VEC_PUSH(&b->parts);

	*part = (struct budget_part){ .section = b->section, .first = (uint32_t)b->items.len };
	b->is_open = false;
	b->sentence = INDEX_NONE;
	return part;
}

/*
 * Add an item to the last part in b->parts. Returns the item's index in b->items, or INDEX_NONE if
 * there are too many items.
 */
static uint32_t budget_add(struct budget_view *b, struct str text, double worth, uint32_t parent,
			   uint32_t previous)
{
	struct budget_part *part = &b->parts.data[b->parts.len - 1];

	if (b->items.len >= BUDGET_ITEMS) {
		part->unseen++;
		return INDEX_NONE;
	}
	*VEC_PUSH(&b->items) = (struct budget_item){ .text = text,
						     .worth = worth,
						     .part = (uint32_t)b->parts.len - 1,
						     .parent = parent,
						     .previous = previous };
	part->n++;
	return (uint32_t)b->items.len - 1;
}

static void budget_heading(struct budget_view *b, struct str text)
{
	b->section = (uint32_t)b->sections.len;
	*VEC_PUSH(&b->sections) = budget_cut(b, text, BUDGET_LINE_BYTES);
	b->is_open = false;
}

static void budget_object(struct view *v, const char *key, const char *title)
{
	(void)key;
	if (title)
		budget_heading(budget_of(v), str_of(title));
}

/*
 * Append @s with each run of blanks replaced by one blank. Quoted lines of the input may have such
 * runs.
 */
static void budget_squeeze(struct out *out, struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] != ' ' || i == 0 || s.p[i - 1] != ' ')
			out_char(out, s.p[i]);
	}
}

/*
 * Add a sentence as an item. A sentence without a title continues the last sentence that has a
 * title. @is_ordered: this sentence can be kept only with the sentence before it.
 */
static void budget_sentence(struct budget_view *b, const char *title, struct str sentence,
			    bool is_ordered)
{
	struct out text = { .fd = -1 };
	bool is_continued = b->is_open && !title && b->sentence != INDEX_NONE;
	double worth = b->factor * BUDGET_LINE * (is_continued ? BUDGET_CONTINUED : 1);
	uint32_t above = INDEX_NONE;
	uint32_t item;

	if (!b->is_open) {
		(void)budget_add_part(b);
		b->is_open = true;
	} else if (is_ordered && !is_continued) {
		above = b->sentence;
	}
	if (title && *title)
		out_printf(&text, "%s%s ", title, str_ends(str_of(title), STR(".")) ? "" : ":");
	else if (is_continued)
		out_z(&text, "  ");
	budget_squeeze(&text, sentence);
	item = budget_add(b, budget_cut(b, out_view(&text), BUDGET_LINE_BYTES), worth,
			  is_continued ? b->sentence : INDEX_NONE, above);
	if (!is_continued)
		b->sentence = item;
	out_fini(&text);
}

static void budget_line(struct view *v, const char *title, struct str sentence, enum line_kind kind)
{
	struct budget_view *b = budget_of(v);
	struct out text = { .fd = -1 };

	if (kind != LINE_HEADING) {
		budget_sentence(b, title, sentence, kind == LINE_ITEM);
		return;
	}
	out_printf(&text, "%s%s", title ? title : "", title && sentence.len ? " " : "");
	out_str(&text, sentence);
	budget_heading(b, out_view(&text));
	out_fini(&text);
}

static void budget_ns(struct out *out, uint64_t ns)
{
	if (ns < 1000)
		out_printf(out, "%" PRIu64 " ns", ns);
	else if (ns < 1000000)
		out_printf(out, "%.4g µs", (double)ns / 1e3);
	else if (ns < 1000000000)
		out_printf(out, "%.4g ms", (double)ns / 1e6);
	else
		out_printf(out, "%.4g s", (double)ns / 1e9);
}

static void budget_number(struct out *out, double v, int shown)
{
	if (isnan(v))
		return;
	if (shown < 0)
		out_double(out, v);
	else
		out_real(out, v, (unsigned int)shown);
}

/*
 * Append the text of a cell. If the value has a confidence interval, half of its width is appended,
 * too, unless this is less than 0.01.
 */
static void budget_cell(struct out *out, struct cell c, unsigned int flags)
{
	switch ((enum cell_kind)c.kind) {
	case CELL_NONE:
	case CELL_NULL:
		return;
	case CELL_TEXT:
		escape_text(out, c.s);
		return;
	case CELL_WORD:
		out_str(out, c.s);
		return;
	case CELL_COUNT:
		if (c.u || !(flags & COLUMN_NO_ZERO))
			out_u64(out, c.u);
		return;
	case CELL_LINE:
		out_printf(out, "L%" PRIu64, c.u);
		return;
	case CELL_FIXED:
		budget_number(out, (double)c.i / pow(10, c.decimals),
			      c.shown >= 0 ? c.shown : c.decimals);
		break;
	case CELL_REAL:
		budget_number(out, c.d, c.shown);
		break;
	case CELL_NS:
		if (c.u || !(flags & COLUMN_NO_ZERO))
			budget_ns(out, c.u);
		return;
	case CELL_BOOL:
		out_z(out, c.b ? "yes" : "no");
		return;
	}
	if (c.err >= 0.01 && out->len)
		out_printf(out, "±%.2g", c.err);
}

static void budget_field(struct view *v, const char *key, const char *title, struct cell c)
{
	struct out text = { .fd = -1 };

	(void)key;
	if (!title)
		return;
	budget_cell(&text, c, 0);
	if (text.len)
		budget_sentence(budget_of(v), title, out_view(&text), /* is_ordered= */ false);
	out_fini(&text);
}

static void budget_table(struct view *v, const struct view_table *t)
{
	struct budget_view *b = budget_of(v);

	(void)t;
	b->cells.len = 0;
	b->rows.len = 0;
	b->n_rows = 0;
}

static bool budget_is_column(const struct view_column *c)
{
	return c->title && !(c->flags & COLUMN_BAR);
}

static double budget_share(struct cell c, unsigned int flags)
{
	if (!(flags & COLUMN_HEAT))
		return (double)NAN;
	if (c.kind == CELL_REAL)
		return c.d;
	return c.kind == CELL_FIXED ? (double)c.i / pow(10, c.decimals) : (double)NAN;
}

static bool budget_is_tree(const struct view_table *t)
{
	for (unsigned int i = 0; i < t->n_columns; i++) {
		if (t->columns[i].flags & COLUMN_TREE)
			return true;
	}
	return false;
}

static void budget_row(struct view *v, const struct cell *cells, unsigned int depth)
{
	struct budget_view *b = budget_of(v);
	const struct view_table *t = v->table;
	struct out text = { .fd = -1 };

	if (t->is_json_only ||
	    b->n_rows++ >= (t->is_whole || budget_is_tree(t) ? BUDGET_TREE_ROWS : BUDGET_ROWS))
		return;
	*VEC_PUSH(&b->rows) = (struct budget_row){ .depth = depth };
	for (unsigned int i = 0; i < t->n_columns; i++) {
		struct str cell;

		if (!budget_is_column(&t->columns[i]))
			continue;
		text.len = 0;
		budget_cell(&text, cells[i], t->columns[i].flags);
		cell = out_view(&text);
		*VEC_PUSH(&b->cells) = (struct budget_cell){
			.text = t->is_whole ? arena_str(&b->arena, cell)
					    : budget_cut(b, cell,
							 t->columns[i].flags & COLUMN_TREE
								 ? BUDGET_TREE_BYTES
								 : BUDGET_CELL_BYTES),
			.share = budget_share(cells[i], t->columns[i].flags),
		};
	}
	out_fini(&text);
}

/*
 * How a column is printed: in each row; not at all, because all its cells are empty; or once above
 * the table, because all its cells are equal.
 */
enum budget_column { COLUMN_SHOWN, COLUMN_EMPTY, COLUMN_EQUAL };

static enum budget_column budget_column_kind(const struct budget_view *b, size_t column, size_t n)
{
	const struct budget_cell *first = &b->cells.data[column];
	bool is_empty = true;
	bool is_equal = b->rows.len > 2 && isnan(first->share);

	for (size_t i = 0; i < b->rows.len; i++) {
		const struct budget_cell *cell = &b->cells.data[i * n + column];

		is_empty &= cell->text.len == 0;
		is_equal &= str_eq(cell->text, first->text);
	}
	return is_empty ? COLUMN_EMPTY : is_equal ? COLUMN_EQUAL : COLUMN_SHOWN;
}

/*
 * Store the titles of printed columns in part->head, and the columns with equal cells in
 * part->constant.
 */
static void budget_head(struct budget_view *b, const struct view_table *t, const uint8_t *kinds,
			struct budget_part *part)
{
	struct out head = { .fd = -1 };
	struct out equal = { .fd = -1 };
	size_t n = 0;

	for (unsigned int i = 0; i < t->n_columns; i++) {
		if (!budget_is_column(&t->columns[i]))
			continue;
		if (kinds[n] == COLUMN_SHOWN && !t->has_no_header)
			out_printf(&head, "%s%s", head.len ? "  " : "", t->columns[i].title);
		if (kinds[n] == COLUMN_EQUAL)
			out_printf(&equal, "%s%s: " STR_FMT, equal.len ? ", " : "",
				   t->columns[i].title, STR_ARG(b->cells.data[n].text));
		n++;
	}
	part->head = arena_str(&b->arena, out_view(&head));
	part->constant = arena_str(&b->arena, out_view(&equal));
	out_fini(&head);
	out_fini(&equal);
}

static struct str budget_row_text(struct budget_view *b, const struct view_table *t,
				  const uint8_t *kinds, size_t row, size_t n)
{
	struct out text = { .fd = -1 };
	struct str ret;
	size_t k = 0;
	bool has_any = false;

	for (unsigned int i = 0; i < t->n_columns; i++) {
		const struct budget_cell *cell;

		if (!budget_is_column(&t->columns[i]))
			continue;
		cell = &b->cells.data[row * n + k];
		if (kinds[k++] != COLUMN_SHOWN)
			continue;
		if (has_any)
			out_z(&text, "  ");
		has_any = true;
		if (t->columns[i].flags & COLUMN_TREE)
			out_repeat(&text, ' ', (size_t)2 * b->rows.data[row].depth);
		out_str(&text, cell->text.len || t->is_whole ? cell->text : STR("-"));
	}
	ret = arena_str(&b->arena, out_view(&text));
	out_fini(&text);
	return ret;
}

/*
 * Worth of a row: the first cell that is a share. If no cell is a share, the worth decreases from
 * row to row.
 */
static double budget_row_share(const struct budget_view *b, size_t row, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double share = b->cells.data[row * n + i].share;

		if (!isnan(share))
			return fabs(share);
	}
	return 2 * BUDGET_LINE / (double)(row + 1);
}

static const char *budget_command(const struct budget_view *b, const char *key)
{
	const struct budget_command *c = b->opt.commands;

	while (c->key && (!key || strcmp(c->key, key) != 0))
		c++;
	return c->command;
}

/*
 * Add the rows of the current table as items. In a tree, a row can be kept only with its parent; in
 * another table, only with the row above it.
 */
static void budget_items(struct budget_view *b, const struct view_table *t, const uint8_t *kinds,
			 size_t n)
{
	uint32_t above[BUDGET_DEPTH + 1];
	/*
	 * the rows of a tree may be in call order and not sorted by importance, so a row may be
	 * kept even if the row before it at the same depth is not
	 */
	bool is_tree = budget_is_tree(t);

	for (size_t i = 0; i <= BUDGET_DEPTH; i++)
		above[i] = INDEX_NONE;
	for (size_t row = 0; row < b->rows.len; row++) {
		size_t depth = b->rows.data[row].depth;

		depth = depth < BUDGET_DEPTH ? depth : BUDGET_DEPTH - 1;
		above[depth] = budget_add(b, budget_row_text(b, t, kinds, row, n),
					  b->factor * budget_row_share(b, row, n),
					  depth ? above[depth - 1] : INDEX_NONE,
					  is_tree ? INDEX_NONE : above[depth]);
		above[depth + 1] = INDEX_NONE;
	}
}

static void budget_table_end(struct view *v)
{
	struct budget_view *b = budget_of(v);
	const struct view_table *t = v->table;
	uint8_t kinds[VIEW_COLUMNS_MAX];
	struct budget_part *part;
	size_t n = 0;

	if (b->rows.len == 0)
		return;
	for (unsigned int i = 0; i < t->n_columns; i++)
		n += budget_is_column(&t->columns[i]);
	for (size_t i = 0; i < n; i++)
		kinds[i] = (uint8_t)budget_column_kind(b, i, n);
	part = budget_add_part(b);
	part->is_table = true;
	part->is_whole = t->is_whole;
	part->title = t->title ? arena_str(&b->arena, str_of(t->title)) : STR("");
	part->command = t->command ? t->command : budget_command(b, t->key);
	part->unseen = b->n_rows - b->rows.len;
	budget_head(b, t, kinds, part);
	budget_items(b, t, kinds, n);
}

static void budget_weigh(struct view *v, double factor)
{
	budget_of(v)->factor = factor;
}

/*
 * Choose items, and write them with the footer. While the result is larger than the budget, choose
 * again with a smaller limit.
 */
static void budget_end(struct view *v)
{
	struct budget_view *b = budget_of(v);
	size_t all = (size_t)b->opt.tokens * 7 / 2;
	size_t footer_max = all / BUDGET_FOOTER_SHARE;
	size_t limit = all;
	struct out text = { .fd = -1 };
	struct out footer = { .fd = -1 };

	if (footer_max < BUDGET_FOOTER_LEAST)
		footer_max = BUDGET_FOOTER_LEAST;
	for (unsigned int i = 0; i < BUDGET_TRIES; i++) {
		size_t used;

		budget_choose(b, limit);
		budget_write_text(b, limit, &text);
		budget_write_footer(b, footer_max, &footer);
		used = text.len + footer.len;
		if (used <= all)
			break;
		/* after the last try, the text is printed without a footer */
		footer.len = 0;
		limit -= used - all < limit ? used - all : limit;
	}
	if (b->opt.is_json) {
		budget_write_json(b, budget_view_tokens(text.len + footer.len));
	} else {
		out_str(v->out, out_view(&text));
		out_str(v->out, out_view(&footer));
	}
	out_fini(&text);
	out_fini(&footer);
}

static void budget_free(struct view *v)
{
	struct budget_view *b = budget_of(v);

	arena_fini(&b->arena);
	VEC_FREE(&b->items);
	VEC_FREE(&b->parts);
	VEC_FREE(&b->sections);
	VEC_FREE(&b->cells);
	VEC_FREE(&b->rows);
	free(b);
}

static const struct view_ops budget_view_ops = {
	.object = budget_object,
	.field = budget_field,
	.line = budget_line,
	.table = budget_table,
	.row = budget_row,
	.table_end = budget_table_end,
	.weigh = budget_weigh,
	.end = budget_end,
	.free = budget_free,
};

struct view *view_budget(struct out *out, const struct budget_options *options)
{
	struct budget_view *b = xcalloc(1, sizeof(*b));

	b->base.ops = &budget_view_ops;
	b->base.out = out;
	b->base.width = BUDGET_WIDTH;
	b->opt = *options;
	b->factor = 1;
	b->section = INDEX_NONE;
	b->sentence = INDEX_NONE;
	return &b->base;
}
