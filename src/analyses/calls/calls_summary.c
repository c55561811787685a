/* SPDX-License-Identifier: MIT */
#include "analyses/calls/calls_summary.h"

#include "analyses/calls/calls_below.h"
#include "analyses/calls/calls_lanes.h"
#include "analyses/calls/calls_order.h"
#include "analyses/calls/calls_select.h"
#include "base/alloc.h"
#include "base/idmap.h"
#include "base/number.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/symbols.h"

#define SUMMARY_CATEGORY_DEPTH 4

/* State of a function during the walk over the calls. */
struct summary_function {
	/* index of the function's row in calls_summary.functions; INDEX_NONE: no calls so far */
	uint32_t row;
	/*
	 * index of the function's row in calls_summary.roots; INDEX_NONE: all calls so far have
	 * callers
	 */
	uint32_t root;
	uint32_t module; /* index of the function's module in calls_summary.modules */
	uint32_t on_path;
	uint32_t first_call;
	/*
	 * index of the function's first duration in an array with the durations of all functions,
	 * function by function
	 */
	uint32_t from;
};

/* A call on the path from the outermost caller to the current call. */
struct summary_step {
	uint32_t call;
	/* time asleep in this call, and in those of its callees that were visited already */
	uint64_t asleep_ns;
	uint64_t irq_ns;
};

/*
 * A call at a depth above 0 without a timed caller: its callers began before the trace. If such a
 * caller ends during the trace, the trace shows only its end (an orphan), after this call. The
 * duration of the orphan then includes this call.
 */
struct summary_inner {
	uint64_t dur_ns;
	uint32_t depth;
	/*
	 * index in summary.inner of the previous summary_inner of the same lane; INDEX_NONE: none
	 */
	uint32_t next;
};

struct summary {
	const struct capture *capture;
	const struct calls *c;
	const struct symbols *symbols;
	struct calls_summary *out;
	struct summary_function *functions; /* state of each function, indexed by symbol */
	struct idmap modules;
	uint32_t *module_on_path;
	/* sums over the calls of each category, indexed by category */
	struct calls_group *categories;
	uint32_t *category_on_path;
	/* indexed by category: its parent; a top-level category is its own parent */
	uint16_t *category_parent;
	uint32_t timed_on_path;
	VEC(struct summary_step) path; /* the calls from the outermost caller to the current call */
	/* if is_ordered: index in out->away.rows of the first row whose call is not visited yet */
	size_t away;
	bool is_ordered;
	struct calls_group *lanes;
	/* indexed by lane: index of the lane's latest summary_inner in `inner`; INDEX_NONE: none */
	uint32_t *newest;
	VEC(struct summary_inner) inner;
	struct calls_order order;
};

static uint32_t summary_module(struct summary *s, const struct symbol *sym)
{
	str_id module = sym->module;
	bool is_user = !module.v && (sym->space == SPACE_USER || sym->space == SPACE_JIT);
	struct idmap_probe p = idmap_first(&s->modules, hash_u64(module.v, 2 + is_user));

	while (idmap_next(&s->modules, &p)) {
		const struct calls_module *m = &s->out->modules.data[p.id];

		if (m->module.v == module.v && m->is_user == is_user)
			return p.id;
	}
	idmap_insert(&s->modules, &p, (uint32_t)s->out->modules.len);
	*VEC_PUSH(&s->out->modules) = (struct calls_module){ .module = module, .is_user = is_user };
	return (uint32_t)s->out->modules.len - 1;
}

/* The parent category: "network" for "network/vxlan", the category itself if it is top-level. */
static uint16_t summary_category_parent(uint16_t id)
{
	struct str name = str_of(category_name((category_id){ id }));
	size_t slash = str_rfind_char(name, '/');
	category_id parent;

	return slash < name.len && category_find(str_sub(name, 0, slash), &parent) ? parent.v : id;
}

static void summary_add_function(struct summary *s, struct category_cache *cats, uint32_t call)
{
	sym_id sym = s->c->sym.data[call];
	struct summary_function *f = &s->functions[sym.v];
	struct calls_function *row = VEC_PUSH(&s->out->functions);

	f->row = (uint32_t)s->out->functions.len - 1;
	f->first_call = call;
	f->module = summary_module(s, symbols_get(s->symbols, sym));
	*row = (struct calls_function){
		.sym = sym,
		.category = category_of(cats, s->symbols, sym),
		.min_ns = UINT64_MAX,
		.max_call = INDEX_NONE,
	};
	s->out->modules.data[f->module].sum.functions++;
	for (uint16_t id = row->category.v;; id = s->category_parent[id]) {
		s->categories[id].functions++;
		if (s->category_parent[id] == id)
			break;
	}
}

