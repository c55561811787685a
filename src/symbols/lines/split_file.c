/* SPDX-License-Identifier: MIT */
#include "config.h"

#if HAVE_LIBDW

#include "symbols/lines/split_file.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"

#include <dwarf.h>
#include <elf.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

/* alignment of the section headers and of each section in the image */
#define SPLIT_ALIGN 8u
#define SPLIT_NAME  24u /* number of bytes for the name of a section in the image */

/*
 * The sections that are used. A section has one name in .dwo and .dwp files, and another name in
 * the image. In the index of a .dwp file, it has a number.
 */
static const struct split_kind {
	const char *name;
	const char *plain; /* name in the image; NULL: the image does not contain this section */
	/*
	 * number of the section (DW_SECT_*) in an index of version 2 and of version 5; 0: not in
	 * the index, because all units share the whole section
	 */
	uint8_t in_v2, in_v5;
} split_kinds[SPLIT_SECTIONS] = {
	[SPLIT_INFO] = { ".debug_info.dwo", ".debug_info", 1, 1 },
	[SPLIT_ABBREV] = { ".debug_abbrev.dwo", ".debug_abbrev", 3, 3 },
	[SPLIT_STR_OFFSETS] = { ".debug_str_offsets.dwo", ".debug_str_offsets", 6, 6 },
	[SPLIT_RNGLISTS] = { ".debug_rnglists.dwo", ".debug_rnglists", 0, 8 },
	[SPLIT_STR] = { ".debug_str.dwo", ".debug_str", 0, 0 },
	[SPLIT_CU_INDEX] = { ".debug_cu_index", NULL, 0, 0 },
	[SPLIT_ADDR] = { ".debug_addr", ".debug_addr", 0, 0 },
	[SPLIT_RANGES] = { ".debug_ranges", NULL, 0, 0 },
};

/* State of the image that is being written. */
struct split_layout {
	bool is_little;
	/*
	 * offsets in the image: of the section headers (headers), of the section names (names), and
	 * of the section that is written next (at)
	 */
	size_t headers, names, at;
	unsigned int n; /* number of section headers so far */
};

uint64_t split_file_number(const struct split_file *f, struct str s, uint64_t at, unsigned int n)
{
	uint64_t v = 0;

	if (at > s.len || n > s.len - at)
		return 0;
	for (unsigned int i = 0; i < n; i++)
		v |= (uint64_t)(uint8_t)s.p[at + i] << 8 * (f->is_little ? i : n - 1 - i);
	return v;
}

/* The content of the section @scn after decompression; empty if it cannot be read. */
static struct str split_content(Elf_Scn *scn, const GElf_Shdr *head)
{
	Elf_Data *data;

	if (head->sh_type == SHT_NOBITS)
		return STR_NONE;
	if (head->sh_flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0)
		return STR_NONE;
	data = elf_getdata(scn, NULL);
	return data && data->d_buf ? (struct str){ data->d_buf, data->d_size } : STR_NONE;
}

/*
 * Whether the content @info of a section .debug_info starts with a unit of DWARF 5 of the kind
 * @type.
 */
static bool split_begins(const struct split_file *f, struct str info, unsigned int type)
{
	return split_file_number(f, info, 4, 2) == 5 && split_file_number(f, info, 6, 1) == type;
}

/*
 * Store the content of section kind @i, such as SPLIT_INFO. A file may have several .debug_info
 * sections: one has the compilation unit, the others have type units, which have no code and are
 * not used.
 */
static void split_take_section(struct split_file *f, unsigned int i, struct str content)
{
	struct str *to = &f->sections[i];

	if (!to->len || (i == SPLIT_INFO && split_begins(f, *to, DW_UT_split_type) &&
			 split_begins(f, content, DW_UT_split_compile)))
		*to = content;
}

void split_file_borrow(struct split_file *ret, Elf *elf)
{
	const char *ident = elf_getident(elf, NULL);
	Elf_Scn *scn = NULL;
	size_t names;

	*ret = (struct split_file){ .fd = -1, .is_little = ident && ident[EI_DATA] == ELFDATA2LSB };
	if (elf_getshdrstrndx(elf, &names) != 0)
		return;
	alloc_watch();
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr head;
		const char *name =
			gelf_getshdr(scn, &head) ? elf_strptr(elf, names, head.sh_name) : NULL;

		for (unsigned int i = 0; name && i < SPLIT_SECTIONS; i++) {
			if (strcmp(name, split_kinds[i].name) == 0)
				split_take_section(ret, i, split_content(scn, &head));
		}
	}
	alloc_watched();
}

bool split_file_open(struct split_file *f, int fd)
{
	Elf *elf;

	alloc_watch();
	(void)elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	alloc_watched();
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		(void)elf_end(elf);
		return false;
	}
	split_file_borrow(f, elf);
	f->elf = elf;
	f->fd = fd;
	return true;
}

