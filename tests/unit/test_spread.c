/* SPDX-License-Identifier: MIT */
/* Quantiles, tails, modes and texts of distributions that are made here. */
#include "unit.h"

#include "analyses/distributions/spread.h"
#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"

#include <math.h>
#include <stdio.h>

#define BUCKETS 12

/* A series of buckets from 1 on that each double, or whose high ends are @high. */
static struct spread spread_of(const uint64_t *counts, const double *high, size_t n)
{
	static struct distribution_bucket buckets[BUCKETS];
	static struct distribution_series series;
	struct spread s;

	assert_true(n <= BUCKETS);
	series = (struct distribution_series){ .n_buckets = (uint32_t)n, .line = 7 };
	for (size_t i = 0; i < n; i++) {
		double low = i ? buckets[i - 1].high : 1;

		buckets[i] = (struct distribution_bucket){ low, high ? high[i] : 2 * low, counts[i],
							   (uint32_t)(10 + i) };
		series.count += counts[i];
	}
	memset(&s, 0, sizeof(s));
	s.series = &series;
	s.buckets = buckets;
	return s;
}

static struct spread computed(const uint64_t *counts, const double *high, size_t n)
{
	static struct distribution d;
	struct spread made = spread_of(counts, high, n), ret;
	struct capture c = { .distribution = &d };

	VEC_FREE(&d.buckets);
	VEC_FREE(&d.series);
	*VEC_PUSH(&d.buckets) =
		(struct distribution_bucket){ 0, 1, 1000, 1 }; /* of another series */
	for (size_t i = 0; i < n; i++)
		*VEC_PUSH(&d.buckets) = made.buckets[i];
	*VEC_PUSH(&d.series) = *made.series;
	d.series.data[0].first_bucket = 1;
	spread_compute(&c, 0, &ret);
	return ret;
}

static uint64_t next(uint64_t *x, uint64_t below)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (*x >> 33) % below;
}

/* Every value one by one: the bucket of the first value with at least q of all at or below it. */
static void quantiles_are_those_of_the_single_values(void **state)
{
	static const double quantiles[] = { 0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1 };
	uint64_t x = 1;

	(void)state;
	for (int turn = 0; turn < 200; turn++) {
		uint64_t counts[BUCKETS];
		size_t n = 1 + next(&x, BUCKETS);
		struct spread s;

		for (size_t i = 0; i < n; i++)
			counts[i] = next(&x, 4);
		counts[next(&x, n)]++;
		s = spread_of(counts, NULL, n);
		for (size_t k = 0; k < ARRAY_LEN(quantiles); k++) {
			struct spread_bounds b = spread_quantile(&s, quantiles[k]);
			double seen = 0, low = 0;

			for (size_t i = 0; i < n && low == 0; i++) {
				for (uint64_t v = 0; v < counts[i] && low == 0; v++) {
					seen++;
					if (seen >= quantiles[k] * (double)s.series->count)
						low = s.buckets[i].low;
				}
			}
			assert_true(b.low == low && b.high == 2 * low);
		}
	}
}

static void printed_percentiles_are_exact_and_the_rest_is_beyond(void **state)
{
	static const uint64_t counts[] = { 500000, 400000, 90000 };
	struct distribution_series series;
	struct spread s = spread_of(counts, NULL, 3);
	struct spread_bounds b;

	(void)state;
	series = *s.series;
	series.is_relative = true;
	s.series = &series;
	/* without a printed value: the bucket, and beyond the last one no bound */
	b = spread_quantile(&s, 0.5);
	assert_true(b.low == 1 && b.high == 2);
	b = spread_quantile(&s, 0.999);
	assert_true(b.low == 8 && isinf(b.high));
	series.is_percentiles = true;
	b = spread_quantile(&s, 0.5);
	assert_true(b.low == 2 && b.high == 2);
	b = spread_quantile(&s, 0.9);
	assert_true(b.low == 4 && b.high == 4);
	b = spread_quantile(&s, 0.6);
	assert_true(b.low == 2 && b.high == 4);
	/* two parts per million are rounding, three are not */
	b = spread_quantile(&s, 0.500002);
	assert_true(b.low == 2 && b.high == 2);
	b = spread_quantile(&s, 0.500003);
	assert_true(b.low == 2 && b.high == 4);
	b = spread_quantile(&s, 0.499997);
	assert_true(b.low == 1 && b.high == 2);
	/* counts, not parts: beyond all of them there is nothing */
	series.is_relative = series.is_percentiles = false;
	b = spread_quantile(&s, 2);
	assert_true(b.low == 8 && b.high == 8);
	series.n_buckets = 0;
	b = spread_quantile(&s, 0.5);
	assert_true(b.low == 0 && b.high == 0);
}

