/* SPDX-License-Identifier: MIT */
/* Logs of services: layouts of times, what counts as a log, and findings of rules. */
#include "unit.h"

#include "core/strings.h"
#include "document/document.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "formats/load.h"
#include "lines.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/records.h"
#include "formats/format.h"
#include "formats/logs/service_line.h"

DECLARE_FORMAT(service_log);

#define MS   UINT64_C(1000000)
#define S    UINT64_C(1000000000)
#define DAY  (86400 * S)
#define TEN  (36000 * S)             /* 10:00:00 */
#define DATE (UINT64_C(20779) * DAY) /* 2026-11-22 */
#define YEAR (UINT64_C(325) * DAY)   /* Nov 22 */

static void each_layout_of_a_time_is_read(void **state)
{
	static const struct {
		const char *line;
		uint64_t ns, tick;
		int clock;
		bool has_zone;
		const char *text;
	} cases[] = {
		{ "2026-11-22T10:00:00Z up", DATE + TEN, S, CLOCK_REALTIME, true, "up" },
		{ "2026-11-22T12:00:00.250+02:00 up", DATE + TEN + 250 * MS, MS, CLOCK_REALTIME,
		  true, "up" },
		{ "2026-11-22 10:00:00,5 up", DATE + TEN + 500 * MS, 100 * MS, CLOCK_REALTIME,
		  false, "up" },
		{ "2026-11-22 10:00:00.123 UTC [8] LOG:  up", DATE + TEN + 123 * MS, MS,
		  CLOCK_REALTIME, true, "[8] LOG:  up" },
		{ "2026-11-22 10:00:00 CEST up", DATE + TEN, S, CLOCK_REALTIME, false, "up" },
		{ "[2026-11-22 10:00:00] up", DATE + TEN, S, CLOCK_REALTIME, false, "up" },
		{ "2026/11/22 10:00:00 [error] 7#7: up", DATE + TEN, S, CLOCK_REALTIME, false,
		  "7#7: up" },
		{ "26/11/22 10:00:00 INFO up", DATE + TEN, S, CLOCK_REALTIME, false, "up" },
		{ "261122 10:00:00 [Note] up", DATE + TEN, S, CLOCK_REALTIME, false, "up" },
		{ "7:M 22 Nov 2026 10:00:00.001 * up", DATE + TEN + MS, MS, CLOCK_REALTIME, false,
		  "* up" },
		{ "22-Nov-2026 10:00:00.001 INFO up", DATE + TEN + MS, MS, CLOCK_REALTIME, false,
		  "up" },
		{ "[Sun Nov 22 10:00:00.001 2026] [core:error] up", DATE + TEN + MS, MS,
		  CLOCK_REALTIME, false, "[core:error] up" },
		{ "10.0.0.1 - bob [22/Nov/2026:11:00:00 +0100] \"GET /\" 200", DATE + TEN, S,
		  CLOCK_REALTIME, true, "\"GET /\" 200" },
		{ "Nov 22 10:00:00 box7 app[8]: up", YEAR + TEN, S, CLOCK_YEAR, false, "up" },
		{ "Nov  2 10:00:00 box7 app: up", YEAR - 20 * DAY + TEN, S, CLOCK_YEAR, false,
		  "up" },
		{ "W1122 10:00:00.000001   8 a.go:1] up", YEAR + TEN + 1000, 1000, CLOCK_YEAR,
		  false, "up" },
		{ "1795341600.5 up", DATE + TEN + 500 * MS, 100 * MS, CLOCK_REALTIME, true, "up" },
		{ "1795341600001 up", DATE + TEN + MS, MS, CLOCK_REALTIME, true, "up" },
		{ "[10:00:00.123] up", TEN + 123 * MS, MS, CLOCK_DAY, false, "up" },
		{ "10:00:00.123 up", TEN + 123 * MS, MS, CLOCK_DAY, false, "up" },
		{ "time=\"2026-11-22T10:00:00Z\" level=warning msg=\"up\"", DATE + TEN, S,
		  CLOCK_REALTIME, true, "msg=\"up\"" },
		{ "{\"t\":{\"$date\":\"2026-11-22T10:00:00.001+00:00\"},\"s\":\"W\",\"msg\":"
		  "\"up\"}",
		  DATE + TEN + MS, MS, CLOCK_REALTIME, true, "up" },
		{ "{\"level\":\"warn\",\"ts\":1795341600.25,\"msg\":\"up\",\"n\":3}",
		  DATE + TEN + 250 * MS, 10 * MS, CLOCK_REALTIME, true, "up" },
		{ "web_1  | 2026-11-22T10:00:00Z up", DATE + TEN, S, CLOCK_REALTIME, true, "up" },
		{ "[pod/a/b] 2026-11-22T10:00:00Z up", DATE + TEN, S, CLOCK_REALTIME, true, "up" },
		{ "2026-11-22T10:00:00.1Z stderr F 2026/11/22 11:00:00 up", DATE + TEN + 100 * MS,
		  100 * MS, CLOCK_REALTIME, true, "up" },
	};
	static const char *const others[] = {
		"10:00:00 up 3 days",          /* a row of a table */
		"2026-11-22T10:00:00,1.5,2.5", /* CSV */
		"2026-13-22T10:00:00Z up",     /* no month */
		"+2026-11-22T10:00:00Z up",    /* a diff */
		"On 2026-11-22 10:00:00 Joe wrote:",
		"1234567 up",
		"",
	};
	struct service_line l;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		bool ok = service_line_read(str_of(cases[i].line), &l);

		if (!ok || l.stamp.time_ns != cases[i].ns || l.stamp.tick_ns != cases[i].tick)
			print_error("'%s'\n", cases[i].line);
		assert_true(ok);
		assert_int_equal(l.stamp.time_ns, cases[i].ns);
		assert_int_equal(l.stamp.tick_ns, cases[i].tick);
		assert_int_equal(l.stamp.clock, cases[i].clock);
		assert_int_equal(l.stamp.has_zone, cases[i].has_zone);
		assert_str(l.text, cases[i].text);
	}
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		assert_false(service_line_read(str_of(others[i]), &l));
	}
}

