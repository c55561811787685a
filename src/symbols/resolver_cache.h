/* SPDX-License-Identifier: MIT */
/*
 * resolver_cache.h - symbol tables that outlive a resolver
 *
 * For who resolves the same machine's addresses again and again: a resolver takes
 * the tables that it needs from here and gives them back when it is freed. What was
 * not taken for a while, as all processes that had it are gone, is forgotten; what
 * has no build id to know it by, or was not found, is asked for again after a while.
 *
 * Not thread safe; one resolver at a time.
 */
#ifndef SYMBOLS_RESOLVER_CACHE_H
#define SYMBOLS_RESOLVER_CACHE_H

#include <stddef.h>

struct resolver_cache;

/* Owner: caller, resolver_cache_free(), after all resolvers that have it. */
struct resolver_cache *resolver_cache_new(void);
void resolver_cache_free(struct resolver_cache *c);
/* Another round of resolving is over. Cost: O(tables). */
void resolver_cache_age(struct resolver_cache *c);
/* Tables of modules in it. */
size_t resolver_cache_count(const struct resolver_cache *c);

#endif
