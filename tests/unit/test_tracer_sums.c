/* SPDX-License-Identifier: MIT */
/* The tracer's cost in sums of calls: the formulas of tracer_cost.h, with small numbers. */
#include "unit.h"

#include "analyses/calls/calls_summary.h"
#include "analyses/calls/hidden_calls.h"
#include "analyses/categories.h"
#include "analyses/tracer/tracer_cost.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "core/dossier.h"
#include "document/document.h"
#include "formats/load.h"

#include <math.h>

/* Costs of which each part differs from all others. */
static const struct tracer_cost cost = {
	.leaf = { 3, 2, 5 },
	.nested = { 11, 7, 17 },
	.hidden = { 13, 1, 19 },
	.noise_ns = 2,
	.has_hidden = true,
};

static void the_cost_of_calls_is_the_sum_of_its_parts(void **state)
{
	struct tracer_cost without = cost;

	(void)state;
	without.has_hidden = false;
	for (unsigned int i = 0; i < 2 * 3 * 3 * 3 * 3; i++) {
		bool is_self = i & 1;
		double n = i / 2 % 3, below = i / 6 % 3, hidden = i / 18 % 3, var = i / 54 % 3;
		struct tracer_paid paid = { .n = (uint64_t)n,
					    .below = (uint64_t)below,
					    .hidden = { .n = hidden, .var = var } };
		enum tracer_cost_kind kind = is_self ? TRACER_COST_SELF : TRACER_COST_TOTAL;
		struct tracer_span s = tracer_cost_of(&cost, kind, &paid);
		double by = hidden > 0 ? 2 * sqrt(var) * 13 : 0;

		assert_near(s.ns, 3 * n + below * (is_self ? 8 : 11) + hidden * 13, 1e-9);
		assert_near(s.low_ns,
			    2 * n + below * (is_self ? 5 : 7) + (hidden - by > 0 ? hidden - by : 0),
			    1e-9);
		assert_near(s.high_ns, 5 * n + below * (is_self ? 12 : 17) + hidden * 19 + by,
			    1e-9);
		s = tracer_cost_of(&without, kind, &paid);
		assert_near(s.ns, 3 * n + below * (is_self ? 8 : 11), 1e-9);
	}
}

static void less_than_the_cost_is_nothing_and_noise_is_no_result(void **state)
{
	struct tracer_paid paid = { .n = 3, .below = 1, .hidden = { .n = 0 } };
	struct tracer_span s;

	(void)state;
	/* 3 * 5 + 17 is the most, 3 * 2 + 7 the least, and noise is 2 * sqrt(4) */
	assert_true(tracer_cost_without(&cost, TRACER_COST_TOTAL, 37, &paid, &s));
	assert_true(s.ns == 17 && s.low_ns == 5 && s.high_ns == 24);
	assert_false(tracer_cost_without(&cost, TRACER_COST_TOTAL, 36, &paid, &s));
	assert_true(s.ns == 16 && s.low_ns == 4 && s.high_ns == 23);
	assert_false(tracer_cost_without(&cost, TRACER_COST_TOTAL, 20, &paid, &s));
	assert_true(s.ns == 0 && s.low_ns == 0 && s.high_ns == 7);
	assert_false(tracer_cost_without(&cost, TRACER_COST_TOTAL, 13, &paid, &s));
	assert_true(s.high_ns == 0);
	/* five hidden calls: they cost at most 95 more, and noise is 2 * sqrt(9) */
	paid.hidden.n = 5;
	assert_true(tracer_cost_without(&cost, TRACER_COST_TOTAL, 134, &paid, &s));
	assert_true(s.ns == 134 - 20 - 65 && s.low_ns == 7 && s.high_ns == 134 - 13 - 5);
	assert_false(tracer_cost_without(&cost, TRACER_COST_TOTAL, 133, &paid, &s));
}

static void hidden_calls_of_unknown_number_or_cost_leave_only_an_upper_bound(void **state)
{
	struct tracer_paid paid = { .n = 3, .below = 1, .hidden = { .n = NAN } };
	struct tracer_cost unknown = cost;
	struct tracer_span s;

	(void)state;
	assert_false(tracer_cost_without(&cost, TRACER_COST_TOTAL, 1000, &paid, &s));
	assert_true(s.ns == 0 && s.low_ns == 0 && s.high_ns == 987);
	unknown.has_hidden = false;
	paid.hidden.n = 0.5;
	assert_false(tracer_cost_without(&unknown, TRACER_COST_TOTAL, 1000, &paid, &s));
	assert_true(s.ns == 0 && s.low_ns == 0 && s.high_ns == 987);
	paid.hidden.n = 0;
	assert_true(tracer_cost_without(&unknown, TRACER_COST_TOTAL, 1000, &paid, &s));
	assert_true(s.ns == 980);
}

struct trace {
	struct dossier *d;
	struct document *doc;
	struct category_cache cats;
	struct calls_summary sum;
};

static void trace_of(struct trace *t, const char *text)
{
	memset(t, 0, sizeof(*t));
	t->d = dossier_new();
	assert_int_equal(document_from_memory(str_of(text), NULL, &t->doc, NULL), OK);
	assert_int_equal(load_document(t->d, t->doc, "test", NULL, NULL), OK);
	assert_true(t->d->captures.len > 0);
	assert_int_equal(calls_summary_compute(t->d->captures.data[0], &t->cats, &t->sum, NULL),
			 OK);
}

static void trace_fini(struct trace *t)
{
	calls_summary_fini(&t->sum);
	category_cache_fini(&t->cats);
	dossier_free(t->d);
	document_free(t->doc);
}

