/* SPDX-License-Identifier: MIT */
/* Comparisons of random stacks against plain loops over all samples of all runs. */
#include "unit.h"

#include "analyses/categories.h"
#include "analyses/compare/compare.h"
#include "analyses/compare/stats_compare.h"
#include "base/stats.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"
#include "profiles.h"

#include <math.h>
#include <stdio.h>

#define RUNS_MAX   3u
#define STACKS_MAX 12u
#define DEPTH_MAX  4u
#define ROWS_MAX   (4 * RUNS_MAX * STACKS_MAX)

static const char *const names[] = { "alpha", "beta", "gamma", "delta", "tcp_epsilon", "vfs_zeta" };

static uint64_t next(uint64_t *x, uint64_t below)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (*x >> 33) % below;
}

struct made_stack {
	uint32_t frames[DEPTH_MAX]; /* outermost first */
	uint32_t depth, weight;
};

struct made {
	struct dossier *d;
	struct category_cache cats;
	struct compare_spec spec;
	struct compare c;
	struct made_stack stacks[2][RUNS_MAX][STACKS_MAX];
	size_t n_stacks, n_runs[2];
};

/* The same stacks in all runs, with weights of about the same size. */
static void make(struct made *m, uint64_t *x)
{
	uint32_t scale = next(x, 2) ? 10 : 400;

	memset(m, 0, sizeof(*m));
	m->d = dossier_new();
	m->n_stacks = 2 + next(x, STACKS_MAX - 1);
	m->n_runs[0] = next(x, 2) ? 1 : 1 + next(x, RUNS_MAX);
	m->n_runs[1] = m->n_runs[0] == 1 && next(x, 2) ? 1 : 1 + next(x, RUNS_MAX);
	for (size_t i = 0; i < m->n_stacks; i++) {
		struct made_stack s = { .depth = 1 + (uint32_t)next(x, DEPTH_MAX) };
		uint32_t usual[2];

		for (uint32_t k = 0; k < s.depth; k++)
			s.frames[k] = (uint32_t)next(x, ARRAY_LEN(names));
		usual[0] = usual[1] = scale * (uint32_t)next(x, 9);
		if (next(x, 3) == 0)
			usual[1] = scale * (uint32_t)next(x, 9);
		for (uint32_t run = 0; run < 2 * RUNS_MAX; run++) {
			s.weight = usual[run % 2] + (uint32_t)next(x, 1 + usual[run % 2] / 4);
			/*
			 * the first stack has always samples, so that no run is empty; no row has
			 * exactly the 5 samples that a test needs
			 */
			m->stacks[run % 2][run / 2][i] = s;
			m->stacks[run % 2][run / 2][i].weight += i == 0 ? 7 : 0;
		}
	}
	for (uint32_t side = 0; side < 2; side++) {
		struct compare_side *of = side ? &m->spec.b : &m->spec.a;

		for (size_t run = 0; run < m->n_runs[side]; run++) {
			char text[4096];
			size_t n = 0;

			for (size_t i = 0; i < m->n_stacks; i++) {
				const struct made_stack *s = &m->stacks[side][run][i];

				n += (size_t)snprintf(text + n, sizeof(text) - n, "app");
				for (uint32_t k = 0; k < s->depth; k++)
					n += (size_t)snprintf(text + n, sizeof(text) - n, ";%s%s",
							      names[s->frames[k]],
							      s->frames[k] > 3 ? "_[k]" : "");
				n += (size_t)snprintf(text + n, sizeof(text) - n, " %u\n",
						      s->weight);
			}
			of->captures[of->n++] = profile_of_folded(m->d, text);
		}
	}
}

/* Whether a stack adds to the row @name of a level. */
static bool is_in(enum compare_level level, const struct made_stack *s, const char *name)
{
	char path[128] = "";
	size_t n = 0;

	switch (level) {
	case COMPARE_SYMBOL:
		return strcmp(names[s->frames[s->depth - 1]], name) == 0;
	case COMPARE_CHILDREN:
		for (uint32_t k = 0; k < s->depth; k++)
			n += strcmp(names[s->frames[k]], name) == 0;
		return n > 0;
	case COMPARE_DSO:
		return strcmp(s->frames[s->depth - 1] > 3 ? "[kernel.kallsyms]" : "app", name) == 0;
	default:
		for (uint32_t k = 0; k < s->depth; k++)
			n += (size_t)snprintf(path + n, sizeof(path) - n, "%s%s", k ? ";" : "",
					      names[s->frames[k]]);
		if (level == COMPARE_PATHS && strlen(name) < n && path[strlen(name)] == ';')
			path[strlen(name)] = '\0';
		return strcmp(path, name) == 0;
	}
}

