/* SPDX-License-Identifier: MIT */
/* mcp_wish.h - translate a tool call to a command line of assay */
#ifndef CMDS_MCP_WISH_H
#define CMDS_MCP_WISH_H

#include "base/out.h"
#include "base/status.h"
#include "base/vec.h"

struct json_object;
struct mcp_paths;
struct mcp_tool;

struct mcp_wish {
	const struct mcp_tool *tool;
	VEC(char *) words; /* owned, NULL-terminated; the first word is the command's name */
	struct out input;  /* text for the command's standard input */
	/* index of the directory of the server to which the file names are relative */
	size_t root;
	uint64_t tokens;
	uint64_t from;
};

/*
 * Make the command line for a call of @tool. @arguments: JSON object, or NULL. Release @ret with
 * mcp_wish_fini(), also after an error. Errors: ERR_USAGE, ERR_NOTFOUND, with the reason for the
 * client in @err.
 */
MUST_CHECK int mcp_wish_read(const struct mcp_tool *tool, struct json_object *arguments,
			     const struct mcp_paths *paths, struct mcp_wish *ret,
			     struct error *err);
void mcp_wish_fini(struct mcp_wish *w);

#endif
