/* SPDX-License-Identifier: MIT */
#include "cmds/mcp/mcp_tools.h"

#include "base/status.h"
#include "base/str.h"
#include "base/text/json.h"

#define TOOLS_FILES                                                            \
	{                                                                      \
		"files", MCP_FILES, true, NULL,                                \
			"recordings, reports, traces or logs to read together" \
	}
#define TOOLS_FILE                                                             \
	{                                                                      \
		"file", MCP_FILE, true, NULL, "the recording, report or trace" \
	}
#define TOOLS_TOKENS                                                                           \
	{                                                                                      \
		"tokens", MCP_TOKEN_COUNT, false, NULL,                                        \
			"largest size of the answer in tokens of 3.5 bytes; 2000 if not given" \
	}
#define TOOLS_FROM                                                                   \
	{                                                                            \
		"from", MCP_LINE_NUMBER, false, NULL,                                \
			"first line of the answer; next_from of the previous answer" \
	}
#define TOOLS_SAMPLES                                                                             \
	{ "event", MCP_WORD, false, "event", "only this event of several" },                      \
		{ "comm", MCP_WORD, false, "comm", "only these commands; * and ? match" },        \
	{                                                                                         \
		"time", MCP_WORD, false, "time",                                                  \
			"only samples from START to STOP: seconds (12.5,13) or percent (10%-20%)" \
	}

static const struct mcp_argument brief_arguments[] = {
	TOOLS_FILES,
	{ "comm", MCP_WORD, false, "comm", "only these commands; * and ? match" },
	{ "time", MCP_WORD, false, "time",
	  "only samples from START to STOP: seconds (12.5,13) or percent (10%-20%)" },
	TOOLS_TOKENS,
};

static const struct mcp_way brief_ways[] = { { "", "brief" } };

static const struct mcp_argument report_arguments[] = {
	TOOLS_FILES,
	{ "view", MCP_CHOICE, false, NULL,
	  "table: functions by share (default); waits: what threads wait for; calls: traced calls; "
	  "info: how it was recorded" },
	{ "sort", MCP_WORD, false, "sort",
	  "rows of the table by comm, dso, sym, pid, tid, cpu, category, srcline; several with "
	  "commas" },
	TOOLS_SAMPLES,
	{ "dso", MCP_WORD, false, "dso", "only these objects" },
	{ "function", MCP_WORD, false, "symbol", "only these functions; * and ? match" },
	{ "wide", MCP_FLAG, false, "wide", "names in full, not cut to 120 columns" },
	TOOLS_TOKENS,
	TOOLS_FROM,
};

static const struct mcp_way report_ways[] = {
	{ "table", "report" },
	{ "waits", "report --off-cpu" },
	{ "calls", "calls" },
	{ "info", "info" },
};

static const struct mcp_argument compare_arguments[] = {
	{ "before", MCP_FILE, true, NULL, "the first recording" },
	{ "after", MCP_FILE, true, NULL, "the second recording" },
	{ "by", MCP_WORD, false, "by", "rows: all, symbol, children, dso, category or stack" },
	{ "per", MCP_WORD, false, "per", "total (shares), run, second, or 10000-requests" },
	TOOLS_SAMPLES,
	{ "all", MCP_FLAG, false, "all", "also the inconclusive rows" },
	TOOLS_TOKENS,
	TOOLS_FROM,
};

static const struct mcp_way compare_ways[] = { { "", "diff" } };

static const struct mcp_argument stacks_arguments[] = {
	TOOLS_FILE,
	{ "function", MCP_NAME, true, NULL, "func:NAME or NAME; * and ? match" },
	{ "direction", MCP_CHOICE, false, NULL,
	  "callers of the function (default); paths: whole stacks through it, with its callees; "
	  "calls: the call tree below it, of a function graph" },
	TOOLS_SAMPLES,
	TOOLS_TOKENS,
	TOOLS_FROM,
};

static const struct mcp_way stacks_ways[] = {
	{ "callers", "report --call-graph=callee --symbol=%" },
	{ "paths", "report --call-graph=caller --parent=%" },
	{ "calls", "calls --tree --under=%" },
};

