/* SPDX-License-Identifier: MIT */
/* Source functions that match a symbol of a profile. */
#include "unit.h"

#include "analyses/function_index.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <stdio.h>

struct sources {
	struct strings strings;
	struct symbols symbols;
	struct function_index index;
};

static void sources_open(struct sources *s)
{
	const struct indexed_function functions[] = {
		{ STR("step"), STR("src/a.c"), 10, 20, false, false },
		{ STR("step"), STR("src/b.c"), 10, 20, false, false },
		{ STR("step"), STR("lib/b.c"), 10, 20, false, false },
		{ STR("openat"), STR("fs/open.c"), 1, 5, true, true },
		{ STR("sendto"), STR("net/socket.c"), 1, 5, true, true },
		{ STR("sendto"), STR("lib/other.c"), 1, 5, false, false },
		{ STR("arm"), STR("src/c.c"), 1, 5, false, false },
		{ STR("arm"), STR("src/c.c"), 7, 9, false, false },
		{ STR("lone"), STR_NONE, 0, 0, false, false },
		{ STR("lone"), STR_NONE, 0, 0, false, false },
	};

	*s = (struct sources){ .index = { .functions = VEC_INIT } };
	strings_init(&s->strings);
	symbols_init(&s->symbols, &s->strings);
	for (size_t i = 0; i < ARRAY_LEN(functions); i++)
		function_index_add(&s->index, &functions[i]);
}

static void sources_close(struct sources *s)
{
	function_index_fini(&s->index);
	symbols_fini(&s->symbols);
	strings_fini(&s->strings);
}

/*
 * Expects @want: the matching rows, separated by blanks; then '=' if the file was used for
 * matching.
 */
static void means(struct sources *s, const char *name, const char *file, uint32_t line,
		  const char *want)
{
	struct function_matches found = { .rows = VEC_INIT };
	sym_id sym = symbols_add_at(&s->symbols, strings_add(&s->strings, str_of(name)),
				    STR_ID_NONE, SPACE_UNKNOWN, (uint64_t)line << 8 | 1);
	char got[64] = "";
	size_t n = 0;

	symbols_set_place(&s->symbols, sym, strings_add(&s->strings, str_of(file)), line);
	function_index_find(&s->index, &s->symbols, sym, &found);
	VEC_FOREACH (row, &found.rows)
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%u", n ? " " : "", *row);
	if (found.is_by_place)
		strcat(got, "=");
	function_matches_fini(&found);
	assert_string_equal(got, want);
}

static void test_a_name_means_all_that_have_it(void **state)
{
	struct sources s;

	(void)state;
	sources_open(&s);
	means(&s, "step", "", 0, "0 1 2");
	means(&s, "step.isra.0", "", 0, "0 1 2");
	means(&s, "nothing", "", 0, "");
	means(&s, "0x1234", "", 0, "");
	sources_close(&s);
}

static void test_a_file_separates_equal_names(void **state)
{
	struct sources s;

	(void)state;
	sources_open(&s);
	means(&s, "step", "/build/x/src/a.c", 11, "0=");
	means(&s, "step", "b.c", 11, "1 2=");
	means(&s, "step", "/build/lib/b.c", 11, "2=");
	means(&s, "step", "/build/lib/elsewhere.c", 11, "");
	means(&s, "arm", "src/c.c", 8, "7=");
	means(&s, "arm", "src/c.c", 100, "6 7=");
	sources_close(&s);
}

/* A table without files cannot say that a function of another file is another function. */
static void test_without_files_the_name_alone_counts(void **state)
{
	struct sources s;

	(void)state;
	sources_open(&s);
	means(&s, "lone", "src/a.c", 11, "8 9");
	means(&s, "lone", "", 0, "8 9");
	sources_close(&s);
}

static void test_a_line_in_the_name_is_a_place(void **state)
{
	struct sources s;

	(void)state;
	sources_open(&s);
	means(&s, "step a.c:12", "", 0, "0=");
	means(&s, "step.constprop.0 lib/b.c:12", "", 0, "2=");
	means(&s, "step elsewhere.c:12", "", 0, "");
	means(&s, "step a.c:x", "", 0, "");
	means(&s, "step a.c:", "", 0, "");
	means(&s, "step :12", "", 0, "");
	/* the largest number of a line; larger ones are no place */
	means(&s, "arm src/c.c:8", "", 0, "7=");
	means(&s, "arm src/c.c:4294967295", "", 0, "6 7=");
	means(&s, "arm src/c.c:4294967296", "", 0, "6 7");
	means(&s, "arm src/c.c:4294967304", "", 0, "6 7");
	means(&s, "arm src/c.c:18446744073709551624", "", 0, "6 7");
	sources_close(&s);
}

static void test_entries_of_system_calls_mean_their_definition(void **state)
{
	struct sources s;

	(void)state;
	sources_open(&s);
	means(&s, "__x64_sys_openat", "", 0, "3");
	means(&s, "__do_sys_openat.isra.0", "", 0, "3");
	means(&s, "__x64_sys_sendto", "", 0, "4");
	means(&s, "__x64_sys_step", "", 0, "");
	means(&s, "sendto", "", 0, "4 5");
	sources_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_name_means_all_that_have_it),
		cmocka_unit_test(test_a_file_separates_equal_names),
		cmocka_unit_test(test_without_files_the_name_alone_counts),
		cmocka_unit_test(test_a_line_in_the_name_is_a_place),
		cmocka_unit_test(test_entries_of_system_calls_mean_their_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
