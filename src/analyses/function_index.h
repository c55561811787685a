/* SPDX-License-Identifier: MIT */
/*
 * function_index.h - which functions of sources a symbol may mean
 *
 * By canonical name: compiler suffixes are dropped; `__x64_sys_openat`,
 * `__se_sys_openat`, `__do_sys_openat` and the like mean the definition by
 * SYSCALL_DEFINE. Where the symbol says its file, by debug information or as
 * "name file.c:12", only functions of that file are meant, and of several those
 * around its line.
 */
#ifndef ANALYSES_FUNCTION_INDEX_H
#define ANALYSES_FUNCTION_INDEX_H

#include "base/idmap.h"
#include "core/symbols.h"

/* Texts are borrowed. */
struct indexed_function {
	struct str name;
	struct str file; /* empty: not said */
	uint32_t first_line;
	uint32_t last_line; /* 0: not said */
	bool is_syscall;    /* by SYSCALL_DEFINE: named by its first argument */
	bool is_by_macro;
};

struct function_index {
	VEC(struct indexed_function) functions; /* ids are positions */
	VEC(uint32_t) next;                     /* the next with the same name, INDEX_NONE */
	struct idmap map;                       /* of name: the first with it */
};

/* A zeroed struct is an empty index. */
void function_index_add(struct function_index *x, const struct indexed_function *f);
void function_index_fini(struct function_index *x);

struct function_matches {
	VEC(uint32_t) rows; /* functions that are meant, in their order */
	bool is_by_place;   /* the file was said and agrees */
};

/*
 * What @sym may mean, into @ret, whose room is used again; none for what is no code.
 * Cost: functions of that name, times the length of their paths.
 */
void function_index_find(struct function_index *x, const struct symbols *symbols, sym_id sym,
			 struct function_matches *ret);
void function_matches_fini(struct function_matches *m);

#endif
