/* SPDX-License-Identifier: MIT */
/*
 * function_index.h - source functions that a symbol can be
 *
 * Matched by canonical name, without compiler suffixes. `__x64_sys_openat`, `__se_sys_openat`,
 * `__do_sys_openat` and similar match the definition by SYSCALL_DEFINE. If the symbol has a
 * file, from debug information or as "name file.c:12", only functions of that file match, and
 * among several those around its line.
 */
#ifndef ANALYSES_FUNCTION_INDEX_H
#define ANALYSES_FUNCTION_INDEX_H

#include "base/idmap.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct symbols;

/* Texts are borrowed. */
struct indexed_function {
	struct str name;
	struct str file; /* empty: unknown */
	uint32_t first_line;
	uint32_t last_line; /* 0: unknown */
	bool is_syscall;    /* made by SYSCALL_DEFINE: named by its first argument */
	bool is_by_macro;
};

struct function_index {
	VEC(struct indexed_function) functions; /* ids are indices */
	VEC(uint32_t) next;                     /* next with the same name, INDEX_NONE */
	struct idmap map;                       /* name -> first function with it */
};

/* A zeroed struct is an empty index. */
void function_index_add(struct function_index *x, const struct indexed_function *f);
void function_index_fini(struct function_index *x);

struct function_matches {
	VEC(uint32_t) rows; /* matching functions, in order */
	bool is_by_place;   /* matched by file */
};

/*
 * Find the functions that @sym can be, in @ret, whose memory is reused; none for a symbol that
 * is not code. Cost: linear in the functions of that name and their path lengths.
 */
void function_index_find(struct function_index *x, const struct symbols *symbols, sym_id sym,
			 struct function_matches *ret);
void function_matches_fini(struct function_matches *m);

#endif
