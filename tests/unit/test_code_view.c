/* SPDX-License-Identifier: MIT */
/* Hot rows, loops, lines and inlined functions of a listing. */
#include "unit.h"

#include "analyses/code_view.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/kinds/code.h"
#include "core/profile.h"
#include "core/strings.h"

#include <math.h>

static struct strings strings; /* the texts of rows are empty: no row ends the flow */

/* A listing with one function of @n rows; address 0x100 + index. Owner: caller, VEC_FREE(rows). */
static struct code_function listing(struct code *code, uint32_t n)
{
	*code = (struct code){ .unit = WEIGHT_PERCENT };
	for (uint32_t i = 0; i < n; i++)
		*VEC_PUSH(&code->rows) =
			(struct code_row){ .address = 0x100 + i, .has_weight = true };
	return (struct code_function){ .first = 0, .n = n, .whole = 100 };
}

static void rows_from_half_a_percent_on_are_hot_with_three_around(void **state)
{
	struct code code;
	struct code_function f = listing(&code, 20);
	struct code_view v;

	(void)state;
	code.rows.data[7].self = 0.5;
	code.rows.data[15].self = 0.49;
	code_view_make(&code, &strings, &f, &v);
	assert_int_equal(v.rows.len, 1);
	assert_int_equal(v.hot, 7);
	for (uint32_t i = 0; i < f.n; i++)
		assert_int_equal(v.is_shown.data[i], i >= 4 && i <= 10);
	code_view_fini(&v);
	/* a gap of two rows is shown, too, one of three is not */
	code.rows.data[7].self = 0;
	code.rows.data[5].self = 0.5;
	code.rows.data[14].self = 0.5;
	code_view_make(&code, &strings, &f, &v);
	for (uint32_t i = 0; i < f.n; i++)
		assert_int_equal(v.is_shown.data[i], i <= 19);
	code.rows.data[14].self = 0;
	code.rows.data[15].self = 0.5;
	code_view_fini(&v);
	code_view_make(&code, &strings, &f, &v);
	assert_true(v.is_shown.data[0] && v.is_shown.data[8] && v.is_shown.data[12]);
	assert_false(v.is_shown.data[9]);
	code_view_fini(&v);
	VEC_FREE(&code.rows);
}

static void at_most_sixteen_rows_are_hot_the_first_of_equal_ones(void **state)
{
	struct code code;
	struct code_function f = listing(&code, 200);
	struct code_view v;

	(void)state;
	for (uint32_t i = 0; i < 18; i++)
		code.rows.data[10 * i].self = i == 17 ? 3 : 2;
	code_view_make(&code, &strings, &f, &v);
	assert_int_equal(v.rows.len, CODE_VIEW_ROWS);
	assert_int_equal(v.rows.data[0], 170);
	for (uint32_t i = 1; i < CODE_VIEW_ROWS; i++)
		assert_int_equal(v.rows.data[i], 10 * (i - 1));
	assert_int_equal(v.hot, 170);
	assert_false(v.is_shown.data[150]);
	code_view_fini(&v);
	VEC_FREE(&code.rows);
}

static void a_jump_back_over_a_hot_row_is_a_loop(void **state)
{
	struct code code;
	struct code_function f = listing(&code, 30);
	struct code_view v;

	(void)state;
	code.rows.data[10].self = 90;
	code.rows.data[8].is_source = true;
	code.rows.data[8].address = 0;
	code.rows.data[12].target = 0x109; /* the inner loop: rows 9 to 12 */
	code.rows.data[20].target = 0x104; /* the outer loop: rows 4 to 20 */
	code.rows.data[25].target = 0x116; /* no hot row in it */
	code.rows.data[7].target = 0x110;  /* a jump forward */
	code.rows.data[28].target = 0x108; /* no instruction has this address */
	code_view_make(&code, &strings, &f, &v);
	assert_int_equal(v.loops.len, 2);
	assert_int_equal(v.loops.data[0].first, 9);
	assert_int_equal(v.loops.data[0].last, 12);
	assert_int_equal(v.loops.data[0].n, 4);
	assert_int_equal(v.loops.data[0].lane, 0);
	assert_int_equal(v.loops.data[1].first, 4);
	assert_int_equal(v.loops.data[1].n, 16); /* the row of source is no instruction */
	assert_int_equal(v.loops.data[1].lane, 1);
	assert_int_equal(v.n_lanes, 2);
	assert_true(fabs(v.loops.data[1].self - 90) < 1e-9);
	/* the ends of loops are shown, however far they are */
	assert_true(v.is_shown.data[4] && v.is_shown.data[20]);
	assert_false(v.is_shown.data[16]);
	code_view_fini(&v);
	VEC_FREE(&code.rows);
}

