/* SPDX-License-Identifier: MIT */
#include "symbols/unwind/cfi.h"

#include "base/alloc.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"
#include "symbols/unwind/dwarf_bytes.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Encodings of pointers in .eh_frame. Source: Linux Standard Base, "DWARF Exception Header
 * Encoding".
 */
#define CFI_PTR_FORMAT   0x0fu
#define CFI_PTR_UDATA2   0x02u
#define CFI_PTR_UDATA4   0x03u
#define CFI_PTR_UDATA8   0x04u
#define CFI_PTR_SDATA2   0x0au
#define CFI_PTR_SDATA4   0x0bu
#define CFI_PTR_SDATA8   0x0cu
#define CFI_PTR_APPLIED  0x70u
#define CFI_PTR_PCREL    0x10u
#define CFI_PTR_INDIRECT 0x80u
#define CFI_PTR_OMIT     0xffu

/* DWARF numbers of the stack pointer registers, and the DWARF opcode that reads register 0. */
#define CFI_SP_X86_64  7u
#define CFI_SP_AARCH64 31u
#define CFI_OP_BREG0   0x70u

/* maximum number of bytes between .eh_frame_hdr and .eh_frame */
#define CFI_APART_MAX 65536u

void cfi_free(struct cfi *c)
{
	if (!c)
		return;
	free(c->owned);
	if (c->mapping)
		(void)munmap(c->mapping, c->mapping_bytes);
	idmap_fini(&c->table.entries_map);
	VEC_FREE(&c->functions);
	VEC_FREE(&c->commons);
	VEC_FREE(&c->rows);
	VEC_FREE(&c->rules);
	idmap_fini(&c->commons_map);
	free(c);
}

DEFINE_CLEANUP(struct cfi *, cfi_free);

/*
 * Read a pointer in the given encoding. Returns false if .eh_frame and .eh_frame_hdr do not use
 * this encoding.
 */
static bool cfi_pointer(const struct cfi *c, struct dwarf_bytes *b, unsigned int encoding,
			uint64_t *ret)
{
	uint64_t here = c->address + b->at;

	switch (encoding & CFI_PTR_FORMAT) {
	case 0:
	case CFI_PTR_UDATA8:
	case CFI_PTR_SDATA8:
		*ret = dwarf_bytes_fixed(b, 8);
		break;
	case CFI_PTR_UDATA4:
		*ret = dwarf_bytes_fixed(b, 4);
		break;
	case CFI_PTR_SDATA4:
		*ret = (uint64_t)dwarf_bytes_signed(b, 4);
		break;
	case CFI_PTR_UDATA2:
		*ret = dwarf_bytes_fixed(b, 2);
		break;
	case CFI_PTR_SDATA2:
		*ret = (uint64_t)dwarf_bytes_signed(b, 2);
		break;
	default:
		return false;
	}
	if ((encoding & CFI_PTR_APPLIED) == CFI_PTR_PCREL)
		*ret += here;
	else if (encoding & CFI_PTR_APPLIED)
		return false;
	return !(encoding & CFI_PTR_INDIRECT) && !b->is_over;
}

/*
 * Parse the augmentation data of a CIE. @letters: "z", and then one letter for each item of the
 * data. @b: position of the length field of the data; moved to the end of the data. Returns false
 * if the data are damaged or of an unknown kind.
 */
static bool cfi_augmentation(struct cfi *c, struct dwarf_bytes *b, const char *letters,
			     struct cfi_common *common)
{
	struct dwarf_bytes data = *b;
	uint64_t len;
	uint64_t unused;

	if (letters[0] == '\0')
		return true;
	if (letters[0] != 'z')
		return false;
	len = dwarf_bytes_uleb(&data);
	*b = data;
	dwarf_bytes_skip(b, len);
	common->has_augmentation = true;
	for (const char *l = letters + 1; *l; l++) {
		if (*l == 'R')
			common->pointer_encoding = (uint8_t)dwarf_bytes_fixed(&data, 1);
		else if (*l == 'S')
			common->is_signal = true;
		else if (*l == 'L')
			dwarf_bytes_skip(&data, 1);
		else if (*l == 'P' && /* 'P' is the personality routine: skip its pointer */
			 !cfi_pointer(c, &data,
				      (unsigned int)dwarf_bytes_fixed(&data, 1) & CFI_PTR_FORMAT,
				      &unused))
			return false;
		else if (*l != 'B' && *l != 'P')
			/* unknown letter: skip all other data; their length is known */
			break;
	}
	return !b->is_over;
}

/*
 * The CIE at offset @at, which is parsed on first use. *@ret_row: its index. NULL: it is missing or
 * cannot be used.
 */
