/* SPDX-License-Identifier: MIT */
/* The entries of a section with call frame information, and the linker's table of them. */
#include "unit.h"

#include "base/idmap.h"
#include "base/status.h"
#include "cfi_bytes.h"
#include "core/ids.h"
#include "symbols/unwind/cfi.h"

struct entry_case {
	const char *common; /* the CIE after its id */
	size_t n;
	const char *function; /* the FDE after its CIE pointer */
	size_t n_function;
	uint64_t start, end; /* 0: no function */
};

#define ENTRY(common, function, start, end)                                            \
	{                                                                              \
		common, sizeof(common) - 1, function, sizeof(function) - 1, start, end \
	}
#define FAR_AWAY "\x10\x20\0\0\0\0\0\0\x40\0\0\0\0\0\0\0"

static const struct entry_case entries[] = {
	/* versions */
	ENTRY("\x01\0" PLAIN, FAR_AWAY, 0x2010, 0x2050),
	ENTRY("\x03\0" PLAIN, FAR_AWAY, 0x2010, 0x2050),
	ENTRY("\x04\0\x08\x00" PLAIN, FAR_AWAY, 0x2010, 0x2050),
	ENTRY("\x02\0" PLAIN, FAR_AWAY, 0, 0),
	ENTRY("\x05\0" PLAIN, FAR_AWAY, 0, 0),
	ENTRY("\x00\0" PLAIN, FAR_AWAY, 0, 0),
	/* the return register: one byte in version 1 */
	ENTRY("\x01\0\x01\x78\x20", FAR_AWAY, 0x2010, 0x2050),
	ENTRY("\x01\0\x01\x78\x21", FAR_AWAY, 0, 0),
	ENTRY("\x03\0\x01\x78\xa0\x00", FAR_AWAY, 0x2010, 0x2050),
	ENTRY("\x01\0\x01\x78\xa0", FAR_AWAY, 0, 0),
	/* cut */
	ENTRY("\x01\0\x01\x78", FAR_AWAY, 0, 0),
	ENTRY("\x01zR", FAR_AWAY, 0, 0),
	ENTRY("\x01\0" PLAIN, "\x10\x20\0\0\0\0\0\0\x40\0\0\0\0\0\0", 0, 0),
	/* augmentations */
	ENTRY("\x01zR\0" PLAIN "\x01\x03", "\x10\x20\0\0\x40\0\0\0\0", 0x2010, 0x2050),
	ENTRY("\x01zR\0" PLAIN "\x01\x03", "\x10\x20\0\0\x40\0\0\0\x01\xff", 0x2010, 0x2050),
	ENTRY("\x01zR\0" PLAIN "\x01\x03", "\x10\x20\0\0\x40\0\0\0", 0, 0),
	ENTRY("\x01zR\0" PLAIN "\x02\x03", "\x10\x20\0\0\x40\0\0\0\0", 0, 0),
	ENTRY("\x01zLR\0" PLAIN "\x02\x1b\x03", "\x10\x20\0\0\x40\0\0\0\0", 0x2010, 0x2050),
	ENTRY("\x01zPR\0" PLAIN "\x04\x02\1\2\x03", "\x10\x20\0\0\x40\0\0\0\0", 0x2010, 0x2050),
	ENTRY("\x01zPR\0" PLAIN "\x06\x9b\1\2\3\4\x03", "\x10\x20\0\0\x40\0\0\0\0", 0x2010, 0x2050),
	ENTRY("\x01zPR\0" PLAIN "\x06\x05\1\2\3\4\x03", "\x10\x20\0\0\x40\0\0\0\0", 0, 0),
	ENTRY("\x01zBR\0" PLAIN "\x01\x03", "\x10\x20\0\0\x40\0\0\0\0", 0x2010, 0x2050),
	/* what follows an unknown letter is not read */
	ENTRY("\x01zXR\0" PLAIN "\x01\x03", FAR_AWAY "\0", 0x2010, 0x2050),
	ENTRY("\x01R\0" PLAIN "\x03", "\x10\x20\0\0\x40\0\0\0\0", 0, 0),
	/* encodings of addresses; the function's address is at byte 25 */
	ENTRY("\x01zR\0" PLAIN "\x01\x00", FAR_AWAY "\0", 0x2010, 0x2050),
	ENTRY("\x01zR\0" PLAIN "\x01\x04", FAR_AWAY "\0", 0x2010, 0x2050),
	ENTRY("\x01zR\0" PLAIN "\x01\x0c", FAR_AWAY "\0", 0x2010, 0x2050),
	ENTRY("\x01zR\0" PLAIN "\x01\x02", "\xf0\xff\x40\0\0", 0xfff0, 0x10030),
	ENTRY("\x01zR\0" PLAIN "\x01\x0a", "\xf0\x7f\x40\0\0", 0x7ff0, 0x8030),
	ENTRY("\x01zR\0" PLAIN "\x01\x03", "\xf0\xff\xff\xff\x40\0\0\0\0", 0xfffffff0, 0x100000030),
	ENTRY("\x01zR\0" PLAIN "\x01\x1b", "\xf0\xff\xff\xff\x40\0\0\0\0", SECTION + 25 - 16,
	      SECTION + 25 + 48),
	ENTRY("\x01zR\0" PLAIN "\x01\x1a", "\xf0\xff\x40\0\0", SECTION + 25 - 16,
	      SECTION + 25 + 48),
	ENTRY("\x01zR\0" PLAIN "\x01\x01", "\x10\x20\0\0\x40\0\0\0\0", 0, 0),
	ENTRY("\x01zR\0" PLAIN "\x01\x2b", "\x10\x20\0\0\x40\0\0\0\0", 0, 0),
	ENTRY("\x01zR\0" PLAIN "\x01\x3b", "\x10\x20\0\0\x40\0\0\0\0", 0, 0),
	ENTRY("\x01zR\0" PLAIN "\x01\x9b", "\x10\x20\0\0\x40\0\0\0\0", 0, 0),
	ENTRY("\x01zR\0" PLAIN "\x01\xc3", "\x10\x20\0\0\x40\0\0\0\0", 0, 0),
	ENTRY("\x01zR\0" PLAIN "\x01\xff", "\x10\x20\0\0\x40\0\0\0\0", 0, 0),
	/* beyond the address space; of no length */
	ENTRY("\x01\0" PLAIN, "\xf0\xff\xff\xff\xff\xff\xff\xff\x0f\0\0\0\0\0\0\0", UINT64_MAX - 15,
	      UINT64_MAX),
	ENTRY("\x01\0" PLAIN, "\xf0\xff\xff\xff\xff\xff\xff\xff\x10\0\0\0\0\0\0\0", 0, 0),
	ENTRY("\x01\0" PLAIN, "\xf0\x0f\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 0, 0),
	ENTRY("\x01\0" PLAIN, "\xf0\x0f\0\0\0\0\0\0\x01\0\0\0\0\0\0\0", 0xff0, 0xff1),
};

static void entries_are_read_by_their_version_and_augmentation(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(entries); i++) {
		const struct entry_case *e = &entries[i];
		struct bytes b = { .n = 0 };
		const struct cfi_function *f;
		struct cfi c;
		size_t at;

		at = put_entry(&b, 0);
		put_text(&b, e->common, e->n);
		put_end(&b, at);
		at = put_entry(&b, b.n + 4);
		put_text(&b, e->function, e->n_function);
		put_end(&b, at);
		cfi_of(&c, &b, false);
		f = c.functions.len == 1 ? &c.functions.data[0] : NULL;
		if (f ? f->start != e->start || f->end != e->end : e->end != 0) {
			print_error("entry %zu: %llx to %llx\n", i,
				    f ? (unsigned long long)f->start : 0,
				    f ? (unsigned long long)f->end : 0);
			wrong++;
		}
		cfi_end(&c);
	}
	assert_int_equal(wrong, 0);
}

