/* SPDX-License-Identifier: MIT */
/*
 * lines_object.h - DWARF of a kernel module, which is a relocatable file
 *
 * The kernel chooses the addresses of the sections when it loads the module. The debug information
 * in the file therefore contains relocations. libdwfl places the sections one after another and
 * applies the relocations: the results are addresses within the file. lines_object_loads() maps
 * these to addresses of the recorded kernel.
 */
#ifndef SYMBOLS_LINES_OBJECT_H
#define SYMBOLS_LINES_OBJECT_H

#include "symbols/elf_symbols.h"

struct symtab;
struct lines_object;

/* Whether @fd is a relocatable ELF file. */
bool lines_object_is(int fd);
/*
 * Open the relocatable file @fd. NULL: unreadable, or without debug information. The caller still
 * owns @fd.
 */
struct lines_object *lines_object_open(int fd);
void lines_object_free(struct lines_object *o);
/* The relocated DWARF (a Dwarf *), owned by @o. */
void *lines_object_dwarf(const struct lines_object *o);
/* Implements lines_loads(). */
size_t lines_object_loads(const struct lines_object *o, const struct symtab *known, uint64_t shift,
			  uint64_t start, struct elf_load ret[ELF_LOADS_MAX]);

#endif
