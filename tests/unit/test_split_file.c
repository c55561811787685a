/* SPDX-License-Identifier: MIT */
/* Units of split debug information: index of a .dwp file and image of a unit, byte by byte. */
#include "config.h"

#include "unit.h"

#if HAVE_LIBDW

#include "base/status.h"
#include "base/str.h"
#include "symbols/lines/split_file.h"

#include <elf.h>
#include <stdlib.h>

static void put(char *to, bool is_little, uint64_t v, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		to[is_little ? i : n - 1 - i] = (char)(v >> 8 * i);
}

static uint64_t number(struct str s, size_t at, bool is_little, unsigned int n)
{
	uint64_t v = 0;

	assert_true(at + n <= s.len);
	for (unsigned int i = 0; i < n; i++)
		v |= (uint64_t)(uint8_t)s.p[at + i] << 8 * (is_little ? i : n - 1 - i);
	return v;
}

static void numbers_end_with_their_section(void **state)
{
	struct split_file f = { .is_little = true };
	struct str s = STR("\x01\x02\x03\x04");

	(void)state;
	assert_int_equal(split_file_number(&f, s, 0, 4), 0x04030201);
	assert_int_equal(split_file_number(&f, s, 1, 3), 0x040302);
	assert_int_equal(split_file_number(&f, s, 1, 4), 0);
	assert_int_equal(split_file_number(&f, s, 4, 0), 0);
	assert_int_equal(split_file_number(&f, s, 4, 1), 0);
	assert_int_equal(split_file_number(&f, s, UINT64_MAX, 1), 0);
	f.is_little = false;
	assert_int_equal(split_file_number(&f, s, 0, 4), 0x01020304);
	assert_int_equal(split_file_number(&f, s, 2, 2), 0x0304);
}

#define HEAD_OF(member) offsetof(Elf64_Ehdr, member), sizeof(((Elf64_Ehdr *)NULL)->member)
#define ROW_OF(member)  offsetof(Elf64_Shdr, member), sizeof(((Elf64_Shdr *)NULL)->member)

static uint64_t field(struct str image, bool is_little, size_t row, size_t at, size_t n)
{
	return number(image, row + at, is_little, (unsigned int)n);
}

/* The content of section @name of an image, whose headers are checked field by field. */
static struct str section(const struct split_image *made, bool is_little, const char *name)
{
	struct str image = { made->bytes, made->len }, found = STR_NONE;
	uint64_t rows = field(image, is_little, 0, HEAD_OF(e_shoff));
	uint64_t n = field(image, is_little, 0, HEAD_OF(e_shnum));
	uint64_t names_row, names_at, names_size;

	assert_true(str_starts(image, STR("\x7f"
					  "ELF\x02")));
	assert_int_equal(image.p[EI_DATA], is_little ? ELFDATA2LSB : ELFDATA2MSB);
	assert_int_equal(image.p[EI_VERSION], EV_CURRENT);
	assert_int_equal(field(image, is_little, 0, HEAD_OF(e_type)), ET_REL);
	assert_int_equal(field(image, is_little, 0, HEAD_OF(e_machine)), 0);
	assert_int_equal(field(image, is_little, 0, HEAD_OF(e_version)), EV_CURRENT);
	assert_int_equal(rows, sizeof(Elf64_Ehdr));
	assert_int_equal(field(image, is_little, 0, HEAD_OF(e_ehsize)), sizeof(Elf64_Ehdr));
	assert_int_equal(field(image, is_little, 0, HEAD_OF(e_shentsize)), sizeof(Elf64_Shdr));
	assert_int_equal(field(image, is_little, 0, HEAD_OF(e_shstrndx)), n - 1);
	names_row = rows + (n - 1) * sizeof(Elf64_Shdr);
	names_at = field(image, is_little, names_row, ROW_OF(sh_offset));
	names_size = field(image, is_little, names_row, ROW_OF(sh_size));
	for (size_t k = 0; k < sizeof(Elf64_Shdr); k++)
		assert_int_equal(image.p[rows + k], 0); /* the first header is empty */
	for (uint64_t i = 1; i < n; i++) {
		uint64_t row = rows + i * sizeof(Elf64_Shdr);
		uint64_t at = field(image, is_little, row, ROW_OF(sh_offset));
		uint64_t size = field(image, is_little, row, ROW_OF(sh_size));
		uint64_t name_at = field(image, is_little, row, ROW_OF(sh_name));

		assert_int_equal(field(image, is_little, row, ROW_OF(sh_type)),
				 i == n - 1 ? SHT_STRTAB : SHT_PROGBITS);
		assert_int_equal(field(image, is_little, row, ROW_OF(sh_addralign)), 1);
		assert_int_equal(at % 8, 0);
		assert_true(at >= rows + n * sizeof(Elf64_Shdr) && at + size <= image.len);
		assert_true(i == n - 1 || at >= names_at + names_size);
		assert_true(name_at < names_size);
		if (str_eq(str_of(image.p + names_at + name_at), str_of(name)))
			found = str_sub(image, at, at + size);
	}
	return found;
}

