/* SPDX-License-Identifier: MIT */
/* Lines of source files, from a folder of sources. */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "symbols/source_files.h"

#include <stdio.h>
#include <stdlib.h>

static char folder[] = "/tmp/assay-source-XXXXXX";

static void add(const char *name, const char *text)
{
	char path[64];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "we");
	assert_non_null(f);
	(void)fputs(text, f);
	(void)fclose(f);
}

static int with_files(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	add("dos.c", "int a;\r\n\r\nint b;");
	add("one.c", "}");
	add("none.c", "");
	return 0;
}

static int without_files(void **state)
{
	char command[64];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static struct str line_of(struct source_files *s, const char *path, uint32_t line)
{
	int64_t changed_s;

	return source_files_line(s, STR("/build/shelf"), str_of(path), line, &changed_s);
}

static void lines_end_before_the_newline_of_dos(void **state)
{
	struct source_files *s = source_files_new(folder, NULL);

	(void)state;
	assert_str(line_of(s, "dos.c", 1), "int a;");
	assert_str(line_of(s, "dos.c", 2), "");
	assert_str(line_of(s, "dos.c", 3), "int b;");
	assert_null(line_of(s, "dos.c", 0).p);
	assert_null(line_of(s, "dos.c", 4).p);
	source_files_free(s);
}

static void a_file_of_one_byte_has_a_line_and_an_empty_one_none(void **state)
{
	struct source_files *s = source_files_new(folder, NULL);

	(void)state;
	assert_str(line_of(s, "one.c", 1), "}");
	assert_null(line_of(s, "none.c", 1).p);
	assert_null(line_of(s, "missing.c", 1).p);
	source_files_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_end_before_the_newline_of_dos),
		cmocka_unit_test(a_file_of_one_byte_has_a_line_and_an_empty_one_none),
	};

	return cmocka_run_group_tests(tests, with_files, without_files);
}