/* The value of a row on one side, and the variance that independent samples would have. */
struct plain_side {
	double value, variance, size;
	double runs[RUNS_MAX];
	bool is_there;
};

static struct plain_side side_of(const struct made *m, int side, enum compare_level level,
				 const char *name)
{
	double k = (double)m->n_runs[side];
	struct plain_side p = { .value = 0 };
	double sizes = 0;

	for (size_t run = 0; run < m->n_runs[side]; run++) {
		double sum = 0, total = 0, anchor = 0, both = 0, divisor, unit, v;

		for (size_t i = 0; i < m->n_stacks; i++) {
			const struct made_stack *s = &m->stacks[side][run][i];
			bool has_anchor = is_in(COMPARE_CHILDREN, s, "alpha");
			bool is_here = is_in(level, s, name);

			total += s->weight;
			sum += is_here ? s->weight : 0;
			anchor += has_anchor ? s->weight : 0;
			both += is_here && has_anchor ? s->weight : 0;
		}
		divisor = m->spec.norm == COMPARE_TOTAL    ? total
			  : m->spec.norm == COMPARE_ANCHOR ? anchor
			  : side                           ? m->spec.done_b
							   : m->spec.done_a;
		unit = 1 / divisor;
		v = p.runs[run] = sum * unit;
		p.value += v / k;
		p.is_there |= sum > 0;
		if (m->spec.norm == COMPARE_TOTAL)
			p.variance += fmax(0, (1 - 2 * v) * sum + v * v * total) * unit * unit;
		else if (m->spec.norm == COMPARE_ANCHOR)
			p.variance += fmax(0, sum - 2 * v * both + v * v * anchor) * unit * unit;
		else
			p.variance += sum * unit * unit;
		sizes += 1 / divisor / k;
	}
	p.variance /= k * k;
	p.size = k / sizes;
	return p;
}

struct plain_row {
	struct plain_side s[2];
	double ratio, df, size[2], low, high, p, weight, visible;
};

static double count_of(const struct plain_side *s, bool is_rate)
{
	return s->variance > 0 ? s->value * s->value / s->variance * (is_rate ? 1 : 1 - s->value)
			       : 0;
}

/* The overdispersion of a row, from the differences between runs. */
static void spread_of_runs(const struct made *m, struct plain_row *r)
{
	double independent = 0, sum = 0, below = 0;

	r->df = 0;
	for (int side = 0; side < 2; side++) {
		double k = (double)m->n_runs[side], squares = 0;

		if (k < 2)
			continue;
		for (size_t run = 0; run < m->n_runs[side]; run++)
			squares += pow(r->s[side].runs[run] - r->s[side].value, 2);
		squares /= (k - 1) * k;
		sum += squares;
		below += squares * squares / (k - 1);
		independent += r->s[side].variance;
		r->df += k - 1;
	}
	if (below > 0)
		r->df = fmin(r->df, sum * sum / below);
	r->ratio = independent > 0 ? sum / independent : NAN;
}

static bool is_usable(const struct made *m, const struct plain_row *r)
{
	bool is_rate = m->spec.norm != COMPARE_TOTAL;

	return !isnan(r->ratio) && r->df > 0 &&
	       count_of(&r->s[0], is_rate) + count_of(&r->s[1], is_rate) >= 12;
}

