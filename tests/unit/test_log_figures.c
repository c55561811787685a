/* SPDX-License-Identifier: MIT */
/* Durations in messages, the parts of a duration, and bursts, against plain searches. */
#include "unit.h"

#include "analyses/logs/log_bursts.h"
#include "analyses/logs/log_durations.h"
#include "analyses/logs/log_summary.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/records.h"

#include <stdio.h>

#define MS UINT64_C(1000000)

static const struct {
	const char *text, *what;
	uint64_t ns, half_ns; /* ns 0: no duration */
} durations[] = {
	{ "poll took 12ms", "poll took", 12 * MS, MS / 2 },
	{ "poll took 12 ms.", "poll took", 12 * MS, MS / 2 },
	{ "poll took 12msx", "", 0, 0 },
	{ "poll took 12ms7", "", 0, 0 },
	{ "poll took 12msZ", "", 0, 0 },
	{ "poll took 12ms[", "poll took", 12 * MS, MS / 2 },
	{ "poll took 12ms`", "poll took", 12 * MS, MS / 2 },
	{ "poll took 12ms{", "poll took", 12 * MS, MS / 2 },
	{ "poll took 12ms@", "poll took", 12 * MS, MS / 2 },
	{ "took 1.25 s", "took", 1250 * MS, 5 * MS },
	{ "took 1. s", "", 0, 0 },
	{ "took 1.5", "", 0, 0 },
	{ "took 7 msecs", "took", 7 * MS, MS / 2 },
	{ "took 7 milliseconds", "took", 7 * MS, MS / 2 },
	{ "took 7 usecs", "took", 7000, 500 },
	{ "took 7 microseconds", "took", 7000, 500 },
	{ "took 7us", "took", 7000, 500 },
	{ "took 7ns", "took", 7, 0 },
	{ "took 7 seconds", "took", 7000 * MS, 500 * MS },
	{ "took 7 secs", "took", 7000 * MS, 500 * MS },
	{ "took 7 sec", "took", 7000 * MS, 500 * MS },
	{ "took 7s", "took", 7000 * MS, 500 * MS },
	{ "took 7 sx", "", 0, 0 },
	{ "took 7 minutes", "", 0, 0 },
	/* nine decimals count */
	{ "took 1.123456789 s", "took", 1123456789, 0 },
	{ "took 1.1234567891 s", "", 0, 0 },
	/* limits */
	{ "took 1000000000 us", "took", 1000000000000, 500 },
	{ "took 1000000001 us", "", 0, 0 },
	{ "took 1000000 s", "took", 1000000000000000, 500 * MS },
	{ "took 1000001 s", "", 0, 0 },
	/* the number begins a word */
	{ "x12ms took", "", 0, 0 },
	{ "_12ms took", "", 0, 0 },
	{ "-12ms took", "", 0, 0 },
	{ ".12ms took", "", 0, 0 },
	{ "Z12ms took", "", 0, 0 },
	{ "a12ms took", "", 0, 0 },
	{ "(12ms took", "(", 12 * MS, MS / 2 },
	{ "[12ms took", "[", 12 * MS, MS / 2 },
	{ "{12ms took", "{", 12 * MS, MS / 2 },
	{ "`12ms took", "`", 12 * MS, MS / 2 },
	{ "@12ms took", "@", 12 * MS, MS / 2 },
	{ "12ms took", "", 12 * MS, MS / 2 },
	{ "3 tries took 5 ms", "3 tries took", 5 * MS, MS / 2 },
	/* words that make it one, and that make it something else */
	{ "cost 5ms", "cost", 5 * MS, MS / 2 },
	{ "elapsed: 5ms", "elapsed:", 5 * MS, MS / 2 },
	{ "waited 5ms", "", 0, 0 },
	{ "took more than the timeout 5ms", "", 0, 0 },
	{ "took 5ms ago", "", 0, 0 },
	{ "took 5ms of the last 9ms", "", 0, 0 },
	{ "", "", 0, 0 },
};