static void a_level_is_a_marked_word(void **state)
{
	static const struct {
		const char *line;
		int level;
	} cases[] = {
		{ "2026-11-22T10:00:00Z WARN disk", LEVEL_WARN },
		{ "2026-11-22T10:00:00Z [main] ERROR disk", LEVEL_ERROR },
		{ "2026-11-22T10:00:00Z [crit] disk", LEVEL_CRITICAL },
		{ "2026-11-22T10:00:00Z error: disk", LEVEL_ERROR },
		{ "2026-11-22T10:00:00Z level=debug msg=disk", LEVEL_DEBUG },
		{ "2026-11-22T10:00:00Z no error on disk", LEVEL_NONE },
		{ "2026-11-22T10:00:00Z a b c d e ERROR", LEVEL_NONE },
		{ "E1122 10:00:00.000001 8 a.go:1] disk", LEVEL_ERROR },
		{ "{\"ts\":1795341600,\"level\":\"fatal\",\"msg\":\"disk\"}", LEVEL_CRITICAL },
	};
	struct service_line l;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_true(service_line_read(str_of(cases[i].line), &l));
		if (l.level != cases[i].level)
			print_error("'%s'\n", cases[i].line);
		assert_int_equal(l.level, cases[i].level);
	}
}

static void syslog_names_host_program_and_pid(void **state)
{
	struct service_line l;

	(void)state;
	assert_true(service_line_read(STR("Nov 22 10:00:00 box7 sshd[812]: Accepted key"), &l));
	assert_str(l.node, "box7");
	assert_str(l.process, "sshd");
	assert_int_equal(l.thread, 812);
	/* after an ISO time, several words before a colon are not a program */
	assert_true(service_line_read(STR("2026-11-22T10:00:00Z cache main: warm"), &l));
	assert_int_equal(l.process.len, 0);
	assert_str(l.text, "cache main: warm");
	assert_true(service_line_read(STR("2026-11-22T10:00:00Z box7 sshd[812]: hello"), &l));
	assert_str(l.process, "sshd");
}

