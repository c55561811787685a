/* SPDX-License-Identifier: MIT */
/* DWARF 5, section 2.5.1: each opcode that call frame information uses, and damaged ones. */
#include "unit.h"

#include "base/status.h"
#include "base/str.h"
#include "symbols/unwind/cfi.h"
#include "symbols/unwind/unwind.h"
#include "symbols/unwind/unwind_expression.h"

#include <elf.h>

#define BAD UINT64_C(0xbad)

struct expression_case {
	const char *bytes; /* bytes of the expression, without its length */
	size_t n;
	uint64_t result; /* BAD: none */
};

#define CASE(bytes, result)                      \
	{                                        \
		bytes, sizeof(bytes) - 1, result \
	}
#define MINUS(n) (UINT64_C(0) - (n))

static const struct expression_case cases[] = {
	CASE("", BAD),
	/* constants */
	CASE("\x30", 0),
	CASE("\x4f", 31),
	CASE("\x08\xfe", 0xfe),
	CASE("\x09\xfe", MINUS(2)),
	CASE("\x0a\x34\x92", 0x9234),
	CASE("\x0b\x34\x92", MINUS(0x6dcc)),
	CASE("\x0c\x78\x56\x34\x92", 0x92345678),
	CASE("\x0d\xff\xff\xff\xff", MINUS(1)),
	CASE("\x0e\x01\x00\x00\x00\x00\x00\x00\x80", 0x8000000000000001),
	CASE("\x0f\xfd\xff\xff\xff\xff\xff\xff\xff", MINUS(3)),
	CASE("\x10\x80\x01", 128),
	CASE("\x11\x7f", MINUS(1)),
	CASE("\x08", BAD),
	/* the stack */
	CASE("\x33\x12\x22", 6),
	CASE("\x33\x34\x13", 3),
	CASE("\x33\x34\x14", 3),
	CASE("\x33\x34\x35\x15\x02", 3),
	CASE("\x33\x34\x35\x15\x03", BAD),
	CASE("\x33\x39\x16\x1c", 6),
	CASE("\x33\x34\x35\x17", 4),
	CASE("\x33\x34\x35\x17\x13", 3),
	CASE("\x33\x34\x35\x17\x13\x13", 5),
	CASE("\x33\x34\x17", BAD),
	CASE("\x33\x13", BAD),
	CASE("\x13", BAD),
	/* one operand */
	CASE("\x09\xfe\x19", 2),
	CASE("\x32\x19", 2),
	CASE("\x32\x1f", MINUS(2)),
	CASE("\x32\x20", MINUS(3)),
	CASE("\x32\x23\x80\x01", 130),
	/* two operands: the top of the stack is the second */
	CASE("\x3c\x3a\x1a", 8),
	CASE("\x3d\x34\x1b", 3),
	CASE("\x09\xf8\x33\x1b", MINUS(2)),
	CASE("\x33\x09\xff\x1b", MINUS(3)),
	CASE("\x33\x30\x1b", BAD),
	CASE("\x33\x34\x1c", MINUS(1)),
	CASE("\x3d\x34\x1d", 1),
	CASE("\x3d\x30\x1d", BAD),
	CASE("\x33\x34\x1e", 12),
	CASE("\x3c\x33\x21", 15),
	CASE("\x33\x34\x22", 7),
	CASE("\x33\x34\x24", 48),
	CASE("\x33\x08\x40\x24", 0),
	CASE("\x33\x08\x3f\x24", UINT64_C(1) << 63),
	CASE("\x09\xf0\x08\x3f\x25", 1),
	CASE("\x09\xf0\x08\x40\x25", 0),
	CASE("\x09\xf0\x32\x26", MINUS(4)),
	CASE("\x09\xf0\x08\x40\x26", MINUS(1)),
	CASE("\x3c\x3a\x27", 6),
	CASE("\x33\x33\x29", 1),
	CASE("\x33\x34\x29", 0),
	CASE("\x33\x33\x2a", 1),
	CASE("\x09\xff\x30\x2a", 0),
	CASE("\x34\x33\x2b", 1),
	CASE("\x33\x33\x2b", 0),
	CASE("\x09\xff\x30\x2b", 0),
	CASE("\x33\x33\x2c", 1),
	CASE("\x34\x33\x2c", 0),
	CASE("\x09\xff\x30\x2d", 1),
	CASE("\x33\x33\x2d", 0),
	CASE("\x33\x33\x2e", 0),
	CASE("\x33\x34\x2e", 1),
	CASE("\x33\x1c", BAD),
	/* jumps: within the expression and to its end only */
	CASE("\x33\x2f\x01\x00\x34\x96", 3),
	CASE("\x33\x2f\x01\x00\x34", 3),
	CASE("\x33\x2f\x02\x00\x34", BAD),
	CASE("\x33\x31\x28\x01\x00\x34", 3),
	CASE("\x33\x30\x28\x01\x00\x34", 4),
	CASE("\x33\x2f\xfb\xff", BAD),
	/* counts from 3 to 0 by a jump back */
	CASE("\x33\x31\x1c\x12\x28\xfa\xff", 0),
	/* an endless loop */
	CASE("\x33\x2f\xfd\xff", BAD),
	/*
	 * registers: 6 has 0x6006, 7 the CFA (0x7100), 16 the instruction pointer (0x4000); 3 is
	 * missing
	 */
	CASE("\x76\x02", 0x6008),
	CASE("\x76\x7e", 0x6004),
	CASE("\x77\x08", 0x7108),
	CASE("\x80\x00", 0x4000),
	CASE("\x73\x00", BAD),
	CASE("\x92\x06\x7f", 0x6005),
	CASE("\x92\x20\x00", BAD),
	CASE("\x92\x21\x00", BAD),
	/* memory: the stack begins at 0x7000 */
	CASE("\x0a\x00\x70\x06", 0x8877665544332211),
	CASE("\x0a\x00\x70\x94\x08", 0x8877665544332211),
	CASE("\x0a\x00\x70\x94\x01", 0x11),
	CASE("\x0a\x00\x70\x94\x04", 0x44332211),
	CASE("\x0a\x00\x70\x94\x07", 0x77665544332211),
	CASE("\x0a\x00\x70\x94\x00", BAD),
	CASE("\x0a\x00\x70\x94\x09", BAD),
	CASE("\x0a\x00\x50\x06", BAD),
	/* not supported: an address, a call */
	CASE("\x03\x01\x00\x00\x00\x00\x00\x00\x00", BAD),
	CASE("\x33\x98\x00\x00", BAD),
};

