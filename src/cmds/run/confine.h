/* SPDX-License-Identifier: MIT */
/*
 * confine.h - give up rights before untrusted inputs are read
 *
 * session_load() calls session_confine() before it opens the first input. A command that reads
 * other files first (C sources) calls session_confine() itself, with the folders to read. From then
 * on, the command runs in a child process without rights (base/rights/sandbox.h), which prints to
 * descriptors that were already open. The parent opens files at the child's request, puts the
 * output in place and reports how the child ended.
 *
 * Commands that record, trace or run programs do so before they confine themselves.
 */
#ifndef CMDS_CONFINE_H
#define CMDS_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

struct session;

/*
 * Continue in a process without rights. @trees: NULL-terminated list of paths that stay readable,
 * with their git repositories; NULL: none. Opens the file of -o.
 *
 * True: the caller continues, in the child. It continues in the same process with --no-sandbox, or
 * if the process was already confined. False: the command is finished, with @ret_status. This is
 * the case in the parent, after the child has ended or could not be started. It is also the case if
 * the file of -o could not be opened.
 */
bool session_confine(struct session *s, const char *const *trees, int *ret_status);

/*
 * Memory limit for a confined process, in bytes, which is most of the machine's memory. 0: unknown.
 */
uint64_t confine_memory(void);

#endif
