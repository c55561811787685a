/* SPDX-License-Identifier: MIT */
/*
 * elf_symbols.h - functions of an ELF file, sorted by file offset
 *
 * Uses libelf. Symbols come from .symtab, else from .dynsym and .gnu_debugdata. PLT entries are
 * added as "name@plt". The address of each symbol is converted to a file offset, by the segment
 * that contains the address. Sampled addresses are converted to file offsets, too, by the maps of
 * the process. Position-independent, prelinked and fixed executables therefore need no distinction.
 */
#ifndef SYMBOLS_ELF_SYMBOLS_H
#define SYMBOLS_ELF_SYMBOLS_H

#include "base/status.h"
#include "base/vec.h"
#include "symbols/symtab.h"

#define BUILD_ID_MAX  20u
#define ELF_LOADS_MAX 32u

struct build_id {
	uint8_t bytes[BUILD_ID_MAX];
	uint8_t len; /* length of the build id in bytes; 0: no build id */
};

struct elf_load {
	uint64_t vaddr, offset, size;
};

struct elf_symbols {
	struct symtab table;
	/*
	 * indices in table.entries of indirect functions (STT_GNU_IFUNC): the loader calls them to
	 * choose an implementation
	 */
	VEC(uint32_t) indirect;
	struct elf_load loads[ELF_LOADS_MAX]; /* segments with code or data (PT_LOAD) */
	size_t n_loads;
	struct build_id build_id;
	char debuglink[256]; /* name in .gnu_debuglink, "" if there is none */
	bool has_symtab;     /* the file has .symtab, not only .dynsym */
	bool is_cut;         /* some data could not be read; set only by elf_symbols_read_frame() */
};

enum elf_part {
	ELF_FRAME,       /* segments, build id and debug link, but no symbols */
	ELF_SYMTAB_ONLY, /* ELF_FRAME, plus the symbols if the file has .symtab */
	/* ELF_FRAME, plus the symbols of .symtab or, if it is missing, the exported symbols */
	ELF_WHOLE,
};

/*
 * Read @part of @path. @runtime: the program, if @path is its separate debug file. The segments of
 * the program are then used, because segment offsets in debug files are not valid. NULL: use the
 * segments of @path. Errors: ERR_NOTFOUND (no accessible file), ERR_FORMAT (not ELF), ERR_IO (the
 * file or part of its symbols is unreadable). On OK @ret is valid, though the table may be empty;
 * release with elf_symbols_fini(). Call symtab_finish() after all files have added their symbols.
 */
MUST_CHECK int elf_symbols_read(const char *path, enum elf_part part,
				const struct elf_symbols *runtime, struct elf_symbols *ret,
				struct error *err);
/*
 * elf_symbols_read() for the open file @fd: the result of files_open() for @path, or -1 with the
 * reason in errno. Closes @fd.
 */
MUST_CHECK int elf_symbols_read_open(int fd, const char *path, enum elf_part part,
				     const struct elf_symbols *runtime, struct elf_symbols *ret,
				     struct error *err);
/* elf_symbols_read() for the vDSO of this process. Errors: ERR_NOTFOUND. */
MUST_CHECK int elf_symbols_read_vdso(struct elf_symbols *ret, struct error *err);
/* Read only the segments and the build id of an open file. @elf: an Elf *. */
void elf_symbols_read_frame(void *elf, struct elf_symbols *ret);
/* The vDSO image of this process; borrowed. NULL: none, or an unsupported one. */
const void *elf_symbols_vdso_image(size_t *ret_len);
void elf_symbols_fini(struct elf_symbols *e);
bool build_id_eq(const struct build_id *a, const struct build_id *b);
/* Whether both build ids are known and different. */
bool build_id_differ(const struct build_id *a, const struct build_id *b);
/*
 * Find the first build id in ELF notes, which are in native byte order. If there is none, @ret is
 * unchanged.
 */
void build_id_of_notes(const char *notes, size_t len, struct build_id *ret);

#endif
