/* SPDX-License-Identifier: MIT */
/*
 * lines_split.h - DWARF units in .dwo and .dwp files, which gcc and clang write with -gsplit-dwarf
 *
 * The program has only a skeleton of such a unit: its address ranges, its source lines and the name
 * of the .dwo file. This file has the functions and inlined calls of the unit. It is searched under
 * the name in the skeleton, and next to the program. It is used only if the id of its unit, a hash
 * of its content, is the same as the id in the skeleton.
 */
#ifndef SYMBOLS_LINES_SPLIT_H
#define SYMBOLS_LINES_SPLIT_H

#include "symbols/lines/split_file.h"

#include <elfutils/libdw.h>

/*
 * The .dwo and .dwp files of one program. A zeroed struct is empty. Release with
 * lines_splits_fini().
 */
struct lines_splits {
	char *path; /* file that contains the skeleton units */
	/*
	 * program that ran; not the same as `path` if the debug information is in a separate file
	 */
	char *program;
	char *root; /* folder that is put before paths in skeletons */
	bool is_dwp_tried;
	struct split_file dwp; /* the open .dwp file; .elf is NULL if there is no .dwp file */
	/* total size in bytes of the images of units (split_file.h) so far */
	uint64_t n_bytes;
	uint64_t n_missing; /* number of units that were needed but not found */
	char *missing;      /* path of the first file that was not found */
};

struct lines_split {
	Dwarf *dwarf;
	Elf *elf;
	struct split_image image;
	Dwarf_Die die;             /* entry of the unit in the .dwo file */
	Dwarf_Die skeleton;        /* entry of the skeleton unit in the program */
	struct split_file program; /* the sections of the program; borrowed */
	uint64_t base;             /* start address of the unit; its ranges are relative to it */
	/*
	 * DWARF 4: offset in the program's section .debug_ranges to which the unit's ranges are
	 * relative
	 */
	uint64_t ranges_base;
	unsigned int version;
	unsigned int address_bytes;
};

/* Whether @die is a skeleton unit: its functions are in a .dwo file. */
bool lines_split_is(Dwarf_Die *die);
/*
 * Find the .dwo or .dwp file with the unit of @skeleton, and open the unit. NULL: not found;
 * s->n_missing counts such units.
 */
struct lines_split *lines_split_open(struct lines_splits *s, Dwarf *program, Dwarf_Die *skeleton);
void lines_split_free(struct lines_split *u);
void lines_splits_fini(struct lines_splits *s);
/* Like dwarf_ranges(), for an entry @die of the unit @u. */
ptrdiff_t lines_split_ranges(struct lines_split *u, Dwarf_Die *die, ptrdiff_t at, Dwarf_Addr *base,
			     Dwarf_Addr *start, Dwarf_Addr *end);

#endif
