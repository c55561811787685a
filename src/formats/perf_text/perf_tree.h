/* SPDX-License-Identifier: MIT */
/*
 * perf_tree.h - the call trees under the rows of a printed perf table
 *
 * Lines become nodes of profile.table in preorder. The screen columns define the structure. A
 * branch (a line with "--") belongs to the chain whose bar is the next one to the left. A frame
 * belongs to the innermost chain that starts further left. This rule fits the drawings of all
 * versions of perf, and those edited by hand.
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

/* Cache of recent names and their string ids; saves hashing whole names. */
struct perf_names {
	struct strings *strings; /* borrowed */
	str_id slots[PERF_NAMES_SLOTS];
};

str_id perf_names_add(struct perf_names *n, struct str name);
/* The string id of a function name after demangling, as for the names of recordings. */
str_id perf_names_symbol(struct perf_names *n, struct str name);

struct perf_tree_open {
	uint32_t col;  /* screen column of the chain's bar or mark */
	uint32_t node; /* last frame of the chain so far, an index in profile.table.nodes */
	uint32_t depth;
	bool is_printed; /* the first frame has a printed percentage */
};

struct perf_tree {
	struct capture *capture; /* borrowed */
	struct perf_names *names;
	VEC(struct perf_tree_open)
	open;         /* chains that the next line may continue, outermost first */
	uint32_t row; /* index of the row that owns the tree */
	/* line number in the original input; the caller sets it before each line */
	uint32_t line;
	/* percentage of a flat chain whose first frame has not been read yet */
	struct perf_percent flat;
	bool has_flat;
	enum chain_style style;
};

void perf_tree_fini(struct perf_tree *t);
/* Start the tree of row @row: the lines that follow belong to it. */
void perf_tree_start(struct perf_tree *t, uint32_t row);
/* Whether a line without tree marks, indented to column @col, can be a frame. */
bool perf_tree_takes(const struct perf_tree *t, size_t col);
/* Read a line drawn with | and --, or a plain frame line below such a line. */
void perf_tree_line(struct perf_tree *t, struct str line);
/* Read a line of the TUI: a mark with a percentage or a name, or only one of these. */
void perf_tree_tui(struct perf_tree *t, struct str line);
/* Read a lone percentage, the head of a flat chain. */
void perf_tree_flat(struct perf_tree *t, struct str line);
/*
 * Append @line, the rest of a wrapped name, to the name of the last node. False: no node, or the
 * name becomes too long.
 */
bool perf_tree_append(struct perf_tree *t, struct str line);
/* Whether the name of the last node ends inside brackets, so that it continues on the next line. */
bool perf_tree_is_open(const struct perf_tree *t);
/* Compute the end, absolute weight and symbol of each node, and the order of chains. */
void perf_tree_finish(struct perf_tree *t);

/*
 * Convert a percentage to units of 10^-p->decimals. If the percentage has more decimals,
 * p->decimals grows, up to its limit.
 */
uint64_t perf_tree_units(struct profile *p, struct perf_percent percent);

#endif
