/* SPDX-License-Identifier: MIT */
/*
 * debuginfod.h - fetch files by build id from the servers in DEBUGINFOD_URLS
 *
 * Off by default, because build ids of the recorded programs leave the machine. The library is
 * loaded on first use, as it pulls in 33 others; without it nothing is found.
 */
#ifndef SYMBOLS_DEBUGINFOD_H
#define SYMBOLS_DEBUGINFOD_H

#include <stdbool.h>

struct build_id;
struct error;

#define DEBUGINFOD_PATH_MAX 4096u

/*
 * Return the path of the separate debug file of @id in the library's cache, asking the servers
 * if it is not cached. False: unavailable, with a sentence in @err (may be NULL).
 */
bool debuginfod_find(const struct build_id *id, char ret[DEBUGINFOD_PATH_MAX], struct error *err);

#endif
