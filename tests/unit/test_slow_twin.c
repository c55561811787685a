/* SPDX-License-Identifier: MIT */
/* Slow calls of random traces, and their causes, against a search without any index. */
#include "unit.h"

#include "analyses/calls/calls_summary.h"
#include "analyses/categories.h"
#include "analyses/slow/slow_calls.h"
#include "analyses/tracer/tracer_cost.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/symbols.h"

#include <math.h>
#include <stdio.h>

#define FUNCTIONS 6u
#define CALLS_MAX 700u

struct made {
	struct dossier *d;
	struct capture *capture;
	struct calls *c;
	sym_id sym[FUNCTIONS];
	struct tracer_cost cost;
	uint32_t f[CALLS_MAX]; /* number of the function of each call */
	/* the typical call of each function */
	uint64_t p50[FUNCTIONS], timed[FUNCTIONS], limit[FUNCTIONS];
	bool is_slow[CALLS_MAX], is_explained[CALLS_MAX];
	uint64_t n_explained;
};

static uint64_t next(uint64_t *x, uint64_t below)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (*x >> 33) % below;
}

/* A call of function @f, which usually calls f + 1 and f + 2; returns its duration. */
static uint64_t make_call(struct made *m, uint64_t *x, uint32_t f, uint32_t parent, uint32_t depth)
{
	uint64_t dur = 100 + 50 * f + next(x, 40);
	uint32_t call = 0, n = (uint32_t)next(x, 2) + 1;

	if (m->c->n >= CALLS_MAX - 40)
		return 0;
	m->f[m->c->n] = f;
	assert_int_equal(calls_add(m->c, m->sym[f], parent, 0, depth, CALL_CLOSED,
				   (uint32_t)m->c->n + 7, &call),
			 OK);
	if (next(x, 30) == 0)
		dur *= 20 + next(x, 60); /* slow by itself */
	if (next(x, 40) == 0)
		n += 8 + (uint32_t)next(x, 9); /* more calls than usual */
	for (uint32_t i = 0; f + 1 < FUNCTIONS && depth < 3 && i < n; i++)
		dur += make_call(m, x, i % 2 && f + 2 < FUNCTIONS ? f + 2 : f + 1, call, depth + 1);
	if (f + 1 < FUNCTIONS && next(x, 50) == 0) /* a path that other calls do not take */
		dur += make_call(m, x, FUNCTIONS - 1, call, depth + 1);
	if (next(x, 60) == 0)
		dur /= 2; /* the callees took longer, as with clocks that jump */
	if (next(x, 50))
		calls_set_duration(m->c, call, dur);
	return dur;
}

static void make(struct made *m, uint64_t *x)
{
	memset(m, 0, sizeof(*m));
	m->d = dossier_new();
	m->capture = dossier_add(m->d, "test");
	m->c = capture_calls(m->capture);
	(void)calls_lane(m->c, (struct call_lane){ .cpu = 0 });
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "work_%u", i);
		m->sym[i] =
			symbols_add_text(&m->d->symbols, str_of(name), STR_NONE, SPACE_KERNEL, 0);
	}
	m->c->has_durations = true;
	for (uint64_t n = 5 + next(x, 60); n > 0 && m->c->n < CALLS_MAX - 100; n--)
		(void)make_call(m, x, next(x, 8) ? 0 : (uint32_t)next(x, FUNCTIONS), INDEX_NONE, 0);
	calls_finish(m->c);
	if (next(x, 2)) {
		m->cost.why_not = "not estimated";
	} else {
		m->cost.leaf = (struct tracer_span){ 20, 15, 25 };
		m->cost.nested = (struct tracer_span){ 60, 50, 70.05 };
	}
}

static uint64_t duration(const struct made *m, uint32_t call)
{
	return calls_duration(m->c, call);
}

static uint64_t self_of(const struct made *m, uint32_t call)
{
	uint64_t below = 0;

	for (uint32_t i = 0; i < m->c->n; i++)
		below += m->c->parent.data[i] == call ? duration(m, i) : 0;
	return below > duration(m, call) ? 0 : duration(m, call) - below;
}