static enum unwind_read read_nothing(void *context, uint64_t address, uint64_t *ret)
{
	(void)context;
	(void)address;
	*ret = 0;
	return UNWIND_READ_UNMAPPED;
}

/* The result of an expression of @n bytes whose length field says @len; BAD: none. */
static uint64_t evaluated(const char *bytes, size_t n, size_t len, const uint64_t *first)
{
	static const uint8_t stack[32] = { 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 };
	const struct unwind_process process = { .read = read_nothing };
	const struct unwind_sample s = { .machine = EM_X86_64,
					 .stack = stack,
					 .stack_bytes = sizeof(stack) };
	struct unwind_frame f = { .sample = &s,
				  .process = &process,
				  .ip = 0x4000,
				  .cfa = 0x7100,
				  .stack_start = 0x7000,
				  .sp_reg = X86_RSP,
				  .ip_reg = X86_RIP };
	uint8_t section[256] = { 0 };
	struct cfi c = { .bytes = section, .len = n + 2 };
	uint64_t ret = 0;

	f.kind[X86_RBP] = UNWIND_VALUE;
	f.v[X86_RBP] = 0x6006;
	section[1] = (uint8_t)len;
	memcpy(section + 2, bytes, n);
	return unwind_expression(&f, &c, 1, first, &ret) ? ret : BAD;
}

static void each_opcode_computes_as_the_standard_says(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct expression_case *c = &cases[i];
		uint64_t is = evaluated(c->bytes, c->n, c->n, NULL);

		if (is == c->result)
			continue;
		print_error("case %zu, opcode %02x: %llx, not %llx\n", i, (uint8_t)c->bytes[0],
			    (unsigned long long)is, (unsigned long long)c->result);
		wrong++;
	}
	assert_int_equal(wrong, 0);
}

static void an_expression_may_start_with_a_value_and_ends_within_its_section(void **state)
{
	const uint64_t first = 40;
	char full[66];

	(void)state;
	assert_int_equal(evaluated("\x32\x22", 2, 2, &first), 42);
	assert_int_equal(evaluated("", 0, 0, &first), 40);
	assert_int_equal(evaluated("\x32\x22", 2, 3, &first), BAD);
	/* the stack has 64 places */
	memset(full, 0x31, sizeof(full));
	assert_int_equal(evaluated(full, 64, 64, NULL), 1);
	assert_int_equal(evaluated(full, 65, 65, NULL), BAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_opcode_computes_as_the_standard_says),
		cmocka_unit_test(an_expression_may_start_with_a_value_and_ends_within_its_section),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
