/* SPDX-License-Identifier: MIT */
/*
 * sources.h - C sources on the command line, measured
 *
 * Some commands take sources and captures. Folders, *.c and *.h among their inputs are sources. All
 * sources are measured as one tree and become one capture of metrics, format "c-sources". Analyses
 * and rules join it with profiles like any table of metrics.
 */
#ifndef CMDS_SOURCES_H
#define CMDS_SOURCES_H

#include "base/status.h"

#include <stdint.h>

struct c_file_list;
struct session;

/*
 * Write the path of the cache folder to @buffer and return it: $XDG_CACHE_HOME/assay, else
 * ~/.cache/assay. NULL: neither is set, or @has_cache is false (--no-cache).
 */
const char *sources_cache(bool has_cache, char *buffer, size_t size);

/* Move sources from s->in.paths to s->sources.paths. */
void sources_take(struct session *s);
/* Report unreadable C sources on stderr, because their functions are missing in the result. */
void sources_report_unread(const struct c_file_list *files, uint32_t n_unreadable);
/* Report the number of skipped C++ files on stderr. */
void sources_report_cxx(uint32_t n_cxx);
/* Return ERR_NOTFOUND, with a sentence that @path has no C file. */
int sources_none(const struct c_file_list *files, const char *path, struct error *err);
/*
 * Measure s->sources.paths into a capture after all others, and set the results in s->sources.
 * Errors: ERR_IO, ERR_NOTFOUND if there is no C file or no function, ERR_UNSUPPORTED.
 */
MUST_CHECK int sources_measure(struct session *s, struct error *err);

#endif