void split_file_fini(struct split_file *f)
{
	if (!f->elf)
		return;
	(void)elf_end(f->elf);
	(void)close(f->fd);
	f->elf = NULL;
}

/*
 * Find the parts of the sections of a .dwp file that belong to the unit @id. The index of the file
 * has, in this order:
 * - a header of 16 bytes;
 * - a hash table of unit ids;
 * - for each slot of the hash table, the number of a row, counted from 1;
 * - for each column, the number of a section;
 * - for each row, the offset of the unit's part in each section;
 * - for each row, the size of the unit's part in each section.
 */
static bool split_divide(const struct split_file *f, uint64_t id, struct str parts[SPLIT_SECTIONS])
{
	struct str index = f->sections[SPLIT_CU_INDEX];
	bool is_v5 = split_file_number(f, index, 0, 2) == 5;
	uint64_t columns = split_file_number(f, index, 4, 4);
	uint64_t rows = split_file_number(f, index, 8, 4);
	uint64_t slots = split_file_number(f, index, 12, 4);
	uint64_t kinds = 16 + 12 * slots;
	uint64_t at = id & (slots - 1);
	uint64_t row = 0;

	/*
	 * check that the index is complete; its numbers have 32 bits, so these sums cannot overflow
	 */
	if ((!is_v5 && split_file_number(f, index, 0, 4) != 2) || !slots || slots & (slots - 1) ||
	    columns > 16 || kinds + 4 * columns * (2 * rows + 1) > index.len)
		return false;
	for (uint64_t i = 0; i < slots && !row; i++) {
		row = split_file_number(f, index, 16 + 8 * slots + 4 * at, 4);
		if (!row || row > rows)
			return false;
		if (split_file_number(f, index, 16 + 8 * at, 8) != id)
			row = 0;
		at = (at + ((id >> 32 & (slots - 1)) | 1)) & (slots - 1);
	}
	for (uint64_t c = 0; row && c < columns; c++) {
		uint64_t kind = split_file_number(f, index, kinds + 4 * c, 4);
		uint64_t cell = kinds + 4 * (columns * row + c);
		uint64_t from = split_file_number(f, index, cell, 4);
		uint64_t len = split_file_number(f, index, cell + 4 * columns * rows, 4);

		for (unsigned int k = 0; kind && k < SPLIT_SECTIONS; k++) {
			struct str whole = f->sections[k];

			if ((is_v5 ? split_kinds[k].in_v5 : split_kinds[k].in_v2) == kind &&
			    from <= whole.len && len <= whole.len - from)
				parts[k] = str_sub(whole, (size_t)from, (size_t)(from + len));
		}
	}
	return row != 0;
}

static void split_put(char *to, bool is_little, uint64_t v, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		to[is_little ? i : n - 1 - i] = (char)(v >> 8 * i);
}

/*
 * All units of a .dwp file share the section .debug_str. Copy the strings of one unit to a new
 * section, and make a copy of the unit's table of string offsets (.debug_str_offsets) that refers
 * to the new section. In DWARF 5, this table starts with a header of 8 bytes; 64-bit DWARF is not
 * supported. Returns false if the strings have more than @max bytes.
 */
static bool split_strings(const struct split_file *f, struct str parts[SPLIT_SECTIONS], size_t max,
			  char **ret_offsets, char **ret_strings)
{
	struct str offsets = parts[SPLIT_STR_OFFSETS];
	struct str all = f->sections[SPLIT_STR];
	bool has_head = split_file_number(f, f->sections[SPLIT_CU_INDEX], 0, 2) == 5;
	size_t len = 1;
	size_t n_bytes = 1;

	for (size_t at = has_head ? 8 : 0; at + 4 <= offsets.len; at += 4) {
		uint64_t from = split_file_number(f, offsets, at, 4);

		if (from < all.len)
			n_bytes += strnlen(all.p + from, all.len - from) + 1;
		if (n_bytes > max)
			return false;
	}
	*ret_offsets = xmemdupz(offsets.p, offsets.len);
	*ret_strings = xcalloc(n_bytes, 1);
	for (size_t at = has_head ? 8 : 0; at + 4 <= offsets.len; at += 4) {
		uint64_t from = split_file_number(f, offsets, at, 4);
		size_t n = from < all.len ? strnlen(all.p + from, all.len - from) : 0;

		split_put(*ret_offsets + at, f->is_little, n ? len : 0, 4);
		if (n) {
			memcpy(*ret_strings + len, all.p + from, n);
			len += n + 1;
		}
	}
	parts[SPLIT_STR_OFFSETS] = (struct str){ *ret_offsets, offsets.len };
	parts[SPLIT_STR] = (struct str){ *ret_strings, n_bytes };
	return true;
}

static size_t split_round(size_t n)
{
	return (n + SPLIT_ALIGN - 1) / SPLIT_ALIGN * SPLIT_ALIGN;
}

