/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/idmap.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/json.h"
#include "render/escape.h"
#include "render/view.h"

#include <math.h>
#include <stdio.h>

static const struct view_column columns[] = {
	{ "self", "Self %", COLUMN_HEAT | COLUMN_ERR },
	{ "total_ns", "Total", 0 },
	{ "symbol", "Symbol", COLUMN_FLEX },
	{ NULL, "Note", 0 },
	{ "line", NULL, 0 },
};
static const struct view_table table = {
	.key = "rows", .title = "Rows", .columns = columns, .n_columns = 5, .is_main = true
};

static void emit(struct view *v)
{
	struct cell first[] = { cell_with_err(cell_fixed(2676, 2), 0.005), cell_ns(127599),
				cell_text(STR("a\x1b[31mb")), cell_word("x"), cell_line(7) };
	struct cell second[] = { cell_with_err(cell_real(0.5, 2), 0.005), cell_ns(30),
				 cell_text(STR("=cmd,\"q\"")), cell_none(), cell_none() };
	struct error err = { "" };

	view_begin(v, "test-1");
	view_field(v, "n", "Count", cell_count(12345));
	view_field(v, "none", "None", cell_real((double)NAN, 2));
	view_line(v, "What", "one\ntwo %d", 3);
	view_table(v, &table);
	view_row(v, first);
	view_row(v, second);
	view_table_end(v);
	assert_int_equal(view_end(v, &err), OK);
}

static void text_is_aligned_and_escaped(void **state)
{
	struct text_options opt = { .has_utf8 = true };
	struct out out;
	struct view *v;

	(void)state;
	out_init(&out);
	v = view_text(&out, &opt);
	emit(v);
	assert_str(out_view(&out), "  Count       12345\n"
				   "  What        one\\x0atwo 3\n"
				   "\n"
				   "  Rows\n"
				   "  Self %  Total µs  Symbol      Note\n"
				   "   26.76   127.599  a\\x1b[31mb  x\n"
				   "    0.50     0.030  =cmd,\"q\"\n");
	view_free(v);
	out_fini(&out);
}

static void colour_and_digits_in_groups_are_for_terminals(void **state)
{
	struct text_options opt = { .width = 80, .has_colour = true, .is_grouped = true };
	struct out out;
	struct view *v;

	(void)state;
	out_init(&out);
	v = view_text(&out, &opt);
	emit(v);
	assert_true(str_contains(out_view(&out), STR("12,345")));
	assert_true(str_contains(out_view(&out), STR("\x1b[31m26.76\x1b[0m")));
	assert_true(str_contains(out_view(&out), STR("a\\x1b[31mb")));
	view_free(v);
	out_fini(&out);
}

static void json_has_the_same_figures(void **state)
{
	struct out out;
	struct view *v;

	(void)state;
	out_init(&out);
	v = view_json(&out);
	emit(v);
	assert_str(out_view(&out),
		   "{\n  \"schema\": \"test-1\",\n  \"n\": 12345,\n  \"rows\": [\n"
		   "    {\n      \"self\": 26.76,\n      \"self_err\": 0.005,\n"
		   "      \"total_ns\": 127599,\n"
		   "      \"symbol\": \"a\\u001b[31mb\",\n      \"line\": 7\n    },\n"
		   "    {\n      \"self\": 0.5,\n      \"self_err\": 0.005,\n"
		   "      \"total_ns\": 30,\n"
		   "      \"symbol\": \"=cmd,\\\"q\\\"\"\n    }\n  ]\n}\n");
	view_free(v);
	out_fini(&out);
}

static void csv_cells_are_no_formulas(void **state)
{
	struct out out;
	struct view *v;

	(void)state;
	out_init(&out);
	v = view_csv(&out);
	emit(v);
	assert_str(out_view(&out), "self,self_err,total_ns,symbol,line\r\n"
				   "26.76,0.005,127599,a\\x1b[31mb,7\r\n"
				   "0.5,0.005,30,\"'=cmd,\"\"q\"\"\",\r\n");
	view_free(v);
	out_fini(&out);
}

