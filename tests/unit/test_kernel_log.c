/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/logs/log_summary.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "core/kinds/records.h"
#include "formats/format.h"
#include "formats/logs/kernel_line.h"
#include "formats/logs/log_prefix.h"
#include "seeds.h"
#include "texts.h"

DECLARE_FORMAT(kernel_log);

#define S  UINT64_C(1000000000)
#define US UINT64_C(1000)

static void every_way_to_print_a_time_is_read(void **state)
{
	static const struct {
		const char *line, *node, *module;
		enum log_clock clock;
		uint64_t ns;
		enum log_level level;
	} cases[] = {
		{ "[   12.000345] usb: x\n", "", "usb", CLOCK_BOOT, 12 * S + 345 * US, LEVEL_NONE },
		{ "<4>[   12.000345] usb: x\n", "", "usb", CLOCK_BOOT, 12 * S + 345 * US,
		  LEVEL_WARN },
		{ "[   12.000345][   T23] usb: x\n", "", "usb", CLOCK_BOOT, 12 * S + 345 * US,
		  LEVEL_NONE },
		{ "kern  :err   : [   12.000345] usb: x\n", "", "usb", CLOCK_BOOT,
		  12 * S + 345 * US, LEVEL_ERROR },
		{ "[Mon Apr  5 06:29:32 2021] usb: x\n", "", "usb", CLOCK_REALTIME,
		  UINT64_C(1617604172) * S, LEVEL_NONE },
		{ "Jan  2 00:00:01 box7 kernel: [   12.000345] usb: x\n", "box7", "usb", CLOCK_BOOT,
		  12 * S + 345 * US, LEVEL_NONE },
		{ "Jan  2 00:00:01 box7 kernel: usb: x\n", "box7", "usb", CLOCK_YEAR, 86401 * S,
		  LEVEL_NONE },
		{ "2021-04-05T08:29:32.000+02:00 box7 kernel: usb: x\n", "box7", "usb",
		  CLOCK_REALTIME, UINT64_C(1617604172) * S, LEVEL_NONE },
		{ "[   12.000345 <    0.000012>] usb: x\n", "", "usb", CLOCK_BOOT,
		  12 * S + 345 * US, LEVEL_NONE },
		{ "[Mon Apr  5 06:29:32 2021 <    0.000012>] usb: x\n", "", "usb", CLOCK_REALTIME,
		  UINT64_C(1617604172) * S, LEVEL_NONE },
		{ "[Jan 2 00:01] usb: x\n", "", "usb", CLOCK_YEAR, 86460 * S, LEVEL_NONE },
		{ "[Jan02 00:01] usb: x\n", "", "usb", CLOCK_YEAR, 86460 * S, LEVEL_NONE },
		{ "kern  :err   : [Jan02 00:01] usb: x\n", "", "usb", CLOCK_YEAR, 86460 * S,
		  LEVEL_ERROR },
		{ "[  +1.000012] usb: x\n", "", "usb", CLOCK_BOOT, 0, LEVEL_NONE },
		{ " kernel:[   12.000345] usb: x\n", "", "usb", CLOCK_BOOT, 12 * S + 345 * US,
		  LEVEL_NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(dossier_freep)
		struct dossier *d = text_load(&format_kernel_log, cases[i].line);
		const struct records *r = text_records(d);

		assert_int_equal(r->rows.len, 1);
		assert_str(r->rows.data[0].text, "usb: x");
		assert_name(d, r->rows.data[0].module, cases[i].module);
		assert_int_equal(r->rows.data[0].level, cases[i].level);
		assert_int_equal(r->rows.data[0].time_ns, cases[i].ns);
		assert_int_equal(r->streams.data[0].clock, cases[i].clock);
		assert_name(d, r->streams.data[0].process, "kernel");
		assert_name(d, r->streams.data[0].node, cases[i].node);
	}
}

/* arch/x86/include/asm/trap_pf.h: the bits of the error code. */
static void the_error_code_of_a_segfault_says_what_was_done(void **state)
{
	static const struct {
		uint32_t error;
		const char *text;
	} cases[] = {
		{ 0x0, "read of an unmapped address in kernel mode" },
		{ 0x2, "write to an unmapped address in kernel mode" },
		{ 0x4, "read of an unmapped address in user mode" },
		{ 0x5, "read of a page that does not allow it in user mode" },
		{ 0x7, "write to a page that does not allow it in user mode" },
		{ 0xd, "read of a page with reserved bits set in user mode" },
		{ 0x14, "instruction fetch from an unmapped address in user mode" },
		{ 0x15, "instruction fetch from a page that does not allow it in user mode" },
		{ 0x25, "read of a page that its protection key forbids in user mode" },
		{ 0x45, "read of a shadow stack in user mode" },
		{ 0x8007, "write to an SGX page in user mode" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct out o = { .fd = -1 };

		log_segfault_error_text(&(struct log_segfault){ .error = cases[i].error }, &o);
		assert_str(out_view(&o), cases[i].text);
		out_fini(&o);
	}
}

static void a_wrapped_segfault_gives_the_offset_in_the_library(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = text_load(
		&format_kernel_log,
		"#dmesg on node7\n"
		"[22.454414] some-server[31577]: segfault at 7f96ebe83310 ip\n"
		"00007f96e9d1445b sp 00007ffe6ac36120 error 4 in libx-2.23.so[7f96e9c96000+\n"
		"1c0000]\n");
	CLEANUP(dossier_freep)
	struct dossier *newer = text_load(
		&format_kernel_log,
		"[22.454414] a b[7]: segfault at 0 ip 0000000000401136 sp 00007ffe error 6 in "
		"a[1136,401000+1000] likely on CPU 3 (core 1, socket 0)\n");
	struct log_summary s;
	struct out o;

	(void)state;
	assert_int_equal(text_records(d)->rows.len, 1);
	assert_int_equal(text_records(d)->rows.data[0].last_line, 4);
	assert_int_equal(text_records(d)->rows.data[0].level, LEVEL_ERROR);
	assert_name(d, text_records(d)->streams.data[0].node, "node7");
	log_summary_init(&s, d->captures.data[0]);
	assert_int_equal(s.segfaults.len, 1);
	assert_str(s.segfaults.data[0].comm, "some-server");
	assert_str(s.segfaults.data[0].object, "libx-2.23.so");
	assert_int_equal(s.segfaults.data[0].pid, 31577);
	assert_int_equal(s.segfaults.data[0].offset, 0x7e45b);
	assert_int_equal(s.segfaults.data[0].size, 0x1c0000);
	out_init(&o);
	log_segfault_error_text(&s.segfaults.data[0], &o);
	assert_str(out_view(&o), "read of an unmapped address in user mode");
	out_fini(&o);
	log_summary_fini(&s);
	log_summary_init(&s, newer->captures.data[0]);
	assert_int_equal(s.segfaults.len, 1);
	assert_str(s.segfaults.data[0].comm, "a b");
	assert_int_equal(s.segfaults.data[0].offset, 0x1136);
	log_summary_fini(&s);
}

static void lockups_and_hung_tasks_are_events(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = text_load(
		&format_kernel_log,
		"[   10.000000] watchdog: BUG: soft lockup - CPU#10 stuck for 24s! "
		"[kworker/10:0:18995]\n"
		"[   11.000000] INFO: task kworker/u16:1:123 blocked for more than 120 seconds.\n"
		"[   11.000001]       Not tainted 5.15.0 #1\n"
		"[   11.000002] Call Trace:\n"
		"[   11.000003]  schedule+0x2e/0xb0\n"
		"[   12.000000] WARNING: CPU: 3 PID: 1 at kernel/x.c:1 f+0x1/0x2\n"
		"[    0.000000] Linux version 6.1\n");
	struct log_summary s;

	(void)state;
	assert_int_equal(text_records(d)->rows.len, 7);
	assert_int_equal(text_records(d)->streams.len, 2);
	assert_int_equal(text_records(d)->rows.data[0].level, LEVEL_EMERGENCY);
	assert_name(d, text_records(d)->rows.data[0].module, "watchdog");
	log_summary_init(&s, d->captures.data[0]);
	assert_int_equal(s.kernel_events.len, 3);
	assert_int_equal(s.kernel_events.data[0].kind, KERNEL_SOFT_LOCKUP);
	assert_int_equal(s.kernel_events.data[0].cpu, 10);
	assert_int_equal(s.kernel_events.data[0].seconds, 24);
	assert_str(s.kernel_events.data[0].task, "kworker/10:0");
	assert_int_equal(s.kernel_events.data[0].pid, 18995);
	assert_int_equal(s.kernel_events.data[1].kind, KERNEL_HUNG_TASK);
	assert_int_equal(s.kernel_events.data[1].seconds, 120);
	assert_str(s.kernel_events.data[1].task, "kworker/u16:1");
	assert_int_equal(s.kernel_events.data[1].pid, 123);
	assert_int_equal(s.kernel_events.data[2].kind, KERNEL_WARNING);
	assert_int_equal(s.kernel_events.data[2].cpu, 3);
	log_summary_fini(&s);
}

static void a_dump_without_times_stays_lines(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = text_load(
		&format_kernel_log,
		"Somebody reported:\n\n"
		" watchdog: BUG: soft lockup - CPU#12 stuck for 23s! [kworker/12:1:3106]\n"
		" Call Trace:\n"
		"  ? schedule+0x2e/0xb0\n"
		"  io_wait+0x1/0x2 [mod]\n\n"
		"Thanks\n");
	const struct records *r = text_records(d);

	(void)state;
	assert_int_equal(r->rows.len, 4);
	assert_int_equal(r->streams.len, 1);
	assert_false(r->rows.data[0].has_time);
	assert_str(r->rows.data[3].text, "io_wait+0x1/0x2 [mod]");
}

static void lines_of_a_report_without_times_are_not_prose(void **state)
{
	static const struct {
		const char *line;
		bool is_dump;
	} cases[] = {
		/* PowerPC prints two addresses before a frame */
		{ "[c000000629343540] [c0000000007623b4] quay_wait+0x84/0x420", true },
		{ "[c000000629343210] [0000000000000001] 0x1 (unreliable)", true },
		{ "[c000000629343540] quay_wait then sleeps", false },
		/* the title of a task has three numbers and its flags */
		{ "porter          D 8448  7722   7490 0x00040008", true },
		{ "night porter    D 8448  7722   7490 0x00040008", true },
		{ "porter          D 8448  7722 0x00040008", false },
		{ "porter          D 8448  7722   7490", false },
		{ "task:porter state:D stack:0 pid:7722", true },
		{ "task:porter is the one that hangs", false },
		{ "      Not tainted 5.3.0 #6", true },
		{ "not tainted, as far as we know", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(kernel_line_is_dump(str_of(cases[i].line)), cases[i].is_dump);
}

static void bare_seconds_are_five_digits_with_leading_zeros(void **state)
{
	static const char *const none[] = { "0042 BUG: KASAN: bad access in f+0x1/0x2\n",
					    "000042 BUG: KASAN: bad access in f+0x1/0x2\n",
					    "12345 BUG: KASAN: bad access in f+0x1/0x2\n",
					    "00042 nothing that only a kernel prints\n" };
	CLEANUP(dossier_freep)
	struct dossier *d =
		text_load(&format_kernel_log, "00042 BUG: KASAN: bad access in f+0x1/0x2\n"
					      "00042 f (mm/a.c:12)\n"
					      "00043 g (mm/a.c)\n");
	(void)state;
	assert_int_equal(text_records(d)->rows.len, 2);
	assert_str(text_records(d)->rows.data[0].text, "BUG: KASAN: bad access in f+0x1/0x2");
	assert_str(text_records(d)->rows.data[1].text, "f (mm/a.c:12) g (mm/a.c)");
	for (size_t i = 0; i < ARRAY_LEN(none); i++) {
		struct kernel_line l;
		struct log_day day = { "", 0 };
		struct str line = kernel_line_bare(str_of(none[i]));

		assert_int_equal(line.len, strlen(none[i]) - (i == 3 ? 5 : 0));
		assert_true(i < 3 || !kernel_line_read(line, &day, &l));
	}
}

static void a_caller_without_a_time_is_removed(void **state)
{
	static const struct {
		const char *line, *bare;
	} cases[] = {
		{ "[    C2] rcu: INFO: rcu_preempt", "rcu: INFO: rcu_preempt" },
		{ "[ T1234] porter", "porter" },
		{ "[ T1234 porter", "[ T1234 porter" },
		{ "[    X2] porter", "[    X2] porter" },
		{ "[  T] porter", "[  T] porter" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_str(kernel_line_bare(str_of(cases[i].line)), cases[i].bare);
}

static void brackets_that_are_no_times_are_left(void **state)
{
	struct str text =
		STR("[ perf record: Woken up 1 times ]\n[1.5] a\n[12] b\n[.] c\n[ 12.345678 ms\n"
		    "a-769 [009] 35.267031: bprint: x\n<4> five\n<idle>-0 [000] 1.0\n"
		    "the kernel: a book\nhe was blocked for more than two years\n"
		    "since then I get often a BUG: soft lockup - CPU#1\n");
	struct extent e;

	(void)state;
	assert_false(format_kernel_log.find(text, 0, &e));
	assert_int_equal(format_kernel_log.probe(text), 0);
}

static void find_takes_a_section_with_its_titles(void **state)
{
	struct str text =
		STR("Hello\n\nand so on.\nBye\n\n#dmesg on a\n[1.000000] x\ngoes on\n\n#b\n"
		    "[2.000000] y\n\nRegards,\nme\nand you\n[3.000000] z\n");
	struct extent e;

	(void)state;
	assert_true(format_kernel_log.find(text, 0, &e));
	assert_str(str_sub(text, e.from, e.to),
		   "#dmesg on a\n[1.000000] x\ngoes on\n\n#b\n[2.000000] y\n");
}

static void all_three_crashes_of_the_mail_are_at_one_place(void **state)
{
	CLEANUP(dossier_freep) struct dossier *d = seed_file("seeds/001_5cb8d1146f867adc.txt");
	size_t n = 0;

	(void)state;
	if (!d)
		SKIP_TEST("../shared/seeds is missing");
	assert_true(d->inputs.data[0].encoding.v); /* quote marks of the mail are removed */
	VEC_FOREACH (slot, &d->captures) {
		struct log_summary s;

		if (strcmp((*slot)->format, "kernel-log") != 0)
			continue;
		log_summary_init(&s, *slot);
		assert_int_equal(s.streams.len, 3);
		VEC_FOREACH (f, &s.segfaults) {
			assert_int_equal(f->offset, 0x7e45b);
			assert_int_equal(f->error, 4);
			assert_str(f->object, "libc-2.23.so");
			n++;
		}
		log_summary_fini(&s);
	}
	assert_int_equal(n, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_way_to_print_a_time_is_read),
		cmocka_unit_test(the_error_code_of_a_segfault_says_what_was_done),
		cmocka_unit_test(a_wrapped_segfault_gives_the_offset_in_the_library),
		cmocka_unit_test(lockups_and_hung_tasks_are_events),
		cmocka_unit_test(a_dump_without_times_stays_lines),
		cmocka_unit_test(lines_of_a_report_without_times_are_not_prose),
		cmocka_unit_test(bare_seconds_are_five_digits_with_leading_zeros),
		cmocka_unit_test(a_caller_without_a_time_is_removed),
		cmocka_unit_test(brackets_that_are_no_times_are_left),
		cmocka_unit_test(find_takes_a_section_with_its_titles),
		cmocka_unit_test(all_three_crashes_of_the_mail_are_at_one_place),
	};

	return cmocka_run_group_tests_name("kernel_log", tests, NULL, NULL);
}