static void summary_init(struct summary *s, const struct capture *capture,
			 struct category_cache *cats, struct calls_summary *out)
{
	size_t n_symbols;
	uint16_t n_categories = category_count();

	memset(s, 0, sizeof(*s));
	s->capture = capture;
	s->c = capture->calls;
	s->symbols = capture_symbols(capture);
	s->out = out;
	n_symbols = s->symbols->rows.len;
	s->functions = xcalloc(n_symbols + 1, sizeof(*s->functions));
	for (size_t i = 0; i <= n_symbols; i++)
		s->functions[i].row = s->functions[i].root = INDEX_NONE;
	s->categories = xcalloc(n_categories, sizeof(*s->categories));
	s->category_on_path = xcalloc(n_categories, sizeof(*s->category_on_path));
	s->category_parent = xcalloc(n_categories, sizeof(*s->category_parent));
	for (uint16_t i = 0; i < n_categories; i++)
		s->category_parent[i] = summary_category_parent(i);
	for (size_t i = 0; i < s->c->n; i++) {
		if (s->functions[s->c->sym.data[i].v].row == INDEX_NONE)
			summary_add_function(s, cats, (uint32_t)i);
	}
	s->newest = xreallocarray(NULL, s->c->lanes.len + 1, sizeof(*s->newest));
	memset(s->newest, 0xff, (s->c->lanes.len + 1) * sizeof(*s->newest));
	s->lanes = xcalloc(s->c->lanes.len + 1, sizeof(*s->lanes));
	s->module_on_path = xcalloc(out->modules.len + 1, sizeof(*s->module_on_path));
}

static void summary_fini(struct summary *s)
{
	free(s->functions);
	free(s->lanes);
	free(s->newest);
	VEC_FREE(&s->inner);
	free(s->module_on_path);
	free(s->categories);
	free(s->category_on_path);
	free(s->category_parent);
	idmap_fini(&s->modules);
	VEC_FREE(&s->path);
}

/* Sum the figures for which the order of calls does not matter: counts and self times. */
static void summary_count(struct summary *s)
{
	const struct calls *c = s->c;
	struct calls_summary *out = s->out;

	for (size_t i = 0; i < c->n; i++) {
		const struct summary_function *f = &s->functions[c->sym.data[i].v];
		struct calls_function *row = &out->functions.data[f->row];
		struct calls_group *module = &out->modules.data[f->module].sum;
		struct calls_group *lane = &s->lanes[c->lane.data[i]];
		uint32_t parent = c->parent.data[i];
		uint8_t state = c->state.data[i];
		uint64_t self;
		bool overfull;

		if (calls_self(c, &out->below, (uint32_t)i, &self, &overfull))
			row->self_known++;
		else
			out->no_self++;
		if (parent != INDEX_NONE && calls_has_self(c, parent)) {
			out->functions.data[s->functions[c->sym.data[parent].v].row].children++;
			out->children++;
		}
		out->overfull += overfull;
		out->self_total_ns = number_sum(out->self_total_ns, self);
		row->calls++;
		row->leaf += (state & CALL_LEAF) != 0;
		row->self_ns = number_sum(row->self_ns, self);
		module->calls++;
		module->self_ns = number_sum(module->self_ns, self);
		lane->calls++;
		lane->self_ns = number_sum(lane->self_ns, self);
		out->leaf += (state & CALL_LEAF) != 0;
		out->untimed += (state & CALL_NO_DURATION) != 0;
		out->orphans += (state & CALL_STATE_MASK) == CALL_ORPHAN;
		out->unclosed += (state & CALL_STATE_MASK) == CALL_OPEN;
		out->after_loss += (state & CALL_STATE_MASK) == CALL_AFTER_LOSS;
		if (c->depth.data[i] > out->max_depth)
			out->max_depth = c->depth.data[i];
	}
	out->calls = c->n;
	out->nested = out->calls - out->leaf;
	out->lost_events = c->lost_events;
	VEC_FOREACH (m, &c->marks)
		out->lost_unknown += m->kind == MARK_LOST && m->count == 0;
	/*
	 * sum the categories from the rows of functions, because there are fewer functions than
	 * calls
	 */
	VEC_FOREACH (row, &out->functions) {
		for (uint16_t id = row->category.v;; id = s->category_parent[id]) {
			s->categories[id].calls += row->calls;
			s->categories[id].self_ns =
				number_sum(s->categories[id].self_ns, row->self_ns);
			if (s->category_parent[id] == id)
				break;
		}
	}
}

