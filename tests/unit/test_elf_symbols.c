/* SPDX-License-Identifier: MIT */
/* Symbols, segments, build ids and stubs of ELF files that are written here, field by field. */
#include "unit.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "symbols/elf_symbols.h"
#include "symbols/symtab.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SECTIONS_MAX 12
#define LOADS        3

struct made_section {
	const char *name;
	const void *data;
	size_t n;
	uint32_t type, link;
	uint64_t entsize;
	uint64_t offset_of_stub; /* stated instead of the section's place in the file */
};

/* A program of three segments, of which the second is not loaded and the third is empty. */
struct made {
	uint8_t bytes[8192];
	size_t n;
	uint16_t machine;
	struct made_section sections[SECTIONS_MAX];
	size_t n_sections;
};

static size_t put(struct made *m, const void *data, size_t n)
{
	size_t at;

	m->n = (m->n + 7) & ~(size_t)7;
	at = m->n;
	assert_true(at + n <= sizeof(m->bytes));
	memcpy(m->bytes + at, data, n);
	m->n += n;
	return at;
}

static void add(struct made *m, struct made_section s)
{
	m->sections[m->n_sections++] = s;
}

#define LOAD_VADDR  0x10000u
#define LOAD_OFFSET 0x1000u
#define LOAD_SIZE   0x100u

/* Write the file; the section of index i is m->sections[i - 1], the last one has the names. */
static void finish(struct made *m)
{
	const Elf64_Phdr segments[LOADS] = {
		{ .p_type = PT_LOAD,
		  .p_vaddr = LOAD_VADDR,
		  .p_offset = LOAD_OFFSET,
		  .p_memsz = LOAD_SIZE },
		{ .p_type = PT_NOTE, .p_vaddr = LOAD_VADDR, .p_offset = 0x9000, .p_memsz = 0x1000 },
		{ .p_type = PT_LOAD, .p_vaddr = LOAD_VADDR, .p_offset = 0x9000 },
	};
	Elf64_Shdr headers[SECTIONS_MAX + 2] = { 0 };
	Elf64_Ehdr head = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_DYN,
			    .e_machine = m->machine,
			    .e_version = EV_CURRENT,
			    .e_ehsize = sizeof(head),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = LOADS,
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = (uint16_t)(m->n_sections + 2),
			    .e_shstrndx = (uint16_t)(m->n_sections + 1) };
	char names[512] = "";
	size_t n_names = 1;

	m->n = 0;
	(void)put(m, &head, sizeof(head));
	head.e_phoff = put(m, segments, sizeof(segments));
	for (size_t i = 0; i < m->n_sections; i++) {
		const struct made_section *s = &m->sections[i];

		headers[i + 1] = (Elf64_Shdr){ .sh_name = (uint32_t)n_names,
					       .sh_type = s->type,
					       .sh_link = s->link,
					       .sh_entsize = s->entsize,
					       .sh_offset = put(m, s->data, s->n),
					       .sh_size = s->n,
					       .sh_addralign = 1 };
		if (s->offset_of_stub)
			headers[i + 1].sh_offset = s->offset_of_stub;
		memcpy(names + n_names, s->name, strlen(s->name) + 1);
		n_names += strlen(s->name) + 1;
	}
	headers[m->n_sections + 1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
						   .sh_offset = put(m, names, n_names),
						   .sh_size = n_names,
						   .sh_addralign = 1 };
	head.e_shoff = put(m, headers, sizeof(Elf64_Shdr) * (m->n_sections + 2));
	memcpy(m->bytes, &head, sizeof(head));
}

static int read_made(const struct made *m, enum elf_part part, const struct elf_symbols *runtime,
		     struct elf_symbols *ret)
{
	char path[] = "/tmp/assay-elf-XXXXXX";
	int fd = mkstemp(path);
	struct error err;

	assert_true(fd >= 0);
	(void)unlink(path);
	assert_int_equal(write(fd, m->bytes, m->n), m->n);
	return elf_symbols_read_open(fd, path, part, runtime, ret, &err);
}

