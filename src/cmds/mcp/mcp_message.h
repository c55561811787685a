/* SPDX-License-Identifier: MIT */
/*
 * mcp_message.h - one line of JSON-RPC 2.0
 *
 * Any bytes may come. A line that is no request gets the error code of JSON-RPC.
 * Source: jsonrpc.org/specification; batches are no part of the Model Context Protocol.
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
	MCP_NO_VERSION = -32022, /* revision 2026-07-28: UnsupportedProtocolVersionError */
};

struct mcp_message {
	struct json_object *root;   /* owned */
	struct json_object *id;     /* borrowed; NULL: a notification, or none could be read */
	struct json_object *params; /* borrowed, an object; NULL: none */
	struct str method;          /* borrowed; empty: an answer, which needs no reply */
	int code;                   /* enum mcp_code; 0: a request, notification or answer */
	struct error why;
};

/* Read @line. Release with mcp_message_fini(). Cost: O(bytes), memory about ten times that. */
void mcp_message_read(struct str line, struct mcp_message *ret);
void mcp_message_fini(struct mcp_message *m);
/* Write @id, text or an integer; null for another value. */
void mcp_message_id(struct json *j, struct json_object *id);
/* Whether two ids are the same. */
bool mcp_message_is_same(struct json_object *a, struct json_object *b);

#endif