/* Lines of a service, one every @ms milliseconds. */
static void steady(size_t n, unsigned int ms)
{
	for (unsigned int i = 0; i < n; i++)
		lines_add("2026-11-22T10:%02u:%02u.%03uZ handled request number %u", i * ms / 60000,
			  i * ms / 1000 % 60, i * ms % 1000, i);
}

/* Number of service logs found in the lines. */
static size_t logs(void)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;
	size_t n = 0;

	assert_int_equal(document_from_memory(str_of(lines_text), NULL, &doc, NULL), OK);
	if (load_document(d, doc, "made.txt", NULL, NULL) < 0)
		n = 0; /* no other capture was found either */
	VEC_FOREACH (c, &d->captures)
		n += strcmp((*c)->format, "service-log") == 0;
	lines_text[0] = '\0';
	return n;
}

static void five_timed_lines_are_a_log(void **state)
{
	(void)state;
	steady(4, 100);
	assert_int_equal(logs(), 0);
	steady(5, 100);
	assert_int_equal(logs(), 1);
}

static void prose_source_tables_and_diffs_are_no_logs(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 20; i++)
		lines_add("+2026-11-22T10:00:%02uZ handled request number %u", i, i);
	assert_int_equal(logs(), 0);
	for (unsigned int i = 0; i < 20; i++)
		lines_add("2026-11-22 10:00:%02u %u %u.%u 7 8 9", i, i, i * i, i);
	assert_int_equal(logs(), 0);
	for (unsigned int i = 0; i < 20; i++)
		lines_add(
			"2026-11-22T10:00:%02uZ we saw that again\nand it took long,\nso we looked",
			i);
	assert_int_equal(logs(), 0);
	for (unsigned int i = 0; i < 20; i++)
		lines_add("2026-11-22T10:%02u:00Z handled request number %u", i * 7 % 20, i);
	assert_int_equal(logs(), 0);
}

static void other_readers_have_precedence(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 20; i++)
		lines_add("2026-11-22T10:00:%02u.000Z|%05u|raft|INFO|handled request %u", i, i, i);
	assert_int_equal(logs(), 0);
	for (unsigned int i = 0; i < 20; i++)
		lines_add("Nov 22 10:00:%02u box7 kernel: [  %3u.000001] usb: handled request", i,
			  100 + i);
	assert_int_equal(logs(), 0);
}