/* Move each overdispersion towards that of all rows; none is below 1. */
static void shrink(const struct made *m, struct plain_row *rows, size_t n)
{
	double ratios[ROWS_MAX] = { 0 }, df[ROWS_MAX] = { 0 };
	struct stats_prior prior;
	size_t n_usable = 0;

	for (size_t i = 0; i < n; i++) {
		if (!is_usable(m, &rows[i]))
			continue;
		ratios[n_usable] = rows[i].ratio;
		df[n_usable++] = rows[i].df;
	}
	prior = stats_prior_fit(ratios, df, n_usable);
	for (size_t i = 0; i < n; i++) {
		struct plain_row *r = &rows[i];

		if (isnan(r->ratio)) {
			r->ratio = fmax(1, prior.ratio);
			r->df = fmax(1, prior.df + r->df);
		} else {
			r->ratio = fmax(1, stats_moderate(prior, r->ratio, r->df, &r->df));
		}
	}
}

/* Overdispersion of all rows: given, assumed, or from the differences between runs. */
static void spread(const struct made *m, struct plain_row *rows, size_t n)
{
	bool is_assumed = m->n_runs[0] == 1 && m->n_runs[1] == 1;

	for (size_t i = 0; i < n; i++) {
		spread_of_runs(m, &rows[i]);
		if (!is_assumed && !(m->spec.dispersion > 0))
			continue;
		rows[i].ratio = m->spec.dispersion > 0 ? m->spec.dispersion : 1.1;
		rows[i].df = STATS_DF_NORMAL;
	}
	if (!is_assumed && !(m->spec.dispersion > 0))
		shrink(m, rows, n);
}

static void test_row(const struct made *m, struct plain_row *r)
{
	bool is_rate = m->spec.norm != COMPARE_TOTAL;
	double t = stats_t_critical(0.05, r->df);
	struct stats_side at[2];
	struct interval limits;

	for (int side = 0; side < 2; side++) {
		const struct plain_side *s = &r->s[side];
		double of = s->value * (is_rate ? 1 : 1 - s->value);

		r->size[side] = s->size;
		if (s->value > 0 && of > 0 && s->variance > 0)
			r->size[side] = of / s->variance;
		else if (s->value > 0 && m->spec.norm == COMPARE_ANCHOR && s->variance <= 0)
			r->size[side] = 1e15; /* the anchor itself: its share is exact */
		at[side] = (struct stats_side){ s->value, r->size[side] / r->ratio };
	}
	limits = stats_difference(at[0], at[1], is_rate, t);
	r->low = limits.low;
	r->high = limits.high;
	r->p = NAN;
	if (at[0].value * at[0].size + at[1].value * at[1].size >= 5)
		r->p = at[0].value == at[1].value
			       ? 1
			       : stats_difference_p(at[0], at[1], is_rate, r->df);
}

/* The smallest change that is found 4 times of 5, in the unit of values. */
static double visible(const struct made *m, const struct plain_row *r, double value, double alpha)
{
	double t = stats_t_critical(alpha, r->df), both = 1 / r->size[0] + 1 / r->size[1];

	if (m->spec.norm == COMPARE_TOTAL) {
		double n = 2 / both / r->ratio, edge = t * t / 2 / (n + t * t);

		value = fmax(edge, fmin(1 - edge, value));
		value *= 1 - value;
	}
	return (t + 0.8416212) * sqrt(r->ratio * value * both);
}

#define check_near(actual, expected) assert_near(actual, expected, 1e-6 * fmax(1, fabs(expected)))

