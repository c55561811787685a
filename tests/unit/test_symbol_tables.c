/* SPDX-License-Identifier: MIT */
/* Tables of symbols against plain searches, and lines of kallsyms. */
#include "unit.h"

#include "base/alloc.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "config.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/symtab.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t next(uint64_t *x, uint64_t below)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (*x >> 33) % below;
}

struct made {
	uint64_t start, size;
	enum symtab_binding binding;
	char name[8];
};

/* Whether the earlier symbol @a is shown and not @b, in the order of symtab.c. */
static bool keeps(const struct made *a, const struct made *b, bool a_sized, bool b_sized)
{
	size_t a_bars = strspn(a->name, "_"), b_bars = strspn(b->name, "_");

	if (a_sized != b_sized)
		return a_sized;
	if (a->binding != b->binding) {
		if (a->binding == SYMTAB_WEAK || b->binding == SYMTAB_WEAK)
			return b->binding == SYMTAB_WEAK;
		return a->binding == SYMTAB_GLOBAL;
	}
	if (a_bars != b_bars)
		return a_bars < b_bars;
	if (strlen(a->name) != strlen(b->name))
		return strlen(a->name) > strlen(b->name);
	return true;
}

/*
 * Random symbols at few addresses, in any order. The one of an address is chosen by comparing one
 * after another; an unknown size reaches to the next symbol of the sorted table.
 */
static void an_address_has_the_symbol_that_a_plain_search_finds(void **state)
{
	uint64_t x = 5;

	(void)state;
	for (int turn = 0; turn < 300; turn++) {
		struct made m[12], sorted[12];
		bool is_sized[12];
		size_t n = next(&x, 12) + 1, kept = 0;
		struct symtab t = { 0 };

		for (size_t i = 0; i < n; i++) {
			size_t len = 1 + next(&x, 3);

			m[i].start = 0x1000 + next(&x, 6) * (turn % 3 ? 1 : 16);
			if (turn % 5 == 0)
				m[i].start = 0x1000 + i;
			m[i].size = next(&x, 4) * (turn % 2 ? 6 : 1);
			m[i].binding = (enum symtab_binding)next(&x, 3);
			memset(m[i].name, 0, sizeof(m[i].name));
			memset(m[i].name, '_', next(&x, 2));
			for (size_t k = 0; k < len; k++)
				m[i].name[strlen(m[i].name)] = (char)('a' + i);
			symtab_add(&t, m[i].start, m[i].size, str_of(m[i].name), m[i].binding);
		}
		symtab_finish(&t, false);
		for (uint64_t start = 0; start < 0x2000; start++) { /* sort by start, stable */
			for (size_t i = 0; i < n; i++) {
				if (m[i].start == start)
					sorted[kept++] = m[i];
			}
		}
		assert_int_equal(kept, n);
		for (size_t i = 0; i < n; i++) {
			if (sorted[i].size == 0)
				sorted[i].size =
					i + 1 < n ? sorted[i + 1].start - sorted[i].start
						  : ((sorted[i].start + 4095) & ~UINT64_C(4095)) +
							    4096 - sorted[i].start;
			is_sized[i] = sorted[i].size != 0;
		}
		kept = 0;
		for (size_t i = 0; i < n; i++) {
			if (kept == 0 || sorted[kept - 1].start != sorted[i].start) {
				is_sized[kept] = is_sized[i];
				sorted[kept++] = sorted[i];
			} else if (!keeps(&sorted[kept - 1], &sorted[i], is_sized[kept - 1],
					  is_sized[i])) {
				is_sized[kept - 1] = is_sized[i];
				sorted[kept - 1] = sorted[i];
			}
		}
		assert_int_equal(t.entries.len, kept);
		for (uint64_t a = 0xffe; a < 0x3001; a += a < 0x1070 ? 1 : 97) {
			const struct symtab_entry *e = symtab_find(&t, a);
			const struct made *found = NULL;
			size_t back = 0;

			/* the nearest of at most eight that start before and reach the address */
			for (size_t i = kept; i-- > 0 && back < 8 && !found;) {
				if (sorted[i].start > a)
					continue;
				back++;
				if (a < sorted[i].start + sorted[i].size)
					found = &sorted[i];
			}
			assert_int_equal(e != NULL, found != NULL);
			if (found)
				assert_str(symtab_name(&t, e), found->name);
		}
		symtab_fini(&t);
	}
}

