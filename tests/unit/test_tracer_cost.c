/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/calls/calls_summary.h"
#include "analyses/calls/hidden_calls.h"
#include "analyses/categories.h"
#include "analyses/tracer/tracer_cost.h"
#include "analyses/tracer/tracer_joint.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/symbols.h"
#include "document/document.h"
#include "formats/load.h"
#include "seeds.h"

#include <math.h>

#define PAID(calls, under) (&(struct tracer_paid){ .n = (calls), .below = (under) })

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
	(void)snprintf(path, sizeof(path), "%s/tests/data/tracer-cost/%s.txt", unit_source(), name);
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
	assert_true(tracer_cost_without(
		&t->cost, TRACER_COST_TOTAL, t->sum.root_total_ns,
		PAID(t->sum.root_topmost, t->sum.root_below - t->sum.root_topmost), &left));
	return left;
}

static void most_of_the_second_seed_is_the_tracer(void **state)
{
	struct trace t;
	struct tracer_span left;

	(void)state;
	if (!trace_of_seed(&t, "002"))
		SKIP_TEST("../shared/seeds is missing");
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
		SKIP_TEST("../shared/seeds is missing");
	left = trace_left(&t);
	assert_int_equal(lround(t.cost.leaf.ns), 170);
	assert_int_equal(lround(t.cost.nested.low_ns), 335);
	assert_true(left.low_ns >= 108000 && left.high_ns <= 138100);
	assert_int_equal(t.cost.cut_depth, 0);
	trace_fini(&t);
}

/* The reference is the same workload with only its three functions traced. */
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
						  PAID(f->topmost, f->below - f->topmost), &left);
			/* each call in the reference still includes the cost of one traced call */
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

/* Traces of four depths, the complete trace, and a trace without callees. */
#define DEPTHS 6u
static const char *const depth_names[DEPTHS] = { "depth1", "depth2",    "depth3",
						 "depth5", "unlimited", "root-only" };

struct joined {
	struct dossier *d;
	struct category_cache cats;
	struct calls_summary sums[DEPTHS];
	struct tracer_joint traces[DEPTHS];
	size_t n;
};

static void joined_add(struct joined *j, const char *text, const char *name)
{
	struct tracer_joint *t = &j->traces[j->n];
	char path[4096];

	if (!j->d)
		j->d = dossier_new();
	if (text) {
		struct document *doc;

		assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
		assert_int_equal(load_document(j->d, doc, name, NULL, NULL), OK);
		document_free(doc);
	} else {
		(void)snprintf(path, sizeof(path), "%s/tests/data/tracer-cost/%s.txt",
			       unit_source(), name);
		assert_int_equal(load_input(j->d, path, NULL, NULL), OK);
	}
	assert_int_equal(j->d->captures.len, j->n + 1);
	t->capture = j->d->captures.data[j->n];
	t->sum = &j->sums[j->n];
	assert_int_equal(calls_summary_compute(t->capture, &j->cats, &j->sums[j->n], NULL), OK);
	tracer_cost_estimate(t->capture, t->sum, &t->cost);
	j->n++;
}

static bool joined_left(const struct joined *j, size_t i, struct tracer_span *ret)
{
	const struct tracer_joint *t = &j->traces[i];
	const struct tracer_paid paid = { t->sum->root_topmost,
					  t->sum->root_below - t->sum->root_topmost,
					  t->hidden.topmost };

	return tracer_cost_without(&t->cost, TRACER_COST_TOTAL, t->sum->root_total_ns, &paid, ret);
}

static void joined_fini(struct joined *j)
{
	for (size_t i = 0; i < j->n; i++) {
		tracer_joint_fini(&j->traces[i]);
		calls_summary_fini(&j->sums[i]);
	}
	category_cache_fini(&j->cats);
	dossier_free(j->d);
}

