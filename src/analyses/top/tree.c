/* SPDX-License-Identifier: MIT */
/*
 * Build a call tree from the prefix tree of stacks.
 *
 * Each node of the result stands for a set of items. An item is a node of the prefix tree, with a
 * weight. The next level of the result is made from the items of a set. In a tree towards callers,
 * each item moves to its parent. In a tree towards callees, each item is replaced by its children.
 * The new items are then sorted by symbol, and all items with one symbol become a child of the
 * result's node.
 */
#include "analyses/top/tree.h"

#include "analyses/top/outer_trees.h"
#include "base/alloc.h"
#include "base/limits.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"

#define TREE_MAX_NODES 1000000u
/* up to this number of items, sorting by comparison is the fastest */
#define TREE_FEW 32u

struct tree_item {
	uint32_t node; /* node of the prefix tree */
	sym_id sym;    /* symbol of `node` */
	uint64_t weight;
};

/* A range of items with the same symbol, which becomes one node of the result. */
struct tree_group {
	size_t from;
	size_t n;
	uint64_t weight;
	sym_id sym;
};

struct tree_build {
	const struct profile *profile;
	const struct stacks *stacks;
	const struct symbols *symbols;
	const struct tree_spec *spec;
	struct tree *tree;
	uint64_t limit; /* nodes with a smaller weight are hidden */
	uint32_t max_depth;
	uint32_t max_nodes;
	/* the members up to `sibling` are indexed by node of the prefix tree */
	uint64_t *self;
	uint64_t *inclusive; /* weight with callees; only for TREE_CALLEES */
	uint32_t *child;     /* first child; 0: none; only for TREE_CALLEES */
	uint32_t *sibling;
	VEC(struct tree_item) items;
	/*
	 * used as a stack: the groups of the first level, then those of each deeper level, down to
	 * the current node. The nodes of a level are made from its groups
	 */
	VEC(struct tree_group) groups;
};

static uint64_t tree_whole(const struct profile *p)
{
	uint64_t sum = p->left_out;
	uint64_t whole = 100;

	if (profile_sample_unit(p) == WEIGHT_PERCENT)
		return whole * profile_scale(p);
	VEC_FOREACH (w, &p->samples.weight)
		sum += *w;
	return sum;
}

double tree_pct(const struct tree *t, uint64_t weight)
{
	return t->total ? 100 * (double)weight / (double)t->total : 0;
}

static bool tree_is_comm(const struct tree_build *b, uint32_t node)
{
	return symbols_get(b->symbols, b->stacks->sym.data[node])->space == SPACE_COMM;
}

/* Indexed by node: its command (str_id.v), from the outermost frame of the stack. */
static uint32_t *tree_comms(const struct tree_build *b)
{
	uint32_t n = stacks_count(b->stacks);
	uint32_t *comm = xcalloc(n, sizeof(*comm));

	for (uint32_t i = 1; i < n; i++) {
		uint32_t parent = b->stacks->parent.data[i];
		const struct symbol *s = symbols_get(b->symbols, b->stacks->sym.data[i]);

		comm[i] = parent == 0 && s->space == SPACE_COMM ? s->name.v : comm[parent];
	}
	return comm;
}

/* Add the weights of the samples that pass spec.comm to b->self, by node. */
static void tree_add_samples(struct tree_build *b)
{
	const struct profile *p = b->profile;
	const struct samples *s = &p->samples;
	uint32_t *comm = b->spec->comm.v ? tree_comms(b) : NULL;

	for (size_t i = 0; i < s->n; i++) {
		uint32_t node = s->stack.data[i].v;

		if (comm) {
			uint32_t own = comm[node];

			if (own == 0 && s->thread.len)
				own = p->threads.data[s->thread.data[i]].comm.v;
			if (own != b->spec->comm.v)
				continue;
		}
		b->self[node] += s->weight.data[i];
	}
	free(comm);
}

