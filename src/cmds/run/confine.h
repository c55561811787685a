/* SPDX-License-Identifier: MIT */
/*
 * confine.h - the step from options, which are trusted, to inputs, which are not
 *
 * session_load() takes it before it opens the first input. A command that reads
 * something else first (C sources) takes it itself, with the trees to read. Behind
 * it a command runs in a child (base/sandbox.h) that prints to what was open; the
 * process before it only waits, puts the output in place and says how it ended.
 *
 * Commands that record, trace or run programs do that before this step.
 */
#ifndef CMDS_CONFINE_H
#define CMDS_CONFINE_H

#include "cmds/run/session.h"

/*
 * @trees (NULL-terminated or NULL): what may be read by name behind it, with the
 * git repositories that it is in. Opens the file of -o. True: go on, in the child, or
 * in this process with --no-sandbox, or where it was done before. False: this is
 * the process that waited; the command is over, with @ret_status.
 */
bool session_confine(struct session *s, const char *const *trees, int *ret_status);

/* Bytes that a process that reads may have: most of the machine's. 0: not known. */
uint64_t confine_memory(void);

#endif
