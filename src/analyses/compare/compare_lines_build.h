/* SPDX-License-Identifier: MIT */
/* compare_lines_build.h - state that the parts of compare_lines() share; private to them */
#ifndef ANALYSES_COMPARE_LINES_BUILD_H
#define ANALYSES_COMPARE_LINES_BUILD_H

#include "analyses/compare/compare_lines.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;
struct code;
struct code_function;

/* What a row of the result stands for. Numbers of lines are those of B if the line has one there.
 */
struct compare_lines_key {
	uint64_t offset;
	str_id file;
	uint32_t number;
	str_id inlined;
	bool is_only_in_a; /* `number` is that of A, and B has no such line */
};

/* A source line with its text, and the line of B that it is. */
struct compare_lines_text {
	str_id file;
	uint32_t number;
	str_id text;
	uint32_t match; /* in texts of A: number of the same line in B; 0: none */
};

struct compare_lines_side {
	const struct capture *capture;
	const struct code *code;
	const struct code_function *own; /* the function itself; NULL: it is only inlined */
	size_t n_own;
	bool is_inlined;
	bool has_lines;
	VEC(struct compare_lines_text) texts; /* ascending by file and number */
	uint32_t *key_of; /* indexed by row of the listing: index in lines.keys, plus 1; 0: none */
};

struct compare_lines_build {
	struct str name;
	struct compare_lines_side sides[2];
	enum compare_lines_by by;
	int64_t shift;     /* BY_NUMBER: lines of A have smaller numbers by this in B … */
	str_id file;       /* … if they are of the function itself, in this file */
	bool is_innermost; /* only code of the function itself, without functions inlined into it */
	VEC(struct compare_lines_key) keys;
};

/* The next functions are in compare_lines_match.c. */
bool compare_lines_is_named(const struct compare_lines_side *s, sym_id sym, struct str name);
/* Does row @i of function @f count for the compared function? */
bool compare_lines_has(const struct compare_lines_build *l, const struct compare_lines_side *s,
		       const struct code_function *f, uint32_t i);
/* Collect the texts of all source lines of a side, each once. */
void compare_lines_read_texts(struct compare_lines_side *s);
struct compare_lines_text *compare_lines_text_of(const struct compare_lines_side *s, str_id file,
						 uint32_t number);
/* Match the lines of all files. False: a file has too many lines. */
bool compare_lines_align(struct compare_lines_build *l);
/* The next row of @f from @i on that is an instruction; the end of @f: there is none. */
uint32_t compare_lines_instruction(const struct code *code, const struct code_function *f,
				   uint32_t i);
/*
 * Walk the instructions of the function on both sides together. False: they differ. @set: give the
 * rows of A the keys of the rows of B.
 */
bool compare_lines_walk_code(struct compare_lines_build *l, bool set);
/*
 * Find out by how many lines the whole function moved: both builds then have code for the same
 * lines. False: they do not, so lines were added or removed in it, or are optimized differently.
 */
bool compare_lines_find_shift(struct compare_lines_build *l);

#endif
