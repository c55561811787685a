/* SPDX-License-Identifier: MIT */
#include "symbols/elf_symbols.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "symbols/elf_spins.h"
#include "symbols/mini_debug.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

struct elf_reader {
	Elf *elf;
	int fd; /* descriptor of the file; -1: there is none */
	struct elf_symbols *out;
	/*
	 * the file whose segments are used to convert addresses to file offsets: if `out` is a
	 * separate debug file, its program; otherwise `out` itself
	 */
	const struct elf_symbols *where;
	size_t section_names;
	uint16_t machine;
	bool is_64;
	bool is_cut; /* a section exists, but its content cannot be read */
};

/*
 * The content of @section. NULL: @section is NULL, or its content cannot be read. In the second
 * case, is_cut is set.
 */
static Elf_Data *elf_bytes(struct elf_reader *r, Elf_Scn *section)
{
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;

	r->is_cut |= section && !data;
	return data;
}

static void elf_read_build_id(struct elf_reader *r, Elf_Scn *section);
static void elf_loads(struct elf_reader *r);

void elf_symbols_read_frame(void *elf, struct elf_symbols *ret)
{
	struct elf_reader r = { .elf = elf, .fd = -1, .out = ret, .where = ret };
	Elf_Scn *scn = NULL;

	memset(ret, 0, sizeof(*ret));
	elf_loads(&r);
	while (ret->build_id.len == 0 && (scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE)
			elf_read_build_id(&r, scn);
	}
	ret->is_cut = r.is_cut;
}

void elf_symbols_fini(struct elf_symbols *e)
{
	symtab_fini(&e->table);
	VEC_FREE(&e->indirect);
}

bool build_id_eq(const struct build_id *a, const struct build_id *b)
{
	return a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
}

bool build_id_differ(const struct build_id *a, const struct build_id *b)
{
	return a->len && b->len && !build_id_eq(a, b);
}

void build_id_of_notes(const char *notes, size_t len, struct build_id *ret)
{
	size_t at = 0;

	while (notes && len - at >= 12) {
		/* header of a note: size of the name, size of the description, type */
		uint32_t head[3];
		size_t name = at + 12;
		size_t body;

		memcpy(head, notes + at, sizeof(head));
		body = name + ((size_t)head[0] + 3) / 4 * 4;
		if (head[0] > len || head[1] > len || body + head[1] > len)
			return;
		if (head[2] == NT_GNU_BUILD_ID && head[0] == 4 &&
		    memcmp(notes + name, "GNU", 4) == 0 && head[1] <= BUILD_ID_MAX) {
			ret->len = (uint8_t)head[1];
			memcpy(ret->bytes, notes + body, head[1]);
			return;
		}
		at = body + ((size_t)head[1] + 3) / 4 * 4;
		if (at > len)
			return;
	}
}

static void elf_loads(struct elf_reader *r)
{
	size_t n = 0;

	if (elf_getphdrnum(r->elf, &n) != 0) {
		r->is_cut = true;
		return;
	}
	for (size_t i = 0; i < n && i < 65536 && r->out->n_loads < ELF_LOADS_MAX; i++) {
		GElf_Phdr ph;

		if (!gelf_getphdr(r->elf, (int)i, &ph)) {
			r->is_cut = true;
			break;
		}
		if (ph.p_type == PT_LOAD && ph.p_memsz)
			r->out->loads[r->out->n_loads++] =
				(struct elf_load){ ph.p_vaddr, ph.p_offset, ph.p_memsz };
	}
}

/*
 * Convert a virtual address to a file offset. An address outside all segments is returned
 * unchanged.
 */
static uint64_t elf_offset(const struct elf_reader *r, uint64_t address)
{
	for (size_t i = 0; i < r->where->n_loads; i++) {
		const struct elf_load *l = &r->where->loads[i];

		if (address >= l->vaddr && address - l->vaddr < l->size)
			return address - l->vaddr + l->offset;
	}
	return address;
}

static struct str elf_name(struct elf_reader *r, size_t section, size_t offset)
{
	return str_of(elf_strptr(r->elf, section, offset));
}

static enum symtab_binding elf_binding(unsigned int info)
{
	return GELF_ST_BIND(info) == STB_WEAK     ? SYMTAB_WEAK
	       : GELF_ST_BIND(info) == STB_GLOBAL ? SYMTAB_GLOBAL
						  : SYMTAB_LOCAL;
}