/* Sums of the lowest and highest possible values, and the part that the tail has of them. */
static void sums_and_tails_are_those_of_the_single_values(void **state)
{
	uint64_t x = 2;

	(void)state;
	for (int turn = 0; turn < 200; turn++) {
		uint64_t counts[BUCKETS];
		size_t n = 1 + next(&x, BUCKETS);
		double low = 0, high = 0, tail_low = 0, tail_high = 0, part_low, part_high;
		uint64_t tail = 0;
		struct spread s;

		for (size_t i = 0; i < n; i++)
			counts[i] = next(&x, 3) * (turn % 2 && i < 3 ? 100 : 1);
		counts[0] += 50;
		s = computed(counts, NULL, n);
		for (size_t i = 0; i < n; i++) {
			double bottom = ldexp(1, (int)i), sum = (double)counts[i] * bottom;

			low += sum;
			high += 2 * sum;
			if (bottom > s.p99.low) {
				tail += counts[i];
				tail_low += sum;
				tail_high += 2 * sum;
			}
		}
		part_low = 100 * tail_low / (tail_low + (high - tail_high));
		part_high = 100 * tail_high / (tail_high + (low - tail_low));
		assert_true(s.p50.low == spread_quantile(&s, 0.5).low);
		assert_true(s.p90.low == spread_quantile(&s, 0.9).low);
		assert_true(s.p999.low == spread_quantile(&s, 0.999).low);
		assert_true(s.max.low == spread_quantile(&s, 1).low);
		assert_near(s.sum.low, low, 1e-9);
		assert_near(s.sum.high, high, 1e-9);
		assert_int_equal(s.tail_count, tail);
		assert_near(s.tail_part.low, part_low, 1e-9);
		assert_near(s.tail_part.high, part_high, 1e-9);
	}
}

static void tails_without_a_bound_or_a_value_have_parts(void **state)
{
	static const double open[] = { 2, 4, INFINITY }, zero[] = { 1, INFINITY };
	static const uint64_t counts[] = { 990, 9, 1 }, most[] = { 0, 0, 5 }, one[] = { 5, 0 };
	struct spread s = computed(counts, open, 3);

	(void)state;
	assert_true(isinf(s.sum.high) && s.sum.low == 990 + 18 + 4);
	assert_true(s.tail_part.high == 100);
	assert_int_equal(s.tail_count, 10);
	assert_near(s.tail_part.low, 100 * 22.0 / (22 + 1980), 1e-9);
	/* all values are in the bucket without a bound: it is no tail */
	s = computed(most, open, 3);
	assert_true(isinf(s.sum.high) && s.tail_part.low == 0 && s.tail_part.high == 0);
	s = computed(one, zero, 2);
	assert_true(s.sum.low == 5 && s.sum.high == 5 && s.tail_part.high == 0);
}

struct mode_case {
	uint64_t counts[BUCKETS];
	size_t n;
	const char *modes; /* "FROM-TO:PEAK=COUNT", first to last */
};

