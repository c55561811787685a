/* SPDX-License-Identifier: MIT */
/*
 * indirect_names.h - names of functions that a library chooses when it is loaded
 *
 * memcpy(), strcmp(), exp() and their like are indirect functions (STT_GNU_IFUNC): a library
 * exports their chooser, and the chosen function has a name in .symtab only, which distributions
 * strip. This process has the C library loaded, too: its loader tells which function was chosen on
 * this machine, and call frame information tells where that function ends. Source: the x86-64
 * psABI and "GNU Indirect Functions" in the GNU C library's wiki.
 */
#ifndef SYMBOLS_INDIRECT_NAMES_H
#define SYMBOLS_INDIRECT_NAMES_H

struct elf_symbols;

/*
 * Add the functions that were chosen for e->indirect, under the names by which they are called.
 * @path: the file that @e was read from. Nothing is added unless this process has a library with
 * the same build id. An address that another machine would choose stays without a name.
 */
void indirect_names_add(struct elf_symbols *e, const char *path);

#endif
