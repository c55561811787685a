/* SPDX-License-Identifier: MIT */
/*
 * mcp_reply.h - answers of both eras of the protocol, one line each
 *
 * Revision 2026-07-28 wants resultType in each result, ttlMs and cacheScope in those that can be
 * kept, and the server's name in _meta. Older revisions have none of these.
 */
#ifndef CMDS_MCP_REPLY_H
#define CMDS_MCP_REPLY_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct json_object;
struct mcp_run;
struct mcp_tool;
struct out;

struct mcp_reply {
	struct out *out;
	struct json_object *id; /* borrowed; NULL: null */
	bool is_modern;         /* revision 2026-07-28 */
};

#define MCP_MODERN "2026-07-28"
/* The newest revision with a handshake, and the oldest that is served. */
#define MCP_LATEST_LEGACY "2025-11-25"
#define MCP_OLDEST        "2025-06-18"

void mcp_reply_error(const struct mcp_reply *r, int code, const char *message);
/* UnsupportedProtocolVersionError. */
void mcp_reply_version(const struct mcp_reply *r, struct str requested);
/* server/discover. */
void mcp_reply_discover(const struct mcp_reply *r);
/* initialize: @version was asked for. */
void mcp_reply_initialize(const struct mcp_reply *r, struct str version);
void mcp_reply_tools(const struct mcp_reply *r);
/* ping. */
void mcp_reply_empty(const struct mcp_reply *r);
/* A tool failed in a way that its caller can mend. */
void mcp_reply_tool_error(const struct mcp_reply *r, struct str why);
/* What a command printed. */
void mcp_reply_answer(const struct mcp_reply *r, const struct mcp_tool *tool,
		      const struct mcp_run *run);
/* notifications/progress for @token after @seconds. */
void mcp_reply_progress(const struct mcp_reply *r, struct json_object *token, uint64_t seconds);

#endif
