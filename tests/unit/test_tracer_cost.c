/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/tracer_cost.h"
#include "seeds.h"

#include <math.h>

struct trace {
	struct dossier *d;
	struct document *doc;
	struct category_cache cats;
	const struct capture *capture;
	struct calls_summary sum;
	struct tracer_cost cost;
};

static void trace_sum(struct trace *t)
{
	assert_true(t->d->captures.len >= 1);
	t->capture = t->d->captures.data[0];
	assert_int_equal(calls_summary_compute(t->capture, &t->cats, &t->sum, NULL), OK);
	tracer_cost_estimate(t->capture, &t->sum, &t->cost);
}

static void trace_of_text(struct trace *t, const char *text)
{
	memset(t, 0, sizeof(*t));
	t->d = dossier_new();
	assert_int_equal(document_from_memory(str_of(text), NULL, &t->doc, NULL), OK);
	assert_int_equal(load_document(t->d, t->doc, "test", NULL, NULL), OK);
	trace_sum(t);
}

static void trace_of_data(struct trace *t, const char *name)
{
	char path[4096];

	memset(t, 0, sizeof(*t));
	t->d = dossier_new();
	(void)snprintf(path, sizeof(path), "%s/tests/data/tracer-cost/%s.txt",
		       getenv("ASSAY_SOURCE"), name);
	assert_int_equal(load_input(t->d, path, NULL, NULL), OK);
	trace_sum(t);
}

static bool trace_of_seed(struct trace *t, const char *number)
{
	memset(t, 0, sizeof(*t));
	t->d = dossier_new();
	if (!seed_load(t->d, number)) {
		dossier_free(t->d);
		return false;
	}
	trace_sum(t);
	return true;
}

static void trace_fini(struct trace *t)
{
	calls_summary_fini(&t->sum);
	category_cache_fini(&t->cats);
	dossier_free(t->d);
	document_free(t->doc);
}

static struct tracer_span trace_left(const struct trace *t)
{
	struct tracer_span left;

	assert_null(t->cost.why_not);
	assert_true(tracer_cost_without(&t->cost, TRACER_COST_TOTAL, t->sum.root_total_ns,
					t->sum.root_topmost,
					t->sum.root_below - t->sum.root_topmost, &left));
	return left;
}

static void most_of_the_second_seed_is_the_tracer(void **state)
{
	struct trace t;
	struct tracer_span left;

	(void)state;
	if (!trace_of_seed(&t, "002"))
		SKIP_TEST("the seeds are not here");
	left = trace_left(&t);
	assert_int_equal(lround(t.cost.leaf.ns), 30);
	assert_int_equal(lround(t.cost.nested.low_ns), 258);
	assert_true(left.low_ns >= 26000 && left.high_ns <= 37000);
	assert_true(left.ns > left.low_ns && left.ns < left.high_ns);
	assert_int_equal(floor(100 * t.cost.total.low_ns / (double)t.sum.root_total_ns), 73);
	assert_int_equal(t.cost.cut_depth, 0);
	trace_fini(&t);
}

static void a_third_of_the_third_seed_is_the_tracer(void **state)
{
	struct trace t;
	struct tracer_span left;

	(void)state;
	if (!trace_of_seed(&t, "003"))
		SKIP_TEST("the seeds are not here");
	left = trace_left(&t);
	assert_int_equal(lround(t.cost.leaf.ns), 170);
	assert_int_equal(lround(t.cost.nested.low_ns), 335);
	assert_true(left.low_ns >= 108000 && left.high_ns <= 138100);
	assert_int_equal(t.cost.cut_depth, 0);
	trace_fini(&t);
}

/* Of the same workload with nothing but its three functions traced. */
static void the_corrected_duration_is_that_of_untraced_children(void **state)
{
	struct trace t, truth;

	(void)state;
	trace_of_data(&t, "unlimited");
	trace_of_data(&truth, "root-only");
	assert_null(t.cost.why_not);
	assert_int_equal(t.cost.cut_depth, 0);
	assert_non_null(truth.cost.why_not);
	assert_int_equal(t.sum.roots.len, 3);
	assert_int_equal(truth.sum.roots.len, 3);
	VEC_FOREACH (f, &t.sum.functions) {
		struct tracer_span left;
		double real;

		VEC_FOREACH (g, &truth.sum.functions) {
			if (!str_eq(symbols_name(&t.d->symbols, f->sym),
				    symbols_name(&truth.d->symbols, g->sym)))
				continue;
			assert_int_equal(f->topmost, g->topmost);
			(void)tracer_cost_without(&t.cost, TRACER_COST_TOTAL, f->total_ns,
						  f->topmost, f->below - f->topmost, &left);
			/* the truth still holds one call's cost each */
			real = (double)g->total_ns - (double)g->topmost * t.cost.leaf.ns;
			print_message("# " STR_FMT ": printed %.1f, corrected %.2f, real %.2f us\n",
				      STR_ARG(symbols_name(&t.d->symbols, f->sym)),
				      (double)f->total_ns / 1e3, left.ns / 1e3, real / 1e3);
			assert_true((double)f->total_ns > 13 * real);
			assert_true(fabs(left.ns - real) < 0.15 * real);
		}
	}
	trace_fini(&t);
	trace_fini(&truth);
}