/* Each symbol as "START+SIZE:NAME" and l, g or w; "*" marks indirect functions. */
static void check_symbols(const struct elf_symbols *e, const char *expected)
{
	struct out out;

	out_init(&out);
	VEC_FOREACH (s, &e->table.entries) {
		out_printf(&out, "%llx+%llx:" STR_FMT "%c", (unsigned long long)s->start,
			   (unsigned long long)(s->end - s->start),
			   STR_ARG(symtab_name(&e->table, s)), "lgw"[s->binding]);
		VEC_FOREACH (i, &e->indirect) {
			if (*i == (uint32_t)(s - e->table.entries.data))
				out_char(&out, '*');
		}
		out_char(&out, ' ');
	}
	assert_str(out_view(&out), expected);
	out_fini(&out);
}

#define SYM(name, bind, type, section, value, size)                      \
	{                                                                \
		name, ELF64_ST_INFO(bind, type), 0, section, value, size \
	}

static const char texts[] = "\0aa\0bb\0cc\0dd";

/* names: 1 aa, 4 bb, 7 cc, 10 dd */
static const Elf64_Sym symbols[] = {
	SYM(1, STB_LOCAL, STT_FUNC, 1, LOAD_VADDR, 4),
	SYM(4, STB_GLOBAL, STT_OBJECT, 1, LOAD_VADDR + 0xff, 5),
	SYM(7, STB_WEAK, STT_NOTYPE, 1, LOAD_VADDR + 0x100, 6),
	SYM(10, STB_GLOBAL, STT_GNU_IFUNC, 1, LOAD_VADDR - 1, 7),
	SYM(1, STB_LOCAL, STT_SECTION, 1, 1, 1),
	SYM(1, STB_LOCAL, STT_FILE, 1, 1, 1),
	SYM(1, STB_LOCAL, STT_TLS, 1, 1, 1),
	SYM(1, STB_LOCAL, STT_FUNC, SHN_UNDEF, 1, 1),
	SYM(1, STB_LOCAL, STT_FUNC, SHN_ABS, 1, 1),
	SYM(0, STB_LOCAL, STT_FUNC, 1, 1, 1),
	SYM(12, STB_LOCAL, STT_FUNC, 1, 2, 0),
	SYM(13, STB_LOCAL, STT_FUNC, 1, 1, 1),
	SYM(1, STB_GLOBAL, STT_FUNC, 1, LOAD_VADDR + 3, 1),
	SYM(4, STB_GLOBAL, STT_OBJECT, 1, 3, 1),
};

static void add_table(struct made *m, uint32_t type)
{
	add(m, (struct made_section){ .name = ".symbols",
				      .data = symbols,
				      .n = sizeof(symbols),
				      .type = type,
				      .link = (uint32_t)m->n_sections + 2,
				      .entsize = sizeof(symbols[0]) });
	add(m, (struct made_section){
		       .name = ".strtab", .data = texts, .n = sizeof(texts), .type = SHT_STRTAB });
}

#define SYMBOLS "1000+4:aal 10ff+5:bbg 10100+6:ccw ffff+7:ddg* 2+0:l 1003+1:aag 3+1:bbg "

static void symbols_are_functions_and_data_at_file_offsets(void **state)
{
	struct made m = { .machine = EM_X86_64 };
	struct elf_symbols e, moved = { .loads = { { 0, 0x700, 2 } }, .n_loads = 1 };

	(void)state;
	add_table(&m, SHT_SYMTAB);
	finish(&m);
	assert_int_equal(read_made(&m, ELF_WHOLE, NULL, &e), OK);
	check_symbols(&e, SYMBOLS);
	assert_true(e.has_symtab && e.build_id.len == 0 && e.debuglink[0] == '\0');
	assert_int_equal(e.n_loads, 1);
	assert_true(e.loads[0].vaddr == LOAD_VADDR && e.loads[0].offset == LOAD_OFFSET &&
		    e.loads[0].size == LOAD_SIZE);
	elf_symbols_fini(&e);
	assert_int_equal(read_made(&m, ELF_SYMTAB_ONLY, NULL, &e), OK);
	check_symbols(&e, SYMBOLS);
	elf_symbols_fini(&e);
	assert_int_equal(read_made(&m, ELF_FRAME, NULL, &e), OK);
	check_symbols(&e, "");
	assert_true(e.has_symtab);
	elf_symbols_fini(&e);
	/* by the segments of the program, not those of its debug file */
	assert_int_equal(read_made(&m, ELF_WHOLE, &moved, &e), OK);
	check_symbols(&e, "10000+4:aal 100ff+5:bbg 10100+6:ccw ffff+7:ddg* 2+0:l 10003+1:aag "
			  "3+1:bbg ");
	elf_symbols_fini(&e);
	moved.loads[0].size = 3;
	assert_int_equal(read_made(&m, ELF_WHOLE, &moved, &e), OK);
	check_symbols(&e, "10000+4:aal 100ff+5:bbg 10100+6:ccw ffff+7:ddg* 702+0:l 10003+1:aag "
			  "3+1:bbg ");
	elf_symbols_fini(&e);
}

