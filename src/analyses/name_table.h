/* SPDX-License-Identifier: MIT */
/*
 * name_table.h - look-up of patterns for function names and modules
 *
 * Tables are generated from .tsv files by tools/gen-name-table.py. Patterns are in a radix tree
 * of their literal prefixes: one walk down meets all patterns that can match a name. Lines for
 * a module alone (`*`) are at its root.
 *
 * Priority among matching patterns: an exact name, the line of its kernel module, the pattern
 * with most literal characters, the line of its user module, the first line.
 */
#ifndef ANALYSES_NAME_TABLE_H
#define ANALYSES_NAME_TABLE_H

#include "base/str.h"
#include "core/symbols.h"

enum name_pattern_kind {
	PATTERN_EXACT,
	PATTERN_PREFIX, /* a literal followed by one '*' */
	PATTERN_GLOB,
};

struct name_pattern {
	const char *pattern;
	const char *module; /* NULL: any */
	uint16_t score;     /* the highest wins, among equals the first */
	uint8_t value;      /* index in the table of texts */
	uint8_t spaces;     /* 1 kernel, 2 user */
	uint8_t kind;
};

struct name_node {
	const char *label; /* characters below the parent */
	uint8_t len;
	uint8_t n_children; /* sorted by first character */
	uint16_t first_child;
	uint16_t first_pattern;
	uint16_t n_patterns;
};

struct name_table {
	const struct name_pattern *patterns;
	const struct name_node *nodes;
};

/* The best match so far; -1: none. */
struct name_match {
	int pattern;
	int score;
};

/* Bits of pattern spaces that apply to @space; all for an unknown one. */
unsigned int name_table_spaces(enum symbol_space space);
/*
 * Match the line of a whole module. Cost: O(patterns at the root of the tree), modules and
 * endings alike.
 */
struct name_match name_table_of_module(const struct name_table *t, struct str module,
				       unsigned int spaces);
/*
 * Match a name; @best is the match of its module. "SYS:read" in a table matches all wrappers of
 * the system call. Cost: about ten string comparisons; without a match, also one for each
 * pattern that begins with a wild card.
 */
struct name_match name_table_of_name(const struct name_table *t, struct name_match best,
				     struct str name, struct str module, unsigned int spaces);

#endif
