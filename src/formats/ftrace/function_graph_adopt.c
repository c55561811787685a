/* SPDX-License-Identifier: MIT */
/*
 * function_graph_adopt.c - callees of calls that began before the trace
 *
 * A closing brace without its opening line is an orphan: its call began before the trace. The
 * kernel then prints the function's name in a C comment after the brace (print_graph_return(),
 * kernel/trace/trace_functions_graph.c):
 *
 *       g();
 *     }  with the comment "f"
 *
 * Every earlier, deeper call of the task ran inside the orphan's call. So the orphan f becomes the
 * caller of g. The row of f moves before the row of g, because the row of a caller must precede the
 * rows of its callees.
 *
 * Traces of more than ADOPT_MOST calls do not change. Few of their calls began before the trace, so
 * moving all rows is not worth its cost.
 */
#include "formats/ftrace/function_graph_build.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/number.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/ids.h"

#define ADOPT_MOST 100000u

struct adopt {
	struct calls *c;
	uint32_t n_keys;
	/* index: lane (a task on a CPU, see struct calls); value: first lane of the same task */
	uint32_t *task;
	/*
	 * Calls with the same caller have the same key: the row of the caller. Calls of a task
	 * without a caller have the same key, too: the number of calls plus the first lane of the
	 * task. In the arrays below, INDEX_NONE means: no such call.
	 */
	uint32_t *newest; /* index: key; value: row of the latest call with this key */
	uint32_t *older;  /* index: row; value: row of the previous call with the same key */
	/*
	 * index: row of an orphan (a call that began before the trace); value: the row before which
	 * the orphan moves; INDEX_NONE: it does not move
	 */
	uint32_t *first;
	/*
	 * lists of the orphans that move before the same row, outermost first: head[row] is the
	 * first orphan, next[orphan] is the next orphan of the list
	 */
	uint32_t *head;
	uint32_t *next;
	uint32_t n_moved; /* number of orphans (calls that began before the trace) that move */
};

/*
 * Fill a->task: lanes with the same pid belong to one task. A lane without a pid is a task of its
 * own.
 */
static void adopt_tasks(struct adopt *a)
{
	const struct calls *c = a->c;
	struct idmap map = { 0 };

	a->task = xcalloc(c->lanes.len + 1, sizeof(*a->task));
	for (uint32_t i = 0; i < c->lanes.len; i++) {
		const struct call_lane *lane = &c->lanes.data[i];
		bool is_known = lane->has_pid && lane->pid;
		struct idmap_probe p =
			idmap_first(&map, hash_u64(is_known ? lane->pid : i, is_known));

		a->task[i] = i;
		while (is_known && idmap_next(&map, &p)) {
			if (c->lanes.data[p.id].has_pid && c->lanes.data[p.id].pid == lane->pid)
				a->task[i] = p.id;
		}
		if (a->task[i] == i && is_known)
			idmap_insert(&map, &p, i);
	}
	idmap_fini(&map);
}

static bool adopt_is_orphan(const struct calls *c, uint32_t call)
{
	return (c->state.data[call] & CALL_STATE_MASK) == CALL_ORPHAN;
}

/*
 * Make @orphan the caller of the calls that ran inside it. To find them, go through the calls with
 * the key @key, from the latest one back to row @from, and stop at a call that is not deeper than
 * @orphan. If the calls found lasted longer than the orphan in total, the trace mixes lines of
 * several tasks. Then they keep their callers.
 */
static void adopt_callees(struct adopt *a, uint32_t orphan, uint32_t key, uint32_t from)
{
	struct calls *c = a->c;
	uint64_t sum = 0;
	uint32_t last = INDEX_NONE;
	uint32_t at;

	for (at = a->newest[key];
	     at != INDEX_NONE && at >= from && c->depth.data[at] > c->depth.data[orphan];
	     at = a->older[at]) {
		sum = number_sum(sum, calls_duration(c, at));
		last = at;
	}
	if (last == INDEX_NONE)
		return;
	if (calls_is_timed(c, orphan) && sum > calls_duration(c, orphan)) {
		a->newest[key] = at;
		return;
	}
	for (uint32_t i = a->newest[key]; i != at; i = a->older[i])
		c->parent.data[i] = orphan;
	a->newest[key] = at;
	a->first[orphan] = a->first[last] != INDEX_NONE ? a->first[last] : last;
	a->next[orphan] = a->head[a->first[orphan]];
	a->head[a->first[orphan]] = orphan;
	a->n_moved++;
}

static void adopt_find(struct adopt *a)
{
	const struct calls *c = a->c;
	const struct call_mark *mark = c->marks.data;
	const struct call_mark *end = mark + c->marks.len;
	uint32_t from = 0;

	for (uint32_t i = 0; i < c->n; i++) {
		uint32_t parent = c->parent.data[i];
		uint32_t key =
			parent != INDEX_NONE ? parent : (uint32_t)c->n + a->task[c->lane.data[i]];

		/*
		 * The opening line of an orphan may be among lost events. So an orphan adopts only
		 * calls after the last loss.
		 */
		for (; mark != end && mark->before_call <= i; mark++)
			from = mark->kind == MARK_LOST ? mark->before_call : from;
		if (adopt_is_orphan(c, i))
			adopt_callees(a, i, key, from);
		a->older[i] = a->newest[key];
		a->newest[key] = i;
	}
}

