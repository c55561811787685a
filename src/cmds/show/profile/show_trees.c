/* SPDX-License-Identifier: MIT */
/* show_trees.c - call trees of a profile in the styles of perf report -g */
#include "analyses/top/top.h"
#include "analyses/top/tree.h"
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
#include "core/profile_inclusive.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "render/view.h"

/*
 * smallest share of a tree node, in percent, as in perf; smaller nodes are combined into one node
 */
#define TREES_LIMIT_PCT 0.5

/*
 * The name of a symbol. If the symbol is only one source line or file of a function, the line or
 * file is appended.
 */
static struct str trees_name(struct show *s, const struct symbol *sym)
{
	struct str name = show_string(s, sym->name);

	if (!sym->place.v)
		return name;
	return show_format(s, STR_FMT " " STR_FMT, STR_ARG(name),
			   STR_ARG(show_string(s, sym->place)));
}

static struct cell trees_symbol(struct show *s, const struct symbol *sym)
{
	char level = symbol_level_of_space(sym->space);

	if (!sym->place.v)
		return show_profile_symbol(s, sym);
	if (level == ' ' || s->session->to.is_json || s->session->to.is_csv)
		return cell_text(trees_name(s, sym));
	return cell_text(show_format(s, "[%c] " STR_FMT, level, STR_ARG(trees_name(s, sym))));
}

static void trees_node(struct show *s, const struct capture *c, const struct tree_node *node,
		       unsigned int depth, struct cell total, struct cell self)
{
	const struct symbol *sym = symbols_get(capture_symbols(c), node->sym);
	struct cell cells[] = {
		total,
		self,
		node->is_other ? cell_word("[...]") : trees_symbol(s, sym),
		show_profile_dso(s, show_string(s, sym->module)),
		cell_line(node->line),
	};

	view_node(s->v, cells, depth);
}

/*
 * Whether printed trees show the cost, and samples only the small self shares of the rows. The
 * weight that a node has beyond its branches is then no self share: branches may be folded.
 */
static bool trees_are_inclusive(const struct capture *c)
{
	struct profile_inclusive unused;

	return c->profile->table.nodes.len && profile_is_inclusive(c->profile, &unused);
}

/* Print a tree. In fractal style, shares are percentages of the parent node. */
static void trees_nodes(struct show *s, const struct capture *c, const struct tree *tree)
{
	bool is_fractal = s->profile->tree_style == SHOW_TREE_FRACTAL;
	bool is_inclusive = tree->is_printed && trees_are_inclusive(c);

	VEC_FOREACH (node, &tree->nodes) {
		uint64_t whole = is_fractal && node->parent != INDEX_NONE
					 ? tree->nodes.data[node->parent].weight
					 : tree->total;
		double factor = whole ? (double)tree->total / (double)whole : 0;

		trees_node(s, c, node, node->depth,
			   show_profile_pct(tree_pct(tree, node->weight) * factor, tree->node_err),
			   is_inclusive ? cell_null()
					: show_profile_pct(tree_pct(tree, node->self) * factor,
							   tree->node_err));
	}
}

static int trees_compare(const void *a, const void *b, void *context)
{
	const struct tree *tree = context;
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	if (tree->nodes.data[x].self != tree->nodes.data[y].self)
		return tree->nodes.data[x].self < tree->nodes.data[y].self ? 1 : -1;
	return (x > y) - (x < y);
}

/* Print a chain as one row: "main;f;g". */
static void trees_folded(struct show *s, const struct capture *c, const struct tree *tree,
			 const uint32_t *path, size_t n, struct cell share)
{
	const struct symbols *symbols = capture_symbols(c);
	struct out chain = { .fd = -1 };

	for (size_t i = 0; i < n; i++)
		out_printf(&chain, "%s" STR_FMT, i ? ";" : "",
			   STR_ARG(trees_name(
				   s, symbols_get(symbols, tree->nodes.data[path[i]].sym))));
	struct cell cells[] = { share, cell_none(), cell_text(out_view(&chain)), cell_none(),
				cell_none() };

	view_node(s->v, cells, 0);
	out_fini(&chain);
}

/*
 * Print whole chains, heaviest first. The share of a chain counts the samples that have exactly
 * this chain.
 */
