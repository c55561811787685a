/* SPDX-License-Identifier: MIT */
/* Source lines of frames, in the forms of several tools. */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "core/ids.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/threads/frame_place.h"

static void the_last_file_with_a_line_is_the_place(void **state)
{
	static const struct {
		const char *text, *file;
		uint32_t line;
	} cases[] = {
		{ "#4  0x0000 in take (l=0x7f <rows>) at depot/rows.c:78", "depot/rows.c", 78 },
		{ "#4 0x55e5bb3120d3 in take depot/rows.cxx:1493", "depot/rows.cxx", 1493 },
		{ "#4 0x55e5bb3120d3 in take depot/rows.cxx:1493:7", "depot/rows.cxx", 1493 },
		{ "    at shop.Depot.ship(Depot.java:31)", "Depot.java", 31 },
		{ "    ship (shop/depot.py:283)", "shop/depot.py", 283 },
		{ "\t/src/shop/depot.go:2238 +0x1d", "/src/shop/depot.go", 2238 },
		{ "             at ./src/depot.rs:12:5", "./src/depot.rs", 12 },
		/* the argument is a place, too */
		{ "#1 0x01 in check (at=0x2 \"list.c:3\") at rows.c:9", "rows.c", 9 },
		{ "#1 0x01 in check (url=0x2 \"db.local:5432\") at rows.c:9", "rows.c", 9 },
		{ "#1 0x01 in check (s=\"a\\\"b\") at rows.c:9", "rows.c", 9 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str file;
		uint32_t line;

		assert_true(frame_place_find(str_of(cases[i].text), &file, &line));
		assert_str(file, cases[i].file);
		assert_int_equal(line, cases[i].line);
	}
}

static void an_object_a_time_and_an_argument_are_no_place(void **state)
{
	static const char *const texts[] = {
		"#0 0x7f60 in malloc (/lib64/libasan.so:12)",
		"at 12:30:45",
		"take (l=0x1)",
		"\"a\" #1 prio=5 tid=0x7f nid=0x1:2",
		"rows.c:0",
		"std::map::at",
		"/etc/hosts:3",
		".profile:7",
		"rows.c:x",
		"#0 connect_to (url=\"db.local:5432\")",
		"#0 connect_to (url=0x7f60 \"db.local:5432\", n=2)",
		"#0 connect_to (url=0x7f60 \"user \\\"a\\\" db.local:5432\")",
		"connect_to host=db.local:5432",
	};
	struct str file;
	uint32_t line;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_false(frame_place_find(str_of(texts[i]), &file, &line));
}

static void two_lines_of_a_function_leave_its_file(void **state)
{
	struct strings strings;
	struct symbols symbols;
	sym_id sym;

	(void)state;
	strings_init(&strings);
	symbols_init(&symbols, &strings);
	sym = symbols_add_text(&symbols, STR("take"), STR_NONE, SPACE_USER, 0);
	frame_place_keep(&symbols, sym, STR("at rows.c:78"));
	frame_place_keep(&symbols, sym, STR("at rows.c:78"));
	assert_int_equal(symbols_get(&symbols, sym)->line, 78);
	frame_place_keep(&symbols, sym, STR("no place"));
	assert_int_equal(symbols_get(&symbols, sym)->line, 78);
	frame_place_keep(&symbols, sym, STR("at rows.c:80"));
	assert_int_equal(symbols_get(&symbols, sym)->line, 0);
	assert_str(strings_get(&strings, symbols_get(&symbols, sym)->file), "rows.c");
	/* static functions of several files with one name */
	frame_place_keep(&symbols, sym, STR("at depot/crates.c:9"));
	frame_place_keep(&symbols, sym, STR("at rows.c:78"));
	frame_place_keep(&symbols, sym, STR("at lib/crates.c:10"));
	assert_str(strings_get(&strings, symbols_get(&symbols, sym)->file), "rows.c, crates.c");
	assert_int_equal(symbols_get(&symbols, sym)->line, 0);
	symbols_fini(&symbols);
	strings_fini(&strings);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_file_with_a_line_is_the_place),
		cmocka_unit_test(an_object_a_time_and_an_argument_are_no_place),
		cmocka_unit_test(two_lines_of_a_function_leave_its_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
