/* SPDX-License-Identifier: MIT */
/*
 * split_file.h - extract the debug information of one DWARF unit from a .dwo or .dwp file
 *
 * A program built with -gsplit-dwarf has only a skeleton of each unit. The rest of the unit is in a
 * .dwo file. A .dwp file contains all .dwo files of a program. Its index shows which part of each
 * section belongs to which unit (DWARF 5, section 7.3.5; before that, a GNU extension, index
 * version 2). The addresses that a unit uses are in the section .debug_addr of the program.
 *
 * split_file_image() builds an ELF file in memory with the sections and addresses of one unit. In
 * this file, the unit looks as if it had never been split. This is needed because libdw 0.188
 * cannot read .dwp files, and opens a .dwo file only by name, which a confined process may not do.
 *
 * All input may be malicious.
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
	SPLIT_CU_INDEX, /* index of a .dwp file */
	/* SPLIT_ADDR and SPLIT_RANGES are sections of the program, not of a .dwo or .dwp file */
	SPLIT_ADDR,
	SPLIT_RANGES,
	SPLIT_SECTIONS
};

/*
 * The used sections of a file. A section is empty if the file does not have it, or if it cannot be
 * decompressed.
 */
struct split_file {
	int fd;
	Elf *elf;
	bool is_little;
	struct str sections[SPLIT_SECTIONS];
};

/*
 * Read the sections of a .dwo or .dwp file, and take ownership of @fd. Returns false if it is not
 * an ELF file; the caller then keeps @fd.
 */
bool split_file_open(struct split_file *f, int fd);
/* Set ret->sections to the sections of the program @elf. They are borrowed from @elf. */
void split_file_borrow(struct split_file *ret, Elf *elf);
/* Close the file and its descriptor. */
void split_file_fini(struct split_file *f);
/* Read @n bytes of @s at offset @at as an integer. Returns 0 if they are not inside @s. */
uint64_t split_file_number(const struct split_file *f, struct str s, uint64_t at, unsigned int n);

/* An ELF file in memory that has only one unit. */
struct split_image {
	char *bytes; /* owner: caller, free() */
	size_t len;
	struct str rnglists; /* content of the section .debug_rnglists, inside @bytes */
};

/*
 * Build the image of the unit with the id @id. @addr: the unit's addresses, from the program's
 * .debug_addr. A .dwo file is used as a whole; in a .dwp file, the index shows the parts of the
 * unit. Returns false if the .dwp file does not have the unit, the unit is incomplete, or the image
 * would exceed @max bytes.
 */
bool split_file_image(const struct split_file *f, uint64_t id, struct str addr, size_t max,
		      struct split_image *ret);

#endif