static void tree_link_children(struct tree_build *b)
{
	uint32_t n = stacks_count(b->stacks);

	b->inclusive = xcalloc(n, sizeof(*b->inclusive));
	b->child = xcalloc(n, sizeof(*b->child));
	b->sibling = xcalloc(n, sizeof(*b->sibling));
	for (uint32_t i = n; i-- > 1;) {
		uint32_t parent = b->stacks->parent.data[i];

		b->inclusive[i] += b->self[i];
		if (b->inclusive[i] == 0)
			continue;
		b->inclusive[parent] += b->inclusive[i];
		b->sibling[i] = b->child[parent];
		b->child[parent] = i;
	}
}

static void tree_push(struct tree_build *b, uint32_t node, uint64_t weight)
{
	*VEC_PUSH(&b->items) = (struct tree_item){ node, b->stacks->sym.data[node], weight };
}

/*
 * Whether to fold node @i of the prefix tree into its parent, because the function calls itself.
 * Unknown functions are not folded: they have the same name, but may be different functions.
 */
static bool tree_is_folded(const struct tree_build *b, uint32_t i)
{
	uint32_t parent = b->stacks->parent.data[i];
	sym_id sym = b->stacks->sym.data[i];
	sym_id up = b->stacks->sym.data[parent];

	return b->spec->folds_recursion && parent &&
	       str_eq(symbols_canonical(b->symbols, sym), symbols_canonical(b->symbols, up)) &&
	       str_eq(symbols_module(b->symbols, sym), symbols_module(b->symbols, up)) &&
	       !str_starts(symbols_name(b->symbols, sym), STR("[unknown"));
}

/*
 * Add the children of @node as items. Commands and folded recursive calls are replaced by their
 * children. Returns the self weight of @node and of the folded calls.
 */
static uint64_t tree_push_children(struct tree_build *b, uint32_t node)
{
	uint64_t self = b->self[node];

	for (uint32_t i = b->child[node]; i; i = b->sibling[i]) {
		if (tree_is_comm(b, i)) {
			for (uint32_t k = b->child[i]; k; k = b->sibling[k])
				tree_push(b, k, b->inclusive[k]);
		} else if (tree_is_folded(b, i)) {
			self += tree_push_children(b, i);
		} else {
			tree_push(b, i, b->inclusive[i]);
		}
	}
	return self;
}

static void tree_start_callees(struct tree_build *b)
{
	uint32_t n = stacks_count(b->stacks);
	sym_id start = b->spec->start;
	uint8_t *below;

	tree_link_children(b);
	if (start.v == 0) {
		(void)tree_push_children(b, 0);
		return;
	}
	below = xcalloc(n, 1);
	for (uint32_t i = 1; i < n; i++) {
		uint32_t parent = b->stacks->parent.data[i];

		below[i] = below[parent] || (parent && b->stacks->sym.data[parent].v == start.v);
		if (!below[i] && b->stacks->sym.data[i].v == start.v && b->inclusive[i])
			tree_push(b, i, b->inclusive[i]);
	}
	free(below);
}

static void tree_start_callers(struct tree_build *b)
{
	uint32_t n = stacks_count(b->stacks);
	sym_id start = b->spec->start;
	uint32_t *nearest;
	uint64_t *weight;

	if (start.v == 0 || b->spec->self_only) {
		for (uint32_t i = 1; i < n; i++) {
			if (b->self[i] && !tree_is_comm(b, i) &&
			    (start.v == 0 || b->stacks->sym.data[i].v == start.v))
				tree_push(b, i, b->self[i]);
		}
		return;
	}
	nearest = xcalloc(n, sizeof(*nearest));
	weight = xcalloc(n, sizeof(*weight));
	for (uint32_t i = 1; i < n; i++) {
		nearest[i] = b->stacks->sym.data[i].v == start.v
				     ? i
				     : nearest[b->stacks->parent.data[i]];
		weight[nearest[i]] += b->self[i];
	}
	for (uint32_t i = 1; i < n; i++) {
		if (weight[i])
			tree_push(b, i, weight[i]);
	}
	free(nearest);
	free(weight);
}

