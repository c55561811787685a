/* SPDX-License-Identifier: MIT */
/*
 * mcp_run.h - run a command of assay in a child process, with a time limit
 *
 * The child has its own process group. It gives up its rights, as a command in a shell does. No
 * failure of the child ends the server.
 */
#ifndef CMDS_MCP_RUN_H
#define CMDS_MCP_RUN_H

#include "base/out.h"
#include "base/status.h"
#include "cmds/mcp/mcp_cut.h"

#include <sys/types.h>

struct mcp_wish;

struct mcp_run {
	pid_t pid; /* process id of the child; 0: no child runs */
	int out;   /* pipe from the child's standard output; -1: closed */
	int err;   /* pipe from the child's standard error; -1: closed */
	int64_t began_ms;
	unsigned int seconds;
	bool is_late; /* the child was killed because it reached the time limit */
	int status;   /* exit status of the child; -1: a signal ended it */

	struct mcp_cut cut;
	struct out messages;
};

/* The time of the monotonic clock in milliseconds. */
int64_t mcp_run_now(void);
/*
 * Start the command line of @wish, in the directory @folder. Release @ret with mcp_run_fini().
 * Errors: ERR_IO.
 */
MUST_CHECK int mcp_run_start(const struct mcp_wish *wish, const char *folder, unsigned int seconds,
			     struct mcp_run *ret, struct error *err);
/*
 * Read the available bytes of @fd, which is r->out or r->err. Returns false when both pipes are
 * closed and the child has ended.
 */
bool mcp_run_read(struct mcp_run *r, int fd);
/* If the time limit is exceeded, kill the child. */
void mcp_run_watch(struct mcp_run *r);
/* Kill the child, if any, and release all resources. */
void mcp_run_fini(struct mcp_run *r);

#endif
