/* SPDX-License-Identifier: MIT */
/*
 * sources.h - C sources on the command line, measured
 *
 * Folders, *.c and *.h among the inputs of a command that takes both are sources. They are
 * measured as one tree and become one capture of metrics, format "c-sources", so that analyses
 * and rules join them with profiles like any table of metrics.
 */
#ifndef CMDS_SOURCES_H
#define CMDS_SOURCES_H

#include "base/status.h"

#include <stdint.h>

struct c_file_list;
struct session;

/*
 * The cache folder: $XDG_CACHE_HOME/assay, else ~/.cache/assay, written to @buffer. NULL:
 * neither is set, or --no-cache.
 */
const char *sources_cache(bool has_cache, char *buffer, size_t size);

/* Move sources from s->inputs to s->sources. */
void sources_take(struct session *s);
/* Report unreadable C sources on stderr: their functions are missing. */
void sources_report_unread(const struct c_file_list *files, uint32_t n_unreadable);
/* Report the number of skipped C++ files on stderr. */
void sources_report_cxx(uint32_t n_cxx);
/* Return ERR_NOTFOUND with a sentence for @path, which has no C file. */
int sources_none(const struct c_file_list *files, const char *path, struct error *err);
/*
 * Measure s->sources into a capture after the others and fill s->measured. Errors: ERR_IO,
 * ERR_NOTFOUND if there is no C file or no function, ERR_UNSUPPORTED.
 */
MUST_CHECK int sources_measure(struct session *s, struct error *err);

#endif