static uint64_t n_slow(const struct made *m, uint32_t f)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < m->c->n; i++)
		n += m->f[i] == f && calls_is_timed(m->c, i) && duration(m, i) > m->limit[f];
	return n;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Three times the median, and at least ten times the overhead above it, or a microsecond. */
static void find_limits(struct made *m)
{
	uint64_t least = m->cost.why_not ? 1000 : (uint64_t)ceil(10 * m->cost.nested.high_ns);

	for (uint32_t f = 0; f < FUNCTIONS; f++) {
		uint64_t durations[CALLS_MAX];
		uint64_t n = 0;

		for (uint32_t i = 0; i < m->c->n; i++) {
			if (m->f[i] == f && calls_is_timed(m->c, i))
				durations[n++] = duration(m, i);
		}
		qsort(durations, n, sizeof(*durations), by_value);
		m->timed[f] = n;
		m->p50[f] = n ? durations[(n + 1) / 2 - 1] : 0;
		m->limit[f] = UINT64_MAX;
		if (n < 5)
			continue;
		m->limit[f] = 3 * m->p50[f] > m->p50[f] + least ? 3 * m->p50[f] : m->p50[f] + least;
		/* if more than a fifth is slow, there is another kind of work: up to eight times */
		for (int round = 0; round < 3 && n_slow(m, f) > n / 5; round++)
			m->limit[f] *= 2;
		if (n_slow(m, f) > n / 5)
			m->limit[f] = UINT64_MAX;
	}
	for (uint32_t i = 0; i < m->c->n; i++)
		m->is_slow[i] = calls_is_timed(m->c, i) && duration(m, i) > m->limit[m->f[i]];
}

static bool is_typical(const struct made *m, uint32_t call)
{
	return calls_is_timed(m->c, call) && !m->is_slow[call];
}

/* Means over the typical calls of a function. */
struct typical {
	double n, self, children;
	double ns[FUNCTIONS], calls[FUNCTIONS], callers[FUNCTIONS]; /* by callee */
};

static struct typical typical_of(const struct made *m, uint32_t f)
{
	struct typical t = { .n = 0 };

	for (uint32_t i = 0; i < m->c->n; i++) {
		bool calls[FUNCTIONS] = { false };

		if (m->f[i] != f || !is_typical(m, i))
			continue;
		t.n++;
		t.self += (double)self_of(m, i);
		for (uint32_t k = i + 1; k < m->c->n; k++) {
			if (m->c->parent.data[k] != i)
				continue;
			t.children++;
			if (m->timed[f] < 5 || !calls_is_timed(m->c, k))
				continue;
			t.ns[m->f[k]] += (double)duration(m, k);
			t.calls[m->f[k]]++;
			t.callers[m->f[k]] += !calls[m->f[k]];
			calls[m->f[k]] = true;
		}
	}
	return t;
}

static void explain(struct made *m, uint32_t call)
{
	m->n_explained += !m->is_explained[call] && duration(m, call) > m->limit[m->f[call]];
	m->is_explained[call] = true;
}

/* The longest direct callee of more than @least ns; INDEX_NONE: none. */
static uint32_t heaviest(const struct made *m, uint32_t call, uint64_t least)
{
	uint32_t ret = INDEX_NONE;

	for (uint32_t i = call + 1; i < m->c->n; i++) {
		if (m->c->parent.data[i] == call && duration(m, i) > least) {
			least = duration(m, i);
			ret = i;
		}
	}
	return ret;
}

static void blame(struct made *m, struct slow_call *row, uint32_t call, uint32_t f,
		  enum slow_cause cause)
{
	uint64_t longest = 0;

	row->cause = (uint8_t)cause;
	row->is_certain = true;
	row->because = m->sym[f];
	row->because_ns = row->because_calls = 0;
	row->because_call = INDEX_NONE;
	row->steps++;
	for (uint32_t i = call + 1; i < m->c->n; i++) {
		if (m->c->parent.data[i] != call || m->f[i] != f)
			continue;
		explain(m, i);
		if (!calls_is_timed(m->c, i))
			continue;
		row->because_ns += duration(m, i);
		row->because_calls++;
		if (row->because_call == INDEX_NONE || duration(m, i) > longest) {
			longest = duration(m, i);
			row->because_call = i;
		}
	}
}

