/* SPDX-License-Identifier: MIT */
/*
 * function_index.h - find the source functions that a symbol may stand for
 *
 * Functions match by canonical name, without compiler suffixes. `__x64_sys_openat`,
 * `__se_sys_openat`, `__do_sys_openat` and similar names match the definition by SYSCALL_DEFINE.
 * The symbol's file comes from debug information or from a name such as "name file.c:12". If it is
 * known, only functions in that file match. If that file has several functions with the name, the
 * one that contains the symbol's line matches.
 */
#ifndef ANALYSES_FUNCTION_INDEX_H
#define ANALYSES_FUNCTION_INDEX_H

#include "base/idmap.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct symbols;

/* A function in the source. Strings are borrowed. */
struct indexed_function {
	struct str name;
	struct str file; /* path of the source file; empty: unknown */
	uint32_t first_line;
	uint32_t last_line; /* last line of the function; 0: unknown */
	bool is_syscall;    /* defined by SYSCALL_DEFINEn(), whose first argument is `name` */
	bool is_by_macro;
};

struct function_index {
	VEC(struct indexed_function) functions; /* the id of a function is its index here */
	/* indexed by function: next function with the same name; INDEX_NONE: none */
	VEC(uint32_t) next;
	struct idmap map; /* finds the first function with a name */
};

/* Add a function. A zeroed struct is an empty index. */
void function_index_add(struct function_index *x, const struct indexed_function *f);
void function_index_fini(struct function_index *x);

struct function_matches {
	VEC(uint32_t) rows; /* matching functions, ascending */
	/* several functions have the name, and the symbol's file was used to choose among them */
	bool is_by_place;
};

/*
 * Find the functions in the source that @sym may stand for. If the symbol is not a function, the
 * result is empty. @ret is overwritten, but its memory is reused. Cost: linear in the functions
 * with that name and the lengths of their paths.
 */
void function_index_find(struct function_index *x, const struct symbols *symbols, sym_id sym,
			 struct function_matches *ret);
void function_matches_fini(struct function_matches *m);

#endif
