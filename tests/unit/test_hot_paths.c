/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/top/hot_paths.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "profiles.h"

static void check(const char *folded, size_t max, const char *expected)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct capture *c = profile_of_folded(d, folded);
	struct hot_paths paths;
	struct error err;
	struct out out;

	out_init(&out);
	assert_int_equal(hot_paths_find(c, max, &paths, &err), OK);
	VEC_FOREACH (row, &paths.rows) {
		assert_true(row->parent == INDEX_NONE
				    ? row->depth == 0
				    : paths.rows.data[row->parent].depth + 1 == row->depth);
		out_repeat(&out, ' ', row->depth);
		out_printf(&out, "%.0f", row->pct);
		for (uint32_t i = 0; i < row->n; i++)
			out_printf(&out, " " STR_FMT,
				   STR_ARG(symbols_name(capture_symbols(c),
							paths.frames.data[row->first + i])));
		out_char(&out, '\n');
	}
	assert_str(out_view(&out), expected);
	out_fini(&out);
	hot_paths_fini(&paths);
}

static void a_path_goes_on_while_it_keeps_its_weight(void **state)
{
	(void)state;
	check("app;main;f;g 90\n"
	      "app;main;h 10\n",
	      9, "100 main f g\n");
	/* just below the limit: f has too little of main */
	check("app;main;f;g 89\n"
	      "app;main;h 11\n",
	      9,
	      "100 main\n"
	      " 89 f g\n"
	      " 11 h\n");
}

static void the_heaviest_are_kept_and_follow_their_callers(void **state)
{
	static const char folded[] = "app;main;f;x 30\n"
				     "app;main;f;y 20\n"
				     "app;main;h 25\n"
				     "app;main;k 25\n";

	(void)state;
	check(folded, 9,
	      "100 main\n"
	      " 50 f\n"
	      "  30 x\n"
	      "  20 y\n"
	      " 25 h\n"
	      " 25 k\n");
	check(folded, 3,
	      "100 main\n"
	      " 50 f\n"
	      "  30 x\n");
}

/* One function that calls itself is one frame with the callees of all its calls. */
static void recursion_is_one_frame(void **state)
{
	(void)state;
	check("app;main;sort;sort;sort;less 30\n"
	      "app;main;sort;sort;less 20\n"
	      "app;main;sort;sort.part.0;sort;swap 25\n"
	      "app;main;sort;sort;sort 25\n",
	      9,
	      "100 main sort\n"
	      " 50 less\n"
	      " 25 swap\n");
	/* a detour through another function stays: that function does not call what sort calls */
	check("app;main;sort;walk;sort;less 100\n", 9, "100 main sort walk sort less\n");
	/* neighbours without a name are not one function */
	check("app;main;[unknown];[unknown];less 100\n", 9, "100 main [unknown] [unknown] less\n");
}

static void light_paths_are_left_out(void **state)
{
	(void)state;
	check("app;main;f 94\n"
	      "app;main;g 3\n"
	      "app;main;h 2\n"
	      "app;main 1\n",
	      9, "100 main f\n");
	check("app;main;f 60\n"
	      "app;main;e 35\n"
	      "app;main;g 3\n"
	      "app;main;h 2\n",
	      9,
	      "100 main\n"
	      " 60 f\n"
	      " 35 e\n"
	      " 3 g\n");
}

static void functions_without_callers_are_no_paths(void **state)
{
	(void)state;
	check("app;f 60\n"
	      "app;main;g 40\n",
	      9, "40 main g\n");
	check("app;f 60\n", 9, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_goes_on_while_it_keeps_its_weight),
		cmocka_unit_test(the_heaviest_are_kept_and_follow_their_callers),
		cmocka_unit_test(recursion_is_one_frame),
		cmocka_unit_test(light_paths_are_left_out),
		cmocka_unit_test(functions_without_callers_are_no_paths),
	};

	return cmocka_run_group_tests_name("hot_paths", tests, NULL, NULL);
}