static const struct cfi_common *cfi_common_at(struct cfi *c, uint64_t at, uint32_t *ret_row)
{
	struct idmap_probe probe = idmap_first(&c->commons_map, hash_u64(at, 7));
	struct dwarf_bytes b = { c->bytes, at, c->len, at > c->len };
	struct cfi_common common = { .offset = (uint32_t)at, .is_bad = true };
	unsigned int version;
	const char *letters;
	uint64_t len;

	while (idmap_next(&c->commons_map, &probe)) {
		*ret_row = probe.id;
		if (c->commons.data[probe.id].offset == at)
			return c->commons.data[probe.id].is_bad ? NULL : &c->commons.data[probe.id];
	}
	len = dwarf_bytes_fixed(&b, 4);
	if (!b.is_over && len >= 8 && len <= b.end - b.at &&
	    dwarf_bytes_fixed(&b, 4) == (c->is_debug_frame ? UINT32_MAX : 0)) {
		b.end = b.at + (size_t)len - 4;
		version = (unsigned int)dwarf_bytes_fixed(&b, 1);
		letters = (const char *)c->bytes + b.at;
		dwarf_bytes_skip(&b, strnlen(letters, b.end - b.at) + 1);
		if (version == 4)
			/* skip the sizes of an address and of a segment selector */
			dwarf_bytes_skip(&b, 2);
		common.code_align = dwarf_bytes_uleb(&b);
		common.data_align = dwarf_bytes_sleb(&b);
		common.return_reg =
			(uint8_t)(version == 1 ? dwarf_bytes_fixed(&b, 1) : dwarf_bytes_uleb(&b));
		common.is_bad = b.is_over || (version != 1 && version != 3 && version != 4) ||
				!cfi_augmentation(c, &b, letters, &common) ||
				common.return_reg >= CFI_REGISTERS;
		common.at = (uint32_t)b.at;
		common.until = (uint32_t)b.end;
	}
	*ret_row = (uint32_t)c->commons.len;
	idmap_insert(&c->commons_map, &probe, *ret_row);
	*VEC_PUSH(&c->commons) = common;
	return common.is_bad ? NULL : &c->commons.data[*ret_row];
}

/* Read a function entry (FDE). @id: its pointer to the CIE; @id_at: offset of this pointer. */
static void cfi_function_entry(struct cfi *c, struct dwarf_bytes b, uint64_t id, size_t id_at)
{
	uint64_t common_at = c->is_debug_frame ? id : id_at - id;
	struct cfi_function f = { .first_row = INDEX_NONE };
	const struct cfi_common *common;
	uint64_t length;

	if (!c->is_debug_frame && id > id_at) {
		c->n_bad++;
		return;
	}
	common = cfi_common_at(c, common_at, &f.common);
	if (!common || !cfi_pointer(c, &b, common->pointer_encoding, &f.start) ||
	    !cfi_pointer(c, &b, common->pointer_encoding & CFI_PTR_FORMAT, &length) ||
	    __builtin_add_overflow(f.start, length, &f.end)) {
		c->n_bad++;
		return;
	}
	if (common->has_augmentation)
		dwarf_bytes_skip(&b, dwarf_bytes_uleb(&b));
	if (b.is_over) {
		c->n_bad++;
		return;
	}
	f.at = (uint32_t)b.at;
	f.until = (uint32_t)b.end;
	if (length) /* a function of length 0 was removed by the linker: skip it */
		*VEC_PUSH(&c->functions) = f;
}

static int cfi_compare(const void *a, const void *b)
{
	const struct cfi_function *x = a;
	const struct cfi_function *y = b;

	return SORT_ORDER(x->start, y->start) ?: SORT_ORDER(x->at, y->at);
}

/*
 * Read the entry at offset b->at, add it to @c, and advance @b to the next entry. Returns false if
 * there is no further entry.
 */
static bool cfi_entry(struct cfi *c, struct dwarf_bytes *b)
{
	struct dwarf_bytes entry = *b;
	uint64_t len;
	size_t id_at;
	uint64_t id;

	if (b->end - b->at < 8)
		return false;
	len = dwarf_bytes_fixed(&entry, 4);
	/* length 0 is a terminator, from crtend.o; other entries may follow */
	if (len == 0) {
		b->at = entry.at;
		return true;
	}
	/* entries in the 64-bit format are not supported; only sections above 4 GiB need them */
	if (len == UINT32_MAX || len > entry.end - entry.at) {
		c->n_bad++;
		return false;
	}
	entry.end = entry.at + (size_t)len;
	b->at = entry.end;
	id_at = entry.at;
	id = dwarf_bytes_fixed(&entry, 4);
	if (entry.is_over)
		c->n_bad++;
	else if (id != (c->is_debug_frame ? UINT32_MAX : 0))
		cfi_function_entry(c, entry, id, id_at);
	return true;
}