static void durations_are_numbers_with_units_and_words(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(durations); i++) {
		struct log_duration d = { .ns = 0 };
		bool is_one = log_duration_of(str_of(durations[i].text), &d);

		if (is_one == (durations[i].ns != 0) &&
		    (!is_one || (d.ns == durations[i].ns && d.half_ns == durations[i].half_ns &&
				 str_eq(d.what, str_of(durations[i].what)))))
			continue;
		print_error("%s: %llu +- %llu '" STR_FMT "'\n", durations[i].text,
			    is_one ? (unsigned long long)d.ns : 0, (unsigned long long)d.half_ns,
			    STR_ARG(d.what));
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

static void the_text_before_a_duration_is_cut(void **state)
{
	char text[150];
	struct log_duration d;

	(void)state;
	for (int n = LOG_DURATION_TEXT - 1; n <= (int)LOG_DURATION_TEXT + 1; n++) {
		(void)snprintf(text, sizeof(text), "%0*d", n, 0);
		memset(text, 'x', (size_t)n - 1);
		memcpy(text, "took ", 5);
		(void)snprintf(text + n - 1, 20, "(5ms");
		assert_true(log_duration_of(str_of(text), &d));
		assert_int_equal(d.what.len,
				 n < (int)LOG_DURATION_TEXT ? n : (int)LOG_DURATION_TEXT);
	}
}

struct made_log {
	struct records records;
	struct capture capture;
};

static void log_init(struct made_log *m, uint64_t tick_ns, enum log_clock clock)
{
	memset(m, 0, sizeof(*m));
	/* the clock of the first stream is that of the log */
	for (int i = 0; i < 2; i++) {
		enum log_clock other = clock == CLOCK_BOOT ? CLOCK_REALTIME : CLOCK_BOOT;

		*VEC_PUSH(&m->records.streams) =
			(struct log_stream){ .tick_ns = tick_ns,
					     .clock = (uint8_t)(i == 0 ? clock : other) };
	}
	m->capture.records = &m->records;
}

static void log_add(struct made_log *m, uint64_t time_ns, const char *text)
{
	*VEC_PUSH(&m->records.rows) =
		(struct log_record){ .time_ns = time_ns, .has_time = true, .text = str_of(text) };
}

static void log_fini(struct made_log *m)
{
	VEC_FREE(&m->records.rows);
	VEC_FREE(&m->records.streams);
}

struct parts_case {
	uint64_t at_ms[6];
	const char *texts[6];
	int whole;         /* -1: none */
	const char *parts; /* digits, in the order of the log */
};

static const struct parts_case parts_cases[] = {
	{ { 1012, 1030, 1100 }, { "took 10ms", "took 15ms", "took 100ms" }, 2, "01" },
	/* a part begins at most 5.5 ms before its whole */
	{ { 1000, 1100 }, { "took 6ms", "took 100ms" }, -1, "" },
	{ { 1000, 1100 }, { "took 5ms", "took 100ms" }, 1, "0" },
	/* and ends at most as long before */
	{ { 994, 1100 }, { "took 0ms", "took 100ms" }, -1, "" },
	/* parts that overlap or contain one another are not added */
	{ { 1050, 1060, 1100 }, { "took 20ms", "took 40ms", "took 100ms" }, 2, "1" },
	{ { 1050, 1076, 1100 }, { "took 20ms", "took 20ms", "took 100ms" }, 2, "01" },
	{ { 1050, 1064, 1100 }, { "took 20ms", "took 20ms", "took 100ms" }, 2, "1" },
	/* of the same length it is no part */
	{ { 1050, 1051 }, { "took 20ms", "took 20ms" }, -1, "" },
	/* the longest that has parts */
	{ { 1000, 1010, 1100, 1110 },
	  { "took 10ms", "took 30ms", "took 50ms", "took 60ms" },
	  3,
	  "2" },
	{ { 1000, 1010, 3000 }, { "took 10ms", "took 30ms", "took 90ms" }, 1, "0" },
	/* of two equally long ones the first */
	{ { 1050, 1100, 2050, 2100 },
	  { "took 20ms", "took 100ms", "took 20ms", "took 100ms" },
	  1,
	  "0" },
	/* more than the whole can hold */
	{ { 1020, 1022, 1024 }, { "took 9ms", "took 9ms", "took 10ms" }, 2, "1" },
};

static void parts_of_a_duration_lie_within_it(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(parts_cases); i++) {
		const struct parts_case *p = &parts_cases[i];
		struct log_durations d;
		struct made_log m;
		char texts[6][32]; /* each about work of its own: "a took 10ms" */
		char parts[8] = "";
		uint64_t sum = 0;

		log_init(&m, 0, CLOCK_REALTIME);
		for (size_t k = 0; k < 6 && p->texts[k]; k++) {
			snprintf(texts[k], sizeof(texts[k]), "%c %s", (char)('a' + k), p->texts[k]);
			log_add(&m, p->at_ms[k] * MS, texts[k]);
		}
		log_durations_init(&d, &m.capture);
		VEC_FOREACH (part, &d.parts) {
			parts[d.parts.len - 1 - (size_t)(part - d.parts.data)] =
				(char)('0' + *part);
			sum += d.rows.data[*part].ns;
		}
		/* their order in the list is not important here */
		for (size_t k = 1; k < strlen(parts); k++) {
			for (size_t j = k; j > 0 && parts[j] < parts[j - 1]; j--) {
				char c = parts[j];

				parts[j] = parts[j - 1];
				parts[j - 1] = c;
			}
		}
		if ((d.whole == INDEX_NONE ? -1 : (int)d.whole) != p->whole ||
		    (p->whole >= 0 && strcmp(parts, p->parts) != 0)) {
			print_error("case %zu: %d %s\n", i,
				    d.whole == INDEX_NONE ? -1 : (int)d.whole, parts);
			wrong++;
		}
		if (p->whole >= 0) {
			assert_int_equal(d.sum_ns, sum);
			assert_int_equal(d.half_ns, MS / 2 * (1 + d.parts.len));
		}
		log_durations_fini(&d);
		log_fini(&m);
	}
	assert_int_equal(wrong, 0);
}

