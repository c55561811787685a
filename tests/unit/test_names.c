/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "symbols/lines/lines.h"
#include "symbols/names.h"

#include <string.h>

/* Names of two modules, the kernel and a jitdump; lines in the wrong order, one of them twice. */
static void make(struct names *n)
{
	static const uint64_t addresses[] = { 0x30, 0x10, 0x30 };

	memset(n, 0, sizeof(*n));
	n->kernel_why = STR("hidden");
	n->marks.text = 0xffffffff81000000;
	*VEC_PUSH(&n->kernels) = (struct names_kernel){ .symbols = { .n = 1 } };
	*VEC_PUSH(&n->kernels) =
		(struct names_kernel){ .name = STR("ext4"), .symbols = { .n = 1 } };
	*VEC_PUSH(&n->modules) = (struct names_module){
		.number = 3, .flags = NAMES_FOUND, .path = STR("/bin/a"), .symbols = { .n = 2 }
	};
	*VEC_PUSH(&n->modules) =
		(struct names_module){ .number = 7, .path = STR("/bin/b"), .why = STR("stripped") };
	*VEC_PUSH(&n->symbols) = (struct names_symbol){ 0xffffffff81000010, 16, STR("do_fork") };
	*VEC_PUSH(&n->symbols) = (struct names_symbol){ 0xffffffffc0000000, 8, STR("ext4_read") };
	*VEC_PUSH(&n->symbols) = (struct names_symbol){ 0x10, 0x20, STR("main") };
	*VEC_PUSH(&n->symbols) = (struct names_symbol){ 0x30, 0x8, STR("_ZN1a1bEv") };
	for (size_t i = 0; i < ARRAY_LEN(addresses); i++) {
		*VEC_PUSH(&n->lines) =
			(struct names_line){ 3, addresses[i], { (uint32_t)n->frames.len, 2 } };
		*VEC_PUSH(&n->frames) = (struct line_frame){ STR("inner"), STR("a.c"),
							     (uint32_t)addresses[i], true };
		*VEC_PUSH(&n->frames) = (struct line_frame){ STR("main"), STR("a.c"), 2, false };
	}
	*VEC_PUSH(&n->leaves) = (struct names_leaf){ 3, 0x31 };
	*VEC_PUSH(&n->leaves) = (struct names_leaf){ 3, 0x11 };
	*VEC_PUSH(&n->jits) = (struct names_jit){ .number = 1,
						  .flags = NAMES_FOUND | NAMES_HAS_LINES,
						  .codes = { .n = 1 } };
	*VEC_PUSH(&n->jit_codes) =
		(struct names_jit_code){ 0x7000, 0x100, 5, UINT64_MAX, 9, STR("JS:f"), { .n = 1 } };
	*VEC_PUSH(&n->jit_lines) = (struct names_jit_line){ 4, 12, STR("f.js") };
}

static void names_survive_writing_and_reading(void **state)
{
	struct names made;
	struct names got;
	const struct names_line *l;
	struct out o;

	(void)state;
	make(&made);
	out_init(&o);
	names_write(&made, &o);
	assert_true(names_read(out_view(&o), &got));
	assert_true(str_eq(got.kernel_why, STR("hidden")));
	assert_true(got.marks.text == 0xffffffff81000000);
	assert_true(str_eq(got.kernels.data[1].name, STR("ext4")));
	assert_int_equal(got.kernels.data[1].symbols.first, 1);
	assert_true(str_eq(names_find_module(&got, 7, STR("/bin/b"))->why, STR("stripped")));
	assert_int_equal(names_find_module(&got, 3, STR("/bin/a"))->symbols.first, 2);
	assert_null(names_find_module(&got, 3, STR("/bin/b")));
	assert_null(names_find_module(&got, 4, STR("/bin/a")));
	assert_true(str_eq(got.symbols.data[3].name, STR("_ZN1a1bEv")));
	assert_int_equal(got.lines.len, 2);
	l = names_find_line(&got, 3, 0x30);
	assert_int_equal(l->frames.n, 2);
	assert_int_equal(got.frames.data[l->frames.first].line, 0x30);
	assert_true(got.frames.data[l->frames.first].is_inlined);
	assert_false(got.frames.data[l->frames.first + 1].is_inlined);
	assert_null(names_find_line(&got, NAMES_KERNEL, 0x30));
	assert_true(names_has_leaf(&got, 3, 0x11));
	assert_false(names_has_leaf(&got, 3, 0x12));
	assert_true(got.jit_codes.data[0].until_ns == UINT64_MAX);
	assert_true(str_eq(got.jit_lines.data[0].file, STR("f.js")));
	names_fini(&got);
	names_fini(&made);
	out_fini(&o);
}

