/* SPDX-License-Identifier: MIT */
/* Compare two traces by the mean time per call of each function. */
#include "analyses/compare/compare_build.h"
#include "base/number.h"
#include "core/capture.h"

#include "analyses/compare/compare.h"
#include "analyses/compare/compare_names.h"
#include "analyses/compare/stats_compare.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <math.h>

/* The timed calls of one function on one side. */
struct calls_of {
	size_t from; /* index of the function's first duration in calls_side.durations */
	uint64_t n;
	double sum;
	double squares; /* sum of squared deviations from the mean */
	uint64_t p50;
};

struct calls_side {
	struct calls_of *functions;
	/* durations of all functions, function by function, ascending within each */
	uint64_t *durations;
	uint64_t n;
	uint64_t untimed;
	uint64_t lost;
};

static int calls_compare_ns(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x;
	uint64_t b = *(const uint64_t *)y;

	return SORT_ORDER(a, b);
}

static uint32_t calls_function(const struct compare_names *n, const struct calls *c, size_t call)
{
	uint8_t state = c->state.data[call];

	if (state & CALL_NO_DURATION || (state & CALL_STATE_MASK) == CALL_OPEN)
		return INDEX_NONE;
	return n->function_of[c->sym.data[call].v];
}

/* Collect the durations by function; also count calls without a duration, and lost events. */
static void calls_collect(struct calls_side *s, const struct compare_names *n,
			  const struct compare_side *side)
{
	size_t at = 0;
	size_t all = 0;

	s->functions = xcalloc(n->functions.len + 1, sizeof(*s->functions));
	for (size_t i = 0; i < side->n; i++) {
		const struct calls *c = side->captures[i]->calls;

		all += c->n;
		s->lost += c->lost_events;
		for (size_t call = 0; call < c->n; call++) {
			uint32_t f = calls_function(n, c, call);

			if (f == INDEX_NONE)
				s->untimed++;
			else
				s->functions[f].n++;
		}
	}
	s->durations = xcalloc(all + 1, sizeof(*s->durations));
	for (size_t f = 0; f < n->functions.len; f++) {
		s->functions[f].from = at;
		at += s->functions[f].n;
		s->functions[f].n = 0;
	}
	s->n = at;
	for (size_t i = 0; i < side->n; i++) {
		const struct calls *c = side->captures[i]->calls;

		for (size_t call = 0; call < c->n; call++) {
			uint32_t f = calls_function(n, c, call);
			struct calls_of *of = f == INDEX_NONE ? NULL : &s->functions[f];

			if (of)
				s->durations[of->from + of->n++] =
					calls_duration(c, (uint32_t)call);
		}
	}
}

static void calls_sum_up(struct calls_side *s, size_t n_functions)
{
	for (size_t f = 0; f < n_functions; f++) {
		struct calls_of *of = &s->functions[f];
		uint64_t *d = s->durations + of->from;
		double mean;

		if (of->n == 0)
			continue;
		qsort(d, of->n, sizeof(*d), calls_compare_ns);
		of->p50 = d[(of->n - 1) / 2];
		for (uint64_t i = 0; i < of->n; i++)
			of->sum += (double)d[i];
		mean = of->sum / (double)of->n;
		for (uint64_t i = 0; i < of->n; i++)
			of->squares += ((double)d[i] - mean) * ((double)d[i] - mean);
	}
}

/*
 * Compute the interval and the p value of the difference of two means by Welch's test, in
 * microseconds.
 */
static void calls_test(struct compare_row *r, const struct calls_of *a, const struct calls_of *b)
{
	double va, vb, error, df, t;

	if (a->n < 2 || b->n < 2)
		return;
	va = a->squares / (double)(a->n - 1) / (double)a->n / 1e6;
	vb = b->squares / (double)(b->n - 1) / (double)b->n / 1e6;
	error = sqrt(va + vb);
	if (!(error > 0))
		return;
	df = (va + vb) * (va + vb) / (va * va / (double)(a->n - 1) + vb * vb / (double)(b->n - 1));
	t = stats_t_critical(COMPARE_ALPHA, df);
	r->low = r->delta - t * error;
	r->high = r->delta + t * error;
	r->visible = (t + COMPARE_POWER_Z) * error;
	if (a->n >= COMPARE_CALLS_MIN && b->n >= COMPARE_CALLS_MIN)
		r->p = stats_t_two_sided(r->delta / error, df);
}

