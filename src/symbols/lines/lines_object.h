/* SPDX-License-Identifier: MIT */
/*
 * lines_object.h - DWARF of a kernel module, which is a relocatable file
 *
 * The kernel chooses the addresses of sections when it loads the module, so the debug information
 * in the file has relocations. libdwfl chooses addresses, too: it places the sections one after
 * another and applies the relocations, so that all addresses in the debug information refer to this
 * layout. lines_object_loads() gives the address of each section in the layout and in the recorded
 * kernel.
 */
#ifndef SYMBOLS_LINES_OBJECT_H
#define SYMBOLS_LINES_OBJECT_H

#include "symbols/elf_symbols.h"

struct symtab;
struct lines_object;

/* Whether @fd is a relocatable ELF file. */
bool lines_object_is(int fd);
/*
 * Open the relocatable file @fd, which stays open. NULL: it is unreadable, or has no debug
 * information.
 */
struct lines_object *lines_object_open(int fd);
void lines_object_free(struct lines_object *o);
/* The DWARF of @o after relocation (a Dwarf *); owned by @o. */
void *lines_object_dwarf(const struct lines_object *o);
/* Implementation of lines_loads(). */
size_t lines_object_loads(const struct lines_object *o, const struct symtab *known, uint64_t shift,
			  uint64_t start, struct elf_load ret[ELF_LOADS_MAX]);

#endif
