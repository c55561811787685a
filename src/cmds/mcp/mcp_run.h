/* SPDX-License-Identifier: MIT */
/*
 * mcp_run.h - a command of assay in a child process, with a limit of time
 *
 * The child is a process group of its own and takes the step into confinement like a command
 * of the shell. Whatever it does, the server goes on.
 */
#ifndef CMDS_MCP_RUN_H
#define CMDS_MCP_RUN_H

#include "base/out.h"
#include "base/status.h"
#include "cmds/mcp/mcp_cut.h"

#include <sys/types.h>

struct mcp_wish;

struct mcp_run {
	pid_t pid; /* 0: none runs */
	int out;   /* its standard output; -1: closed */
	int err;   /* its messages */
	int64_t began_ms;
	unsigned int seconds;
	bool is_late; /* killed for its time */
	int status;   /* exit status; -1: a signal ended it */

	struct mcp_cut cut;
	struct out messages;
};

/* Milliseconds of a clock that only goes forward. */
int64_t mcp_run_now(void);
/* Start the command of @wish in @folder. Release with mcp_run_fini(). Errors: ERR_IO. */
MUST_CHECK int mcp_run_start(const struct mcp_wish *wish, const char *folder, unsigned int seconds,
			     struct mcp_run *ret, struct error *err);
/* Read what @fd, one of its two, has. False: both are closed, the child has ended. */
bool mcp_run_read(struct mcp_run *r, int fd);
/* Kill the child if its time is over. */
void mcp_run_watch(struct mcp_run *r);
/* Kill and release. */
void mcp_run_fini(struct mcp_run *r);

#endif
