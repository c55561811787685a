/* SPDX-License-Identifier: MIT */
#include "cmds/screen/profile_pages.h"

#include "analyses/top/top.h"
#include "analyses/top/tree.h"
#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cmds/run/session.h"
#include "cmds/show/profile/show_profile.h"
#include "cmds/show/show.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "render/view.h"

#include <stdio.h>
#include <string.h>

#define PAGES_BAR_WIDTH   120u /* on narrower terminals, the table has no bars */
#define PAGES_DSO_WIDTH   60u  /* on narrower terminals, a table of functions has no files */
#define PAGES_COMM_WIDTH  90u  /* on narrower terminals, the table has no commands */
#define PAGES_COUNT_WIDTH 100u /* on narrower terminals, the table has no numbers of samples */
#define PAGES_SUM_WIDTH   40u
/* smallest share of a caller or callee to print, in percent of the total */
#define PAGES_TREE_LIMIT 0.1

void pages_clear(struct pages *p)
{
	p->rows.len = 0;
	p->n_hidden = 0;
	arena_clear(&p->arena);
}

void pages_fini(struct pages *p)
{
	VEC_FREE(&p->rows);
	arena_fini(&p->arena);
}

const struct page_row *pages_row_at(const struct pages *p, size_t line)
{
	VEC_FOREACH (row, &p->rows) {
		if (row->line == line)
			return row;
	}
	return NULL;
}

static size_t pages_lines(const struct out *out)
{
	size_t n = 0;

	for (size_t i = 0; out->fd < 0 && i < out->len; i++)
		n += out->data[i] == '\n';
	return n;
}

/*
 * Set the line number of each row from index @first on. Call this when the table is complete,
 * because its rows are then the last lines of the body.
 */
static void pages_lay(struct pages *p, const struct view *v, size_t first)
{
	size_t n = pages_lines(v->out);
	size_t n_rows = p->rows.len - first;

	for (size_t i = first; i < p->rows.len && n >= n_rows; i++)
		p->rows.data[i].line = n - n_rows + (i - first);
}

static struct page_row *pages_add(struct pages *p, struct str text)
{
	struct page_row *row = VEC_PUSH(&p->rows);

	*row = (struct page_row){
		.text = arena_str(&p->arena, text),
		.node = INDEX_NONE,
		.line = SIZE_MAX,
	};
	return row;
}

/* Whether a name in the row contains the filter. */
static bool pages_passes(const struct pages *p, const struct top *top, const struct top_row *row,
			 struct str wanted)
{
	for (size_t k = 0; k < top->n_keys && wanted.len; k++) {
		char buffer[24];

		if (str_contains_nocase(top_key_text(p->capture, top, row, k, buffer), wanted))
			return true;
	}
	return wanted.len == 0;
}

static void pages_table_row(struct pages *p, const struct top *top, const struct top_row *row)
{
	char buffer[24];
	struct page_row *line =
		pages_add(p, top_key_text(p->capture, top, row, top->n_keys - 1, buffer));

	for (size_t k = 0; k < top->n_keys; k++) {
		uint32_t key = row->keys[k];

		switch (top->keys[k].key) {
		case TOP_TID:
			line->tid = key;
			break;
		case TOP_SYM:
			line->sym = (sym_id){ key };
			break;
		case TOP_DSO:
			line->dso = (str_id){ key };
			break;
		case TOP_COMM:
			line->comm = (str_id){ key };
			break;
		default:
			break;
		}
	}
}

/*
 * Choose the columns that fit the width. From most to least important, these are: the last name,
 * shares, other names, numbers of samples, bars.
 */
static void pages_columns(const struct pages *p, struct show *s, const struct top *top,
			  bool is_by_children, struct profile_columns *cols)
{
	unsigned int width = p->width ? p->width : UINT32_MAX;
	bool has_sum = top->has_children && width >= PAGES_SUM_WIDTH;

	const char *self = profile_has_self(p->capture->profile) ? "Self %" : NULL;

	/* the column by which rows are sorted comes first */
	if (!is_by_children)
		show_profile_column(cols, "self", self, COLUMN_HEAT);
	show_profile_column(cols, "children", has_sum ? "Children %" : NULL, COLUMN_HEAT);
	if (is_by_children)
		show_profile_column(cols, "self", self, COLUMN_HEAT);
	show_profile_column(cols, NULL, width < PAGES_BAR_WIDTH ? NULL : "", COLUMN_BAR);
	show_profile_column(
		cols, "samples",
		width < PAGES_COUNT_WIDTH ? NULL : show_profile_samples_title(p->capture->profile),
		COLUMN_MINOR);
	show_profile_key_columns(s, p->capture, top, cols);
	for (unsigned int i = 0; i < cols->n && top->n_keys > 1; i++) {
		const char *key = cols->columns[i].key;

		if (!key)
			continue;
		if ((width < PAGES_DSO_WIDTH && strcmp(key, "dso") == 0) ||
		    (width < PAGES_COMM_WIDTH && top->n_keys > 2 && strcmp(key, "comm") == 0))
			cols->columns[i].title = NULL;
	}
}

