/* SPDX-License-Identifier: MIT */
/* Sums over random calls against plain loops over all their callers. */
#include "unit.h"

#include "analyses/calls/calls_summary.h"
#include "analyses/calls/calls_total.h"
#include "analyses/categories.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <stdio.h>

#define CALLS_MAX 400u

static const struct {
	const char *name, *module;
	enum symbol_space space;
} functions[] = {
	{ "vfs_read", "", SPACE_KERNEL },
	{ "tcp_sendmsg", "", SPACE_KERNEL },
	{ "nf_hook_slow", "", SPACE_KERNEL },
	{ "nft_do_chain", "nf_tables", SPACE_KERNEL },
	{ "vxlan_xmit", "vxlan", SPACE_KERNEL },
	{ "_raw_spin_lock", "", SPACE_KERNEL },
	{ "sort_rows", "", SPACE_USER },
	{ "kmalloc", "", SPACE_KERNEL },
	{ "nft_lookup", "nf_tables", SPACE_KERNEL },
	{ "compiled", "", SPACE_JIT },
};

#define FUNCTIONS ARRAY_LEN(functions)

static uint64_t next(uint64_t *x, uint64_t below)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (*x >> 33) % below;
}

struct made {
	struct dossier *d;
	struct capture *capture;
	struct calls *c;
	struct category_cache cats;
	struct calls_summary s;
	sym_id sym[FUNCTIONS];
	/* the calls in the order in which trees are visited: by their outermost call */
	uint32_t order[CALLS_MAX];
	/* the trace has only the ends of calls: a caller ends after its callees, further out */
	bool is_ends;
	uint32_t parent[CALLS_MAX];
};

static uint32_t root_of(const struct made *m, uint32_t call)
{
	while (m->parent[call] != INDEX_NONE)
		call = m->parent[call];
	return call;
}

/* Whether two lanes are of one task, whose calls nest. */
static bool is_one_task(const struct calls *c, uint32_t a, uint32_t b)
{
	const struct call_lane *x = &c->lanes.data[a], *y = &c->lanes.data[b];

	return a == b || (x->has_pid && y->has_pid && x->pid && x->pid == y->pid);
}

static uint32_t caller_of(const struct made *m, uint32_t call)
{
	const struct calls *c = m->c;

	for (uint32_t i = call + 1; m->is_ends && i < c->n; i++) {
		if (is_one_task(c, c->lane.data[i], c->lane.data[call]) &&
		    c->depth.data[i] < c->depth.data[call])
			return i;
	}
	return c->parent.data[call];
}

static uint64_t random_duration(uint64_t *x)
{
	switch (next(x, 8)) {
	case 0:
		return UINT64_C(4294967290) + next(x, 20);
	case 1:
		return next(x, UINT64_C(1) << 40);
	case 2:
	case 3:
		return next(x, 3);
	default:
		return next(x, 1000000);
	}
}