bool cfi_read_entry(struct cfi *c, size_t at)
{
	struct dwarf_bytes b = { c->bytes, at, c->len, false };
	size_t n = c->functions.len;

	(void)cfi_entry(c, &b);
	return c->functions.len > n;
}

void cfi_read_all(struct cfi *c)
{
	struct dwarf_bytes b = { c->bytes, 0, c->len, false };

	c->table.n = 0;
	c->functions.len = 0;
	while (cfi_entry(c, &b))
		;
	VEC_SORT(&c->functions, cfi_compare);
}

/*
 * Find the section @name that has content. @ret: its header. NULL: no such section. *@ret_cut is
 * set if the header or the name of any section is unreadable.
 */
static Elf_Scn *cfi_section(Elf *elf, size_t names, const char *name, GElf_Shdr *ret, bool *ret_cut)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		const char *n;

		if (!gelf_getshdr(scn, ret)) {
			*ret_cut = true;
			continue;
		}
		if (ret->sh_type == SHT_NOBITS)
			continue;
		n = elf_strptr(elf, names, ret->sh_name);
		*ret_cut |= !n;
		if (n && strcmp(n, name) == 0)
			return scn;
	}
	return NULL;
}

/*
 * Map .eh_frame and .eh_frame_hdr with one mapping, because they are adjacent in a linked file.
 * Returns false if this is impossible; the caller must then read .eh_frame.
 */
static bool cfi_map(struct cfi *c, Elf *elf, int fd, size_t names, const GElf_Shdr *frame)
{
	const GElf_Shdr *first = frame;
	GElf_Shdr table;
	const GElf_Shdr *last = &table;
	bool is_cut = false;
	Elf_Scn *scn;
	uint64_t from;
	void *p;

	if (fd < 0)
		return false;
	scn = cfi_section(elf, names, ".eh_frame_hdr", &table, &is_cut);
	/* the section is missing, or exceeds the end of the file */
	if (!scn || is_cut || !elf_rawdata(scn, NULL))
		return false;
	/* .eh_frame_hdr is before .eh_frame if GNU ld linked the file, and after it with lld */
	if (table.sh_offset < frame->sh_offset) {
		first = &table;
		last = frame;
	}
	if (first->sh_size > last->sh_offset - first->sh_offset ||
	    last->sh_offset - first->sh_offset - first->sh_size > CFI_APART_MAX)
		return false;
	from = first->sh_offset & ~UINT64_C(4095);
	c->mapping_bytes = (size_t)(last->sh_offset + last->sh_size - from);
	p = mmap(NULL, c->mapping_bytes, PROT_READ, MAP_PRIVATE, fd, (off_t)from);
	if (p == MAP_FAILED)
		return false;
	c->mapping = p;
	c->bytes = (const uint8_t *)p + (frame->sh_offset - from);
	c->table.address = table.sh_addr;
	cfi_table_open(c, (const uint8_t *)p + (table.sh_offset - from), (size_t)table.sh_size);
	return true;
}

static int cfi_read(struct cfi *c, Elf *elf, int fd, struct error *err)
{
	struct elf_symbols e = { .n_loads = 0 };
	Elf_Scn *scn;
	Elf_Data *data;
	GElf_Shdr sh;
	GElf_Ehdr eh;
	size_t names;
	bool is_cut = false;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh) ||
	    elf_getshdrstrndx(elf, &names) != 0)
		return fail(err, ERR_FORMAT, "not an ELF file with sections");
	if (eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return fail(err, ERR_UNSUPPORTED, "not a 64-bit little-endian ELF file");
	elf_symbols_read_frame(elf, &e);
	memcpy(c->loads, e.loads, sizeof(c->loads));
	c->n_loads = e.n_loads;
	c->build_id = e.build_id;
	c->machine = eh.e_machine;
	scn = cfi_section(elf, names, ".eh_frame", &sh, &is_cut);
	if (!scn || sh.sh_size == 0) { /* GNU ld may write an empty section */
		scn = cfi_section(elf, names, ".debug_frame", &sh, &is_cut);
		c->is_debug_frame = true;
		if (scn && (sh.sh_flags & SHF_COMPRESSED))
			(void)elf_compress(scn, 0, 0);
	}
	data = scn ? elf_rawdata(scn, NULL) : NULL;
	if ((scn && !data) || (!scn && is_cut) || e.is_cut)
		return fail(err, ERR_IO, "its call frame information cannot be read");
	if (!data || !data->d_buf || data->d_size == 0)
		return fail(err, ERR_NOTFOUND, "no call frame information");
	if (data->d_size > LIMIT_CFI_BYTES)
		return fail(err, ERR_LIMIT, "more than %u MiB of call frame information",
			    (unsigned int)(LIMIT_CFI_BYTES >> 20));
	c->address = sh.sh_addr;
	c->len = data->d_size;
	if (c->is_debug_frame || !cfi_map(c, elf, fd, names, &sh))
		c->bytes = c->owned = xmemdupz(data->d_buf, c->len);
	if (!c->table.n)
		cfi_read_all(c);
	return OK;
}

