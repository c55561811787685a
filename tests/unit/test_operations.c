/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "explain/findings.h"
#include "lines.h"

#include "analyses/operations/operations.h"
#include "base/status.h"
#include "base/str.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"

#include <stdio.h>

static void event(const char *comm, unsigned int us, const char *what)
{
	lines_add("  %14s [%03u] ..... 1%02u.%06u: %s", comm, lines_text[0] ? 1U : 0U, us / 1000000,
		  us % 1000000, what);
}

static void issue(unsigned int us, unsigned int sector)
{
	char line[128];

	(void)snprintf(line, sizeof(line), "block_rq_issue: 8,0 W 4096 () %u + 8 [fio]", sector);
	event("fio-700", us, line);
}

static void complete(unsigned int us, unsigned int sector)
{
	char line[128];

	(void)snprintf(line, sizeof(line), "block_rq_complete: 8,0 W () %u + 8 [0]", sector);
	event("<idle>-0", us, line);
}

/* "no finding", or "note" or "warning": the severity of the finding whose claim has @words. */
static const char *said(const char *words)
{
	enum finding_severity severity;
	char claim[1024];

	return !lines_find("slow-operation", words, claim, sizeof(claim), &severity) ? "no finding"
	       : severity == FINDING_NOTE                                            ? "note"
										     : "warning";
}

static void ends_are_matched_by_the_field_that_both_events_share(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = NULL;
	struct operations o;

	(void)state;
	issue(100, 1000);
	issue(200, 2000);
	issue(250, 3000);
	complete(300, 2000);
	complete(900, 1000);
	complete(950, 7000);
	d = lines_load();
	operations_of_calls(&o, d->captures.data[0]);
	assert_int_equal(o.kinds.len, 1);
	assert_true(o.kinds.data[0].is_matched);
	assert_int_equal(o.kinds.data[0].done.len, 2);
	assert_true(str_eq(o.kinds.data[0].done.data[0].key, STR("2000")));
	assert_int_equal(operation_ns(&o.kinds.data[0].done.data[0]), 100000);
	assert_int_equal(operation_ns(&o.kinds.data[0].done.data[1]), 800000);
	assert_int_equal(o.kinds.data[0].open.len, 1);
	assert_int_equal(o.kinds.data[0].only_ends, 1);
	operations_fini(&o);
}

static void named_fields_are_found_wherever_they_stand(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = NULL;
	struct operations o;

	(void)state;
	event("a-1", 100, "drv_cmd_submit: host=0 tag=7 len=512");
	event("a-1", 110, "drv_cmd_submit: host=0 tag=8 len=512");
	event("b-2", 190, "drv_cmd_retire: status=0 tag=8");
	event("b-2", 300, "drv_cmd_retire: status=0 tag=7");
	d = lines_load();
	operations_of_calls(&o, d->captures.data[0]);
	assert_int_equal(o.kinds.len, 1);
	assert_true(str_eq(o.kinds.data[0].key.name, STR("tag")));
	assert_int_equal(operation_ns(&o.kinds.data[0].done.data[1]), 200000);
	operations_fini(&o);
}

static void events_that_no_field_tells_apart_are_not_matched(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = NULL;
	struct operations o;

	(void)state;
	event("a-1", 100, "drv_cmd_submit: go");
	event("a-1", 110, "drv_cmd_submit: go");
	event("a-1", 190, "drv_cmd_retire: ok");
	event("a-1", 300, "drv_cmd_retire: ok");
	d = lines_load();
	operations_of_calls(&o, d->captures.data[0]);
	assert_int_equal(o.kinds.len, 1);
	assert_false(o.kinds.data[0].is_matched);
	operations_fini(&o);
}

/* Three operations in @span us, the longest of which takes @us. */
static const char *share(unsigned int us, unsigned int span)
{
	issue(0, 1000);
	complete(100, 1000);
	issue(200, 2000);
	complete(200 + us, 2000);
	issue(span - 100, 3000);
	complete(span, 3000);
	return said("of the");
}

static void one_operation_counts_from_half_of_the_time_and_ten_milliseconds(void **state)
{
	(void)state;
	assert_string_equal(share(9900, 12000), "no finding");
	assert_string_equal(share(10100, 12000), "warning");
	assert_string_equal(share(49900, 100000), "no finding");
	assert_string_equal(share(50100, 100000), "warning");
	assert_string_equal(share(989000, 1000000), "warning");
	assert_string_equal(share(9990000, 10000400), "note");
}

/* @n operations of 200 us and one of @us, in a minute. */
static const char *tail(unsigned int n, unsigned int us)
{
	for (unsigned int i = 0; i < n; i++) {
		issue(i * 1000, 1000 + i);
		complete(i * 1000 + 200, 1000 + i);
	}
	issue(1000000, 99);
	complete(1000000 + us, 99);
	issue(60000000, 98);
	complete(60000200, 98);
	return said("times the median");
}