/* Calls in the order of their starts, or each with any earlier call as its caller. */
static void make(struct made *m, uint64_t *x, size_t n)
{
	const bool is_preorder = next(x, 2), has_orphans = next(x, 3) == 0;
	const uint64_t kinds = 1 + next(x, FUNCTIONS);
	uint32_t lanes[6];
	uint32_t last = INDEX_NONE;
	size_t at = 0;

	memset(m, 0, sizeof(*m));
	m->is_ends = next(x, 5) == 0;
	m->d = dossier_new();
	m->capture = dossier_add(m->d, "test");
	m->c = capture_calls(m->capture);
	for (size_t i = 0; i < FUNCTIONS; i++)
		m->sym[i] = symbols_add_text(&m->d->symbols, str_of(functions[i].name),
					     str_of(functions[i].module), functions[i].space, 0);
	m->c->has_tasks = next(x, 4);
	m->c->has_cpus = next(x, 4);
	for (uint32_t i = 0; i < 6; i++)
		lanes[i] = calls_lane(m->c,
				      (struct call_lane){
					      .comm = strings_add(&m->d->strings,
								  i < 2 ? STR("web") : STR("idle")),
					      .pid = i < 2   ? 10
						     : i < 4 ? 0
							     : 20,
					      .cpu = (uint16_t)(i % 2),
					      .has_pid = i != 5,
				      });
	for (uint32_t i = 0; i < n; i++) {
		uint32_t parent = INDEX_NONE, call = 0, depth = 0;
		uint8_t state = CALL_CLOSED;
		uint64_t how = next(x, 12);

		if (m->is_ends) {
			depth = (uint32_t)next(x, 4);
		} else if (is_preorder && last != INDEX_NONE) {
			parent = next(x, 3) ? last : m->c->parent.data[last];
			if (parent != INDEX_NONE && next(x, 4) == 0)
				parent = m->c->parent.data[parent];
		} else if (i && next(x, 3)) {
			parent = (uint32_t)next(x, i);
		}
		if (parent != INDEX_NONE)
			depth = m->c->depth.data[parent] + 1u;
		else if (has_orphans && !m->is_ends)
			depth = (uint32_t)next(x, 4);
		if (m->is_ends)
			state = CALL_ORPHAN;
		else if (how == 0)
			state = CALL_OPEN;
		else if (how == 1)
			state = CALL_AFTER_LOSS;
		else if (parent == INDEX_NONE && has_orphans && i && how < 8)
			state = CALL_ORPHAN;
		if (next(x, 3) == 0)
			state |= CALL_LEAF;
		assert_int_equal(calls_add(m->c, m->sym[next(x, kinds)], parent,
					   parent == INDEX_NONE ? lanes[next(x, 6)]
								: m->c->lane.data[parent],
					   depth, state, i + 5, &call),
				 OK);
		if (how)
			calls_set_duration(m->c, call, random_duration(x));
		last = call;
	}
	calls_finish(m->c);
	for (uint32_t i = 0; i < n; i++)
		m->parent[i] = caller_of(m, i);
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = i; k < n; k++) {
			if (root_of(m, k) == i)
				m->order[at++] = k;
		}
	}
	assert_int_equal(calls_summary_compute(m->capture, &m->cats, &m->s, NULL), OK);
}

static void made_free(struct made *m)
{
	calls_summary_fini(&m->s);
	category_cache_fini(&m->cats);
	dossier_free(m->d);
}

/* Whether a call is in a group: of functions, of modules, of categories ... */
struct group {
	const struct made *m;
	uint32_t functions; /* set of bits */
	bool (*has_lane)(const struct group *g, uint32_t lane);
	uint32_t lane;
};

static uint32_t function_of(const struct made *m, uint32_t call)
{
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		if (m->sym[i].v == m->c->sym.data[call].v)
			return i;
	}
	assert_true(false);
	return 0;
}

static bool is_in(const struct group *g, uint32_t call)
{
	return g->functions >> function_of(g->m, call) & 1 &&
	       (!g->has_lane || g->has_lane(g, g->m->c->lane.data[call]));
}

struct plain {
	uint64_t calls, leaf, timed, total, self, topmost, below, self_known, children, overfull;
	uint32_t longest; /* the longest topmost call */
};

static bool has_self(const struct calls *c, uint32_t call)
{
	return calls_is_timed(c, call) && (c->state.data[call] & CALL_STATE_MASK) != CALL_ORPHAN;
}

static bool is_below(const struct made *m, uint32_t call, uint32_t above)
{
	for (; call != INDEX_NONE; call = m->parent[call]) {
		if (call == above)
			return true;
	}
	return false;
}

static struct plain sum(const struct group *g)
{
	const struct calls *c = g->m->c;
	struct plain p = { .longest = INDEX_NONE };

