/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/kernel/kallsyms_index.h"
#include "symbols/symtab.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* An unnamed file that contains @text. */
static int file_of(struct str text)
{
	FILE *f = tmpfile();
	int fd;

	assert_non_null(f);
	assert_int_equal(fwrite(text.p, 1, text.len, f), text.len);
	(void)fflush(f);
	fd = dup(fileno(f));
	(void)fclose(f);
	return fd;
}

/* A table as the kernel writes it: several names for one address, data, modules at the end. */
static char *table_of(unsigned int n)
{
	static const char types[] = "tTwWdDbBrRAa";
	size_t cap = (size_t)n * 64 + 256;
	char *text = xmalloc(cap);
	uint64_t address = 0xffffffff81000000;
	uint32_t seed = 7;
	size_t len = 0;

	for (unsigned int i = 0; i < n; i++) {
		seed = seed * 1664525 + 1013904223;
		len += (size_t)snprintf(text + len, cap - len, "%016llx %c %s_%u\n",
					(unsigned long long)address, types[(seed >> 8) % 12],
					(seed >> 16) % 17 ? "fn" : "$x", i);
		if (i == n / 2)
			len += (size_t)snprintf(text + len, cap - len, "%016llx T _text\n",
						(unsigned long long)address);
		address += (seed >> 20) % 4 * 0x30;
	}
	(void)snprintf(text + len, cap - len, "ffffffff80000000 t of_module\t[ext4]\n");
	return text;
}

static void it_answers_as_the_table_taken_apart_does(void **state)
{
	static const unsigned int sizes[] = { 1, 31, 32, 33, 64, 500, 5000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		CLEANUP(freep) char *text = table_of(sizes[i] + 12);
		struct kallsyms_index *x = kallsyms_index_open(file_of(str_of(text)));
		const struct symtab *all;
		struct kallsyms k = { .modules = VEC_INIT };

		assert_non_null(x);
		kallsyms_add(&k, str_of(text));
		assert_int_equal(kallsyms_finish(&k, NULL), OK);
		all = &k.modules.data[0].table;
		for (uint64_t a = 0xffffffff80fffff0; a < 0xffffffff81002000 + sizes[i] * 0x90ULL;
		     a += 0x10) {
			struct symtab *table;
			struct symtab_entry *is = kallsyms_index_find(x, a, &table);
			struct symtab_entry *want = symtab_find(all, a);

			assert_int_equal(is != NULL, want != NULL);
			if (!is)
				continue;
			assert_true(is->start == want->start && is->end == want->end);
			assert_true(str_eq(symtab_name(table, is), symtab_name(all, want)));
		}
		assert_true(kallsyms_index_text(x) >= 0xffffffff81000000);
		kallsyms_fini(&k);
		kallsyms_index_free(x);
	}
}

static void a_table_that_is_not_as_the_kernel_writes_it_is_left_to_others(void **state)
{
	static const char *const tables[] = {
		"",
		"\n",
		"ffffffff81000000 T a", /* truncated line */
		"ffffffff81000010 T a\nffffffff81000000 T b\n",
		"ffffffff8100001 T short\n",
		"FFFFFFFF81000010 T upper\n",
		"ffffffff8100001g T no_digit\n",
		"ffffffff8100001` T no_digit\n",
		"ffffffff8100001: T no_digit\n",
		"ffffffff81000010 T  blanks\n",
		"ffffffff81000010 T no_module]\n",
		"ffffffff81000010 T \n",
		"0000000000000000 T hidden\n0000000000000000 T all_of_them\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
		int fd = file_of(str_of(tables[i]));

		assert_null(kallsyms_index_open(fd));
		(void)close(fd);
	}
}

static void a_file_that_was_cut_meanwhile_answers_nothing(void **state)
{
	CLEANUP(freep) char *text = table_of(100);
	int fd = file_of(str_of(text));
	struct kallsyms_index *x = kallsyms_index_open(fd);
	struct symtab *table;

	(void)state;
	assert_non_null(x);
	assert_non_null(kallsyms_index_find(x, 0xffffffff81000100, &table));
	assert_int_equal(ftruncate(fd, 64), 0);
	assert_null(kallsyms_index_find(x, 0xffffffff81001000, &table));
	kallsyms_index_free(x);
}

static void what_was_noted_in_symbols_is_forgotten(void **state)
{
	CLEANUP(freep) char *text = table_of(100);
	struct kallsyms_index *x = kallsyms_index_open(file_of(str_of(text)));
	struct symtab *table;

	(void)state;
	assert_non_null(x);
	kallsyms_index_find(x, 0xffffffff81000100, &table)->sym = (sym_id){ 7 };
	kallsyms_index_reset(x);
	assert_int_equal(kallsyms_index_find(x, 0xffffffff81000100, &table)->sym.v, 0);
	kallsyms_index_free(x);
}

static void addresses_outside_of_the_marked_text_are_data(void **state)
{
	static const struct {
		uint64_t address;
		bool is_data;
	} cases[] = {
		{ 0x0fff, true }, { 0x1000, false }, { 0x1fff, false }, { 0x2000, true },
		{ 0x2fff, true }, { 0x3000, false }, { 0x3fff, false }, { 0x4000, true },
	};
	struct kallsyms_marks marks = { 0 };

	(void)state;
	kallsyms_mark(&marks, STR("_text"), 0x1000);
	assert_false(kallsyms_is_data(&marks, 0x5000));
	kallsyms_mark(&marks, STR("_etext"), 0x2000);
	kallsyms_mark(&marks, STR("_sinittext"), 0x3000);
	kallsyms_mark(&marks, STR("_einittext"), 0x4000);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(kallsyms_is_data(&marks, cases[i].address), cases[i].is_data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_answers_as_the_table_taken_apart_does),
		cmocka_unit_test(a_table_that_is_not_as_the_kernel_writes_it_is_left_to_others),
		cmocka_unit_test(a_file_that_was_cut_meanwhile_answers_nothing),
		cmocka_unit_test(what_was_noted_in_symbols_is_forgotten),
		cmocka_unit_test(addresses_outside_of_the_marked_text_are_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
