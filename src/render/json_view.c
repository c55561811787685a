/* SPDX-License-Identifier: MIT */
#include "base/alloc.h"
#include "base/text/json.h"
#include "render/view.h"

#include <math.h>
#include <stdio.h>

struct json_view {
	struct view base;
	struct json json;
	/*
	 * nesting depth inside an object or list that is not printed because it has no key, counted
	 * from 1; 0: output is printed
	 */
	unsigned int hidden;
};

static struct json_view *json_view_of(struct view *v)
{
	return (struct json_view *)v;
}

static bool json_view_in_object(const struct json *j)
{
	return j->depth > 0 && j->is_object[j->depth - 1];
}

/*
 * If the value is a member of an object, write @key. Returns false if the value must not be
 * printed. This is so if it is a member of an object and has no key, or if it is inside an object
 * or list that is not printed (json_view.hidden).
 */
static bool json_view_key(struct json_view *j, const char *key)
{
	if (j->hidden)
		return false;
	if (!json_view_in_object(&j->json))
		return true;
	if (!key)
		return false;
	json_key(&j->json, key);
	return true;
}

static void json_view_begin(struct view *v, const char *schema)
{
	struct json_view *j = json_view_of(v);

	json_object(&j->json);
	json_key(&j->json, "schema");
	json_z(&j->json, schema);
}

static void json_view_object(struct view *v, const char *key, const char *title)
{
	struct json_view *j = json_view_of(v);

	(void)title;
	if (json_view_key(j, key))
		json_object(&j->json);
	else
		j->hidden++;
}

static void json_view_object_end(struct view *v)
{
	struct json_view *j = json_view_of(v);

	if (j->hidden)
		j->hidden--;
	else
		json_object_end(&j->json);
}

static void json_view_list(struct view *v, const char *key)
{
	struct json_view *j = json_view_of(v);

	if (json_view_key(j, key))
		json_array(&j->json);
	else
		j->hidden++;
}

static void json_view_list_end(struct view *v)
{
	struct json_view *j = json_view_of(v);

	if (j->hidden)
		j->hidden--;
	else
		json_array_end(&j->json);
}

static void json_view_value(struct json *j, struct cell c)
{
	switch ((enum cell_kind)c.kind) {
	case CELL_NONE:
	case CELL_NULL:
		json_null(j);
		break;
	case CELL_TEXT:
	case CELL_WORD:
		json_str(j, c.s);
		break;
	case CELL_COUNT:
	case CELL_NS:
	case CELL_LINE:
		json_u64(j, c.u);
		break;
	case CELL_FIXED:
		json_fixed(j, c.i, c.decimals);
		break;
	case CELL_REAL:
		json_double(j, c.d);
		break;
	case CELL_BOOL:
		json_bool(j, c.b);
		break;
	}
}

static void json_view_pair(struct json_view *j, const char *key, struct cell c)
{
	char err_key[64];

	if (c.kind == CELL_NONE || (c.kind == CELL_REAL && isnan(c.d)) || !json_view_key(j, key))
		return;
	json_view_value(&j->json, c);
	if (c.err < 0 || !key)
		return;
	(void)snprintf(err_key, sizeof(err_key), "%s_err", key);
	json_key(&j->json, err_key);
	json_double(&j->json, c.err);
}

static void json_view_field(struct view *v, const char *key, const char *title, struct cell c)
{
	(void)title;
	json_view_pair(json_view_of(v), key, c);
}

static void json_view_table(struct view *v, const struct view_table *t)
{
	json_view_list(v, t->key);
}

static void json_view_row(struct view *v, const struct cell *cells, unsigned int depth)
{
	struct json_view *j = json_view_of(v);
	bool is_tree = false;

	if (j->hidden)
		return;
	json_object(&j->json);
	for (unsigned int i = 0; i < v->table->n_columns; i++) {
		const struct view_column *col = &v->table->columns[i];

		if (col->key)
			json_view_pair(j, col->key, cells[i]);
		is_tree |= (col->flags & COLUMN_TREE) != 0;
	}
	if (is_tree) {
		json_key(&j->json, "depth");
		json_u64(&j->json, depth);
	}
	json_object_end(&j->json);
}

static void json_view_end(struct view *v)
{
	json_object_end(&json_view_of(v)->json);
}

static void json_view_free(struct view *v)
{
	free(v);
}

static const struct view_ops json_view_ops = {
	.begin = json_view_begin,
	.object = json_view_object,
	.object_end = json_view_object_end,
	.list = json_view_list,
	.list_end = json_view_list_end,
	.field = json_view_field,
	.table = json_view_table,
	.row = json_view_row,
	.table_end = json_view_list_end,
	.end = json_view_end,
	.free = json_view_free,
};

struct view *view_json(struct out *out)
{
	struct json_view *j = xcalloc(1, sizeof(*j));

	j->base.ops = &json_view_ops;
	j->base.out = out;
	json_init(&j->json, out, /* pretty= */ true);
	return &j->base;
}
