/* SPDX-License-Identifier: MIT */
/*
 * debuginfod.h - fetch files by build id from the servers in DEBUGINFOD_URLS
 *
 * Off by default: a request shows a server the build id of a recorded program. libdebuginfod is
 * loaded on first use, as it pulls in 33 other libraries. If it is not installed, no file is found.
 */
#ifndef SYMBOLS_DEBUGINFOD_H
#define SYMBOLS_DEBUGINFOD_H

#include <stdbool.h>

struct build_id;
struct error;

#define DEBUGINFOD_PATH_MAX 4096u

/*
 * Get the path of the separate debug file for @id in libdebuginfod's cache. If the file is not
 * cached, ask the servers for it. False: @id is no build id, or the file is unavailable, with the
 * reason in @err (may be NULL).
 */
bool debuginfod_find(const struct build_id *id, char ret[DEBUGINFOD_PATH_MAX], struct error *err);

#endif
