/* SPDX-License-Identifier: MIT */
/*
 * mcp_cut.h - keep the lines of a text that fit a budget, from a given line on
 *
 * Lines after the budget is used up are only counted. The next call can start at the first of these
 * lines. Memory: O(budget).
 */
#ifndef CMDS_MCP_CUT_H
#define CMDS_MCP_CUT_H

#include "base/out.h"
#include "base/str.h"

struct mcp_cut {
	uint64_t from;    /* number of the first line to keep, from 1 */
	size_t max_bytes; /* budget: maximum length of the kept text, written as a JSON string */

	struct out kept;
	/*
	 * the start of a line whose end was not added yet; at most max_bytes bytes of it are stored
	 */
	struct out line;
	size_t used;      /* length of the kept text, written as a JSON string */
	uint64_t n_lines; /* number of complete lines added so far */
	uint64_t last;    /* number of the last kept line; 0: none is kept */
	bool is_full;
	bool has_line; /* the last added byte is not a line break, so a line is incomplete */
};

void mcp_cut_init(struct mcp_cut *c, uint64_t from, size_t max_bytes);
void mcp_cut_add(struct mcp_cut *c, struct str bytes);
/* End the text. A last line without line break is kept, too. */
void mcp_cut_end(struct mcp_cut *c);
/* Number of lines after the last kept line. */
uint64_t mcp_cut_left(const struct mcp_cut *c);
void mcp_cut_fini(struct mcp_cut *c);

#endif
