/* SPDX-License-Identifier: MIT */
#include "analyses/top/hot_paths.h"

#include "analyses/event_unit.h"
#include "analyses/top/tree.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile_inclusive.h"

#define HOT_PATHS_LEAST_PCT 3.0 /* in percent of the profile: lighter paths are not listed */
/* in percent of the profile: the searched call tree omits lighter nodes */
#define HOT_PATHS_TREE_PCT 1.0
/* each frame of a path has at least this fraction of the weight of the path's first frame */
#define HOT_PATHS_SAME  0.9
#define HOT_PATHS_NODES 200000u

/*
 * A path that may be listed: a node of the tree, its heaviest child, that child's heaviest child,
 * and so on.
 */
struct hot_candidate {
	uint32_t head; /* node of the path's first frame */
	uint32_t tail; /* node of the path's last frame */
	/* index of the candidate whose path this path continues; INDEX_NONE: none */
	uint32_t parent;
	uint16_t depth;
	bool is_kept;
};

struct hot_search {
	const struct tree *tree;
	VEC(struct hot_candidate) all;
};

/* The last node of the path that begins at node @head. */
static uint32_t hot_tail(const struct tree *t, uint32_t head)
{
	double least = HOT_PATHS_SAME * (double)t->nodes.data[head].weight;
	uint32_t at = head;

	while (at + 1 < t->nodes.data[at].end && !t->nodes.data[at + 1].is_other &&
	       (double)t->nodes.data[at + 1].weight >= least)
		at++;
	return at;
}

/*
 * Add the node @from and those of its siblings whose index is less than @end as candidates. They
 * continue candidate @parent.
 */
static void hot_add_children(struct hot_search *s, uint32_t from, uint32_t end, uint32_t parent,
			     uint16_t depth)
{
	const struct tree *t = s->tree;

	for (uint32_t child = from; child < end; child = t->nodes.data[child].end) {
		const struct tree_node *node = &t->nodes.data[child];
		uint32_t tail = hot_tail(t, child);

		if (tree_pct(t, node->weight) < HOT_PATHS_LEAST_PCT || node->is_other)
			continue;
		/*
		 * skip a top-level function without callees: it is no path, and the table of
		 * functions lists it
		 */
		if (parent == INDEX_NONE && node->end == child + 1)
			continue;
		*VEC_PUSH(&s->all) = (struct hot_candidate){
			.head = child, .tail = tail, .parent = parent, .depth = depth
		};
	}
}

/* Index of the heaviest candidate that is not yet kept; INDEX_NONE: none. */
static uint32_t hot_heaviest(const struct hot_search *s)
{
	const struct tree_node *nodes = s->tree->nodes.data;
	uint32_t best = INDEX_NONE;

	for (uint32_t i = 0; i < s->all.len; i++) {
		const struct hot_candidate *c = &s->all.data[i];

		if (!c->is_kept && (best == INDEX_NONE ||
				    nodes[c->head].weight > nodes[s->all.data[best].head].weight))
			best = i;
	}
	return best;
}

/*
 * Sort candidates by the index of their first node in the tree, which is in preorder. A path then
 * precedes the paths that continue it, and heavier siblings precede lighter ones.
 */
static int hot_compare(const void *a, const void *b)
{
	uint32_t x = ((const struct hot_candidate *)a)->head;
	uint32_t y = ((const struct hot_candidate *)b)->head;

	return SORT_ORDER(x, y);
}

/* Append candidate @c and its frames to the result. */
static void hot_append(const struct hot_search *s, const struct hot_candidate *c,
		       struct hot_paths *ret)
{
	const struct tree_node *nodes = s->tree->nodes.data;
	struct hot_path *row = VEC_PUSH(&ret->rows);

	*row = (struct hot_path){ .pct = tree_pct(s->tree, nodes[c->head].weight),
				  .last_pct = tree_pct(s->tree, nodes[c->tail].weight),
				  .first = (uint32_t)ret->frames.len,
				  .n = c->tail - c->head + 1,
				  .parent = INDEX_NONE,
				  .depth = c->depth };
	for (uint32_t i = c->head; i <= c->tail; i++)
		*VEC_PUSH(&ret->frames) = nodes[i].sym;
	for (uint32_t i = (uint32_t)ret->rows.len - 1; i-- > 0 && row->parent == INDEX_NONE;) {
		if (ret->rows.data[i].depth + 1 == c->depth)
			row->parent = i;
	}
	if (c->depth == 0)
		ret->pct += row->pct;
}

int hot_paths_find(const struct capture *c, size_t max, struct hot_paths *ret, struct error *err)
{
	const struct tree_spec spec = { .direction = TREE_CALLEES,
					/*
					 * steps of a query plan are different even if their names
					 * are equal
					 */
					.folds_recursion = event_unit_of(c).kind != EVENT_PLAN,
					.percent_limit = HOT_PATHS_TREE_PCT,
					.max_nodes = HOT_PATHS_NODES };
	struct tree tree;
	struct hot_search s = { .tree = &tree };
	struct profile_inclusive unused;
	uint32_t best;
	int r;

	*ret = (struct hot_paths){ .pct = 0 };
	if (profile_is_inclusive(c->profile, &unused))
		r = tree_of_outer(c, HOT_PATHS_TREE_PCT, &tree, err);
	else
		r = tree_build(c, &spec, &tree, err);
	if (r < 0)
		return r;
	hot_add_children(&s, 0, (uint32_t)tree.nodes.len, INDEX_NONE, 0);
	for (size_t kept = 0; kept < max && (best = hot_heaviest(&s)) != INDEX_NONE; kept++) {
		struct hot_candidate it = s.all.data[best];

		s.all.data[best].is_kept = true;
		hot_add_children(&s, it.tail + 1, tree.nodes.data[it.tail].end, best,
				 (uint16_t)(it.depth + 1));
	}
	VEC_SORT(&s.all, hot_compare);
	VEC_FOREACH (candidate, &s.all) {
		if (candidate->is_kept)
			hot_append(&s, candidate, ret);
	}
	VEC_FREE(&s.all);
	tree_fini(&tree);
	return OK;
}

void hot_paths_fini(struct hot_paths *p)
{
	VEC_FREE(&p->rows);
	VEC_FREE(&p->frames);
	*p = (struct hot_paths){ .pct = 0 };
}
