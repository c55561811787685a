/* SPDX-License-Identifier: MIT */
/*
 * column_head.h - titles and cells of call trees with columns: Instruments, VTune
 */
#ifndef FORMATS_PROFILERS_COLUMN_HEAD_H
#define FORMATS_PROFILERS_COLUMN_HEAD_H

#include "base/str.h"
#include "formats/profilers/column_amount.h"

#define COLUMN_MAX_CELLS 256u
#define COLUMN_NONE      UINT32_MAX

enum column_tool {
	COLUMN_INSTRUMENTS,
	COLUMN_TOP_DOWN,   /* vtune -report top-down */
	COLUMN_CALLSTACKS, /* vtune -report callstacks: callers of each function */
};

/*
 * The columns of a tree, read from its line of titles. The fields `function` to `module` are
 * indices of columns.
 */
struct column_head {
	enum column_tool tool;
	char separator; /* separates the cells; '\0': a line of dashes marks the columns */
	uint32_t n;
	uint32_t from[COLUMN_MAX_CELLS]; /* if separator is '\0': offset of each column in a line */
	bool has_ruler;
	uint32_t function; /* callstacks: column of the functions whose callers follow */
	uint32_t name;
	uint32_t total; /* COLUMN_NONE: not printed */
	uint32_t self;  /* COLUMN_NONE: not printed */
	uint32_t module;
	struct str metric; /* "CPU Time", "Weight" */
	/* nanoseconds of the number 1 without a unit in column `self`; 0: not a time */
	double self_ns;
	double total_ns;
};

struct column_row {
	size_t depth;
	struct str function; /* callstacks: function whose callers follow */
	struct str name;
	struct str module;
	struct column_amount total, self;
	bool has_total, has_self;
};

/* Whether @line has the titles of a call tree's columns. Cost: O(n) for n bytes. */
bool column_head_of(struct str line, struct column_head *ret);
/* Take the line of dashes below the titles. False: @line is something else. */
bool column_head_ruler(struct column_head *h, struct str line);
bool column_head_row(const struct column_head *h, struct str line, struct column_row *ret);

#endif