static void narrow_terminals_cut_names_in_the_middle(void **state)
{
	static const struct view_column one[] = { { "symbol", "Symbol", COLUMN_FLEX },
						  { "n", "N", 0 } };
	static const struct view_table t = { .key = "rows", .columns = one, .n_columns = 2 };
	struct text_options opt = { .width = 40 };
	struct cell cells[] = { cell_text(STR(
					"google::protobuf::internal::RepeatedPtrFieldBase::Merge")),
				cell_count(1) };
	struct error err;
	struct out out;
	struct view *v;

	(void)state;
	out_init(&out);
	v = view_text(&out, &opt);
	view_begin(v, "test-1");
	view_table(v, &t);
	view_row(v, cells);
	view_table_end(v);
	assert_int_equal(view_end(v, &err), OK);
	assert_str(out_view(&out), "  Symbol                               N\n"
				   "  google::protobuf::inte~dBase::Merge  1\n");
	view_free(v);
	out_fini(&out);
}

static void narrow_terminals_cut_code_at_the_end(void **state)
{
	static const struct view_column one[] = { { "symbol", "Symbol", COLUMN_FLEX | COLUMN_CODE },
						  { "n", "N", 0 } };
	static const struct view_table t = { .key = "rows", .columns = one, .n_columns = 2 };
	struct text_options opt = { .width = 40 };
	struct cell cells[] = { cell_text(STR("    for (int i = 0; i < size_of_the_batch; i++)")),
				cell_count(1) };
	struct error err;
	struct out out;
	struct view *v;

	(void)state;
	out_init(&out);
	v = view_text(&out, &opt);
	view_begin(v, "test-1");
	view_table(v, &t);
	view_row(v, cells);
	view_table_end(v);
	assert_int_equal(view_end(v, &err), OK);
	assert_str(out_view(&out), "  Symbol                               N\n"
				   "      for (int i = 0; i < size_of_th~  1\n");
	view_free(v);
	out_fini(&out);
}

/* The text of a table of 4 columns with one row, at @width columns. */
static void print_wide_table(struct out *out, unsigned int width, bool is_piped)
{
	static const struct view_column four[] = { { "s", "share of hits %", COLUMN_RIGHT },
						   { "symbol", "Symbol", COLUMN_FLEX },
						   { "n", "number of calls", COLUMN_MINOR },
						   { "source", "Source", COLUMN_MINOR } };
	static const struct view_table t = {
		.key = "rows", .columns = four, .n_columns = 4, .is_main = true
	};
	struct text_options opt = { .width = width, .is_piped = is_piped };
	struct cell cells[] = { cell_real(12.5, 1), cell_word("a_function_with_a_long_name"),
				cell_count(123456), cell_word("file.c:1") };
	struct view *v = view_text(out, &opt);
	struct error err;

	view_begin(v, "test-1");
	view_table(v, &t);
	view_row(v, cells);
	view_table_end(v);
	assert_int_equal(view_end(v, &err), OK);
	view_free(v);
}

static void titles_are_wrapped_before_columns_are_omitted(void **state)
{
	struct out out;

	(void)state;
	out_init(&out);
	print_wide_table(&out, 80, false);
	assert_str(out_view(&out),
		   "  share of hits %  Symbol                       number of calls  Source\n"
		   "             12.5  a_function_with_a_long_name           123456  file.c:1\n");
	out.len = 0;
	print_wide_table(&out, 58, false);
	assert_str(out_view(&out), "  share of                             number of\n"
				   "    hits %  Symbol                         calls  Source\n"
				   "      12.5  a_function_with_~ong_name     123456  file.c:1\n");
	out_fini(&out);
}