/* Read symbol number @i of a symbol table. libelf has converted the table to native byte order. */
static bool elf_symbol(const struct elf_reader *r, Elf_Data *data, size_t i, GElf_Sym *ret)
{
	if (r->is_64) {
		*ret = ((const Elf64_Sym *)data->d_buf)[i];
		return true;
	}
	return gelf_getsym(data, (int)i, ret) != NULL;
}

/*
 * Add the symbols in @section. Also reserve memory for @n_more symbols, which the caller adds
 * later.
 */
static void elf_read_symbols(struct elf_reader *r, Elf_Scn *section, const GElf_Shdr *sh,
			     size_t n_more)
{
	Elf_Data *data = elf_bytes(r, section);
	Elf_Scn *name_section = elf_getscn(r->elf, sh->sh_link);
	Elf_Data *names = elf_bytes(r, name_section);
	size_t entry = r->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	size_t n = data && data->d_buf ? data->d_size / entry : 0;
	GElf_Shdr name_header;
	uint32_t place;

	if (!names || !names->d_buf || !gelf_getshdr(name_section, &name_header) ||
	    !symtab_map_names(&r->out->table, r->fd, name_header.sh_offset,
			      (struct str){ (const char *)names->d_buf, names->d_size }, &place))
		return;
	VEC_RESERVE(&r->out->table.entries, r->out->table.entries.len + n + n_more);
	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		GElf_Sym sym;
		unsigned int type;

		if (!elf_symbol(r, data, i, &sym) || sym.st_shndx == SHN_UNDEF ||
		    sym.st_shndx == SHN_ABS)
			continue;
		type = GELF_ST_TYPE(sym.st_info);
		if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_OBJECT &&
		    type != STT_NOTYPE)
			continue;
		if (sym.st_name == 0 || sym.st_name >= names->d_size)
			continue;
		if (r->machine == EM_ARM && type == STT_FUNC)
			sym.st_value &= ~UINT64_C(1);
		if (type == STT_GNU_IFUNC)
			*VEC_PUSH(&r->out->indirect) = (uint32_t)r->out->table.entries.len;
		symtab_add_at(&r->out->table, elf_offset(r, sym.st_value), sym.st_size,
			      place + sym.st_name, elf_binding(sym.st_info));
	}
}

static void elf_read_build_id(struct elf_reader *r, Elf_Scn *section)
{
	Elf_Data *data = elf_bytes(r, section);
	size_t at = 0;
	size_t name_at;
	size_t desc_at;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name_at, &desc_at)) > 0) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
		    memcmp((char *)data->d_buf + name_at, "GNU", sizeof("GNU")) != 0)
			continue;
		r->out->build_id.len =
			(uint8_t)(note.n_descsz < BUILD_ID_MAX ? note.n_descsz : BUILD_ID_MAX);
		memcpy(r->out->build_id.bytes, (char *)data->d_buf + desc_at, r->out->build_id.len);
		return;
	}
}

/* The sections that are needed, found in one pass over the section headers. */
struct elf_sections {
	Elf_Scn *symtab, *dynsym, *rela_plt, *plt, *plt_sec, *mini;
	GElf_Shdr symtab_header, dynsym_header, rela_header, plt_header, plt_sec_header;
};

static void elf_section(struct elf_reader *r, struct elf_sections *s, Elf_Scn *scn,
			const GElf_Shdr *sh)
{
	struct str name = elf_name(r, r->section_names, sh->sh_name);

	if (sh->sh_type == SHT_SYMTAB) {
		s->symtab = scn;
		s->symtab_header = *sh;
	} else if (sh->sh_type == SHT_DYNSYM) {
		s->dynsym = scn;
		s->dynsym_header = *sh;
	} else if (str_eq(name, STR(".rela.plt")) || str_eq(name, STR(".rel.plt"))) {
		s->rela_plt = scn;
		s->rela_header = *sh;
	} else if (str_eq(name, STR(".plt"))) {
		s->plt = scn;
		s->plt_header = *sh;
	} else if (str_eq(name, STR(".plt.sec"))) {
		s->plt_sec = scn;
		s->plt_sec_header = *sh;
	} else if (str_eq(name, STR(".gnu_debugdata"))) {
		s->mini = scn;
	} else if (sh->sh_type == SHT_NOTE && r->out->build_id.len == 0) {
		elf_read_build_id(r, scn);
	} else if (str_eq(name, STR(".gnu_debuglink"))) {
		Elf_Data *data = elf_rawdata(scn, NULL);

		if (data && data->d_buf)
			memcpy(r->out->debuglink, data->d_buf,
			       data->d_size < sizeof(r->out->debuglink) - 1
				       ? data->d_size
				       : sizeof(r->out->debuglink) - 1);
	}
}

