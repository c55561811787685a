/* SPDX-License-Identifier: MIT */
/*
 * lines_object.h - DWARF of a relocatable file: a kernel module
 *
 * The sections of such a file get their addresses when it is loaded, and its debug information
 * contains relocations. libdwfl lays the sections out one after another and applies the
 * relocations, which gives addresses within the file. lines_object_loads() maps these to the
 * recorded kernel.
 *
 * Private to lines*.c, which are built with libdw.
 */
#ifndef SYMBOLS_LINES_OBJECT_H
#define SYMBOLS_LINES_OBJECT_H

#include "symbols/elf_symbols.h"

struct symtab;
struct lines_object;

/* Whether @fd is a relocatable ELF file. */
bool lines_object_is(int fd);
/* NULL: unreadable, or without debug information. The caller still owns @fd. */
struct lines_object *lines_object_open(int fd);
void lines_object_free(struct lines_object *o);
/* Its relocated DWARF (Dwarf *), owned by the object. */
void *lines_object_dwarf(const struct lines_object *o);
/* As lines_loads(). */
size_t lines_object_loads(const struct lines_object *o, const struct symtab *known, uint64_t shift,
			  uint64_t start, struct elf_load ret[ELF_LOADS_MAX]);

#endif
