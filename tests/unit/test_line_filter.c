/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/names/line_filter.h"

static void programs_behind_a_pipe_leave_out_lines(void **state)
{
	static const struct {
		const char *command;
		const char *by;
		bool is_cut;
	} rows[] = {
		{ "strace weave status |& grep settings", "grep", false },
		{ "strace -f weave 2>&1 | /usr/bin/egrep 'open|stat'", "egrep", false },
		{ "dmesg | sudo grep oom", "grep", false },
		{ "grep timeout weaver.log", "grep", false },
		{ "perf script | head -40", "head", true },
		{ "perf script | tail -n 5 | grep loom", "grep", false },
		{ "perf script | grep loom | head", "grep", false },
		{ "dmesg | awk '/oom/'", "awk", false },
		{ "dmesg | sed -n '1,20p'", "sed", false },
		{ "dmesg | sed '/audit/d'", "sed", false },
		{ "make && dmesg | grep oom", "grep", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct line_filter f = line_filter_of(str_of(rows[i].command));

		assert_str(f.by, rows[i].by);
		assert_int_equal(f.is_cut, rows[i].is_cut);
	}
}

static void other_commands_print_all_lines(void **state)
{
	static const char *const commands[] = {
		"strace weave status",
		"strace weave status 2>&1 | tee out",
		"perf script | c++filt | less",
		"perf stat sh -c 'dmesg | grep oom'", /* the pipe is inside the workload */
		"perf stat sh -c \"dmesg | grep oom\"",
		"dmesg \\| grep oom",
		"tail -f weaver.log", /* no pipe: a log has no other end */
		"grep -q loom /proc/modules; dmesg",
		"grep -q loom /proc/modules && dmesg",
		"grep -q loom /proc/modules || dmesg",
		"dmesg | awk '{print $2}'", /* changes lines only */
		"dmesg | sed 's/oom/OOM/'",
		"",
		"|",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		assert_str(line_filter_of(str_of(commands[i])).by, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_behind_a_pipe_leave_out_lines),
		cmocka_unit_test(other_commands_print_all_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
