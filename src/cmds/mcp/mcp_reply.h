/* SPDX-License-Identifier: MIT */
/*
 * mcp_reply.h - replies in all supported revisions of the protocol; each reply is one line
 *
 * Revision 2026-07-28 requires resultType in each result, ttlMs and cacheScope in results that
 * clients may cache, and the server's name in _meta. Older revisions have none of these.
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
	struct json_object *id; /* id of the request, borrowed; NULL: write the id null */
	bool is_modern;         /* the client uses revision 2026-07-28 */
};

#define MCP_MODERN "2026-07-28"
/*
 * The newest and the oldest of the older revisions that are supported. With these revisions, a
 * client begins with the request "initialize".
 */
#define MCP_LATEST_LEGACY "2025-11-25"
#define MCP_OLDEST        "2025-06-18"

void mcp_reply_error(const struct mcp_reply *r, int code, const char *message);
/*
 * Reply with the error UnsupportedProtocolVersionError. @requested: the revision that the client
 * asked for.
 */
void mcp_reply_version(const struct mcp_reply *r, struct str requested);
/* Reply to the request server/discover. */
void mcp_reply_discover(const struct mcp_reply *r);
/* Reply to initialize. @version: the revision that the client requested. */
void mcp_reply_initialize(const struct mcp_reply *r, struct str version);
void mcp_reply_tools(const struct mcp_reply *r);
/* Reply to the request ping, with an empty result. */
void mcp_reply_empty(const struct mcp_reply *r);
/* Reply that a tool failed, with a reason that the caller can correct. */
void mcp_reply_tool_error(const struct mcp_reply *r, struct str why);
/* Reply with the output of the command that the tool ran. */
void mcp_reply_answer(const struct mcp_reply *r, const struct mcp_tool *tool,
		      const struct mcp_run *run);
/*
 * Send notifications/progress for the call with the progress token @token, which has run for
 * @seconds.
 */
void mcp_reply_progress(const struct mcp_reply *r, struct json_object *token, uint64_t seconds);

#endif
