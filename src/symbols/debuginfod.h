/* SPDX-License-Identifier: MIT */
/*
 * debuginfod.h - fetch files by build id from the servers in DEBUGINFOD_URLS
 *
 * Off by default, because build ids of the recorded programs leave the machine. The library is
 * loaded on first use, as it pulls in 33 other libraries. Without the library no file is found.
 */
#ifndef SYMBOLS_DEBUGINFOD_H
#define SYMBOLS_DEBUGINFOD_H

#include <stdbool.h>

struct build_id;
struct error;

#define DEBUGINFOD_PATH_MAX 4096u

/*
 * Get the path, in the library's cache, of the separate debug file for @id. Ask the servers if the
 * file is not cached. False: unavailable, with a sentence in @err, which may be NULL.
 */
bool debuginfod_find(const struct build_id *id, char ret[DEBUGINFOD_PATH_MAX], struct error *err);

#endif