static void check_table(const struct made *m, enum compare_level level)
{
	const struct compare_table *t = &m->c.tables[level];
	double factor = m->spec.norm == COMPARE_REQUEST ? 1 : 100;
	static struct plain_row rows[ROWS_MAX];
	double p[ROWS_MAX], q[ROWS_MAX], weight[ROWS_MAX], mean = 0, cut = 0, both = 0;
	uint64_t counts[COMPARE_VERDICT_COUNT] = { 0 }, n_tested = 0, n_new = 0, n_vanished = 0;
	size_t n = t->rows.len;

	assert_int_equal(t->missing.len, 0);
	assert_true(n <= ROWS_MAX);
	for (size_t i = 0; i < n; i++) {
		char name[128];

		(void)snprintf(name, sizeof(name), STR_FMT, STR_ARG(t->rows.data[i].name));
		for (int side = 0; side < 2; side++)
			rows[i].s[side] = side_of(m, side, level, name);
	}
	spread(m, rows, n);
	for (size_t i = 0; i < n; i++) {
		test_row(m, &rows[i]);
		p[i] = rows[i].p;
		if (isnan(p[i]))
			continue;
		n_tested++;
		mean += factor * (rows[i].s[0].value + rows[i].s[1].value) / 2;
	}
	mean /= n_tested ? (double)n_tested : 1;
	for (size_t i = 0; i < n; i++)
		weight[i] = mean > 0 ? 0.5 + 0.5 * factor *
						       (rows[i].s[0].value + rows[i].s[1].value) /
						       2 / mean
				     : 1;
	stats_benjamini_hochberg(p, weight, q, n);
	cut = n_tested ? 0.05 / (double)n_tested : NAN;
	for (size_t i = 0; i < n; i++) {
		const struct compare_row *have = &t->rows.data[i];
		const struct plain_row *r = &rows[i];
		bool is_sure = q[i] <= 0.05 && (r->low > 0 || r->high < 0);
		enum compare_verdict verdict = COMPARE_CANNOT_TELL;

		if (is_sure)
			verdict = r->low > 0 ? COMPARE_MORE : COMPARE_LESS;
		else if (factor * r->low >= -m->c.margin && factor * r->high <= m->c.margin)
			verdict = COMPARE_SAME;
		if (is_sure)
			cut = fmax(cut, p[i] / weight[i]);
		counts[verdict]++;
		n_new += verdict == COMPARE_MORE && !r->s[0].is_there;
		n_vanished += verdict == COMPARE_LESS && !r->s[1].is_there;
		assert_true(r->s[0].is_there || r->s[1].is_there);
		assert_int_equal(have->is_new, !r->s[0].is_there);
		assert_int_equal(have->is_vanished, !r->s[1].is_there);
		assert_int_equal(have->verdict, verdict);
		check_near(have->a, factor * r->s[0].value);
		check_near(have->b, factor * r->s[1].value);
		check_near(have->delta, factor * (r->s[1].value - r->s[0].value));
		check_near(have->low, factor * r->low);
		check_near(have->high, factor * r->high);
		check_near(have->dispersion, r->ratio);
		check_near(have->samples_a, r->s[0].value * r->size[0]);
		check_near(have->samples_b, r->s[1].value * r->size[1]);
		check_near(have->weight, weight[i]);
		assert_int_equal(isnan(have->p), isnan(p[i]));
		if (!isnan(p[i])) {
			check_near(have->p, p[i]);
			check_near(have->q, q[i]);
		}
	}
	for (size_t i = 0; i < n; i++) {
		const struct plain_row *r = &rows[i];
		double value = (r->s[0].value + r->s[1].value) / 2;

		check_near(t->rows.data[i].visible,
			   factor * visible(m, r, value, fmin(0.05, cut * weight[i])));
	}
	for (int i = 0; i < COMPARE_VERDICT_COUNT; i++)
		assert_int_equal(t->counts[i], counts[i]);
	assert_int_equal(t->n_tested, n_tested);
	assert_int_equal(t->n_new, n_new);
	assert_int_equal(t->n_vanished, n_vanished);
	if (level != COMPARE_SYMBOL)
		return;
	for (size_t i = 0; i < n; i++) {
		double sums[2] = { 0, 0 };

		for (size_t k = 0; k < n; k++) {
			sums[0] += rows[k].s[0].value;
			sums[1] += rows[k].s[1].value;
		}
		both += fmin(rows[i].s[0].value / sums[0], rows[i].s[1].value / sums[1]);
	}
	check_near(m->c.overlap, 100 * both);
}

/* The number of rows that a level should have. */
static size_t n_rows(const struct made *m, enum compare_level level)
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		n += side_of(m, 0, level, names[i]).is_there ||
		     side_of(m, 1, level, names[i]).is_there;
	return n;
}

/* Write the names from the outermost caller to the path @at: "alpha;beta". */
static void path_name(const struct made *m, uint32_t at, char *name, size_t size)
{
	const struct compare_path *r = &m->c.paths.rows.data[at];
	size_t n = 0;

	name[0] = '\0';
	if (r->parent != INDEX_NONE) {
		path_name(m, r->parent, name, size);
		n = strlen(name);
	}
	(void)snprintf(name + n, size - n, "%s" STR_FMT, n ? ";" : "",
		       STR_ARG(symbols_name(&m->d->symbols, r->sym)));
}