/*
 * A call enters the path (@by 1) or leaves it (@by UINT32_MAX, which adds -1). Add @by to the
 * counters of its function, its module and its categories. They count the timed calls on the path.
 */
static void summary_on_path(struct summary *s, uint32_t call, uint32_t by)
{
	struct summary_function *f = &s->functions[s->c->sym.data[call].v];

	if (!calls_is_timed(s->c, call))
		return;
	f->on_path += by;
	s->module_on_path[f->module] += by;
	s->timed_on_path += by;
	for (uint16_t id = s->out->functions.data[f->row].category.v;;
	     id = s->category_parent[id]) {
		s->category_on_path[id] += by;
		if (s->category_parent[id] == id)
			break;
	}
}

/*
 * A call has left the path: add its time asleep and in interrupts to all totals that include the
 * call.
 */
static void summary_away(struct summary *s, const struct summary_step *step)
{
	struct summary_function *f = &s->functions[s->c->sym.data[step->call].v];
	struct calls_function *row = &s->out->functions.data[f->row];
	struct calls_group *module = &s->out->modules.data[f->module].sum;

	if (s->path.len) {
		s->path.data[s->path.len - 1].asleep_ns += step->asleep_ns;
		s->path.data[s->path.len - 1].irq_ns += step->irq_ns;
	}
	if (!calls_is_timed(s->c, step->call))
		return;
	if (!f->on_path) {
		row->asleep_ns += step->asleep_ns;
		row->irq_ns += step->irq_ns;
	}
	if (!s->module_on_path[f->module]) {
		module->asleep_ns += step->asleep_ns;
		module->irq_ns += step->irq_ns;
	}
	if (!s->timed_on_path) {
		struct calls_group *lane = &s->lanes[s->c->lane.data[step->call]];

		lane->asleep_ns += step->asleep_ns;
		lane->irq_ns += step->irq_ns;
		s->out->root_asleep_ns += step->asleep_ns;
		s->out->root_irq_ns += step->irq_ns;
	}
	for (uint16_t id = row->category.v;; id = s->category_parent[id]) {
		if (!s->category_on_path[id]) {
			s->categories[id].asleep_ns += step->asleep_ns;
			s->categories[id].irq_ns += step->irq_ns;
		}
		if (s->category_parent[id] == id)
			break;
	}
}

static void summary_leave(struct summary *s)
{
	struct summary_step step = s->path.data[--s->path.len];

	summary_on_path(s, step.call, UINT32_MAX);
	if (UNLIKELY(step.asleep_ns | step.irq_ns))
		summary_away(s, &step);
}

static void summary_enter(struct summary *s, uint32_t call)
{
	*VEC_PUSH(&s->path) = (struct summary_step){ .call = call };
	summary_on_path(s, call, 1);
}

/* Remove calls from the path until its last call is @parent. */
static void summary_go_to(struct summary *s, uint32_t parent)
{
	size_t n;

	while (s->path.len && s->path.data[s->path.len - 1].call != parent)
		summary_leave(s);
	if (s->path.len || parent == INDEX_NONE)
		return;
	/*
	 * calls are not in preorder, because the trace is no function graph: rebuild the path, from
	 * @parent to its outermost caller
	 */
	for (uint32_t at = parent; at != INDEX_NONE; at = s->order.parent[at])
		*VEC_PUSH(&s->path) = (struct summary_step){ .call = at };
	for (n = 0; n < s->path.len / 2; n++) {
		struct summary_step swap = s->path.data[n];

		s->path.data[n] = s->path.data[s->path.len - 1 - n];
		s->path.data[s->path.len - 1 - n] = swap;
	}
	VEC_FOREACH (step, &s->path)
		summary_on_path(s, step->call, 1);
}

/*
 * Copy the times of @call asleep and in interrupts to the last step of the path, which is the step
 * of @call.
 */
static void summary_take_away(struct summary *s, uint32_t call)
{
	const struct calls_away *away = &s->out->away;
	struct summary_step *step = &s->path.data[s->path.len - 1];
	struct call_away a;

	if (s->is_ordered) {
		if (s->away >= away->rows.len || away->rows.data[s->away].call != call)
			return;
		a = away->rows.data[s->away++];
	} else {
		a = calls_away_of(away, call);
	}
	step->asleep_ns = a.asleep_ns;
	step->irq_ns = a.irq_ns;
	s->out->functions.data[s->functions[s->c->sym.data[call].v].row].self_asleep_ns +=
		a.asleep_ns;
}

