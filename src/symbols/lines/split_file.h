/* SPDX-License-Identifier: MIT */
/*
 * split_file.h - extract the debug information of one DWARF unit from a .dwo or .dwp file
 *
 * A program built with -gsplit-dwarf contains only a skeleton of each unit. The unit itself is in a
 * .dwo file. A .dwp file holds the .dwo files of a whole program. Its index shows which part of
 * each section belongs to which unit (DWARF 5, section 7.3.5; in DWARF 4 the GNU extension, index
 * version 2). The addresses that a unit refers to are in .debug_addr of the program.
 *
 * split_file_image() builds an ELF file in memory from the parts and addresses of one unit. In this
 * file the unit looks as if it had never been split, so libdw can read it. libdw 0.188 reads no
 * .dwp file. It opens a .dwo file only by name, which a confined process may not do.
 *
 * All bytes may be hostile.
 */
#ifndef SYMBOLS_SPLIT_FILE_H
#define SYMBOLS_SPLIT_FILE_H

#include "base/str.h"

#include <libelf.h>
#include <stdint.h>

enum split_section {
	SPLIT_INFO,
	SPLIT_ABBREV,
	SPLIT_STR_OFFSETS,
	SPLIT_RNGLISTS,
	SPLIT_STR,
	SPLIT_CU_INDEX, /* section with the index of a .dwp file */
	SPLIT_ADDR,     /* this section and SPLIT_RANGES are sections of the program */
	SPLIT_RANGES,
	SPLIT_SECTIONS
};

/*
 * The sections of a file. A section is empty if the file lacks it, or if it cannot be decompressed.
 */
struct split_file {
	int fd;
	Elf *elf;
	bool is_little;
	struct str sections[SPLIT_SECTIONS];
};

/* Read the sections of a .dwo or .dwp file. False: not an ELF file; the caller still owns @fd. */
bool split_file_open(struct split_file *f, int fd);
/* Set ret->sections to the sections of @elf, the program itself. Borrowed. */
void split_file_borrow(struct split_file *ret, Elf *elf);
/* Close the file, and the descriptor that split_file_open() took over. */
void split_file_fini(struct split_file *f);
/* The @n bytes of @s at offset @at, read as an integer; 0 if they are outside of @s. */
uint64_t split_file_number(const struct split_file *f, struct str s, uint64_t at, unsigned int n);

/* An ELF file in memory with one unit. */
struct split_image {
	char *bytes; /* owner: caller, free() */
	size_t len;
	struct str rnglists; /* the section .debug_rnglists in @bytes */
};

/*
 * Make the image of the unit @id. @addr: the unit's part of the program's .debug_addr. In a .dwp
 * file the index finds the unit; a .dwo file is used as a whole. False: the .dwp file has no such
 * unit, the unit is incomplete, or the image exceeds @max bytes.
 */
bool split_file_image(const struct split_file *f, uint64_t id, struct str addr, size_t max,
		      struct split_image *ret);

#endif