	for (uint32_t i = 0; i < c->n; i++) {
		uint64_t dur = calls_duration(c, i), callees = 0, n = 0;
		bool is_topmost = calls_is_timed(c, i);

		if (!is_in(g, i))
			continue;
		p.calls++;
		p.leaf += (c->state.data[i] & CALL_LEAF) != 0;
		p.timed += calls_is_timed(c, i);
		for (uint32_t k = i + 1; k < c->n; k++) {
			if (c->parent.data[k] == i) {
				callees += calls_duration(c, k);
				n++;
			}
		}
		if (has_self(c, i)) {
			p.self += callees > dur ? 0 : dur - callees;
			p.overfull += callees > dur;
			p.children += n;
			p.self_known++;
		}
		for (uint32_t k = g->m->parent[i]; k != INDEX_NONE; k = g->m->parent[k])
			/* the time of a task or CPU is that of calls without any caller */
			is_topmost &= !(calls_is_timed(c, k) && (g->has_lane || is_in(g, k)));
		if (!is_topmost)
			continue;
		p.topmost++;
		p.total += dur;
		if (p.longest == INDEX_NONE || dur > calls_duration(c, p.longest))
			p.longest = i;
		for (uint32_t k = 0; k < c->n; k++)
			p.below += is_below(g->m, k, i);
	}
	return p;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void check_functions(const struct made *m)
{
	const struct calls *c = m->c;
	const struct calls_function *last = NULL;
	size_t n_calls = 0;

	VEC_FOREACH (row, &m->s.functions) {
		struct group g = { .m = m };
		uint64_t durations[CALLS_MAX];
		size_t n = 0;
		uint32_t longest = INDEX_NONE;
		struct plain p;

		for (uint32_t i = 0; i < c->n; i++) {
			if (c->sym.data[i].v != row->sym.v)
				continue;
			g.functions = UINT32_C(1) << function_of(m, i);
			if (!calls_is_timed(c, i))
				continue;
			durations[n++] = calls_duration(c, i);
			if (longest == INDEX_NONE || durations[n - 1] > calls_duration(c, longest))
				longest = i;
		}
		p = sum(&g);
		n_calls += p.calls;
		assert_int_equal(row->calls, p.calls);
		assert_int_equal(row->leaf, p.leaf);
		assert_int_equal(row->timed, p.timed);
		assert_int_equal(row->total_ns, p.total);
		assert_int_equal(row->self_ns, p.self);
		assert_int_equal(row->topmost, p.topmost);
		assert_int_equal(row->below, p.below);
		assert_int_equal(row->self_known, p.self_known);
		assert_int_equal(row->children, p.children);
		assert_int_equal(row->max_call, longest);
		assert_int_equal(row->max_line, longest == INDEX_NONE ? 0 : longest + 5);
		qsort(durations, n, sizeof(*durations), by_value);
		assert_int_equal(row->min_ns, n ? durations[0] : 0);
		assert_int_equal(row->max_ns, n ? durations[n - 1] : 0);
		/* at least half of the calls are not longer; at most one in a hundred is longer */
		assert_int_equal(row->p50_ns, n ? durations[(n + 1) / 2 - 1] : 0);
		assert_int_equal(row->p99_ns, n ? durations[n - 1 - n / 100] : 0);
		if (last && last->self_ns == row->self_ns && last->total_ns == row->total_ns)
			assert_true(last->calls > row->calls ||
				    (last->calls == row->calls && last->sym.v < row->sym.v));
		else if (last)
			assert_true(
				last->self_ns > row->self_ns ||
				(last->self_ns == row->self_ns && last->total_ns > row->total_ns));
		last = row;
	}
	assert_int_equal(n_calls, c->n);
}

static uint64_t n_functions(const struct made *m, uint32_t set)
{
	uint64_t n = 0;

	VEC_FOREACH (row, &m->s.functions) {
		for (uint32_t i = 0; i < FUNCTIONS; i++)
			n += m->sym[i].v == row->sym.v && (set >> i & 1);
	}
	return n;
}

static void check_group(const struct calls_group *have, const struct group *g)
{
	struct plain p = sum(g);

	assert_int_equal(have->calls, p.calls);
	assert_int_equal(have->topmost, p.topmost);
	assert_int_equal(have->total_ns, p.total);
	assert_int_equal(have->self_ns, p.self);
}

static void check_modules(struct made *m)
{
	uint64_t n_calls = 0, last = UINT64_MAX;

	VEC_FOREACH (row, &m->s.modules) {
		struct group g = { .m = m };
		struct str module = strings_get(&m->d->strings, row->module);

		for (uint32_t i = 0; i < FUNCTIONS; i++) {
			if (str_eq(str_of(functions[i].module), module) &&
			    (functions[i].space != SPACE_KERNEL) == row->is_user)
				g.functions |= UINT32_C(1) << i;
		}
		check_group(&row->sum, &g);
		assert_int_equal(row->sum.functions, n_functions(m, g.functions));
		assert_true(row->sum.self_ns <= last);
		last = row->sum.self_ns;
		n_calls += row->sum.calls;
	}
	assert_int_equal(n_calls, m->c->n);
}

static void check_categories(struct made *m)
{
	const struct calls_category *last = NULL;

	VEC_FOREACH (row, &m->s.categories) {
		struct group g = { .m = m };
		struct str name = str_of(category_name(row->category));

		for (uint32_t i = 0; i < FUNCTIONS; i++) {
			struct str own = str_of(
				category_name(category_of(&m->cats, &m->d->symbols, m->sym[i])));

			if (str_eq(own, name) || (str_starts(own, name) && own.p[name.len] == '/'))
				g.functions |= UINT32_C(1) << i;
		}
		assert_true(row->sum.calls > 0);
		check_group(&row->sum, &g);
		assert_int_equal(row->sum.functions, n_functions(m, g.functions));
		if (last)
			assert_true(last->sum.self_ns > row->sum.self_ns ||
				    (last->sum.self_ns == row->sum.self_ns &&
				     (last->sum.calls > row->sum.calls ||
				      (last->sum.calls == row->sum.calls &&
				       last->category.v < row->category.v))));
		last = row;
	}
}

static void check_roots(const struct made *m)
{
	const struct calls *c = m->c;
	const struct calls_root *last = NULL;
	uint64_t n_roots = 0;

	VEC_FOREACH (row, &m->s.roots) {
		uint64_t n = 0, total = 0;
		uint32_t first = INDEX_NONE;

		for (uint32_t i = 0; i < c->n; i++) {
			if (m->parent[i] != INDEX_NONE || c->sym.data[i].v != row->sym.v)
				continue;
			first = first == INDEX_NONE ? i : first;
			total += calls_duration(c, i);
			n++;
		}
		assert_int_equal(row->first_call, first);
		assert_int_equal(row->line, first + 5);
		assert_int_equal(row->calls, n);
		assert_int_equal(row->total_ns, total);
		if (last)
			assert_true(last->total_ns > row->total_ns ||
				    (last->total_ns == row->total_ns &&
				     (last->calls > row->calls ||
				      (last->calls == row->calls &&
				       last->first_call < row->first_call))));
		last = row;
		n_roots += n;
	}
	assert_int_equal(m->s.root_calls, n_roots);
}

static bool same_cpu(const struct group *g, uint32_t lane)
{
	return g->m->c->lanes.data[lane].cpu == g->m->c->lanes.data[g->lane].cpu;
}

/* Threads with a pid are one task on all CPUs; idle tasks are one for each CPU. */
static bool same_task(const struct group *g, uint32_t lane)
{
	const struct call_lane *a = &g->m->c->lanes.data[lane];
	const struct call_lane *b = &g->m->c->lanes.data[g->lane];

	if (a->has_pid && a->pid && b->has_pid && b->pid)
		return a->pid == b->pid;
	return !(a->has_pid && a->pid) && !(b->has_pid && b->pid) && a->comm.v == b->comm.v &&
	       a->cpu == b->cpu;
}

/* What orphans take back: total and number of earlier calls of their lane that ran inside them. */
static void taken_back(const struct made *m, const struct group *g, uint64_t *ret_ns,
		       uint64_t *ret_n)
{
	const struct calls *c = m->c;
	size_t n[6] = { 0 };
	static uint32_t inner[6][CALLS_MAX];

	*ret_ns = *ret_n = 0;
	for (size_t at = 0; !m->is_ends && at < c->n; at++) {
		uint32_t i = m->order[at], lane = c->lane.data[i], depth = c->depth.data[i];
		bool is_orphan = (c->state.data[i] & CALL_STATE_MASK) == CALL_ORPHAN;
		bool is_top = calls_is_timed(c, i);

		for (uint32_t k = c->parent.data[i]; k != INDEX_NONE; k = c->parent.data[k])
			is_top &= !calls_is_timed(c, k);
		if (!is_top)
			continue;
		while (is_orphan && n[lane] && c->depth.data[inner[lane][n[lane] - 1]] > depth) {
			n[lane]--;
			if (!g->has_lane || g->has_lane(g, lane)) {
				*ret_ns += calls_duration(c, inner[lane][n[lane]]);
				*ret_n += 1;
			}
		}
		if (depth == 0 && !is_orphan)
			n[lane] = 0;
		else if (depth)
			inner[lane][n[lane]++] = i;
	}
}

static void check_lanes(const struct made *m, const struct calls_lane_sum *rows, size_t n,
			bool (*has_lane)(const struct group *, uint32_t))
{
	uint64_t n_calls = 0;

	for (size_t i = 0; i < n; i++) {
		struct group g = { m, UINT32_MAX, has_lane, rows[i].lane };
		struct plain p = sum(&g);
		uint64_t ns, taken;

		taken_back(m, &g, &ns, &taken);
		assert_int_equal(rows[i].sum.calls, p.calls);
		assert_int_equal(rows[i].sum.self_ns, p.self);
		assert_int_equal(rows[i].sum.total_ns, p.total - ns);
		assert_int_equal(rows[i].sum.topmost, p.topmost - taken);
		if (i)
			assert_true(rows[i - 1].sum.total_ns > rows[i].sum.total_ns ||
				    (rows[i - 1].sum.total_ns == rows[i].sum.total_ns &&
				     rows[i - 1].lane < rows[i].lane));
		n_calls += p.calls;
	}
	assert_int_equal(n_calls, n ? m->c->n : 0);
}

static void check_all(const struct made *m)
{
	struct group g = { .m = m, .functions = UINT32_MAX };
	struct plain p = sum(&g);
	uint64_t ns, taken, states[4] = { 0 };
	uint32_t depth = 0;

	for (uint32_t i = 0; i < m->c->n; i++) {
		states[m->c->state.data[i] & CALL_STATE_MASK]++;
		depth = m->c->depth.data[i] > depth ? m->c->depth.data[i] : depth;
	}
	taken_back(m, &g, &ns, &taken);
	assert_int_equal(m->s.calls, p.calls);
	assert_int_equal(m->s.leaf, p.leaf);
	assert_int_equal(m->s.nested, p.calls - p.leaf);
	assert_int_equal(m->s.orphans, states[CALL_ORPHAN]);
	assert_int_equal(m->s.unclosed, states[CALL_OPEN]);
	assert_int_equal(m->s.after_loss, states[CALL_AFTER_LOSS]);
	assert_int_equal(m->s.untimed, p.calls - p.timed);
	assert_int_equal(m->s.no_self, p.calls - p.self_known);
	assert_int_equal(m->s.overfull, p.overfull);
	assert_int_equal(m->s.children, p.children);
	assert_int_equal(m->s.max_depth, depth);
	assert_int_equal(m->s.self_total_ns, p.self);
	assert_int_equal(m->s.root_total_ns, p.total - ns);
	assert_int_equal(m->s.root_topmost, p.topmost - taken);
	assert_int_equal(m->s.root_below, p.below);
}

static void sums_are_those_of_every_call_and_its_callers(void **state)
{
	uint64_t x = 11;

	(void)state;
	for (int turn = 0; turn < 1200; turn++) {
		struct made m;

		make(&m, &x, turn % 100 == 0 ? CALLS_MAX : 1 + next(&x, 30));
		check_all(&m);
		check_functions(&m);
		check_modules(&m);
		check_categories(&m);
		check_roots(&m);
		assert_int_equal(m.s.tasks.len > 0, m.c->has_tasks);
		assert_int_equal(m.s.cpus.len > 0, m.c->has_cpus);
		check_lanes(&m, m.s.tasks.data, m.s.tasks.len, same_task);
		check_lanes(&m, m.s.cpus.data, m.s.cpus.len, same_cpu);
		made_free(&m);
	}
}

/* Write the names of a set of functions as a pattern, "vfs_read|kmalloc". */
static struct str pattern(uint32_t set, char *text, size_t size)
{
	size_t n = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		if (set >> i & 1)
			n += (size_t)snprintf(text + n, size - n, "%s%s", n ? "|" : "",
					      functions[i].name);
	}
	return str_of(text);
}

