/* SPDX-License-Identifier: MIT */
/*
 * trace_dat_child.h - the confined part of the trace.dat reader
 *
 * libtraceevent supplies formats, symbols, command names and event texts. It crashes on damaged
 * files.
 */
#ifndef FORMATS_TRACE_DAT_CHILD_H
#define FORMATS_TRACE_DAT_CHILD_H

/* A confined_run; @arg is the struct str of the file's bytes. Needs no input descriptor. */
int td_child_run(void *arg, int in_fd, int out_fd);

#endif
