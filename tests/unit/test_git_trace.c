/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "core/symbols.h"
#include "formats/format.h"
#include "texts.h"

DECLARE_FORMAT(git_trace);

#define ROW(event, absolute, took, category, text) \
	"a.c:1 | d0 | main | " event " | r0 | " absolute " | " took " | " category " | " text "\n"

/* The self share of @name in the first capture, percent; negative: no such row. */
static double share_of(const struct dossier *d, const char *name)
{
	const struct capture *c = d->captures.data[0];

	VEC_FOREACH (row, &c->profile->table.rows) {
		if (str_eq(symbols_name(&d->symbols, row->sym), str_of(name)))
			return (double)row->self / 1e4;
	}
	return -1;
}

static void the_time_of_a_region_is_without_the_regions_in_it(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = text_load(
		NULL,
		ROW("region_enter", "0.0", "", "status", "label:print")
			ROW("region_leave", "5.0", "3.0", "diff", "....label:setup")
				ROW("region_leave", "8.0", "6.0", "index", "..label:refresh")
					ROW("region_leave", "9.0", "9.0", "status", "label:print")
						ROW("exit", "10.0", "", "", "code:0"));

	(void)state;
	assert_string_equal(d->captures.data[0]->format, "git-trace");
	assert_near(share_of(d, "diff: setup"), 30, 0.01);
	assert_near(share_of(d, "index: refresh"), 30, 0.01);
	assert_near(share_of(d, "status: print"), 30, 0.01);
	assert_near(share_of(d, "outside of regions"), 10, 0.01);
}

static void other_threads_and_processes_are_left_out(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = text_load(
		NULL,
		ROW("region_leave", "2.0", "2.0", "index",
		    "label:refresh") "a.c:1 | d0 | th01 | region_leave | r0 | 2.0 | 9.0 | index | "
				     "label:preload\n"
				     "a.c:1 | d1 | main | region_leave | r0 | 2.0 | 9.0 | diff | "
				     "label:setup\n" ROW("exit", "4.0", "", "", "code:0"));

	(void)state;
	assert_near(share_of(d, "index: refresh"), 50, 0.01);
	assert_near(share_of(d, "index: preload"), -1, 0);
	assert_near(share_of(d, "diff: setup"), -1, 0);
}

static void a_command_that_git_starts_is_in_the_time_of_the_first(void **state)
{
	CLEANUP(dossier_freep)
	struct dossier *d = text_load(
		NULL, "10:20:01.10 a.c:1 performance: 1.000000000 s:  read cache .git/index\n"
		      "10:20:01.10 a.c:1 performance: 3.000000000 s: git command: git gc\n"
		      "10:20:01.10 a.c:1 performance: 10.000000000 s: git command: git fetch\n");

	(void)state;
	assert_near(share_of(d, "read cache .git/index"), 10, 0.01);
	assert_near(share_of(d, "git command: git gc"), 20, 0.01);
	assert_near(share_of(d, "git command: git fetch"), 70, 0.01);
}

static void tables_of_other_tools_are_no_traces_of_git(void **state)
{
	struct str text = STR("| name | data | | 1.0 | 2.0 |\n| a | start | b | c | d | e |\n"
			      "| a | exit | 3 | 1.0 | 2.0 | f | g |\n");
	struct extent e;

	(void)state;
	assert_false(format_git_trace.find(text, 0, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_time_of_a_region_is_without_the_regions_in_it),
		cmocka_unit_test(other_threads_and_processes_are_left_out),
		cmocka_unit_test(a_command_that_git_starts_is_in_the_time_of_the_first),
		cmocka_unit_test(tables_of_other_tools_are_no_traces_of_git),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
