/* SPDX-License-Identifier: MIT */
/* mcp_tools.h - the table of tools: each translates a call to a command line of assay */
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
#define MCP_TEXTS_MOST   256u /* most elements of an array argument */

enum mcp_kind {
	MCP_FILE,   /* a path of a file inside the directories of the server */
	MCP_FILES,  /* an array of paths of files inside the directories of the server */
	MCP_WORD,   /* text, for --option=TEXT */
	MCP_FLAG,   /* a boolean; true: --option */
	MCP_NUMBER, /* an integer of 1 or more, for --option=N */
	MCP_CHOICE, /* the key of a way, which selects a command line */
	MCP_HANDLE, /* "KEY:REST": key of a way, and the text that replaces % in it */
	MCP_NAME,   /* text that replaces % in the way; a leading "func:" is dropped */
	/* an array of texts, one a line of standard input; `option` is the key of the way */
	MCP_LINES,
	MCP_TEXT, /* a text for standard input; `option` is the key of the way */
	MCP_TOKEN_COUNT,
	MCP_LINE_NUMBER,
};

struct mcp_argument {
	const char *name;
	enum mcp_kind kind;
	bool is_required;
	const char *option; /* name of an option of assay, without --; or see enum mcp_kind */
	const char *help;
};

/* A way to run a tool: a command line without files. An argument may replace a % in it. */
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
	const struct mcp_way *ways; /* the first way is the default */
	size_t n_ways;
	/* the command limits its output by --tokens itself, so that it needs no pages */
	bool has_budget;
	bool has_no_default;
};

extern const struct mcp_tool mcp_tools[];
extern const size_t mcp_tools_len;

/* Return the tool @name; NULL: there is none. */
const struct mcp_tool *mcp_tools_find(struct str name);
/* Write the array of all tools with their schemas (JSON Schema 2020-12). */
void mcp_tools_write(struct json *j);

#endif
