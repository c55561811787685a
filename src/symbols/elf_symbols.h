/* SPDX-License-Identifier: MIT */
/*
 * elf_symbols.h - functions of an ELF file, sorted by file offset
 *
 * Uses libelf. Symbols come from .symtab or, if it is missing, from .dynsym and .gnu_debugdata. PLT
 * entries are added as "name@plt". Both the addresses of symbols and the sampled addresses are
 * converted to file offsets: for symbols, the segments of the file give the offset; for samples,
 * the memory maps of the process. So position-independent, prelinked and fixed executables are
 * treated in the same way.
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
	 * indices in table.entries of indirect functions (STT_GNU_IFUNC), which choose an
	 * implementation when the library is loaded (indirect_names.h)
	 */
	VEC(uint32_t) indirect;
	struct elf_load loads[ELF_LOADS_MAX]; /* loadable segments of the file (PT_LOAD) */
	size_t n_loads;
	struct build_id build_id;
	char debuglink[256]; /* file name in .gnu_debuglink; "": none */
	bool has_symtab;     /* the file has a .symtab section, and not only .dynsym */
	bool is_cut;         /* some data could not be read; set only by elf_symbols_read_frame() */
};

enum elf_part {
	ELF_FRAME,       /* segments, build id and debug link, but no symbols */
	ELF_SYMTAB_ONLY, /* ELF_FRAME, and all symbols if the file has .symtab */
	/* ELF_FRAME, and the symbols of .symtab or, if that is missing, the exported symbols */
	ELF_WHOLE,
};

/*
 * Read @part of the file @path. If @path is a separate debug file, @runtime must be its program:
 * the segments of @runtime are then used, because segment offsets in a debug file are invalid.
 * Otherwise @runtime is NULL. Errors: ERR_NOTFOUND (no accessible file), ERR_FORMAT (not ELF),
 * ERR_IO (the file or a part of its symbols is unreadable). If OK is returned, release @ret with
 * elf_symbols_fini(); its table may be empty. The symbols are not sorted yet: the caller must add
 * the symbols of all files of a module to one table, and then call symtab_finish().
 */
MUST_CHECK int elf_symbols_read(const char *path, enum elf_part part,
				const struct elf_symbols *runtime, struct elf_symbols *ret,
				struct error *err);
/*
 * Like elf_symbols_read(), for the open file @fd. @fd is the result of files_open() for @path. If
 * it is -1, an error with the text of errno is returned. Closes @fd.
 */
MUST_CHECK int elf_symbols_read_open(int fd, const char *path, enum elf_part part,
				     const struct elf_symbols *runtime, struct elf_symbols *ret,
				     struct error *err);
/* Like elf_symbols_read(), for the vDSO of this process. Errors: ERR_NOTFOUND. */
MUST_CHECK int elf_symbols_read_vdso(struct elf_symbols *ret, struct error *err);
/* Read only the segments and the build id of an open file. @elf: its Elf *, from libelf. */
void elf_symbols_read_frame(void *elf, struct elf_symbols *ret);
/*
 * The image of this process's vDSO in memory; borrowed. NULL: there is none, or it is not
 * supported.
 */
const void *elf_symbols_vdso_image(size_t *ret_len);
void elf_symbols_fini(struct elf_symbols *e);
bool build_id_eq(const struct build_id *a, const struct build_id *b);
/* Whether both build ids are known, and differ. */
bool build_id_differ(const struct build_id *a, const struct build_id *b);
/*
 * Find the first build id in @notes, ELF notes in native byte order. If there is none, @ret is not
 * changed.
 */
void build_id_of_notes(const char *notes, size_t len, struct build_id *ret);

#endif
