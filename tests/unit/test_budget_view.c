/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "render/view.h"

#include <stdio.h>

static const struct budget_command commands[] = { { NULL, "assay report FILE" } };
static const struct view_column columns[] = {
	{ "self", "Self %", COLUMN_HEAT },
	{ "symbol", "Symbol", COLUMN_FLEX },
	{ "comm", "Command", 0 },
};
static const struct view_table flat = { .key = "rows", .columns = columns, .n_columns = 3 };

static struct view *start(struct out *out, unsigned int tokens)
{
	const struct budget_options options = { .tokens = tokens, .commands = commands };
	struct view *v;

	out_init(out);
	v = view_budget(out, &options);
	view_begin(v, "test-1");
	return v;
}

/* Finish the view; returns its text, which must be within @tokens. */
static struct str finish(struct view *v, struct out *out, unsigned int tokens)
{
	struct error err = { "" };

	assert_int_equal(view_end(v, &err), OK);
	view_free(v);
	assert_true(budget_view_tokens(out->len) <= tokens);
	return out_view(out);
}

static void rows(struct view *v, const struct view_table *table, const char *name, double share,
		 unsigned int n)
{
	view_table(v, table);
	for (unsigned int i = 0; i < n; i++) {
		char symbol[40];
		struct cell cells[] = { cell_real(share / (i + 1), 1), cell_none(),
					cell_word("server") };

		(void)snprintf(symbol, sizeof(symbol), "%s_%u", name, i);
		cells[1] = cell_text(str_of(symbol));
		view_row(v, cells);
	}
	view_table_end(v);
}

static void a_token_is_three_and_a_half_bytes_rounded_up(void **state)
{
	(void)state;
	assert_int_equal(budget_view_tokens(0), 0);
	assert_int_equal(budget_view_tokens(1), 1);
	assert_int_equal(budget_view_tokens(7), 2);
	assert_int_equal(budget_view_tokens(8), 3);
}

static void what_fits_is_printed_whole_and_equal_cells_once(void **state)
{
	struct out out;
	struct view *v = start(&out, 100);

	(void)state;
	view_heading(v, STR("title"), "of it");
	view_line(v, "Data", "one");
	rows(v, &flat, "f", 30, 3);
	assert_str(finish(v, &out, 100),
		   "title of it\nData: one\nSelf %  Symbol\n(Command: server)\n"
		   "30.0  f_0\n15.0  f_1\n10.0  f_2\n");
	out_fini(&out);
}

static void rows_are_taken_in_order_and_the_rest_is_counted(void **state)
{
	struct out out;
	struct view *v = start(&out, 100);
	struct str text;

	(void)state;
	view_heading(v, STR("title"), "%s", "");
	rows(v, &flat, "function_with_a_name", 60, 50);
	text = finish(v, &out, 100);
	assert_true(str_contains(text, STR("60.0  function_with_a_name_0\n30.0  ")));
	assert_true(str_contains(text, STR("Left out: 4")));
	assert_false(str_contains(text, STR("_49\n")));
	out_fini(&out);
}

static void each_part_gets_its_first_row(void **state)
{
	struct out out;
	struct view *v = start(&out, 120);
	struct str text;

	(void)state;
	view_heading(v, STR("title"), "%s", "");
	rows(v, &flat, "heavy", 90, 40);
	rows(v, &flat, "light", 0.1, 40);
	text = finish(v, &out, 120);
	assert_true(str_contains(text, STR("light_0\n")));
	assert_false(str_contains(text, STR("light_1\n")));
	out_fini(&out);
}

static void a_table_that_must_be_whole_is_left_out_if_it_does_not_fit(void **state)
{
	struct view_table whole = flat;
	struct out out;
	struct view *v;

	(void)state;
	whole.is_whole = true;
	for (unsigned int n = 3; n <= 60; n += 57) {
		struct str text;

		v = start(&out, 100);
		view_heading(v, STR("title"), "%s", "");
		rows(v, &whole, "line", 50, n);
		text = finish(v, &out, 100);
		assert_int_equal(str_contains(text, STR("line_0\n")), n == 3);
		assert_int_equal(str_contains(text, STR("line_2\n")), n == 3);
		out_fini(&out);
	}
}

static void a_continued_sentence_needs_its_beginning(void **state)
{
	struct out out;
	struct view *v = start(&out, 40);
	struct str text;

	(void)state;
	view_heading(v, STR("title"), "%s", "");
	view_weigh(v, 0.1);
	view_item(v, "1.", "%s",
		  "a beginning that is longer than all of the budget, so it cannot be "
		  "printed, whatever else there is: two hundred bytes and some more of "
		  "them, until it is certain that none of this fits");
	view_weigh(v, 10);
	view_item(v, NULL, "short");
	view_weigh(v, 1);
	text = finish(v, &out, 40);
	assert_false(str_contains(text, STR("short")));
	assert_true(str_contains(text, STR("2 sentences")));
	out_fini(&out);
}

static void names_are_escaped_and_long_ones_cut_between_characters(void **state)
{
	struct out out;
	struct view *v = start(&out, 300);
	char name[401];
	struct cell cells[] = { cell_real(5, 1), cell_text(STR("a\x1b[31mb")), cell_none() };
	struct str text;

	(void)state;
	for (size_t i = 0; i < 400; i += 2)
		memcpy(name + i, "\xc3\xa9", 2);
	name[400] = '\0';
	view_heading(v, STR("title"), "%s", "");
	view_table(v, &flat);
	view_row(v, cells);
	cells[1] = cell_text(str_of(name));
	view_row(v, cells);
	view_table_end(v);
	text = finish(v, &out, 300);
	assert_true(str_contains(text, STR("a\\x1b[31mb\n")));
	assert_true(str_contains(text, STR("\xc3\xa9\u2026\xc3\xa9")));
	assert_true(text.len < 300);
	out_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_token_is_three_and_a_half_bytes_rounded_up),
		cmocka_unit_test(what_fits_is_printed_whole_and_equal_cells_once),
		cmocka_unit_test(rows_are_taken_in_order_and_the_rest_is_counted),
		cmocka_unit_test(each_part_gets_its_first_row),
		cmocka_unit_test(a_table_that_must_be_whole_is_left_out_if_it_does_not_fit),
		cmocka_unit_test(a_continued_sentence_needs_its_beginning),
		cmocka_unit_test(names_are_escaped_and_long_ones_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