static void more_loops_than_lanes_are_left_out(void **state)
{
	struct code code;
	struct code_function f = listing(&code, 40);
	struct code_view v;

	(void)state;
	code.rows.data[10].self = 90;
	for (uint32_t i = 0; i < CODE_VIEW_LANES + 1; i++)
		code.rows.data[12 + i].target = 0x109 - i;
	code_view_make(&code, &strings, &f, &v);
	assert_int_equal(v.loops.len, CODE_VIEW_LANES);
	assert_int_equal(v.n_lanes, CODE_VIEW_LANES);
	code_view_fini(&v);
	VEC_FREE(&code.rows);
}

/* A jump back that nothing leads to is no loop; code out of line belongs to its loop. */
static void a_loop_is_what_can_be_reached_again(void **state)
{
	struct code code;
	struct code_function f = listing(&code, 30);
	struct code_view v;

	(void)state;
	code.rows.data[3].text = strings_add(&strings, STR("ret"));
	code.rows.data[10].self = 50;
	code.rows.data[20].self = 40;
	/* row 12 jumps back to row 2, from which only the return follows */
	code.rows.data[12].target = 0x102;
	/* rows 8 to 11 with rows 20 and 21 at the end, which jumps back with "jmp" */
	code.rows.data[9].target = 0x114;
	code.rows.data[11].target = 0x108;
	code.rows.data[21].target = 0x10a;
	code.rows.data[21].text = strings_add(&strings, STR("jmp 10a"));
	code.rows.data[13].text = strings_add(&strings, STR("ret"));
	code_view_make(&code, &strings, &f, &v);
	assert_int_equal(v.loops.len, 1);
	assert_int_equal(v.loops.data[0].first, 8);
	assert_int_equal(v.loops.data[0].last, 21);
	assert_int_equal(v.loops.data[0].n, 6);
	assert_true(fabs(v.loops.data[0].self - 90) < 1e-9);
	assert_int_equal(v.around.n, 6);
	code_view_fini(&v);
	VEC_FREE(&code.rows);
}

/* An instruction that jumps to itself is a loop. */
static void one_instruction_may_be_a_loop(void **state)
{
	struct code code;
	struct code_function f = listing(&code, 9);
	struct code_view v;

	(void)state;
	code.rows.data[4].self = 50;
	code.rows.data[4].target = 0x104;
	code_view_make(&code, &strings, &f, &v);
	assert_int_equal(v.around.n, 1);
	assert_int_equal(v.loops.len, 1);
	code_view_fini(&v);
	VEC_FREE(&code.rows);
}

/*
 * A jump from outside enters this loop at row 8, its condition. Both ways back lead through this
 * row, so there is no inner loop.
 */
static void a_loop_may_be_entered_at_its_condition(void **state)
{
	struct code code;
	struct code_function f = listing(&code, 20);
	struct code_view v;

	(void)state;
	code.rows.data[2].text = strings_add(&strings, STR("jmp 108"));
	code.rows.data[2].target = 0x108;
	code.rows.data[6].self = 50;
	code.rows.data[8].target = 0x103;
	code.rows.data[9].target = 0x105;
	code_view_make(&code, &strings, &f, &v);
	assert_int_equal(v.loops.len, 1);
	assert_int_equal(v.loops.data[0].first, 3);
	assert_int_equal(v.loops.data[0].last, 9);
	code_view_fini(&v);
	/* entered at row 3, the way from row 9 to row 5 is an inner loop */
	code.rows.data[2].target = 0x103;
	code_view_make(&code, &strings, &f, &v);
	assert_int_equal(v.loops.len, 2);
	assert_int_equal(v.loops.data[0].first, 5);
	assert_int_equal(v.loops.data[0].last, 9);
	code_view_fini(&v);
	VEC_FREE(&code.rows);
}

static void loops_of_one_size_are_in_the_order_of_the_code(void **state)
{
	struct code code;
	struct code_function f = listing(&code, 30);
	struct code_view v;

	(void)state;
	code.rows.data[20].self = 50;
	code.rows.data[5].self = 40;
	code.rows.data[6].target = 0x104;
	code.rows.data[13].target = 0x10b; /* no hot row */
	code.rows.data[21].target = 0x113;
	code_view_make(&code, &strings, &f, &v);
	assert_int_equal(v.loops.len, 2);
	assert_int_equal(v.loops.data[0].first, 4);
	assert_int_equal(v.loops.data[1].first, 19);
	assert_int_equal(v.loops.data[1].lane, 0); /* they share no row */
	assert_int_equal(v.n_lanes, 1);
	code_view_fini(&v);
	VEC_FREE(&code.rows);
}

