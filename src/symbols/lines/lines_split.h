/* SPDX-License-Identifier: MIT */
/*
 * lines_split.h - units whose debug information is in a .dwo or .dwp file
 *
 * The file is found by the names in the skeleton and next to the program, and proven by the unit's
 * id, which is a hash of its content. Its functions and inlined calls are read as those of other
 * units; source lines are in the program.
 *
 * Private to lines*.c, which are built with libdw.
 */
#ifndef SYMBOLS_LINES_SPLIT_H
#define SYMBOLS_LINES_SPLIT_H

#include "symbols/lines/split_file.h"

#include <elfutils/libdw.h>

/* The split units of one program. A zeroed struct is empty; lines_splits_fini(). */
struct lines_splits {
	char *path;    /* of the file with the skeletons */
	char *program; /* of the file that ran, which may be another one */
	char *root;    /* folder prepended to the paths in skeletons */
	bool is_dwp_tried;
	struct split_file dwp; /* .elf is NULL without one */
	uint64_t n_bytes;      /* in images of units */
	uint64_t n_missing;    /* units that were needed and not found */
	char *missing;         /* path of the first of them */
};

struct lines_split {
	Dwarf *dwarf;
	Elf *elf;
	struct split_image image;
	Dwarf_Die die;             /* of the unit */
	Dwarf_Die skeleton;        /* in the program */
	struct split_file program; /* borrowed sections of the program */
	uint64_t base;             /* start of the unit, to which ranges are relative */
	uint64_t ranges_base; /* before version 5: its ranges in .debug_ranges of the program */
	unsigned int version;
	unsigned int address_bytes;
};

/* Whether @die is of a skeleton: its functions are in another file. */
bool lines_split_is(Dwarf_Die *die);
/* Find and open the unit of @skeleton. NULL: it is missing, which is counted in @s. */
struct lines_split *lines_split_open(struct lines_splits *s, Dwarf *program, Dwarf_Die *skeleton);
void lines_split_free(struct lines_split *u);
void lines_splits_fini(struct lines_splits *s);
/* dwarf_ranges() for an entry @die of the unit. */
ptrdiff_t lines_split_ranges(struct lines_split *u, Dwarf_Die *die, ptrdiff_t at, Dwarf_Addr *base,
			     Dwarf_Addr *start, Dwarf_Addr *end);

#endif
