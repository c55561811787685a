/* SPDX-License-Identifier: MIT */
/*
 * categories.h - the category of a function: the kind of work that it does
 *
 * One table (categories.tsv, compiled in) maps patterns of canonical function names and modules to
 * categories such as "syscall-entry" or "network/vxlan". A function has one category. If several
 * patterns match, the order of precedence is: an exact name; a pattern of the kernel module; the
 * name pattern with most literal characters; a pattern of the user module; the line that comes
 * first in the table. A function without a match is "application" (user), "kernel" (kernel),
 * "unsymbolised" (a raw address in a module that the table lacks) or "other". docs/categories.md
 * explains the names.
 *
 * Categories depend on names, not on callers: a mutex taken by epoll is "locking".
 */
#ifndef ANALYSES_CATEGORIES_H
#define ANALYSES_CATEGORIES_H

#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct symbols;

typedef struct {
	uint16_t v;
} category_id; /* from 0 to category_count() - 1 */

/* Cache of the categories of symbols, 2 bytes a symbol. A zeroed struct is an empty cache. */
struct category_cache {
	VEC(uint16_t) by_sym; /* indexed by symbol: category + 1; 0: not looked up yet */
	/*
	 * indexed by module and space (kernel, user or both): index of the pattern that the module
	 * matches, plus 2; 1: no pattern matches; 0: not looked up yet
	 */
	VEC(uint16_t) by_module;
};

void category_cache_fini(struct category_cache *c);
/* The category of a symbol. Cost: O(1) if cached, else about ten string comparisons. */
category_id category_of(struct category_cache *c, const struct symbols *symbols, sym_id sym);

/* Name of a category, such as "network/vxlan"; static string. */
const char *category_name(category_id id);
/* Description of a category, such as "VXLAN tunnels". */
const char *category_title(category_id id);
uint16_t category_count(void);
/* Find a category by its name. False: no category has this name. */
bool category_find(struct str name, category_id *ret);
/* Whether @id is @name or below it: "network/vxlan" is in "network". */
bool category_is_in(category_id id, struct str name);
/*
 * Whether @id is the category @pattern or below it, or its name matches @pattern as in str_glob().
 */
bool category_is_meant(category_id id, struct str pattern);
/* The top-level category: "network" for "network/vxlan". */
category_id category_top(category_id id);

#endif
