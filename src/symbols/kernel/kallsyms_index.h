/* SPDX-License-Identifier: MIT */
/*
 * kallsyms_index.h - look up kernel functions in the text of kallsyms
 *
 * A recording needs few of the hundred thousand functions of a kernel. The table in the file is in
 * address order, so only the needed parts are parsed. One pass checks the order and stores the file
 * offset of every 32nd symbol. The lines between two stored offsets, a block, are parsed when an
 * address in the block is looked up. Results equal those of kallsyms.h, except that kernel modules
 * are left out.
 *
 * Memory: 24 bytes per 32 symbols, and 3 KB per parsed block. Not thread safe.
 */
#ifndef SYMBOLS_KERNEL_KALLSYMS_INDEX_H
#define SYMBOLS_KERNEL_KALLSYMS_INDEX_H

#include <stdint.h>

struct symtab;
struct symtab_entry;

struct kallsyms_index;

/*
 * Index the table in @fd and take ownership of @fd. NULL: the table is unsorted, has another
 * format, lacks addresses or is unreadable; the caller then still owns @fd. Cost: linear, about 1
 * ms per 100,000 symbols.
 */
struct kallsyms_index *kallsyms_index_open(int fd);
void kallsyms_index_free(struct kallsyms_index *x);
/*
 * The symbol that covers @address. The name is in *@ret_table. Both are valid until
 * kallsyms_index_free(). NULL: no symbol. Cost: O(log n), and parsing a block on first use.
 */
struct symtab_entry *kallsyms_index_find(struct kallsyms_index *x, uint64_t address,
					 struct symtab **ret_table);
/* Address of _text, 0 if missing. */
uint64_t kallsyms_index_text(const struct kallsyms_index *x);
/* Forget the symbols that the caller stored in the entries (symtab_entry.sym). */
void kallsyms_index_reset(struct kallsyms_index *x);

#endif