static void a_trace_with_a_depth_limit_says_so(void **state)
{
	static const struct {
		const char *name;
		unsigned int depth;
	} cuts[] = { { "depth5", 5 }, { "depth3", 3 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cuts); i++) {
		struct trace t;

		trace_of_data(&t, cuts[i].name);
		assert_int_equal(t.cost.cut_depth, cuts[i].depth);
		trace_fini(&t);
	}
}

static void calls_that_all_work_hard_do_not_give_a_cost(void **state)
{
	struct trace t;
	struct out text = { .fd = -1 };

	(void)state;
	out_z(&text, "# tracer: function_graph\n#\n");
	for (unsigned int i = 0; i < 40; i++) {
		unsigned int leaf = 300 + 177 * i;
		unsigned int self = 1000 * (i + 1) * (i + 1);

		out_printf(&text, " 0)               |  outer_%u() {\n", i);
		out_printf(&text, " 0)   %u.%03u us    |    inner_%u();\n", leaf / 1000,
			   leaf % 1000, i);
		out_printf(&text, " 0) + %u.%03u us   |  }\n", (leaf + self) / 1000,
			   (leaf + self) % 1000);
	}
	out_char(&text, '\0');
	trace_of_text(&t, text.data);
	assert_int_equal(t.sum.calls, 80);
	assert_non_null(t.cost.why_not);
	assert_true(t.cost.total.high_ns == 0);
	trace_fini(&t);
	out_fini(&text);
}

static void few_calls_do_not_give_a_cost(void **state)
{
	struct trace t;

	(void)state;
	trace_of_text(&t, "# tracer: function_graph\n#\n"
			  " 0)               |  a() {\n"
			  " 0)   0.100 us    |    b();\n"
			  " 0)   0.400 us    |  }\n");
	assert_int_equal(t.sum.calls, 2);
	assert_non_null(t.cost.why_not);
	trace_fini(&t);
}

static void what_is_in_the_noise_is_refused(void **state)
{
	const struct tracer_cost cost = {
		.leaf = { 100, 100, 100 },
		.nested = { 300, 290, 310 },
		.noise_ns = 20,
	};
	struct tracer_span left;

	(void)state;
	/* one call with two below: 100 and 2 * (200 +- 10) */
	assert_true(tracer_cost_without(&cost, TRACER_COST_SELF, 1000, 1, 2, &left));
	assert_true(left.low_ns == 480 && left.ns == 500 && left.high_ns == 520);
	assert_true(tracer_cost_without(&cost, TRACER_COST_TOTAL, 1000, 1, 2, &left));
	assert_true(left.low_ns == 280 && left.ns == 300 && left.high_ns == 320);
	assert_false(tracer_cost_without(&cost, TRACER_COST_SELF, 540, 1, 2, &left));
	assert_true(left.high_ns == 60);
	assert_false(tracer_cost_without(&cost, TRACER_COST_SELF, 50, 1, 2, &left));
	assert_true(left.high_ns == 0);
	/* a hundred calls of little work each: the noise averages out */
	assert_true(tracer_cost_without(&cost, TRACER_COST_SELF, 12000, 100, 0, &left));
	assert_false(tracer_cost_without(&cost, TRACER_COST_SELF, 120, 1, 0, &left));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(most_of_the_second_seed_is_the_tracer),
		cmocka_unit_test(a_third_of_the_third_seed_is_the_tracer),
		cmocka_unit_test(the_corrected_duration_is_that_of_untraced_children),
		cmocka_unit_test(a_trace_with_a_depth_limit_says_so),
		cmocka_unit_test(calls_that_all_work_hard_do_not_give_a_cost),
		cmocka_unit_test(few_calls_do_not_give_a_cost),
		cmocka_unit_test(what_is_in_the_noise_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
