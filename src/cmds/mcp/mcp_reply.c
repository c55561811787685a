/* SPDX-License-Identifier: MIT */
#include "cmds/mcp/mcp_reply.h"

#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/json.h"
#include "cmds/mcp/mcp_cut.h"
#include "cmds/mcp/mcp_message.h"
#include "cmds/mcp/mcp_run.h"
#include "cmds/mcp/mcp_tools.h"
#include "cmds/run/session.h"
#include "config.h"

#include <string.h>

/*
 * time in ms for which a client may cache a reply about tools; tools do not change while the server
 * runs
 */
#define REPLY_TTL_MS 3600000u

static const char reply_instructions[] =
	"assay reads performance evidence (perf.data, perf report, ftrace, folded stacks, "
	"histograms, thread dumps, logs, counters). Call brief first, then stacks and evidence "
	"for details (finding:N, func:NAME), compare for two recordings. Verify each figure that "
	"you are going to state with check. File names are relative to the directories of this "
	"server.";

static void reply_pair(struct json *j, const char *key, const char *value)
{
	json_key(j, key);
	json_z(j, value);
}

static void reply_number(struct json *j, const char *key, uint64_t value)
{
	json_key(j, key);
	json_u64(j, value);
}

static void reply_begin(const struct mcp_reply *r, struct json *j)
{
	json_init(j, r->out, false);
	json_object(j);
	reply_pair(j, "jsonrpc", "2.0");
	json_key(j, "id");
	mcp_message_id(j, r->id);
}

static void reply_end(const struct mcp_reply *r, struct json *j)
{
	json_object_end(j);
	out_char(r->out, '\n');
}

static void reply_server(struct json *j)
{
	json_object(j);
	reply_pair(j, "name", "assay");
	reply_pair(j, "title", "assay: performance evidence");
	reply_pair(j, "version", ASSAY_VERSION);
	json_object_end(j);
}

static void reply_result(const struct mcp_reply *r, struct json *j)
{
	reply_begin(r, j);
	json_key(j, "result");
	json_object(j);
	if (!r->is_modern)
		return;
	reply_pair(j, "resultType", "complete");
	json_key(j, "_meta");
	json_object(j);
	json_key(j, "io.modelcontextprotocol/serverInfo");
	reply_server(j);
	json_object_end(j);
}

static void reply_result_end(const struct mcp_reply *r, struct json *j)
{
	json_object_end(j);
	reply_end(r, j);
}

static void reply_cache(const struct mcp_reply *r, struct json *j)
{
	if (!r->is_modern)
		return;
	reply_number(j, "ttlMs", REPLY_TTL_MS);
	reply_pair(j, "cacheScope", "public");
}

static void reply_capabilities(struct json *j)
{
	json_key(j, "capabilities");
	json_object(j);
	json_key(j, "tools");
	json_object(j);
	json_object_end(j);
	json_object_end(j);
	reply_pair(j, "instructions", reply_instructions);
}

static void reply_error(const struct mcp_reply *r, struct json *j, int code, const char *message)
{
	reply_begin(r, j);
	json_key(j, "error");
	json_object(j);
	json_key(j, "code");
	json_i64(j, code);
	reply_pair(j, "message", message);
}

void mcp_reply_error(const struct mcp_reply *r, int code, const char *message)
{
	struct json j;

	reply_error(r, &j, code, message);
	reply_result_end(r, &j);
}

void mcp_reply_version(const struct mcp_reply *r, struct str requested)
{
	struct json j;

	reply_error(r, &j, MCP_NO_VERSION, "Unsupported protocol version");
	json_key(&j, "data");
	json_object(&j);
	json_key(&j, "supported");
	json_array(&j);
	json_z(&j, MCP_MODERN);
	json_array_end(&j);
	json_key(&j, "requested");
	json_str(&j, requested);
	json_object_end(&j);
	reply_result_end(r, &j);
}

void mcp_reply_discover(const struct mcp_reply *r)
{
	struct json j;

	reply_result(r, &j);
	json_key(&j, "supportedVersions");
	json_array(&j);
	json_z(&j, MCP_MODERN);
	json_array_end(&j);
	reply_capabilities(&j);
	reply_cache(r, &j);
	reply_result_end(r, &j);
}

void mcp_reply_initialize(const struct mcp_reply *r, struct str version)
{
	bool is_old = str_eq(version, STR(MCP_OLDEST));
	struct json j;

	reply_result(r, &j);
	reply_pair(&j, "protocolVersion", is_old ? MCP_OLDEST : MCP_LATEST_LEGACY);
	reply_capabilities(&j);
	json_key(&j, "serverInfo");
	reply_server(&j);
	reply_result_end(r, &j);
}