#define SECTION(f, i, text) (f)->sections[i] = STR(text)

static void a_dwo_file_is_one_unit_as_a_whole(void **state)
{
	(void)state;
	for (unsigned int is_little = 0; is_little < 2; is_little++) {
		struct split_file f = { .is_little = is_little };
		struct split_image made;

		SECTION(&f, SPLIT_INFO, "info of the unit");
		SECTION(&f, SPLIT_ABBREV, "abbrev");
		SECTION(&f, SPLIT_STR, "a string");
		SECTION(&f, SPLIT_RNGLISTS, "rng");
		SECTION(&f, SPLIT_RANGES, "ranges of the program");
		assert_true(split_file_image(&f, 5, STR("addresses"), 1000, &made));
		assert_str(section(&made, is_little, ".debug_info"), "info of the unit");
		assert_str(section(&made, is_little, ".debug_abbrev"), "abbrev");
		assert_str(section(&made, is_little, ".debug_str"), "a string");
		assert_str(section(&made, is_little, ".debug_addr"), "addresses");
		assert_str(section(&made, is_little, ".debug_rnglists"), "rng");
		assert_str(made.rnglists, "rng");
		assert_true(made.rnglists.p == section(&made, is_little, ".debug_rnglists").p);
		assert_str(section(&made, is_little, ".debug_str_offsets"), "");
		assert_str(section(&made, is_little, ".debug_ranges"), "");
		free(made.bytes);
		/* the sections of the image have 16 + 6 + 8 + 9 + 3 bytes */
		assert_true(split_file_image(&f, 5, STR("addresses"), 42, &made));
		free(made.bytes);
		assert_false(split_file_image(&f, 5, STR("addresses"), 41, &made));
		f.sections[SPLIT_ABBREV] = STR_NONE;
		assert_false(split_file_image(&f, 5, STR(""), 1000, &made));
		SECTION(&f, SPLIT_ABBREV, "abbrev");
		f.sections[SPLIT_INFO] = STR_NONE;
		assert_false(split_file_image(&f, 5, STR(""), 1000, &made));
	}
}

#define SLOTS 8u
#define UNITS 3u

/* ids of which two meet in slot 5, where the second one goes on by its upper half, made odd */
static const uint64_t ids[UNITS] = { 5, 0x200000005, 6 };

struct package {
	char index[16 + 12 * SLOTS + 4 * 5 * (2 * UNITS + 1)];
	char offsets[80];
	char strings[32];
	char info[64];
	bool is_v5, is_little;
	struct split_file f;
};

/*
 * A package of three units. Unit i has the bytes 10 i to 10 i + 4 + i of .debug_info, the byte i of
 * .debug_abbrev, and offsets of two strings.
 */
static void package_make(struct package *p, bool is_v5, bool is_little)
{
	static const char numbers_v2[] = { 1, 3, 6, 2 }, numbers_v5[] = { 1, 3, 6, 8 };
	const uint64_t columns = 4, kinds = 16 + 12 * SLOTS, head = is_v5 ? 8 : 0;
	const uint32_t texts[2 * UNITS] = { 0, 4, 4, 9, 13, 99 };

	memset(p, 0, sizeof(*p));
	p->is_v5 = is_v5;
	p->f.is_little = p->is_little = is_little;
	memcpy(p->strings, "abc\0defg\0hij\0klm", 16);
	for (size_t i = 0; i < sizeof(p->info); i++)
		p->info[i] = (char)('A' + i);
	put(p->index, is_little, is_v5 ? 5 : 2, is_v5 ? 2 : 4);
	put(p->index + 4, is_little, columns, 4);
	put(p->index + 8, is_little, UNITS, 4);
	put(p->index + 12, is_little, SLOTS, 4);
	for (unsigned int i = 0; i < UNITS; i++) {
		uint64_t slot = ids[i] & (SLOTS - 1);
		uint64_t from[4] = { 10 * i, i, (head + 8) * i, i };
		uint64_t len[4] = { 4 + i, 1, head + 8, 1 };

		while (number((struct str){ p->index, sizeof(p->index) }, 16 + 8 * SLOTS + 4 * slot,
			      is_little, 4))
			slot = (slot + ((ids[i] >> 32 & (SLOTS - 1)) | 1)) & (SLOTS - 1);
		put(p->index + 16 + 8 * slot, is_little, ids[i], 8);
		put(p->index + 16 + 8 * SLOTS + 4 * slot, is_little, i + 1, 4);
		for (unsigned int c = 0; c < columns; c++) {
			put(p->index + kinds + 4 * (columns * (i + 1) + c), is_little, from[c], 4);
			put(p->index + kinds + 4 * (columns * (i + 1 + UNITS) + c), is_little,
			    len[c], 4);
		}
		put(p->offsets + (head + 8) * i + head, is_little, texts[2 * i], 4);
		put(p->offsets + (head + 8) * i + head + 4, is_little, texts[2 * i + 1], 4);
	}
	for (unsigned int c = 0; c < columns; c++)
		put(p->index + kinds + 4 * c, is_little,
		    (uint64_t)(is_v5 ? numbers_v5 : numbers_v2)[c], 4);
	p->f.sections[SPLIT_CU_INDEX] =
		(struct str){ p->index, kinds + 4 * columns * (2 * UNITS + 1) };
	p->f.sections[SPLIT_INFO] = (struct str){ p->info, 26 };
	p->f.sections[SPLIT_ABBREV] = STR("xyz");
	p->f.sections[SPLIT_STR_OFFSETS] = (struct str){ p->offsets, (head + 8) * UNITS };
	p->f.sections[SPLIT_STR] = (struct str){ p->strings, 16 };
	p->f.sections[SPLIT_RNGLISTS] = STR("rst");
}

