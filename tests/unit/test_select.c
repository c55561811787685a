/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/categories.h"
#include "analyses/top/top.h"
#include "analyses/top/tree.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/code.h"
#include "core/profile.h"
#include "core/strings.h"
#include "profiles.h"
#include "transform/select.h"

#include <math.h>

/*
 * Four samples with weights 10, 20, 30, 40 at 1, 2, 3, 4 s: commands a a b b, threads 1 2 3 3, CPUs
 * 0 1 0 2.
 */
static struct capture *four_samples(struct dossier *d)
{
	struct capture *c = profile_of_folded(d, "a;main;f 10\na;main;g 20\n"
						 "b;main;f;read_[k] 30\nb;main 40\n");
	struct profile *p = c->profile;
	static const char *const comms[] = { "a", "a", "b", "b" };
	static const uint32_t tids[] = { 1, 2, 3, 3 };
	static const uint16_t cpus[] = { 0, 1, 0, 2 };

	p->has_n_samples = p->has_event_count = true;
	p->n_samples = 4;
	p->event_count = 100;
	for (size_t i = 0; i < 4; i++) {
		struct profile_thread t = { strings_add(&d->strings, str_of(comms[i])), 7, tids[i],
					    true, true };

		*VEC_PUSH(&p->samples.thread) = profile_thread(p, t);
		*VEC_PUSH(&p->samples.cpu) = cpus[i];
		*VEC_PUSH(&p->samples.time_ns) = (i + 1) * UINT64_C(1000000000);
	}
	return c;
}

/* Number of the four samples that pass; -1: argument refused. */
static int chosen(enum select_kind kind, const char *text)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = four_samples(d);
	struct select_spec spec = { .is_relative = false };
	struct select_result result;
	struct error err;
	int n = -1;

	if (select_parse(&spec, kind, str_of(text), &err) == OK &&
	    select_apply(c, &spec, NULL, &result, &err) == OK)
		n = (int)result.kept;
	select_fini(&spec);
	return n;
}

static void instructions_get_the_weight_of_the_chosen_samples(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = four_samples(d);
	struct code *code = capture_instructions(c);
	static const uint32_t rows[] = { 1, 2, 2, 0 };
	struct select_spec spec = { .is_relative = false };
	struct select_result result;
	struct error err;

	(void)state;
	/* two functions: f with rows 1 and 2, g with row 3 */
	(void)code_add_function(code, SYM_ID_NONE, 0);
	for (int i = 0; i < 2; i++)
		code_add_row(code, 0)->self = 50;
	(void)code_add_function(code, SYM_ID_NONE, 0);
	code_add_row(code, 0)->self = 100;
	code->functions.data[0].samples = 3;
	code->functions.data[1].samples = 1;
	for (int i = 0; i < 4; i++)
		*VEC_PUSH(&c->profile->samples.code_row) = rows[i];
	assert_int_equal(select_parse(&spec, SELECT_TID, STR("1,3"), &err), OK);
	assert_int_equal(select_apply(c, &spec, NULL, &result, &err), OK);
	/* the samples of weights 10 and 30, and one of weight 40 elsewhere; g has none */
	assert_int_equal(c->profile->samples.code_row.len, 3);
	assert_int_equal(code->functions.len, 1);
	assert_int_equal(code->functions.data[0].samples, 2);
	assert_true(fabs(code->functions.data[0].of_all - 40) < 1e-9);
	assert_true(fabs(code->rows.data[0].self - 25) < 1e-9);
	assert_true(fabs(code->rows.data[1].self - 75) < 1e-9);
	assert_true(code->rows.data[2].self <= 0);
	select_fini(&spec);
}

static void what_is_said_of_a_sample_stays_with_it(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = four_samples(d);
	struct samples *s = &c->profile->samples;
	struct select_spec spec = { .is_relative = false };
	struct select_result result;
	struct error err;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		*VEC_PUSH(&s->no_frame) = i == 1 || i == 2;
	assert_int_equal(select_parse(&spec, SELECT_COMM, STR("b"), &err), OK);
	assert_int_equal(select_apply(c, &spec, NULL, &result, &err), OK);
	assert_int_equal(s->n, 2);
	assert_int_equal(s->no_frame.len, 2);
	assert_int_equal(s->no_frame.data[0], 1);
	assert_int_equal(s->no_frame.data[1], 0);
	select_fini(&spec);
}

