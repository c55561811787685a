/* SPDX-License-Identifier: MIT */
/*
 * lines.h - inlined functions and source lines of one module, from its DWARF
 *
 * Through libdw (optional feature `dwarf`), but with an index of our own: units
 * by address when the file is opened, functions of a unit and inlined calls of a
 * function when the first address falls into them. libdw's dwarf_getscopes() would
 * walk the unit again for every address.
 *
 * libdw checks what it reads, yet was not made for hostile files: this is used
 * on demand only.
 *
 * Not thread safe.
 */
#ifndef SYMBOLS_LINES_H
#define SYMBOLS_LINES_H

#include "base/arena.h"
#include "symbols/elf_symbols.h"

#define LINES_FRAMES_MAX 64u /* inlined calls into each other at one place */

struct lines;

struct line_frame {
	struct str function; /* mangled, as the file has it; "" not said */
	struct str file;     /* with its folders, as the file has it; "" not said */
	uint32_t line;       /* 0: not said */
	bool is_inlined;     /* into the next one */
};

/*
 * Open the DWARF of @path. Errors: ERR_IO, ERR_FORMAT, ERR_NOTFOUND when there is
 * none, ERR_UNSUPPORTED in builds without libdw.
 * Cost: linear in the number of units.
 */
MUST_CHECK int lines_open(const char *path, struct lines **ret, struct error *err);
void lines_free(struct lines *l);
/*
 * Of a relocatable file, a module of the kernel: where its sections of code were, each
 * with .offset the recorded address and .vaddr the one that lines_find() wants. @known:
 * functions of the loaded module, whose addresses plus @shift are recorded ones; NULL or
 * none of the file: as the kernel lays modules out from @start. 0: not such a file.
 */
size_t lines_loads(const struct lines *l, const struct symtab *known, uint64_t shift,
		   uint64_t start, struct elf_load ret[ELF_LOADS_MAX]);
/*
 * What is at the virtual address: the innermost first, the last is the function
 * itself. Texts are valid until lines_free(). 0: nothing is known of the address.
 */
size_t lines_find(struct lines *l, uint64_t address, struct line_frame ret[LINES_FRAMES_MAX]);

#endif
