/* SPDX-License-Identifier: MIT */
#include "render/view.h"

#include "base/alloc.h"
#include "base/str.h"
#include "render/escape.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

void view_free(struct view *v)
{
	if (v)
		v->ops->free(v);
}

void view_begin(struct view *v, const char *schema)
{
	if (v->ops->begin)
		v->ops->begin(v, schema);
}

int view_end(struct view *v, struct error *err)
{
	assert(!v->table && v->n_objects == 0);
	if (v->ops->end)
		v->ops->end(v);
	return out_finish(v->out, err);
}

void view_object(struct view *v, const char *key, const char *title)
{
	assert(!v->table);
	v->n_objects++;
	v->ops->object(v, key, title);
}

void view_object_end(struct view *v)
{
	assert(v->n_objects > 0);
	v->n_objects--;
	if (v->ops->object_end)
		v->ops->object_end(v);
}

void view_list(struct view *v, const char *key)
{
	assert(!v->table);
	v->n_objects++;
	if (v->ops->list)
		v->ops->list(v, key);
}

void view_list_end(struct view *v)
{
	assert(v->n_objects > 0);
	v->n_objects--;
	if (v->ops->list_end)
		v->ops->list_end(v);
}

void view_field(struct view *v, const char *key, const char *title, struct cell cell)
{
	assert(!v->table);
	v->ops->field(v, key, title, cell);
}

/* Format a text like vprintf, with unlimited length, and append it to @out. */
static void PRINTF(2, 0) view_vprintf(struct out *out, const char *fmt, va_list ap)
{
	char buf[512];
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(buf, sizeof(buf), fmt, ap);
	if (n >= 0 && (size_t)n < sizeof(buf)) {
		out_bytes(out, buf, (size_t)n);
	} else if (n >= 0) {
		char *big = xmalloc((size_t)n + 1);

		(void)vsnprintf(big, (size_t)n + 1, fmt, again);
		out_bytes(out, big, (size_t)n);
		free(big);
	}
	va_end(again);
}

/* Format a sentence, escape unsafe characters, and pass the sentence to the back-end. */
static void PRINTF(4, 0) view_sentence(struct view *v, const char *title, enum line_kind kind,
				       const char *fmt, va_list ap)
{
	struct out raw = { .fd = -1 };
	struct out clean = { .fd = -1 };

	assert(!v->table);
	if (!v->ops->line)
		return;
	view_vprintf(&raw, fmt, ap);
	escape_text(&clean, out_view(&raw));
	v->ops->line(v, title, out_view(&clean), kind);
	out_fini(&raw);
	out_fini(&clean);
}

void view_line(struct view *v, const char *title, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	view_sentence(v, title, LINE_PLAIN, fmt, ap);
	va_end(ap);
}

void view_item(struct view *v, const char *mark, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	view_sentence(v, mark, LINE_ITEM, fmt, ap);
	va_end(ap);
}

void view_heading(struct view *v, struct str bold, const char *fmt, ...)
{
	struct out raw = { .fd = -1 };
	struct out title = { .fd = -1 };
	struct out clean = { .fd = -1 };
	va_list ap;

	assert(!v->table);
	va_start(ap, fmt);
	view_vprintf(&raw, fmt, ap);
	va_end(ap);
	escape_text(&title, bold);
	out_char(&title, '\0');
	escape_text(&clean, out_view(&raw));
	if (v->ops->line)
		v->ops->line(v, title.data, out_view(&clean), LINE_HEADING);
	out_fini(&raw);
	out_fini(&title);
	out_fini(&clean);
}

void view_table(struct view *v, const struct view_table *t)
{
	assert(!v->table && t->n_columns <= VIEW_COLUMNS_MAX);
	v->table_copy = *t;
	memcpy(v->columns, t->columns, t->n_columns * sizeof(*t->columns));
	v->table_copy.columns = v->columns;
	v->table = &v->table_copy;
	v->n_rows = 0;
	v->is_row_left_out = false;
	v->ops->table(v, v->table);
}

void view_row(struct view *v, const struct cell *cells)
{
	view_node(v, cells, 0);
}

void view_node(struct view *v, const struct cell *cells, unsigned int depth)
{
	assert(v->table);
	if (depth == 0) {
		v->n_rows++;
		v->is_row_left_out = v->row_limit && v->n_rows > v->row_limit &&
				     !v->table->has_no_header && !v->table->is_json_only;
		v->n_left_out += v->is_row_left_out;
	}
	if (!v->is_row_left_out)
		v->ops->row(v, cells, depth);
}

/*
 * Print how many rows were omitted. If tables are printed side by side, the line follows the last
 * of these tables.
 */
static void view_count_left_out(struct view *v)
{
	if (!v->n_left_out || v->n_side_by_side)
		return;
	view_line(v, NULL, "%" PRIu64 " more row%s; --limit 0 shows all", v->n_left_out,
		  v->n_left_out == 1 ? "" : "s");
	v->n_left_out = 0;
}

void view_table_end(struct view *v)
{
	assert(v->table);
	if (v->ops->table_end)
		v->ops->table_end(v);
	v->table = NULL;
	view_count_left_out(v);
}

void view_weigh(struct view *v, double factor)
{
	if (v->ops->weigh)
		v->ops->weigh(v, factor);
}

void view_side_by_side(struct view *v)
{
	if (v->ops->side_by_side)
		v->ops->side_by_side(v, true);
	v->n_side_by_side++;
}

void view_side_by_side_end(struct view *v)
{
	if (v->ops->side_by_side)
		v->ops->side_by_side(v, false);
	v->n_side_by_side -= v->n_side_by_side > 0;
	view_count_left_out(v);
}
