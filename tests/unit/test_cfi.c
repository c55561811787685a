/* SPDX-License-Identifier: MIT */
/* Call frame information written byte by byte: DWARF 5, section 6.4; LSB Core, "Exception Frames".
 */
#include "unit.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "cfi_bytes.h"
#include "core/ids.h"
#include "symbols/elf_symbols.h"
#include "symbols/unwind/cfi.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

/* Each row as "START:REG+OFFSET rules", where a rule is REG and @ (saved), = (value), r, * or E. */
static void rows_text(struct cfi *c, struct out *out)
{
	VEC_FOREACH (r, &c->rows) {
		out_printf(out, "%llx:", (unsigned long long)r->start);
		if (r->cfa_reg == CFI_BAD_REG)
			out_str(out, STR("bad"));
		else if (r->cfa_reg == CFI_EXPRESSION_REG)
			out_printf(out, "E%d", (int)r->cfa_value);
		else
			out_printf(out, "%u%+d", r->cfa_reg, (int)r->cfa_value);
		for (uint32_t i = 0; i < r->n_rules && r->cfa_reg != CFI_BAD_REG; i++) {
			const struct cfi_rule *rule = &c->rules.data[r->first_rule + i];

			out_printf(out, " %u%c%d", rule->reg, "u@=r*E"[rule->kind],
				   (int)rule -> value);
		}
		out_str(out, r->is_rare ? STR("!;") : STR(";"));
	}
	if (c->n_bad)
		out_printf(out, "%u bad", (unsigned int)c->n_bad);
}

struct program_case {
	const char *program;
	size_t n;
	const char *rows;
};

#define CASE(program, rows)                        \
	{                                          \
		program, sizeof(program) - 1, rows \
	}
#define SIXTEEN "\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a"

