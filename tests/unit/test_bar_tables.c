/* SPDX-License-Identifier: MIT */
#include "base/str.h"
#include "formats/bar_tables.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define TITLES "| ncalls | tottime | percall | cumtime | percall | filename:lineno(function) |\n"
#define RULER  "|---:|---:|---:|---:|---:|---|\n"
#define ROW    "| 34766 | 0.231 | 0.000 | 0.350 | 0.000 | plan.py:171(`score`) |\n"

/* Check that the text of @from becomes @to; NULL: it stays. */
static void check(const char *from, const char *to)
{
	char *ret = bar_tables_blank(str_of(from));

	if (!to) {
		assert_null(ret);
		return;
	}
	assert_non_null(ret);
	assert_int_equal(strlen(from), strlen(to));
	assert_memory_equal(ret, to, strlen(to));
	free(ret);
}

static void bars_and_marks_of_a_known_table_become_blanks(void **state)
{
	(void)state;
	check("Before | it\n\n" TITLES RULER ROW "\nAfter | it\n",
	      "Before | it\n\n"
	      "  ncalls   tottime   percall   cumtime   percall   filename:lineno(function)  \n"
	      " ---- ---- ---- ---- ---- --- \n"
	      "  34766   0.231   0.000   0.350   0.000   plan.py:171( score )  \n"
	      "\nAfter | it\n");
}

static void a_table_may_lack_the_outer_bars(void **state)
{
	(void)state;
	check("% time | seconds | usecs/call | calls | errors | syscall\n"
	      "--- | --- | --- | --- | --- | ---\n"
	      "93.46 | 1.466922 | 2 | 733461 | | **pread64**\n",
	      "% time   seconds   usecs/call   calls   errors   syscall\n"
	      "---   ---   ---   ---   ---   ---\n"
	      "93.46   1.466922   2   733461       pread64  \n");
}

static void rows_of_perf_need_its_titles(void **state)
{
	(void)state;
	check("| Overhead | Command | Shared Object | Symbol |\n|---|---|---|---|\n"
	      "| 45.20% | app | app | [.] route_add |\n| 21.10% | app | app | [.] route_find |\n",
	      "  Overhead   Command   Shared Object   Symbol  \n --- --- --- --- \n"
	      "  45.20%   app   app   [.] route_add  \n  21.10%   app   app   [.] route_find  \n");
	check("| Share | Command | Shared Object | Place |\n|---|---|---|---|\n"
	      "| 45.20% | app | app | [.] route_add |\n| 21.10% | app | app | [.] route_find |\n",
	      NULL);
}

static void other_tables_keep_their_bars(void **state)
{
	(void)state;
	check("", NULL);
	check("| name | time |\n|---|---|\n| a | 1.0 s |\n| b | 2.0 s |\n", NULL);
	/* without a ruler below the titles it is no table of Markdown */
	check(TITLES ROW ROW, NULL);
	check(TITLES, NULL);
	check(RULER ROW, NULL);
	/* a table without rows */
	check(TITLES RULER, NULL);
}

static void an_escaped_bar_is_part_of_a_name(void **state)
{
	(void)state;
	check(TITLES RULER "| 34766 | 0.231 | 0.000 | 0.350 | 0.000 | plan.py:171(a\\|b) |\n",
	      "  ncalls   tottime   percall   cumtime   percall   filename:lineno(function)  \n"
	      " ---- ---- ---- ---- ---- --- \n"
	      "  34766   0.231   0.000   0.350   0.000   plan.py:171(a\\|b)  \n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bars_and_marks_of_a_known_table_become_blanks),
		cmocka_unit_test(a_table_may_lack_the_outer_bars),
		cmocka_unit_test(rows_of_perf_need_its_titles),
		cmocka_unit_test(other_tables_keep_their_bars),
		cmocka_unit_test(an_escaped_bar_is_part_of_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
