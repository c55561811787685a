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
 * Names are copied. Not thread safe.
 */
#ifndef SYMBOLS_SYMTAB_H
#define SYMBOLS_SYMTAB_H

#include "base/arena.h"
#include "base/vec.h"
#include "core/ids.h"

enum symtab_binding {
	SYMTAB_LOCAL,
	SYMTAB_GLOBAL,
	SYMTAB_WEAK,
};

struct symtab_entry {
	uint64_t start;
	uint64_t end; /* first address behind it; before symtab_finish() == start: no size */
	struct str name;
	uint32_t order;  /* of being added */
	uint8_t binding; /* enum symtab_binding */
	bool is_data;
	sym_id sym; /* the caller's, SYM_ID_NONE at first */
};

struct symtab {
	VEC(struct symtab_entry) entries;
	struct arena names;
};

void symtab_fini(struct symtab *t);
void symtab_add(struct symtab *t, uint64_t start, uint64_t size, struct str name,
		enum symtab_binding binding, bool is_data);
/* Sort and settle. Cost: O(n log n). */
void symtab_finish(struct symtab *t);
/* The entry that covers @address, or NULL. Cost: O(log n). */
struct symtab_entry *symtab_find(const struct symtab *t, uint64_t address);

#endif
