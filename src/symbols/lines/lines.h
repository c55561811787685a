/* SPDX-License-Identifier: MIT */
/*
 * lines.h - inlined functions and source lines of a module, from DWARF
 *
 * Uses libdw (optional feature `dwarf`) with an index of its own, because libdw's dwarf_getscopes()
 * walks the whole unit for every address. Opening a file indexes its units by address. The
 * functions of a unit and the inlined calls of a function are indexed on first use.
 *
 * Entries that dwz moved to another file are read from that file, and those of split DWARF from
 * .dwo and .dwp files (lines_split.h). Without these files only source lines are known, because
 * those are in the program itself.
 *
 * libdw validates its input, but was not designed for hostile files. This code therefore runs only
 * on demand.
 *
 * Not thread safe.
 */
#ifndef SYMBOLS_LINES_H
#define SYMBOLS_LINES_H

#include "base/status.h"
#include "base/str.h"
#include "symbols/elf_symbols.h"

struct symtab;

#define LINES_FRAMES_MAX 64u /* maximum number of frames at one address */

struct lines;

struct line_frame {
	struct str function; /* name of the function, mangled as in the file; "": unknown */
	struct str file; /* source file with folders, as recorded by the compiler; "": unknown */
	uint32_t line;   /* line in the source file; 0: unknown */
	bool is_inlined; /* the function is inlined into the function of the next frame */
};

/* Where files that the debug information names are searched. */
struct lines_places {
	const char *program; /* path of the file that ran, if the debug information is in another */
	const char *root;    /* folder prepended to paths in the debug information; NULL: none */
};

/*
 * Open the DWARF of @path; @places may be NULL. Errors: ERR_IO, ERR_FORMAT, ERR_NOTFOUND if it has
 * none, ERR_UNSUPPORTED in builds without libdw. Cost: linear in the number of units.
 */
MUST_CHECK int lines_open(const char *path, const struct lines_places *places, struct lines **ret,
			  struct error *err);
void lines_free(struct lines *l);
/*
 * The code sections of a relocatable file (a kernel module), as loaded: .offset is the recorded
 * address, .vaddr the address for lines_find(). @known: functions of the loaded module; the
 * recorded address of a function is its address in @known plus @shift. If @known is NULL or shares
 * no name with the file, the sections are placed at @start by the kernel's rules. Returns the
 * number of sections; 0: not a relocatable file.
 */
size_t lines_loads(const struct lines *l, const struct symtab *known, uint64_t shift,
		   uint64_t start, struct elf_load ret[ELF_LOADS_MAX]);
/*
 * The frames at a virtual address, innermost first; the last frame is the function that contains
 * the code. Texts are valid until lines_free(). 0: nothing is known.
 */
size_t lines_find(struct lines *l, uint64_t address, struct line_frame ret[LINES_FRAMES_MAX]);
/*
 * Number of units that lines_find() needed and whose .dwo file was not found, so that their inlined
 * functions are unknown. @ret_path: the first such file, valid until lines_free().
 */
uint64_t lines_missing(const struct lines *l, struct str *ret_path);

#endif
