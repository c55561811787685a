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
 * Addresses that are printed in two ways. In rows, perf prints an unresolved address as the offset
 * in the module (0x00000000000fb74d), in chains as the address in memory (0x7ff05bb7674d). If the
 * first frame of a row's tree has the same low 12 bits as the row, both are one function. They
 * become one symbol, with the name in the chain and the module of the row.
 */
struct recover_aliases {
	/* indexed by symbol: the symbol to use instead; SYM_ID_NONE: the symbol itself */
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
 * Add a sample. @list: its @n frames, in the order @order in which perf prints them; @comm: its
 * command; @leaf: its sampled function.
 */
void recover_push(struct capture *c, enum chain_order order, str_id comm, const sym_id *list,
		  size_t n, sym_id leaf, uint64_t weight);
/*
 * Add samples for each row, with the row's self weight. Samples have call chains where the trees
 * show the chains.
 */
void recover_partly(struct capture *c, struct recover_result *ret);

#endif