void mcp_reply_tools(const struct mcp_reply *r)
{
	struct json j;

	reply_result(r, &j);
	json_key(&j, "tools");
	mcp_tools_write(&j);
	reply_cache(r, &j);
	reply_result_end(r, &j);
}

void mcp_reply_empty(const struct mcp_reply *r)
{
	struct json j;

	reply_result(r, &j);
	reply_result_end(r, &j);
}

static void reply_content(struct json *j, struct str text)
{
	json_key(j, "content");
	json_array(j);
	json_object(j);
	reply_pair(j, "type", "text");
	json_key(j, "text");
	json_str(j, text);
	json_object_end(j);
	json_array_end(j);
}

void mcp_reply_tool_error(const struct mcp_reply *r, struct str why)
{
	struct json j;

	reply_result(r, &j);
	reply_content(&j, why);
	json_key(&j, "isError");
	json_bool(&j, true);
	reply_result_end(r, &j);
}

/* Reply with the reason why a command did not succeed. */
static void reply_failure(const struct mcp_reply *r, const struct mcp_run *run)
{
	struct out why = { .fd = -1 };

	if (run->is_late)
		out_printf(&why,
			   "stopped after %u s: select a time range or a command (time, comm), or "
			   "start the server with a higher --seconds\n",
			   run->seconds);
	else if (run->status < 0)
		out_z(&why, "the process was killed; is there enough memory?\n");
	out_str(&why, out_view(&run->messages));
	if (!why.len)
		out_z(&why, "the file has no such data: brief says what it has; of a function "
			    "graph, stacks with direction=calls and report with view=calls show "
			    "the calls");
	mcp_reply_tool_error(r, str_rtrim(out_view(&why)));
	out_fini(&why);
}

static void reply_structure(struct json *j, const struct mcp_tool *tool, const struct mcp_run *run)
{
	static const struct {
		int status;
		const char *name;
	} outcomes[] = { { EXIT_DONE, "true" }, { 3, "false" }, { 4, "cannot-tell" } };
	const struct mcp_cut *c = &run->cut;
	struct str messages = str_rtrim(out_view(&run->messages));

	json_key(j, "structuredContent");
	json_object(j);
	for (size_t i = 0; i < ARRAY_LEN(outcomes) && tool->has_no_default; i++) {
		if (run->status == outcomes[i].status)
			reply_pair(j, "outcome", outcomes[i].name);
	}
	reply_number(j, "lines", c->n_lines);
	reply_number(j, "first_line", c->from);
	reply_number(j, "left_out", mcp_cut_left(c));
	if (mcp_cut_left(c) && !tool->has_budget)
		reply_number(j, "next_from", c->last + 1);
	if (messages.len) {
		json_key(j, "messages");
		json_str(j, messages);
	}
	json_key(j, "text");
	json_str(j, out_view(&c->kept));
	json_object_end(j);
}

void mcp_reply_answer(const struct mcp_reply *r, const struct mcp_tool *tool,
		      const struct mcp_run *run)
{
	const struct mcp_cut *c = &run->cut;
	struct out text = { .fd = -1 };
	struct json j;

	if (run->is_late || run->status < 0 || run->status == EXIT_USAGE || !c->n_lines) {
		reply_failure(r, run);
		return;
	}
	out_str(&text, out_view(&c->kept));
	if (c->from > c->n_lines)
		out_printf(&text, "The answer has %llu lines\n", (unsigned long long)c->n_lines);
	else if (mcp_cut_left(c) && !tool->has_budget)
		out_printf(&text, "Left out: %llu lines; the same call with from=%llu shows them\n",
			   (unsigned long long)mcp_cut_left(c), (unsigned long long)c->last + 1);
	reply_result(r, &j);
	reply_content(&j, out_view(&text));
	reply_structure(&j, tool, run);
	json_key(&j, "isError");
	json_bool(&j, false);
	reply_result_end(r, &j);
	out_fini(&text);
}

void mcp_reply_progress(const struct mcp_reply *r, struct json_object *token, uint64_t seconds)
{
	struct json j;

	json_init(&j, r->out, false);
	json_object(&j);
	reply_pair(&j, "jsonrpc", "2.0");
	reply_pair(&j, "method", "notifications/progress");
	json_key(&j, "params");
	json_object(&j);
	json_key(&j, "progressToken");
	mcp_message_id(&j, token);
	reply_number(&j, "progress", seconds);
	reply_pair(&j, "message", "reading and analysing, in seconds");
	json_object_end(&j);
	reply_end(r, &j);
}