static void trees_chains(struct show *s, const struct capture *c, const struct tree *tree)
{
	VEC(uint32_t) ends = VEC_INIT;
	VEC(uint32_t) path = VEC_INIT;

	for (uint32_t i = 0; i < tree->nodes.len; i++) {
		if (tree->nodes.data[i].self)
			*VEC_PUSH(&ends) = i;
	}
	if (ends.len)
		qsort_r(ends.data, ends.len, sizeof(uint32_t), trees_compare,
			(void *)(uintptr_t)tree);
	VEC_FOREACH (end, &ends) {
		const struct tree_node *last = &tree->nodes.data[*end];
		struct cell share = show_profile_pct(tree_pct(tree, last->self), tree->node_err);
		size_t n = (size_t)last->depth + 1;

		path.len = 0;
		VEC_RESERVE(&path, n);
		path.len = n;
		for (uint32_t at = *end; n-- > 0 && at != INDEX_NONE;
		     at = tree->nodes.data[at].parent)
			path.data[n] = at;
		if (s->profile->tree_style == SHOW_TREE_FOLDED) {
			trees_folded(s, c, tree, path.data, path.len, share);
			continue;
		}
		VEC_FOREACH (at, &path) {
			bool is_first = at == path.data;

			trees_node(s, c, &tree->nodes.data[*at], !is_first,
				   is_first ? share : cell_none(), cell_none());
		}
	}
	VEC_FREE(&ends);
	VEC_FREE(&path);
}

static void trees_show(struct show *s, const struct capture *c, const struct tree *tree)
{
	if (s->profile->tree_style >= SHOW_TREE_FLAT)
		trees_chains(s, c, tree);
	else
		trees_nodes(s, c, tree);
}

/* Print the call trees of the rows of a printed report. */
static void trees_printed(struct show *s, const struct capture *c, const struct top *top,
			  double limit)
{
	VEC_FOREACH (row, &top->rows) {
		struct tree tree;

		if (row->first_row == INDEX_NONE ||
		    tree_of_row(c, row->first_row, limit, &tree, NULL) < 0)
			continue;
		trees_show(s, c, &tree);
		tree_fini(&tree);
	}
}

/* Print a call tree for each function that has a row. */
static void trees_of_symbols(struct show *s, const struct capture *c, const struct top *top,
			     struct tree_spec *spec)
{
	size_t key = 0;

	if (!show_profile_has_key(top, TOP_SYM, &key))
		return;
	VEC_FOREACH (row, &top->rows) {
		struct tree tree;

		spec->start = (sym_id){ row->keys[key] };
		if (tree_build(c, spec, &tree, NULL) < 0)
			continue;
		trees_show(s, c, &tree);
		tree_fini(&tree);
	}
}

int show_profile_trees(struct show *s, const struct capture *c, const struct top *top,
		       struct error *err)
{
	bool is_inclusive = trees_are_inclusive(c);
	const struct view_column columns[] = {
		{ "total", "Total %", COLUMN_HEAT | COLUMN_ERR },
		{ "self", is_inclusive ? NULL : "Self %",
		  COLUMN_HEAT | COLUMN_NO_ZERO | COLUMN_ERR },
		{ "symbol", "Symbol", COLUMN_TREE | COLUMN_FLEX },
		{ "dso", "Shared Object", COLUMN_FLEX },
		{ "line", "Line", 0 },
	};
	const struct view_table table = { .key = "tree",
					  .columns = columns,
					  .n_columns = ARRAY_LEN(columns),
					  .is_main = s->profile->has_tree,
					  .is_json_only = c->excerpt_of != INDEX_NONE };
	const struct show_profile_options *opt = s->profile;
	struct tree_spec spec = {
		.direction = opt->is_callers ? TREE_CALLERS : TREE_CALLEES,
		.percent_limit = opt->tree_limit > 0           ? opt->tree_limit
				 : opt->spec.percent_limit > 0 ? opt->spec.percent_limit
							       : TREES_LIMIT_PCT,
	};
	bool has_samples = c->profile->samples.n > 0 && !is_inclusive;
	struct tree tree = { .total = 0 };

	if (opt->spec.comms.n == 1 && !c->profile->is_selected)
		spec.comm = strings_find(capture_strings(c), opt->spec.comms.names[0]);
	if (has_samples && opt->spec.symbols.n == 0) {
		int r = tree_build(c, &spec, &tree, err);

		if (r < 0)
			return r;
	}
	view_table(s->v, &table);
	if (!has_samples)
		trees_printed(s, c, top, spec.percent_limit);
	else if (opt->spec.symbols.n)
		trees_of_symbols(s, c, top, &spec);
	else
		trees_show(s, c, &tree);
	view_table_end(s->v);
	tree_fini(&tree);
	return OK;
}
