/* SPDX-License-Identifier: MIT */
/* recover_chains.h - functions that recover.c and recover_partly.c share; private to both */
#ifndef TRANSFORM_RECOVER_CHAINS_H
#define TRANSFORM_RECOVER_CHAINS_H

#include "base/vec.h"
#include "core/ids.h"
#include "core/profile.h"

#include <stdio.h>

struct capture;
struct recover_result;

/*
 * Unresolved addresses that one report prints in two ways. In a row, perf prints the offset in the
 * module (0x00000000000fb74d), in a chain the address in memory (0x7ff05bb7674d). If the first
 * frame of a row's tree has the same low 12 bits as the row's symbol, both are one function. They
 * are replaced by one symbol, with the name in the chain and the module of the row.
 */
struct recover_aliases {
	/* indexed by symbol: the symbol that replaces it; SYM_ID_NONE: it is not replaced */
	VEC(sym_id) by_sym;
};

void recover_aliases_make(const struct capture *c, struct recover_aliases *ret);
void recover_aliases_fini(struct recover_aliases *a);

static inline sym_id recover_alias(const struct recover_aliases *a, sym_id sym)
{
	if (sym.v < a->by_sym.len && a->by_sym.data[sym.v].v)
		return a->by_sym.data[sym.v];
	return sym;
}

/* Whether the rows have a Children column. */
bool recover_has_children(const struct profile_table *t);
/*
 * Add a sample. @order: the order of the @n frames in @list, as perf printed them; @comm: the
 * command; @leaf: the sampled function.
 */
void recover_push(struct capture *c, enum chain_order order, str_id comm, const sym_id *list,
		  size_t n, sym_id leaf, uint64_t weight);
/*
 * Add samples for each row, with weights that add up to the row's self weight. Samples have a call
 * chain where the trees show it for certain.
 */
void recover_partly(struct capture *c, struct recover_result *ret);

#endif
