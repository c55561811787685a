/* SPDX-License-Identifier: MIT */
/*
 * kallsyms_index.h - the kernel's own functions, found in the text of its table
 *
 * The kernel writes its table in order of addresses, and a recording asks for few of
 * its hundred thousand functions. So a table that is a file is not taken apart: it is
 * checked for order, where every 32nd symbol stands is kept, and the lines in between
 * are read when an address there is asked for. What kallsyms.h makes of the same text
 * is the same, but for modules, whose lines are left out.
 *
 * Memory: 24 bytes for 32 symbols, and 3 KB for those of them that were asked for.
 * Not thread safe.
 */
#ifndef SYMBOLS_KALLSYMS_INDEX_H
#define SYMBOLS_KALLSYMS_INDEX_H

#include "symbols/symtab.h"

struct kallsyms_index;

/*
 * Index the table in file @fd, which stays open and is owned from here on. NULL: not in
 * order, not written as the kernel does, without addresses, or it cannot be read; @fd
 * is the caller's then. Cost: linear, about a millisecond for 100,000 symbols.
 */
struct kallsyms_index *kallsyms_index_open(int fd);
void kallsyms_index_free(struct kallsyms_index *x);
/*
 * The symbol that covers @address, and the table that has its name, both valid until
 * kallsyms_index_free(); NULL: none does. Cost: O(log n), and reading some lines once.
 */
struct symtab_entry *kallsyms_index_find(struct kallsyms_index *x, uint64_t address,
					 struct symtab **ret_table);
/* The address of _text, 0 where it is not in the table. */
uint64_t kallsyms_index_text(const struct kallsyms_index *x);
/* Forget what the caller noted in the symbols (symtab_entry.sym). */
void kallsyms_index_reset(struct kallsyms_index *x);

#endif
