/* SPDX-License-Identifier: MIT */
/*
 * mcp_cut.h - the lines of a text that fit a budget, from a given line on
 *
 * The rest is counted, so the next call can continue where this one ended. Memory: O(budget).
 */
#ifndef CMDS_MCP_CUT_H
#define CMDS_MCP_CUT_H

#include "base/out.h"
#include "base/str.h"

struct mcp_cut {
	uint64_t from;    /* first line to keep, from 1 */
	size_t max_bytes; /* of the kept text as a JSON string */

	struct out kept;
	struct out line;  /* the line that is being read, at most max_bytes of it */
	size_t used;      /* bytes of the kept text as a JSON string */
	uint64_t n_lines; /* complete lines */
	uint64_t last;    /* last line kept; 0: none */
	bool is_full;
	bool has_line; /* bytes after the last line end */
};

void mcp_cut_init(struct mcp_cut *c, uint64_t from, size_t max_bytes);
void mcp_cut_add(struct mcp_cut *c, struct str bytes);
/* Take a last line without an end. */
void mcp_cut_end(struct mcp_cut *c);
/* Lines after the last one kept. */
uint64_t mcp_cut_left(const struct mcp_cut *c);
void mcp_cut_fini(struct mcp_cut *c);

#endif