/* Search the cause of the slow call row->call, from call to callee. */
static void search(struct made *m, struct slow_call *row)
{
	double most = 0.5 * (double)(row->total_ns - row->typical_ns);
	double each = m->cost.why_not ? 0 : m->cost.nested.ns - m->cost.leaf.ns;

	for (uint32_t call = row->call;;) {
		uint32_t f = m->f[call], place = INDEX_NONE, longest = INDEX_NONE;
		struct typical t = typical_of(m, f);
		bool has_peers = m->timed[f] >= 5 && t.n > 0, has_untimed = false;
		double n = has_peers ? t.n : 1, kids = 0, place_ns = 0, own, mean;
		bool is_seen[FUNCTIONS] = { false };
		uint64_t here_n = 0;

		for (uint32_t k = call + 1; k < m->c->n; k++) {
			uint32_t g = m->f[k];
			double ns = 0, count = 0, excess;

			if (m->c->parent.data[k] != call)
				continue;
			has_untimed |= !calls_is_timed(m->c, k);
			if (!calls_is_timed(m->c, k) || is_seen[g])
				continue;
			is_seen[g] = true;
			for (uint32_t i = k; i < m->c->n; i++) {
				if (m->c->parent.data[i] != call || m->f[i] != g ||
				    !calls_is_timed(m->c, i))
					continue;
				ns += (double)duration(m, i);
				count++;
			}
			kids += count;
			excess = ns - (has_peers ? t.ns[g] / n : 0);
			excess += each * (count - (has_peers ? t.calls[g] / n : 0));
			if (excess > place_ns) {
				place_ns = excess;
				place = g;
				here_n = (uint64_t)count;
			}
		}
		own = (double)self_of(m, call) - (has_peers ? t.self / n : 0);
		own -= each * (kids - (has_peers ? t.children / n : 0));
		if (fmax(own, place_ns) < most || own >= place_ns) {
			bool is_spread = fmax(own, place_ns) < most;

			row->cause = row->steps  ? SLOW_CHILD
				     : is_spread ? SLOW_SPREAD
						 : SLOW_OWN_TIME;
			row->is_certain = is_spread ? row->steps != 0 : !has_untimed;
			row->because = m->sym[f];
			row->because_call = call;
			row->because_ns = duration(m, call);
			row->because_typical_ns = m->timed[f] >= 5 ? (double)m->p50[f] : -1;
			return;
		}
		for (uint32_t i = call + 1; i < m->c->n; i++) {
			if (m->c->parent.data[i] == call && m->f[i] == place &&
			    calls_is_timed(m->c, i) &&
			    (longest == INDEX_NONE || duration(m, i) > duration(m, longest)))
				longest = i;
		}
		mean = t.calls[place] > 0 ? t.ns[place] / t.calls[place] : 0;
		if (!(has_peers && t.callers[place] <= 0.02 * t.n) &&
		    (double)duration(m, longest) - mean >= fmax(0.5 * place_ns, most)) {
			call = longest;
			row->steps++;
			explain(m, call);
			continue;
		}
		if (has_peers && t.callers[place] <= 0.02 * t.n) {
			blame(m, row, call, place, SLOW_RARE_PATH);
			for (uint32_t i = longest; i != INDEX_NONE;
			     i = heaviest(m, i, duration(m, i) / 2))
				explain(m, i);
		} else if (has_peers && (double)here_n > 1.5 * t.calls[place] / t.n) {
			blame(m, row, call, place, SLOW_MORE_CALLS);
		} else {
			blame(m, row, call, place, SLOW_CHILD);
			row->because_call = INDEX_NONE;
		}
		row->because_typical_ns = has_peers ? t.ns[place] / t.n : -1;
		row->because_typical_calls = has_peers ? t.calls[place] / t.n : 0;
		return;
	}
}

struct plain {
	struct slow_call rows[CALLS_MAX];
	size_t n;
	uint64_t calls;
};

/* Calls with the same function, cause and function that is the cause are one row. */
static void keep(struct plain *p, const struct slow_call *row)
{
	p->calls++;
	for (size_t i = 0; i < p->n; i++) {
		struct slow_call *have = &p->rows[i];
		struct slow_call old = *have;

		if (have->sym.v != row->sym.v || have->because.v != row->because.v ||
		    have->cause != row->cause)
			continue;
		if (row->total_ns > have->total_ns)
			*have = *row;
		have->calls = old.calls + 1;
		have->sum_excess_ns = old.sum_excess_ns + row->sum_excess_ns;
		return;
	}
	p->rows[p->n++] = *row;
}