/*
 * Returns the new order of the rows: element i is the old row of the call that becomes row i.
 * Owner: caller, free().
 */
static uint32_t *adopt_order(const struct adopt *a)
{
	uint32_t *order = xreallocarray(NULL, a->c->n + 1, sizeof(*order));
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->c->n; i++) {
		for (uint32_t o = a->head[i]; o != INDEX_NONE; o = a->next[o])
			order[n++] = o;
		if (a->first[i] == INDEX_NONE)
			order[n++] = i;
	}
	return order;
}

/*
 * Reorder a column of struct calls: element i gets the old value of element order[i]. An empty
 * column stays empty.
 */
#define ADOPT_MOVE(v, order, n)                                                            \
	do {                                                                               \
		if ((v)->len == (n)) {                                                     \
			size_t size_ = sizeof(*(v)->data);                                 \
			char *old_ = xreallocarray(NULL, (n) + 1, size_);                  \
                                                                                           \
			memcpy(old_, (v)->data, (n)*size_);                                \
			for (size_t i_ = 0; i_ < (n); i_++)                                \
				memcpy(&(v)->data[i_], old_ + (order)[i_] * size_, size_); \
			free(old_);                                                        \
		}                                                                          \
	} while (0)

static void adopt_move(struct adopt *a)
{
	struct calls *c = a->c;
	uint32_t *order = adopt_order(a);
	uint32_t *row = xreallocarray(NULL, c->n + 1, sizeof(*row));

	for (uint32_t i = 0; i < c->n; i++)
		row[order[i]] = i;
	row[c->n] = (uint32_t)c->n;
	ADOPT_MOVE(&c->sym, order, c->n);
	ADOPT_MOVE(&c->parent, order, c->n);
	ADOPT_MOVE(&c->lane, order, c->n);
	ADOPT_MOVE(&c->line, order, c->n);
	ADOPT_MOVE(&c->dur_ns_low, order, c->n);
	ADOPT_MOVE(&c->depth, order, c->n);
	ADOPT_MOVE(&c->state, order, c->n);
	ADOPT_MOVE(&c->start_ns, order, c->n);
	ADOPT_MOVE(&c->retval, order, c->n);
	ADOPT_MOVE(&c->retval_kind, order, c->n);
	ADOPT_MOVE(&c->args, order, c->n);
	ADOPT_MOVE(&c->retaddr, order, c->n);
	for (size_t i = 0; i < c->n; i++) {
		if (c->parent.data[i] != INDEX_NONE)
			c->parent.data[i] = row[c->parent.data[i]];
	}
	VEC_FOREACH (l, &c->long_durations)
		l->call = row[l->call];
	VEC_FOREACH (m, &c->moves)
		m->call = row[m->call];
	VEC_FOREACH (m, &c->marks) {
		/*
		 * If the call after a mark moves, the mark goes to the next call that does not
		 * move.
		 */
		while (m->before_call < c->n && a->first[m->before_call] != INDEX_NONE)
			m->before_call++;
		m->before_call = row[m->before_call];
	}
	free(order);
	free(row);
}

void fg_adopt(struct calls *c)
{
	struct adopt a = { .c = c };
	bool has_orphan = false;

	for (uint32_t i = 0; i < c->n && c->n <= ADOPT_MOST && !has_orphan; i++)
		has_orphan = adopt_is_orphan(c, i);
	if (!has_orphan)
		return;
	adopt_tasks(&a);
	a.n_keys = (uint32_t)(c->n + c->lanes.len + 1);
	a.newest = xreallocarray(NULL, a.n_keys, sizeof(*a.newest));
	a.older = xreallocarray(NULL, c->n, sizeof(*a.older));
	a.first = xreallocarray(NULL, c->n, sizeof(*a.first));
	a.head = xreallocarray(NULL, c->n, sizeof(*a.head));
	a.next = xreallocarray(NULL, c->n, sizeof(*a.next));
	memset(a.newest, 0xff, a.n_keys * sizeof(*a.newest));
	memset(a.older, 0xff, c->n * sizeof(*a.older));
	memset(a.first, 0xff, c->n * sizeof(*a.first));
	memset(a.head, 0xff, c->n * sizeof(*a.head));
	memset(a.next, 0xff, c->n * sizeof(*a.next));
	adopt_find(&a);
	if (a.n_moved) {
		adopt_move(&a);
		calls_finish(c);
	}
	free(a.task);
	free(a.newest);
	free(a.older);
	free(a.first);
	free(a.head);
	free(a.next);
}