static void a_tail_is_ten_times_the_median_of_five(void **state)
{
	(void)state;
	assert_string_equal(tail(8, 1990), "no finding");
	assert_string_equal(tail(8, 2010), "note");
	assert_string_equal(tail(8, 10199), "note");
	assert_string_equal(tail(8, 10200), "warning");
	assert_string_equal(tail(2, 10210), "no finding");
	assert_string_equal(tail(3, 10210), "warning");
}

/* One operation without an end, and @after operations after it; the trace ends at @open_us. */
static const char *open(unsigned int after, unsigned int open_us)
{
	issue(0, 77);
	for (unsigned int i = 1; i <= after; i++) {
		issue(i * 1000, 1000 + i);
		complete(i * 1000 + 900, 1000 + i);
	}
	event("fio-700", open_us, "drv_note: 1");
	return said("does not end");
}

static void an_operation_is_open_if_later_ones_end_and_it_lasts_ten_times_as_long(void **state)
{
	(void)state;
	assert_string_equal(open(4, 50000), "no finding");
	assert_string_equal(open(5, 50000), "warning");
	assert_string_equal(open(5, 9990), "no finding");
	assert_string_equal(open(5, 10010), "warning");
}

static void a_log_has_operations_too(void **state)
{
	(void)state;
	(void)snprintf(lines_text, sizeof(lines_text), "%s",
		       "[  100.000000] usb 1-2: firmware update 7 started\n"
		       "[  100.100000] usb 1-2: address 5 set\n"
		       "[  109.000000] usb 1-2: firmware update 7 finished\n"
		       "[  110.000000] usb 1-2: address 6 set\n");
	assert_string_equal(said("90.0 % of the 10 s"), "warning");
}

/* Event @name for three operations, as `perf script` prints it; @end ends the second operation. */
static struct dossier *script_of(const char *name, const char *end)
{
	(void)snprintf(lines_text, sizeof(lines_text),
		       "fio  700 [000]   100.000100: %s: tag=1 len=8\n"
		       "fio  700 [000]   100.000200: %s: tag=2 len=8\n"
		       "swapper     0 [001]   100.500100: %s: tag=2 error=0\n"
		       "fio  700 [000]   100.600000: %s: tag=3 len=8\n",
		       name, name, end, name);
	return lines_load();
}

static void tracepoints_of_perf_script_are_one_trace(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = script_of("drv:drv_cmd_submit", "drv:drv_cmd_retire");
	struct operations o;

	(void)state;
	assert_int_equal(d->captures.len, 3);
	operations_of_calls(&o, d->captures.data[2]);
	assert_int_equal(o.kinds.len, 1);
	assert_int_equal(o.kinds.data[0].done.len, 1);
	assert_int_equal(o.kinds.data[0].done.data[0].from.line, 2);
	assert_int_equal(o.kinds.data[0].done.data[0].to.line, 3);
	assert_int_equal(operation_ns(&o.kinds.data[0].done.data[0]), 499900000);
	assert_int_equal(o.kinds.data[0].open.len, 2);
	operations_fini(&o);
}

static void events_of_entry_and_exit_are_calls(void **state)
{
	static const struct {
		const char *begin, *end;
		size_t calls;
	} cases[] = {
		{ "irq:irq_handler_entry", "irq:irq_handler_exit", 4 },
		/* read as operations, and not also as calls that began before the trace */
		{ "ext4:ext4_sync_file_enter", "ext4:ext4_sync_file_exit", 0 },
		{ "nvme:nvme_setup_cmd", "nvme:nvme_complete_rq", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dossier_freep) struct dossier *d = script_of(cases[i].begin, cases[i].end);

		assert_int_equal(d->captures.len, 3);
		assert_int_equal(d->captures.data[2]->calls->n, cases[i].calls);
	}
}

static void events_without_a_counterpart_make_no_trace(void **state)
{
	static const char *const names[][2] = {
		{ "drv:drv_cmd_submit", "drv:drv_cmd_submit" },
		{ "drv:drv_cmd_submit", "net:other_retire" },
		{ "sched:sched_stat_wait", "sched:sched_stat_sleep" },
		{ "cycles:u", "instructions:u" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		CLEANUP(dossier_freep) struct dossier *d = script_of(names[i][0], names[i][1]);

		assert_int_equal(d->captures.len, strcmp(names[i][0], names[i][1]) == 0 ? 1 : 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_are_matched_by_the_field_that_both_events_share),
		cmocka_unit_test(named_fields_are_found_wherever_they_stand),
		cmocka_unit_test(events_that_no_field_tells_apart_are_not_matched),
		cmocka_unit_test(one_operation_counts_from_half_of_the_time_and_ten_milliseconds),
		cmocka_unit_test(a_tail_is_ten_times_the_median_of_five),
		cmocka_unit_test(
			an_operation_is_open_if_later_ones_end_and_it_lasts_ten_times_as_long),
		cmocka_unit_test(a_log_has_operations_too),
		cmocka_unit_test(tracepoints_of_perf_script_are_one_trace),
		cmocka_unit_test(events_of_entry_and_exit_are_calls),
		cmocka_unit_test(events_without_a_counterpart_make_no_trace),
	};

	return cmocka_run_group_tests_name("operations", tests, NULL, NULL);
}
