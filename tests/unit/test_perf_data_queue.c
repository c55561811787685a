/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/vec.h"
#include "formats/perf_data/fast/perf_data_queue.h"

/* Records of several CPUs come out in perf's order, which a stable sort gives as well. */
#define CPUS 5u

struct item {
	uint64_t time;
	uint32_t place; /* place in the file */
};

struct fixture {
	struct perf_queue q;
	VEC(struct item) all;
	VEC(struct item) got;
	uint64_t random;
};

static uint32_t next_random(struct fixture *f)
{
	f->random = f->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(f->random >> 33);
}

static void add(struct fixture *f, uint64_t time)
{
	struct item item = { time, (uint32_t)f->all.len };

	*VEC_PUSH(&f->all) = item;
	perf_queue_add(&f->q, &(struct perf_queued){ .time = time, .pid = item.place });
}

static void take_queued(struct fixture *f)
{
	VEC_FOREACH (at, &f->q.order) {
		const struct perf_queued *item = &f->q.items.data[*at];

		*VEC_PUSH(&f->got) = (struct item){ item->time, item->pid };
	}
	perf_queue_drop(&f->q);
}

static void take(struct fixture *f, bool everything)
{
	perf_queue_round(&f->q, everything);
	take_queued(f);
}

static int compare(const void *a, const void *b)
{
	const struct item *x = a;
	const struct item *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static void check(struct fixture *f)
{
	assert_int_equal(f->q.items.len, 0);
	assert_int_equal(f->got.len, f->all.len);
	VEC_SORT(&f->all, compare);
	for (size_t i = 0; i < f->all.len; i++) {
		assert_int_equal(f->got.data[i].time, f->all.data[i].time);
		assert_int_equal(f->got.data[i].place, f->all.data[i].place);
	}
	perf_queue_fini(&f->q);
	VEC_FREE(&f->all);
	VEC_FREE(&f->got);
}

static void test_rounds_of_cpus_come_out_in_order_of_time(void **state)
{
	(void)state;
	for (uint32_t cpus = 1; cpus <= CPUS; cpus++) {
		struct fixture f = { .random = cpus };
		uint64_t now = 1;

		for (unsigned int round = 0; round < 50; round++) {
			for (uint32_t cpu = 0; cpu < cpus; cpu++) {
				uint64_t time = now;

				/* few distinct times, so that many records share one */
				for (uint32_t n = next_random(&f) % 40; n; n--)
					add(&f, time += next_random(&f) % 3);
			}
			now += 100;
			take(&f, false);
		}
		take(&f, true);
		check(&f);
	}
}

static void test_records_without_any_order_come_out_in_order(void **state)
{
	struct fixture f = { .random = 7 };

	(void)state;
	for (unsigned int i = 0; i < 5000; i++)
		add(&f, next_random(&f) % 1000);
	take(&f, true);
	check(&f);
}

static void test_each_record_may_be_earlier_than_the_one_before(void **state)
{
	struct fixture f = { .random = 7 };

	(void)state;
	for (uint64_t i = 20000; i > 0; i--)
		add(&f, i);
	take(&f, true);
	check(&f);
}

static void test_a_round_that_is_too_long_gives_its_earliest(void **state)
{
	struct fixture f = { .random = 9 };

	(void)state;
	for (unsigned int i = 0; i < 1000; i++)
		add(&f, i * 7 % 1000);
	perf_queue_force(&f.q, 500);
	take_queued(&f);
	assert_int_equal(f.got.len, 500);
	assert_int_equal(f.got.data[499].time, 499);
	take(&f, true);
	check(&f);
}

static void test_its_end_completes_no_more_than_that_of_others(void **state)
{
	struct fixture f = { .random = 9 };

	(void)state;
	for (uint64_t time = 1; time <= 10; time++)
		add(&f, time);
	take(&f, false);
	assert_int_equal(f.got.len, 0);
	for (uint64_t time = 11; time <= 20; time++)
		add(&f, time); /* records of one CPU */
	for (uint64_t time = 11; time <= 40; time++)
		add(&f, time); /* records of another CPU, whose buffer was read later */
	perf_queue_force(&f.q, 5);
	take_queued(&f);
	assert_int_equal(f.got.len, 5);
	take(&f, false);
	assert_int_equal(f.got.len, 10);
	add(&f, 21); /* the next record of the first CPU */
	take(&f, true);
	check(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rounds_of_cpus_come_out_in_order_of_time),
		cmocka_unit_test(test_records_without_any_order_come_out_in_order),
		cmocka_unit_test(test_each_record_may_be_earlier_than_the_one_before),
		cmocka_unit_test(test_a_round_that_is_too_long_gives_its_earliest),
		cmocka_unit_test(test_its_end_completes_no_more_than_that_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
