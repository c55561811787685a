/* SPDX-License-Identifier: MIT */
/*
 * symtab.h - functions of one module, by address
 *
 * Addresses are file offsets for user modules (as maps translate to) and virtual addresses for
 * the kernel. Fill with symtab_add() in any order, then call symtab_finish(). It sorts, keeps
 * the best of several names for one address, and sets ends of symbols without a size. The
 * choice follows perf (tools/perf/util/symbol.c: symbols__fixup_end, then choose_best_symbol),
 * so that the same names are displayed. In a table without sizes the last name wins.
 *
 * Names are copied or stay in a mapped file (symtab_map_names()); their lengths are computed on
 * demand. Memory: 24 bytes a symbol plus copied names. Not thread safe.
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
	uint64_t end;  /* exclusive end; before symtab_finish() == start: no size */
	uint32_t name; /* offset in symtab.names: symtab_name() */
	union {
		uint32_t binding; /* enum symtab_binding, before symtab_finish() */
		sym_id sym;       /* afterwards owned by the caller, initially SYM_ID_NONE */
	};
};

struct symtab {
	VEC(struct symtab_entry) entries;
	VEC(char) names;   /* each NUL-terminated */
	struct str mapped; /* further names, at offsets from SYMTAB_MAPPED on */
	void *mapping;     /* mapping that contains them */
	size_t mapping_bytes;
};

#define SYMTAB_MAPPED (UINT32_C(1) << 31)

void symtab_fini(struct symtab *t);
void symtab_add(struct symtab *t, uint64_t start, uint64_t size, struct str name,
		enum symtab_binding binding);
/*
 * Append a table of NUL-terminated names; @ret_place is the offset of its first byte. False:
 * too many names.
 */
bool symtab_add_names(struct symtab *t, struct str names, uint32_t *ret_place);
/*
 * The same for names that stay in file @fd at @offset, @names.len bytes long. @names points to
 * the same bytes during this call; they are copied if mapping fails.
 */
bool symtab_map_names(struct symtab *t, int fd, uint64_t offset, struct str names,
		      uint32_t *ret_place);
/* Add a symbol whose name is at @place. */
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
 * Sort and choose names. @is_demangled: names will be displayed demangled, and aliases are
 * therefore compared demangled, as in perf. Cost: O(n), plus demangling of mangled aliases.
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
