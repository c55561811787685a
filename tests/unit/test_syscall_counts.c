/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/syscalls/syscalls.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/dossier.h"
#include "core/kinds/metrics.h"
#include "document/document.h"
#include "formats/format.h"
#include "formats/load.h"
#include "texts.h"

#include <stdio.h>

DECLARE_FORMAT(syscall_counts);

static struct dossier *read_text(const char *text, size_t n)
{
	struct dossier *d = dossier_new();
	CLEANUP(document_freep) struct document *doc = NULL;

	assert_int_equal(document_from_memory(str_of(text), NULL, &doc, NULL), OK);
	assert_int_equal(load_document(d, doc, "made.txt", NULL, NULL), OK);
	assert_int_equal(d->captures.len, n);
	assert_string_equal(d->captures.data[0]->format, "syscall-counts");
	return d;
}

static const char counts_head[] =
	"% time     seconds  usecs/call     calls    errors syscall\n"
	"------ ----------- ----------- --------- --------- ----------------\n";
static const char counts_rows[] =
	" 80.00    0.000400           4       100        25 openat\n"
	" 20.00    0.000100          10        10           close\n"
	"------ ----------- ----------- --------- --------- ----------------\n";

static char *joined(char *buffer, size_t size, const char *a, const char *b, const char *c)
{
	(void)snprintf(buffer, size, "%s%s%s", a, b, c);
	return buffer;
}

static void rows_have_calls_errors_and_cpu_time(void **state)
{
	char text[1024];
	CLEANUP(dossier_freep)
	struct dossier *d =
		read_text(joined(text, sizeof(text), counts_head, counts_rows,
				 "100.00    0.000500                   110        25 total\n"),
			  1);
	struct syscalls_summary s;

	(void)state;
	syscalls_summary_init(&s, d->captures.data[0]);
	assert_int_equal(s.clock, SYSCALL_CPU_TIME);
	assert_int_equal(s.calls, 110);
	assert_int_equal(s.failed, 25);
	assert_int_equal(s.rows.len, 2);
	assert_int_equal((uint64_t)s.rows.data[0].time_ns, 400000);
	assert_int_equal(s.rows.data[1].errors, 0);
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "syscall-counts-total"), 0);
	syscalls_summary_fini(&s);
}

static void a_decimal_comma_is_read(void **state)
{
	char text[1024];
	CLEANUP(dossier_freep)
	struct dossier *d = read_text(joined(text, sizeof(text), counts_head,
					     " 80,00    0,000400           4       100        25 "
					     "openat\n",
					     " 20,00    0,000100          10        10           "
					     "close\n"),
				      1);
	struct syscalls_summary s;

	(void)state;
	syscalls_summary_init(&s, d->captures.data[0]);
	assert_int_equal(s.calls, 110);
	assert_int_equal((uint64_t)s.rows.data[0].time_ns, 400000);
	syscalls_summary_fini(&s);
}

static void a_total_below_the_sum_is_said(void **state)
{
	char text[1024];
	CLEANUP(dossier_freep)
	struct dossier *d = read_text(joined(text, sizeof(text), counts_head, counts_rows,
					     "100.00    0.000500                    90 total\n"),
				      1);

	(void)state;
	assert_int_equal(diag_get(&d->captures.data[0]->diag, "syscall-counts-total"), 1);
}

static void wall_time_is_known_by_the_command_or_by_a_sleep(void **state)
{
	char text[1024];
	CLEANUP(dossier_freep)
	struct dossier *by_command = read_text(
		joined(text, sizeof(text), "$ strace -c -w ./app\n", counts_head, counts_rows), 1);
	CLEANUP(dossier_freep)
	struct dossier *by_sleep =
		read_text(joined(text, sizeof(text), "", counts_head,
				 " 99.00    2.000000      200000        10           nanosleep\n"),
			  1);
	CLEANUP(dossier_freep)
	struct dossier *neither = read_text(
		joined(text, sizeof(text), "$ strace -c ./draw\n", counts_head, counts_rows), 1);
	struct dossier *all[] = { by_command, by_sleep, neither };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct syscalls_summary s;

		syscalls_summary_init(&s, all[i]->captures.data[0]);
		assert_int_equal(s.clock, i < 2 ? SYSCALL_WALL_TIME : SYSCALL_CPU_TIME);
		syscalls_summary_fini(&s);
	}
}

/* The kind of time that a table with only @row shows. */
static enum syscall_time clock_of(const char *row)
{
	char text[1024];
	struct syscalls_summary s;
	CLEANUP(dossier_freep)
	struct dossier *d = read_text(joined(text, sizeof(text), counts_head, row, ""), 1);
	enum syscall_time clock;