static void coarse_times_and_other_streams_have_no_parts(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 6; i++) {
		static const uint64_t ticks[] = { 10 * MS, 11 * MS, 0, 0, 0, 0 };
		struct log_durations d;
		struct made_log m;

		log_init(&m, ticks[i], CLOCK_REALTIME);
		log_add(&m, 1050 * MS, "step took 20ms");
		log_add(&m, 1100 * MS, "took 100ms");
		m.records.rows.data[0].stream = i == 2;
		m.records.rows.data[0].has_time = i != 3;
		if (i == 4)
			m.records.rows.data[0].text = STR("slept 20ms");
		log_durations_init(&d, &m.capture);
		assert_int_equal(d.whole, i == 0 || i == 5 ? 1 : INDEX_NONE);
		assert_int_equal(d.rows.len, i == 3 || i == 4 ? 1 : 2);
		log_durations_fini(&d);
		log_fini(&m);
	}
}

/* Two works of one kind are no parts of each other: their messages differ in numbers and values. */
static void works_of_one_kind_are_no_parts(void **state)
{
	static const struct {
		const char *part, *whole;
		bool is_part;
	} cases[] = {
		{ "job=112 took 20ms", "job=113 took 100ms", false },
		{ "tenant=north, took 20ms", "tenant=south, took 100ms", false },
		{ "worker 7 took 20ms", "worker 12 took 100ms", false },
		{ "took 20ms", "took 100ms", false },
		{ "tenant=north, copy took 20ms", "tenant=north, round took 100ms", true },
		{ "copy took 20ms", "copying took 100ms", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct log_durations d;
		struct made_log m;

		log_init(&m, 0, CLOCK_REALTIME);
		log_add(&m, 1050 * MS, cases[i].part);
		log_add(&m, 1100 * MS, cases[i].whole);
		log_durations_init(&d, &m.capture);
		assert_int_equal(d.whole, cases[i].is_part ? 1 : INDEX_NONE);
		log_durations_fini(&d);
		log_fini(&m);
	}
}

/* A part may be 512 durations back, but not 513. */
static void parts_are_looked_for_a_while(void **state)
{
	(void)state;
	for (unsigned int between = 511; between <= 512; between++) {
		struct log_durations d;
		struct made_log m;

		log_init(&m, 0, CLOCK_REALTIME);
		log_add(&m, 1050 * MS, "step took 20ms");
		for (unsigned int i = 0; i < between; i++)
			log_add(&m, 1060 * MS, "step took 0ms");
		log_add(&m, 1100 * MS, "took 100ms");
		log_durations_init(&d, &m.capture);
		assert_int_equal(d.whole, between == 511 ? 512 : INDEX_NONE);
		log_durations_fini(&d);
		log_fini(&m);
	}
}

/* One template with records at @times; the burst of it, if there is one. */
static bool burst_of(const uint64_t *times, size_t n, const char *text, uint64_t tick_ns,
		     enum log_clock clock, struct log_burst *ret, uint64_t *ret_considered)
{
	struct log_summary s = { 0 };
	struct log_bursts b;
	struct made_log m;
	bool has;

	log_init(&m, tick_ns, clock);
	for (size_t i = 0; i < n; i++) {
		log_add(&m, times[i], text);
		*VEC_PUSH(&s.template_of) = 3;
	}
	s.records = &m.records;
	for (uint32_t i = 0; i < 4; i++)
		*VEC_PUSH(&s.templates) =
			(struct log_template){ .text = str_of(text), .number = i };
	log_bursts_init(&b, &s);
	has = b.rows.len > 0;
	assert_true(b.rows.len <= 1);
	if (has) {
		*ret = b.rows.data[0];
		assert_int_equal(ret->template, 3);
		assert_int_equal(ret->all, clock == CLOCK_BOOT ? n - 1 : n);
	}
	*ret_considered = b.considered;
	log_bursts_fini(&b);
	VEC_FREE(&s.templates);
	VEC_FREE(&s.template_of);
	log_fini(&m);
	return has;
}

static uint64_t next(uint64_t *x, uint64_t below)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (*x >> 33) % below;
}

