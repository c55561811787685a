/* SPDX-License-Identifier: MIT */
/*
 * mcp_message.h - one line of JSON-RPC 2.0
 *
 * Clients may send any bytes. For a line that is no valid message, `code` is an error code of
 * JSON-RPC. Source: jsonrpc.org/specification. Batches are not supported, because the Model Context
 * Protocol has none.
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
	/* borrowed; NULL: the message is a notification, or its id is unreadable */
	struct json_object *id;
	/* borrowed, a JSON object; NULL: the message has no parameters */
	struct json_object *params;
	/* borrowed; empty: the message is a response, which needs no reply */
	struct str method;
	int code; /* enum mcp_code; 0: the message is valid */
	struct error why;
};

/*
 * Parse @line into @ret. Release @ret with mcp_message_fini() in any case. Cost: O(bytes); memory:
 * about ten times the length.
 */
void mcp_message_read(struct str line, struct mcp_message *ret);
void mcp_message_fini(struct mcp_message *m);
/* Write @id if it is a string or an integer, otherwise null. */
void mcp_message_id(struct json *j, struct json_object *id);
bool mcp_message_is_same(struct json_object *a, struct json_object *b);

#endif
