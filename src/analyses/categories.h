/* SPDX-License-Identifier: MIT */
/*
 * categories.h - what kind of work a function does
 *
 * One table (categories.tsv, built in) maps patterns of canonical function names
 * and modules to names such as "syscall-entry" or "network/vxlan". A function
 * has one category. Of the patterns that match it an exact name wins, then the
 * line of its kernel module, then the pattern with most literal characters, then
 * the line of its user module, then what stands first. What no line knows is
 * "application" (user), "kernel" (kernel), "unsymbolised" (a raw address in a
 * module without a line) or "other". docs/categories.md says what each name means.
 *
 * Categories are facts about names, not about callers: a mutex taken by epoll is
 * "locking".
 */
#ifndef ANALYSES_CATEGORIES_H
#define ANALYSES_CATEGORIES_H

#include "core/symbols.h"

typedef struct {
	uint16_t v;
} category_id; /* 0 … category_count() - 1 */

/* The category of each symbol once it was asked for: 2 bytes a symbol. Zeroed is empty. */
struct category_cache {
	VEC(uint16_t) by_sym;    /* category + 1; 0: not asked yet */
	VEC(uint16_t) by_module; /* three a module; see categories.c */
};

void category_cache_fini(struct category_cache *c);
/* Cost: O(1) when cached, else about ten string compares. */
category_id category_of(struct category_cache *c, const struct symbols *symbols, sym_id sym);
/*
 * The same without a cache and without a symbol table; @canonical as
 * symbol_canonical_name(). Cost: about a microsecond, modules are not remembered.
 */
category_id category_of_name(struct str canonical, struct str module, enum symbol_space space,
			     bool is_address);

/* "network/vxlan"; static. */
const char *category_name(category_id id);
/* A sentence fragment for people: "VXLAN tunnels". */
const char *category_title(category_id id);
uint16_t category_count(void);
/* False: no such category. */
bool category_find(struct str name, category_id *ret);
/* True when @id is @name or below it: "network/vxlan" is in "network". */
bool category_is_in(category_id id, struct str name);
/* "network" of "network/vxlan", itself if it has no parent. */
category_id category_top(category_id id);

#endif
