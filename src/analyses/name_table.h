/* SPDX-License-Identifier: MIT */
/*
 * name_table.h - look up patterns for function names and modules
 *
 * Tables are generated from .tsv files by tools/gen-name-table.py. Patterns are in a radix tree
 * of their literal prefixes: one walk down meets all patterns that can match a name. Lines for a
 * whole module (`*`) are at its root.
 *
 * If several patterns match, the first of these counts: an exact name, the line of the kernel
 * module, the pattern with most literal characters, the line of the user module, the first line.
 */
#ifndef ANALYSES_NAME_TABLE_H
#define ANALYSES_NAME_TABLE_H

#include "base/str.h"
#include "core/symbols.h"

enum name_pattern_kind {
	PATTERN_EXACT,
	PATTERN_PREFIX, /* literal characters followed by one '*' */
	PATTERN_GLOB,
};

struct name_pattern {
	const char *pattern;
	const char *module; /* pattern for the module; NULL: any module */
	uint16_t score;     /* the highest score wins; of equal scores, the first pattern */
	uint8_t value;      /* the result: index in the table's list of categories or roles */
	uint8_t spaces;     /* bits: 1 kernel, 2 user */
	uint8_t kind;
};

struct name_node {
	const char *label; /* the characters that this node adds to its parent's */
	uint8_t len;
	uint8_t n_children; /* children are sorted by their first character */
	uint16_t first_child;
	uint16_t first_pattern;
	uint16_t n_patterns;
};

struct name_table {
	const struct name_pattern *patterns;
	const struct name_node *nodes;
};

/* The best match so far: index of the pattern, and its score; both -1: none. */
struct name_match {
	int pattern;
	int score;
};

/*
 * Which patterns apply to functions of @space: bits as in name_pattern.spaces. Unknown space:
 * all.
 */
unsigned int name_table_spaces(enum symbol_space space);
/*
 * Find the line for a whole module. Cost: O(patterns at the root of the tree), which are lines
 * for modules and patterns with a leading wild card.
 */
struct name_match name_table_of_module(const struct name_table *t, struct str module,
				       unsigned int spaces);
/*
 * Match a function's name; @best is the match of its module. "SYS:read" in a table matches all
 * wrappers of the system call. Cost: about ten string comparisons; without a match, also one for
 * each pattern with a leading wild card.
 */
struct name_match name_table_of_name(const struct name_table *t, struct name_match best,
				     struct str name, struct str module, unsigned int spaces);

#endif