/* The only callee of a path, if all of its samples are below that one; else the path itself. */
static size_t echo_of(const struct made *m, size_t at)
{
	const struct compare_path *rows = m->c.paths.rows.data;

	for (size_t i = at + 1; i < m->c.paths.rows.len; i++) {
		if (rows[i].parent == at && rows[i].a == rows[at].a && rows[i].b == rows[at].b)
			return echo_of(m, i);
	}
	return at;
}

/* A path whose samples are all below one callee has the verdict of that callee. */
static void check_paths(const struct made *m)
{
	const struct compare_paths *t = &m->c.paths;
	double factor = m->spec.norm == COMPARE_REQUEST ? 1 : 100;
	static struct plain_row rows[ROWS_MAX];
	double p[ROWS_MAX], q[ROWS_MAX], weight[ROWS_MAX], mean = 0;
	uint64_t counts[COMPARE_VERDICT_COUNT] = { 0 }, n_tested = 0;
	size_t n = t->rows.len;

	assert_int_equal(t->missing.len, 0);
	assert_true(n <= ROWS_MAX);
	for (uint32_t i = 0; i < n; i++) {
		char name[128];

		path_name(m, i, name, sizeof(name));
		for (int side = 0; side < 2; side++)
			rows[i].s[side] = side_of(m, side, COMPARE_PATHS, name);
		assert_true(rows[i].s[0].is_there || rows[i].s[1].is_there);
	}
	spread(m, rows, n);
	for (size_t i = 0; i < n; i++) {
		test_row(m, &rows[i]);
		p[i] = echo_of(m, i) == i ? rows[i].p : NAN;
		if (isnan(p[i]))
			continue;
		n_tested++;
		mean += factor * (rows[i].s[0].value + rows[i].s[1].value) / 2;
	}
	mean /= n_tested ? (double)n_tested : 1;
	for (size_t i = 0; i < n; i++)
		weight[i] = mean > 0 ? 0.5 + 0.5 * factor *
						       (rows[i].s[0].value + rows[i].s[1].value) /
						       2 / mean
				     : 1;
	stats_benjamini_hochberg(p, weight, q, n);
	for (size_t i = 0; i < n; i++) {
		const struct compare_path *have = &t->rows.data[i];
		size_t own = echo_of(m, i);
		const struct plain_row *r = &rows[own];
		enum compare_verdict verdict = COMPARE_CANNOT_TELL;

		if (q[own] <= 0.05 && (r->low > 0 || r->high < 0))
			verdict = r->low > 0 ? COMPARE_MORE : COMPARE_LESS;
		else if (factor * r->low >= -m->c.margin && factor * r->high <= m->c.margin)
			verdict = COMPARE_SAME;
		counts[verdict]++;
		check_near(have->a, factor * rows[i].s[0].value);
		check_near(have->b, factor * rows[i].s[1].value);
		check_near(have->low, factor * rows[i].low);
		check_near(have->high, factor * rows[i].high);
		assert_int_equal(have->is_new, !rows[i].s[0].is_there);
		assert_int_equal(have->is_vanished, !rows[i].s[1].is_there);
		assert_int_equal(have->verdict, verdict);
		assert_int_equal(isnan(have->q), isnan(q[own]));
		if (isnan(q[own]))
			continue;
		check_near(have->p, p[own]);
		check_near(have->q, q[own]);
	}
	for (int i = 0; i < COMPARE_VERDICT_COUNT; i++)
		assert_int_equal(t->counts[i], counts[i]);
	assert_int_equal(t->n_tested, n_tested);
}

