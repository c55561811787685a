/* SPDX-License-Identifier: MIT */
/*
 * What analyses and symbols say about texts: names.tab, messages.tab and words.tab of tests/edges
 * have a line a text, after a letter (n: a name, s: a system call, e: an event, m: a message, i: an
 * instruction), and the output of word_rows.h.
 *
 * UPDATE=1 writes the outputs of this build into the files: read their git diff then.
 * `test_word_rows FILE` prints rows for the texts of a file.
 */
#include "unit.h"

#include "base/out.h"
#include "base/str.h"
#include "config.h"
#include "edges_found.h"
#include "word_rows.h"

#include <stdio.h>
#include <stdlib.h>

/* Write rows for the texts of @rows, which are lines up to the first tab. */
static size_t rows_wrong(struct str rows, struct out *ret)
{
	struct str line;
	size_t wrong = 0;

	while (str_line(&rows, &line)) {
		struct str text = str_sub(line, 0, str_find_char(line, '\t'));
		struct out row = { .fd = -1 };

		out_printf(&row, STR_FMT "\t", STR_ARG(text));
		word_row(text, &row);
		if (!str_eq(out_view(&row), line)) {
			if (wrong++ < 10)
				print_error("expected: " STR_FMT "\n      is: " STR_FMT "\n",
					    STR_ARG(line), STR_ARG(out_view(&row)));
		}
		out_printf(ret, STR_FMT "\n", STR_ARG(out_view(&row)));
		out_fini(&row);
	}
	return wrong;
}

static void write_to(const char *path, struct str text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	(void)fwrite(text.p, 1, text.len, f);
	(void)fclose(f);
}

/* Number of wrong rows of a file of tests/edges. */
static size_t file_wrong(const char *name)
{
	struct out now = { .fd = -1 };
	char path[4096];
	char *rows;
	size_t wrong;

	(void)snprintf(path, sizeof(path), "%s/tests/edges/%s", unit_source(), name);
	rows = edge_read(path);
	assert_non_null(rows);
	wrong = rows_wrong(str_of(rows), &now);
	if (wrong && getenv("UPDATE"))
		write_to(path, out_view(&now));
	assert_true(now.len > 1000);
	out_fini(&now);
	free(rows);
	return wrong;
}

static void texts_mean_what_they_meant(void **state)
{
	(void)state;
	if (!HAVE_LIBIBERTY)
		SKIP_TEST("this build does not demangle");
	assert_int_equal(
		file_wrong("names.tab") + file_wrong("messages.tab") + file_wrong("words.tab"), 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_mean_what_they_meant),
	};

	if (argc > 1) {
		struct out now = { .fd = -1 };
		char *rows = edge_read(argv[1]);

		(void)rows_wrong(str_of(rows ? rows : ""), &now);
		write_to("/dev/stdout", out_view(&now));
		out_fini(&now);
		free(rows);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