static void queries_select_by_function_and_by_the_calls_around(void **state)
{
	uint64_t x = 12;

	(void)state;
	for (int turn = 0; turn < 1500; turn++) {
		uint32_t sets[4];
		char texts[4][200];
		struct calls_total have;
		struct plain p = { .longest = INDEX_NONE };
		uint64_t matching = 0, below = 0;
		bool selected[CALLS_MAX];
		struct made m;

		make(&m, &x, 1 + next(&x, 90));
		for (int i = 0; i < 4; i++)
			sets[i] = (uint32_t)(next(&x, 1 << FUNCTIONS) & next(&x, 1 << FUNCTIONS));
		have = calls_total_query(m.capture,
					 &(struct calls_query){ pattern(sets[0], texts[0], 200),
								pattern(sets[1], texts[1], 200),
								pattern(sets[2], texts[2], 200),
								pattern(sets[3], texts[3], 200) });
		for (uint32_t i = 0; i < m.c->n; i++) {
			uint32_t f = function_of(&m, i);
			bool is_around = false, is_topmost = calls_is_timed(m.c, i);
			bool is_inside = false;
			uint64_t dur = calls_duration(m.c, i), callees = 0;

			for (uint32_t k = m.c->parent.data[i]; k != INDEX_NONE;
			     k = m.c->parent.data[k]) {
				is_around |= sets[3] >> function_of(&m, k) & 1;
				is_inside |= selected[k] && calls_is_timed(m.c, k);
			}
			selected[i] = (sets[0] >> f & 1 && !(sets[1] >> f & 1)) ||
				      (sets[2] >> f & 1 && is_around);
			is_topmost &= !is_inside;
			below += is_inside || (selected[i] && is_topmost);
			if (!selected[i])
				continue;
			matching++;
			for (uint32_t k = i + 1; k < m.c->n; k++)
				callees += m.c->parent.data[k] == i ? calls_duration(m.c, k) : 0;
			if (has_self(m.c, i))
				p.self += callees > dur ? 0 : dur - callees;
			if (!is_topmost)
				continue;
			p.topmost++;
			p.total += dur;
			if (p.longest == INDEX_NONE || dur > calls_duration(m.c, p.longest))
				p.longest = i;
		}
		assert_int_equal(have.matching, matching);
		assert_int_equal(have.topmost, p.topmost);
		assert_int_equal(have.total_ns, p.total);
		assert_int_equal(have.self_ns, p.self);
		assert_int_equal(have.below, below);
		assert_int_equal(have.longest, p.longest);
		made_free(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_those_of_every_call_and_its_callers),
		cmocka_unit_test(queries_select_by_function_and_by_the_calls_around),
	};

	return cmocka_run_group_tests_name("calls twin", tests, NULL, NULL);
}
