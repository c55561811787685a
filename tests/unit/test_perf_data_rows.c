/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/idmap.h"
#include "base/slots.h"
#include "base/status.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "formats/perf_data/fast/perf_data_rows.h"

struct fixture {
	struct profile p;
	struct perf_rows rows;
	stack_id a;
	stack_id b;
};

static void fixture_init(struct fixture *f, enum perf_rows_merge merge)
{
	memset(f, 0, sizeof(*f));
	profile_init(&f->p);
	f->rows.merge = merge;
	f->rows.profile = &f->p;
	f->a = stacks_push(&f->p.stacks, STACK_ROOT, (sym_id){ 1 });
	f->b = stacks_push(&f->p.stacks, STACK_ROOT, (sym_id){ 2 });
}

static void fixture_fini(struct fixture *f)
{
	perf_rows_fini(&f->rows);
	profile_fini(&f->p);
}

/* A sample whose chain has the hash @hash. */
static void fixture_sample_at(struct fixture *f, uint64_t hash, stack_id stack, uint32_t thread,
			      uint64_t weight, uint32_t spot)
{
	struct slot *row;

	perf_rows_reserve(&f->rows, 1);
	row = perf_rows_find(&f->rows, hash);
	if (row->value == 0)
		perf_rows_add(&f->rows, row, hash,
			      perf_rows_value(&f->rows, stack.v, thread, spot));
	perf_rows_count(&f->rows, row->value, weight);
}

static void fixture_sample(struct fixture *f, uint64_t hash, stack_id stack, uint32_t thread,
			   uint64_t weight)
{
	fixture_sample_at(f, hash, stack, thread, weight, 0);
}

static void test_samples_are_added_up_by_instruction_too(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, PERF_ROWS_STACK);
	f.rows.has_spots = true;
	fixture_sample_at(&f, 11, f.a, 0, 100, 3);
	fixture_sample_at(&f, 12, f.a, 0, 10, 1); /* the same stack at another instruction */
	fixture_sample_at(&f, 13, f.b, 0, 5, 3);  /* another stack at the same instruction */
	fixture_sample_at(&f, 14, f.b, 0, 7, 0);  /* at no known instruction */
	fixture_sample_at(&f, 11, f.a, 0, 1, 3);
	perf_rows_finish(&f.rows);
	/* the profile is the same as without instructions: one element for each stack */
	assert_int_equal(f.p.samples.n, 2);
	assert_int_equal(f.p.samples.weight.data[0], 111);
	assert_int_equal(f.p.samples.count.data[0], 3);
	assert_int_equal(f.p.samples.weight.data[1], 12);
	assert_int_equal(f.p.samples.count.data[1], 2);
	assert_int_equal(f.rows.at_spots.len, 4);
	assert_int_equal(f.rows.at_spots.data[0].n, 0);
	assert_int_equal(f.rows.at_spots.data[1].weight, 10);
	assert_int_equal(f.rows.at_spots.data[1].n, 1);
	assert_int_equal(f.rows.at_spots.data[2].n, 0);
	assert_int_equal(f.rows.at_spots.data[3].weight, 106);
	assert_int_equal(f.rows.at_spots.data[3].n, 3);
	fixture_fini(&f);
}

static void test_threads_are_added_up_by_instruction_too(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, PERF_ROWS_THREAD);
	f.rows.has_spots = true;
	fixture_sample_at(&f, 11, f.a, 0, 100, 1);
	fixture_sample_at(&f, 12, f.a, 1, 10, 1);
	perf_rows_finish(&f.rows);
	assert_int_equal(f.p.samples.n, 2);
	assert_int_equal(f.rows.at_spots.data[1].weight, 110);
	assert_int_equal(f.rows.at_spots.data[1].n, 2);
	fixture_fini(&f);
}

static void test_samples_of_one_stack_are_one_element(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, PERF_ROWS_STACK);
	fixture_sample(&f, 11, f.a, 0, 100);
	fixture_sample(&f, 12, f.a, 0, 10); /* another chain with the same stack */
	fixture_sample(&f, 11, f.a, 0, 1);
	fixture_sample(&f, 13, f.b, 0, 5);
	perf_rows_finish(&f.rows);
	assert_int_equal(f.p.samples.n, 2);
	assert_int_equal(f.p.samples.stack.data[0].v, f.a.v);
	assert_int_equal(f.p.samples.weight.data[0], 111);
	assert_int_equal(f.p.samples.count.data[0], 3);
	assert_int_equal(profile_samples_at(&f.p, 0), 3);
	assert_int_equal(f.p.samples.weight.data[1], 5);
	assert_int_equal(f.p.samples.count.data[1], 1);
	assert_int_equal(f.p.samples.thread.len, 0);
	fixture_fini(&f);
}

static void test_samples_without_a_frame_stay_apart(void **state)
{
	struct fixture f;
	stack_id bare;

	(void)state;
	fixture_init(&f, PERF_ROWS_STACK);
	bare.v = f.a.v | PERF_ROW_NO_FRAME;
	fixture_sample(&f, 13, f.b, 0, 5);
	fixture_sample(&f, 11, bare, 0, 100);
	fixture_sample(&f, 12, f.a, 0, 10);
	fixture_sample(&f, 11, bare, 0, 1);
	perf_rows_finish(&f.rows);
	assert_int_equal(f.p.samples.n, 3);
	assert_int_equal(f.p.samples.no_frame.len, 3);
	for (size_t i = 0; i < 3; i++) {
		bool is_bare = f.p.samples.weight.data[i] == 101;

		assert_int_equal(f.p.samples.no_frame.data[i], is_bare);
		assert_int_equal(f.p.samples.stack.data[i].v,
				 f.p.samples.weight.data[i] == 5 ? f.b.v : f.a.v);
	}
	fixture_fini(&f);
}