int cfi_open(const char *path, struct cfi **ret, struct error *err)
{
	CLEANUP(cfi_freep) struct cfi *c = xcalloc(1, sizeof(*c));
	int fd = files_open(path, FILES_ELF);
	Elf *elf;
	int r;

	if (fd < 0)
		return fail(err, files_is_absent(errno) ? ERR_NOTFOUND : ERR_IO, "%s: %s", path,
			    strerror(errno));
	alloc_watch();
	(void)elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	r = elf ? cfi_read(c, elf, fd, err) : fail(err, ERR_IO, "%s: %s", path, elf_errmsg(-1));
	if (elf)
		(void)elf_end(elf);
	alloc_watched();
	(void)close(fd);
	if (r == OK)
		*ret = TAKE(c);
	return r;
}

int cfi_open_image(const void *image, size_t len, struct cfi **ret, struct error *err)
{
	CLEANUP(cfi_freep) struct cfi *c = xcalloc(1, sizeof(*c));
	CLEANUP(freep) char *copy = xmemdupz(image, len);
	Elf *elf;
	int r;

	alloc_watch();
	(void)elf_version(EV_CURRENT);
	elf = elf_memory(copy, len);
	r = elf ? cfi_read(c, elf, -1, err) : fail(err, ERR_FORMAT, "not an ELF image");
	if (elf)
		(void)elf_end(elf);
	alloc_watched();
	if (r == OK)
		*ret = TAKE(c);
	return r;
}

uint64_t cfi_address_of_offset(const struct cfi *c, uint64_t offset)
{
	for (size_t i = 0; i < c->n_loads; i++) {
		const struct elf_load *l = &c->loads[i];

		if (offset >= l->offset && offset - l->offset < l->size)
			return offset - l->offset + l->vaddr;
	}
	return offset;
}

/* The last function whose start address is at most @address; NULL: none. */
static struct cfi_function *cfi_function_at(struct cfi *c, uint64_t address)
{
	size_t low = 0;
	size_t high;

	if (c->table.n) {
		struct cfi_function *f = cfi_table_find(c, address);

		if (c->table.n)
			return f;
	}
	for (high = c->functions.len; low < high;) {
		size_t mid = low + (high - low) / 2;

		if (c->functions.data[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &c->functions.data[low - 1] : NULL;
}

uint32_t cfi_find(struct cfi *c, uint64_t address)
{
	struct cfi_function *f = cfi_function_at(c, address);
	uint32_t from;
	uint32_t to;

	if (!f || address >= f->end)
		return INDEX_NONE;
	if (f->first_row == INDEX_NONE)
		cfi_run(c, f);
	from = f->first_row;
	to = f->first_row + f->n_rows;
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;

		if (c->rows.data[mid].start <= address)
			from = mid + 1;
		else
			to = mid;
	}
	return from == f->first_row ? INDEX_NONE : from - 1;
}

uint64_t cfi_function_size(struct cfi *c, uint64_t address)
{
	const struct cfi_function *f = cfi_function_at(c, address);

	return f && f->start == address ? f->end - f->start : 0;
}

bool cfi_has_no_frame(const struct cfi *c, uint32_t row)
{
	const struct cfi_row *r = &c->rows.data[row];
	const struct cfi_rule *of_return = NULL;

	for (uint32_t i = 0; i < r->n_rules; i++) {
		const struct cfi_rule *rule = &c->rules.data[r->first_rule + i];

		of_return = rule->reg == r->return_reg ? rule : of_return;
	}
	if (r->is_signal || (of_return && of_return->kind == CFI_UNDEFINED))
		return false; /* the outermost frame, which has no caller */
	if (c->machine == EM_AARCH64)
		return r->cfa_reg == CFI_SP_AARCH64 && !of_return;
	if (c->machine != EM_X86_64)
		return false;
	/*
	 * in a PLT stub, an expression gives the CFA. Skip the length of the expression; its first
	 * operation must read rsp
	 */
	if (r->cfa_reg == CFI_EXPRESSION_REG) {
		struct dwarf_bytes b = { c->bytes, (size_t)r->cfa_value, c->len, false };

		(void)dwarf_bytes_uleb(&b);
		return dwarf_bytes_fixed(&b, 1) == CFI_OP_BREG0 + CFI_SP_X86_64 && !b.is_over;
	}
	return r->cfa_reg == CFI_SP_X86_64;
}
