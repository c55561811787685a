/* SPDX-License-Identifier: MIT */
#include "analyses/calls/calls_order.h"

#include "analyses/calls/calls_below.h"
#include "base/alloc.h"
#include "base/idmap.h"
#include "core/calls.h"
#include "core/ids.h"

/*
 * Put the calls into preorder, tree by tree. Within a tree, the calls are in preorder already.
 * Returns the row numbers of the calls in the new order; NULL: the trace is in preorder already.
 */
static uint32_t *order_by_tree(const struct calls *c)
{
	uint32_t *root = xreallocarray(NULL, c->n, sizeof(*root));
	uint32_t *at;
	uint32_t *order;
	uint32_t sum = 0;
	bool is_sorted = true;

	for (size_t i = 0; i < c->n; i++) {
		uint32_t parent = c->parent.data[i];

		root[i] = parent == INDEX_NONE ? (uint32_t)i : root[parent];
		is_sorted = is_sorted && (i == 0 || root[i] >= root[i - 1]);
	}
	if (is_sorted) {
		free(root);
		return NULL;
	}
	at = xcalloc(c->n, sizeof(*at));
	for (size_t i = 0; i < c->n; i++)
		at[root[i]]++;
	for (size_t i = 0; i < c->n; i++) {
		uint32_t size = at[i];

		at[i] = sum;
		sum += size;
	}
	order = xreallocarray(NULL, c->n, sizeof(*order));
	for (size_t i = 0; i < c->n; i++)
		order[at[root[i]]++] = (uint32_t)i;
	free(root);
	free(at);
	return order;
}

/* Indexed by lane (a task on a CPU): the first lane of the same task. Owner: caller, free(). */
static uint32_t *order_tasks(const struct calls *c)
{
	uint32_t *first = xcalloc(c->lanes.len + 1, sizeof(*first));
	struct idmap map = { 0 };

	for (uint32_t i = 0; i < c->lanes.len; i++) {
		const struct call_lane *lane = &c->lanes.data[i];
		bool is_known = lane->has_pid && lane->pid;
		struct idmap_probe p =
			idmap_first(&map, hash_u64(is_known ? lane->pid : i, is_known));

		first[i] = i;
		while (is_known && idmap_next(&map, &p)) {
			if (c->lanes.data[p.id].pid == lane->pid)
				first[i] = p.id;
		}
		if (first[i] == i && is_known)
			idmap_insert(&map, &p, i);
	}
	idmap_fini(&map);
	return first;
}

/*
 * Find the callers of calls in a trace that has only the ends of calls (tracing_thresh). In such a
 * trace, a caller ends after its callees, and its depth is smaller by one. So a pass over each task
 * from the last call to the first visits callers before their callees.
 */
static void order_link_ends(const struct calls *c, struct calls_order *s)
{
	uint32_t *task = order_tasks(c);
	uint32_t *at = xcalloc(c->lanes.len + 1, sizeof(*at));
	uint32_t last_task = INDEX_NONE;
	uint32_t above = INDEX_NONE;

	s->ends = xreallocarray(NULL, c->n, sizeof(*s->ends));
	s->rows = xreallocarray(NULL, c->n, sizeof(*s->rows));
	for (size_t i = 0; i < c->n; i++)
		at[task[c->lane.data[i]] + 1]++;
	for (size_t i = 1; i <= c->lanes.len; i++)
		at[i] += at[i - 1];
	for (size_t i = c->n; i-- > 0;)
		s->rows[at[task[c->lane.data[i]]]++] = (uint32_t)i;
	for (size_t i = 0; i < c->n; i++) {
		uint32_t call = s->rows[i];

		if (task[c->lane.data[call]] != last_task)
			above = INDEX_NONE;
		last_task = task[c->lane.data[call]];
		while (above != INDEX_NONE && c->depth.data[above] >= c->depth.data[call])
			above = s->ends[above];
		s->ends[call] = above;
		above = call;
	}
	s->parent = s->ends;
	s->size = xreallocarray(NULL, c->n, sizeof(*s->size));
	for (size_t i = 0; i < c->n; i++)
		s->size[i] = 1;
	for (size_t i = c->n; i-- > 0;) {
		if (s->ends[s->rows[i]] != INDEX_NONE)
			s->size[s->ends[s->rows[i]]] += s->size[s->rows[i]];
	}
	free(task);
	free(at);
}

void calls_order_of(const struct calls *c, bool is_ends_only, struct calls_order *ret)
{
	*ret = (struct calls_order){ 0 };
	if (is_ends_only) {
		order_link_ends(c, ret);
		return;
	}
	ret->parent = c->parent.data;
	ret->rows = order_by_tree(c);
	ret->size = calls_sizes(c);
}

void calls_order_fini(struct calls_order *o)
{
	free(o->rows);
	free(o->size);
	free(o->ends);
	*o = (struct calls_order){ 0 };
}
