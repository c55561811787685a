/* SPDX-License-Identifier: MIT */
#include "analyses/top/outer_trees.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/symbols.h"

/*
 * A tree is inside another one if a node of the other one, for the same function, has more than
 * this part (0 to 1) of its weight.
 */
#define OUTER_INSIDE 0.5
/*
 * The root of a row's tree has the row's weight, without its own samples in trees from caller to
 * callee. It may differ by this part, because perf top prints counts of different age. In -g
 * flat and folded each chain has a root, with the weight of the chain.
 */
#define OUTER_WHOLE 0.9

/* The heaviest node of a function below the root of a tree, and the root. */
struct outer_node {
	uint64_t weight;
	uint64_t root_weight;
	uint32_t root;
};

/*
 * Find the root with the name of the row's function. The other roots of a row are those of whole
 * stacks that end in the function, and have the weight of only these stacks. INDEX_NONE: none.
 */
static uint32_t outer_root(const struct capture *c, size_t number)
{
	const struct profile_table *t = &c->profile->table;
	const struct profile_row *row = &t->rows.data[number];
	const struct symbols *symbols = capture_symbols(c);
	double least;
	uint32_t end;

	if (row->tree == INDEX_NONE || !(row->has & ROW_HAS_CHILDREN) || !row->sym.v)
		return INDEX_NONE;
	/* shares of the parent branch: the share of a tree without a row is no share of the whole
	 */
	if (t->is_relative_assumed && t->nodes.data[row->tree].line == row->line)
		return INDEX_NONE;
	least = (double)row->children - (row->has & ROW_HAS_SELF ? (double)row->self : 0);
	end = profile_tree_end(t, number);
	for (uint32_t i = row->tree; i < end; i = t->nodes.data[i].end) {
		if (symbols_get(symbols, t->nodes.data[i].sym)->canonical.v ==
			    symbols_get(symbols, row->sym)->canonical.v &&
		    (double)t->nodes.data[i].weight >= OUTER_WHOLE * least &&
		    (double)t->nodes.data[i].weight * OUTER_WHOLE <= (double)row->children)
			return i;
	}
	return INDEX_NONE;
}

static int outer_compare(const void *a, const void *b)
{
	const struct outer_tree *x = a;
	const struct outer_tree *y = b;

	return x->weight != y->weight ? SORT_ORDER(y->weight, x->weight)
				      : SORT_ORDER(x->node, y->node);
}

static bool outer_is_inside(const struct profile_table *t, const struct outer_node *inner,
			    const struct outer_tree *tree)
{
	const struct outer_node *n = &inner[t->nodes.data[tree->node].sym.v];

	if ((double)n->weight <= OUTER_INSIDE * (double)tree->weight)
		return false;
	return n->root_weight > tree->weight ||
	       (n->root_weight == tree->weight && n->root < tree->node);
}

void outer_trees_find(const struct capture *c, struct outer_trees *ret)
{
	const struct profile_table *t = &c->profile->table;
	struct outer_node *inner;
	size_t n = 0;

	*ret = (struct outer_trees){ .is_assumed = t->order == CHAIN_UNKNOWN };
	if (t->order != CHAIN_CALLER && t->order != CHAIN_UNKNOWN)
		return;
	inner = xcalloc(capture_symbols(c)->rows.len, sizeof(*inner));
	for (size_t i = 0; i < t->rows.len; i++) {
		struct outer_tree tree = { .row = (uint32_t)i,
					   .node = outer_root(c, i),
					   .weight = t->rows.data[i].children };

		if (tree.node == INDEX_NONE)
			continue;
		*VEC_PUSH(&ret->rows) = tree;
		for (uint32_t k = tree.node + 1; k < t->nodes.data[tree.node].end; k++) {
			struct outer_node *in = &inner[t->nodes.data[k].sym.v];

			if (t->nodes.data[k].weight > in->weight &&
			    t->nodes.data[k].sym.v != t->nodes.data[tree.node].sym.v)
				*in = (struct outer_node){ t->nodes.data[k].weight, tree.weight,
							   tree.node };
		}
	}
	VEC_FOREACH (tree, &ret->rows) {
		if (!outer_is_inside(t, inner, tree))
			ret->rows.data[n++] = *tree;
	}
	ret->rows.len = n;
	VEC_SORT(&ret->rows, outer_compare);
	free(inner);
}

void outer_trees_fini(struct outer_trees *t)
{
	VEC_FREE(&t->rows);
}