/* What surrounds the entries: a terminator, a cut, and ids that lead nowhere. */
static void a_section_ends_where_its_lengths_say(void **state)
{
	struct bytes whole = { .n = 0 }, b;
	struct cfi c;
	size_t second;

	(void)state;
	put_common(&whole, false);
	put_function(&whole, false, "", 0);
	second = whole.n;
	put_function(&whole, false, "\x41", 1);
	for (size_t n = 0; n <= whole.n; n++) {
		b = whole;
		b.n = n;
		cfi_of(&c, &b, false);
		assert_int_equal(c.functions.len, n == whole.n ? 2 : n >= second ? 1 : 0);
		/* less than a head is padding; a head without its entry is damage */
		assert_int_equal(c.n_bad, (n >= 8 && n < 18) || (n >= 26 && n < second) ||
						  (n >= second + 8 && n < whole.n));
		cfi_end(&c);
	}
	/* a terminator does not end the section */
	b = (struct bytes){ .n = 0 };
	put_common(&b, false);
	put(&b, 0, 4);
	put_function(&b, false, "", 0);
	cfi_of(&c, &b, false);
	assert_int_equal(c.functions.len, 1);
	assert_int_equal(c.n_bad, 0);
	cfi_end(&c);
	/* an entry of 64 bits, or one too short for its id */
	b = (struct bytes){ .n = 0 };
	put(&b, UINT32_MAX, 4);
	put(&b, 0, 8);
	cfi_of(&c, &b, false);
	assert_int_equal(c.n_bad, 1);
	cfi_end(&c);
	b = (struct bytes){ .n = 0 };
	put(&b, 3, 4);
	put(&b, 0, 8);
	cfi_of(&c, &b, false);
	assert_int_equal(c.n_bad, 1);
	cfi_end(&c);
}