static int tree_compare_items(const void *pa, const void *pb)
{
	const struct tree_item *a = pa;
	const struct tree_item *b = pb;

	return SORT_ORDER(a->sym.v, b->sym.v) ?: SORT_ORDER(a->node, b->node);
}

static int tree_compare_groups(const void *pa, const void *pb, void *arg)
{
	const struct tree_group *a = pa;
	const struct tree_group *b = pb;
	const struct tree_build *build = arg;

	return SORT_ORDER(b->weight, a->weight) ?: str_cmp(symbols_name(build->symbols, a->sym), symbols_name(build->symbols, b->sym)) ?: SORT_ORDER(a->sym.v, b->sym.v);
}

static void tree_hide(struct tree_build *b, uint32_t parent, uint64_t weight)
{
	if (parent == INDEX_NONE)
		return;
	b->tree->nodes.data[parent].hidden += weight;
	b->tree->nodes.data[parent].hidden_nodes++;
}

static void tree_expand(struct tree_build *b, uint32_t parent, size_t from, size_t n,
			uint32_t depth);

/* Add a node for a group of items, and its subtree. */
static void tree_add(struct tree_build *b, uint32_t parent, struct tree_group g, uint32_t depth)
{
	uint32_t at = (uint32_t)b->tree->nodes.len;
	struct tree_node *node;
	uint64_t self = 0;
	size_t items = b->items.len;
	size_t kept = g.from;

	if (b->tree->nodes.len >= b->max_nodes) {
		b->tree->is_cut = true;
		tree_hide(b, parent, g.weight);
		return;
	}
	node = VEC_PUSH(&b->tree->nodes);
	memset(node, 0, sizeof(*node));
	node->weight = g.weight;
	node->sym = g.sym;
	node->parent = parent;
	node->depth = (uint16_t)depth;
	for (size_t i = g.from; i < g.from + g.n; i++) {
		struct tree_item item = b->items.data[i];
		uint32_t up = b->stacks->parent.data[item.node];

		if (b->spec->direction == TREE_CALLEES) {
			self += tree_push_children(b, item.node);
		} else if (up == 0 || tree_is_comm(b, up)) {
			self += item.weight;
		} else {
			b->items.data[kept++] =
				(struct tree_item){ up, b->stacks->sym.data[up], item.weight };
		}
	}
	b->tree->nodes.data[at].self = self;
	if (b->spec->direction == TREE_CALLEES)
		tree_expand(b, at, items, b->items.len - items, depth + 1);
	else
		tree_expand(b, at, g.from, kept - g.from, depth + 1);
	b->items.len = items;
	b->tree->nodes.data[at].end = (uint32_t)b->tree->nodes.len;
}

/* Sort items by symbol. */
static void tree_sort_items(struct tree_item *items, size_t n)
{
	CLEANUP(freep) struct sort_item *order = NULL;
	CLEANUP(freep) struct tree_item *copy = NULL;

	if (n <= TREE_FEW) {
		qsort(items, n, sizeof(*items), tree_compare_items);
		return;
	}
	order = xreallocarray(NULL, n, sizeof(*order));
	copy = xreallocarray(NULL, n, sizeof(*copy));
	for (size_t i = 0; i < n; i++)
		order[i] = (struct sort_item){ items[i].sym.v, (uint32_t)i };
	sort_items(order, n);
	memcpy(copy, items, n * sizeof(*copy));
	for (size_t i = 0; i < n; i++)
		items[i] = copy[order[i].value];
}

/*
 * Remove the groups from index @first on that are lighter than b->limit or too deep. Their weight
 * is added to `hidden` of node @parent.
 */
static void tree_hide_groups(struct tree_build *b, uint32_t parent, size_t first, uint32_t depth)
{
	size_t kept = first;

	for (size_t i = first; i < b->groups.len; i++) {
		struct tree_group g = b->groups.data[i];

		if (g.weight < b->limit || depth >= b->max_depth) {
			b->tree->is_cut |= depth >= b->max_depth;
			tree_hide(b, parent, g.weight);
		} else {
			b->groups.data[kept++] = g;
		}
	}
	b->groups.len = kept;
}

