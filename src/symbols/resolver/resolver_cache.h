/* SPDX-License-Identifier: MIT */
/*
 * resolver_cache.h - symbol tables that outlive a resolver
 *
 * `assay top` resolves addresses of this machine in rounds: each update is a round, with a new
 * resolver. A resolver takes tables from the cache, and returns them when it is freed. Tables that
 * were not used for some rounds are dropped, because their processes have probably ended. Tables of
 * files without a build id are read again after some rounds, and files that were not found are
 * searched again.
 *
 * Not thread safe; one resolver at a time.
 */
#ifndef SYMBOLS_RESOLVER_CACHE_H
#define SYMBOLS_RESOLVER_CACHE_H

struct resolver_cache;

/* Owner: caller, resolver_cache_free(), after all resolvers that use it. */
struct resolver_cache *resolver_cache_new(void);
void resolver_cache_free(struct resolver_cache *c);
/* End a round: drop tables that are too old. Cost: O(tables). */
void resolver_cache_age(struct resolver_cache *c);

#endif
