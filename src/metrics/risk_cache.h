/* SPDX-License-Identifier: MIT */
/*
 * risk_cache.h - cache of measured files, by hash of their content
 *
 * A folder of RISK_CACHE_SHARDS files, chosen by the lowest bits of the content's hash. A shard
 * is read on first use. It is rewritten to a temporary file and renamed when enough new sources
 * were measured: new entries first, then those used in this run, then the others; what exceeds the
 * size limit is dropped. Every entry has a hash of its
 * data. Truncated or modified entries, and those of another metrics version or another user,
 * are ignored.
 *
 * The content hash is XXH3 with 128 bits: fast, but not collision resistant against an attacker
 * who constructs two sources.
 *
 * Thread safe between risk_cache_open() and risk_cache_close().
 */
#ifndef METRICS_RISK_CACHE_H
#define METRICS_RISK_CACHE_H

#include "base/files.h"
#include "base/str.h"

struct risk_part;

#define RISK_CACHE_SHARDS 64u
/* minimum of newly measured bytes to write; less is measured again */
#define RISK_CACHE_WORTH 262144u

struct risk_cache;

/* Open the cache in @folder, which need not exist. Owner: caller, risk_cache_close(). */
struct risk_cache *risk_cache_open(const char *folder);
/* Fill @part with the cached result for @text. False: not cached, @part is unchanged. */
bool risk_cache_find(struct risk_cache *c, struct str text, bool has_compat,
		     struct risk_part *part);
/* Store the result for @text; risk_cache_close() writes it. */
void risk_cache_add(struct risk_cache *c, struct str text, bool has_compat,
		    const struct risk_part *part);
/* Write if worthwhile. A write failure is no error: the next run measures again. */
void risk_cache_close(struct risk_cache *c);
/*
 * Serve FILES_CREATE, FILES_PLACE and FILES_DROP for files of the cache in @folder, in the
 * parent of a confined process (base/files.h). False: refused.
 */
bool risk_cache_serve(const char *folder, enum files_wish wish, const char *path, int *ret_fd);

#endif
