/* SPDX-License-Identifier: MIT */
/* recover_chains.h - shared by recover.c and recover_partly.c; private to these */
#ifndef TRANSFORM_RECOVER_CHAINS_H
#define TRANSFORM_RECOVER_CHAINS_H

#include "base/vec.h"
#include "core/ids.h"
#include "core/profile.h"

#include <stdio.h>

struct capture;
struct recover_result;

/*
 * Functions that are printed under two names. perf prints an unresolved address in rows as offset
 * in the module (0x00000000000fb74d), and in chains as memory address (0x7ff05bb7674d). If a row
 * has such an offset, and the first frame of its tree has the same low 12 bits, both become one
 * symbol. It has the name in the chain and the module of the row.
 */
struct recover_aliases {
	VEC(sym_id) by_sym; /* by symbol: the common symbol; SYM_ID_NONE: not an alias */
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
 * Add a sample with @list, a printed list of @n frames in @order. @comm: its command; @leaf: its
 * sampled function.
 */
void recover_push(struct capture *c, enum chain_order order, str_id comm, const sym_id *list,
		  size_t n, sym_id leaf, uint64_t weight);
/* Add samples with the self weights of rows, and with chains as far as they are printed. */
void recover_partly(struct capture *c, struct recover_result *ret);

#endif
