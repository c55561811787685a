/* SPDX-License-Identifier: MIT */
/*
 * trace_dat_child.h - the part of the trace.dat reader that runs confined
 *
 * Formats, symbols, names of commands and the text of events come from
 * libtraceevent, which crashes on damaged files.
 */
#ifndef FORMATS_TRACE_DAT_CHILD_H
#define FORMATS_TRACE_DAT_CHILD_H

#include "base/str.h"

/* A confined_run; @arg is the struct str of the file's bytes. Needs no descriptor to read. */
int td_child_run(void *arg, int in_fd, int out_fd);

#endif
