/* SPDX-License-Identifier: MIT */
/*
 * symtab.h - functions of one module, by address
 *
 * Addresses are file offsets for user modules, because process maps give file offsets. For the
 * kernel they are virtual addresses. Fill with symtab_add() in any order, then call
 * symtab_finish(). It sorts the symbols, keeps one of several names for an address, and sets the
 * ends of symbols without a size. It keeps the same name as perf (tools/perf/util/symbol.c:
 * symbols__fixup_end, then choose_best_symbol). If no symbol has a size, it keeps the last name for
 * an address.
 *
 * Names are copied, or stay in a mapped file (symtab_map_names()). Memory: 24 bytes a symbol plus
 * copied names. Not thread safe.
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
	 * end of the function (exclusive); before symtab_finish(), end == start means that the size
	 * is unknown
	 */
	uint64_t end;
	uint32_t name; /* offset of the name in symtab.names; use symtab_name() */
	union {
		uint32_t binding; /* until symtab_finish(): enum symtab_binding of the symbol */
		sym_id sym; /* after symtab_finish(): owned by the caller, initially SYM_ID_NONE */
	};
};

struct symtab {
	VEC(struct symtab_entry) entries;
	VEC(char) names;   /* copied names, each NUL-terminated */
	struct str mapped; /* names in a mapped file; their offsets start at SYMTAB_MAPPED */
	void *mapping;     /* the mapping that contains `mapped` */
	size_t mapping_bytes;
	VEC(uint64_t) spins; /* sorted starts of the functions that spin, see elf_spins.h */
	/* sum of the lengths of the long names that symtab_may_show() allowed, in bytes */
	uint64_t shown_bytes;
};

#define SYMTAB_MAPPED (UINT32_C(1) << 31)

void symtab_fini(struct symtab *t);
void symtab_add(struct symtab *t, uint64_t start, uint64_t size, struct str name,
		enum symtab_binding binding);
/*
 * Append a table of NUL-terminated names. *@ret_place: offset of its first byte, for
 * symtab_add_at(). False: too many names.
 */
bool symtab_add_names(struct symtab *t, struct str names, uint32_t *ret_place);
/*
 * As symtab_add_names(), but the names stay in the file @fd: @names.len bytes at @offset. If the
 * file cannot be mapped, @names is copied, so it must hold the same bytes.
 */
bool symtab_map_names(struct symtab *t, int fd, uint64_t offset, struct str names,
		      uint32_t *ret_place);
/*
 * Add a symbol whose name is at offset @place, in a table that symtab_add_names() or
 * symtab_map_names() added.
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
 * Sort the entries, and keep one name for each address. @is_demangled: names will be displayed
 * demangled, so the names of one address are compared demangled, as in perf. Cost: O(n), plus
 * demangling of addresses with several names.
 */
void symtab_finish(struct symtab *t, bool is_demangled);
/* The entry that covers @address, or NULL. Cost: O(log n). */
struct symtab_entry *symtab_find(const struct symtab *t, uint64_t address);
static inline struct str symtab_name(const struct symtab *t, const struct symtab_entry *e)
{
	return str_of(e->name & SYMTAB_MAPPED ? t->mapped.p + (e->name & ~SYMTAB_MAPPED)
					      : t->names.data + e->name);
}

/* Whether the function at @start is in symtab.spins. Cost: O(log n). */
bool symtab_spins(const struct symtab *t, uint64_t start);

/*
 * Whether the name @shown, which belongs to an entry of @t, may become a symbol. False: the names
 * of all entries together are far longer than the name table, because many entries share a few long
 * names. Without this limit, a file of 680 KB could demand more than a gigabyte of output.
 */
bool symtab_may_show(struct symtab *t, struct str shown);

#endif
