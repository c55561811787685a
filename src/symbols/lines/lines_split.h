/* SPDX-License-Identifier: MIT */
/*
 * lines_split.h - DWARF units in .dwo and .dwp files, which gcc and clang write with -gsplit-dwarf
 *
 * The program has only a skeleton of such a unit: its address ranges, its source lines and the name
 * of the .dwo file. Functions and inlined calls are in the unit itself. The file is searched under
 * the name in the skeleton and next to the program. It is accepted only if its unit has the same id
 * as the skeleton. The id is a hash of the content.
 */
#ifndef SYMBOLS_LINES_SPLIT_H
#define SYMBOLS_LINES_SPLIT_H

#include "symbols/lines/split_file.h"

#include <elfutils/libdw.h>

/*
 * The .dwo and .dwp files of one program. A zeroed struct is empty. Release: lines_splits_fini().
 */
struct lines_splits {
	char *path;    /* path of the file with the skeleton units */
	char *program; /* path of the program that ran, which may be another file */
	char *root;    /* folder prepended to the paths in skeletons */
	bool is_dwp_tried;
	struct split_file dwp; /* the open .dwp file; .elf is NULL if there is none */
	uint64_t n_bytes;      /* total size of the images of units (split_file.h) */
	uint64_t n_missing;    /* number of units that were needed and not found */
	char *missing;         /* path of the first missing file */
};

struct lines_split {
	Dwarf *dwarf;
	Elf *elf;
	struct split_image image;
	Dwarf_Die die;             /* entry of the unit in the .dwo file */
	Dwarf_Die skeleton;        /* entry of the skeleton unit in the program */
	struct split_file program; /* sections of the program, borrowed */
	uint64_t base;             /* start address of the unit, to which ranges are relative */
	/* before version 5: offset of the unit's ranges in the program's .debug_ranges */
	uint64_t ranges_base;
	unsigned int version;
	unsigned int address_bytes;
};

/* Whether @die is a skeleton unit, whose functions are in a .dwo file. */
bool lines_split_is(Dwarf_Die *die);
/*
 * Find and open the unit of @skeleton in a .dwo or .dwp file. NULL: the unit is missing;
 * s->n_missing counts such units.
 */
struct lines_split *lines_split_open(struct lines_splits *s, Dwarf *program, Dwarf_Die *skeleton);
void lines_split_free(struct lines_split *u);
void lines_splits_fini(struct lines_splits *s);
/* As dwarf_ranges(), for @die, which is an entry of the unit @u. */
ptrdiff_t lines_split_ranges(struct lines_split *u, Dwarf_Die *die, ptrdiff_t at, Dwarf_Addr *base,
			     Dwarf_Addr *start, Dwarf_Addr *end);

#endif
