/* SPDX-License-Identifier: MIT */
/*
 * risk_cache.h - cache of the metrics of C source files, by hash of their contents
 *
 * The cache is a folder of RISK_CACHE_SHARDS files, called shards. The lowest bits of the hash
 * choose the shard. A shard is read on first use. If this run measured enough new sources, the
 * shard is written to a temporary file that then replaces it. An entry has the metrics of one
 * source file. New entries come first, then those used in this run, then all others. Entries beyond
 * the size limit are dropped. Every entry has a hash of its data. Entries are ignored if they are
 * truncated or modified, or belong to another version of the metrics or another user.
 *
 * The hash is XXH3 with 128 bits. It is fast, but an attacker can construct two sources with
 * equal hashes.
 *
 * Thread safe between risk_cache_open() and risk_cache_close().
 */
#ifndef METRICS_RISK_CACHE_H
#define METRICS_RISK_CACHE_H

#include "base/files.h"
#include "base/str.h"

struct risk_part;

#define RISK_CACHE_SHARDS 64u
/* the cache is written only if a run measured at least this many bytes of new sources */
#define RISK_CACHE_WORTH 262144u

struct risk_cache;

/* Open the cache in @folder, which need not exist. Owner: caller, risk_cache_close(). */
struct risk_cache *risk_cache_open(const char *folder);
/*
 * Fill @part with the cached result for @text. False: @text is not in the cache, or its entry is
 * damaged. @part then has only its member file, unchanged.
 */
bool risk_cache_find(struct risk_cache *c, struct str text, bool has_compat,
		     struct risk_part *part);
/* Remember the result for @text; risk_cache_close() may write it. */
void risk_cache_add(struct risk_cache *c, struct str text, bool has_compat,
		    const struct risk_part *part);
/*
 * Write the new results, if there are enough of them, and free @c. A write failure is no error:
 * the next run measures again.
 */
void risk_cache_close(struct risk_cache *c);
/*
 * Serve a confined process (base/files.h): do FILES_CREATE, FILES_PLACE or FILES_DROP for it.
 * Allowed only if @path is a temporary file of the cache in @folder, and no other user can put
 * files there. False: refused.
 */
bool risk_cache_serve(const char *folder, enum files_wish wish, const char *path, int *ret_fd);
/*
 * Remove files of the cache in @folder that are larger than their limit. Reason: if a malicious
 * source controls the confined process, that process can still write to files that were placed.
 * Call after it has ended.
 */
void risk_cache_trim(const char *folder);

#endif
