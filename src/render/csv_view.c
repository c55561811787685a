/* SPDX-License-Identifier: MIT */
/*
 * csv_view.c - print the main tables as CSV (RFC 4180)
 *
 * A single quote is put before a text that a spreadsheet would take for a formula.
 *
 * Rows that belong to a capture have the last columns "capture" and "event". The rows of a table
 * can belong to different events. Do not add the weights of different events.
 */
#include "base/alloc.h"
#include "base/out.h"
#include "base/str.h"
#include "render/escape.h"
#include "render/view.h"

#include <math.h>
#include <string.h>

struct csv_view {
	struct view base;
	struct out header; /* header line that was printed last */
	struct out event;  /* name of the current capture's event */
	/* number of the current capture, counted from 1; 0: before the first capture */
	uint64_t capture;
	/*
	 * number of open objects inside the current element of the list "captures"; 0: the output
	 * is not inside an element of this list
	 */
	unsigned int depth;
	bool is_captures; /* the current list is "captures" */
	/* print the rows of the current table, because its view_table.is_main is true */
	bool is_on;
	bool has_tables;
};

static struct csv_view *csv_view_of(struct view *v)
{
	return (struct csv_view *)v;
}

static void csv_view_quoted(struct out *out, struct str s, bool is_ours)
{
	bool is_formula = !is_ours && s.len && memchr("=+-@\t\r", s.p[0], 6);
	bool has_quotes = is_formula;

	for (size_t i = 0; !has_quotes && i < s.len; i++)
		has_quotes = memchr(",\"\r\n", s.p[i], 4) != NULL;
	if (!has_quotes) {
		out_str(out, s);
		return;
	}
	out_z(out, is_formula ? "\"'" : "\"");
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] == '"')
			out_char(out, '"');
		out_char(out, s.p[i]);
	}
	out_char(out, '"');
}

static void csv_view_text(struct out *out, struct str s, bool is_ours)
{
	struct out clean = { .fd = -1 };

	escape_text(&clean, s);
	csv_view_quoted(out, out_view(&clean), is_ours);
	out_fini(&clean);
}

static void csv_view_cell(struct out *out, struct cell c)
{
	switch ((enum cell_kind)c.kind) {
	case CELL_NONE:
	case CELL_NULL:
		break;
	case CELL_TEXT:
		csv_view_text(out, c.s, /* is_ours= */ false);
		break;
	case CELL_WORD:
		csv_view_text(out, c.s, /* is_ours= */ true);
		break;
	case CELL_COUNT:
	case CELL_NS:
	case CELL_LINE:
		out_u64(out, c.u);
		break;
	case CELL_FIXED:
		out_fixed(out, c.i, c.decimals);
		break;
	case CELL_REAL:
		if (!isnan(c.d))
			out_double(out, c.d);
		break;
	case CELL_BOOL:
		out_z(out, c.b ? "true" : "false");
		break;
	}
}

static void csv_view_table(struct view *v, const struct view_table *t)
{
	struct csv_view *c = csv_view_of(v);
	struct out header = { .fd = -1 };
	unsigned int n = 0;

	c->is_on = t->is_main;
	if (!c->is_on)
		return;
	for (unsigned int i = 0; i < t->n_columns; i++) {
		const struct view_column *col = &t->columns[i];

		if (!col->key)
			continue;
		if (n++)
			out_char(&header, ',');
		csv_view_text(&header, str_of(col->key), /* is_ours= */ false);
		if (col->flags & COLUMN_ERR)
			out_printf(&header, ",%s_err", col->key);
	}
	if (c->depth)
		out_z(&header, ",capture,event");
	if (!str_eq(out_view(&header), out_view(&c->header))) {
		out_z(v->out, c->has_tables ? "\r\n" : "");
		out_str(v->out, out_view(&header));
		out_z(v->out, "\r\n");
	}
	out_fini(&c->header);
	c->header = header;
	c->has_tables = true;
}

static void csv_view_row(struct view *v, const struct cell *cells, unsigned int depth)
{
	const struct csv_view *c = csv_view_of(v);
	unsigned int n = 0;

	(void)depth;
	if (!c->is_on)
		return;
	for (unsigned int i = 0; i < v->table->n_columns; i++) {
		const struct view_column *col = &v->table->columns[i];

		if (!col->key)
			continue;
		if (n++)
			out_char(v->out, ',');
		csv_view_cell(v->out, cells[i]);
		if (!(col->flags & COLUMN_ERR))
			continue;
		out_char(v->out, ',');
		if (cells[i].kind != CELL_NONE && cells[i].err >= 0)
			out_double(v->out, cells[i].err);
	}
	if (c->depth) {
		out_printf(v->out, ",%llu,", (unsigned long long)c->capture);
		csv_view_text(v->out, out_view(&c->event), /* is_ours= */ false);
	}
	out_z(v->out, "\r\n");
}

static void csv_view_object(struct view *v, const char *key, const char *title)
{
	struct csv_view *c = csv_view_of(v);

	(void)key;
	(void)title;
	if (!c->is_captures)
		return;
	if (c->depth++ == 0) {
		c->capture++;
		c->event.len = 0;
	}
}

static void csv_view_object_end(struct view *v)
{
	struct csv_view *c = csv_view_of(v);

	c->depth -= c->depth > 0;
}

/*
 * Set is_captures if the list @key is "captures". Lists inside a capture are ignored, even if they
 * have the same key.
 */
static void csv_view_list(struct view *v, const char *key)
{
	struct csv_view *c = csv_view_of(v);

	if (c->depth == 0)
		c->is_captures = key && strcmp(key, "captures") == 0;
}

static void csv_view_list_end(struct view *v)
{
	struct csv_view *c = csv_view_of(v);

	if (c->depth == 0)
		c->is_captures = false;
}

static void csv_view_field(struct view *v, const char *key, const char *title, struct cell c)
{
	struct csv_view *csv = csv_view_of(v);

	(void)title;
	if (csv->depth == 1 && key && strcmp(key, "event") == 0 &&
	    (c.kind == CELL_TEXT || c.kind == CELL_WORD)) {
		csv->event.len = 0;
		out_str(&csv->event, c.s);
	}
}

static void csv_view_free(struct view *v)
{
	out_fini(&csv_view_of(v)->header);
	out_fini(&csv_view_of(v)->event);
	free(v);
}

static const struct view_ops csv_view_ops = {
	.object = csv_view_object,
	.object_end = csv_view_object_end,
	.list = csv_view_list,
	.list_end = csv_view_list_end,
	.field = csv_view_field,
	.table = csv_view_table,
	.row = csv_view_row,
	.free = csv_view_free,
};

struct view *view_csv(struct out *out)
{
	struct csv_view *c = xcalloc(1, sizeof(*c));

	c->base.ops = &csv_view_ops;
	c->base.out = out;
	out_init(&c->header);
	out_init(&c->event);
	return &c->base;
}
