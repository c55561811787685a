/* SPDX-License-Identifier: MIT */
/*
 * split_file.h - the debug information of one unit, out of a .dwo or .dwp file
 *
 * A program built with -gsplit-dwarf has a skeleton of each unit. The unit itself is in a .dwo
 * file, or with many others in a .dwp file, which an index divides (DWARF 5, section 7.3.5; before
 * it the GNU extension of version 2). Addresses stay in .debug_addr of the program.
 *
 * split_file_image() puts the parts of one unit and its addresses into an ELF file in memory, as
 * if the unit had never been split. libdw 0.188 reads no .dwp, and opens a .dwo only by its name,
 * which a confined process may not do.
 *
 * All bytes may be hostile. Private to lines*.c, which are built with libdw.
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
	SPLIT_CU_INDEX, /* of a .dwp file */
	SPLIT_ADDR,     /* of the program, as is SPLIT_RANGES */
	SPLIT_RANGES,
	SPLIT_SECTIONS
};

/* Sections of a file; empty: it has none, or it cannot be decompressed. */
struct split_file {
	int fd;
	Elf *elf;
	bool is_little;
	struct str sections[SPLIT_SECTIONS];
};

/* Read the sections of a .dwo or .dwp file. False: not an ELF file; the caller still owns @fd. */
bool split_file_open(struct split_file *f, int fd);
/* Set ret->sections to those of @elf, borrowed: the program itself. */
void split_file_borrow(struct split_file *ret, Elf *elf);
/* Close what split_file_open() took, with the descriptor. */
void split_file_fini(struct split_file *f);
/* The @n bytes at @at of @s as a number; 0 if they are not in @s. */
uint64_t split_file_number(const struct split_file *f, struct str s, uint64_t at, unsigned int n);

/* A unit as an ELF file in memory. */
struct split_image {
	char *bytes; /* owner: caller, free() */
	size_t len;
	struct str rnglists; /* in @bytes */
};

/*
 * Make the image of the unit @id with the addresses @addr. In a .dwp the index finds the unit; a
 * .dwo is taken whole. False: the .dwp has no such unit, or the parts exceed @max bytes.
 */
bool split_file_image(const struct split_file *f, uint64_t id, struct str addr, size_t max,
		      struct split_image *ret);

#endif