static void the_last_symbol_ends_with_its_next_page_or_the_address_space(void **state)
{
	static const uint64_t rows[][2] = {
		{ 0, 4096 },
		{ 1, 8192 },
		{ 4096, 8192 },
		{ 4097, 12288 },
		{ UINT64_MAX - 8193, UINT64_MAX - 4095 },
		{ UINT64_MAX - 8192, UINT64_MAX },
		{ UINT64_MAX - 5, UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct symtab t = { 0 };

		symtab_add(&t, rows[i][0], 0, STR("a"), SYMTAB_GLOBAL);
		symtab_finish(&t, true);
		assert_int_equal(t.entries.data[0].end, rows[i][1]);
		symtab_fini(&t);
	}
	for (uint64_t size = 5; size < 8; size++) {
		struct symtab t = { 0 };

		symtab_add(&t, UINT64_MAX - 6, size, STR("a"), SYMTAB_GLOBAL);
		assert_int_equal(t.entries.data[0].end,
				 size < 6 ? UINT64_MAX - 6 + size : UINT64_MAX);
		symtab_fini(&t);
	}
}

/* Mangled names that are compared as people see them, constructors by their variant. */
static void names_for_one_address(void **state)
{
	static const struct {
		const char *a, *b;
		bool is_demangled, keeps_a;
	} rows[] = {
		{ "_ZN1AC1Ev", "_ZN1AC2Ev", true, true },
		{ "_ZN1AC2Ev", "_ZN1AC1Ev", true, true },
		{ "_ZN1AD0Ev", "_ZN1AD2Ev", true, true },
		/* "f()" is shorter than "ff", "A::g()" is longer, both without underscores */
		{ "_Z1fv", "ffff", true, false },
		{ "_ZN1A1gEv", "ffff", true, HAVE_LIBIBERTY },
		{ "_Z1fv", "ffff", false, false },
		{ "_x", "_x", true, true },
		{ "SyS_read", "sys_read", true, false },
		{ "sys_read", "SyS_read", true, true },
		{ "compat_SyS_x", "compat_sys_x", false, false },
		{ "Sys_read", "sys_read", true, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct symtab t = { 0 };

		symtab_add(&t, 1, 1, str_of(rows[i].a), SYMTAB_GLOBAL);
		symtab_add(&t, 1, 1, str_of(rows[i].b), SYMTAB_GLOBAL);
		symtab_finish(&t, rows[i].is_demangled);
		assert_int_equal(t.entries.len, 1);
		assert_str(symtab_name(&t, &t.entries.data[0]),
			   rows[i].keeps_a ? rows[i].a : rows[i].b);
		symtab_fini(&t);
	}
}

/* Tables of 64 KiB and more stay in their file; smaller and damaged ones are copied. */
static void large_tables_of_names_are_mapped(void **state)
{
	static const struct {
		size_t offset, len;
		bool is_open, ends, is_mapped;
	} rows[] = {
		{ 4096, 65536, true, true, true },   { 4097, 65537, true, true, true },
		{ 12345, 70000, true, true, true },  { 4096, 65535, true, true, false },
		{ 4096, 65536, false, true, false }, { 4096, 65536, true, false, false },
	};
	CLEANUP(freep) char *bytes = xmalloc(90000);
	char path[] = "/tmp/assay-names-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	(void)unlink(path);
	for (size_t i = 0; i < 90000; i++)
		bytes[i] = (char)('a' + i % 26);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t offset = rows[i].offset, len = rows[i].len;
		char first = bytes[offset + len - 1];
		struct symtab t = { 0 };
		uint32_t place = 7;

		if (rows[i].ends)
			bytes[offset + len - 1] = '\0';
		assert_int_equal(pwrite(fd, bytes, 90000, 0), 90000);
		assert_true(symtab_map_names(&t, rows[i].is_open ? fd : -1, offset,
					     (struct str){ bytes + offset, len }, &place));
		assert_int_equal(t.mapping != NULL, rows[i].is_mapped);
		assert_int_equal(place, rows[i].is_mapped ? SYMTAB_MAPPED : 0);
		symtab_add_at(&t, 1, 1, place + 3, SYMTAB_GLOBAL);
		symtab_finish(&t, false);
		assert_int_equal(
			memcmp(symtab_name(&t, &t.entries.data[0]).p, bytes + offset + 3, 999), 0);
		/* only one table can be mapped: the next one is copied */
		assert_true(symtab_map_names(&t, fd, offset, (struct str){ bytes + offset, len },
					     &place));
		assert_int_equal(place, rows[i].is_mapped              ? 0
					: len >= 65536 && rows[i].ends ? SYMTAB_MAPPED
								       : len + 1);
		symtab_fini(&t);
		bytes[offset + len - 1] = first;
	}
	(void)close(fd);
}

/* The offset of a name is a number of 32 bits, half of them for mapped names. */
static void a_table_of_2_gib_of_names_is_too_large(void **state)
{
	int fd = memfd_create("names", MFD_CLOEXEC);
	struct symtab t = { 0 };
	uint32_t place = 7;

	(void)state;
	if (fd < 0)
		SKIP_TEST("no files in memory here");
	/* the size is refused before a byte of the names is read */
	assert_false(symtab_map_names(&t, fd, 0, (struct str){ "", SYMTAB_MAPPED }, &place));
	assert_int_equal(place, 7);
	assert_null(t.mapping);
	(void)close(fd);
	symtab_fini(&t);
}

/* The tables as text: module, address and end, name, binding. */
static void kallsyms_text(const char *text, struct out *out)
{
	struct kallsyms k = { 0 };
	struct error err;
	int r;

	kallsyms_add(&k, str_of(text));
	r = kallsyms_finish(&k, &err);
	out_printf(out, "%d %zu", r, k.n_lines);
	VEC_FOREACH (m, &k.modules) {
		out_printf(out, "|%zu" STR_FMT, m->table.entries.len,
			   STR_ARG(kallsyms_module_name(m)));
		VEC_FOREACH (e, &m->table.entries)
			out_printf(out, " %llx-%llx:" STR_FMT, (unsigned long long)e->start,
				   (unsigned long long)e->end, STR_ARG(symtab_name(&m->table, e)));
	}
	kallsyms_fini(&k);
}

static const struct {
	const char *text, *tables;
} lines[] = {
	{ "", "-3 0|0" },
	{ "prose\n", "-3 0|0" },
	{ "0 t a\n", "-6 1|1 0-0:a" },
	{ "10 t a", "0 1|1 10-2000:a" },
	{ "10 t a\n20 T b\n", "0 2|2 10-20:a 20-2000:b" },
	{ "10 t a\r\n20 T b\r\n", "0 2|2 10-20:a 20-2000:b" },
	{ "0123456789abcdef t a\n", "0 1|1 123456789abcdef-123456789abe000:a" },
	{ "0123456789abcdef0 t a\n", "-3 0|0" },
	{ "ffffffffffffffff t a\n", "0 1|1 ffffffffffffffff-ffffffffffffffff:a" },
	{ " t a\n", "-3 0|0" },
	{ "10\tt a\n", "-3 0|0" },
	{ "10 ta\n", "-3 0|0" },
	{ "10 t\n", "-3 0|0" },
	{ "10 t \n", "-3 0|0" },
	{ "10 t  \t a\n", "0 1|1 10-2000:a" },
	/* kinds */
	{ "10 w a\n10 W b\n10 d c\n10 B e\n", "0 4|1 10-2000:e" },
	{ "10 w aa\n10 t b\n", "0 2|1 10-2000:b" },
	{ "10 t aa\n10 T b\n", "0 2|1 10-2000:b" },
	{ "10 a x\n10 A y\n10 r z\n10 u v\n", "0 4|0" },
	{ "10 t $x\n", "0 1|0" },
	/* modules; one of no name is the kernel */
	{ "10 t a\t[ext4]\n20 t b\n", "0 2|1 20-2000:b|1ext4 10-2000:a" },
	{ "10 t a [m]\n20 t b [n]\n30 t c [m]\n40 t d\n50 t e [n]\n",
	  "0 5|1 40-2000:d|2m 10-30:a 30-2000:c|2n 20-50:b 50-2000:e" },
	{ "10 t a []\n", "0 1|1 10-2000:a" },
	{ "10 t a [b\n", "0 1|1 10-2000:a" },
	{ "10 t a x]\n", "0 1|1 10-2000:a" },
	{ "10 t a [bc] d\n", "0 1|0|1bc 10-2000:a" },
	{ "10 t a xyz\n", "0 1|1 10-2000:a" },
	{ "10 t a [\n", "0 1|1 10-2000:a" },
};

static void lines_of_kallsyms_become_tables(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct out out;

		out_init(&out);
		kallsyms_text(lines[i].text, &out);
		if (!str_eq(out_view(&out), str_of(lines[i].tables))) {
			print_error("case %zu: " STR_FMT "\n", i, STR_ARG(out_view(&out)));
			wrong++;
		}
		out_fini(&out);
	}
	assert_int_equal(wrong, 0);
}

