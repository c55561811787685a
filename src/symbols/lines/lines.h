/* SPDX-License-Identifier: MIT */
/*
 * lines.h - inlined functions and source lines of a module, from DWARF
 *
 * Uses libdw (optional feature `dwarf`), but a separate index: libdw's dwarf_getscopes() walks the
 * whole unit for every address. Opening a file indexes its units by address. The functions of a
 * unit and the inlined calls of a function are indexed on first use.
 *
 * DWARF entries may be in other files: in a supplementary file that the tool dwz wrote, or in .dwo
 * and .dwp files of programs built with -gsplit-dwarf (lines_split.h). If such a file is missing,
 * only source lines are known: the program itself has them.
 *
 * libdw validates its input, but was not designed for hostile files. This code therefore runs only
 * if lines or inlined functions are requested.
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
	uint32_t line;   /* line number in the source file; 0: unknown */
	bool is_inlined; /* the function is inlined into the function of the next frame */
	/* folder in which the compiler ran, to which a relative `file` refers; "": unknown */
	struct str folder;
};

/* Paths for the search for files that the debug information names. */
struct lines_places {
	/* path of the program, if the debug information is in a separate file; else NULL */
	const char *program;
	const char *root; /* folder prepended to paths in the debug information; NULL: none */
};

/*
 * Open the DWARF of @path; @places may be NULL. Errors: ERR_IO if the file cannot be opened,
 * ERR_NOTFOUND if the file has no DWARF, ERR_UNSUPPORTED in builds without libdw. Cost: linear in
 * the number of units.
 */
MUST_CHECK int lines_open(const char *path, const struct lines_places *places, struct lines **ret,
			  struct error *err);
void lines_free(struct lines *l);
/*
 * List the code sections of a kernel module (a relocatable file) in @ret: .offset is the address of
 * the section in the recorded kernel, and .vaddr its address for lines_find(). @known: functions of
 * the loaded module. The recorded address of a function is its address in @known plus @shift. If
 * @known is NULL or shares no name with the file, the sections are placed from @start on, by the
 * rules of the kernel. Returns the number of sections; 0: not a relocatable file.
 */
size_t lines_loads(const struct lines *l, const struct symtab *known, uint64_t shift,
		   uint64_t start, struct elf_load ret[ELF_LOADS_MAX]);
/*
 * The frames at a virtual address, innermost first; the last frame is the function that contains
 * the code. Texts are valid until lines_free(). 0: nothing is known.
 */
size_t lines_find(struct lines *l, uint64_t address, struct line_frame ret[LINES_FRAMES_MAX]);
/*
 * Number of units that lines_find() needed and whose .dwo file was not found. Inlined functions of
 * these units are missing. @ret_path: the first missing file, valid until lines_free().
 */
uint64_t lines_missing(const struct lines *l, struct str *ret_path);

#endif