/*
 * Group the @n items from index @from on by symbol. Add each group as a child of node @parent,
 * heaviest first.
 */
static void tree_expand(struct tree_build *b, uint32_t parent, size_t from, size_t n,
			uint32_t depth)
{
	size_t first = b->groups.len;
	size_t end;

	if (n == 0)
		return;
	tree_sort_items(b->items.data + from, n);
	for (size_t i = from; i < from + n; i++) {
		struct tree_item item = b->items.data[i];

		if (b->groups.len == first || b->groups.data[b->groups.len - 1].sym.v != item.sym.v)
			*VEC_PUSH(&b->groups) = (struct tree_group){ i, 0, 0, item.sym };
		b->groups.data[b->groups.len - 1].n++;
		b->groups.data[b->groups.len - 1].weight += item.weight;
	}
	tree_hide_groups(b, parent, first, depth);
	end = b->groups.len;
	if (end > first)
		qsort_r(b->groups.data + first, end - first, sizeof(struct tree_group),
			tree_compare_groups, b);
	for (size_t i = first; i < end; i++)
		tree_add(b, parent, b->groups.data[i], depth);
	b->groups.len = first;
}

/* The smallest integer weight that is at least @pct percent of @total. */
static uint64_t tree_limit(uint64_t total, double pct)
{
	double limit = pct > 0 ? (double)total * pct / 100 : 0;
	uint64_t whole = (uint64_t)limit;

	return (double)whole < limit ? whole + 1 : whole;
}

int tree_build(const struct capture *c, const struct tree_spec *spec, struct tree *ret,
	       struct error *err)
{
	const struct profile *p = c->profile;
	struct tree_build b = { .profile = p, .spec = spec, .tree = ret };

	memset(ret, 0, sizeof(*ret));
	if (!p || (p->samples.n == 0 && !p->is_selected))
		return fail(err, ERR_USAGE, "this capture has no samples for a call tree");
	b.stacks = &p->stacks;
	b.symbols = capture_symbols(c);
	ret->unit = profile_sample_unit(p);
	ret->decimals = profile_sample_decimals(p);
	ret->total = tree_whole(p);
	ret->order = spec->direction == TREE_CALLEES ? CHAIN_CALLER : CHAIN_CALLEE;
	b.limit = tree_limit(ret->total, spec->percent_limit);
	b.max_depth = spec->max_depth && spec->max_depth < LIMIT_STACK_DEPTH ? spec->max_depth
									     : LIMIT_STACK_DEPTH;
	b.max_nodes = spec->max_nodes ? spec->max_nodes : TREE_MAX_NODES;
	b.self = xcalloc(stacks_count(b.stacks), sizeof(*b.self));
	tree_add_samples(&b);
	if (spec->direction == TREE_CALLEES)
		tree_start_callees(&b);
	else
		tree_start_callers(&b);
	tree_expand(&b, INDEX_NONE, 0, b.items.len, 0);
	free(b.self);
	free(b.inclusive);
	free(b.child);
	free(b.sibling);
	VEC_FREE(&b.items);
	VEC_FREE(&b.groups);
	return OK;
}

/*
 * Copy the printed node @i to the result, as a child of @parent. False: it is lighter than @limit,
 * so its weight is only added to `hidden` of @parent.
 */