static void marks_divide_code_and_data(void **state)
{
	struct kallsyms_marks m = { 0 };
	struct kallsyms k = { 0 };

	(void)state;
	/* only the kernel's own names are marks */
	kallsyms_add(&k, STR("10 T _text\n99 T _text\t[m]\n20 T _etext\n"));
	assert_true(k.marks.text == 0x10 && k.marks.etext == 0x20);
	kallsyms_fini(&k);
	kallsyms_mark(&m, STR("_text"), 10);
	assert_false(kallsyms_is_data(&m, 5));
	kallsyms_mark(&m, STR("_etext"), 10);
	assert_false(kallsyms_is_data(&m, 5));
	kallsyms_mark(&m, STR("_etext"), 20);
	kallsyms_mark(&m, STR("_sinittext"), 30);
	kallsyms_mark(&m, STR("_einittext"), 40);
	kallsyms_mark(&m, STR("a_text"), 99);
	kallsyms_mark(&m, STR("_texts"), 99);
	for (uint64_t a = 0; a < 50; a++)
		assert_int_equal(kallsyms_is_data(&m, a),
				 !((a >= 10 && a < 20) || (a >= 30 && a < 40)));
	m.text = 0;
	assert_false(kallsyms_is_data(&m, 25));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_has_the_symbol_that_a_plain_search_finds),
		cmocka_unit_test(the_last_symbol_ends_with_its_next_page_or_the_address_space),
		cmocka_unit_test(names_for_one_address),
		cmocka_unit_test(large_tables_of_names_are_mapped),
		cmocka_unit_test(a_table_of_2_gib_of_names_is_too_large),
		cmocka_unit_test(lines_of_kallsyms_become_tables),
		cmocka_unit_test(marks_divide_code_and_data),
	};

	return cmocka_run_group_tests_name("symbol_tables", tests, NULL, NULL);
}