/* The program begins at byte 42 of the section. */
static const struct program_case programs[] = {
	CASE("", "1000:7+8 16@-8;"),
	CASE("\x00\x2d", "1000:7+8 16@-8;"),
	/* new rows */
	CASE("\x41", "1000:7+8 16@-8;1004:7+8 16@-8;"),
	CASE("\x7f\x0e\x10", "1000:7+8 16@-8;10fc:7+16 16@-8;"),
	CASE("\x40\x0e\x10", "1000:7+16 16@-8;"),
	CASE("\x02\x03\x0e\x20", "1000:7+8 16@-8;100c:7+32 16@-8;"),
	CASE("\x03\x01\x02", "1000:7+8 16@-8;1804:7+8 16@-8;"),
	CASE("\x04\x01\x02\x03\x00", "1000:7+8 16@-8;c1804:7+8 16@-8;"),
	/* the CFA */
	CASE("\x0c\x06\x81\x01", "1000:6+129 16@-8;"),
	CASE("\x0c\x20\x08", "1000:32+8 16@-8;"),
	CASE("\x0c\x21\x08", "1000:bad;1 bad"),
	CASE("\x0d\x06", "1000:6+8 16@-8;"),
	CASE("\x0e\x90\x01", "1000:7+144 16@-8;"),
	CASE("\x12\x06\x7f", "1000:6+8 16@-8;"),
	CASE("\x13\x7e", "1000:7+16 16@-8;"),
	CASE("\x0f\x02\x77\x08", "1000:E43 16@-8;"),
	CASE("\x0e\xff\xff\xff\xff\x07", "1000:7+2147483647 16@-8;"),
	CASE("\x0e\x80\x80\x80\x80\x08", "1000:bad;"),
	/* registers */
	CASE("\x83\x02", "1000:7+8 3@-16 16@-8;"),
	CASE("\x05\x06\x02", "1000:7+8 6@-16 16@-8;"),
	CASE("\x05\x20\x02", "1000:7+8 16@-8 32@-16;"),
	CASE("\x05\x21\x02", "1000:7+8 16@-8;"),
	CASE("\x05\x80\x04\x02", "1000:7+8 16@-8;"),
	CASE("\x05\x81\x04\x02", "1000:bad;1 bad"),
	CASE("\x11\x06\x7e", "1000:7+8 6@16 16@-8;"),
	CASE("\x2f\x06\x02", "1000:7+8 6@16 16@-8;"),
	CASE("\x14\x06\x02", "1000:7+8 6=-16 16@-8;"),
	CASE("\x15\x06\x7e", "1000:7+8 6=16 16@-8;"),
	CASE("\x07\x10", "1000:7+8 16u0;"),
	CASE("\x08\x10", "1000:7+8;"),
	CASE("\x07\x10\xd0", "1000:7+8 16@-8;"),
	CASE("\x07\x10\x06\x10", "1000:7+8 16@-8;"),
	CASE("\x83\x02\xc3", "1000:7+8 16@-8;"),
	CASE("\x06\x21", "1000:7+8 16@-8;"),
	CASE("\x09\x06\x03", "1000:7+8 6r3 16@-8;!"),
	CASE("\x10\x06\x01\x30", "1000:7+8 6*44 16@-8;!"),
	CASE("\x16\x06\x01\x30", "1000:7+8 6E44 16@-8;!"),
	CASE("\x2e\x81\x01\x83\x01", "1000:7+8 3@-8 16@-8;"),
	/* values of 32 bits: -8 times 268435456 is the least */
	CASE("\x83\x80\x80\x80\x80\x01", "1000:7+8 3@-2147483648 16@-8;"),
	CASE("\x83\x81\x80\x80\x80\x01", "1000:bad;"),
	CASE("\x83\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "1000:bad;1 bad"),
	/* states */
	CASE("\x0a\x0e\x10\x83\x02\x41\x0b", "1000:7+16 3@-16 16@-8;1004:7+8 16@-8;"),
	CASE("\x0b", "1000:bad;1 bad"),
	CASE(SIXTEEN "\x0e\x10", "1000:7+16 16@-8;"),
	CASE(SIXTEEN "\x0a", "1000:bad;1 bad"),
	CASE("\x0a\x0a\x0b\x0b\x0b", "1000:bad;1 bad"),
	/* damage: the rows before it stay */
	CASE("\x41\x01\x10", "1000:7+8 16@-8;1004:bad;1 bad"),
	CASE("\x41\x0e", "1000:7+8 16@-8;1004:bad;1 bad"),
	CASE("\x41\x17", "1000:7+8 16@-8;1004:bad;1 bad"),
	CASE("\x0f\x03\x77\x08", "1000:bad;1 bad"),
};

static void each_instruction_makes_the_rows_of_the_standard(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_LEN(programs); i++) {
		const struct program_case *p = &programs[i / 2];
		struct str expected = str_of(p->rows);
		struct bytes b = { .n = 0 };
		struct out out;
		struct cfi c;

		put_common(&b, i % 2);
		put_function(&b, i % 2, p->program, p->n);
		cfi_of(&c, &b, i % 2);
		assert_int_equal(c.functions.len, 1);
		(void)cfi_find(&c, 0x1000);
		out_init(&out);
		rows_text(&c, &out);
		/* "!" marks a rare rule: after the row here, before its end in the text */
		if (str_ends(expected, STR(";!"))) {
			assert_true(str_ends(out_view(&out), STR("!;")));
			expected.len -= 2;
			assert_true(str_starts(out_view(&out), expected));
		} else if (!str_eq(out_view(&out), expected)) {
			print_error("program %zu: " STR_FMT ", not %s\n", i / 2,
				    STR_ARG(out_view(&out)), p->rows);
			wrong++;
		}
		out_fini(&out);
		cfi_end(&c);
	}
	assert_int_equal(wrong, 0);
}

/* A function's first address, its last one, and those next to it. */
static void rows_are_found_within_their_function_only(void **state)
{
	static const char program[] = "\x41\x0e\x10\x42\x0e\x18";
	struct bytes b = { .n = 0 };
	struct cfi c;

	(void)state;
	put_common(&b, false);
	put_function(&b, false, program, sizeof(program) - 1);
	cfi_of(&c, &b, false);
	assert_int_equal(cfi_find(&c, 0xfff), INDEX_NONE);
	assert_int_equal(cfi_find(&c, 0x1100), INDEX_NONE);
	for (uint64_t a = 0x1000; a < 0x1100; a++)
		assert_int_equal(cfi_find(&c, a), a < 0x1004 ? 0 : a < 0x100c ? 1 : 2);
	assert_int_equal(c.rows.len, 3);
	assert_int_equal(cfi_function_size(&c, 0x1000), 0x100);
	assert_int_equal(cfi_function_size(&c, 0x1001), 0);
	assert_int_equal(cfi_function_size(&c, 0xfff), 0);
	cfi_end(&c);
}

