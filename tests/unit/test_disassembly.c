/* SPDX-License-Identifier: MIT */
/* Machine code of x86-64 as text, as perf annotate prints it, so that the kinds of analyses fit. */
#include "unit.h"

#include "analyses/instruction.h"
#include "base/status.h"
#include "base/str.h"
#include "config.h"
#include "symbols/disassembly.h"

#include <elf.h>

/* The bytes are written by hand from Intel's manual, volume 2; all at address 0x1000. */
static const struct {
	const char *bytes;
	uint32_t len;
	const char *text;
	uint64_t target; /* 0: no direct jump or call */
	enum instruction_kind kind;
} rows[] = {
	{ "\x48\x8b\x3f", 3, "mov (%rdi),%rdi", 0, INSTRUCTION_LOAD },
	{ "\x48\x39\x77\x08", 4, "cmp %rsi,0x8(%rdi)", 0, INSTRUCTION_LOAD },
	{ "\x48\x89\x07", 3, "mov %rax,(%rdi)", 0, INSTRUCTION_OTHER },
	{ "\x48\xf7\xf9", 3, "idiv %rcx", 0, INSTRUCTION_DIVIDE },
	{ "\x48\x99", 2, "cqto", 0, INSTRUCTION_OTHER },
	{ "\xf0\x48\x0f\xc1\x07", 5, "lock xadd %rax,(%rdi)", 0, INSTRUCTION_ATOMIC },
	{ "\xf0\xff\x07", 3, "lock incl (%rdi)", 0, INSTRUCTION_ATOMIC },
	{ "\xf3\x90", 2, "pause", 0, INSTRUCTION_PAUSE },
	{ "\x75\xee", 2, "jne", 0xff0, INSTRUCTION_OTHER },
	{ "\x74\x10", 2, "je", 0x1012, INSTRUCTION_OTHER },
	{ "\xe8\xfb\x00\x00\x00", 5, "call", 0x1100, INSTRUCTION_OTHER },
	{ "\xff\xd0", 2, "call *%rax", 0, INSTRUCTION_INDIRECT },
	{ "\xff\x60\x08", 3, "jmp *0x8(%rax)", 0, INSTRUCTION_INDIRECT },
	{ "\x48\x8b\x05\x10\x00\x00\x00", 7, "mov 0x10(%rip),%rax", 0, INSTRUCTION_LOAD },
	{ "\x64\x48\x8b\x04\x25\x28\x00\x00\x00", 9, "mov %fs:0x28,%rax", 0, INSTRUCTION_LOAD },
	{ "\xf2\x0f\x51\xc1", 4, "sqrtsd %xmm1,%xmm0", 0, INSTRUCTION_SQRT },
	{ "\x0f\x44\xc2", 3, "cmove %edx,%eax", 0, INSTRUCTION_OTHER },
	{ "\x48\x63\x03", 3, "movslq (%rbx),%rax", 0, INSTRUCTION_LOAD },
	{ "\x0f\xb6\x07", 3, "movzbl (%rdi),%eax", 0, INSTRUCTION_LOAD },
	{ "\x48\x0f\xbf\xc0", 4, "movswq %ax,%rax", 0, INSTRUCTION_OTHER },
	{ "\xf7\x37", 2, "divl (%rdi)", 0, INSTRUCTION_DIVIDE },
	{ "\xf3\xa4", 2, "rep movsb", 0, INSTRUCTION_COPY },
	{ "\x0f\x1f\x44\x00\x00", 5, "nop", 0, INSTRUCTION_OTHER },
	{ "\x0f\x05", 2, "syscall", 0, INSTRUCTION_SYSCALL },
	{ "\xc3", 1, "ret", 0, INSTRUCTION_OTHER },
	{ "\x06", 1, "(bad)", 0, INSTRUCTION_OTHER },     /* push %es: not in 64-bit mode */
	{ "\x48\x8b", 1, "(bad)", 0, INSTRUCTION_OTHER }, /* cut */
};

static void instructions_are_printed_as_the_gnu_tools_do(void **state)
{
	struct disassembly *d = NULL;
	size_t wrong = 0;

	(void)state;
	if (!HAVE_ZYDIS)
		SKIP_TEST("built without Zydis");
	assert_int_equal(disassembly_new(EM_X86_64, &d, NULL), OK);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t len =
			strcmp(rows[i].text, "(bad)") == 0 ? strlen(rows[i].bytes) : rows[i].len;
		struct disassembly_row row;

		disassembly_next(d, (const uint8_t *)rows[i].bytes, len, 0x1000, &row);
		if (strcmp(row.text, rows[i].text) != 0 || row.len != rows[i].len ||
		    row.has_target != (rows[i].target != 0) ||
		    (row.has_target && row.target != rows[i].target) ||
		    instruction_kind_of(str_of(row.text)) != rows[i].kind) {
			print_error("%s: '%s', %u bytes, kind %u\n", rows[i].text, row.text,
				    row.len, instruction_kind_of(str_of(row.text)));
			wrong++;
		}
	}
	assert_int_equal(wrong, 0);
	disassembly_free(d);
}

static void any_bytes_are_taken(void **state)
{
	struct disassembly *d = NULL;
	uint8_t bytes[16];
	uint32_t seed = 1;

	(void)state;
	if (!HAVE_ZYDIS)
		SKIP_TEST("built without Zydis");
	assert_int_equal(disassembly_new(EM_X86_64, &d, NULL), OK);
	for (unsigned int i = 0; i < 200000; i++) {
		struct disassembly_row row;
		size_t len = i % sizeof(bytes) + 1;

		for (size_t k = 0; k < len; k++)
			bytes[k] = (uint8_t)((seed = seed * 1103515245u + 12345u) >> 16);
		disassembly_next(d, bytes, len, seed, &row);
		assert_in_range(row.len, 1, len);
		assert_in_range(strlen(row.text), 1, DISASSEMBLY_TEXT - 1);
	}
	disassembly_free(d);
}

static void other_machines_are_declined(void **state)
{
	struct disassembly *d = NULL;
	struct error err = { "" };

	(void)state;
	assert_int_equal(disassembly_new(EM_AARCH64, &d, &err), ERR_UNSUPPORTED);
	assert_non_null(strstr(err.msg, HAVE_ZYDIS ? "x86-64 only" : "without the library Zydis"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_are_printed_as_the_gnu_tools_do),
		cmocka_unit_test(any_bytes_are_taken),
		cmocka_unit_test(other_machines_are_declined),
	};

	return cmocka_run_group_tests_name("disassembly", tests, NULL, NULL);
}