/* Names of counters are broken after an underscore, but no name in quotes is. */
static void long_names_in_titles_are_wrapped(void **state)
{
	static const struct view_column named[] = { { "a", "kept_items", 0 },
						    { "b", "of 'my_event'", 0 } };
	static const struct view_table t = { .key = "rows", .columns = named, .n_columns = 2 };
	const struct cell cells[] = { cell_count(7), cell_count(8) };
	struct text_options opt = { .width = 24 };
	struct error err;
	struct out out;
	struct view *v;

	(void)state;
	out_init(&out);
	v = view_text(&out, &opt);
	view_begin(v, "test-1");
	view_table(v, &t);
	view_row(v, cells);
	view_table_end(v);
	assert_int_equal(view_end(v, &err), OK);
	assert_str(out_view(&out), "  kept_\n"
				   "  items  of 'my_event'\n"
				   "      7              8\n");
	view_free(v);
	out_fini(&out);
}

static void columns_that_do_not_fit_are_named(void **state)
{
	struct out out;

	(void)state;
	out_init(&out);
	print_wide_table(&out, 44, false);
	assert_str(out_view(&out), "  share of                         number of\n"
				   "    hits %  Symbol                     calls\n"
				   "      12.5  a_function_wi~ng_name     123456\n"
				   "              Hidden columns: Source\n"
				   "              (--wide)\n");
	out_fini(&out);
}

static void headings_fit_the_terminal(void **state)
{
	struct text_options opt = { .width = 20 };
	struct error err;
	struct out out;
	struct view *v;

	(void)state;
	out_init(&out);
	v = view_text(&out, &opt);
	view_begin(v, "test-1");
	view_heading(v, STR("a/long/path.txt"), "%s", "of 9 lines: x");
	view_heading(v, STR("short"), "%s", "of 9 lines: xyz");
	view_heading(v, STR("just twenty columns."), "%s", "");
	view_heading(v, STR("a title of 21 columns"), "%s", "");
	assert_int_equal(view_end(v, &err), OK);
	assert_str(out_view(&out),
		   "a/long/path.txt of 9\n  lines: x\n\nshort of 9 lines:\n      xyz\n\n"
		   "just twenty columns.\n\na title of 21\ncolumns\n");
	view_free(v);
	out_fini(&out);
}

static void trees_are_drawn_with_chains_kept_narrow(void **state)
{
	static const struct view_column one[] = { { "n", "N", 0 },
						  { "symbol", "Symbol", COLUMN_TREE } };
	static const struct view_table t = { .key = "tree", .columns = one, .n_columns = 2 };
	static const struct {
		const char *name;
		unsigned int depth;
	} nodes[] = { { "main", 0 }, { "a", 1 }, { "b", 2 }, { "c", 3 }, { "d", 1 }, { "e", 2 } };
	struct text_options opt = { .width = 0 };
	struct error err;
	struct out out;
	struct view *v;

	(void)state;
	out_init(&out);
	v = view_text(&out, &opt);
	view_begin(v, "test-1");
	view_table(v, &t);
	for (size_t i = 0; i < ARRAY_LEN(nodes); i++) {
		struct cell cells[] = { cell_count(i), cell_word(nodes[i].name) };

		view_node(v, cells, nodes[i].depth);
	}
	view_table_end(v);
	assert_int_equal(view_end(v, &err), OK);
	assert_str(out_view(&out), "  N  Symbol\n"
				   "  0  main\n"
				   "  1  |- a\n"
				   "  2  |  b\n"
				   "  3  |  c\n"
				   "  4  `- d\n"
				   "  5     e\n");
	view_free(v);
	out_fini(&out);
}

#define WINDOW 8192u /* rows that determine the column widths of a table */

/* Row @i after the window: few distinct values, so that adjacent rows share many of them. */
static void some_row(uint32_t i, struct cell cells[7])
{
	static const char *const texts[] = {
		"sh",          "a\tb", "a\\x",  "a\\x09b",
		"caf\xc3\xa9", "",     "\x1b[", "a_name_that_is_longer_than_its_column"
	};
	uint64_t hash = hash_u64(i, 5);

	cells[0] = cell_real((double)(hash & 1) * 7, 2);
	cells[1] = cell_fixed((int64_t)(hash >> 1 & 3) - 1, hash >> 3 & 1 ? 2 : 1);
	cells[2] = hash >> 4 & 1 ? cell_count(hash >> 5 & 1) : cell_none();
	cells[3] = cell_text(str_of(texts[(hash >> 8) % ARRAY_LEN(texts)]));
	cells[4] = cell_text(str_of(texts[(hash >> 16) % ARRAY_LEN(texts)]));
	cells[5] = hash >> 6 & 1 ? cell_line((uint32_t)(hash >> 7 & 1)) : cell_null();
	cells[6] = cell_word(hash >> 24 & 1 ? "kernel" : "user");
}