	syscalls_summary_init(&s, d->captures.data[0]);
	clock = s.clock;
	syscalls_summary_fini(&s);
	return clock;
}

static void waits_of_a_millisecond_are_wall_time(void **state)
{
	(void)state;
	assert_int_equal(clock_of("100.00    0.100000        1000       100           futex\n"),
			 SYSCALL_WALL_TIME);
	assert_int_equal(clock_of("100.00    0.099000         990       100           futex\n"),
			 SYSCALL_CPU_TIME);
	assert_int_equal(clock_of("100.00    0.396000        4000        99           futex\n"),
			 SYSCALL_CPU_TIME);
	assert_int_equal(clock_of("100.00    0.990000       10000        99           futex\n"),
			 SYSCALL_WALL_TIME);
	assert_int_equal(clock_of("100.00    0.100000        1000       100           accept4\n"),
			 SYSCALL_WALL_TIME);
	assert_int_equal(clock_of("100.00    0.100000        1000       100           munmap\n"),
			 SYSCALL_CPU_TIME);
}

static void rows_without_a_header_are_known(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = read_text(counts_rows, 1);

	(void)state;
	assert_int_equal(d->captures.data[0]->metrics->n_rows, 2);
}

static void two_tables_are_two_captures(void **state)
{
	char text[2048];
	char one[1024];

	(void)state;
	joined(one, sizeof(one), counts_head, counts_rows,
	       "100.00    0.000500                   110        25 total\n");
	dossier_free(read_text(joined(text, sizeof(text), one, one, ""), 2));
}

static void perf_trace_and_ltrace_have_wall_time(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *p = read_text(" app (12), 20 events, 90.0%\n\n"
				      "   syscall            calls  errors  total       min       "
				      "avg       max       stddev\n"
				      "                                     (msec)    (msec)    "
				      "(msec)    (msec)        (%)\n"
				      "   --------------- --------  ------ -------- --------- "
				      "--------- ---------     ------\n"
				      "   futex                 8      2     12.500     0.001     "
				      "1.562     9.000     33.00%\n\n"
				      " app (13), 4 events, 10.0%\n\n"
				      "   syscall            calls  errors  total       min       "
				      "avg       max       stddev\n"
				      "   --------------- --------  ------ -------- --------- "
				      "--------- ---------     ------\n"
				      "   futex                 2      0      0.500     0.001     "
				      "0.250     0.400     10.00%\n",
				      1);
	CLEANUP(dossier_freep)
	struct dossier *l = read_text(
		"% time     seconds  usecs/call     calls      function\n"
		"------ ----------- ----------- --------- --------------------\n"
		" 60.10    0.031757          67       468 std::set<int>::find(int const&)\n",
		1);
	struct syscalls_summary s;

	(void)state;
	assert_int_equal(p->captures.data[0]->metrics->n_rows, 2);
	syscalls_summary_init(&s, p->captures.data[0]);
	assert_int_equal(s.clock, SYSCALL_WALL_TIME);
	assert_int_equal(s.rows.len, 1);
	assert_int_equal(s.rows.data[0].calls, 10);
	assert_int_equal((uint64_t)s.rows.data[0].time_ns, 13000000);
	assert_int_equal((uint64_t)s.rows.data[0].max_ns, 9000000);
	syscalls_summary_fini(&s);
	syscalls_summary_init(&s, l->captures.data[0]);
	assert_true(s.is_library);
	syscalls_summary_fini(&s);
}

static void other_tables_are_nobodys(void **state)
{
	static const char *const texts[] = {
		"Overhead  Command  Symbol\n 80.00%  app  read\n",
		"calls  errors  syscall are words in prose\n12 13 read\n",
		" 80.00 0.5 4 100 read\n",
	};

	(void)state;
	text_claims_none(&format_syscall_counts, texts, ARRAY_LEN(texts));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_have_calls_errors_and_cpu_time),
		cmocka_unit_test(a_decimal_comma_is_read),
		cmocka_unit_test(a_total_below_the_sum_is_said),
		cmocka_unit_test(wall_time_is_known_by_the_command_or_by_a_sleep),
		cmocka_unit_test(waits_of_a_millisecond_are_wall_time),
		cmocka_unit_test(rows_without_a_header_are_known),
		cmocka_unit_test(two_tables_are_two_captures),
		cmocka_unit_test(perf_trace_and_ltrace_have_wall_time),
		cmocka_unit_test(other_tables_are_nobodys),
	};

	return cmocka_run_group_tests_name("syscall_counts", tests, NULL, NULL);
}
