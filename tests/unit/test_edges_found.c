/* SPDX-License-Identifier: MIT */
/*
 * Rules at the places where their output changes its mind: pairs of inputs one step apart, as
 * `edges_find` found them. Below a line "= GOLDEN", tests/edges/RULE.tsv has lines of the change of
 * its input (edges_found.h), output, and words of the text where it alone differs.
 *
 * UPDATE=1 writes the outputs of this build into these files: read their git diff then.
 */
#include "unit.h"

#include "base/str.h"
#include "edge_rows.h"
#include "edges_found.h"

#include <dirent.h>

static bool load_golden(const char *golden, struct edge_case *ret)
{
	char dir[4096];

	(void)snprintf(dir, sizeof(dir), "%.2000s/tests/golden/%.2000s.d", unit_source(), golden);
	return edge_case_load(dir, ret);
}

static void rules_change_their_minds_where_they_did(void **state)
{
	size_t wrong = 0, n = 0;
	char path[4096];
	struct dirent *entry;
	DIR *dir;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/tests/edges", unit_source());
	dir = opendir(path);
	assert_non_null(dir);
	while (!edge_rows_stop(wrong) && (entry = readdir(dir))) {
		if (!str_ends(str_of(entry->d_name), STR(".tsv")))
			continue;
		(void)snprintf(path, sizeof(path), "%s/tests/edges/%s", unit_source(),
			       entry->d_name);
		wrong += edge_rows_wrong(path, load_golden, edge_output);
		n++;
	}
	(void)closedir(dir);
	assert_int_equal(wrong, 0);
	assert_true(n > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_change_their_minds_where_they_did),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
