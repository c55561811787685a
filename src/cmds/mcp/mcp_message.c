/* SPDX-License-Identifier: MIT */
#include "cmds/mcp/mcp_message.h"

#include "base/text/json.h"
#include "base/text/utf8.h"
#include "formats/exchange/json_doc.h"

#include <string.h>

#define MCP_METHOD_BYTES 128u
#define MCP_ID_BYTES     256u

static void message_fail(struct mcp_message *m, int code, const char *why)
{
	m->code = code;
	(void)fail(&m->why, ERR_FORMAT, "%s", why);
}

static bool message_is_id(struct json_object *id)
{
	return json_doc_is_integer(id) ||
	       (json_doc_is_text(id) && json_doc_text(id).len <= MCP_ID_BYTES);
}

static bool message_is_id_key(const void *arg, const char *key)
{
	return strcmp(key, arg) != 0;
}

/* Check the members of the message m->root, a JSON object, and set the other members of @m. */
static void message_members(struct mcp_message *m)
{
	struct json_object *method = json_doc_get(m->root, "method");
	struct json_object *params = json_doc_get(m->root, "params");
	struct json_object *id = json_doc_get(m->root, "id");
	bool has_id = json_doc_unknown(m->root, message_is_id_key, "id") != NULL;
	bool has_params = json_doc_unknown(m->root, message_is_id_key, "params") != NULL;

	if (has_id && message_is_id(id))
		m->id = id;
	if (!str_eq(json_doc_text(json_doc_get(m->root, "jsonrpc")), STR("2.0")))
		message_fail(m, MCP_INVALID_REQUEST, "\"jsonrpc\" must be \"2.0\"");
	else if (has_id && !m->id)
		message_fail(m, MCP_INVALID_REQUEST, "\"id\" must be text or an integer");
	else if (!method && (json_doc_unknown(m->root, message_is_id_key, "result") ||
			     json_doc_unknown(m->root, message_is_id_key, "error")))
		return;
	else if (!json_doc_is_text(method) || json_doc_text(method).len == 0 ||
		 json_doc_text(method).len > MCP_METHOD_BYTES)
		message_fail(m, MCP_INVALID_REQUEST, "\"method\" must be the name of a method");
	else if (has_params && !json_doc_is_object(params))
		message_fail(m, MCP_INVALID_PARAMS, "\"params\" must be an object");
	else {
		m->params = params;
		m->method = json_doc_text(method);
	}
}

void mcp_message_read(struct str line, struct mcp_message *ret)
{
	*ret = (struct mcp_message){ .code = 0 };
	if (line.len > MCP_LINE_BYTES)
		message_fail(ret, MCP_INVALID_REQUEST, "the message is longer than 1 MiB");
	else if (line.len && memchr(line.p, '\0', line.len))
		message_fail(ret, MCP_PARSE_ERROR, "no JSON: the message has a NUL byte");
	else if (!utf8_valid(line))
		message_fail(ret, MCP_PARSE_ERROR, "no JSON: the message is not UTF-8");
	else if (json_doc_open_whole(line, &ret->root, &ret->why) < 0)
		ret->code = MCP_PARSE_ERROR;
	else if (!json_doc_is_object(ret->root))
		message_fail(ret, MCP_INVALID_REQUEST, "a message is one JSON object");
	else
		message_members(ret);
}

void mcp_message_fini(struct mcp_message *m)
{
	json_doc_free(m->root);
	*m = (struct mcp_message){ .code = 0 };
}

void mcp_message_id(struct json *j, struct json_object *id)
{
	if (json_doc_is_integer(id))
		json_i64(j, json_doc_integer(id));
	else if (json_doc_is_text(id))
		json_str(j, json_doc_text(id));
	else
		json_null(j);
}

bool mcp_message_is_same(struct json_object *a, struct json_object *b)
{
	if (json_doc_is_integer(a))
		return json_doc_is_integer(b) && json_doc_integer(a) == json_doc_integer(b);
	return json_doc_is_text(a) && json_doc_is_text(b) &&
	       str_eq(json_doc_text(a), json_doc_text(b));
}
