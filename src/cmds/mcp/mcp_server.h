/* SPDX-License-Identifier: MIT */
/*
 * mcp_server.h - a server of the Model Context Protocol
 *
 * One tool call runs at a time, and up to MCP_QUEUE calls wait. The server ends at a terminating
 * signal. It also ends when the client has closed the connection and all calls have their replies.
 */
#ifndef CMDS_MCP_SERVER_H
#define CMDS_MCP_SERVER_H

#include "base/status.h"

struct mcp_paths;

#define MCP_QUEUE 32u

struct mcp_server_options {
	const struct mcp_paths *paths;
	int from; /* file descriptors: `from` for messages of the client, `to` for replies */
	int to;
	unsigned int seconds; /* time limit of a call, in seconds */
};

/* Run until the server ends. Errors: ERR_IO. */
MUST_CHECK int mcp_server_run(const struct mcp_server_options *options, struct error *err);

#endif
