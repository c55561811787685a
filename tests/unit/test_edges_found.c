/* SPDX-License-Identifier: MIT */
/*
 * Rules at the places where their output changes its mind: pairs of inputs one step apart, as
 * `edges_find` found them. Below a line "= GOLDEN", tests/edges/RULE.tsv has lines of the change of
 * its input (edges_found.h), output, and words of the text where it alone differs.
 *
 * UPDATE=1 writes the outputs of this build into these files: read their git diff then.
 */
#include "unit.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "edges_found.h"

#include <dirent.h>

/* Whether a row is as the output says; writes the row of the output to @now. */
static bool row_holds(const struct edge_case *c, struct str golden, const struct edge_row *row,
		      struct out *now)
{
	struct edge_change change;
	struct edge_output is;
	bool ret;

	if (!edge_change_parse(row->change, &change)) {
		print_error("no change: " STR_FMT "\n", STR_ARG(row->change));
		return false;
	}
	edge_output(c, &change, &is);
	ret = str_eq(out_view(&is.brief), row->brief) &&
	      (!row->words.len || str_contains(out_view(&is.whole), row->words));
	if (!ret)
		print_error(STR_FMT " with " STR_FMT ": '" STR_FMT "' '" STR_FMT
				    "' expected, is '" STR_FMT "':\n" STR_FMT,
			    STR_ARG(golden), STR_ARG(row->change), STR_ARG(row->brief),
			    STR_ARG(row->words), STR_ARG(out_view(&is.brief)),
			    STR_ARG(out_view(&is.whole)));
	out_printf(now, STR_FMT "\t" STR_FMT, STR_ARG(row->change), STR_ARG(out_view(&is.brief)));
	/* words that are gone are gone: edges_find finds others */
	if (row->words.len && str_contains(out_view(&is.whole), row->words))
		out_printf(now, "\t" STR_FMT, STR_ARG(row->words));
	out_char(now, '\n');
	edge_output_fini(&is);
	return ret;
}

/* Number of wrong rows of a file. */
static size_t file_wrong(const char *path)
{
	CLEANUP(freep) char *text = edge_read(path);
	struct str rest = str_of(text ? text : ""), line, golden = STR_NONE;
	struct edge_case c = { .n = 0 };
	struct out now = { .fd = -1 };
	size_t wrong = 0;

	while (str_line(&rest, &line)) {
		struct edge_row row;
		struct str start = line;
		char dir[4096];

		if (str_take(&start, STR("= "))) {
			golden = start;
			edge_case_fini(&c);
			(void)snprintf(dir, sizeof(dir), "%s/tests/golden/" STR_FMT ".d",
				       unit_source(), STR_ARG(golden));
			if (!edge_case_load(dir, &c))
				print_error("%s is not a golden of one rule\n", dir);
			out_printf(&now, STR_FMT "\n", STR_ARG(line));
		} else if (!edge_row_of(line, &row)) {
			print_error("%s: no row: " STR_FMT "\n", path, STR_ARG(line));
			wrong++;
		} else {
			wrong += !row_holds(&c, golden, &row, &now);
		}
	}
	edge_case_fini(&c);
	if (wrong && getenv("UPDATE")) {
		FILE *f = fopen(path, "we");

		assert_non_null(f);
		(void)fwrite(now.data, 1, now.len, f);
		(void)fclose(f);
	}
	out_fini(&now);
	return wrong;
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
	while ((entry = readdir(dir))) {
		if (!str_ends(str_of(entry->d_name), STR(".tsv")))
			continue;
		(void)snprintf(path, sizeof(path), "%s/tests/edges/%s", unit_source(),
			       entry->d_name);
		wrong += file_wrong(path);
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