static void only_many_timed_lines_alone_are_sure(void **state)
{
	static const struct {
		unsigned int lines;
		const char *more;
		unsigned int score;
	} cases[] = {
		{ 199, "2026-11-22T10:01:00.000Z handled the last request", 90 },
		{ 198, "2026-11-22T10:01:00.000Z handled the last request", 30 },
		{ 300, "2026-11-22T10:01:00.000Z box7 kernel[1]: handled the last request", 30 },
		{ 300, "2026-11-22T09:01:00.000Z handled the last request", 30 },
		{ 300, "2026-11-22T10:01:00.000Z 1 2 3", 30 },
		{ 300, "\torg.example.Main takes the request\n2026-11-22T10:01:00Z handled request",
		  30 },
		/* the reader of stacks must not end the log at the stack */
		{ 5,
		  "\tat org.example.Main.main(Main.java:3)\n2026-11-22T10:01:00Z handled request",
		  98 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct extent e;

		steady(cases[i].lines, 100);
		lines_add("%s", cases[i].more);
		assert_true(format_service_log.find(str_of(lines_text), 0, &e));
		assert_int_equal(e.score, cases[i].score);
		assert_int_equal(e.to, strlen(lines_text));
		lines_text[0] = '\0';
	}
}

static void a_mail_with_a_log_has_the_log_alone(void **state)
{
	const struct records *r;
	struct dossier *d;

	(void)state;
	lines_add("Hello,\n\nit is slow since 2026-11-22 10:00:00, see here:\n");
	steady(10, 100);
	lines_add("\nThe whole log is too long.\n\nRegards");
	d = lines_load();
	assert_int_equal(d->captures.len, 1);
	assert_int_equal(d->captures.data[0]->first_line, 5);
	assert_int_equal(d->captures.data[0]->last_line, 14);
	r = d->captures.data[0]->records;
	assert_int_equal(r->rows.len, 10);
	dossier_free(d);
}

static void equal_traces_have_one_root_cause_and_place(void **state)
{
	static const struct {
		const char *trace, *what, *where;
	} cases[] = {
		{ "a.b.WrapError: x\n\tat a.b.C.d(C.java:1)\nCaused by: java.io.IOException: gone\n"
		  "\tat java.base/java.io.Reader.read(Reader.java:1)\n\tat a.b.E.f(E.java:2)",
		  "java.io.IOException", "a.b.E.f" },
		{ "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    g()\n"
		  "  File \"a.py\", line 2, in g\n    x[1]\nIndexError: no\n\nDuring handling of "
		  "the above exception, another exception occurred:\n\nTraceback (most recent call "
		  "last):\n  File \"a.py\", line 9, in h\nValueError: bad",
		  "IndexError", "g" },
		{ "panic: no shop\n\ngoroutine 7 [running]:\nmain.open(0xc000)\n\t/a.go:3 +0x1d\n"
		  "main.main()\n\t/a.go:9 +0x1d",
		  "panic: no shop", "main.open" },
		{ "thread 'main' panicked at src/a.rs:3:5:\nno shop\nstack backtrace:\n"
		  "   0: rust_begin_unwind\n   1: core::panicking::panic_fmt\n   2: shop::open",
		  "panicked at src/a.rs:3:5:", "shop::open" },
		{ "/a/shop(open_shop+0x1d) [0x55d0c0a0101d]\n/a/shop(main+0x12) [0x55d0c0a00012]",
		  "", "open_shop" },
		{ "   at Shop.Orders.Open(Int32 n) in /a/Orders.cs:line 12\n   at Shop.Main()", "",
		  "Shop.Orders.Open" },
		{ "TypeError: x is undefined\n    at open (/a/shop.js:3:5)\n    at "
		  "node:internal/main:9:1",
		  "TypeError", "open" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct records *r;
		struct dossier *d;

		steady(5, 100);
		lines_add("%s", cases[i].trace);
		lines_add("2026-11-22T10:00:02.000Z handled the last request");
		d = lines_load();
		assert_int_equal(d->captures.len, 1);
		r = d->captures.data[0]->records;
		assert_int_equal(r->rows.len, 6);
		assert_int_equal(r->traces.len, 1);
		assert_int_equal(r->traces.data[0].record, 4);
		assert_str(strings_get(&d->strings, r->traces.data[0].what), cases[i].what);
		assert_str(strings_get(&d->strings, r->traces.data[0].where), cases[i].where);
		dossier_free(d);
	}
}

static void lines_without_a_time_belong_to_the_record_above(void **state)
{
	const struct records *r;
	struct dossier *d;

	(void)state;
	steady(5, 100);
	lines_add("2026-11-22T10:00:01.000Z the request failed with an error that is long, so that "
		  "a mailer\nbroke this line");
	lines_add("java.io.IOException: gone\n\tat org.example.Task.run(Task.java:7)\n\tat "
		  "org.example.Main.main(Main.java:3)");
	lines_add("2026-11-22T10:00:02.000Z handled the last request");
	d = lines_load();
	r = d->captures.data[0]->records;
	assert_int_equal(r->rows.len, 7);
	assert_true(str_ends(r->rows.data[5].text,
			     STR("a mailer broke this line java.io.IOException: gone")));
	assert_int_equal(r->rows.data[5].line, 6);
	assert_int_equal(r->rows.data[5].last_line, 10);
	dossier_free(d);
}

static void the_time_of_day_goes_on_after_midnight(void **state)
{
	const struct records *r;
	struct dossier *d;

	(void)state;
	for (unsigned int i = 0; i < 10; i++)
		lines_add("[%02u:59:30] handled request number %u", (20 + i) % 24, i);
	d = lines_load();
	r = d->captures.data[0]->records;
	assert_int_equal(r->streams.data[0].clock, CLOCK_DAY);
	for (size_t i = 1; i < r->rows.len; i++)
		assert_int_equal(r->rows.data[i].time_ns - r->rows.data[i - 1].time_ns, 3600 * S);
	dossier_free(d);
}

/*
 * Twelve checkpoints, one of @slow_ms and the others of 50 ms; times are printed in steps of
 * @tick_ms.
 */
static const char *checkpoints(unsigned int slow_ms, unsigned int tick_ms)
{
	for (unsigned int i = 0; i < 12; i++) {
		unsigned int from = i * 30000 + i * 83;
		unsigned int to = from + (i == 8 ? slow_ms : 50);

		from -= from % tick_ms;
		to -= to % tick_ms;
		lines_add("2026-11-22 10:%02u:%02u.%03u UTC [8] LOG:  checkpoint starting: time",
			  from / 60000, from / 1000 % 60, from % 1000);
		lines_add("2026-11-22 10:%02u:%02u.%03u UTC [8] LOG:  checkpoint complete: wrote "
			  "%u buffers",
			  to / 60000, to / 1000 % 60, to % 1000, i + 20);
	}
	return lines_claim("slow-operation");
}

static void one_slow_operation_of_a_service_is_found(void **state)
{
	(void)state;
	assert_non_null(strstr(checkpoints(4200, 1), "1 of 12 operations take more than 10 times "
						     "the median of 50 ms, the longest 4.2 s"));
	/* the limit is 511 ms: ten times (median + one unit), and one more unit */
	assert_string_equal(checkpoints(511, 1), "");
	assert_non_null(strstr(checkpoints(512, 1), "512 ms"));
}

static void the_unit_of_the_times_is_no_duration(void **state)
{
	(void)state;
	/* operations within one second, except one that ends in the next second */
	for (unsigned int i = 0; i < 40; i++)
		lines_add("Nov 22 10:00:%02u box7 app[8]: checkpoint %u %s", i < 31 ? 0u : 1u,
			  i / 2, i % 2 ? "finished" : "started");
	assert_string_equal(lines_claim("slow-operation"), "");
}

/* Two processes work at the same time; one operation of the first takes @slow_ms. */
static const char *two_processes(unsigned int slow_ms)
{
	for (unsigned int i = 0; i < 20; i++) {
		unsigned int pid = 100 + i % 2;
		unsigned int end = i % 2 * 10 + (i == 8 ? slow_ms : 20);

		lines_add("2026-11-22T10:00:%02u.%03uZ box7 app[%u]: sync started", i / 2,
			  i % 2 * 10, pid);
		lines_add("2026-11-22T10:00:%02u.%03uZ box7 app[%u]: sync finished", i / 2, end,
			  pid);
	}
	return lines_claim("slow-operation");
}

static void operations_of_two_processes_do_not_mix(void **state)
{
	(void)state;
	assert_string_equal(two_processes(20), "");
	assert_non_null(strstr(two_processes(700), "1 of 20 operations"));
}

static void the_life_of_a_service_is_no_operation(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 12; i++) {
		lines_add("2026-11-22T10:%02u:00.000Z container %u started", i * 4, i);
		lines_add("2026-11-22T10:%02u:%02u.000Z container %u stopped",
			  i * 4 + (i == 8 ? 3 : 0), i == 8 ? 50u : 1u, i);
	}
	assert_string_equal(lines_claim("slow-operation"), "");
}

static void a_burst_of_messages_lasts_a_unit_at_least(void **state)
{
	const char *claim;

	(void)state;
	for (unsigned int i = 0; i < 200; i++) {
		lines_add("2026/11/22 10:%02u:%02u [info] 7#7: *%u worker handled request", i / 60,
			  i % 60, i);
		for (unsigned int k = 0; i == 100 && k < 60; k++)
			lines_add("2026/11/22 10:01:40 [error] 7#7: *%u connect to upstream failed",
				  k);
	}
	claim = lines_claim("message-burst");
	assert_non_null(strstr(claim, "connect to upstream failed' come within 1 s"));
}

static void a_healthy_access_log_gives_no_finding(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = NULL;
	CLEANUP(facts_freep) struct facts *facts = NULL;
	struct findings f = { .rows = VEC_INIT };
	uint32_t seed = 7;

	(void)state;
	for (unsigned int i = 0; i < 900; i++) {
		seed = seed * 1103515245 + 12345;
		lines_add("10.0.0.%u - - [22/Nov/2026:10:%02u:%02u +0000] \"GET /item/%u "
			  "HTTP/1.1\" 200 %u \"-\" \"curl\"",
			  seed >> 16 & 7, i / 7 / 60, i / 7 % 60, seed >> 20 & 255,
			  seed >> 18 & 4095);
	}
	d = lines_load();
	facts = facts_new(d);
	explain_run(facts, NULL, &f);
	VEC_FOREACH (row, &f.rows)
		assert_true(row->severity < FINDING_NOTE);
	findings_fini(&f);
}

static void a_part_lies_in_the_whole_only_if_the_times_say_so(void **state)
{
	const char *claim;

	(void)state;
	for (unsigned int i = 0; i < 3; i++)
		lines_add("2026-11-22 10:00:0%u.000 handled request number %u", i, i);
	lines_add("2026-11-22 10:00:05.000 load of the index took 636 ms");
	lines_add("2026-11-22 10:00:08.000 replay of the journal took 2493 ms");
	lines_add("2026-11-22 10:00:10.200 start of the server took 5880 ms");
	claim = lines_claim("duration-parts");
	assert_non_null(strstr(claim, "One step takes 2493 of 5880 ms"));
	/* the same with times in steps of a second */
	for (unsigned int i = 0; i < 3; i++)
		lines_add("2026-11-22 10:00:0%u handled request number %u", i, i);
	lines_add("2026-11-22 10:00:05 load of the index took 636 ms");
	lines_add("2026-11-22 10:00:08 replay of the journal took 2493 ms");
	lines_add("2026-11-22 10:00:10 start of the server took 5880 ms");
	assert_string_equal(lines_claim("duration-parts"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_layout_of_a_time_is_read),
		cmocka_unit_test(a_level_is_a_marked_word),
		cmocka_unit_test(syslog_names_host_program_and_pid),
		cmocka_unit_test(five_timed_lines_are_a_log),
		cmocka_unit_test(prose_source_tables_and_diffs_are_no_logs),
		cmocka_unit_test(other_readers_have_precedence),
		cmocka_unit_test(only_many_timed_lines_alone_are_sure),
		cmocka_unit_test(a_mail_with_a_log_has_the_log_alone),
		cmocka_unit_test(equal_traces_have_one_root_cause_and_place),
		cmocka_unit_test(lines_without_a_time_belong_to_the_record_above),
		cmocka_unit_test(the_time_of_day_goes_on_after_midnight),
		cmocka_unit_test(one_slow_operation_of_a_service_is_found),
		cmocka_unit_test(the_unit_of_the_times_is_no_duration),
		cmocka_unit_test(operations_of_two_processes_do_not_mix),
		cmocka_unit_test(the_life_of_a_service_is_no_operation),
		cmocka_unit_test(a_burst_of_messages_lasts_a_unit_at_least),
		cmocka_unit_test(a_healthy_access_log_gives_no_finding),
		cmocka_unit_test(a_part_lies_in_the_whole_only_if_the_times_say_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