#define SECOND UINT64_C(1000000000)

static void a_burst_is_the_window_with_most_messages(void **state)
{
	uint64_t x = 8;

	(void)state;
	for (int turn = 0; turn < 400; turn++) {
		static const uint64_t windows[] = { SECOND, 10 * SECOND };
		uint64_t times[60], at = 0, considered, best_n = 0, best_first = 0, best_last = 0;
		size_t n = 15 + next(&x, 45), dense = next(&x, 30);
		struct log_burst b;
		bool has;

		for (size_t i = 0; i < n; i++) {
			bool is_dense = i >= dense && i < dense + 15 + (size_t)turn % 12;

			times[i] = at;
			at += next(&x, 4) *
			      (is_dense ? SECOND / 64 : SECOND * (1 + (uint64_t)turn % 20));
		}
		has = burst_of(times, n, "queue is full again", 0, CLOCK_REALTIME, &b, &considered);
		assert_int_equal(considered, n >= 20 && times[n - 1] > 0);
		for (size_t w = 0; w < 2; w++) {
			uint64_t most = 0, first = 0, last = 0, span = times[n - 1];
			double rest;

			for (size_t i = 0; i < n; i++) {
				size_t from = i;

				while (from > 0 && times[i] - times[from - 1] <= windows[w])
					from--;
				if (i - from + 1 > most) {
					most = i - from + 1;
					first = from;
					last = i;
				}
			}
			if (n < 20 || most < 20 || span < 10 * windows[w])
				continue;
			rest = (double)(n - most + 1) / (double)(span - windows[w]);
			if ((double)most / (double)windows[w] >= rest * 10 && most > best_n) {
				best_n = most;
				best_first = first;
				best_last = last;
			}
		}
		assert_int_equal(has, best_n > 0);
		if (!has)
			continue;
		assert_int_equal(b.n, best_n);
		assert_int_equal(b.first, best_first);
		assert_int_equal(b.last, best_last);
		assert_int_equal(b.span_ns, times[n - 1]);
		assert_int_equal(b.window_ns, times[best_last] - times[best_first] > MS
						      ? times[best_last] - times[best_first]
						      : MS);
	}
}

