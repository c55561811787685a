/* SPDX-License-Identifier: MIT */
/*
 * tree_rows.h - lines of call trees as tools print them
 *
 * Private to profile_tree.c, which makes stacks of the rows.
 */
#ifndef FORMATS_PROFILERS_TREE_ROWS_H
#define FORMATS_PROFILERS_TREE_ROWS_H

#include "base/str.h"

#define TREE_AMOUNTS 2u

enum tree_tool {
	TREE_SAMPLE,  /* sample of macOS */
	TREE_GHC,     /* .prof of GHC */
	TREE_PMCSTAT, /* pmcstat -G of FreeBSD */
	TREE_JULIA,   /* Profile.print() of Julia */
	TREE_V8,      /* "Bottom up" of node --prof-process */
	TREE_TOOLS
};

struct tree_row {
	enum tree_tool tool;
	size_t depth;
	struct str name, module;
	/*
	 * GHC: [0] time and [1] allocation without callees; others: [0] samples with the rows below
	 */
	uint64_t weight[TREE_AMOUNTS];
	bool has_ticks; /* GHC with -P: ticks and bytes, not shares */
	bool has_self;  /* self: weight without the rows below it, as printed */
	uint64_t self;
	/* V8: printed share, in tenths of a percent: of all ticks at the top level of the tree */
	unsigned int permille;
	bool is_thread; /* the line is of a thread or program, not of a function */
};

/* Whether @line is a row of a tree. */
bool tree_row_of(struct str line, struct tree_row *ret);
/* Whether only one tool prints rows such as @row, so that they need no title. */
bool tree_row_is_sure(const struct tree_row *row);
/*
 * Whether @line is a row of V8's tables above its tree, "     11    5.9%    6.3%  JS: *fib
 * /srv/app.js:1:13". Rows of the tree match, too.
 */
bool tree_row_v8_table(struct str line, struct tree_row *ret);
/* Whether the lines below a line of @tool are callers, not callees. */
bool tree_tool_has_callers(enum tree_tool tool);
/*
 * Take a title: of pmcstat, "@ EVENT [35705 samples]", or of V8, "Statistical profiling result from
 * FILE, (188 ticks, ...".
 */
bool tree_row_title(struct str line, struct str *ret_event, uint64_t *ret_samples);

#endif