static const struct mcp_argument evidence_arguments[] = {
	TOOLS_FILES,
	{ "of", MCP_HANDLE, false, NULL,
	  "finding:N (as brief and evidence number them), func:NAME (source lines, if the "
	  "recording "
	  "has addresses), or rule:ID (symptoms, fix, false positives); all findings if not "
	  "given" },
	TOOLS_TOKENS,
	TOOLS_FROM,
};

static const struct mcp_way evidence_ways[] = {
	{ "", "explain" },
	{ "finding", "explain --finding=%" },
	{ "func", "report --srcline --symbol=%" },
	{ "rule", "explain --why=%" },
};

static const struct mcp_argument check_arguments[] = {
	TOOLS_FILES,
	{ "claims", MCP_LINES, false, "claims",
	  "such as 'memcpy self > 5%', 'p99(udp_sendmsg) <= 40us net of tracer', "
	  "'caller of memcpy is has_dup', 'no finding >= warning'" },
	{ "text", MCP_TEXT, false, "text",
	  "prose instead of claims: each figure in it that names a function is judged" },
	{ "event", MCP_WORD, false, "event", "claims are about captures of this event" },
	{ "capture", MCP_NUMBER, false, "capture", "claims are about the Nth capture" },
	{ "recorded", MCP_FLAG, false, "recorded",
	  "judge the recorded figures alone, not the program" },
	TOOLS_TOKENS,
	TOOLS_FROM,
};

static const struct mcp_way check_ways[] = {
	{ "claims", "check --claims=-" },
	{ "text", "check --text=-" },
};

#define TOOLS_LISTS(x)                                                                         \
	.arguments = x##_arguments, .n_arguments = ARRAY_LEN(x##_arguments), .ways = x##_ways, \
	.n_ways = ARRAY_LEN(x##_ways)

static const struct mcp_tool mcp_tools[] = {
	{ .name = "brief",
	  .title = "The evidence in a budget",
	  .help = "Start here. Says what the files are, whether they can be trusted, what is wrong "
		  "with a cause, and where the time goes: functions, stacks, waits, counters, log "
		  "records. Two files are also compared. Figures have intervals and places.",
	  .has_budget = true,
	  TOOLS_LISTS(brief) },
	{ .name = "report",
	  .title = "Tables",
	  .help = "The full tables of a recording: functions, threads, objects, waits, traced "
		  "calls "
		  "or counters.",
	  TOOLS_LISTS(report) },
	{ .name = "compare",
	  .title = "Two recordings",
	  .help = "What changed from one recording to another, with intervals, and what is "
		  "inconclusive.",
	  TOOLS_LISTS(compare) },
	{ .name = "stacks",
	  .title = "Callers and callees",
	  .help = "Who calls a function and what it calls, with shares of CPU time.",
	  TOOLS_LISTS(stacks) },
	{ .name = "evidence",
	  .title = "What a finding stands on",
	  .help = "Findings with figures, input lines, cause, certainty and next steps; source "
		  "lines "
		  "of a function; the page of a rule.",
	  TOOLS_LISTS(evidence) },
	{ .name = "check",
	  .title = "Verify claims",
	  .help = "Judge claims about recordings before you state them: true, false or cannot "
		  "tell, "
		  "each with its figure, interval and lines.",
	  .has_no_default = true,
	  TOOLS_LISTS(check) },
};

const struct mcp_tool *mcp_tools_find(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(mcp_tools); i++) {
		if (str_eq(name, str_of(mcp_tools[i].name)))
			return &mcp_tools[i];
	}
	return NULL;
}

static void tools_pair(struct json *j, const char *key, const char *value)
{
	json_key(j, key);
	json_z(j, value);
}

static void tools_number(struct json *j, const char *key, uint64_t value)
{
	json_key(j, key);
	json_u64(j, value);
}

static void tools_texts(struct json *j)
{
	tools_pair(j, "type", "array");
	tools_number(j, "minItems", 1);
	tools_number(j, "maxItems", MCP_TEXTS_MOST);
	json_key(j, "items");
	json_object(j);
	tools_pair(j, "type", "string");
	json_object_end(j);
}