/* @n nops in the CIE. */
static uint64_t bad_of_common_bytes(size_t n)
{
	CLEANUP(freep) struct bytes *b = xcalloc(1, sizeof(*b));
	uint64_t n_bad;
	struct cfi c;
	size_t at = put_entry(b, 0);

	put_text(b, "\x01\0" PLAIN "\x0c\x07\x08", 8);
	b->n += n - 3;
	put_end(b, at);
	put_function(b, false, "", 0);
	cfi_of(&c, b, false);
	(void)cfi_find(&c, 0x1000);
	n_bad = c.n_bad;
	cfi_end(&c);
	return n_bad;
}

static void programs_have_limits(void **state)
{
	struct cfi c = { .len = 0 };
	struct cfi_common common = { .code_align = 1, .data_align = 1, .at = 0, .until = 0 };
	struct cfi_function f = { .start = 0, .end = UINT64_MAX, .first_row = INDEX_NONE };
	CLEANUP(freep) uint8_t *program = xmalloc(LIMIT_CFI_ROWS + 10);

	(void)state;
	assert_int_equal(bad_of_common_bytes(LIMIT_CFI_COMMON_BYTES), 0);
	assert_int_equal(bad_of_common_bytes(LIMIT_CFI_COMMON_BYTES + 1), 1);
	/* each byte makes a row; the last row ends the function */
	memset(program, 0x41, LIMIT_CFI_ROWS + 10);
	*VEC_PUSH(&c.commons) = common;
	c.bytes = program;
	for (uint32_t n = LIMIT_CFI_ROWS - 2; n <= LIMIT_CFI_ROWS + 2; n++) {
		c.len = f.until = n;
		c.rows.len = c.rules.len = 0;
		c.n_bad = 0;
		cfi_run(&c, &f);
		assert_int_equal(c.n_bad, n >= LIMIT_CFI_ROWS);
		assert_int_equal(f.n_rows, n >= LIMIT_CFI_ROWS ? LIMIT_CFI_ROWS + 1 : n + 1);
	}
	cfi_end(&c);
}

/* The common entry may not advance, and an advance may not leave the address space. */
static void addresses_only_grow(void **state)
{
	static const uint8_t program[] = "\x41\x7f";
	struct cfi_common common = { .code_align = UINT64_C(1) << 60, .until = 1 };
	struct cfi_function f = { .at = 1, .until = 2, .first_row = INDEX_NONE };
	struct cfi c = { .bytes = program, .len = 2 };

	(void)state;
	*VEC_PUSH(&c.commons) = common;
	cfi_run(&c, &f); /* the CIE advances */
	assert_int_equal(c.n_bad, 1);
	c.commons.data[0].until = 0;
	cfi_run(&c, &f); /* 63 << 60 */
	assert_int_equal(c.n_bad, 2);
	c.commons.data[0].code_align = 1;
	f.start = UINT64_MAX - 62;
	cfi_run(&c, &f);
	assert_int_equal(c.n_bad, 3);
	f.start--;
	cfi_run(&c, &f);
	assert_int_equal(c.n_bad, 3);
	cfi_end(&c);
}

static void offsets_become_addresses_of_their_segment(void **state)
{
	struct cfi c = { .n_loads = 2,
			 .loads = { { .vaddr = 0x5000, .offset = 0x1000, .size = 0x100 },
				    { .vaddr = 0x9000, .offset = 0x1100, .size = 0x10 } } };

	(void)state;
	assert_int_equal(cfi_address_of_offset(&c, 0xfff), 0xfff);
	assert_int_equal(cfi_address_of_offset(&c, 0x1000), 0x5000);
	assert_int_equal(cfi_address_of_offset(&c, 0x10ff), 0x50ff);
	assert_int_equal(cfi_address_of_offset(&c, 0x1100), 0x9000);
	assert_int_equal(cfi_address_of_offset(&c, 0x110f), 0x900f);
	assert_int_equal(cfi_address_of_offset(&c, 0x1110), 0x1110);
}

