/* SPDX-License-Identifier: MIT */
#include "symbols/lines/lines_object.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "config.h"
#include "symbols/symtab.h"

#if HAVE_LIBDW

#include "base/files.h"
#include "base/idmap.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

struct lines_object {
	Dwfl *dwfl;
	Dwarf *dwarf; /* owned by dwfl */
};

/*
 * Load address of a section. It is found by a vote of the section's functions: each votes for its
 * address in the recorded kernel minus its offset in the section.
 */
struct object_section {
	uint64_t base;
	size_t votes;
};

bool lines_object_is(int fd)
{
	unsigned char head[18]; /* start of the ELF header: e_ident and e_type */

	if (files_read_head(fd, head, sizeof(head)) != (ssize_t)sizeof(head) ||
	    memcmp(head, ELFMAG, SELFMAG) != 0)
		return false;
	return head[head[EI_DATA] == ELFDATA2MSB ? 17 : 16] == ET_REL;
}

/*
 * Callback of libdwfl that never finds a separate debug file: module_files.h has already searched
 * for it by build id.
 */
static int object_no_debuginfo(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
			       const char *file, const char *link, GElf_Word crc, char **ret)
{
	(void)module;
	(void)data;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)crc;
	(void)ret;
	return -1;
}

struct lines_object *lines_object_open(int fd)
{
	static const Dwfl_Callbacks callbacks = {
		.find_debuginfo = object_no_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	struct lines_object *o = xcalloc(1, sizeof(*o));
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	Dwfl_Module *module = NULL;
	Dwarf_Addr bias;

	o->dwfl = dwfl_begin(&callbacks);
	if (o->dwfl && own >= 0) {
		dwfl_report_begin(o->dwfl);
		module = dwfl_report_offline(o->dwfl, "", "", own);
		(void)dwfl_report_end(o->dwfl, NULL, NULL);
	}
	if (own >= 0 && !module)
		(void)close(own);
	o->dwarf = module ? dwfl_module_getdwarf(module, &bias) : NULL;
	if (o->dwarf)
		return o;
	lines_object_free(o);
	return NULL;
}

void lines_object_free(struct lines_object *o)
{
	if (!o)
		return;
	if (o->dwfl)
		dwfl_end(o->dwfl);
	free(o);
}

void *lines_object_dwarf(const struct lines_object *o)
{
	return o->dwarf;
}

static bool object_is_code(const GElf_Shdr *sh)
{
	return (sh->sh_flags & SHF_ALLOC) && (sh->sh_flags & SHF_EXECINSTR);
}

/*
 * Count a vote for the load address @base (Boyer-Moore majority vote). Wrong votes, from functions
 * whose names are not unique, cannot win if they are few.
 */
static void object_vote(struct object_section *s, uint64_t base)
{
	if (s->votes == 0)
		s->base = base;
	if (s->base == base)
		s->votes++;
	else
		s->votes--;
}

static struct idmap object_names(const struct symtab *known)
{
	struct idmap map = { NULL, 0, 0 };

	for (size_t i = 0; i < known->entries.len; i++) {
		struct str name = symtab_name(known, &known->entries.data[i]);
		struct idmap_probe p = idmap_first(&map, hash_str(name));

		bool is_there = false;

		while (!is_there && idmap_next(&map, &p))
			is_there = str_eq(symtab_name(known, &known->entries.data[p.id]), name);
		if (!is_there)
			idmap_insert(&map, &p, (uint32_t)i);
	}
	return map;
}

/* Let each function that is in the file and in @known vote for the load address of its section. */
static void object_ask(Elf *elf, Elf_Scn *table, const GElf_Shdr *header,
		       const struct symtab *known, struct object_section *sections, size_t n)
{
	struct idmap map = object_names(known);
	Elf_Data *data = elf_getdata(table, NULL);
	GElf_Sym sym;

	for (int i = 0; data && gelf_getsym(data, i, &sym); i++) {
		const char *text = elf_strptr(elf, header->sh_link, sym.st_name);
		struct str name = str_of(text ? text : "");
		struct idmap_probe p;

		if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx >= n || name.len == 0)
			continue;
		p = idmap_first(&map, hash_str(name));
		while (idmap_next(&map, &p)) {
			const struct symtab_entry *e = &known->entries.data[p.id];

			if (str_eq(symtab_name(known, e), name)) {
				object_vote(&sections[sym.st_shndx], e->start - sym.st_value);
				break;
			}
		}
	}
	idmap_fini(&map);
}

/*
 * Place the code sections from @start on, like the kernel: in the order of the file, without init
 * sections.
 */
static void object_lay_out(Elf *elf, size_t names, uint64_t start, struct object_section *sections)
{
	Elf_Scn *scn = NULL;
	uint64_t at = start;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &sh) || !object_is_code(&sh))
			continue;
		name = elf_strptr(elf, names, sh.sh_name);
		if (!name || str_starts(str_of(name), STR(".init")))
			continue;
		if (sh.sh_addralign > 1)
			at = (at + sh.sh_addralign - 1) / sh.sh_addralign * sh.sh_addralign;
		sections[elf_ndxscn(scn)] = (struct object_section){ at, 1 };
		at += sh.sh_size;
	}
}

size_t lines_object_loads(const struct lines_object *o, const struct symtab *known, uint64_t shift,
			  uint64_t start, struct elf_load ret[ELF_LOADS_MAX])
{
	CLEANUP(freep) struct object_section *sections = NULL;
	Elf *elf = dwarf_getelf(o->dwarf);
	Elf_Scn *scn = NULL;
	bool is_known = false;
	size_t names;
	size_t n = 0;
	size_t n_loads = 0;
	GElf_Shdr sh;

	if (!elf || elf_getshdrnum(elf, &n) != 0 || elf_getshdrstrndx(elf, &names) != 0)
		return 0;
	sections = xcalloc(n + 1, sizeof(*sections));
	while (known && (scn = elf_nextscn(elf, scn))) {
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
			object_ask(elf, scn, &sh, known, sections, n);
	}
	for (size_t i = 0; i < n; i++)
		is_known |= sections[i].votes > 0;
	if (!is_known)
		object_lay_out(elf, names, start - shift, sections);
	for (scn = NULL; n_loads < ELF_LOADS_MAX && (scn = elf_nextscn(elf, scn));) {
		const struct object_section *s = &sections[elf_ndxscn(scn)];

		if (s->votes && gelf_getshdr(scn, &sh) && object_is_code(&sh))
			ret[n_loads++] =
				(struct elf_load){ sh.sh_addr, s->base + shift, sh.sh_size };
	}
	return n_loads;
}

#endif