static void a_cut_trace_is_corrected_by_a_complete_one(void **state)
{
	struct joined j = { .n = 0 };
	struct tracer_span left[DEPTHS];
	double real;

	(void)state;
	for (size_t i = 0; i < DEPTHS; i++)
		joined_add(&j, NULL, depth_names[i]);
	tracer_joint_solve(j.traces, DEPTHS, SIZE_MAX);
	assert_int_equal(j.traces[4].role, TRACER_COMPLETE);
	real = (double)j.sums[5].root_total_ns - 4 * j.traces[4].cost.leaf.ns;
	for (size_t i = 0; i < DEPTHS; i++) {
		assert_true(joined_left(&j, i, &left[i]));
		print_message("# %s: printed %.1f, corrected %.2f (%.1f to %.1f), real %.2f us\n",
			      depth_names[i], (double)j.sums[i].root_total_ns / 1e3,
			      left[i].ns / 1e3, left[i].low_ns / 1e3, left[i].high_ns / 1e3,
			      real / 1e3);
		assert_true(fabs(left[i].ns - real) < 0.15 * real);
		assert_true(fabs(left[i].ns - left[0].ns) < 0.15 * left[0].ns);
		assert_true(j.traces[i].has_typical);
		if (i == 4)
			continue;
		assert_int_equal(j.traces[i].role, TRACER_CUT);
		assert_int_equal(j.traces[i].is_filtered, i == 5);
		assert_int_equal(j.traces[i].hidden.on_path, j.traces[i].hidden.cut);
		assert_int_equal(lround(j.traces[i].hidden.topmost.n) + (long)j.sums[i].calls, 624);
	}
	joined_fini(&j);
}

/*
 * Pair each truncated trace with the complete one: the estimated costs of a hidden call must agree.
 */
static void traces_of_different_depths_agree_on_a_hidden_call(void **state)
{
	double each[4];

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct joined j = { .n = 0 };

		joined_add(&j, NULL, depth_names[i]);
		joined_add(&j, NULL, "unlimited");
		tracer_joint_solve(j.traces, 2, 1);
		assert_int_equal(j.traces[0].role, TRACER_CUT);
		each[i] = j.traces[0].cost.hidden.ns;
		print_message("# %s: %.1f ns\n", depth_names[i], each[i]);
		assert_true(fabs(each[i] - each[0]) < 10);
		joined_fini(&j);
	}
}

static void a_cut_trace_alone_is_refused(void **state)
{
	(void)state;
	for (size_t i = 2; i < 4; i++) {
		struct joined j = { .n = 0 };
		struct tracer_span left;

		joined_add(&j, NULL, depth_names[i]);
		tracer_joint_solve(j.traces, 1, SIZE_MAX);
		assert_int_equal(j.traces[0].role, TRACER_ALONE);
		assert_true(j.traces[0].hidden.unknown > 0);
		assert_false(joined_left(&j, 0, &left));
		assert_true(left.high_ns > 36400);
		joined_fini(&j);
	}
}

/* @n calls of a function that makes @below calls. @is_cut: the trace omits these calls. */
static char *repeated(unsigned int n, unsigned int below, bool is_cut, struct out *out)
{
	out_z(out, "# tracer: function_graph\n#\n");
	for (unsigned int i = 0; i < n; i++) {
		out_z(out, " 0)               |  root() {\n");
		if (is_cut)
			out_printf(out, " 0)   %u.%03u us    |    work();\n",
				   (1000 + 300 * below) / 1000, (1000 + 300 * below) % 1000);
		else
			out_z(out, " 0)               |    work() {\n");
		for (unsigned int k = 0; !is_cut && k < below; k++)
			out_printf(out, " 0)   0.400 us    |      leaf_%u();\n", k);
		if (!is_cut)
			out_printf(out, " 0)   %u.%03u us    |    }\n", (1000 + 800 * below) / 1000,
				   (1000 + 800 * below) % 1000);
		out_printf(out, " 0)   %u.%03u us    |  }\n",
			   (2400 + (is_cut ? 300 : 800) * below) / 1000,
			   (2400 + (is_cut ? 300 : 800) * below) % 1000);
	}
	out_char(out, '\0');
	return out->data;
}

static void calls_that_are_not_equally_many_are_counted_by_their_mean(void **state)
{
	struct joined j = { .n = 0 };
	struct out whole = { .fd = -1 };
	struct out cut = { .fd = -1 };

	(void)state;
	joined_add(&j, repeated(12, 8, false, &whole), "whole");
	joined_add(&j, repeated(7, 8, true, &cut), "cut");
	j.traces[0].cost = (struct tracer_cost){
		.leaf = { 400, 400, 400 },
		.nested = { 800, 800, 800 },
	};
	j.traces[1].cost = (struct tracer_cost){ .why_not = "test" };
	tracer_joint_solve(j.traces, 2, 0);
	assert_int_equal(j.traces[1].role, TRACER_CUT);
	assert_true(j.traces[1].hidden.topmost.n == 7 * 8);
	assert_true(j.traces[1].hidden.topmost.var == 0);
	assert_int_equal(lround(j.traces[1].cost.hidden.ns), 300);
	/* 12 and 7 roots: no pairs */
	assert_false(j.traces[1].has_typical);
	joined_fini(&j);
	out_fini(&whole);
	out_fini(&cut);
}

