/* SPDX-License-Identifier: MIT */
/*
 * column_head.h - titles and cells of call trees with columns: Instruments, VTune
 *
 * Private to column_tree.c.
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

/* The columns, as the line of titles gives them. `function` to `module` are indices of columns. */
struct column_head {
	enum column_tool tool;
	char separator; /* between cells; '\0': a ruler marks the columns */
	uint32_t n;
	uint32_t from[COLUMN_MAX_CELLS]; /* without separator: first byte of each column */
	bool has_ruler;
	uint32_t function; /* callstacks: the functions whose callers follow */
	uint32_t name;
	uint32_t total; /* COLUMN_NONE: not printed */
	uint32_t self;  /* COLUMN_NONE: not printed */
	uint32_t module;
	struct str metric; /* "CPU Time", "Weight" */
	double self_ns;    /* nanoseconds of a self amount of 1 without a unit; 0: not a time */
	double total_ns;
};

struct column_row {
	size_t depth;
	struct str function; /* callstacks */
	struct str name;
	struct str module;
	struct column_amount total, self;
	bool has_total, has_self;
};

/* Whether @line has the titles of a tree. Cost: linear in titles and columns. */
bool column_head_of(struct str line, struct column_head *ret);
/* Take the line of dashes below the titles. False: @line is something else. */
bool column_head_ruler(struct column_head *h, struct str line);
bool column_head_row(const struct column_head *h, struct str line, struct column_row *ret);

#endif