static void names_and_numbers_choose_samples(void **state)
{
	(void)state;
	assert_int_equal(chosen(SELECT_COMM, "a"), 2);
	assert_int_equal(chosen(SELECT_COMM, "a,b"), 4);
	assert_int_equal(chosen(SELECT_COMM, "c"), 0);
	assert_int_equal(chosen(SELECT_SYMBOL, "f"), 1);
	assert_int_equal(chosen(SELECT_SYMBOL, "*"), 4);
	assert_int_equal(chosen(SELECT_DSO, "[kernel*"), 1);
	assert_int_equal(chosen(SELECT_PID, "7"), 4);
	assert_int_equal(chosen(SELECT_PID, "8"), 0);
	assert_int_equal(chosen(SELECT_TID, "1,3"), 3);
	assert_int_equal(chosen(SELECT_CPU, "0,2-4"), 3);
	assert_int_equal(chosen(SELECT_CPU, "1"), 1);
}

static void times_choose_samples_as_perf_writes_them(void **state)
{
	(void)state;
	assert_int_equal(chosen(SELECT_TIME, "2,3"), 2);
	assert_int_equal(chosen(SELECT_TIME, "2.000000001,"), 2);
	assert_int_equal(chosen(SELECT_TIME, ",1.999999999"), 1);
	assert_int_equal(chosen(SELECT_TIME, "1,1 4,4"), 2);
	assert_int_equal(chosen(SELECT_TIME, "0%-50%"), 2);
	assert_int_equal(chosen(SELECT_TIME, "50%/2"), 2);
	assert_int_equal(chosen(SELECT_TIME, "10%"), 1);
	assert_int_equal(chosen(SELECT_TIME, "0%-100%"), 4);
	assert_int_equal(chosen(SELECT_TIME, "0%-10%,90%-100%"), 2);
}

static void slices_of_time_do_not_overlap(void **state)
{
	int sum = 0;

	(void)state;
	/* 3 slices: 1 to 1.99, 2 to 2.99 and 3 to 4: a sample at a border is in exactly one */
	sum += chosen(SELECT_TIME, "33.333333333333333%/1");
	sum += chosen(SELECT_TIME, "33.333333333333333%/2");
	sum += chosen(SELECT_TIME, "33.333333333333333%/3");
	assert_in_range(sum, 3, 4);
	assert_int_equal(chosen(SELECT_TIME, "50%/1") + chosen(SELECT_TIME, "50%/2"), 4);
}

static void nonsense_is_refused(void **state)
{
	(void)state;
	assert_int_equal(chosen(SELECT_CPU, "x"), -1);
	assert_int_equal(chosen(SELECT_CPU, "3-1"), -1);
	assert_int_equal(chosen(SELECT_CPU, ""), -1);
	assert_int_equal(chosen(SELECT_TID, "1-3"), -1);
	assert_int_equal(chosen(SELECT_TID, "-1"), -1);
	assert_int_equal(chosen(SELECT_COMM, ""), -1);
	assert_int_equal(chosen(SELECT_TIME, ""), -1);
	assert_int_equal(chosen(SELECT_TIME, "3"), -1);
	assert_int_equal(chosen(SELECT_TIME, "3,2"), -1);
	assert_int_equal(chosen(SELECT_TIME, "a,b"), -1);
	assert_int_equal(chosen(SELECT_TIME, "20%-10%"), -1);
	assert_int_equal(chosen(SELECT_TIME, "50%/3"), -1);
	assert_int_equal(chosen(SELECT_TIME, "50%/0"), -1);
	assert_int_equal(chosen(SELECT_TIME, "101%"), -1);
}

static void commands_leave_the_whole_as_it_was_and_cpus_cut_it(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = four_samples(d);
	struct category_cache cats = { 0 };
	struct select_spec spec = { .is_relative = false };
	struct select_result result;
	struct tree_spec tree_spec = { .direction = TREE_CALLEES };
	struct error err;
	struct tree tree;
	struct top top;

	(void)state;
	assert_int_equal(select_parse(&spec, SELECT_COMM, STR("a"), &err), OK);
	assert_int_equal(select_parse(&spec, SELECT_CPU, STR("0,2"), &err), OK);
	assert_int_equal(select_apply(c, &spec, NULL, &result, &err), OK);
	assert_int_equal(result.of, 4);
	assert_int_equal(result.kept, 1);
	assert_int_equal(result.counts[SELECT_COMM].samples, 2);
	assert_int_equal(result.counts[SELECT_CPU].samples, 3);
	assert_false(result.counts[SELECT_TID].is_asked);
	assert_int_equal(c->profile->left_out, 70); /* weight of command b on these CPUs */
	assert_int_equal(c->profile->event_count, 80);
	assert_int_equal(c->profile->n_samples, 3);
	assert_int_equal(top_by(c, &cats, TOP_COMM, &top, &err), OK);
	assert_int_equal(top.rows.len, 1);
	assert_true(fabs(top.rows.data[0].self_pct - 12.5) < 1e-9);
	assert_int_equal(tree_build(c, &tree_spec, &tree, &err), OK);
	assert_true(fabs(tree_pct(&tree, tree.nodes.data[0].weight) - 12.5) < 1e-9);
	tree_fini(&tree);
	top_fini(&top);
	select_fini(&spec);
	category_cache_fini(&cats);
}

