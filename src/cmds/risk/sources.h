/* SPDX-License-Identifier: MIT */
/*
 * sources.h - measure C sources that are named on the command line
 *
 * Some commands accept C sources among their inputs: folders, *.c and *.h. All sources are measured
 * as one tree and become one capture of metrics, with the format "c-sources". Analyses and rules
 * match it to profiles like any other table of metrics.
 */
#ifndef CMDS_SOURCES_H
#define CMDS_SOURCES_H

#include "base/status.h"

#include <stdint.h>

struct c_file_list;
struct session;

/*
 * Write the path of the cache folder to @buffer and return it: $XDG_CACHE_HOME/assay, else
 * ~/.cache/assay. NULL: neither $XDG_CACHE_HOME nor $HOME is an absolute path, or @has_cache is
 * false (--no-cache).
 */
const char *sources_cache(bool has_cache, char *buffer, size_t size);

/* Move sources from s->in.paths to s->sources.paths. */
void sources_take(struct session *s);
/* Report on stderr the C sources that could not be read. The result lacks their functions. */
void sources_report_unread(const struct c_file_list *files, uint32_t n_unreadable);
/* Report on stderr that @n_cxx C++ files were skipped. */
void sources_report_cxx(uint32_t n_cxx);
/* Write to @err that @path has no C file, and return ERR_NOTFOUND. */
int sources_none(const struct c_file_list *files, const char *path, struct error *err);
/*
 * Measure s->sources.paths into a capture, which is added after all others, and set the other
 * members of s->sources. Errors: ERR_IO, ERR_NOTFOUND if there is no C file or no function,
 * ERR_UNSUPPORTED.
 */
MUST_CHECK int sources_measure(struct session *s, struct error *err);

#endif
