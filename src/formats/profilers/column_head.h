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
	COLUMN_CALLSTACKS, /* vtune -report callstacks: each function with its callers */
};

/*
 * The columns of a call tree, found in its titles. The fields `function` to `module` are indices of
 * columns.
 */
struct column_head {
	enum column_tool tool;
	/* character between the cells; '\0': a line of dashes marks the columns */
	char separator;
	uint32_t n;
	uint32_t from[COLUMN_MAX_CELLS]; /* if separator is '\0': offset of each column in a line */
	bool has_ruler;
	/* callstacks: index of the column with the functions whose callers are listed */
	uint32_t function;
	uint32_t name;
	uint32_t total; /* index of the column with the total; COLUMN_NONE: not printed */
	uint32_t self;  /* index of the column with the self amount; COLUMN_NONE: not printed */
	uint32_t module;
	struct str metric; /* what the costs measure: "CPU Time", "Weight" */
	/*
	 * unit, in nanoseconds, of the numbers without a unit in column `self`; 0: they are no
	 * times
	 */
	double self_ns;
	double total_ns;
};

struct column_row {
	size_t depth;
	struct str function; /* callstacks: function whose callers are listed */
	struct str name;
	struct str module;
	struct column_amount total, self;
	bool has_total, has_self;
};

/* Whether @line has the titles of a call tree's columns. Cost: O(n) for n bytes. */
bool column_head_of(struct str line, struct column_head *ret);
/* Read @line as the line of dashes below the titles. False: @line is no such line. */
bool column_head_ruler(struct column_head *h, struct str line);
bool column_head_row(const struct column_head *h, struct str line, struct column_row *ret);

#endif