/* Write rows after the window; with @is_apart, another row precedes each of them. */
static void write_rows(const struct text_options *opt, bool is_apart, struct out *out)
{
	static const struct view_column many[] = {
		{ "children", "Children %", COLUMN_HEAT },
		{ "self", "Self %", COLUMN_HEAT },
		{ NULL, "", COLUMN_BAR | COLUMN_MINOR },
		{ "comm", "Command", COLUMN_FLEX },
		{ "name", "Symbol", COLUMN_FLEX },
		{ "line", "Line", COLUMN_NO_ZERO },
		{ "space", "Space", 0 },
	};
	static const struct view_table t = { .key = "rows", .columns = many, .n_columns = 7 };
	struct view *v = view_text(out, opt);
	struct error err;
	struct cell cells[7];

	view_begin(v, "test-1");
	view_table(v, &t);
	for (uint32_t i = 0; i < WINDOW; i++) {
		some_row(i, cells);
		view_row(v, cells);
	}
	for (uint32_t i = 0; i < 600; i++) {
		some_row(i, cells);
		cells[0] = cell_real(99, 2);
		if (is_apart)
			view_row(v, cells);
		some_row(i, cells);
		view_row(v, cells);
	}
	view_table_end(v);
	assert_int_equal(view_end(v, &err), OK);
	view_free(v);
}

static struct str next_line(struct str *rest)
{
	size_t end = str_find_char(*rest, '\n');
	struct str line = str_sub(*rest, 0, end);

	*rest = str_skip(*rest, end + 1);
	return line;
}

/* The heading of a table of @width columns in a terminal, its lines joined by "|". */
static void heading_at(unsigned int width, char heading[static 128])
{
	static const struct view_column barred[] = {
		{ "self", "Self %", COLUMN_HEAT },
		{ NULL, "of all work", COLUMN_BAR | COLUMN_MINOR },
		{ "n", "Samples", COLUMN_MINOR },
		{ "object", "Object", COLUMN_FLEX },
		{ "name", "Symbol", COLUMN_FLEX },
	};
	static const struct view_table t = { .key = "rows", .columns = barred, .n_columns = 5 };
	const struct text_options opt = { .width = width, .has_utf8 = true };
	struct out out = { .fd = -1 };
	struct view *v = view_text(&out, &opt);
	const struct cell cells[] = { cell_real(50, 1), cell_real(50, 1), cell_count(7),
				      cell_word("a-library-of-twenty-two"),
				      cell_word("a_function_of_twenty_two") };
	struct error err;
	struct str rest;
	size_t n = 0;

	view_begin(v, "test-1");
	view_table(v, &t);
	view_row(v, cells);
	view_table_end(v);
	assert_int_equal(view_end(v, &err), OK);
	view_free(v);
	rest = out_view(&out);
	while (rest.len) {
		struct str line = str_trim(next_line(&rest));

		if (str_contains(line, STR("a-")) || !line.len)
			continue;
		n += (size_t)snprintf(heading + n, 128 - n, "%s" STR_FMT, n ? "|" : "",
				      STR_ARG(line));
		assert_true(n < 128);
	}
	out_fini(&out);
}

/*
 * Too narrow a table first loses its other minor columns, then the bars' title is broken. Without
 * room for the bars, the other columns are back.
 */