static void summary_root(struct summary *s, uint32_t call, uint64_t dur)
{
	struct summary_function *f = &s->functions[s->c->sym.data[call].v];
	struct calls_root *root;

	if (f->root == INDEX_NONE) {
		f->root = (uint32_t)s->out->roots.len;
		*VEC_PUSH(&s->out->roots) = (struct calls_root){
			.sym = s->c->sym.data[call],
			.first_call = call,
			.line = s->c->line.data[call],
		};
	}
	root = &s->out->roots.data[f->root];
	if (call < root->first_call) {
		root->first_call = call;
		root->line = s->c->line.data[call];
	}
	root->calls++;
	root->total_ns = number_sum(root->total_ns, dur);
	s->out->root_calls++;
}

/*
 * Add a call without a timed caller to the totals of the trace and of its lane. If it is an orphan
 * (the trace has only its end), it contains earlier calls of the lane: subtract these again.
 */
static void summary_top(struct summary *s, uint32_t call, uint64_t dur, uint32_t size)
{
	uint32_t depth = s->c->depth.data[call];
	uint32_t *newest = &s->newest[s->c->lane.data[call]];
	struct calls_group *lane = &s->lanes[s->c->lane.data[call]];

	s->out->root_total_ns = number_sum(s->out->root_total_ns, dur);
	s->out->root_topmost++;
	s->out->root_below += size;
	lane->topmost++;
	lane->total_ns = number_sum(lane->total_ns, dur);
	if (s->order.ends)
		return;
	if (depth == 0 && (s->c->state.data[call] & CALL_STATE_MASK) != CALL_ORPHAN) {
		*newest = INDEX_NONE;
		return;
	}
	while ((s->c->state.data[call] & CALL_STATE_MASK) == CALL_ORPHAN && *newest != INDEX_NONE &&
	       s->inner.data[*newest].depth > depth) {
		const struct summary_inner *held = &s->inner.data[*newest];

		s->out->root_total_ns -= held->dur_ns;
		s->out->root_topmost--;
		lane->topmost--;
		lane->total_ns -= held->dur_ns;
		*newest = held->next;
	}
	if (depth) {
		*VEC_PUSH(&s->inner) = (struct summary_inner){ dur, depth, *newest };
		*newest = (uint32_t)s->inner.len - 1;
	}
}

/*
 * Add @call to the totals of its function, module and categories. A total is skipped if a caller of
 * @call counts in it: the caller's duration already includes @call. Callers must be visited before
 * callees.
 */
static void summary_visit(struct summary *s, uint32_t call, uint32_t size)
{
	struct summary_function *f = &s->functions[s->c->sym.data[call].v];
	struct calls_function *row = &s->out->functions.data[f->row];
	struct calls_group *module = &s->out->modules.data[f->module].sum;
	uint64_t dur = calls_duration(s->c, call);

	summary_go_to(s, s->order.parent[call]);
	if (s->order.parent[call] == INDEX_NONE)
		summary_root(s, call, dur);
	if (calls_is_timed(s->c, call)) {
		row->timed++;
		row->min_ns = dur < row->min_ns ? dur : row->min_ns;
		if (row->max_call == INDEX_NONE || dur > row->max_ns ||
		    (dur == row->max_ns && call < row->max_call)) {
			row->max_ns = dur;
			row->max_call = call;
		}
		if (!s->timed_on_path)
			summary_top(s, call, dur, size);
		if (!f->on_path) {
			row->total_ns = number_sum(row->total_ns, dur);
			row->topmost++;
			row->below += size;
		}
		if (!s->module_on_path[f->module]) {
			module->topmost++;
			module->total_ns = number_sum(module->total_ns, dur);
		}
		for (uint16_t id = row->category.v;; id = s->category_parent[id]) {
			if (!s->category_on_path[id]) {
				s->categories[id].topmost++;
				s->categories[id].total_ns =
					number_sum(s->categories[id].total_ns, dur);
			}
			if (s->category_parent[id] == id)
				break;
		}
	}
	/* the call has no callees, so no later call needs it on the path */
	if (size == 1 && LIKELY(!s->out->away.rows.len))
		return;
	summary_enter(s, call);
	if (UNLIKELY(s->out->away.rows.len))
		summary_take_away(s, call);
}

/* Whether the trace has only the ends of calls, and the reader found no callers. */
static bool summary_is_ends_only(const struct summary *s)
{
	for (size_t i = 0; i < s->c->n && s->out->orphans == s->c->n; i++) {
		if (s->c->parent.data[i] != INDEX_NONE)
			return false;
	}
	return s->c->n && s->out->orphans == s->c->n;
}

