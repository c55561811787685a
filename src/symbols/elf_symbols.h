/* SPDX-License-Identifier: MIT */
/*
 * elf_symbols.h - the functions of an ELF file, as file offsets
 *
 * Through libelf. From .symtab, else .dynsym and .gnu_debugdata, plus the entries of
 * the PLT as "name@plt". A symbol's address becomes the offset in the file by the program
 * header that holds it, which is what a map of a process subtracts to; that
 * makes position-independent, prelinked and fixed executables alike.
 */
#ifndef SYMBOLS_ELF_SYMBOLS_H
#define SYMBOLS_ELF_SYMBOLS_H

#include "symbols/symtab.h"

#define BUILD_ID_MAX  20u
#define ELF_LOADS_MAX 32u

struct build_id {
	uint8_t bytes[BUILD_ID_MAX];
	uint8_t len; /* 0: none */
};

struct elf_load {
	uint64_t vaddr, offset, size;
};

struct elf_symbols {
	struct symtab table;
	struct elf_load loads[ELF_LOADS_MAX]; /* PT_LOAD */
	size_t n_loads;
	struct build_id build_id;
	char debuglink[256]; /* name in .gnu_debuglink, "" if there is none */
	bool has_symtab;     /* .symtab was there, not only .dynsym */
	bool is_cut;         /* of elf_symbols_read_frame(): a part could not be read */
};

enum elf_part {
	ELF_FRAME,       /* segments, build id, debug link: no symbols */
	ELF_SYMTAB_ONLY, /* and the symbols of a file that has .symtab */
	ELF_WHOLE,       /* and symbols, those that it exports at least */
};

/*
 * Read @part of @path. A separate debug file does not know where its segments lie in the
 * file that ran: @runtime is that file, or NULL.
 * Errors: ERR_NOTFOUND (no such file for us), ERR_FORMAT (not ELF), ERR_IO (it is there, and
 * it or a part of its symbols cannot be read). @ret is valid, perhaps with
 * an empty table, when it returns OK; release with elf_symbols_fini().
 * Symbols are not finished: call symtab_finish() when all files have added.
 */
MUST_CHECK int elf_symbols_read(const char *path, enum elf_part part,
				const struct elf_symbols *runtime, struct elf_symbols *ret,
				struct error *err);
/* The same of @fd, which files_open() gave for @path (-1: errno says why not); it is closed. */
MUST_CHECK int elf_symbols_read_open(int fd, const char *path, enum elf_part part,
				     const struct elf_symbols *runtime, struct elf_symbols *ret,
				     struct error *err);
/* The same for the vDSO that the kernel put into this process. Errors: ERR_NOTFOUND. */
MUST_CHECK int elf_symbols_read_vdso(struct elf_symbols *ret, struct error *err);
/* Only the segments and the build id of an open file (Elf *). */
void elf_symbols_read_frame(void *elf, struct elf_symbols *ret);
/* The vDSO of this process; borrowed. NULL: there is none that we read. */
const void *elf_symbols_vdso_image(size_t *ret_len);
void elf_symbols_fini(struct elf_symbols *e);
bool build_id_eq(const struct build_id *a, const struct build_id *b);
/* Both are known, and they are of different builds. */
bool build_id_differ(const struct build_id *a, const struct build_id *b);
/* The first build id among ELF notes in this machine's byte order; untouched where there is none.
 */
void build_id_of_notes(const char *notes, size_t len, struct build_id *ret);

#endif
