/* SPDX-License-Identifier: MIT */
/*
 * mcp_message.h - one line of JSON-RPC 2.0
 *
 * Clients may send any bytes. A line that is no valid message sets an error code of JSON-RPC.
 * Source: jsonrpc.org/specification. Batches are not supported, because the Model Context Protocol
 * has none.
 */
#ifndef CMDS_MCP_MESSAGE_H
#define CMDS_MCP_MESSAGE_H

#include "base/status.h"
#include "base/str.h"

struct json_object;
struct json;

#define MCP_LINE_BYTES (UINT32_C(1) << 20)

enum mcp_code {
	MCP_PARSE_ERROR = -32700,
	MCP_INVALID_REQUEST = -32600,
	MCP_NO_METHOD = -32601,
	MCP_INVALID_PARAMS = -32602,
	MCP_BUSY = -32000,
	MCP_NO_VERSION = -32022, /* UnsupportedProtocolVersionError of revision 2026-07-28 */
};

struct mcp_message {
	struct json_object *root; /* the whole message; owned */
	/* borrowed; NULL: a notification, or the message has no readable id */
	struct json_object *id;
	struct json_object *params; /* borrowed, an object; NULL: no parameters */
	struct str method;          /* borrowed; empty: a response, which needs no reply */
	int code; /* enum mcp_code; 0: a valid request, notification or response */
	struct error why;
};

/*
 * Read @line into @ret, which mcp_message_fini() releases. Cost: O(bytes); memory about ten times
 * the length.
 */
void mcp_message_read(struct str line, struct mcp_message *ret);
void mcp_message_fini(struct mcp_message *m);
/* Write @id if it is text or an integer, otherwise null. */
void mcp_message_id(struct json *j, struct json_object *id);
/* Whether two ids are the same. */
bool mcp_message_is_same(struct json_object *a, struct json_object *b);

#endif
