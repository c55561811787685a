/* SPDX-License-Identifier: MIT */
/*
 * mcp_tools.h - the table of tools: a call of each means a command line of assay
 */
#ifndef CMDS_MCP_TOOLS_H
#define CMDS_MCP_TOOLS_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct json;

#define MCP_TOKENS       2000u
#define MCP_TOKENS_LEAST 200u
#define MCP_TOKENS_MOST  8000u
#define MCP_TOKEN_BYTES  3.5
#define MCP_TEXTS_MOST   256u /* elements of an array */

enum mcp_kind {
	MCP_FILE,   /* a path below the directories */
	MCP_FILES,  /* an array of these */
	MCP_WORD,   /* text: --option=TEXT */
	MCP_FLAG,   /* true: --option */
	MCP_NUMBER, /* an integer from 1 on: --option=N */
	MCP_CHOICE, /* the key of a way */
	MCP_HANDLE, /* "key:REST" of a way; REST replaces its % */
	MCP_NAME,   /* REST; "func:" before it is dropped */
	MCP_LINES,  /* an array of texts for standard input; `option` is the key of its way */
	MCP_TEXT,   /* a text for standard input; likewise */
	MCP_TOKEN_COUNT,
	MCP_LINE_NUMBER,
};

struct mcp_argument {
	const char *name;
	enum mcp_kind kind;
	bool is_required;
	const char *option; /* of assay, without -- */
	const char *help;
};

/* A command line without files; % is replaced. */
struct mcp_way {
	const char *key;
	const char *words;
};

struct mcp_tool {
	const char *name;
	const char *title;
	const char *help;
	const struct mcp_argument *arguments;
	size_t n_arguments;
	const struct mcp_way *ways; /* the first is the default */
	size_t n_ways;
	bool has_budget; /* the command takes --tokens itself, and has no pages */
	bool has_no_default;
};

extern const struct mcp_tool mcp_tools[];
extern const size_t mcp_tools_len;

/* NULL: no such tool. */
const struct mcp_tool *mcp_tools_find(struct str name);
/* Write the array of tools, with their schemas (JSON Schema 2020-12). */
void mcp_tools_write(struct json *j);

#endif