static const struct mode_case mode_cases[] = {
	/* a mode has five values */
	{ { 4 }, 1, "" },
	{ { 5 }, 1, "0-1:0=5 " },
	{ { 2, 2, 1 }, 3, "0-3:0=5 " },
	/* a valley is three standard deviations deep: 9 of 9, 12 of 16, but not 11 of 15 */
	{ { 9, 0, 9 }, 3, "0-2:0=9 2-3:2=9 " },
	{ { 8, 0, 9 }, 3, "0-3:2=17 " },
	{ { 9, 0, 8 }, 3, "0-3:0=17 " },
	{ { 14, 2, 14 }, 3, "0-2:0=16 2-3:2=14 " },
	{ { 13, 2, 14 }, 3, "0-3:2=29 " },
	{ { 14, 2, 13 }, 3, "0-3:0=29 " },
	/* and at most half of the lower peak */
	{ { 1000, 500, 1000 }, 3, "0-2:0=1500 2-3:2=1000 " },
	{ { 1000, 501, 1000 }, 3, "0-3:0=2501 " },
	{ { 2000, 500, 999 }, 3, "0-3:0=3499 " },
	/* a hundredth of all values */
	{ { 990, 0, 10 }, 3, "0-2:0=990 2-3:2=10 " },
	{ { 991, 0, 9 }, 3, "0-2:0=991 " },
	/* the valley is where it is lowest, first */
	{ { 50, 20, 5, 5, 20, 50, 60 }, 7, "0-3:0=75 3-7:6=135 " },
	{ { 5, 50, 60, 20, 4, 30, 3, 40 }, 8, "0-5:2=139 5-7:5=33 7-8:7=40 " },
	{ { 10, 10, 0, 10, 10 }, 5, "0-3:0=20 3-5:3=20 " },
	/* no more than four */
	{ { 9, 0, 9, 0, 9, 0, 9, 0, 9, 0, 9 }, 11, "0-2:0=9 2-4:2=9 4-6:4=9 6-8:6=9 " },
};

static void modes_are_peaks_between_valleys(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(mode_cases); i++) {
		const struct mode_case *m = &mode_cases[i];
		struct spread s = computed(m->counts, NULL, m->n);
		char text[256] = "";
		size_t at = 0;

		for (unsigned int k = 0; k < s.n_modes; k++)
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%u-%u:%u=%u ",
					       s.modes[k].from, s.modes[k].to, s.modes[k].peak,
					       (unsigned int)s.modes[k].count);
		if (strcmp(text, m->modes) == 0)
			continue;
		print_error("case %zu: %s, not %s\n", i, text, m->modes);
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

/* A bucket of two doublings has half its count, one of half a doubling keeps it. */
static void wide_buckets_are_as_high_as_narrow_ones_with_the_same_density(void **state)
{
	static const double wide[] = { 4, 5.5, 22, INFINITY };
	static const uint64_t one[] = { 40, 2, 17, 0 }, two[] = { 40, 2, 26, 0 };
	static const uint64_t open[] = { 40, 2, 0, 9 };

	(void)state;
	/* 17 in two doublings are a height of 8.5: 6.5 above a valley of 2 is too little */
	assert_int_equal(computed(one, wide, 4).n_modes, 1);
	/* 13 is, too; 14 is enough */
	assert_int_equal(computed(two, wide, 4).n_modes, 1);
	assert_int_equal(computed((uint64_t[]){ 40, 2, 28, 0 }, wide, 4).n_modes, 2);
	/* a bucket of one and a half doublings: 13 are a height of 8.7, 14 of 9.3 */
	assert_int_equal(computed((uint64_t[]){ 40, 0, 13 }, (double[]){ 2, 4, 11.4 }, 3).n_modes,
			 1);
	assert_int_equal(computed((uint64_t[]){ 40, 0, 14 }, (double[]){ 2, 4, 11.4 }, 3).n_modes,
			 2);
	/* the bucket without a bound keeps its count */
	assert_int_equal(computed(open, wide, 4).n_modes, 2);
}

struct text_case {
	double low, high;
	bool is_time, is_ascii;
	const char *unit;
	const char *text;
};

