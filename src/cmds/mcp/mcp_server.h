/* SPDX-License-Identifier: MIT */
/*
 * mcp_server.h - requests of the Model Context Protocol, answered one after another
 *
 * One call runs at a time; up to MCP_QUEUE others wait. Ends when the client closes its side
 * and all calls are answered, or at a terminating signal.
 */
#ifndef CMDS_MCP_SERVER_H
#define CMDS_MCP_SERVER_H

#include "base/status.h"

struct mcp_paths;

#define MCP_QUEUE 32u

struct mcp_server_options {
	const struct mcp_paths *paths;
	int from; /* descriptors of the client's messages, and of the answers */
	int to;
	unsigned int seconds; /* limit of a call */
};

/* Errors: ERR_IO. */
MUST_CHECK int mcp_server_run(const struct mcp_server_options *options, struct error *err);

#endif