static void check_row(const struct made *m, const struct slow_call *have,
		      const struct slow_call *own)
{
	assert_int_equal(have->cause, own->cause);
	assert_int_equal(have->is_certain, own->is_certain);
	assert_int_equal(have->calls, own->calls);
	assert_int_equal(have->kept, own->calls);
	assert_int_equal(have->sum_excess_ns, own->sum_excess_ns);
	assert_int_equal(have->call, own->call);
	assert_int_equal(have->line, own->call + 7);
	assert_int_equal(have->total_ns, own->total_ns);
	assert_int_equal(have->typical_ns, own->typical_ns);
	assert_int_equal(have->peers, m->timed[m->f[own->call]]);
	assert_int_equal(have->because_call, own->because_call);
	assert_int_equal(have->because_line,
			 own->because_call == INDEX_NONE ? 0 : own->because_call + 7);
	assert_int_equal(have->because_ns, own->because_ns);
	assert_near(have->because_typical_ns, own->because_typical_ns, 1e-6);
	assert_int_equal(have->because_calls, own->because_calls);
	assert_near(have->because_typical_calls, own->because_typical_calls, 1e-9);
	assert_int_equal(have->steps, own->steps);
}

static void slow_calls_are_those_of_a_plain_search(void **state)
{
	static struct made m;
	static struct plain p;
	uint64_t x = 41, causes[SLOW_CAUSES] = { 0 };

	(void)state;
	for (int turn = 0; turn < 250; turn++) {
		struct category_cache cats = { 0 };
		struct calls_summary sum;
		struct slow_calls slow;
		size_t n_each = 0;

		make(&m, &x);
		p.n = p.calls = 0;
		assert_int_equal(calls_summary_compute(m.capture, &cats, &sum, NULL), OK);
		slow_calls_find(m.capture, &sum, &m.cost, &slow);
		find_limits(&m);
		for (uint32_t i = 0; i < m.c->n; i++) {
			struct slow_call row = { .sym = m.sym[m.f[i]],
						 .calls = 1,
						 .call = i,
						 .total_ns = duration(&m, i),
						 .typical_ns = m.p50[m.f[i]],
						 .sum_excess_ns = duration(&m, i) - m.p50[m.f[i]],
						 .because_call = INDEX_NONE,
						 .because_typical_ns = -1 };

			if (!m.is_slow[i] || m.is_explained[i])
				continue;
			search(&m, &row);
			causes[row.cause]++;
			keep(&p, &row);
		}
		assert_int_equal(slow.calls, p.calls);
		assert_int_equal(slow.explained, m.n_explained);
		assert_int_equal(slow.rows.len, p.n);
		VEC_FOREACH (row, &slow.rows) {
			const struct slow_call *own = NULL;

			for (size_t i = 0; i < p.n; i++) {
				if (p.rows[i].sym.v == row->sym.v &&
				    p.rows[i].cause == row->cause &&
				    p.rows[i].because.v == row->because.v)
					own = &p.rows[i];
			}
			assert_non_null(own);
			check_row(&m, row, own);
			assert_int_equal(row->first, n_each);
			n_each += row->kept;
			if (row != slow.rows.data)
				assert_true(row[-1].sum_excess_ns > row->sum_excess_ns ||
					    (row[-1].sum_excess_ns == row->sum_excess_ns &&
					     row[-1].call < row->call));
		}
		assert_int_equal(slow.each.len, n_each);
		slow_calls_fini(&slow);
		calls_summary_fini(&sum);
		category_cache_fini(&cats);
		dossier_free(m.d);
	}
	/* the traces have every cause that needs neither marks nor names of functions */
	assert_true(causes[SLOW_OWN_TIME] && causes[SLOW_CHILD] && causes[SLOW_RARE_PATH] &&
		    causes[SLOW_MORE_CALLS] && causes[SLOW_SPREAD]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slow_calls_are_those_of_a_plain_search),
	};

	return cmocka_run_group_tests_name("slow twin", tests, NULL, NULL);
}