static void test_threads_stay_apart_where_they_are_wanted(void **state)
{
	struct fixture f;
	uint64_t weights[2] = { 0, 0 };

	(void)state;
	fixture_init(&f, PERF_ROWS_THREAD);
	fixture_sample(&f, 11, f.a, 0, 100);
	fixture_sample(&f, 21, f.a, 1, 7); /* the thread is part of the hash */
	fixture_sample(&f, 11, f.a, 0, 100);
	perf_rows_finish(&f.rows);
	assert_int_equal(f.p.samples.n, 2);
	assert_int_equal(f.p.samples.thread.len, 2);
	for (size_t i = 0; i < 2; i++)
		weights[f.p.samples.thread.data[i]] = f.p.samples.weight.data[i];
	assert_int_equal(weights[0], 200);
	assert_int_equal(weights[1], 7);
	fixture_fini(&f);
}

static void test_growing_loses_nothing(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, PERF_ROWS_STACK);
	for (uint64_t round = 0; round < 2; round++) {
		for (uint64_t i = 0; i < 5000; i++)
			fixture_sample(&f, hash_u64(i, 1), i % 3 ? f.a : f.b, 0, 2);
	}
	assert_int_equal(f.rows.index.len, 5000);
	perf_rows_finish(&f.rows);
	assert_int_equal(f.p.samples.n, 2);
	assert_int_equal(f.p.samples.count.data[0] + f.p.samples.count.data[1], 10000);
	assert_int_equal(f.p.samples.weight.data[0] + f.p.samples.weight.data[1], 20000);
	assert_int_equal(f.p.samples.count.data[1], 2 * 1667);
	fixture_fini(&f);
}

static void test_a_count_that_is_full_begins_another_element(void **state)
{
	struct fixture f;
	uint32_t value;

	(void)state;
	fixture_init(&f, PERF_ROWS_STACK);
	value = perf_rows_value(&f.rows, f.a.v, 0, 0);
	perf_rows_count(&f.rows, value, 10);
	f.rows.sums.data[value].count = UINT32_MAX - 1;
	perf_rows_count(&f.rows, value, 1);
	perf_rows_count(&f.rows, value, 2);
	perf_rows_count(&f.rows, value, 3);
	perf_rows_finish(&f.rows);
	assert_int_equal(f.p.samples.n, 2);
	assert_int_equal(f.p.samples.count.data[0], UINT32_MAX);
	assert_int_equal(f.p.samples.weight.data[0], 11);
	assert_int_equal(f.p.samples.count.data[1], 2);
	assert_int_equal(f.p.samples.weight.data[1], 5);
	fixture_fini(&f);
}

/* Stack nodes that were not created depth first are renumbered. */
static void test_elements_are_in_the_order_of_their_stacks(void **state)
{
	static const uint64_t weights[] = { 2, 8, 4, 1 };
	struct fixture f;
	stack_id below;

	(void)state;
	fixture_init(&f, PERF_ROWS_STACK);
	fixture_sample(&f, 1, f.b, 0, 1);
	below = stacks_push(&f.p.stacks, f.a, (sym_id){ 3 });
	fixture_sample(&f, 2, f.a, 0, 2);
	fixture_sample(&f, 3, stacks_push(&f.p.stacks, f.a, (sym_id){ 4 }), 0, 4);
	fixture_sample(&f, 4, below, 0, 8);
	perf_rows_finish(&f.rows);
	assert_int_equal(f.p.samples.n, ARRAY_LEN(weights));
	for (size_t i = 0; i < ARRAY_LEN(weights); i++) {
		assert_int_equal(f.p.samples.weight.data[i], weights[i]);
		assert_true(i == 0 ||
			    f.p.samples.stack.data[i - 1].v < f.p.samples.stack.data[i].v);
	}
	assert_int_equal(stacks_sym(&f.p.stacks, f.p.samples.stack.data[1]).v, 3);
	assert_int_equal(stacks_sym(&f.p.stacks, f.p.samples.stack.data[3]).v, 2);
	fixture_fini(&f);
}

static void test_finishing_nothing_makes_no_element(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, PERF_ROWS_STACK);
	perf_rows_finish(&f.rows);
	assert_int_equal(f.p.samples.n, 0);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_of_one_stack_are_one_element),
		cmocka_unit_test(test_samples_are_added_up_by_instruction_too),
		cmocka_unit_test(test_threads_are_added_up_by_instruction_too),
		cmocka_unit_test(test_samples_without_a_frame_stay_apart),
		cmocka_unit_test(test_threads_stay_apart_where_they_are_wanted),
		cmocka_unit_test(test_growing_loses_nothing),
		cmocka_unit_test(test_a_count_that_is_full_begins_another_element),
		cmocka_unit_test(test_elements_are_in_the_order_of_their_stacks),
		cmocka_unit_test(test_finishing_nothing_makes_no_element),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