static void rows_are_sums_over_samples_with_their_intervals(void **state)
{
	static const enum compare_norm norms[] = { COMPARE_TOTAL, COMPARE_REQUEST, COMPARE_ANCHOR };
	static struct made m;
	uint64_t x = 51;
	unsigned int n_anchors = 0;

	(void)state;
	for (int turn = 0; turn < 400; turn++) {
		struct error err;
		int e;

		make(&m, &x);
		m.spec.has_paths = true;
		m.spec.norm = norms[turn % 3];
		m.spec.done_a = (double)(100 + next(&x, 900));
		m.spec.done_b = (double)(100 + next(&x, 900));
		m.spec.anchor = m.spec.norm == COMPARE_ANCHOR ? STR("alpha") : STR("request");
		m.spec.dispersion = next(&x, 4) ? 0 : 1 + (double)next(&x, 4);
		e = compare_profiles(&m.spec, &m.cats, &m.c, &err);
		if (m.spec.norm != COMPARE_ANCHOR)
			assert_int_equal(e, OK);
		n_anchors += m.spec.norm == COMPARE_ANCHOR && e == OK;
		if (e == OK) {
			assert_int_equal(m.c.tables[COMPARE_SYMBOL].rows.len,
					 n_rows(&m, COMPARE_SYMBOL));
			assert_int_equal(m.c.tables[COMPARE_CHILDREN].rows.len,
					 n_rows(&m, COMPARE_CHILDREN));
			check_table(&m, COMPARE_SYMBOL);
			check_table(&m, COMPARE_CHILDREN);
			check_table(&m, COMPARE_DSO);
			check_table(&m, COMPARE_STACK);
			check_paths(&m);
		}
		compare_fini(&m.c);
		category_cache_fini(&m.cats);
		dossier_free(m.d);
	}
	assert_true(n_anchors > 50);
}

#define TIMED_MAX 400u

/* Two recordings of samples with times. */
struct timed {
	struct made m;
	uint32_t function[2][TIMED_MAX];
	uint64_t time_ns[2][TIMED_MAX];
	size_t n[2];
	bool has_times[2];
};

static void make_timed(struct timed *t, uint64_t *x)
{
	memset(t, 0, sizeof(*t));
	t->m.d = dossier_new();
	t->m.n_runs[0] = t->m.n_runs[1] = 1;
	for (int side = 0; side < 2; side++) {
		struct capture *c = profile_of_folded(t->m.d, "");
		struct profile *p = capture_profile(c);
		uint32_t function = 0;
		uint64_t now = next(x, 1000), burst = 1 + next(x, 12);

		p->unit = WEIGHT_SAMPLES;
		t->n[side] = 60 + next(x, TIMED_MAX - 60);
		t->has_times[side] = next(x, 8) && t->n[side] >= 72;
		for (size_t i = 0; i < t->n[side]; i++) {
			if (next(x, burst) == 0)
				function = (uint32_t)(next(x, ARRAY_LEN(names)) & next(x, 8));
			function = function < ARRAY_LEN(names) ? function : 0;
			t->function[side][i] = function;
			t->time_ns[side][i] = now;
			now += next(x, 2000);
			assert_int_equal(
				profile_add_sample(
					p,
					stacks_push(&p->stacks, STACK_ROOT,
						    symbols_add_text(&t->m.d->symbols,
								     str_of(names[function]),
								     STR("app"), SPACE_USER, 0)),
					1),
				OK);
			if (t->has_times[side] || t->n[side] < 72)
				*VEC_PUSH(&p->samples.time_ns) = t->time_ns[side][i];
		}
		*(side ? &t->m.spec.b : &t->m.spec.a) = (struct compare_side){ { c }, 1 };
	}
}

static struct plain_side timed_side(const struct timed *t, int side, uint32_t function)
{
	double total = (double)t->n[side], k = 1 / total, sum = 0;
	struct plain_side p = { .size = total };

	for (size_t i = 0; i < t->n[side]; i++)
		sum += t->function[side][i] == function;
	p.value = sum * k;
	p.variance = fmax(0, (1 - 2 * p.value) * sum + p.value * p.value * total) * k * k;
	p.is_there = sum > 0;
	return p;
}

/*
 * The overdispersion of a function: its deviations from its share of each of @m equal slices of
 * time, B minus A.
 */
