/* SPDX-License-Identifier: MIT */
/*
 * lines.h - inlined functions and source lines of a module, from DWARF
 *
 * Uses libdw (optional feature `dwarf`), but with an index of its own, because libdw's
 * dwarf_getscopes() reads the whole unit for each address. When a file is opened, its units are
 * indexed by address. The functions of a unit, and the inlined calls of a function, are indexed on
 * first use.
 *
 * Some DWARF entries may be in other files: in a supplementary file that the tool dwz wrote, or in
 * .dwo and .dwp files of a program built with -gsplit-dwarf (lines_split.h). If such a file is
 * missing, only source lines are known, because the program itself has them.
 *
 * libdw checks its input, but was not designed for malicious files. Therefore it is used only if
 * lines or inlined functions are requested.
 *
 * Not thread safe.
 */
#ifndef SYMBOLS_LINES_H
#define SYMBOLS_LINES_H

#include "base/status.h"
#include "base/str.h"
#include "symbols/elf_symbols.h"

struct symtab;

#define LINES_FRAMES_MAX 64u /* maximum number of frames for one address */

struct lines;

struct line_frame {
	struct str function; /* name of the function, mangled as in the file; "": unknown */
	struct str file;     /* path of the source file, as the compiler recorded it; "": unknown */
	uint32_t line;       /* line number in the source file; 0: unknown */
	bool is_inlined;     /* the function is inlined into the function of the next element */
	/* folder in which the compiler ran; a relative `file` starts there; "": unknown */
	struct str folder;
};

/* Where to search the .dwo and .dwp files of split debug information (lines_split.h). */
struct lines_places {
	/* path of the program, if the debug information is in a separate file; otherwise NULL */
	const char *program;
	const char *root; /* folder that is put before paths in the debug information; NULL: none */
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
 * List the code sections of a kernel module, which is a relocatable file. For each section, @ret
 * has its address in the recorded kernel (.offset) and its address for lines_find() (.vaddr). The
 * address in the recorded kernel is computed from the functions that are in both the file and
 * @known, the symbol table of the loaded module. @shift: address in the recorded kernel minus
 * address in @known. If @known is NULL, or has no function of the file, the sections are placed one
 * after another from the address @start on, by the rules of the kernel. Returns the number of
 * sections; 0: not a relocatable file.
 */
size_t lines_loads(const struct lines *l, const struct symtab *known, uint64_t shift,
		   uint64_t start, struct elf_load ret[ELF_LOADS_MAX]);
/*
 * Find the frames at the virtual address @address, innermost first. The last frame is the function
 * that contains the code. Returns their number; 0: nothing is known. Texts are valid until
 * lines_free().
 */
size_t lines_find(struct lines *l, uint64_t address, struct line_frame ret[LINES_FRAMES_MAX]);
/*
 * Number of units that lines_find() needed, and whose .dwo file was not found. Results lack the
 * inlined functions of these units. @ret_path: path of the first missing file, valid until
 * lines_free().
 */
uint64_t lines_missing(const struct lines *l, struct str *ret_path);

#endif
