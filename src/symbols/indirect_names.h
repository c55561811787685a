/* SPDX-License-Identifier: MIT */
/*
 * indirect_names.h - names of function implementations that a library chooses when it is loaded
 *
 * memcpy(), strcmp(), exp() and others are indirect functions (STT_GNU_IFUNC). For such a function,
 * the library chooses an implementation for the CPU when it is loaded. The implementation has a
 * name only in .symtab, which distributions strip. Often the same C library is loaded in this
 * process. Then the loader of this process knows which implementation was chosen on this machine.
 * Its size is read from call frame information. Source: the x86-64 psABI and "GNU Indirect
 * Functions" in the GNU C library's wiki.
 */
#ifndef SYMBOLS_INDIRECT_NAMES_H
#define SYMBOLS_INDIRECT_NAMES_H

struct elf_symbols;

/*
 * For each function in e->indirect, add the implementation chosen on this machine, under the
 * function's name. @path: the file that @e was read from. Nothing is added if this process has not
 * loaded a library with the same build id. Implementations that are chosen only on other machines
 * are not named.
 */
void indirect_names_add(struct elf_symbols *e, const char *path);

#endif