static void summary_walk(struct summary *s)
{
	const struct calls_order *o = &s->order;

	calls_order_of(s->c, summary_is_ends_only(s), &s->order);
	s->is_ordered = !o->rows;
	for (size_t i = 0; i < s->c->n; i++) {
		uint32_t call = o->rows ? o->rows[i] : (uint32_t)i;

		summary_visit(s, call, o->size[call]);
	}
	summary_go_to(s, INDEX_NONE);
	calls_order_fini(&s->order);
}

/* Compute the median and the 99th percentile of the durations of each function. */
static void summary_percentiles(struct summary *s)
{
	const struct calls *c = s->c;
	struct calls_summary *out = s->out;
	uint32_t *column = xreallocarray(NULL, c->n ? c->n : 1, sizeof(*column));
	struct calls_long_list longs = { 0 };
	uint32_t sum = 0;

	VEC_FOREACH (row, &out->functions) {
		s->functions[row->sym.v].from = sum;
		sum += (uint32_t)row->timed;
	}
	for (size_t i = 0; i < c->n; i++) {
		if (calls_is_timed(c, i))
			column[s->functions[c->sym.data[i].v].from++] = c->dur_ns_low.data[i];
	}
	calls_long_list_init(&longs, c);
	VEC_FOREACH (row, &out->functions) {
		size_t n = row->timed;
		uint32_t *first = column + s->functions[row->sym.v].from - n;

		if (n == 0) {
			row->min_ns = 0;
			continue;
		}
		row->p50_ns = calls_select(&longs, row->sym, first, n, (n + 1) / 2 - 1);
		row->p99_ns = calls_select(&longs, row->sym, first, n, n - 1 - n / 100);
		row->max_line = c->line.data[row->max_call];
	}
	calls_long_list_fini(&longs);
	free(column);
}

static int summary_compare_functions(const void *a, const void *b)
{
	const struct calls_function *x = a;
	const struct calls_function *y = b;

	return SORT_ORDER(y->self_ns, x->self_ns) ?: SORT_ORDER(y->total_ns, x->total_ns) ?: SORT_ORDER(y->calls, x->calls) ?: SORT_ORDER(x->sym.v, y->sym.v);
}

static int summary_compare_modules(const void *a, const void *b)
{
	const struct calls_module *x = a;
	const struct calls_module *y = b;

	return SORT_ORDER(y->sum.self_ns, x->sum.self_ns) ?: SORT_ORDER(x->module.v, y->module.v);
}

static int summary_compare_categories(const void *a, const void *b)
{
	const struct calls_category *x = a;
	const struct calls_category *y = b;

	return SORT_ORDER(y->sum.self_ns, x->sum.self_ns) ?: SORT_ORDER(y->sum.calls, x->sum.calls) ?: SORT_ORDER(x->category.v, y->category.v);
}

static int summary_compare_roots(const void *a, const void *b)
{
	const struct calls_root *x = a;
	const struct calls_root *y = b;

	return SORT_ORDER(y->total_ns, x->total_ns) ?: SORT_ORDER(y->calls, x->calls) ?: SORT_ORDER(x->first_call, y->first_call);
}

static void summary_sort(struct summary *s)
{
	for (uint16_t i = 0; i < category_count(); i++) {
		if (s->categories[i].calls)
			*VEC_PUSH(&s->out->categories) =
				(struct calls_category){ { i }, s->categories[i] };
	}
	VEC_SORT(&s->out->functions, summary_compare_functions);
	VEC_SORT(&s->out->modules, summary_compare_modules);
	VEC_SORT(&s->out->categories, summary_compare_categories);
	VEC_SORT(&s->out->roots, summary_compare_roots);
}

int calls_summary_compute(const struct capture *capture, struct category_cache *cats,
			  struct calls_summary *ret, struct error *err)
{
	struct summary s;

	memset(ret, 0, sizeof(*ret));
	if (!capture->calls)
		return fail(err, ERR_USAGE, "no traced calls found");
	summary_init(&s, capture, cats, ret);
	calls_below_init(&ret->below, s.c);
	calls_away_find(capture, &ret->below, &ret->away);
	summary_count(&s);
	summary_walk(&s);
	calls_lanes_sum(s.c, s.lanes, ret);
	summary_percentiles(&s);
	summary_sort(&s);
	summary_fini(&s);
	return OK;
}

void calls_summary_fini(struct calls_summary *s)
{
	VEC_FREE(&s->functions);
	VEC_FREE(&s->modules);
	VEC_FREE(&s->categories);
	VEC_FREE(&s->roots);
	VEC_FREE(&s->tasks);
	VEC_FREE(&s->cpus);
	calls_away_fini(&s->away);
	calls_below_fini(&s->below);
}