static void exported_symbols_stand_in_for_missing_ones(void **state)
{
	struct made m = { .machine = EM_X86_64 }, both = { .machine = EM_X86_64 };
	struct elf_symbols e;

	(void)state;
	add_table(&m, SHT_DYNSYM);
	finish(&m);
	assert_int_equal(read_made(&m, ELF_WHOLE, NULL, &e), OK);
	check_symbols(&e, SYMBOLS);
	assert_false(e.has_symtab);
	elf_symbols_fini(&e);
	assert_int_equal(read_made(&m, ELF_SYMTAB_ONLY, NULL, &e), OK);
	check_symbols(&e, "");
	elf_symbols_fini(&e);
	/* but not if there is a full table */
	add_table(&both, SHT_DYNSYM);
	add(&both, (struct made_section){ .name = ".symtab",
					  .data = symbols,
					  .n = sizeof(symbols[0]),
					  .type = SHT_SYMTAB,
					  .link = 2,
					  .entsize = sizeof(symbols[0]) });
	finish(&both);
	assert_int_equal(read_made(&both, ELF_WHOLE, NULL, &e), OK);
	check_symbols(&e, "1000+4:aal ");
	elf_symbols_fini(&e);
}

/* Bit 0 of an address marks Thumb code, of functions only. */
static void arm_functions_have_even_addresses(void **state)
{
	struct made m = { .machine = EM_ARM };
	struct elf_symbols e;

	(void)state;
	add_table(&m, SHT_SYMTAB);
	finish(&m);
	assert_int_equal(read_made(&m, ELF_WHOLE, NULL, &e), OK);
	check_symbols(&e,
		      "1000+4:aal 10ff+5:bbg 10100+6:ccw ffff+7:ddg* 2+0:l 1002+1:aag 3+1:bbg ");
	elf_symbols_fini(&e);
}

