/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/calls/call_events.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/strings.h"

static void mark(struct capture *c, enum call_mark_kind kind, const char *text, uint32_t line)
{
	*VEC_PUSH(&c->calls->marks) = (struct call_mark){
		.kind = (uint8_t)kind,
		.text = strings_add(capture_strings(c), str_of(text)),
		.line = line,
	};
}

static void events_are_counted_by_name(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(call_events_fini) struct call_events e;
	struct capture *c = dossier_add(d, "test");

	(void)state;
	(void)capture_calls(c);
	mark(c, MARK_EVENT, "sys_read(fd: 1)", 1);
	mark(c, MARK_EVENT, "sched_switch: a ==> b", 2);
	mark(c, MARK_LOST, "", 3);
	mark(c, MARK_EVENT, "sys_read -> 0x1", 4);
	mark(c, MARK_EVENT, "hello world", 5);
	mark(c, MARK_EVENT, "0:120:R ==> [000]", 6);
	mark(c, MARK_EVENT, "sys_read(fd: 2)", 7);
	call_events_count(c, &e);
	assert_int_equal(e.count, 6);
	assert_int_equal(e.rows.len, 3);
	assert_str(e.rows.data[0].name, "sys_read");
	assert_int_equal(e.rows.data[0].count, 3);
	assert_int_equal(e.rows.data[0].line, 1);
	assert_str(e.rows.data[1].name, "(text)");
	assert_int_equal(e.rows.data[1].count, 2);
}

static void a_capture_without_calls_has_no_events(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	CLEANUP(call_events_fini) struct call_events e;

	(void)state;
	call_events_count(dossier_add(d, "test"), &e);
	assert_int_equal(e.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_counted_by_name),
		cmocka_unit_test(a_capture_without_calls_has_no_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
