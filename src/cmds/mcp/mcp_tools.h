/* SPDX-License-Identifier: MIT */
/*
 * mcp_tools.h - the tools that the server offers; each translates its arguments to a command line
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
#define MCP_TEXTS_MOST   256u /* maximum number of elements of an array argument */

enum mcp_kind {
	MCP_FILE,   /* path of a file inside the directories of the server */
	MCP_FILES,  /* array of paths of files inside the directories of the server */
	MCP_WORD,   /* a text, which becomes --option=TEXT */
	MCP_FLAG,   /* a boolean; true becomes --option */
	MCP_NUMBER, /* an integer of 1 or more, which becomes --option=N */
	/* the key of a variant of the tool (struct mcp_way); the variant sets the command line */
	MCP_CHOICE,
	/*
	 * "KEY:REST": KEY is the key of a variant of the tool; REST replaces the % in the variant's
	 * command line
	 */
	MCP_HANDLE,
	MCP_NAME, /* a text that replaces the % in the command line; a prefix "func:" is removed */
	/*
	 * an array of texts, which the command reads as lines from standard input; `option` is the
	 * key of the variant of the tool that reads such input
	 */
	MCP_LINES,
	/*
	 * a text, which the command reads from standard input; `option` is the key of the variant
	 * of the tool that reads such input
	 */
	MCP_TEXT,
	MCP_TOKEN_COUNT,
	MCP_LINE_NUMBER,
};

struct mcp_argument {
	const char *name;
	enum mcp_kind kind;
	bool is_required;
	/*
	 * name of an option of assay, without --; for MCP_LINES and MCP_TEXT, the key of a variant
	 * of the tool
	 */
	const char *option;
	const char *help;
};

/*
 * A variant of a tool: a command line without file names. An argument selects it by `key`. A % in
 * the command line stands for the text of an argument.
 */
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
	const struct mcp_way *ways; /* variants of the tool; the first one is the default */
	size_t n_ways;
	/*
	 * the command has an option --tokens and limits its own output, so do not split the output
	 * into pages
	 */
	bool has_budget;
	bool has_no_default;
};

/* Return the tool with the name @name; NULL: there is none. */
const struct mcp_tool *mcp_tools_find(struct str name);
/* Write the array of all tools with their schemas (JSON Schema 2020-12). */
void mcp_tools_write(struct json *j);

#endif
