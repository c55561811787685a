/* SPDX-License-Identifier: MIT */
/*
 * resolver_cache.h - symbol tables that live longer than a resolver
 *
 * `assay top` resolves addresses of this machine in rounds. Each update is a round with a new
 * resolver. A resolver takes symbol tables from the cache, and returns them when it is freed.
 * Tables that were not used for some rounds are dropped, because their processes have probably
 * ended. After some rounds, files without build id are read again, and files that were not found
 * are searched again.
 *
 * Not thread safe; one resolver at a time.
 */
#ifndef SYMBOLS_RESOLVER_CACHE_H
#define SYMBOLS_RESOLVER_CACHE_H

struct resolver_cache;

/*
 * Create an empty cache. Owner: caller, resolver_cache_free(). Before that, free all resolvers that
 * use the cache.
 */
struct resolver_cache *resolver_cache_new(void);
void resolver_cache_free(struct resolver_cache *c);
/* End a round: remove tables that are too old or were not used. Cost: O(tables). */
void resolver_cache_age(struct resolver_cache *c);

#endif