static void a_function_of_a_common_entry_elsewhere_is_bad(void **state)
{
	(void)state;
	/* the id is the distance back to the CIE: to an FDE, before the section, into an entry */
	for (uint64_t id = 20; id <= 30; id++) {
		struct bytes b = { .n = 0 };
		struct cfi c;
		size_t at;

		put_common(&b, false);
		at = put_entry(&b, id);
		put_text(&b, FAR_AWAY, 16);
		put_end(&b, at);
		cfi_of(&c, &b, false);
		assert_int_equal(c.functions.len, id == 22);
		assert_int_equal(c.n_bad, id != 22);
		cfi_end(&c);
	}
	/* in .debug_frame the id is the offset of the CIE */
	for (uint64_t id = 0; id < 50; id += 3) {
		struct bytes b = { .n = 0 };
		struct cfi c;
		size_t at;

		put_common(&b, true);
		at = put_entry(&b, id);
		put_text(&b, FAR_AWAY, 16);
		put_end(&b, at);
		cfi_of(&c, &b, true);
		assert_int_equal(c.functions.len, id == 0);
		cfi_end(&c);
	}
}

static void functions_are_sorted_and_share_their_common_entry(void **state)
{
	static const uint64_t starts[] = { 0x3000, 0x1000, 0x2000, 0x1000, 0x5000 };
	struct bytes b = { .n = 0 };
	struct cfi c;

	(void)state;
	put_common(&b, true);
	for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
		size_t at = put_entry(&b, 0);

		put(&b, starts[i], 8);
		put(&b, 0x100 * (i + 1), 8);
		put_end(&b, at);
	}
	cfi_of(&c, &b, true);
	assert_int_equal(c.functions.len, 5);
	assert_int_equal(c.commons.len, 1);
	for (size_t i = 1; i < 5; i++) {
		const struct cfi_function *x = &c.functions.data[i - 1], *y = x + 1;

		assert_true(x->start < y->start || (x->start == y->start && x->at < y->at));
	}
	assert_int_equal(cfi_function_size(&c, 0x1000), 0x400); /* the last of two */
	assert_int_equal(cfi_function_size(&c, 0x3000), 0x100);
	assert_int_equal(cfi_find(&c, 0x4000), INDEX_NONE);
	assert_int_not_equal(cfi_find(&c, 0x22ff), INDEX_NONE);
	assert_int_equal(cfi_find(&c, 0x2300), INDEX_NONE);
	cfi_end(&c);
}

/* .eh_frame_hdr of the functions of a section, sorted. */
static void the_linkers_table_finds_what_all_entries_give(void **state)
{
	struct bytes b = { .n = 0 }, header = { .n = 0 };
	uint32_t places[5];
	struct cfi c, all;

	(void)state;
	put_common(&b, false);
	for (size_t i = 0; i < 5; i++) {
		size_t at = put_entry(&b, b.n + 4);

		places[i] = (uint32_t)at;
		put(&b, 0x1000 * (i + 1), 8);
		put(&b, 0x800, 8);
		put_end(&b, at);
	}
	put_text(&header, "\x01\x1b\x03\x3b\0\0\0\0", 8);
	put(&header, 5, 4);
	for (size_t i = 0; i < 5; i++) { /* addresses relative to the table */
		put(&header, 0x1000 * (i + 1) - 0x90000, 4);
		put(&header, SECTION + places[i] - 0x90000, 4);
	}
	cfi_of(&all, &b, false);
	cfi_of(&c, &b, false);
	c.functions.len = 0;
	c.table.address = 0x90000;
	/* a table cut by one byte is not used */
	cfi_table_open(&c, header.data, header.n - 1);
	assert_int_equal(c.table.n, 0);
	cfi_table_open(&c, header.data, 11);
	assert_int_equal(c.table.n, 0);
	cfi_table_open(&c, header.data, header.n);
	assert_int_equal(c.table.n, 5);
	for (int turn = 0; turn < 2; turn++) {
		for (uint64_t a = 0x5fff; a >= 0x800; a -= 0x7ff) {
			uint32_t x = cfi_find(&c, a), y = cfi_find(&all, a);

			assert_int_equal(x == INDEX_NONE, y == INDEX_NONE);
			if (x != INDEX_NONE)
				assert_int_equal(c.rows.data[x].start, all.rows.data[y].start);
			assert_int_equal(cfi_function_size(&c, a & ~UINT64_C(0xfff)),
					 a >= 0x1000 ? 0x800 : 0);
		}
	}
	/* each function was read once */
	assert_int_equal(c.functions.len, 5);
	assert_int_equal(c.table.n, 5);
	cfi_end(&c);
	cfi_end(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_read_by_their_version_and_augmentation),
		cmocka_unit_test(a_section_ends_where_its_lengths_say),
		cmocka_unit_test(a_function_of_a_common_entry_elsewhere_is_bad),
		cmocka_unit_test(functions_are_sorted_and_share_their_common_entry),
		cmocka_unit_test(the_linkers_table_finds_what_all_entries_give),
	};

	return cmocka_run_group_tests_name("cfi_entries", tests, NULL, NULL);
}
