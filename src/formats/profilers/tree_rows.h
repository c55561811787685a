/* SPDX-License-Identifier: MIT */
/*
 * tree_rows.h - lines of call trees as tools print them
 *
 * Private to profile_tree.c, which makes stacks of the rows.
 */
#ifndef FORMATS_TABLES_TREE_ROWS_H
#define FORMATS_TABLES_TREE_ROWS_H

#include "base/str.h"

#define TREE_AMOUNTS 2u

enum tree_tool {
	TREE_SAMPLE,  /* sample of macOS */
	TREE_GHC,     /* .prof of GHC */
	TREE_PMCSTAT, /* pmcstat -G of FreeBSD */
	TREE_TOOLS
};

struct tree_row {
	enum tree_tool tool;
	size_t depth;
	struct str name, module;
	/* GHC: without callees, time and allocation; others: [0] with the rows below it */
	uint64_t weight[TREE_AMOUNTS];
	bool has_ticks; /* GHC with -P: ticks and bytes, not shares */
	bool is_thread; /* the line is of a thread or program, not of a function */
};

/* Whether @line is a row of a tree. */
bool tree_row_of(struct str line, struct tree_row *ret);
/* Whether only one tool prints rows such as @row, so that they need no title. */
bool tree_row_is_sure(const struct tree_row *row);
/* Take the title of pmcstat, "@ EVENT [35705 samples]". */
bool tree_row_title(struct str line, struct str *ret_event, uint64_t *ret_samples);

#endif
