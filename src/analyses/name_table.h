/* SPDX-License-Identifier: MIT */
/*
 * name_table.h - look up patterns for function names and modules
 *
 * Tables are generated from .tsv files by tools/gen-name-table.py. Each line maps a pattern of
 * function names, and perhaps of modules, to a value. Patterns are stored in a radix tree by their
 * literal prefixes. So a single walk from the root finds all patterns that can match a name. Lines
 * for whole modules (pattern `*`) are at the root.
 *
 * If several patterns match, the order of precedence is: an exact name; a line for a kernel module;
 * the pattern with most literal characters; a line for a user module; the first line.
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
	/*
	 * if several patterns match, the highest score wins; if scores are equal, the first pattern
	 * wins
	 */
	uint16_t score;
	uint8_t value; /* value of the line: index of a category or role */
	/* symbol spaces of the functions to which the pattern applies. Bits: 1 kernel, 2 user */
	uint8_t spaces;
	uint8_t kind;
};

struct name_node {
	/* characters that this node adds to the prefix of its parent */
	const char *label;
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

/* The best match so far: index of its pattern, and its score; both are -1 if there is none. */
struct name_match {
	int pattern;
	int score;
};

/*
 * Bits of name_pattern.spaces for a function in @space: 1 kernel, 2 user. An unknown space has
 * both.
 */
unsigned int name_table_spaces(enum symbol_space space);
/*
 * Find the line of the table for all functions of @module. Cost: O(patterns at the root of the
 * tree), that is lines for modules and patterns that begin with a wild card.
 */
struct name_match name_table_of_module(const struct name_table *t, struct str module,
				       unsigned int spaces);
/*
 * Find the best pattern for a function. @best: the match of its module; it is returned unless a
 * better pattern matches @name. A pattern "SYS:read" matches all wrappers of the system call
 * read(). Cost: about ten string comparisons; without a match, one more for each pattern that
 * begins with a wild card.
 */
struct name_match name_table_of_name(const struct name_table *t, struct name_match best,
				     struct str name, struct str module, unsigned int spaces);

#endif
