/* SPDX-License-Identifier: MIT */
/*
 * risk_cache.h - cache of the metrics of C source files, by hash of their contents
 *
 * The cache is a folder of RISK_CACHE_SHARDS files, called shards. The lowest bits of a source's
 * hash select the shard. A shard is read on first use. An entry has the metrics of one source file,
 * and a hash of these data. An entry is ignored if it is truncated, modified, of another version of
 * the metrics, or of another user.
 *
 * If a run measured enough new sources, each changed shard is written to a temporary file, which
 * then replaces the shard. The order is: new entries, entries used in this run, all others. Entries
 * beyond the size limit are dropped.
 *
 * The hash is XXH3 with 128 bits. It is fast, but an attacker can construct two sources with equal
 * hashes.
 *
 * All functions between risk_cache_open() and risk_cache_close() are thread safe.
 */
#ifndef METRICS_RISK_CACHE_H
#define METRICS_RISK_CACHE_H

#include "base/files.h"
#include "base/str.h"

struct risk_part;

#define RISK_CACHE_SHARDS 64u
/*
 * minimum size in bytes of the new sources in a run; after a smaller run, the cache is not written
 */
#define RISK_CACHE_WORTH 262144u

struct risk_cache;

/*
 * Open the cache in @folder. If the folder is missing, the cache is empty. Owner: caller,
 * risk_cache_close().
 */
struct risk_cache *risk_cache_open(const char *folder);
/*
 * Fill @part with the cached result for @text. Returns false if the cache has no entry for @text,
 * or a damaged entry; @part is then empty except for its member `file`, which is unchanged.
 */
bool risk_cache_find(struct risk_cache *c, struct str text, bool has_compat,
		     struct risk_part *part);
/*
 * Add the result for @text to the cache. risk_cache_close() writes it to disk, if there are enough
 * new results.
 */
void risk_cache_add(struct risk_cache *c, struct str text, bool has_compat,
		    const struct risk_part *part);
/*
 * Write the new results, if there are enough of them, and free @c. A write failure is no error:
 * the next run measures again.
 */
void risk_cache_close(struct risk_cache *c);
/*
 * Execute a request of a confined process (FILES_CREATE, FILES_PLACE or FILES_DROP in
 * base/files.h). Returns false for a refused request: @path must be a temporary file of the cache
 * in @folder, and @folder must be protected from other users.
 */
bool risk_cache_serve(const char *folder, enum files_wish wish, const char *path, int *ret_fd);
/*
 * Remove the cache files in @folder that exceed their size limit. Call this after the confined
 * process has ended: if a malicious source controlled that process, it could still enlarge files
 * after FILES_PLACE.
 */
void risk_cache_trim(const char *folder);

#endif
