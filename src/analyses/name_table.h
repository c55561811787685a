/* SPDX-License-Identifier: MIT */
/*
 * name_table.h - patterns of function names and modules, and what each stands for
 *
 * Tables are made from .tsv files by tools/gen-name-table.py. Patterns hang on a
 * radix tree of their literal prefixes: a name walks down once and meets all patterns
 * that can match it. Lines of a module alone (`*`) hang on its root.
 *
 * Of the patterns that match a name an exact one wins, then the line of its kernel
 * module, then the pattern with most literal characters, then the line of its user
 * module, then what stands first.
 */
#ifndef ANALYSES_NAME_TABLE_H
#define ANALYSES_NAME_TABLE_H

#include "core/symbols.h"

enum name_pattern_kind {
	PATTERN_EXACT,
	PATTERN_PREFIX, /* a literal and one '*' behind it */
	PATTERN_GLOB,
};

struct name_pattern {
	const char *pattern;
	const char *module; /* NULL: any */
	uint16_t score;     /* the highest wins, among equals the first */
	uint8_t value;      /* entry of the table of texts */
	uint8_t spaces;     /* 1 kernel, 2 user */
	uint8_t kind;
};

struct name_node {
	const char *label; /* letters from the parent on */
	uint8_t len;
	uint8_t n_children; /* in order of their first letters */
	uint16_t first_child;
	uint16_t first_pattern;
	uint16_t n_patterns;
};

struct name_table {
	const struct name_pattern *patterns;
	const struct name_node *nodes;
};

/* The best match so far: -1 for none. */
struct name_match {
	int pattern;
	int score;
};

/* Which patterns hold in @space: all for one that is not known. */
unsigned int name_table_spaces(enum symbol_space space);
/* The line of a whole module. Cost: O(lines of modules). */
struct name_match name_table_of_module(const struct name_table *t, struct str module,
				       unsigned int spaces);
/*
 * What beats @best, which is that of the module. "SYS:read" in a table stands for all wrappers
 * of the system call. Cost: about ten string compares.
 */
struct name_match name_table_of_name(const struct name_table *t, struct name_match best,
				     struct str name, struct str module, unsigned int spaces);

#endif
