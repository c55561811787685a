/* SPDX-License-Identifier: MIT */
/*
 * trace_dat_child.h - the confined part of the trace.dat reader
 *
 * libtraceevent supplies formats, symbols, command names and event texts. It runs in a confined
 * child process, because it crashes on damaged files.
 */
#ifndef FORMATS_TRACE_DAT_CHILD_H
#define FORMATS_TRACE_DAT_CHILD_H

/* A function for confined_start(). @arg: struct str with the file's bytes. @in_fd is not used. */
int td_child_run(void *arg, int in_fd, int out_fd);

#endif
