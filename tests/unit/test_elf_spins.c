/* SPDX-License-Identifier: MIT */
/* Functions that wait in a loop with a pause instruction, by their code. */
#include "unit.h"

#include "base/str.h"
#include "base/vec.h"
#include "symbols/elf_spins.h"
#include "symbols/symtab.h"

#include <elf.h>

#define CODE(text) ((struct str){ text, sizeof(text) - 1 })

/* mov (%rdi),%eax; test; je out; pause; jmp back; ret */
#define SPIN "\x0f\xb6\x07\x84\xc0\x74\x04\xf3\x90\xeb\xf5\xc3"

static void a_pause_with_a_jump_back_spins(void **state)
{
	(void)state;
	assert_true(elf_spins_code(CODE(SPIN), EM_X86_64));
	assert_true(elf_spins_code(CODE("\xf3\x90\x8b\x07\x85\xc0\x75\xf8\xc3"), EM_386));
	/* a single pause, without a loop */
	assert_false(elf_spins_code(CODE("\x0f\xb6\x07\xf3\x90\xc3\x90\x90"), EM_X86_64));
	/* a jump forwards */
	assert_false(elf_spins_code(CODE("\xf3\x90\xeb\x05\x90\x90\x90\x90\x90\xc3"), EM_X86_64));
	/* a loop that computes */
	assert_false(elf_spins_code(CODE("\x48\x01\xd8\x48\xff\xc9\x75\xf8\xc3"), EM_X86_64));
	/* the jump is too far from the pause */
	assert_false(elf_spins_code(CODE("\xf3\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"
					 "\x90\x90\x90\x90\xeb\x80"),
				    EM_X86_64));
	assert_false(elf_spins_code(CODE(""), EM_X86_64));
	assert_false(elf_spins_code(CODE("\xf3\x90"), EM_X86_64));
}

static void a_yield_spins_on_arm(void **state)
{
	(void)state;
	assert_true(elf_spins_code(CODE("\x1f\x20\x03\xd5\x3f\x20\x03\xd5"), EM_AARCH64));
	/* a nop, and the bytes of a yield across two instructions */
	assert_false(elf_spins_code(CODE("\x1f\x20\x03\xd5\x00\x3f\x20\x03\xd5\x00\x00\x00"),
				    EM_AARCH64));
	assert_false(elf_spins_code(CODE(SPIN), EM_AARCH64));
	assert_false(elf_spins_code(CODE(SPIN), EM_ARM));
}

static void only_short_functions_inside_the_file_count(void **state)
{
	static char image[600];
	struct symtab t = { .names = VEC_INIT };

	(void)state;
	memcpy(image + 16, SPIN, sizeof(SPIN) - 1);
	memcpy(image + 320, SPIN, sizeof(SPIN) - 1);
	symtab_add(&t, 320, 256, STR("short"), SYMTAB_GLOBAL);
	symtab_add(&t, 300, 257, STR("long"), SYMTAB_GLOBAL);
	symtab_add(&t, 16, sizeof(SPIN) - 1, STR("spin"), SYMTAB_GLOBAL);
	symtab_add(&t, 16, 600, STR("beyond"), SYMTAB_GLOBAL);
	symtab_add(&t, 700, 10, STR("outside"), SYMTAB_GLOBAL);
	symtab_add(&t, 60, 10, STR("other"), SYMTAB_GLOBAL);
	elf_spins_find(&t, (struct str){ image, sizeof(image) }, EM_X86_64);
	assert_int_equal(t.spins.len, 2);
	assert_true(symtab_spins(&t, 16));
	assert_true(symtab_spins(&t, 320));
	assert_false(symtab_spins(&t, 300));
	assert_false(symtab_spins(&t, 60));
	assert_false(symtab_spins(&t, 17));
	symtab_fini(&t);
}

/* Number of functions that spin in a file of @bytes with one such function. */
static size_t spins_in(size_t bytes)
{
	char *image = calloc(bytes, 1);
	struct symtab t = { .names = VEC_INIT };
	size_t n;

	assert_non_null(image);
	memcpy(image + 16, SPIN, sizeof(SPIN) - 1);
	symtab_add(&t, 16, sizeof(SPIN) - 1, STR("spin"), SYMTAB_GLOBAL);
	elf_spins_find(&t, (struct str){ image, bytes }, EM_X86_64);
	n = t.spins.len;
	symtab_fini(&t);
	free(image);
	return n;
}

static void large_files_are_left_out(void **state)
{
	(void)state;
	assert_int_equal(spins_in((size_t)4 << 20), 1);
	assert_int_equal(spins_in(((size_t)4 << 20) + 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pause_with_a_jump_back_spins),
		cmocka_unit_test(a_yield_spins_on_arm),
		cmocka_unit_test(only_short_functions_inside_the_file_count),
		cmocka_unit_test(large_files_are_left_out),
	};

	return cmocka_run_group_tests_name("elf_spins", tests, NULL, NULL);
}