static void relative_makes_what_was_chosen_the_whole(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = four_samples(d);
	struct select_spec spec = { .is_relative = true };
	struct select_result result;
	struct error err;

	(void)state;
	assert_int_equal(select_parse(&spec, SELECT_COMM, STR("b"), &err), OK);
	assert_int_equal(select_apply(c, &spec, NULL, &result, &err), OK);
	assert_int_equal(c->profile->left_out, 0);
	assert_int_equal(c->profile->event_count, 70);
	assert_int_equal(c->profile->n_samples, 2);
	select_fini(&spec);
}

static void what_samples_do_not_say_cannot_be_chosen(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = profile_of_folded(d, "a;main;f 1\n");
	struct select_spec spec = { .is_relative = false };
	struct select_result result;
	struct error err = { "" };

	(void)state;
	assert_int_equal(select_parse(&spec, SELECT_TIME, STR("1,2"), &err), OK);
	assert_int_equal(select_apply(c, &spec, NULL, &result, &err), ERR_USAGE);
	assert_string_equal(err.msg, "the samples have no time, and --time needs one");
	assert_int_equal(c->profile->samples.n, 1);
	assert_false(result.is_done);
	select_fini(&spec);
}

static void nothing_chosen_is_an_empty_table(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = four_samples(d);
	struct category_cache cats = { 0 };
	struct select_spec spec = { .is_relative = true };
	struct select_result result;
	struct error err;
	struct top top;

	(void)state;
	assert_int_equal(select_parse(&spec, SELECT_COMM, STR("nobody"), &err), OK);
	assert_int_equal(select_apply(c, &spec, NULL, &result, &err), OK);
	assert_int_equal(top_by(c, &cats, TOP_TID, &top, &err), OK);
	assert_int_equal(top.rows.len, 0);
	top_fini(&top);
	select_fini(&spec);
}

/* Expects @offer as the suggestion for @text, which matches none of the four samples. */
static void assert_offer(enum select_kind kind, const char *text, const char *offer)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = four_samples(d);
	struct select_spec spec = { .is_relative = false };
	struct select_result result;
	struct error err;

	assert_int_equal(select_parse(&spec, kind, str_of(text), &err), OK);
	assert_int_equal(select_apply(c, &spec, NULL, &result, &err), OK);
	assert_string_equal(result.offer, offer);
	select_fini(&spec);
}

static void who_chose_nothing_is_offered_what_there_is(void **state)
{
	(void)state;
	assert_offer(SELECT_COMM, "c", "commands in it: b, a");
	assert_offer(SELECT_SYMBOL, "nosuch", "functions in it: main, read, g, f");
	assert_offer(SELECT_CPU, "9", "CPUs in it: 0-2");
	assert_offer(SELECT_PID, "9", "processes in it: 7");
	assert_offer(SELECT_TID, "9", "threads in it: 1, 2, 3");
	assert_offer(SELECT_TIME, "9,10", "it was recorded from 1.000000 to 4.000000 s");
	assert_offer(SELECT_COMM, "a", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_said_of_a_sample_stays_with_it),
		cmocka_unit_test(instructions_get_the_weight_of_the_chosen_samples),
		cmocka_unit_test(names_and_numbers_choose_samples),
		cmocka_unit_test(times_choose_samples_as_perf_writes_them),
		cmocka_unit_test(slices_of_time_do_not_overlap),
		cmocka_unit_test(nonsense_is_refused),
		cmocka_unit_test(commands_leave_the_whole_as_it_was_and_cpus_cut_it),
		cmocka_unit_test(relative_makes_what_was_chosen_the_whole),
		cmocka_unit_test(what_samples_do_not_say_cannot_be_chosen),
		cmocka_unit_test(nothing_chosen_is_an_empty_table),
		cmocka_unit_test(who_chose_nothing_is_offered_what_there_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