static void tools_argument(struct json *j, const struct mcp_tool *t, const struct mcp_argument *a)
{
	json_key(j, a->name);
	json_object(j);
	switch (a->kind) {
	case MCP_FILES:
	case MCP_LINES:
		tools_texts(j);
		break;
	case MCP_FLAG:
		tools_pair(j, "type", "boolean");
		break;
	case MCP_NUMBER:
	case MCP_LINE_NUMBER:
	case MCP_TOKEN_COUNT:
		tools_pair(j, "type", "integer");
		tools_number(j, "minimum", a->kind == MCP_TOKEN_COUNT ? MCP_TOKENS_LEAST : 1);
		if (a->kind == MCP_TOKEN_COUNT)
			tools_number(j, "maximum", MCP_TOKENS_MOST);
		break;
	default:
		tools_pair(j, "type", "string");
	}
	if (a->kind == MCP_CHOICE) {
		json_key(j, "enum");
		json_array(j);
		for (size_t i = 0; i < t->n_ways; i++)
			json_z(j, t->ways[i].key);
		json_array_end(j);
	}
	tools_pair(j, "description", a->help);
	json_object_end(j);
}

static void tools_input(struct json *j, const struct mcp_tool *t)
{
	json_key(j, "inputSchema");
	json_object(j);
	tools_pair(j, "type", "object");
	json_key(j, "properties");
	json_object(j);
	for (size_t i = 0; i < t->n_arguments; i++)
		tools_argument(j, t, &t->arguments[i]);
	json_object_end(j);
	json_key(j, "required");
	json_array(j);
	for (size_t i = 0; i < t->n_arguments; i++) {
		if (t->arguments[i].is_required)
			json_z(j, t->arguments[i].name);
	}
	json_array_end(j);
	json_key(j, "additionalProperties");
	json_bool(j, false);
	json_object_end(j);
}

/* Write the JSON schema of a result. All tools have the same schema: see mcp_reply_answer(). */
static void tools_output(struct json *j)
{
	static const struct {
		const char *name;
		const char *type;
		const char *help;
		bool is_required;
	} fields[] = {
		{ "text", "string", "the answer", true },
		{ "lines", "integer", "lines of the whole answer", true },
		{ "first_line", "integer", "first line in text", true },
		{ "left_out", "integer", "lines after those in text", true },
		{ "next_from", "integer", "the same call with this `from` shows them", false },
		{ "outcome", "string", "check: true, false or cannot-tell, of all claims together",
		  false },
		{ "messages", "string", "what could not be read, and other warnings", false },
	};

	json_key(j, "outputSchema");
	json_object(j);
	tools_pair(j, "type", "object");
	json_key(j, "properties");
	json_object(j);
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		json_key(j, fields[i].name);
		json_object(j);
		tools_pair(j, "type", fields[i].type);
		tools_pair(j, "description", fields[i].help);
		json_object_end(j);
	}
	json_object_end(j);
	json_key(j, "required");
	json_array(j);
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		if (fields[i].is_required)
			json_z(j, fields[i].name);
	}
	json_array_end(j);
	json_object_end(j);
}

void mcp_tools_write(struct json *j)
{
	static const char *const yes[] = { "readOnlyHint", "idempotentHint" };
	static const char *const no[] = { "destructiveHint", "openWorldHint" };

	json_array(j);
	for (size_t i = 0; i < ARRAY_LEN(mcp_tools); i++) {
		const struct mcp_tool *t = &mcp_tools[i];

		json_object(j);
		tools_pair(j, "name", t->name);
		tools_pair(j, "title", t->title);
		tools_pair(j, "description", t->help);
		tools_input(j, t);
		tools_output(j);
		json_key(j, "annotations");
		json_object(j);
		for (size_t k = 0; k < ARRAY_LEN(yes); k++) {
			json_key(j, yes[k]);
			json_bool(j, true);
			json_key(j, no[k]);
			json_bool(j, false);
		}
		json_object_end(j);
		json_object_end(j);
	}
	json_array_end(j);
}
