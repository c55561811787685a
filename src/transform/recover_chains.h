/* SPDX-License-Identifier: MIT */
/*
 * recover_chains.h - what the two halves of recover.c share; not for others
 */
#ifndef ANALYSES_RECOVER_CHAINS_H
#define ANALYSES_RECOVER_CHAINS_H

#include "base/limits.h"
#include "transform/recover.h"

#include <stdio.h>

/*
 * One function under two names: perf prints an unresolved address as an offset
 * in its module in a row (0x00000000000fb74d) and as it was in memory in chains
 * (0x7ff05bb7674d). Where the first frame of such a row's tree agrees in its low
 * 12 bits, both stand for a symbol with the name of the chain and the module of
 * the row.
 */
struct recover_aliases {
	VEC(sym_id) by_sym; /* SYM_ID_NONE: itself */
};

void recover_aliases_make(const struct capture *c, struct recover_aliases *ret);
void recover_aliases_fini(struct recover_aliases *a);

static inline sym_id recover_alias(const struct recover_aliases *a, sym_id sym)
{
	if (sym.v < a->by_sym.len && a->by_sym.data[sym.v].v)
		return a->by_sym.data[sym.v];
	return sym;
}

/* True when rows have a Children column. */
bool recover_has_children(const struct profile_table *t);
/* Node behind the tree of row number @row, which has one. */
uint32_t recover_tree_end(const struct profile_table *t, size_t row);
/*
 * Add a sample to the profile: the printed @list of @n frames in @order, of
 * command @comm; @leaf is the sampled function.
 */
void recover_push(struct capture *c, enum chain_order order, str_id comm, const sym_id *list,
		  size_t n, sym_id leaf, uint64_t weight);
/* Self weights with chains as far as printed. */
void recover_partly(struct capture *c, struct recover_result *ret);

#endif
