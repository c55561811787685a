/* SPDX-License-Identifier: MIT */
/*
 * kallsyms_index.h - look up kernel functions in the text of kallsyms
 *
 * A kernel has hundreds of thousands of functions, and a recording needs few of them. The table in
 * the file is in address order, so only the needed parts are parsed. A first pass checks the order,
 * and stores the file offset of every 32nd symbol. The lines from one stored offset to the next are
 * a block; it is parsed when an address inside is looked up. Results are the same as in kallsyms.h,
 * but kernel modules are omitted.
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
 * Create an index of the table in @fd, and take ownership of @fd. NULL: the table is unsorted, has
 * another format, has no addresses or is unreadable; the caller then keeps @fd. Cost: linear, about
 * 1 ms per 100,000 symbols.
 */
struct kallsyms_index *kallsyms_index_open(int fd);
void kallsyms_index_free(struct kallsyms_index *x);
/*
 * The symbol that covers @address; NULL: none. *@ret_table: table with the symbol's name. Both are
 * valid until kallsyms_index_free(). Cost: O(log n); the first look-up in a block also parses it.
 */
struct symtab_entry *kallsyms_index_find(struct kallsyms_index *x, uint64_t address,
					 struct symtab **ret_table);
/* Address of the symbol _text; 0: missing. */
uint64_t kallsyms_index_text(const struct kallsyms_index *x);
/* Reset symtab_entry.sym, which callers have set, in all entries. */
void kallsyms_index_reset(struct kallsyms_index *x);

#endif