static double ratio_of_slices(const struct timed *t, uint32_t function, const struct plain_row *r,
			      unsigned int m)
{
	double sum = 0, independent = 0;

	for (unsigned int k = 0; k < m; k++) {
		double e = 0;

		for (int side = 0; side < 2; side++) {
			uint64_t first = t->time_ns[side][0], span;
			double own = 0, all = 0;

			span = t->time_ns[side][t->n[side] - 1] - first;
			for (size_t i = 0; i < t->n[side] && t->has_times[side]; i++) {
				double at =
					(double)(t->time_ns[side][i] - first) / (double)span * m;

				if ((unsigned int)fmin(at, m - 1) != k)
					continue;
				own += t->function[side][i] == function;
				all++;
			}
			own = (own - r->s[side].value * all) / (double)t->n[side];
			e += side ? own : -own;
		}
		sum += e * e;
	}
	for (int side = 0; side < 2; side++)
		independent += t->has_times[side] ? r->s[side].variance : 0;
	return independent > 0 ? sum * m / (m - 1) / independent : NAN;
}

/* The mean overdispersion of the functions with enough samples; NaN: there are none. */
static double mean_of_slices(const struct timed *t, struct plain_row *rows, unsigned int m)
{
	double sum = 0;
	unsigned int n = 0;

	for (uint32_t i = 0; i < ARRAY_LEN(names); i++) {
		rows[i].df = 1;
		rows[i].ratio = ratio_of_slices(t, i, &rows[i], m);
		if (!is_usable(&t->m, &rows[i]))
			continue;
		sum += rows[i].ratio;
		n++;
	}
	return n ? sum / n : NAN;
}

/* 48, 24 or 12 slices: the most that have 6 samples and are longer than the bursts in them. */
static unsigned int slices_of(const struct timed *t, struct plain_row *rows)
{
	size_t fewest = SIZE_MAX;
	unsigned int m = 48;
	double last;

	for (int side = 0; side < 2; side++) {
		if (t->has_times[side] && t->n[side] < fewest)
			fewest = t->n[side];
	}
	while (m > 12 && fewest / m < 6)
		m /= 2;
	for (last = mean_of_slices(t, rows, m); m > 12; m /= 2) {
		double mean = mean_of_slices(t, rows, m / 2);

		if (last > 0 && !(mean > 1.15 * last))
			break;
		last = mean;
	}
	return m;
}

static void the_spread_of_slices_is_that_of_their_deviations(void **state)
{
	static struct timed t;
	uint64_t x = 61;
	unsigned int seen[49] = { 0 };

	(void)state;
	for (int turn = 0; turn < 400; turn++) {
		struct plain_row rows[ARRAY_LEN(names)] = { { .df = 0 } };
		struct compare *c = &t.m.c;
		unsigned int m = 0;
		struct error err;

		make_timed(&t, &x);
		assert_int_equal(compare_profiles(&t.m.spec, &t.m.cats, c, &err), OK);
		for (uint32_t i = 0; i < ARRAY_LEN(names); i++) {
			for (int side = 0; side < 2; side++)
				rows[i].s[side] = timed_side(&t, side, i);
		}
		if (t.has_times[0] || t.has_times[1])
			m = slices_of(&t, rows);
		assert_int_equal(c->spread, m == 0 ? COMPARE_ASSUMED
					    : t.has_times[0] && t.has_times[1]
						    ? COMPARE_BY_SLICES
						    : COMPARE_BY_SLICES_ONE);
		assert_int_equal(c->n_slices, m);
		seen[m]++;
		for (uint32_t i = 0; i < ARRAY_LEN(names); i++) {
			rows[i].ratio = m ? ratio_of_slices(&t, i, &rows[i], m) : 1.1;
			rows[i].df = m ? m - 1 : STATS_DF_NORMAL;
		}
		if (m)
			shrink(&t.m, rows, ARRAY_LEN(names));
		VEC_FOREACH (have, &c->tables[COMPARE_SYMBOL].rows) {
			for (uint32_t i = 0; i < ARRAY_LEN(names); i++) {
				if (!str_eq(have->name, str_of(names[i])))
					continue;
				test_row(&t.m, &rows[i]);
				check_near(have->dispersion, rows[i].ratio);
				check_near(have->low, 100 * rows[i].low);
				check_near(have->high, 100 * rows[i].high);
			}
		}
		compare_fini(c);
		category_cache_fini(&t.m.cats);
		dossier_free(t.m.d);
	}
	assert_true(seen[0] && seen[12] && seen[24] && seen[48]);
}