/* Append a section to the image: its content, its header and its name. */
static void split_put_section(struct split_image *to, struct split_layout *l, const char *name,
			      struct str content, unsigned int type)
{
	char *head = to->bytes + l->headers + l->n * sizeof(Elf64_Shdr);

	if (content.len)
		memcpy(to->bytes + l->at, content.p, content.len);
	memcpy(to->bytes + l->names + l->n * SPLIT_NAME, name, strlen(name));
	split_put(head + offsetof(Elf64_Shdr, sh_name), l->is_little, l->n * SPLIT_NAME, 4);
	split_put(head + offsetof(Elf64_Shdr, sh_type), l->is_little, type, 4);
	split_put(head + offsetof(Elf64_Shdr, sh_offset), l->is_little, l->at, 8);
	split_put(head + offsetof(Elf64_Shdr, sh_size), l->is_little, content.len, 8);
	split_put(head + offsetof(Elf64_Shdr, sh_addralign), l->is_little, 1, 8);
	l->at += split_round(content.len);
	l->n++;
}

static void split_put_head(char *to, const struct split_layout *l)
{
	memcpy(to, ELFMAG, SELFMAG);
	to[EI_CLASS] = ELFCLASS64;
	to[EI_DATA] = l->is_little ? ELFDATA2LSB : ELFDATA2MSB;
	to[EI_VERSION] = EV_CURRENT;
	split_put(to + offsetof(Elf64_Ehdr, e_type), l->is_little, ET_REL, 2);
	split_put(to + offsetof(Elf64_Ehdr, e_version), l->is_little, EV_CURRENT, 4);
	split_put(to + offsetof(Elf64_Ehdr, e_shoff), l->is_little, l->headers, 8);
	split_put(to + offsetof(Elf64_Ehdr, e_ehsize), l->is_little, sizeof(Elf64_Ehdr), 2);
	split_put(to + offsetof(Elf64_Ehdr, e_shentsize), l->is_little, sizeof(Elf64_Shdr), 2);
	split_put(to + offsetof(Elf64_Ehdr, e_shnum), l->is_little, l->n, 2);
	split_put(to + offsetof(Elf64_Ehdr, e_shstrndx), l->is_little, l->n - 1, 2);
}

/* Write the image as an ELF file: ELF header, section headers, section names, then the sections. */
static void split_write(const struct str parts[SPLIT_SECTIONS], bool is_little,
			struct split_image *ret)
{
	/* the first section header of an ELF file is empty */
	struct split_layout l = { .is_little = is_little, .n = 1 };

	l.headers = sizeof(Elf64_Ehdr);
	l.names = l.headers + (SPLIT_SECTIONS + 2) * sizeof(Elf64_Shdr);
	l.at = l.names + (SPLIT_SECTIONS + 2) * SPLIT_NAME;
	ret->len = l.at;
	for (unsigned int i = 0; i < SPLIT_SECTIONS; i++)
		ret->len += split_kinds[i].plain ? split_round(parts[i].len) : 0;
	ret->bytes = xcalloc(ret->len, 1);
	for (unsigned int i = 0; i < SPLIT_SECTIONS; i++) {
		if (!split_kinds[i].plain || !parts[i].len)
			continue;
		if (i == SPLIT_RNGLISTS)
			ret->rnglists = (struct str){ ret->bytes + l.at, parts[i].len };
		split_put_section(ret, &l, split_kinds[i].plain, parts[i], SHT_PROGBITS);
	}
	l.at = l.names;
	split_put_section(ret, &l, ".shstrtab", STR_NONE, SHT_STRTAB);
	split_put(ret->bytes + l.headers + (l.n - 1) * sizeof(Elf64_Shdr) +
			  offsetof(Elf64_Shdr, sh_size),
		  is_little, l.n * SPLIT_NAME, 8);
	split_put_head(ret->bytes, &l);
}

bool split_file_image(const struct split_file *f, uint64_t id, struct str addr, size_t max,
		      struct split_image *ret)
{
	CLEANUP(freep) char *offsets = NULL;
	CLEANUP(freep) char *strings = NULL;
	struct str parts[SPLIT_SECTIONS];
	size_t left = max;

	*ret = (struct split_image){ NULL, 0, STR_NONE };
	memcpy(parts, f->sections, sizeof(parts));
	if (f->sections[SPLIT_CU_INDEX].len) {
		memset(parts, 0, sizeof(parts));
		if (!split_divide(f, id, parts) ||
		    !split_strings(f, parts, max, &offsets, &strings))
			return false;
	}
	parts[SPLIT_ADDR] = addr;
	for (unsigned int i = 0; i < SPLIT_SECTIONS; i++) {
		size_t n = split_kinds[i].plain ? parts[i].len : 0;

		if (n > left)
			return false;
		left -= n;
	}
	if (!parts[SPLIT_INFO].len || !parts[SPLIT_ABBREV].len)
		return false;
	split_write(parts, f->is_little, ret);
	return true;
}

#endif