static void calls_row(struct compare *c, const struct compare_group *g,
		      const struct compare_names *n, const struct calls_of *a,
		      const struct calls_of *b)
{
	struct compare_row *r;
	int side = a->n ? 0 : 1;

	if (a->n + b->n == 0)
		return;
	r = VEC_PUSH(&c->tables[COMPARE_SYMBOL].rows);
	*r = (struct compare_row){
		.name = arena_str(&c->arena, strings_get(&n->strings, g->name[side])),
		.dso = arena_str(&c->arena, strings_get(&n->strings, g->dso[side])),
		.space = str_of(symbol_space_name((enum symbol_space)g->space)),
		.a = a->n ? a->sum / (double)a->n / 1e3 : 0,
		.b = b->n ? b->sum / (double)b->n / 1e3 : 0,
		.low = -INFINITY,
		.high = INFINITY,
		.p = NAN,
		.q = NAN,
		.visible = NAN,
		.longer = NAN,
		.needed = NAN,
		.dispersion = NAN,
		.samples_a = NAN,
		.samples_b = NAN,
		.calls_a = a->n,
		.calls_b = b->n,
		.total_ns_a = number_whole(a->sum),
		.total_ns_b = number_whole(b->sum),
		.p50_ns_a = a->p50,
		.p50_ns_b = b->p50,
		.verdict = COMPARE_CANNOT_TELL,
		.is_new = a->n == 0,
		.is_vanished = b->n == 0,
	};
	if (a->n && b->n && g->name[0].v != g->name[1].v)
		r->name_b = arena_str(&c->arena, strings_get(&n->strings, g->name[1]));
	r->a_low = r->a_high = r->a;
	r->b_low = r->b_high = r->b;
	r->delta = r->b - r->a;
	calls_test(r, a, b);
}

static void calls_note(struct compare *c, bool is_warning, const char *id, const char *sentence)
{
	*VEC_PUSH(&c->notes) = (struct compare_note){ id, is_warning, str_of(sentence) };
}

int compare_calls(const struct compare_spec *spec, struct compare *ret, struct error *err)
{
	const struct compare_side *sides[2] = { &spec->a, &spec->b };
	struct calls_side s[2] = { { .n = 0 }, { .n = 0 } };
	struct compare_names names;

	memset(ret, 0, sizeof(*ret));
	ret->alpha = COMPARE_ALPHA;
	ret->norm = COMPARE_PER_CALL;
	ret->unit = STR("µs a call");
	ret->spread = COMPARE_BY_CALLS;
	for (int i = 0; i < 2; i++) {
		for (size_t k = 0; k < sides[i]->n; k++) {
			if (!sides[i]->captures[k]->calls || sides[i]->captures[k]->profile)
				return fail(err, ERR_USAGE,
					    "%c is no trace of calls: a trace is compared with a "
					    "trace",
					    i ? 'B' : 'A');
		}
		if (sides[i]->n == 0)
			return fail(err, ERR_USAGE, "a side is empty");
	}
	compare_names_init(&names, spec->a.captures, spec->a.n, spec->b.captures, spec->b.n);
	for (int i = 0; i < 2; i++) {
		calls_collect(&s[i], &names, sides[i]);
		calls_sum_up(&s[i], names.functions.len);
		if (s[i].lost)
			calls_note(ret, true, "lost",
				   i ? "events of B were lost: calls are missing"
				     : "events of A were lost: calls are missing");
	}
	calls_note(ret, false, "tracer-cost",
		   "times include callees and what the tracer costs, about the same for each call");
	ret->a.samples = (double)s[0].n;
	ret->b.samples = (double)s[1].n;
	ret->a.seconds = ret->b.seconds = ret->a.shown_pct = ret->b.shown_pct = NAN;
	ret->a.weight = ret->b.weight = NAN;
	ret->overlap = NAN;
	ret->matched_base = names.n_base;
	ret->matched_dso = names.n_dso;
	VEC_FOREACH (g, &names.functions) {
		size_t f = (size_t)(g - names.functions.data);

		if (!g->merged)
			calls_row(ret, g, &names, &s[0].functions[f], &s[1].functions[f]);
	}
	compare_verdicts(ret, &ret->tables[COMPARE_SYMBOL], COMPARE_CALL_MARGIN);
	ret->tables[COMPARE_SYMBOL].dispersion = NAN;
	ret->tables[COMPARE_SYMBOL].visible_one = ret->tables[COMPARE_SYMBOL].visible_top = NAN;
	ret->tables[COMPARE_SYMBOL].longer = NAN;
	for (int i = COMPARE_CHILDREN; i < COMPARE_LEVEL_COUNT; i++)
		ret->tables[i].missing = STR("traces are compared function by function");
	for (int i = 0; i < 2; i++) {
		free(s[i].functions);
		free(s[i].durations);
	}
	compare_names_fini(&names);
	if (s[0].n == 0 || s[1].n == 0)
		return fail(err, ERR_NOTFOUND,
			    "no call of %s has a time, so there is nothing to compare; strace -T "
			    "prints the times",
			    s[0].n   ? "B"
			    : s[1].n ? "A"
				     : "A or B");
	return OK;
}