static void a_section_that_is_cut_anywhere_is_refused(void **state)
{
	struct names made;
	struct names got;
	struct out o;

	(void)state;
	make(&made);
	out_init(&o);
	names_write(&made, &o);
	for (size_t len = 0; len < o.len; len++) {
		assert_false(names_read(str_sub(out_view(&o), 0, len), &got));
		assert_int_equal(got.symbols.len, 0);
	}
	names_fini(&made);
	out_fini(&o);
}

/* Write @made and read it again: it must be taken or refused. */
static void read_again(struct names *made, bool is_taken)
{
	struct names got;
	struct out o;

	out_init(&o);
	names_write(made, &o);
	assert_int_equal(names_read(out_view(&o), &got), is_taken);
	if (is_taken)
		names_fini(&got);
	names_fini(made);
	out_fini(&o);
}

static void refused(struct names *made)
{
	read_again(made, false);
}

static void taken(struct names *made)
{
	read_again(made, true);
}

static void rows_that_searches_cannot_use_are_refused(void **state)
{
	struct names n;

	(void)state;
	make(&n);
	n.symbols.data[3].start = 0x10; /* not after the function before */
	refused(&n);
	make(&n);
	n.symbols.data[3].start = 0x11;
	taken(&n);
	make(&n);
	n.symbols.data[3].size = UINT64_MAX; /* ends after the last address */
	refused(&n);
	make(&n);
	n.symbols.data[3].size = UINT64_MAX - 0x30 + 1;
	refused(&n);
	make(&n);
	n.symbols.data[3].size = UINT64_MAX - 0x30;
	taken(&n);
	make(&n);
	n.modules.data[1].number = 3; /* twice */
	refused(&n);
	make(&n);
	n.modules.data[1].symbols.n = 1; /* a function that is not there */
	refused(&n);
	make(&n);
	n.modules.data[0].symbols.n = 1; /* a function of no module */
	refused(&n);
	make(&n);
	n.jit_codes.data[0].lines.n = 0;
	refused(&n);
	make(&n);
	n.jit_codes.data[0].size = UINT64_MAX;
	refused(&n);
	make(&n);
	n.jit_codes.data[0].size = UINT64_MAX - 0x7000 + 1;
	refused(&n);
	make(&n);
	n.jit_codes.data[0].size = UINT64_MAX - 0x7000;
	taken(&n);
	make(&n);
	*VEC_PUSH(&n.jits) = (struct names_jit){ .number = 1 }; /* twice */
	refused(&n);
	make(&n);
	*VEC_PUSH(&n.jits) = (struct names_jit){ .number = 2, .codes = { .first = 1 } };
	taken(&n);
}

/* A writer sorts them; here the second of two is changed in the bytes. */
static void leaves_out_of_order_are_refused(void **state)
{
	static const char rows[] = { 2, 3, 0x11, 3, 0x31 };
	static const char second[] = { 0x12, 0x11, 0x10 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(second); i++) {
		struct names n, got;
		struct out o;
		char *at;

		make(&n);
		out_init(&o);
		names_write(&n, &o);
		at = memmem(o.data, o.len, rows, sizeof(rows));
		assert_non_null(at);
		at[4] = second[i];
		assert_int_equal(names_read(out_view(&o), &got), i == 0);
		if (i == 0)
			names_fini(&got);
		names_fini(&n);
		out_fini(&o);
	}
}

/* Two functions of the kernel, the second at the start of the first or after it. */
static void functions_of_the_kernel_are_in_order(void **state)
{
	(void)state;
	for (uint64_t to = 0x10; to < 0x12; to++) {
		struct names n;

		make(&n);
		n.kernels.data[0].symbols.n = 2;
		n.kernels.data[1].symbols.n = 0;
		n.symbols.data[1].start = UINT64_C(0xffffffff81000000) + to;
		read_again(&n, to > 0x10);
	}
}

static void one_text_in_many_rows_does_not_fill_memory(void **state)
{
	static char text[60000];
	struct names n;

	(void)state;
	memset(&n, 0, sizeof(n));
	memset(text, 'a', sizeof(text));
	*VEC_PUSH(&n.kernels) = (struct names_kernel){ .symbols = { .n = 2000 } };
	for (uint64_t i = 0; i < 2000; i++)
		*VEC_PUSH(&n.symbols) = (struct names_symbol){ i, 1, { text, sizeof(text) } };
	refused(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_survive_writing_and_reading),
		cmocka_unit_test(a_section_that_is_cut_anywhere_is_refused),
		cmocka_unit_test(rows_that_searches_cannot_use_are_refused),
		cmocka_unit_test(one_text_in_many_rows_does_not_fill_memory),
		cmocka_unit_test(leaves_out_of_order_are_refused),
		cmocka_unit_test(functions_of_the_kernel_are_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
