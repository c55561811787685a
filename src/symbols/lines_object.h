/* SPDX-License-Identifier: MIT */
/*
 * lines_object.h - the DWARF of a relocatable file: a module of the kernel
 *
 * Such a file has no addresses: its sections get theirs when it is loaded, and
 * what its debug information says of places are relocations. libdwfl puts the
 * sections behind each other and applies them, which gives addresses of the file
 * alone; lines_object_loads() says where these were in the recorded kernel.
 *
 * Private to lines*.c, which are built with libdw.
 */
#ifndef SYMBOLS_LINES_OBJECT_H
#define SYMBOLS_LINES_OBJECT_H

#include "symbols/elf_symbols.h"

struct lines_object;

/* Whether @fd is a relocatable ELF file. */
bool lines_object_is(int fd);
/* NULL: not readable, or without debug information. @fd stays the caller's. */
struct lines_object *lines_object_open(int fd);
void lines_object_free(struct lines_object *o);
/* Its DWARF (Dwarf *), relocated; of the object. */
void *lines_object_dwarf(const struct lines_object *o);
/* As lines_loads(). */
size_t lines_object_loads(const struct lines_object *o, const struct symtab *known, uint64_t shift,
			  uint64_t start, struct elf_load ret[ELF_LOADS_MAX]);

#endif