/* Seven calls without callees; the first takes @first_ns, the others 5200 ns. */
static char *roots(unsigned int first_ns, struct out *out)
{
	out_z(out, "# tracer: function_graph\n#\n");
	for (unsigned int i = 0; i < 7; i++) {
		unsigned int ns = i == 0 ? first_ns : 5200;

		out_printf(out, " 0)   %u.%03u us    |  root();\n", ns / 1000, ns % 1000);
	}
	out_char(out, '\0');
	return out->data;
}

static void a_call_that_is_cheaper_than_a_traced_one_is_of_another_machine(void **state)
{
	static const unsigned int first_ns[] = { 320, 319 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(first_ns); i++) {
		struct joined j = { .n = 0 };
		struct out whole = { .fd = -1 };
		struct out cut = { .fd = -1 };

		joined_add(&j, repeated(12, 8, false, &whole), "whole");
		joined_add(&j, roots(first_ns[i], &cut), "cut");
		j.traces[0].cost = (struct tracer_cost){
			.leaf = { 400, 400, 400 },
			.nested = { 800, 800, 800 },
		};
		j.traces[1].cost = (struct tracer_cost){ .why_not = "test" };
		tracer_joint_solve(j.traces, 2, 0);
		assert_int_equal(j.traces[1].role, i == 0 ? TRACER_CUT : TRACER_ALONE);
		joined_fini(&j);
		out_fini(&whole);
		out_fini(&cut);
	}
}

static void traces_of_other_work_stay_alone(void **state)
{
	struct joined j = { .n = 0 };
	struct out cut = { .fd = -1 };

	(void)state;
	joined_add(&j, NULL, "unlimited");
	joined_add(&j, repeated(7, 8, true, &cut), "other");
	tracer_joint_solve(j.traces, 2, SIZE_MAX);
	assert_int_equal(j.traces[0].role, TRACER_ALONE);
	assert_int_equal(j.traces[1].role, TRACER_ALONE);
	joined_fini(&j);
	out_fini(&cut);
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
	/* one call that makes two calls: its cost is 100, and 2 * (200 +- 10) for the callees */
	assert_true(tracer_cost_without(&cost, TRACER_COST_SELF, 1000, PAID(1, 2), &left));
	assert_true(left.low_ns == 480 && left.ns == 500 && left.high_ns == 520);
	assert_true(tracer_cost_without(&cost, TRACER_COST_TOTAL, 1000, PAID(1, 2), &left));
	assert_true(left.low_ns == 280 && left.ns == 300 && left.high_ns == 320);
	assert_false(tracer_cost_without(&cost, TRACER_COST_SELF, 540, PAID(1, 2), &left));
	assert_true(left.high_ns == 60);
	assert_false(tracer_cost_without(&cost, TRACER_COST_SELF, 50, PAID(1, 2), &left));
	assert_true(left.high_ns == 0);
	/* a hundred calls with little work each: the noise averages out */
	assert_true(tracer_cost_without(&cost, TRACER_COST_SELF, 12000, PAID(100, 0), &left));
	assert_false(tracer_cost_without(&cost, TRACER_COST_SELF, 120, PAID(1, 0), &left));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(most_of_the_second_seed_is_the_tracer),
		cmocka_unit_test(a_third_of_the_third_seed_is_the_tracer),
		cmocka_unit_test(the_corrected_duration_is_that_of_untraced_children),
		cmocka_unit_test(a_trace_with_a_depth_limit_says_so),
		cmocka_unit_test(a_cut_trace_is_corrected_by_a_complete_one),
		cmocka_unit_test(traces_of_different_depths_agree_on_a_hidden_call),
		cmocka_unit_test(a_cut_trace_alone_is_refused),
		cmocka_unit_test(calls_that_are_not_equally_many_are_counted_by_their_mean),
		cmocka_unit_test(a_call_that_is_cheaper_than_a_traced_one_is_of_another_machine),
		cmocka_unit_test(traces_of_other_work_stay_alone),
		cmocka_unit_test(calls_that_all_work_hard_do_not_give_a_cost),
		cmocka_unit_test(few_calls_do_not_give_a_cost),
		cmocka_unit_test(what_is_in_the_noise_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
