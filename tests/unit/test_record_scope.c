/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/names/record_scope.h"

static void commands_and_sentences_that_record_all_cpus(void **state)
{
	static const char *const texts[] = {
		"perf record -a",
		"perf record -a -g sleep 5",
		"perf record -ag -- sleep 5",
		"perf record -e cycles:pp -F 999 -a sleep 1",
		"perf record --call-graph=dwarf --all-cpus sleep 1",
		"We profiled the mill (perf record -a) under load.",
		"with `perf record -g -a`, which shows",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_true(record_scope_is_all(str_of(texts[i])));
}

static void other_commands_record_less(void **state)
{
	static const char *const texts[] = {
		"",
		"perf record",
		"perf record ./mill -a",
		"perf record -g ./mill -a",
		"perf record -g -- ./mill -a",
		"perf record -p 812 -g sleep 5",
		"perf record -e all -g ./mill",
		"perf record -b) and -a later",
		"perf report -a",
		"perf recording -a",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_false(record_scope_is_all(str_of(texts[i])));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_and_sentences_that_record_all_cpus),
		cmocka_unit_test(other_commands_record_less),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
