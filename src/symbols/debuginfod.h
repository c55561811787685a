/* SPDX-License-Identifier: MIT */
/*
 * debuginfod.h - fetch files by build id from the servers in DEBUGINFOD_URLS
 *
 * Off by default, because a request shows the server the build id of a recorded program.
 * libdebuginfod depends on 33 other libraries, so it is loaded on first use. If it is not
 * installed, no file is found.
 */
#ifndef SYMBOLS_DEBUGINFOD_H
#define SYMBOLS_DEBUGINFOD_H

#include <stdbool.h>

struct build_id;
struct error;

#define DEBUGINFOD_PATH_MAX 4096u

/*
 * Get the separate debug file of the build id @id, from libdebuginfod's cache or from a server.
 * @ret: its path in the cache. Returns false if @id is not a build id, or if the file is not
 * available; the reason is in @err (may be NULL).
 */
bool debuginfod_find(const struct build_id *id, char ret[DEBUGINFOD_PATH_MAX], struct error *err);

#endif