static size_t elf_plt_entries(struct elf_reader *r, const struct elf_sections *s)
{
	Elf_Data *rel = elf_bytes(r, s->rela_plt);

	return rel && s->rela_header.sh_entsize ? rel->d_size / s->rela_header.sh_entsize : 0;
}

/*
 * Add PLT entries, such as "malloc@plt". Entry number n belongs to relocation number n. An entry
 * has 16 bytes on x86-64 and arm64. .plt starts with an additional entry, which has 32 bytes on
 * arm64; .plt.sec has no additional entry.
 */
static void elf_read_plt(struct elf_reader *r, struct elf_sections *s)
{
	Elf_Data *rel = elf_bytes(r, s->rela_plt);
	Elf_Data *dyn = elf_bytes(r, s->dynsym);
	const GElf_Shdr *plt = s->plt_sec ? &s->plt_sec_header : &s->plt_header;
	uint64_t entry = 16;
	uint64_t at;
	size_t n;

	if (!rel || !dyn || (!s->plt && !s->plt_sec))
		return;
	at = plt->sh_offset + (s->plt_sec ? 0 : r->machine == EM_AARCH64 ? 32 : entry);
	n = elf_plt_entries(r, s);
	for (size_t i = 0; i < n && i < INT32_MAX; i++, at += entry) {
		GElf_Rela rela;
		GElf_Sym sym;
		char name[512];
		struct str base;
		int len;

		if (!gelf_getrela(rel, (int)i, &rela) ||
		    !gelf_getsym(dyn, (int)GELF_R_SYM(rela.r_info), &sym))
			continue;
		/*
		 * an IRELATIVE relocation refers to no symbol: as in perf, its PLT entry gets the
		 * name "@plt"
		 */
		base = elf_name(r, s->dynsym_header.sh_link, sym.st_name);
		len = snprintf(name, sizeof(name), STR_FMT "@plt", STR_ARG(base));
		symtab_add(&r->out->table, at, entry,
			   (struct str){ name,
					 len < (int)sizeof(name) ? (size_t)len : sizeof(name) - 1 },
			   SYMTAB_GLOBAL);
	}
}

/*
 * Add function names from .gnu_debugdata. The content of this section is an ELF file that has
 * symbols, but no code.
 */
static void elf_read_mini(struct elf_reader *r, Elf_Scn *section)
{
	Elf_Data *data = elf_rawdata(section, NULL);
	struct elf_reader inner = *r;
	CLEANUP(freep) uint8_t *bytes = NULL;
	Elf_Scn *scn = NULL;
	size_t len;
	GElf_Ehdr eh;
	GElf_Shdr sh;

	if (data && data->d_buf)
		bytes = mini_debug_unpack((struct str){ data->d_buf, data->d_size }, &len);
	if (!bytes)
		return;
	inner.elf = elf_memory((char *)bytes, len);
	if (!inner.elf)
		return;
	if (elf_kind(inner.elf) == ELF_K_ELF && gelf_getehdr(inner.elf, &eh) &&
	    eh.e_machine == r->machine) {
		inner.is_64 = eh.e_ident[EI_CLASS] == ELFCLASS64;
		while ((scn = elf_nextscn(inner.elf, scn))) {
			if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_SYMTAB)
				elf_read_symbols(&inner, scn, &sh, 0);
		}
	}
	(void)elf_end(inner.elf);
}

static void elf_read_tables(struct elf_reader *r, struct elf_sections *s)
{
	size_t n_plt = elf_plt_entries(r, s);

	if (s->symtab)
		elf_read_symbols(r, s->symtab, &s->symtab_header, n_plt);
	else if (s->dynsym)
		elf_read_symbols(r, s->dynsym, &s->dynsym_header, n_plt);
	if (s->mini && !s->symtab)
		elf_read_mini(r, s->mini);
	elf_read_plt(r, s);
}

/*
 * Find the functions that wait in a loop (elf_spins.h). Do not call this for a separate debug file,
 * because it has no code.
 */
