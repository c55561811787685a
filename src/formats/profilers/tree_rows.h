/* SPDX-License-Identifier: MIT */
/*
 * tree_rows.h - parse lines of call trees, in the layout of each tool
 *
 * profile_tree.c makes stacks from the parsed rows.
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
	TREE_SYSPROF, /* tree of callees ("Descendants") of sysprof, copied as text */
	TREE_EMACS,   /* profiler-report of Emacs */
	TREE_TOOLS
};

struct tree_row {
	enum tree_tool tool;
	size_t depth;
	struct str name, module;
	/*
	 * GHC: [0] is time, [1] is allocation, both without callees. Other tools: [0] is the number
	 * of samples, including those of the rows below it in the tree; for sysprof, it is a share
	 * in hundredths of a percent.
	 */
	uint64_t weight[TREE_AMOUNTS];
	/* GHC with -P: weight is in ticks and bytes. If false, it is in tenths of a percent */
	bool has_ticks;
	bool has_self; /* `self` is known: the samples without those of callees */
	uint64_t self;
	/*
	 * V8: printed share, in tenths of a percent; it is a share of all ticks only at the top
	 * level of the tree
	 */
	unsigned int permille;
	bool is_open;   /* Emacs: the callees of this function follow */
	bool is_folded; /* Emacs: the callees of this function are hidden */
	bool is_bytes;  /* Emacs: weight is in bytes */
	bool is_thread; /* the row is a thread or program, not a function */
};

/* Whether @line is a row of a call tree of one of the tools. */
bool tree_row_of(struct str line, struct tree_row *ret);
/* Whether only one tool prints rows like @row, so that a tree with @row needs no title. */
bool tree_row_is_sure(const struct tree_row *row);
/*
 * Whether @line looks like a row of V8's tables, which precede its tree: "     11    5.9%    6.3%
 * JS: *fib /srv/app.js:1:13". Rows of the tree itself may have this form, too.
 */
bool tree_row_v8_table(struct str line, struct tree_row *ret);
/*
 * Whether a tree of @tool is a tree of callers: the lines below a line are its callers. In other
 * trees, these lines are its callees.
 */
bool tree_tool_has_callers(enum tree_tool tool);
/*
 * Read a title of pmcstat, "@ EVENT [35705 samples]", or of V8, "Statistical profiling result from
 * FILE, (188 ticks, ...". False: @line is no such title.
 */
bool tree_row_title(struct str line, struct str *ret_event, uint64_t *ret_samples);

#endif
