/* SPDX-License-Identifier: MIT */
/*
 * confine.h - the step from trusted options to untrusted inputs
 *
 * session_load() takes this step before it opens the first input. A command that reads other
 * files first (C sources) takes it itself, with the trees to read. After the step a command
 * runs in a child process (base/rights/sandbox.h) that prints to the descriptors opened before. The
 * parent only waits, puts the output in place and reports the end.
 *
 * Commands that record, trace or run programs do so before this step.
 */
#ifndef CMDS_CONFINE_H
#define CMDS_CONFINE_H

#include <stdbool.h>
#include <stdint.h>

struct session;

/*
 * Confine. @trees (NULL-terminated or NULL): paths that stay readable by name, with their git
 * repositories. Opens the file of -o. True: continue, in the child, or in this process with
 * --no-sandbox or if already confined. False: in the parent, after the child ended; the command
 * is finished, with @ret_status.
 */
bool session_confine(struct session *s, const char *const *trees, int *ret_status);

/* Memory limit of a reading process: most of the machine's. 0: unknown. */
uint64_t confine_memory(void);

#endif