static const struct text_case text_cases[] = {
	{ 64000, 64000, true, false, "", "64 µs" },
	{ 64000, 128000, true, true, "", "64-128 us" },
	{ 64000, 128000, true, false, "", "64–128 µs" },
	{ 0, 0, true, false, "", "0 ns" },
	{ 0, 1000, true, false, "", "0–1 µs" },
	{ 64e6, INFINITY, true, false, "", "> 64 ms" },
	/* units begin at 1000 */
	{ 999, 999, true, false, "", "999 ns" },
	{ 1000, 1000, true, true, "", "1 us" },
	{ 999999, 999999, true, false, "", "1000 µs" },
	{ 1e6, 1e6, true, false, "", "1 ms" },
	{ 999e6, 999e6, true, false, "", "999 ms" },
	{ 1e9, 1e9, true, false, "", "1 s" },
	/* four digits, two of a wide bucket, all before the point */
	{ 1234.5, 1234.5, true, false, "", "1.234 µs" },
	{ 1234567e6, 1234567e6, true, false, "", "1235 s" },
	{ 12345678e6, 12345678e6, true, false, "", "12346 s" },
	{ 1234, 2344, true, false, "", "1.234–2.344 µs" },
	{ 1234, 2345, true, false, "", "1.2–2.3 µs" },
	{ 1024, 10240, true, false, "", "1–10 µs" },
	{ 1024, 20480, true, false, "", "1–20 µs" },
	/* bounds that print the same are one */
	{ 1234567, 1234568, true, false, "", "1.235 ms" },
	/* far apart, each has its unit */
	{ 1000, 1e7, true, false, "", "1–10000 µs" },
	{ 1000, 1.1e7, true, false, "", "1 µs–11 ms" },
	/* no times */
	{ 3, 7, false, false, "B", "3–7 B" },
	{ 3, 3, false, false, "B", "3 B" },
	{ 3, 3, false, false, "", "3" },
	{ 4096, INFINITY, false, false, "bytes", "> 4096 bytes" },
	{ 1500, 3000, false, true, "", "1500-3000" },
	{ 1, 20000, false, false, "B", "1–20000 B" },
};

static void bounds_are_printed_for_people(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(text_cases); i++) {
		const struct text_case *t = &text_cases[i];
		struct arena a = { 0 };
		struct str text = spread_text(&a, (struct spread_bounds){ t->low, t->high },
					      t->is_time, str_of(t->unit), t->is_ascii);

		if (!str_eq(text, str_of(t->text))) {
			print_error("case %zu: " STR_FMT ", not %s\n", i, STR_ARG(text), t->text);
			wrong++;
		}
		arena_fini(&a);
	}
	assert_int_equal(wrong, 0);
}

static void lines_and_impossible_times(void **state)
{
	static const uint64_t counts[] = { 1, 1, 1 };
	struct spread s = spread_of(counts, NULL, 3);

	(void)state;
	assert_int_equal(spread_line(&s, 0), 10);
	assert_int_equal(spread_line(&s, 1), 10);
	assert_int_equal(spread_line(&s, 1.5), 11);
	assert_int_equal(spread_line(&s, 2), 11);
	assert_int_equal(spread_line(&s, 4), 12);
	assert_int_equal(spread_line(&s, 5), 7);
	s.max.low = SPREAD_IMPOSSIBLE_NS;
	assert_false(spread_is_wrapped(&s));
	s.max.low = SPREAD_IMPOSSIBLE_NS * 1.001;
	assert_true(spread_is_wrapped(&s));
}

/* A bucket from 0 has no number of doublings: it keeps its count. */
static void a_bucket_from_zero_is_as_high_as_its_count(void **state)
{
	static struct distribution d;
	struct capture c = { .distribution = &d };
	struct spreads all;

	(void)state;
	for (uint64_t n = 8; n <= 9; n++) {
		d = (struct distribution){ 0 };
		*VEC_PUSH(&d.series) = (struct distribution_series){ .n_buckets = 0 };
		*VEC_PUSH(&d.series) =
			(struct distribution_series){ .n_buckets = 3, .count = n + 20 };
		*VEC_PUSH(&d.series) = (struct distribution_series){ .n_buckets = 3,
								     .count = n + 20,
								     .is_percentiles = true };
		*VEC_PUSH(&d.buckets) = (struct distribution_bucket){ 0, 1, n, 1 };
		*VEC_PUSH(&d.buckets) = (struct distribution_bucket){ 1, 2, 0, 2 };
		*VEC_PUSH(&d.buckets) = (struct distribution_bucket){ 2, 4, 20, 3 };
		spreads_init(&all, &c);
		/* a series without values has no spread; printed percentiles have no modes */
		assert_int_equal(all.rows.len, 2);
		assert_int_equal(all.rows.data[0].n_modes, n < 9 ? 1 : 2);
		assert_int_equal(all.rows.data[1].n_modes, 0);
		spreads_fini(&all);
		VEC_FREE(&d.buckets);
		VEC_FREE(&d.series);
	}
}