static const struct {
	const char *info, *abbrev, *first, *second, *ranges;
} units[UNITS] = {
	{ "ABCD", "x", "abc", "defg", "r" },
	{ "KLMNO", "y", "defg", "hij", "s" },
	{ "UVWXYZ", "z", "klm", "", "t" }, /* its second string is outside of all */
};

static void the_index_of_a_package_leads_to_the_parts_of_a_unit(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 4 * UNITS; i++) {
		bool is_v5 = i & 1, is_little = i & 2;
		unsigned int unit = i / 4;
		struct split_image made;
		struct package p;
		struct str offsets, strings;
		size_t head = is_v5 ? 8 : 0;

		package_make(&p, is_v5, is_little);
		assert_true(split_file_image(&p.f, ids[unit], STR("at"), 1000, &made));
		assert_str(section(&made, is_little, ".debug_info"), units[unit].info);
		assert_str(section(&made, is_little, ".debug_abbrev"), units[unit].abbrev);
		assert_str(section(&made, is_little, ".debug_addr"), "at");
		assert_str(section(&made, is_little, ".debug_rnglists"),
			   is_v5 ? units[unit].ranges : "");
		offsets = section(&made, is_little, ".debug_str_offsets");
		strings = section(&made, is_little, ".debug_str");
		assert_int_equal(offsets.len, head + 8);
		/* an empty string first, then those of the unit */
		assert_int_equal(strings.len,
				 1 + strlen(units[unit].first) + 1 +
					 (unit < 2 ? strlen(units[unit].second) + 1 : 0));
		assert_str(str_of(strings.p + number(offsets, head, is_little, 4)),
			   units[unit].first);
		assert_str(str_of(strings.p + number(offsets, head + 4, is_little, 4)),
			   units[unit].second);
		assert_int_equal(number(offsets, head, is_little, 4), 1);
		free(made.bytes);
		/* units that are not in it: their first slot is free, or taken by others */
		assert_false(split_file_image(&p.f, 4, STR(""), 1000, &made));
		assert_false(split_file_image(&p.f, 13, STR(""), 1000, &made));
		/* its strings alone are too many, or fit exactly */
		assert_false(split_file_image(&p.f, ids[unit], STR(""), strings.len - 1, &made));
	}
}

/* Each number of the head of an index, changed to one that cannot be. */
static void an_index_that_contradicts_itself_is_not_used(void **state)
{
	static const struct {
		size_t at;
		uint64_t value;
		bool is_used;
	} rows[] = {
		{ 0, 2, true },    { 0, 3, false },  { 0, 1, false },  { 4, 4, true },
		{ 4, 5, false },   { 4, 17, false }, { 8, 3, true },   { 8, 4, false },
		{ 8, 2, true },    { 12, 8, true },  { 12, 7, false }, { 12, 0, false },
		{ 12, 16, false }, { 12, 6, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct split_image made;
		struct package p;
		bool is_used;

		package_make(&p, false, true);
		put(p.index + rows[i].at, true, rows[i].value, 4);
		is_used = split_file_image(&p.f, ids[0], STR("at"), 1000, &made);
		/* with two rows, the offsets of the sizes are others, but the index is whole */
		if (rows[i].at != 8 || rows[i].value != 2)
			assert_int_equal(is_used, rows[i].is_used);
		if (is_used)
			free(made.bytes);
	}
}

/* A part may end with its section, but not beyond. */
static void parts_lie_within_their_sections(void **state)
{
	(void)state;
	for (size_t len = 20; len < 28; len++) {
		struct split_image made;
		struct package p;
		bool is_made;

		package_make(&p, true, true);
		p.f.sections[SPLIT_INFO].len = len;
		is_made = split_file_image(&p.f, ids[2], STR("at"), 1000, &made);
		assert_int_equal(is_made, len >= 26);
		if (is_made)
			free(made.bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_end_with_their_section),
		cmocka_unit_test(a_dwo_file_is_one_unit_as_a_whole),
		cmocka_unit_test(the_index_of_a_package_leads_to_the_parts_of_a_unit),
		cmocka_unit_test(an_index_that_contradicts_itself_is_not_used),
		cmocka_unit_test(parts_lie_within_their_sections),
	};

	return cmocka_run_group_tests_name("split_file", tests, NULL, NULL);
}

#else

int main(void)
{
	print_message("1..0 # SKIP built without libdw\n");
	return 0;
}

#endif