static void pages_rows(struct pages *p, struct show *s, const struct top *top,
		       const struct page_table *t)
{
	struct profile_columns cols = { .n = 0 };
	struct view_table table = { .key = "rows", .is_main = true };
	uint64_t max = t->max && t->max < PAGE_ROWS_MAX ? t->max : PAGE_ROWS_MAX;
	bool has_self = profile_has_self(p->capture->profile);
	size_t first = p->rows.len;

	pages_columns(p, s, top, t->is_by_children, &cols);
	table.columns = cols.columns;
	table.n_columns = cols.n;
	view_table(s->v, &table);
	VEC_FOREACH (row, &top->rows) {
		struct cell cells[TOP_MAX_KEYS * 4 + 8];
		double share =
			t->is_by_children && row->has_children ? row->children_pct : row->self_pct;
		unsigned int n = 0;

		if (!pages_passes(p, top, row, t->filter))
			continue;
		if (p->rows.len - first >= max) {
			p->n_hidden++;
			continue;
		}
		pages_table_row(p, top, row);
		cells[!t->is_by_children ? 0 : 1] =
			has_self ? show_profile_pct(row->self_pct, -1) : cell_null();
		cells[t->is_by_children ? 0 : 1] =
			row->has_children ? show_profile_pct(row->children_pct, -1) : cell_none();
		n = 2;
		cells[n++] = cell_real(share, 2);
		cells[n++] = row->has_samples ? cell_count(row->samples) : cell_none();
		(void)show_profile_key_cells(s, p->capture, top, row, cells + n);
		view_row(s->v, cells);
	}
	view_table_end(s->v);
	pages_lay(p, s->v, first);
	if (p->rows.len == first)
		view_line(s->v, NULL, "no row%s" STR_FMT "%s", t->filter.len ? " with '" : "",
			  STR_ARG(t->filter), t->filter.len ? "'" : "");
}

void pages_table(struct pages *p, struct view *v, const struct page_table *t)
{
	struct show show = { .session = p->session, .v = v };
	struct error err = { "" };
	struct top top;

	if (top_compute(p->capture, &p->session->cats, t->spec, &top, &err) < 0) {
		view_line(v, NULL, "%s", err.msg);
		return;
	}
	pages_rows(p, &show, &top, t);
	top_fini(&top);
	show_fini(&show);
}

/* Whether all ancestors of the node show their children. */
static bool pages_is_in_view(const struct tree *tree, const uint8_t *is_open, uint32_t node)
{
	uint32_t at = tree->nodes.data[node].parent;

	for (; is_open && at != INDEX_NONE; at = tree->nodes.data[at].parent) {
		if (!is_open[at])
			return false;
	}
	return true;
}

/*
 * The name of a node. If the user can open nodes, "+ " precedes the name of a closed node, and "- "
 * the name of an open one.
 */
static struct cell pages_node_name(struct pages *p, struct show *s, const struct tree *tree,
				   uint32_t node, const uint8_t *is_open)
{
	const struct symbol *sym =
		symbols_get(capture_symbols(p->capture), tree->nodes.data[node].sym);
	struct cell name = show_profile_symbol(s, sym);
	bool has_children = tree->nodes.data[node].end > node + 1;

	if (!is_open)
		return name;
	return cell_text(show_format(s, "%s" STR_FMT,
				     !has_children   ? "  "
				     : is_open[node] ? "- "
						     : "+ ",
				     STR_ARG(name.s)));
}

void pages_tree(struct pages *p, struct view *v, const struct tree *tree, const uint8_t *is_open)
{
	bool is_callers = tree->order == CHAIN_CALLEE;
	static const struct view_column columns[] = {
		{ "total", "Total %", COLUMN_HEAT },
		{ "self", "Self %", COLUMN_HEAT | COLUMN_NO_ZERO },
		{ "symbol", "Symbol", COLUMN_TREE | COLUMN_FLEX },
		{ "dso", "Shared Object", COLUMN_FLEX | COLUMN_MINOR },
	};
	const struct view_table table = { .key = is_callers ? "callers" : "callees",
					  .columns = columns,
					  .n_columns = ARRAY_LEN(columns) };
	struct show show = { .session = p->session, .v = v };
	size_t first = p->rows.len;

	view_table(v, &table);
	for (uint32_t i = 0; i < tree->nodes.len; i++) {
		const struct tree_node *node = &tree->nodes.data[i];
		const struct symbol *s = symbols_get(capture_symbols(p->capture), node->sym);
		struct str dso = strings_get(capture_strings(p->capture), s->module);

		if (!pages_is_in_view(tree, is_open, i))
			continue;
		struct cell cells[] = {
			show_profile_pct(tree_pct(tree, node->weight), -1),
			is_callers ? cell_none() : show_profile_pct(tree_pct(tree, node->self), -1),
			pages_node_name(p, &show, tree, i, is_open),
			show_profile_dso(&show, dso),
		};
		struct page_row *row =
			pages_add(p, strings_get(capture_strings(p->capture), s->name));

		row->sym = node->sym;
		row->dso = s->module;
		row->node = i;
		view_node(v, cells, node->depth);
	}
	view_table_end(v);
	pages_lay(p, v, first);
	show_fini(&show);
}

static void pages_side(struct pages *p, struct view *v, sym_id sym, bool is_callers)
{
	const struct tree_spec spec = {
		.direction = is_callers ? TREE_CALLERS : TREE_CALLEES,
		.start = sym,
		.percent_limit = PAGES_TREE_LIMIT,
		.max_nodes = PAGE_ROWS_MAX,
	};
	struct error err = { "" };
	struct tree tree;

	view_heading(v, is_callers ? STR("Callers") : STR("Callees"), "of " STR_FMT,
		     STR_ARG(symbols_name(capture_symbols(p->capture), sym)));
	if (tree_build(p->capture, &spec, &tree, &err) < 0) {
		view_line(v, NULL, "%s", err.msg);
		return;
	}
	pages_tree(p, v, &tree, NULL);
	tree_fini(&tree);
}

void pages_callers(struct pages *p, struct view *v, sym_id sym)
{
	pages_side(p, v, sym, true);
	pages_side(p, v, sym, false);
}