/* One row: CFA in @cfa_reg, and rules of registers. */
static bool no_frame(uint16_t machine, uint8_t cfa_reg, bool is_signal, uint8_t kind_of_return,
		     const char *expression)
{
	struct cfi c = { .machine = machine,
			 .bytes = (const uint8_t *)expression,
			 .len = strlen(expression) };
	struct cfi_row row = { .cfa_reg = cfa_reg, .return_reg = 16, .is_signal = is_signal };
	bool ret;

	*VEC_PUSH(&c.rules) = (struct cfi_rule){ 0, 16, CFI_UNDEFINED }; /* of another row */
	*VEC_PUSH(&c.rules) = (struct cfi_rule){ 0, 15, CFI_UNDEFINED };
	row.first_rule = 1;
	row.n_rules = 1;
	if (kind_of_return != UINT8_MAX) {
		*VEC_PUSH(&c.rules) = (struct cfi_rule){ 0, 16, kind_of_return };
		row.n_rules = 2;
	}
	*VEC_PUSH(&c.rows) = row;
	ret = cfi_has_no_frame(&c, 0);
	cfi_end(&c);
	return ret;
}

static void a_row_has_no_frame_if_the_stack_pointer_tells_the_caller(void **state)
{
	(void)state;
	assert_true(no_frame(EM_X86_64, 7, false, CFI_OFFSET, ""));
	assert_true(no_frame(EM_X86_64, 7, false, UINT8_MAX, ""));
	assert_false(no_frame(EM_X86_64, 6, false, CFI_OFFSET, ""));
	assert_false(no_frame(EM_X86_64, 31, false, CFI_OFFSET, ""));
	assert_false(no_frame(EM_X86_64, 7, true, CFI_OFFSET, ""));
	assert_false(no_frame(EM_X86_64, 7, false, CFI_UNDEFINED, ""));
	assert_true(no_frame(EM_AARCH64, 31, false, UINT8_MAX, ""));
	assert_false(no_frame(EM_AARCH64, 31, false, CFI_OFFSET, ""));
	assert_false(no_frame(EM_AARCH64, 29, false, UINT8_MAX, ""));
	assert_false(no_frame(EM_386, 7, false, CFI_OFFSET, ""));
	/* an expression whose first operation is breg7 */
	assert_true(no_frame(EM_X86_64, CFI_EXPRESSION_REG, false, CFI_OFFSET, "\x02\x77\x08"));
	assert_false(no_frame(EM_X86_64, CFI_EXPRESSION_REG, false, CFI_OFFSET, "\x02\x76\x08"));
	assert_false(no_frame(EM_X86_64, CFI_EXPRESSION_REG, false, CFI_OFFSET, "\x02"));
}

/* The information of this program, read from its file and from memory. */
static void an_image_in_memory_has_the_rows_of_its_file(void **state)
{
	static const char path[] = "/proc/self/exe";
	size_t n_rows = 0;
	struct cfi *a = NULL, *b = NULL;
	struct error err = { "" };
	size_t len = 0;
	char *image = NULL;
	FILE *f = fopen(path, "rb");

	(void)state;
	assert_non_null(f);
	(void)fseek(f, 0, SEEK_END);
	len = (size_t)ftell(f);
	rewind(f);
	image = xcalloc(len, 1);
	assert_int_equal(fread(image, 1, len, f), len);
	(void)fclose(f);
	assert_int_equal(cfi_open(path, &a, &err), OK);
	assert_int_equal(cfi_open_image(image, len, &b, &err), OK);
	/* the image may be freed now */
	memset(image, 0, len);
	for (uint64_t at = 0; at < len; at++) {
		uint32_t i = cfi_find(a, at), k = cfi_find(b, at);

		assert_int_equal(i == INDEX_NONE, k == INDEX_NONE);
		assert_int_equal(cfi_function_size(a, at), cfi_function_size(b, at));
		assert_int_equal(cfi_address_of_offset(a, at), cfi_address_of_offset(b, at));
		if (i == INDEX_NONE)
			continue;
		n_rows++;
		assert_int_equal(cfi_has_no_frame(a, i), cfi_has_no_frame(b, k));
	}
	assert_true(n_rows > 1000);
	cfi_free(a);
	cfi_free(b);
	b = NULL;
	assert_int_equal(cfi_open_image(image, len, &b, &err), ERR_FORMAT);
	assert_null(b);
	free(image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_instruction_makes_the_rows_of_the_standard),
		cmocka_unit_test(rows_are_found_within_their_function_only),
		cmocka_unit_test(programs_have_limits),
		cmocka_unit_test(addresses_only_grow),
		cmocka_unit_test(offsets_become_addresses_of_their_segment),
		cmocka_unit_test(a_row_has_no_frame_if_the_stack_pointer_tells_the_caller),
		cmocka_unit_test(an_image_in_memory_has_the_rows_of_its_file),
	};

	return cmocka_run_group_tests_name("cfi", tests, NULL, NULL);
}