/* The heaviest comes first; of equal weights the first file, line and symbol. */
static void lines_and_inlined_functions_are_sorted_by_weight(void **state)
{
	static const struct {
		double self;
		uint32_t file, number, inlined;
	} rows[] = {
		{ 10, 8, 3, 6 }, { 10, 7, 5, 5 }, { 10, 7, 4, 4 }, { 20, 9, 1, 7 }, { 0, 6, 1, 3 }
	};
	static const uint32_t files[] = { 9, 7, 7, 8 }, numbers[] = { 1, 4, 5, 3 };
	static const uint32_t inlined[] = { 7, 4, 5, 6 };
	struct code code;
	struct code_function f = listing(&code, ARRAY_LEN(rows));
	struct code_view v;

	(void)state;
	for (uint32_t i = 0; i < ARRAY_LEN(rows); i++) {
		code.rows.data[i].self = rows[i].self;
		code.rows.data[i].file = (str_id){ rows[i].file };
		code.rows.data[i].number = rows[i].number;
		code.rows.data[i].inlined = (sym_id){ rows[i].inlined };
	}
	code_view_make(&code, &strings, &f, &v);
	assert_int_equal(v.lines.len, 4);
	assert_int_equal(v.inlined.len, 4);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(v.lines.data[i].file.v, files[i]);
		assert_int_equal(v.lines.data[i].number, numbers[i]);
		assert_int_equal(v.inlined.data[i].sym.v, inlined[i]);
	}
	code_view_fini(&v);
	f.whole = 0; /* a function without weight has no shares */
	assert_true(code_view_pct(&f, 5) == 0);
	VEC_FREE(&code.rows);
}

static void weights_are_added_by_line_and_by_inlined_function(void **state)
{
	struct code code;
	struct code_function f = listing(&code, 6);
	struct code_view v;

	(void)state;
	f.whole = 50;
	code.rows.data[0] = (struct code_row){ .is_source = true, .file = { 7 }, .number = 3 };
	for (uint32_t i = 1; i < 6; i++) {
		code.rows.data[i].self = 5 * i - 5;
		code.rows.data[i].file = (str_id){ 7 };
		code.rows.data[i].number = i % 2 ? 3 : 4;
		code.rows.data[i].inlined = (sym_id){ i < 4 ? 0 : 9 };
	}
	code_view_make(&code, &strings, &f, &v);
	assert_int_equal(v.lines.len, 2);
	assert_int_equal(v.lines.data[0].number, 3); /* 0 + 10 + 20 of 50 */
	assert_true(fabs(v.lines.data[0].self - 60) < 1e-9);
	assert_int_equal(v.lines.data[0].source, 0);
	assert_true(fabs(v.lines.data[1].self - 40) < 1e-9); /* 5 + 15 */
	assert_int_equal(v.lines.data[1].source, INDEX_NONE);
	assert_int_equal(v.inlined.len, 1);
	assert_int_equal(v.inlined.data[0].sym.v, 9);
	assert_true(fabs(v.inlined.data[0].self - 70) < 1e-9);
	code_view_fini(&v);
	VEC_FREE(&code.rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_from_half_a_percent_on_are_hot_with_three_around),
		cmocka_unit_test(at_most_sixteen_rows_are_hot_the_first_of_equal_ones),
		cmocka_unit_test(a_jump_back_over_a_hot_row_is_a_loop),
		cmocka_unit_test(more_loops_than_lanes_are_left_out),
		cmocka_unit_test(a_loop_is_what_can_be_reached_again),
		cmocka_unit_test(one_instruction_may_be_a_loop),
		cmocka_unit_test(a_loop_may_be_entered_at_its_condition),
		cmocka_unit_test(loops_of_one_size_are_in_the_order_of_the_code),
		cmocka_unit_test(lines_and_inlined_functions_are_sorted_by_weight),
		cmocka_unit_test(weights_are_added_by_line_and_by_inlined_function),
	};

	int ret;

	strings_init(&strings);
	ret = cmocka_run_group_tests(tests, NULL, NULL);
	strings_fini(&strings);
	return ret;
}