static bool tree_copy(struct tree *ret, const struct profile_table *t, uint32_t i, uint32_t parent,
		      uint64_t limit)
{
	const struct profile_node *from = &t->nodes.data[i];
	struct tree_node *to;

	if (from->weight < limit) {
		if (parent != INDEX_NONE) {
			ret->nodes.data[parent].hidden += from->weight;
			ret->nodes.data[parent].hidden_nodes++;
		}
		return false;
	}
	to = VEC_PUSH(&ret->nodes);
	memset(to, 0, sizeof(*to));
	to->weight = from->weight;
	to->sym = from->sym;
	to->parent = parent;
	to->line = from->line;
	to->is_other = from->is_other;
	to->depth = parent == INDEX_NONE ? 0 : (uint16_t)(ret->nodes.data[parent].depth + 1);
	to->end = (uint32_t)ret->nodes.len;
	to->self = from->weight;
	for (uint32_t k = i + 1; k < from->end;) {
		uint64_t w = t->nodes.data[k].weight;

		to->self -= w < to->self ? w : to->self;
		k = t->nodes.data[k].end;
	}
	return true;
}

/* Set the members of @ret that do not depend on nodes. */
static void tree_printed(const struct profile *p, struct tree *ret)
{
	*ret = (struct tree){ .unit = p->unit,
			      .decimals = p->decimals,
			      .is_printed = true,
			      .order = p->table.order };
	if (p->unit == WEIGHT_PERCENT) {
		ret->total = 100 * profile_scale(p);
		ret->node_err = profile_half_width(p);
		return;
	}
	VEC_FOREACH (r, &p->table.rows)
		ret->total += r->self;
}

/* Append copies of the printed nodes @first to @end - 1: one or more whole trees. */
static void tree_copy_all(struct tree *ret, const struct profile_table *t, uint32_t first,
			  uint32_t end, uint64_t limit)
{
	/* indexed by printed node: index of its copy in the result */
	uint32_t *number = xreallocarray(NULL, (size_t)(end - first) + 1, sizeof(*number));

	for (uint32_t i = first; i < end;) {
		uint32_t up = t->nodes.data[i].parent;
		uint32_t parent = up == INDEX_NONE || up < first ? INDEX_NONE : number[up - first];

		number[i - first] = (uint32_t)ret->nodes.len;
		if (tree_copy(ret, t, i, parent, limit)) {
			i++;
			continue;
		}
		i = t->nodes.data[i].end;
	}
	free(number);
}

/* Set `end` of all nodes to the end of their subtrees. */
static void tree_copied(struct tree *ret)
{
	for (uint32_t i = (uint32_t)ret->nodes.len; i-- > 0;) {
		uint32_t parent = ret->nodes.data[i].parent;

		if (parent != INDEX_NONE && ret->nodes.data[parent].end < ret->nodes.data[i].end)
			ret->nodes.data[parent].end = ret->nodes.data[i].end;
	}
}

int tree_of_row(const struct capture *c, uint32_t row, double percent_limit, struct tree *ret,
		struct error *err)
{
	const struct profile *p = c->profile;

	memset(ret, 0, sizeof(*ret));
	if (!p || row >= p->table.rows.len || p->table.rows.data[row].tree == INDEX_NONE)
		return fail(err, ERR_NOTFOUND, "no call tree is printed below this row");
	tree_printed(p, ret);
	tree_copy_all(ret, &p->table, p->table.rows.data[row].tree,
		      profile_tree_end(&p->table, row), tree_limit(ret->total, percent_limit));
	tree_copied(ret);
	return OK;
}

int tree_of_outer(const struct capture *c, double percent_limit, struct tree *ret,
		  struct error *err)
{
	const struct profile_table *t = &c->profile->table;
	struct outer_trees outer;

	memset(ret, 0, sizeof(*ret));
	outer_trees_find(c, &outer);
	if (outer.rows.len == 0) {
		outer_trees_fini(&outer);
		return fail(err, ERR_NOTFOUND, "no tree of callees is printed");
	}
	tree_printed(c->profile, ret);
	VEC_FOREACH (o, &outer.rows)
		tree_copy_all(ret, t, o->node, t->nodes.data[o->node].end,
			      tree_limit(ret->total, percent_limit));
	tree_copied(ret);
	outer_trees_fini(&outer);
	return OK;
}

void tree_fini(struct tree *t)
{
	VEC_FREE(&t->nodes);
	memset(t, 0, sizeof(*t));
}
