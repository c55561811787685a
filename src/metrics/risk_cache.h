/* SPDX-License-Identifier: MIT */
/*
 * risk_cache.h - measured files, found again by the hash of their content
 *
 * A folder of RISK_CACHE_SHARDS files; the first bits of a content's hash choose
 * one. Each is read when it is first asked, and written anew beside itself and
 * renamed when enough was measured to be worth it: newest entries first, the
 * oldest fall off the end. Every entry carries a hash of its bytes; what is cut,
 * changed, of another version of the metrics or of another user is not there.
 *
 * The hash of a content is XXH3 with 128 bits: made for speed, not against those who
 * would build two sources with one hash.
 *
 * Thread safe from risk_cache_open() to risk_cache_close().
 */
#ifndef METRICS_RISK_CACHE_H
#define METRICS_RISK_CACHE_H

#include "base/files.h"
#include "metrics/risk_part.h"

#define RISK_CACHE_SHARDS 64u
#define RISK_CACHE_WORTH  262144u /* bytes of sources measured: less is measured again */

struct risk_cache;

/* Under @folder, which need not exist. Owner: caller, risk_cache_close(). */
struct risk_cache *risk_cache_open(const char *folder);
/* Fill @part from what @text gave before. False: not there, @part is as it was. */
bool risk_cache_find(struct risk_cache *c, struct str text, bool has_compat,
		     struct risk_part *part);
/* Keep what @text gave, to be written by risk_cache_close(). */
void risk_cache_add(struct risk_cache *c, struct str text, bool has_compat,
		    const struct risk_part *part);
/* Write what is worth it; failing to write is no error, the next run measures again. */
void risk_cache_close(struct risk_cache *c);
/*
 * For the process outside a confined one (base/files.h): FILES_CREATE, FILES_PLACE and
 * FILES_DROP of a file of the cache in @folder. False: refused.
 */
bool risk_cache_serve(const char *folder, enum files_wish wish, const char *path, int *ret_fd);

#endif