/* 30 messages at once, 90 s after the start, and one at each end of a log of 200 s. */
static void bursts_need_messages_and_a_clock(void **state)
{
	static const struct {
		const char *text;
		uint64_t tick_ns;
		enum log_clock clock;
		uint64_t early; /* time of the burst */
		bool has;
		uint64_t window_ns;
	} rows[] = {
		{ "queue is full again", 0, CLOCK_REALTIME, 90 * SECOND, true, MS },
		{ "queue <id> full up", 0, CLOCK_REALTIME, 90 * SECOND, false, 0 },
		{ "queue is full", 0, CLOCK_REALTIME, 90 * SECOND, false, 0 },
		{ "one two six", 0, CLOCK_REALTIME, 90 * SECOND, true, MS },
		{ "[ne two six", 0, CLOCK_REALTIME, 90 * SECOND, false, 0 },
		{ "ZAP two aaz", 0, CLOCK_REALTIME, 90 * SECOND, true, MS },
		{ "@AP two aaz", 0, CLOCK_REALTIME, 90 * SECOND, false, 0 },
		{ "task:queue is full again", 0, CLOCK_REALTIME, 90 * SECOND, false, 0 },
		{ "queue is full again f+<id>", 0, CLOCK_REALTIME, 90 * SECOND, false, 0 },
		{ "queue is full again f+<n>x", 0, CLOCK_REALTIME, 90 * SECOND, false, 0 },
		/* times that are printed in seconds widen the window; in milliseconds they do not
		 */
		{ "queue is full again", SECOND, CLOCK_REALTIME, 90 * SECOND, true, SECOND },
		{ "queue is full again", 2 * MS, CLOCK_REALTIME, 90 * SECOND, true, 2 * MS },
		{ "queue is full again", MS, CLOCK_REALTIME, 90 * SECOND, true, MS },
		/* the first minute of a kernel does not count */
		{ "queue is full again", 0, CLOCK_BOOT, 60 * SECOND, true, MS },
		{ "queue is full again", 0, CLOCK_BOOT, 60 * SECOND - 1, false, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint64_t times[32], considered;
		struct log_burst b;

		for (size_t k = 0; k < 32; k++)
			times[k] = k == 0 ? 0 : k == 31 ? 200 * SECOND : rows[i].early;
		assert_int_equal(burst_of(times, 32, rows[i].text, rows[i].tick_ns, rows[i].clock,
					  &b, &considered),
				 rows[i].has);
		if (rows[i].has) {
			assert_int_equal(b.window_ns, rows[i].window_ns);
			assert_int_equal(b.n, 30);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations_are_numbers_with_units_and_words),
		cmocka_unit_test(the_text_before_a_duration_is_cut),
		cmocka_unit_test(parts_of_a_duration_lie_within_it),
		cmocka_unit_test(coarse_times_and_other_streams_have_no_parts),
		cmocka_unit_test(works_of_one_kind_are_no_parts),
		cmocka_unit_test(parts_are_looked_for_a_while),
		cmocka_unit_test(a_burst_is_the_window_with_most_messages),
		cmocka_unit_test(bursts_need_messages_and_a_clock),
	};

	return cmocka_run_group_tests_name("log_figures", tests, NULL, NULL);
}
