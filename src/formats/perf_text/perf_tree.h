/* SPDX-License-Identifier: MIT */
/*
 * perf_tree.h - the call trees under the rows of a printed perf table
 *
 * Lines become nodes of profile.table in preorder. Their screen columns show the structure:
 *
 *       --50.00%--main
 *               run
 *               |
 *               |--30.00%--read
 *                --20.00%--write
 *
 * A branch (a line with "--") starts a chain, which is a sequence of frames without branches. Each
 * chain has a bar at its screen column. The parent of a chain is the chain with the nearest bar to
 * the left. A line without "--" is a frame. It continues the innermost chain that starts further
 * left. These rules hold for all versions of perf, and for trees edited by hand.
 *
 * While lines are read, node.sym is the string id of the name, and node.weight is the printed
 * number. perf_tree_finish() replaces them by symbols and absolute weights.
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

/* Cache from recent names to their string ids, so that most names need not be hashed as a whole. */
struct perf_names {
	struct strings *strings; /* borrowed */
	str_id slots[PERF_NAMES_SLOTS];
};

str_id perf_names_add(struct perf_names *n, struct str name);
/*
 * The string id of the demangled function name @name. Names are demangled, because recordings also
 * have demangled names.
 */
str_id perf_names_symbol(struct perf_names *n, struct str name);

struct perf_tree_open {
	uint32_t col;  /* screen column of the chain's bar ('|') or mark ('+', '-') */
	uint32_t node; /* index in profile.table.nodes of the chain's last frame so far */
	uint32_t depth;
	/*
	 * index of the chain's node "[...]", which stands for branches that the author removed;
	 * INDEX_NONE: none
	 */
	uint32_t cut;
	bool is_printed; /* the first frame of the chain has a printed percentage */
};

struct perf_tree {
	struct capture *capture; /* borrowed */
	struct perf_names *names;
	/* chains that the next line may continue, outermost first */
	VEC(struct perf_tree_open) open;
	uint32_t row; /* index in profile.table.rows of the row that owns the tree */
	/* line number in the original input; the caller sets it before each line */
	uint32_t line;
	/*
	 * percentage on the line before a chain of -g flat; valid if has_flat, until the chain's
	 * first frame is read
	 */
	struct perf_percent flat;
	bool has_flat;
	/*
	 * has_folded: the last line has the mark '+' of perf's TUI, so its branches exist, but are
	 * not shown. folded: index of its node; folded_col: column of the mark
	 */
	uint32_t folded;
	uint32_t folded_col;
	bool has_folded;
	enum chain_style style;
};

void perf_tree_fini(struct perf_tree *t);
/* Start the tree of the row with index @row. The lines that are read next belong to it. */
void perf_tree_start(struct perf_tree *t, uint32_t row);
/*
 * Whether a branch at screen column @col can belong to the tree of the row, although blank lines
 * precede it. The chain to its left must show its branches, and their shares must leave room for
 * @percent. Without such a chain, the shares of the row must leave the room; in perf's TUI the
 * branch is then the root of another tree.
 */
bool perf_tree_has_room(const struct perf_tree *t, size_t col, struct perf_percent percent);
/* Whether a line without marks can be a frame of the tree. @col: its indentation. */
bool perf_tree_takes(const struct perf_tree *t, size_t col);
/* Read a line of a tree drawn with | and --, or a frame without marks that follows such a line. */
void perf_tree_line(struct perf_tree *t, struct str line);
/*
 * Read a line of a tree of perf's TUI: "- name", "+ 12.3% name", or such a line without its mark.
 */
void perf_tree_tui(struct perf_tree *t, struct str line);
/* Read a line that has only a percentage, after which a chain of -g flat follows. */
void perf_tree_flat(struct perf_tree *t, struct str line);
/*
 * Append @line, the rest of a wrapped name, to the name of the last node. False: there is no node,
 * or the name becomes too long.
 */
bool perf_tree_append(struct perf_tree *t, struct str line);
/*
 * Whether the name of the last node continues on the next line: it is empty or ends inside
 * brackets.
 */
bool perf_tree_is_open(const struct perf_tree *t);
/*
 * Complete the trees after the last line. Sets end, weight (a share of the total) and symbol of
 * each node, and decides where the trees start. See perf_chains_finish().
 */
void perf_tree_finish(struct perf_tree *t);

/*
 * Convert @percent to units of 10^-p->decimals. If it has more decimals than p->decimals,
 * p->decimals grows, up to its limit.
 */
uint64_t perf_tree_units(struct profile *p, struct perf_percent percent);

#endif
