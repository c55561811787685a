/* SPDX-License-Identifier: MIT */
/*
 * symtab.h - functions of one module, by address
 *
 * Addresses are file offsets for user modules, because process maps have file offsets. For the
 * kernel, they are virtual addresses. Add symbols with symtab_add() in any order, then call
 * symtab_finish(). It sorts the symbols, sets the end of symbols without a size, and keeps one name
 * per address. It keeps the same name as perf (tools/perf/util/symbol.c: symbols__fixup_end, then
 * choose_best_symbol). But if no symbol has a size, it keeps the last name of an address.
 *
 * Names are copied, or stay in a mapped file (symtab_map_names()). Memory: 24 bytes per symbol, and
 * the copied names. Not thread safe.
 */
#ifndef SYMBOLS_SYMTAB_H
#define SYMBOLS_SYMTAB_H

#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

enum symtab_binding {
	SYMTAB_LOCAL,
	SYMTAB_GLOBAL,
	SYMTAB_WEAK,
};

struct symtab_entry {
	uint64_t start;
	/*
	 * address after the function's last byte; before symtab_finish(), end == start means an
	 * unknown size
	 */
	uint64_t end;
	uint32_t name; /* offset of the name; use symtab_name() to read it */
	union {
		uint32_t binding; /* before symtab_finish(): enum symtab_binding */
		sym_id sym; /* after symtab_finish(): for the caller's use, initially SYM_ID_NONE */
	};
};

struct symtab {
	VEC(struct symtab_entry) entries;
	VEC(char) names; /* copied names, each with a NUL at its end */
	/* names that stay in a mapped file; their offsets have the bit SYMTAB_MAPPED */
	struct str mapped;
	void *mapping; /* the mapping that contains `mapped` */
	size_t mapping_bytes;
	/* start addresses of functions that wait in a loop (elf_spins.h), sorted */
	VEC(uint64_t) spins;
	/* total length in bytes of the long names for which symtab_may_show() returned true */
	uint64_t shown_bytes;
};

#define SYMTAB_MAPPED (UINT32_C(1) << 31)

void symtab_fini(struct symtab *t);
void symtab_add(struct symtab *t, uint64_t start, uint64_t size, struct str name,
		enum symtab_binding binding);
/*
 * Append a table of names that end with NUL. *@ret_place: offset of the table in t->names. For
 * symtab_add_at(), add it to the offset of a name in the table. Returns false if there are too many
 * names.
 */
bool symtab_add_names(struct symtab *t, struct str names, uint32_t *ret_place);
/*
 * Like symtab_add_names(), but the names are not copied: the part of the file @fd that has them,
 * @names.len bytes from @offset on, is mapped. @names must have the same content, because it is
 * copied if the file cannot be mapped.
 */
bool symtab_map_names(struct symtab *t, int fd, uint64_t offset, struct str names,
		      uint32_t *ret_place);
/*
 * Add a symbol. @place: offset of its name, in a table that was added by symtab_add_names() or
 * symtab_map_names().
 */
static inline void symtab_add_at(struct symtab *t, uint64_t start, uint64_t size, uint32_t place,
				 enum symtab_binding binding)
{
	*VEC_PUSH(&t->entries) = (struct symtab_entry){
		.start = start,
		.end = size > UINT64_MAX - start ? UINT64_MAX : start + size,
		.name = place,
		.binding = (uint32_t)binding,
	};
}
/*
 * Sort the entries, and keep one name per address. @is_demangled: compare the names of an address
 * after demangling, as perf does if it prints demangled names. Cost: O(n), and demangling for
 * addresses with several names.
 */
void symtab_finish(struct symtab *t, bool is_demangled);
/* The entry that covers @address; NULL: none. Cost: O(log n). */
struct symtab_entry *symtab_find(const struct symtab *t, uint64_t address);
static inline struct str symtab_name(const struct symtab *t, const struct symtab_entry *e)
{
	return str_of(e->name & SYMTAB_MAPPED ? t->mapped.p + (e->name & ~SYMTAB_MAPPED)
					      : t->names.data + e->name);
}

/* Whether the function that starts at @start waits in a loop (symtab.spins). Cost: O(log n). */
bool symtab_spins(const struct symtab *t, uint64_t start);

/*
 * Whether the name @shown of an entry of @t may be used. If not, the caller must name the entry by
 * its address. This limits the output: in a malicious file, many entries can share a few long
 * names, so that the names of all shown entries are much longer than the name table. Without the
 * limit, a file of 680 KB could cause more than a gigabyte of output.
 */
bool symtab_may_show(struct symtab *t, struct str shown);

#endif