static struct stats_side moved(struct stats_side s, double by)
{
	s.value = fmax(0, fmin(1, s.value + by));
	return s;
}

/*
 * Reports without their lightest rows. A printed share is right within 0.005 points; a missing
 * function has at most the smallest printed share, and at most all that is missing.
 */
static void a_printed_share_is_any_that_prints_like_it(void **state)
{
	uint64_t x = 71;

	(void)state;
	for (int turn = 0; turn < 600; turn++) {
		struct made m = { .d = dossier_new(), .n_runs = { 1, 1 } };
		uint64_t weight[2][ARRAY_LEN(names)], n_samples[2];
		double bound[2];
		struct error err;

		for (int side = 0; side < 2; side++) {
			struct capture *c = dossier_add(m.d, "test");
			uint64_t left = 10000 - next(&x, 2) * next(&x, 900), last = 0;

			for (uint32_t i = 0; i < ARRAY_LEN(names); i++) {
				/* the heaviest first; both sides have the same order */
				weight[side][i] = left > 40 ? left / 2 - next(&x, left / 20) : 0;
				if (i > 3 && next(&x, 3) == 0)
					weight[side][i] = 0;
				left -= weight[side][i];
				if (weight[side][i] == 0)
					continue;
				last = weight[side][i];
				(void)profile_add_row(m.d, c, "app", "app", '.', names[i],
						      UINT64_MAX, last);
			}
			n_samples[side] = 200 + next(&x, 20000);
			c->profile->n_samples = n_samples[side];
			c->profile->has_n_samples = true;
			*(side ? &m.spec.b : &m.spec.a) = (struct compare_side){ { c }, 1 };
			bound[side] = 10000.5;
			for (uint32_t i = 0; i < ARRAY_LEN(names); i++)
				bound[side] -= (double)weight[side][i];
			bound[side] = fmin(bound[side], (double)last + 0.5);
		}
		assert_int_equal(compare_profiles(&m.spec, &m.cats, &m.c, &err), OK);
		assert_int_equal(m.c.spread, COMPARE_ASSUMED);
		VEC_FOREACH (have, &m.c.tables[COMPARE_SYMBOL].rows) {
			struct stats_side at[2], low[2], high[2];
			double t = stats_t_critical(0.05, STATS_DF_NORMAL), p = 1;
			uint32_t i = 0;

			while (!str_eq(have->name, str_of(names[i])))
				i++;
			for (int side = 0; side < 2; side++) {
				double w = (double)weight[side][i];

				at[side] = (struct stats_side){ w / 10000,
								(double)n_samples[side] / 1.1 };
				low[side] = moved(at[side], -fmin(w, 0.5) / 10000);
				high[side] = moved(at[side], (w > 0 ? 0.5 : bound[side]) / 10000);
			}
			check_near(have->a, 100 * at[0].value);
			check_near(have->b, 100 * at[1].value);
			check_near(have->a_low, 100 * low[0].value);
			check_near(have->a_high, 100 * high[0].value);
			check_near(have->b_low, 100 * low[1].value);
			check_near(have->b_high, 100 * high[1].value);
			check_near(have->low,
				   100 * stats_difference(high[0], low[1], false, t).low);
			check_near(have->high,
				   100 * stats_difference(low[0], high[1], false, t).high);
			if (low[1].value > high[0].value)
				p = stats_difference_p(high[0], low[1], false, STATS_DF_NORMAL);
			else if (high[1].value < low[0].value)
				p = stats_difference_p(low[0], high[1], false, STATS_DF_NORMAL);
			if (!isnan(have->p))
				check_near(have->p, p);
			assert_int_equal(have->is_new, weight[0][i] == 0);
			assert_int_equal(have->is_vanished, weight[1][i] == 0);
		}
		compare_fini(&m.c);
		category_cache_fini(&m.cats);
		dossier_free(m.d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_sums_over_samples_with_their_intervals),
		cmocka_unit_test(the_spread_of_slices_is_that_of_their_deviations),
		cmocka_unit_test(a_printed_share_is_any_that_prints_like_it),
	};

	return cmocka_run_group_tests_name("compare twin", tests, NULL, NULL);
}