static void elf_read_spins(struct elf_reader *r)
{
	size_t size = 0;
	const char *image = elf_rawfile(r->elf, &size);

	if (image)
		elf_spins_find(&r->out->table, (struct str){ image, size }, r->machine);
}

static int elf_read(struct elf_reader *r, enum elf_part part, struct error *err)
{
	struct elf_sections s = { 0 };
	Elf_Scn *scn = NULL;
	GElf_Ehdr eh;

	if (elf_kind(r->elf) != ELF_K_ELF || !gelf_getehdr(r->elf, &eh) ||
	    elf_getshdrstrndx(r->elf, &r->section_names) != 0)
		return fail(err, ERR_FORMAT, "not an ELF file with sections");
	r->machine = eh.e_machine;
	r->is_64 = eh.e_ident[EI_CLASS] == ELFCLASS64;
	elf_loads(r);
	while ((scn = elf_nextscn(r->elf, scn))) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh))
			elf_section(r, &s, scn, &sh);
		else
			r->is_cut = true;
	}
	r->out->has_symtab = s.symtab != NULL;
	if (part == ELF_WHOLE || (part == ELF_SYMTAB_ONLY && s.symtab))
		elf_read_tables(r, &s);
	if (part == ELF_WHOLE && r->where == r->out && !r->is_cut)
		elf_read_spins(r);
	/*
	 * reject the whole table if symbols are missing: otherwise an address would get the name of
	 * a neighbouring symbol
	 */
	return r->is_cut ? fail(err, ERR_IO, "its symbols cannot be read whole: %s", elf_errmsg(-1))
			 : OK;
}

int elf_symbols_read(const char *path, enum elf_part part, const struct elf_symbols *runtime,
		     struct elf_symbols *ret, struct error *err)
{
	return elf_symbols_read_open(files_open(path, FILES_ELF), path, part, runtime, ret, err);
}

int elf_symbols_read_open(int fd, const char *path, enum elf_part part,
			  const struct elf_symbols *runtime, struct elf_symbols *ret,
			  struct error *err)
{
	struct elf_reader r = { .out = ret, .where = runtime ? runtime : ret };
	int status;

	memset(ret, 0, sizeof(*ret));
	if (fd < 0)
		return fail(err, files_is_absent(errno) ? ERR_NOTFOUND : ERR_IO, "%s: %s", path,
			    strerror(errno));
	r.fd = fd;
	alloc_watch();
	(void)elf_version(EV_CURRENT);
	r.elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	status =
		r.elf ? elf_read(&r, part, err) : fail(err, ERR_IO, "%s: %s", path, elf_errmsg(-1));
	if (r.elf)
		(void)elf_end(r.elf);
	alloc_watched();
	(void)close(fd);
	if (status < 0)
		elf_symbols_fini(ret);
	return status;
}

/*
 * Size of the vDSO image. It is not stored anywhere, but the section headers are the last part of
 * the image.
 */
static size_t elf_vdso_size(const char *image)
{
	const Elf64_Ehdr *eh = (const void *)image;

	return eh->e_shoff + (size_t)eh->e_shnum * eh->e_shentsize;
}

const void *elf_symbols_vdso_image(size_t *ret_len)
{
	const char *image = (const char *)getauxval(AT_SYSINFO_EHDR);

	if (!image || memcmp(image, ELFMAG, SELFMAG) != 0 || image[EI_CLASS] != ELFCLASS64)
		return NULL;
	*ret_len = elf_vdso_size(image);
	return image;
}

int elf_symbols_read_vdso(struct elf_symbols *ret, struct error *err)
{
	struct elf_reader r = { .fd = -1, .out = ret, .where = ret };
	CLEANUP(freep) char *copy = NULL;
	size_t size;
	const void *image = elf_symbols_vdso_image(&size);
	int status;

	memset(ret, 0, sizeof(*ret));
	if (!image)
		return fail(err, ERR_NOTFOUND, "this process has no 64-bit vDSO");
	copy = xmemdupz(image, size);
	alloc_watch();
	(void)elf_version(EV_CURRENT);
	r.elf = elf_memory(copy, size);
	status =
		r.elf ? elf_read(&r, ELF_WHOLE, err) : fail(err, ERR_FORMAT, "the vDSO is not ELF");
	if (r.elf)
		(void)elf_end(r.elf);
	alloc_watched();
	if (status < 0)
		elf_symbols_fini(ret);
	return status;
}