static void bars_are_the_last_minor_column(void **state)
{
	static const struct {
		unsigned int width;
		const char *heading;
	} cases[] = {
		{ 70, "Self %  of all work  Samples  Object              Symbol" },
		{ 69, "Self %  of all work  Object                  Symbol" },
		{ 61, "Self %  of all work  Object              Symbol" },
		{ 60, "of all|Self %  work        Object              Symbol" },
		{ 59, "Self %  Samples  Object               Symbol" },
		{ 57, "Self %  Samples  Object              Symbol" },
		{ 56, "Self %  Object                  Symbol" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char heading[128];

		heading_at(cases[i].width, heading);
		assert_string_equal(heading, cases[i].heading);
	}
}

static void assert_same_line(struct str *a, struct str *b)
{
	struct str line = next_line(a);
	struct str other = next_line(b);

	assert_int_equal(line.len, other.len);
	assert_memory_equal(line.p, other.p, other.len);
}

/* Cells shared with the previous row are not rendered again. */
static void a_row_is_the_same_after_any_other(void **state)
{
	static const struct text_options options[] = {
		{ .width = 0 },
		{ .width = 60, .has_utf8 = true },
		{ .width = 70, .has_colour = true },
	};

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(options); k++) {
		struct out close;
		struct out apart;
		struct str a;
		struct str b;

		out_init(&close);
		out_init(&apart);
		write_rows(&options[k], false, &close);
		write_rows(&options[k], true, &apart);
		a = out_view(&close);
		b = out_view(&apart);
		for (uint32_t i = 0; i < WINDOW + 1; i++)
			assert_same_line(&a, &b);
		for (uint32_t i = 0; i < 600; i++) {
			assert_true(str_contains(next_line(&b), STR("99.00")));
			assert_same_line(&a, &b);
		}
		assert_int_equal(a.len, 0);
		out_fini(&close);
		out_fini(&apart);
	}
}

static void json_escapes_unseen_characters_as_utf_16(void **state)
{
	struct json j;
	struct out out;

	(void)state;
	out_init(&out);
	json_init(&j, &out, false);
	json_str(&j, STR("\"\x01\xc2\x9b\xe2\x80\xae\xf3\xa0\x81\x81\xff\xc3\xa9"));
	assert_str(out_view(&out),
		   "\"\\\"\\u0001\\u009b\\u202e\\udb40\\udc41\xef\xbf\xbd\xc3\xa9\"");
	out_fini(&out);
}

static void hostile_characters_are_shown(void **state)
{
	struct out out;

	(void)state;
	out_init(&out);
	escape_text(&out, STR("a\tb\x7f\xff\xc2\x9b"
			      "31m\xe2\x80\xae"
			      "c\xc3\xa9"));
	assert_str(out_view(&out), "a\\x09b\\x7f\\xff\\u009b31m\\u202ec\xc3\xa9");
	out_fini(&out);
	/* a soft hyphen and a tag character are invisible, so they are escaped */
	out_init(&out);
	escape_text(&out, STR("a\xc2\xad"
			      "b\xf3\xa0\x81\x81\xc2\xae"));
	assert_str(out_view(&out), "a\\u00adb\\ue0041\xc2\xae");
	out_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bars_are_the_last_minor_column),
		cmocka_unit_test(text_is_aligned_and_escaped),
		cmocka_unit_test(colour_and_digits_in_groups_are_for_terminals),
		cmocka_unit_test(json_has_the_same_figures),
		cmocka_unit_test(csv_cells_are_no_formulas),
		cmocka_unit_test(narrow_terminals_cut_names_in_the_middle),
		cmocka_unit_test(narrow_terminals_cut_code_at_the_end),
		cmocka_unit_test(titles_are_wrapped_before_columns_are_omitted),
		cmocka_unit_test(long_names_in_titles_are_wrapped),
		cmocka_unit_test(columns_that_do_not_fit_are_named),
		cmocka_unit_test(headings_fit_the_terminal),
		cmocka_unit_test(trees_are_drawn_with_chains_kept_narrow),
		cmocka_unit_test(a_row_is_the_same_after_any_other),
		cmocka_unit_test(hostile_characters_are_shown),
		cmocka_unit_test(json_escapes_unseen_characters_as_utf_16),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