/* Two stubs that jump to dd and aa: entries of 16 bytes in the order of the relocations. */
static void stubs_follow_their_relocations(void **state)
{
	static const Elf64_Rela jumps[] = { { 0, ELF64_R_INFO(3, 7), 0 },
					    { 0, ELF64_R_INFO(0, 7), 0 },
					    { 0, ELF64_R_INFO(99, 7), 0 },
					    { 0, ELF64_R_INFO(2, 7), 0 } };
	static const struct {
		uint16_t machine;
		const char *rela, *first, *second, *stubs;
	} rows[] = {
		{ EM_X86_64, ".rela.plt", ".plt", NULL,
		  "610+10:dd@pltg 620+10:aa@pltg 640+10:cc@pltg " },
		{ EM_AARCH64, ".rela.plt", ".plt", NULL,
		  "620+10:dd@pltg 630+10:aa@pltg 650+10:cc@pltg " },
		{ EM_X86_64, ".rel.plt", ".plt.sec", ".plt",
		  "600+10:dd@pltg 610+10:aa@pltg 630+10:cc@pltg " },
		{ EM_X86_64, ".rela.plt", ".plt", ".plt.sec",
		  "900+10:dd@pltg 910+10:aa@pltg 930+10:cc@pltg " },
		{ EM_X86_64, ".rela.plt", ".pl", NULL, "" },
		{ EM_X86_64, ".rela.dyn", ".plt", NULL, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct made m = { .machine = rows[i].machine };
		struct elf_symbols e;
		char expected[512];

		add_table(&m, SHT_DYNSYM);
		add(&m, (struct made_section){ .name = rows[i].rela,
					       .data = jumps,
					       .n = sizeof(jumps),
					       .type = SHT_RELA,
					       .link = 1,
					       .entsize = sizeof(jumps[0]) });
		add(&m, (struct made_section){ .name = rows[i].first,
					       .data = "",
					       .n = 1,
					       .type = SHT_PROGBITS,
					       .offset_of_stub = 0x600 });
		if (rows[i].second)
			add(&m, (struct made_section){ .name = rows[i].second,
						       .data = "",
						       .n = 1,
						       .type = SHT_PROGBITS,
						       .offset_of_stub = 0x900 });
		finish(&m);
		assert_int_equal(read_made(&m, ELF_WHOLE, NULL, &e), OK);
		(void)snprintf(expected, sizeof(expected), "%s%s", SYMBOLS, rows[i].stubs);
		check_symbols(&e, expected);
		elf_symbols_fini(&e);
	}
}

/* Notes: another one, one of the wrong name, then the id; @n bytes of it. */
static void add_notes(struct made *m, uint8_t *notes, uint32_t type, const char *name, uint32_t n)
{
	static const uint32_t other[] = { 4, 4, 1, 0x00554e47, 7 };
	const uint32_t head[] = { 4, n, type };

	memcpy(notes, other, sizeof(other));
	memcpy(notes + 20, head, sizeof(head));
	memcpy(notes + 32, name, 4);
	for (uint32_t i = 0; i < n; i++)
		notes[36 + i] = (uint8_t)(i + 1);
	add(m,
	    (struct made_section){
		    .name = ".note", .data = notes, .n = 36 + (n + 3) / 4 * 4, .type = SHT_NOTE });
}

static void a_build_id_is_the_first_of_its_type_and_owner(void **state)
{
	static const struct {
		uint32_t type;
		const char *name;
		uint32_t n;
		uint8_t len;
	} rows[] = {
		{ NT_GNU_BUILD_ID, "GNU", 20, 20 }, { NT_GNU_BUILD_ID, "GNU", 8, 8 },
		{ NT_GNU_BUILD_ID, "GNU", 19, 19 }, { NT_GNU_BUILD_ID, "GNU", 24, 20 },
		{ NT_GNU_BUILD_ID, "GNV", 20, 0 },  { NT_GNU_ABI_TAG, "GNU", 20, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct made m = { .machine = EM_X86_64 };
		uint8_t notes[128] = { 0 }, second[128] = { 0 };
		struct build_id by_bytes = { .len = 3 };
		struct elf_symbols e;

		add_notes(&m, notes, rows[i].type, rows[i].name, rows[i].n);
		add_notes(&m, second, NT_GNU_BUILD_ID, "GNU", 4);
		m.sections[1].name = ".gnu_debuglink"; /* of notes, only their type counts */
		finish(&m);
		assert_int_equal(read_made(&m, ELF_FRAME, NULL, &e), OK);
		assert_int_equal(e.build_id.len, rows[i].len ? rows[i].len : 4);
		for (uint8_t k = 0; k < e.build_id.len; k++)
			assert_int_equal(e.build_id.bytes[k], k + 1);
		elf_symbols_fini(&e);
		/* the same of the bytes alone, which takes no id that is too long */
		build_id_of_notes((const char *)notes, m.sections[0].n, &by_bytes);
		assert_int_equal(by_bytes.len, rows[i].n > 20 ? 3 : rows[i].len ? rows[i].len : 3);
	}
}

/* Cut at any byte, notes have the id only if all of it is there. */
static void cut_notes_have_no_build_id(void **state)
{
	struct made m = { .machine = EM_X86_64 };
	uint8_t notes[128] = { 0 };

	(void)state;
	add_notes(&m, notes, NT_GNU_BUILD_ID, "GNU", 6);
	for (size_t n = 0; n <= 44; n++) {
		struct build_id id = { .len = 0 };

		build_id_of_notes((const char *)notes, n, &id);
		assert_int_equal(id.len, n >= 42 ? 6 : 0);
	}
	build_id_of_notes(NULL, 100, &(struct build_id){ .len = 0 });
	/* sizes beyond the end */
	for (size_t field = 20; field < 28; field += 4) {
		struct build_id id = { .len = 0 };
		uint8_t was = notes[field + 3];

		notes[field + 3] = 0x80;
		build_id_of_notes((const char *)notes, 44, &id);
		assert_int_equal(id.len, 0);
		notes[field + 3] = was;
	}
}

static void build_ids_differ_only_if_both_are_known(void **state)
{
	const struct build_id none = { .len = 0 }, a = { { 1, 2 }, 2 }, b = { { 1, 3 }, 2 };
	const struct build_id c = { { 1, 2 }, 1 };

	(void)state;
	assert_true(build_id_eq(&a, &a) && !build_id_eq(&a, &b) && !build_id_eq(&a, &c));
	assert_true(build_id_differ(&a, &b) && build_id_differ(&a, &c));
	assert_false(build_id_differ(&a, &a));
	assert_false(build_id_differ(&none, &a) || build_id_differ(&a, &none) ||
		     build_id_differ(&none, &none));
}

static void the_debug_link_is_a_name_of_at_most_255_bytes(void **state)
{
	static const size_t sizes[] = { 1, 12, 254, 255, 256, 300 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct made m = { .machine = EM_X86_64 };
		char link[300];
		struct elf_symbols e;

		memset(link, 'x', sizeof(link));
		add(&m, (struct made_section){ .name = ".gnu_debuglink",
					       .data = link,
					       .n = sizes[i],
					       .type = SHT_PROGBITS });
		finish(&m);
		assert_int_equal(read_made(&m, ELF_FRAME, NULL, &e), OK);
		assert_int_equal(strlen(e.debuglink), sizes[i] < 255 ? sizes[i] : 255);
		elf_symbols_fini(&e);
	}
}

static void files_that_are_no_elf_are_refused(void **state)
{
	struct made m = { .machine = EM_X86_64 };
	struct elf_symbols e;

	(void)state;
	add_table(&m, SHT_SYMTAB);
	finish(&m);
	m.bytes[0] = 'x';
	assert_int_equal(read_made(&m, ELF_WHOLE, NULL, &e), ERR_FORMAT);
	finish(&m);
	/* cut before its section headers, it has no symbols */
	m.n = (size_t)((const Elf64_Ehdr *)(const void *)m.bytes)->e_shoff;
	assert_int_equal(read_made(&m, ELF_WHOLE, NULL, &e), OK);
	assert_int_equal(e.table.entries.len, 0);
	elf_symbols_fini(&e);
	/* symbols beyond the end of the file: none is better than some */
	m = (struct made){ .machine = EM_X86_64 };
	add_table(&m, SHT_SYMTAB);
	m.sections[0].offset_of_stub = 0x7ffff000;
	finish(&m);
	assert_int_equal(read_made(&m, ELF_WHOLE, NULL, &e), ERR_IO);
	assert_int_equal(elf_symbols_read("/nowhere/at/all", ELF_WHOLE, NULL, &e, NULL),
			 ERR_NOTFOUND);
	assert_int_equal(elf_symbols_read("/dev/null/x", ELF_WHOLE, NULL, &e, NULL), ERR_NOTFOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_are_functions_and_data_at_file_offsets),
		cmocka_unit_test(exported_symbols_stand_in_for_missing_ones),
		cmocka_unit_test(arm_functions_have_even_addresses),
		cmocka_unit_test(stubs_follow_their_relocations),
		cmocka_unit_test(a_build_id_is_the_first_of_its_type_and_owner),
		cmocka_unit_test(cut_notes_have_no_build_id),
		cmocka_unit_test(build_ids_differ_only_if_both_are_known),
		cmocka_unit_test(the_debug_link_is_a_name_of_at_most_255_bytes),
		cmocka_unit_test(files_that_are_no_elf_are_refused),
	};

	return cmocka_run_group_tests_name("elf_symbols", tests, NULL, NULL);
}
