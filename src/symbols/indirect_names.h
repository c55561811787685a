/* SPDX-License-Identifier: MIT */
/*
 * indirect_names.h - names of functions that a library chooses when it is loaded
 *
 * memcpy(), strcmp(), exp() and others are indirect functions (STT_GNU_IFUNC): the library exports
 * a function that chooses an implementation for the CPU. The chosen implementation has a name only
 * in .symtab, which distributions strip. The C library of a recording is often loaded in this
 * process, too. The loader of this process then knows the implementation chosen on this machine.
 * Its size comes from call frame information. Source: the x86-64 psABI and "GNU Indirect Functions"
 * in the GNU C library's wiki.
 */
#ifndef SYMBOLS_INDIRECT_NAMES_H
#define SYMBOLS_INDIRECT_NAMES_H

struct elf_symbols;

/*
 * Add the implementations chosen for e->indirect, under the names by which programs call them.
 * @path: the file that @e was read from. Nothing is added unless this process has loaded a library
 * with the same build id. Implementations that only other machines choose stay without a name.
 */
void indirect_names_add(struct elf_symbols *e, const char *path);

#endif
