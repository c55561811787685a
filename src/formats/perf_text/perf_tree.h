/* SPDX-License-Identifier: MIT */
/*
 * perf_tree.h - the call trees under the rows of a printed perf table
 *
 * Lines become nodes of profile.table in preorder. Columns define the structure: a branch
 * belongs to the chain whose bar is left of its own, a frame to the innermost chain that starts
 * left of it. This covers the drawings of all versions of perf, and hand-made ones.
 *
 * While reading, node.sym holds the string id of the name and node.weight the printed number;
 * perf_tree_finish() turns them into symbols and absolute weights.
 */
#ifndef FORMATS_PERF_TREE_H
#define FORMATS_PERF_TREE_H

#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/profile.h"
#include "formats/perf_text/perf_line.h"

struct capture;
struct strings;

#define PERF_NAMES_SLOTS 8192u

/* Cache of recent names and their ids, to save hashing whole names. */
struct perf_names {
	struct strings *strings; /* borrowed */
	str_id slots[PERF_NAMES_SLOTS];
};

str_id perf_names_add(struct perf_names *n, struct str name);
/* The same for a function name, which is demangled like the names of recordings. */
str_id perf_names_symbol(struct perf_names *n, struct str name);

struct perf_tree_open {
	uint32_t col;  /* of the bar or mark */
	uint32_t node; /* last frame of the chain so far */
	uint32_t depth;
	bool is_printed;
};

struct perf_tree {
	struct capture *capture; /* borrowed */
	struct perf_names *names;
	VEC(struct perf_tree_open) open;
	uint32_t row;             /* row that owns the tree */
	uint32_t line;            /* of the original input, set by the caller before each line */
	struct perf_percent flat; /* flat percentage whose first frame has not been read */
	bool has_flat;
	enum chain_style style;
};

void perf_tree_fini(struct perf_tree *t);
/* Start the tree of row @row: the following lines belong to it. */
void perf_tree_start(struct perf_tree *t, uint32_t row);
/* Can a line without tree marks, indented to @col, be a frame? */
bool perf_tree_takes(const struct perf_tree *t, size_t col);
/* A line drawn with | and --, or a plain frame line under one. */
void perf_tree_line(struct perf_tree *t, struct str line);
/* A line of the TUI: with a mark, only a percentage, or only a name. */
void perf_tree_tui(struct perf_tree *t, struct str line);
/* A lone percentage: the head of a flat chain. */
void perf_tree_flat(struct perf_tree *t, struct str line);
/* Append the rest of a wrapped name to the last node. False: no node, or the name is too long. */
bool perf_tree_append(struct perf_tree *t, struct str line);
/* Is the name of the last node cut inside brackets? */
bool perf_tree_is_open(const struct perf_tree *t);
/* Compute ends, absolute weights, symbols and the order of chains. */
void perf_tree_finish(struct perf_tree *t);

/* The percentage in units of 10^-p->decimals. Raises p->decimals if it has more, to the limit. */
uint64_t perf_tree_units(struct profile *p, struct perf_percent percent);

#endif
