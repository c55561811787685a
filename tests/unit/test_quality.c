/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/quality.h"
#include "analyses/recover.h"
#include "profiles.h"
#include "seeds.h"

#include <math.h>

static const struct quality_reason *reason(const struct quality *q, const char *id)
{
	VEC_FOREACH (r, &q->reasons) {
		if (strcmp(r->id, id) == 0)
			return r;
	}
	return NULL;
}

static void few_samples_are_said_with_their_interval(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = profile_of_folded(d, "a;main;f 1\na;main;g 1\n");
	struct quality q;

	(void)state;
	quality_of(c, &cats, &q);
	assert_int_equal(q.verdict, QUALITY_POOR);
	assert_string_equal(q.reasons.data[0].id, "few-samples");
	assert_true(q.reasons.data[0].figure == 2);
	quality_fini(&q);
	category_cache_fini(&cats);
}

static void excerpts_and_unknown_sample_counts_are_said(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = dossier_add(d, "perf-report");
	struct quality q;

	(void)state;
	profile_add_row(d, c, "a", "x", '.', "f", UINT64_MAX, 6000);
	profile_add_row(d, c, "a", "x", '.', "0x0000000000000010", UINT64_MAX, 1000);
	quality_of(c, &cats, &q);
	assert_int_equal(q.verdict, QUALITY_USABLE);
	assert_non_null(reason(&q, "samples-unknown"));
	assert_int_equal(reason(&q, "visible")->severity, QUALITY_CAUTION);
	assert_int_equal(reason(&q, "unsymbolised")->severity, QUALITY_CAUTION);
	assert_true(fabs(reason(&q, "visible")->figure - 70) < 1e-9);
	quality_fini(&q);
	category_cache_fini(&cats);
}

static void data_that_does_not_say_enough_cannot_be_judged(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = dossier_add(d, "perf-report");
	struct quality q;

	(void)state;
	profile_add_row(d, c, "a", "x", '.', "f", UINT64_MAX, 10000);
	quality_of(c, &cats, &q);
	assert_int_equal(q.verdict, QUALITY_CANNOT_TELL);
	assert_string_equal(quality_verdict_name(q.verdict), "cannot-tell");
	quality_fini(&q);
	category_cache_fini(&cats);
}

static void what_a_reader_skipped_is_a_reason(void **state)
{
	static const struct diag_kind lost = { "made-up-loss", DIAG_DATALOSS, "lines were eaten" };
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = profile_of_folded(d, "a;main;f 5000\n");
	struct quality q;

	(void)state;
	c->profile->n_samples = 5000;
	c->profile->has_n_samples = true;
	quality_of(c, &cats, &q);
	assert_int_equal(q.verdict, QUALITY_GOOD);
	quality_fini(&q);
	diag_add(&c->diag, &lost, 3, 17);
	quality_of(c, &cats, &q);
	assert_int_equal(q.verdict, QUALITY_USABLE);
	assert_str(q.reasons.data[0].sentence, "3 lines were eaten");
	assert_int_equal(q.reasons.data[0].line, 17);
	quality_fini(&q);
	category_cache_fini(&cats);
}

static void traces_tables_and_logs_have_their_reasons(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { 0 };
	struct capture *c = dossier_add(d, "function-graph");
	struct calls *calls = capture_calls(c);
	struct quality q;
	uint32_t row;

	(void)state;
	calls->lost_events = 12;
	assert_int_equal(calls_add(calls, SYM_ID_NONE, INDEX_NONE,
				   calls_lane(calls, (struct call_lane){ .cpu = 1 }), 0, CALL_OPEN,
				   3, &row),
			 OK);
	quality_of(c, &cats, &q);
	assert_int_equal(q.verdict, QUALITY_POOR);
	assert_string_equal(q.reasons.data[0].id, "lost-events");
	assert_non_null(reason(&q, "open-calls"));
	quality_fini(&q);
	c = dossier_add(d, "metric-table");
	*VEC_PUSH(&capture_metrics(c)->columns) = (struct metric_column){ 0 };
	quality_of(c, &cats, &q);
	assert_int_equal(q.verdict, QUALITY_CANNOT_TELL);
	assert_non_null(reason(&q, "unnamed-columns"));
	quality_fini(&q);
	c = dossier_add(d, "ovs-vlog");
	*VEC_PUSH(&capture_records(c)->rows) =
		(struct log_record){ .has_time = true, .is_truncated = true, .line = 9 };
	quality_of(c, &cats, &q);
	assert_int_equal(q.verdict, QUALITY_GOOD);
	assert_int_equal(reason(&q, "truncated-records")->line, 9);
	quality_fini(&q);
	category_cache_fini(&cats);
}

static void the_samples_are_judged_as_an_expert_does(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(dossier_freep) struct dossier *e = dossier_new();
	struct category_cache cats = { 0 };
	struct recover_result r;
	struct quality q;

	(void)state;
	if (!seed_load(d, "000") || !seed_load(e, "001"))
		SKIP_TEST("no seeds here");
	quality_of(seed_largest_table(d), &cats, &q);
	VEC_FOREACH (x, &q.reasons)
		print_message("# %s %s: " STR_FMT "\n", quality_severity_name(x->severity), x->id,
			      STR_ARG(x->sentence));
	assert_int_equal(q.verdict, QUALITY_USABLE);
	assert_true(fabs(reason(&q, "unsymbolised")->figure - 7.33) < 1e-9);
	assert_true(fabs(reason(&q, "rounded-to-zero")->figure - 277) < 1e-9);
	assert_true(fabs(reason(&q, "visible")->figure - 99.67) < 1e-9);
	assert_int_equal(reason(&q, "broken-chains")->severity, QUALITY_CAUTION);
	assert_true(reason(&q, "none-lost") != NULL);
	quality_fini(&q);
	category_cache_fini(&cats);
	recover_samples(seed_largest_table(e), &r);
	quality_of(seed_largest_table(e), &cats, &q);
	VEC_FOREACH (x, &q.reasons)
		print_message("# %s %s: " STR_FMT "\n", quality_severity_name(x->severity), x->id,
			      STR_ARG(x->sentence));
	assert_int_equal(q.verdict, QUALITY_USABLE);
	assert_true(reason(&q, "few-samples")->figure == 67);
	assert_non_null(reason(&q, "clock-event"));
	assert_true(fabs(reason(&q, "children-overlap")->figure - 2413.41) < 1e-9);
	quality_fini(&q);
	category_cache_fini(&cats);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_samples_are_said_with_their_interval),
		cmocka_unit_test(excerpts_and_unknown_sample_counts_are_said),
		cmocka_unit_test(data_that_does_not_say_enough_cannot_be_judged),
		cmocka_unit_test(what_a_reader_skipped_is_a_reason),
		cmocka_unit_test(traces_tables_and_logs_have_their_reasons),
		cmocka_unit_test(the_samples_are_judged_as_an_expert_does),
	};

	return cmocka_run_group_tests_name("quality", tests, NULL, NULL);
}