/*
 * A trace of @shapes callers: the ith calls i leaves of one function, of which there are @leaves.
 * The tracer takes 200 + i ns for each in the first @cheap callers, and 4000 in the others.
 */
static void trace_text(struct out *out, unsigned int leaves, unsigned int shapes,
		       unsigned int cheap)
{
	for (unsigned int i = 1; i <= shapes; i++) {
		unsigned int each = i <= cheap ? 200 + i : 4000;
		unsigned int own = 0;

		out_printf(out, " 0)               |  caller_%u() {\n", i);
		for (unsigned int k = 0; k < i; k++) {
			unsigned int leaf = i <= leaves ? i : 1, ns = 100 + leaf;

			out_printf(out, " 0)   0.%03u us    |    leaf_%u();\n", ns, leaf);
			own += ns + each;
		}
		own += 101;
		out_printf(out, " 0)   %u.%03u us    |  }\n", own / 1000, own % 1000);
	}
}

static void estimate(unsigned int leaves, unsigned int shapes, unsigned int cheap,
		     struct tracer_cost *ret)
{
	struct out out;
	struct trace t;

	out_init(&out);
	trace_text(&out, leaves, shapes, cheap);
	out_char(&out, '\0');
	trace_of(&t, out_view(&out).p);
	tracer_cost_estimate(t.d->captures.data[0], &t.sum, ret);
	out_fini(&out);
	trace_fini(&t);
}

static void an_estimate_needs_four_leaves_eight_shapes_and_three_cheap_ones(void **state)
{
	struct tracer_cost c;

	(void)state;
	estimate(4, 8, 8, &c);
	assert_null(c.why_not);
	assert_int_equal(c.leaf_functions, 4);
	assert_int_equal(c.shapes, 8);
	assert_int_equal(c.points, 8);
	/* the shortest leaf takes 101 ns; the caller of i leaves spends 200 + i ns on each */
	assert_near(c.leaf.ns, 101, 0);
	assert_near(c.nested.low_ns, 101 + 201, 0);
	/* of 36 callees, the first 10 are those of four callers; half are those of six */
	assert_near(c.nested.high_ns, 101 + 204, 0);
	assert_near(c.nested.ns, 101 + 202.5, 1e-9);
	assert_near(c.noise_ns, 2, 1e-9);
	assert_near(c.total.ns, 8 * 101 + 36 * 303.5, 1e-9);
	estimate(3, 8, 8, &c);
	assert_non_null(c.why_not);
	assert_true(str_contains(str_of(c.why_not), STR("too few different calls")));
	estimate(4, 7, 7, &c);
	assert_true(str_contains(str_of(c.why_not), STR("too few different calls")));
	estimate(4, 8, 3, &c);
	assert_null(c.why_not);
	estimate(4, 8, 2, &c);
	assert_true(str_contains(str_of(c.why_not), STR("next to nothing")));
}

static void a_given_cost_is_taken_and_split_by_the_shortest_leaf(void **state)
{
	const struct tracer_cost_given half = { .leaf_ns = -1, .nested = { 180, 170, 220 } };
	const struct tracer_cost_given none = { .leaf_ns = 0, .nested = { 180, 170, 220 } };
	const struct tracer_cost_given narrow = { .leaf_ns = 60, .nested = { 180, 175, 185 } };
	const struct tracer_cost_given much = { .leaf_ns = 150, .nested = { 300, 290, 310 } };
	struct tracer_cost c;
	struct trace t;
	struct out out;

	(void)state;
	out_init(&out);
	trace_text(&out, 4, 8, 8);
	out_char(&out, '\0');
	trace_of(&t, out_view(&out).p);
	tracer_cost_take(t.d->captures.data[0], &t.sum, &half, &c);
	assert_true(c.is_given && c.leaf.ns == 90 && c.nested.high_ns == 220);
	assert_true(c.noise_ns == 25);
	tracer_cost_take(t.d->captures.data[0], &t.sum, &none, &c);
	assert_true(c.leaf.ns == 0 && c.leaf.low_ns == 0 && c.leaf.high_ns == 0);
	tracer_cost_take(t.d->captures.data[0], &t.sum, &narrow, &c);
	assert_true(c.leaf.ns == 60);
	assert_near(c.noise_ns, 18, 1e-9);
	/* eight calls, and 36 below them */
	assert_near(c.total.ns, 8 * 60 + 36 * 180, 1e-9);
	assert_near(c.total.high_ns, 8 * 60 + 36 * 185, 1e-9);
	/* a leaf of 101 ns proves that less is inside */
	tracer_cost_take(t.d->captures.data[0], &t.sum, &much, &c);
	assert_true(c.leaf.ns == 101);
	out_fini(&out);
	trace_fini(&t);
	/* without an estimate the given one stands */
	out_init(&out);
	trace_text(&out, 2, 2, 2);
	out_char(&out, '\0');
	trace_of(&t, out_view(&out).p);
	tracer_cost_take(t.d->captures.data[0], &t.sum, &much, &c);
	assert_true(!c.why_not && c.leaf.ns == 150);
	out_fini(&out);
	trace_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cost_of_calls_is_the_sum_of_its_parts),
		cmocka_unit_test(less_than_the_cost_is_nothing_and_noise_is_no_result),
		cmocka_unit_test(hidden_calls_of_unknown_number_or_cost_leave_only_an_upper_bound),
		cmocka_unit_test(an_estimate_needs_four_leaves_eight_shapes_and_three_cheap_ones),
		cmocka_unit_test(a_given_cost_is_taken_and_split_by_the_shortest_leaf),
	};

	return cmocka_run_group_tests_name("tracer_sums", tests, NULL, NULL);
}
