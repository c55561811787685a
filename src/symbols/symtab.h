/* SPDX-License-Identifier: MIT */
/*
 * symtab.h - the functions of one module, by address
 *
 * Addresses are file offsets for user modules (what maps subtract to) and
 * virtual addresses for the kernel. Fill with symtab_add() in any order, then
 * symtab_finish(), which sorts, keeps the best of several names for one address
 * and gives an end to symbols without a size. The choice follows perf
 * (tools/perf/util/symbol.c: symbols__fixup_end, then choose_best_symbol), so
 * that the same name is shown: in a table without sizes the last name wins.
 *
 * Names are copied, or stay in a mapped file (symtab_map_names()); how long a name
 * is is only asked for those that are wanted. Memory: 24 bytes a symbol and the
 * names that were copied. Not thread safe.
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
	uint64_t end;  /* first address behind it; before symtab_finish() == start: no size */
	uint32_t name; /* place in symtab.names: symtab_name() */
	union {
		uint32_t binding; /* enum symtab_binding, before symtab_finish() */
		sym_id sym;       /* the caller's behind that, SYM_ID_NONE at first */
	};
};

struct symtab {
	VEC(struct symtab_entry) entries;
	VEC(char) names;   /* each with a NUL */
	struct str mapped; /* more names, at places from SYMTAB_MAPPED on */
	void *mapping;     /* pages that they are in */
	size_t mapping_bytes;
};

#define SYMTAB_MAPPED (UINT32_C(1) << 31)

void symtab_fini(struct symtab *t);
void symtab_add(struct symtab *t, uint64_t start, uint64_t size, struct str name,
		enum symtab_binding binding);
/* A table of NUL-terminated names; its first byte is at @ret_place. False: too many names. */
bool symtab_add_names(struct symtab *t, struct str names, uint32_t *ret_place);
/*
 * The same for names that stay in file @fd, @names.len bytes at @offset, which is
 * also at @names for now; copied where they cannot be mapped.
 */
bool symtab_map_names(struct symtab *t, int fd, uint64_t offset, struct str names,
		      uint32_t *ret_place);
/* A symbol whose name is at @place. */
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
 * Sort and settle. @is_demangled: names will be shown demangled, so of several for
 * one address they are compared demangled, as perf does. Cost: O(n); a name that is
 * mangled and not alone at its address is demangled.
 */
void symtab_finish(struct symtab *t, bool is_demangled);
/* The entry that covers @address, or NULL. Cost: O(log n). */
struct symtab_entry *symtab_find(const struct symtab *t, uint64_t address);
static inline struct str symtab_name(const struct symtab *t, const struct symtab_entry *e)
{
	return str_of(e->name & SYMTAB_MAPPED ? t->mapped.p + (e->name & ~SYMTAB_MAPPED)
					      : t->names.data + e->name);
}

#endif
