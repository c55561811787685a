/* SPDX-License-Identifier: MIT */
/*
 * trace_dat_child.h - the confined part of the trace.dat reader
 *
 * libtraceevent interprets event formats, symbols, command names and event texts. It crashes on
 * damaged files, and therefore runs in a confined child process.
 */
#ifndef FORMATS_TRACE_DAT_CHILD_H
#define FORMATS_TRACE_DAT_CHILD_H

/*
 * Main function of the child process; pass it to confined_start(). @arg: pointer to a struct str
 * with the content of the file. @in_fd: not used. @out_fd: records are written to it.
 */
int td_child_run(void *arg, int in_fd, int out_fd);

#endif
