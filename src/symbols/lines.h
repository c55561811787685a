/* SPDX-License-Identifier: MIT */
/*
 * lines.h - inlined functions and source lines of a module, from DWARF
 *
 * Uses libdw (optional feature `dwarf`) with an own index. Opening a file indexes units by
 * address. Functions of a unit and inlined calls of a function are indexed when the first
 * address falls into them. libdw's dwarf_getscopes() would walk the unit for every address.
 *
 * Entries that dwz moved to another file are read there. Of split DWARF (.dwo, .dwp) only the
 * lines are known, which are in the program itself.
 *
 * libdw validates its input, but was not designed for hostile files: this code runs on demand
 * only.
 *
 * Not thread safe.
 */
#ifndef SYMBOLS_LINES_H
#define SYMBOLS_LINES_H

#include "base/status.h"
#include "base/str.h"
#include "symbols/elf_symbols.h"

struct symtab;

#define LINES_FRAMES_MAX 64u /* largest nesting of inlined calls */

struct lines;

struct line_frame {
	struct str function; /* mangled, as in the file; "" unknown */
	struct str file;     /* with folders, as in the file; "" unknown */
	uint32_t line;       /* 0: unknown */
	bool is_inlined;     /* into the next frame */
};

/*
 * Open the DWARF of @path. Errors: ERR_IO, ERR_FORMAT, ERR_NOTFOUND if it has none,
 * ERR_UNSUPPORTED in builds without libdw. Cost: linear in the number of units.
 */
MUST_CHECK int lines_open(const char *path, struct lines **ret, struct error *err);
void lines_free(struct lines *l);
/*
 * Code sections of a relocatable file (a kernel module) when it was loaded: .offset is the
 * recorded address, .vaddr the address for lines_find(). @known: functions of the loaded
 * module, with addresses that become recorded ones by adding @shift. If it is NULL or shares no
 * name with the file, the layout follows the kernel's rules from @start. 0: not such a file.
 */
size_t lines_loads(const struct lines *l, const struct symtab *known, uint64_t shift,
		   uint64_t start, struct elf_load ret[ELF_LOADS_MAX]);
/*
 * The frames at a virtual address, innermost first; the last is the function itself. Texts are
 * valid until lines_free(). 0: nothing is known.
 */
size_t lines_find(struct lines *l, uint64_t address, struct line_frame ret[LINES_FRAMES_MAX]);

#endif
