/* SPDX-License-Identifier: MIT */
/*
 * debuginfod.h - files by build id from the servers in DEBUGINFOD_URLS
 *
 * Off unless the user asks for it: the build ids of what was recorded leave the
 * machine. The library is loaded when it is first needed, as it brings 33 others
 * with it; where it is not installed nothing is found.
 */
#ifndef SYMBOLS_DEBUGINFOD_H
#define SYMBOLS_DEBUGINFOD_H

#include "symbols/elf_symbols.h"

#define DEBUGINFOD_PATH_MAX 4096u

/*
 * Path of the separate debug file of @id, in the library's cache; asks the
 * servers where it is not there yet. False: not to be had, with a sentence in
 * @err (may be NULL).
 */
bool debuginfod_find(const struct build_id *id, char ret[DEBUGINFOD_PATH_MAX], struct error *err);

#endif
