/* SPDX-License-Identifier: MIT */
/*
 * sources.h - C sources of the command line, measured
 */
#ifndef CMDS_SOURCES_H
#define CMDS_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The folder of measured files: $XDG_CACHE_HOME/assay, else ~/.cache/assay, written to
 * @buffer. NULL: neither is set, or --no-cache.
 */
const char *sources_cache(bool has_cache, char *buffer, size_t size);

#endif
