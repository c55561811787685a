/* SPDX-License-Identifier: MIT */
/*
 * resolver_cache.h - symbol tables that outlive a resolver
 *
 * For repeated resolving on one machine: a resolver takes tables from the cache and returns
 * them when it is freed. Tables unused for some rounds are dropped, as their processes are
 * gone. Tables without a build id and failed look-ups are read again after some rounds.
 *
 * Not thread safe; one resolver at a time.
 */
#ifndef SYMBOLS_RESOLVER_CACHE_H
#define SYMBOLS_RESOLVER_CACHE_H

struct resolver_cache;

/* Owner: caller, resolver_cache_free(), after all resolvers that use it. */
struct resolver_cache *resolver_cache_new(void);
void resolver_cache_free(struct resolver_cache *c);
/* End a round. Cost: O(tables). */
void resolver_cache_age(struct resolver_cache *c);

#endif
