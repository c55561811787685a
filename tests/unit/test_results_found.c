/* SPDX-License-Identifier: MIT */
/*
 * Whole results of commands whose inputs have one change, by their checksums. Below a line
 * "= COMMAND", tests/edges/results/NAME.tsv has rows of a change (edges_found.h) and the checksum.
 *
 * build/tests/test_results_found FILE:ROW prints the result of a row: compare it with that of the
 * build before the change. UPDATE=1 writes the checksums of this build.
 */
#include "unit.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "config.h"
#include "edge_rows.h"
#include "edges_found.h"
#include "results_found.h"

#include <dirent.h>

static struct results results;

static bool load_command(const char *command, struct edge_case *ret)
{
	return result_load(&results, command, ret);
}

static void output(const struct edge_case *c, const struct edge_change *change,
		   struct edge_output *ret)
{
	result_output(&results, c, change, ret);
}

static void results_of_changed_inputs_are_as_before(void **state)
{
	size_t wrong = 0, n = 0;
	char path[8192];
	struct dirent *entry;
	DIR *dir;

	(void)state;
	if (!HAVE_ZSTD || !HAVE_JSON || !HAVE_LIBDW || !HAVE_LIBIBERTY || !HAVE_TRACEEVENT)
		SKIP_TEST("this build has not all features");
	assert_true(results_init(&results, unit_source()));
	(void)snprintf(path, sizeof(path), "%s/tests/edges/results", results.top);
	dir = opendir(path);
	assert_non_null(dir);
	while (!edge_rows_stop(wrong) && (entry = readdir(dir))) {
		if (!str_ends(str_of(entry->d_name), STR(".tsv")))
			continue;
		(void)snprintf(path, sizeof(path), "%s/tests/edges/results/%s", results.top,
			       entry->d_name);
		wrong += edge_rows_wrong(path, load_command, output);
		n++;
	}
	(void)closedir(dir);
	results_fini(&results);
	assert_int_equal(wrong, 0);
	assert_true(n > 0);
}

/* Print the result of row @at of the file @path. */
static int print_result(const char *path, unsigned int at)
{
	CLEANUP(freep) char *text = edge_read(path);
	struct str rest = str_of(text ? text : ""), line, start;
	struct edge_case c = { .n = 0 };
	struct edge_change change;
	struct edge_row row;

	if (!results_init(&results, unit_source()))
		return 1;
	for (unsigned int n = 1; str_line(&rest, &line) && n <= at; n++) {
		struct out out = { .fd = -1 };
		char z[4096];

		start = line;
		if (str_take(&start, STR("= "))) {
			edge_case_fini(&c);
			(void)snprintf(z, sizeof(z), STR_FMT, STR_ARG(start));
			(void)load_command(z, &c);
		} else if (n == at && edge_row_of(line, &row) &&
			   edge_change_parse(row.change, &change)) {
			result_run(&results, &c, &change, &out);
			printf(STR_FMT, STR_ARG(out_view(&out)));
		}
		out_fini(&out);
	}
	edge_case_fini(&c);
	results_fini(&results);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_of_changed_inputs_are_as_before),
	};
	char *colon = argc > 1 ? strrchr(argv[1], ':') : NULL;

	if (colon) {
		*colon = '\0';
		return print_result(argv[1], (unsigned int)strtoul(colon + 1, NULL, 10));
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