/* Names in any case, keys, commands and notes; the unit of sizes. */
static void subjects_are_known_by_names(void **state)
{
	static const struct {
		const char *name;
		enum spread_subject subject;
		bool is_idle;
	} rows[] = {
		{ "RunQ Latency", SPREAD_RUN_QUEUE, false },
		{ "biolatency", SPREAD_BLOCK_IO, false },
		{ "queue_lat", SPREAD_QUEUE, false },
		{ "hardirqs", SPREAD_INTERRUPT, false },
		{ "mutex_lock", SPREAD_LOCK, false },
		{ "do_FUTEX_us", SPREAD_LOCK, true },
		{ "offcputime", SPREAD_OFF_CPU, false },
		{ "cpudist", SPREAD_ON_CPU, false },
		{ "xfs_read", SPREAD_FILE, false },
		{ "latency by key", SPREAD_REQUEST, false },
		{ "my function", SPREAD_FUNCTION, false },
		{ "ep_EPOLL_wait", SPREAD_UNKNOWN, true },
		{ "XFS_READ", SPREAD_FILE, false },
		{ "ZFS_READ", SPREAD_FILE, false },
		{ "CLAT", SPREAD_BLOCK_IO, false },
		{ "", SPREAD_UNKNOWN, false },
	};

	(void)state;
	for (size_t i = 0; i < 3 * ARRAY_LEN(rows); i++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = dossier_add(d, "histogram");
		str_id name = strings_add(&d->strings, str_of(rows[i / 3].name));
		struct distribution_series s = { 0 };

		*(i % 3 == 0 ? &s.key : i % 3 == 1 ? &s.name : &c->command) = name;
		assert_int_equal(spread_subject_of(c, &s), rows[i / 3].subject);
		if (i % 3 < 2)
			assert_int_equal(spread_is_idle(c, &s), rows[i / 3].is_idle);
		s.unit = strings_add(&d->strings, STR("ns"));
		assert_true(spread_is_time(c, &s));
		assert_int_equal(spread_subject_of(c, &s), rows[i / 3].subject);
		s.unit = strings_add(&d->strings, STR("bytes"));
		assert_false(spread_is_time(c, &s));
		assert_int_equal(spread_subject_of(c, &s), SPREAD_SIZE);
	}
}

static void five_notes_may_name_the_subject(void **state)
{
	(void)state;
	for (size_t before = 3; before < 7; before++) {
		CLEANUP(dossier_freep) struct dossier *d = dossier_new();
		struct capture *c = dossier_add(d, "histogram");
		struct distribution_series s = { 0 };

		for (size_t i = 0; i <= before; i++)
			VEC_PUSH(&c->notes)->value = strings_add(
				&d->strings, i < before ? STR("text") : STR("biolatency"));
		assert_int_equal(spread_subject_of(c, &s),
				 before < 5 ? SPREAD_BLOCK_IO : SPREAD_UNKNOWN);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_those_of_the_single_values),
		cmocka_unit_test(printed_percentiles_are_exact_and_the_rest_is_beyond),
		cmocka_unit_test(sums_and_tails_are_those_of_the_single_values),
		cmocka_unit_test(tails_without_a_bound_or_a_value_have_parts),
		cmocka_unit_test(modes_are_peaks_between_valleys),
		cmocka_unit_test(wide_buckets_are_as_high_as_narrow_ones_with_the_same_density),
		cmocka_unit_test(bounds_are_printed_for_people),
		cmocka_unit_test(lines_and_impossible_times),
		cmocka_unit_test(a_bucket_from_zero_is_as_high_as_its_count),
		cmocka_unit_test(subjects_are_known_by_names),
		cmocka_unit_test(five_notes_may_name_the_subject),
	};

	return cmocka_run_group_tests_name("spread", tests, NULL, NULL);
}
