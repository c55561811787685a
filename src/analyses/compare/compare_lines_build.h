/* SPDX-License-Identifier: MIT */
/*
 * compare_lines_build.h - state and functions that the files compare_lines*.c share; private to
 * them
 */
#ifndef ANALYSES_COMPARE_LINES_BUILD_H
#define ANALYSES_COMPARE_LINES_BUILD_H

#include "analyses/compare/compare_lines.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;
struct code;
struct code_function;

/* Identifies a line in both builds. `number` is the line in B, unless is_only_in_a. */
struct compare_lines_key {
	uint64_t offset;
	str_id file;
	uint32_t number;
	str_id inlined;
	bool is_only_in_a; /* B lacks the line; `number` is the line in A */
};

/* A source line with its text. In texts of A: also the matching line of B. */
struct compare_lines_text {
	str_id file;
	uint32_t number;
	str_id text;
	uint32_t match; /* only in texts of A: number of the matching line of B; 0: none */
};

struct compare_lines_side {
	const struct capture *capture;
	const struct code *code;
	/* listing of the function's own code; NULL: the function exists only inlined */
	const struct code_function *own;
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
	/* BY_NUMBER: number of the line in B minus number of the matching line in A */
	int64_t shift;
	/*
	 * BY_NUMBER: `shift` applies only to lines of this file that belong to the function itself
	 */
	str_id file;
	bool is_innermost; /* leave out functions that are inlined into the compared function */
	VEC(struct compare_lines_key) keys;
};

/* The next functions are in compare_lines_match.c. */
bool compare_lines_is_named(const struct compare_lines_side *s, sym_id sym, struct str name);
/* Whether row @i of the listing @f is an instruction of the compared function. */
bool compare_lines_has(const struct compare_lines_build *l, const struct compare_lines_side *s,
		       const struct code_function *f, uint32_t i);
/* Collect the texts of all source lines of a side, each once. */
void compare_lines_read_texts(struct compare_lines_side *s);
struct compare_lines_text *compare_lines_text_of(const struct compare_lines_side *s, str_id file,
						 uint32_t number);
/* Match the lines of all files. False: a file has too many lines. */
bool compare_lines_align(struct compare_lines_build *l);
/*
 * Index of the first instruction of @f at row @i or after it; if there is none, the index after the
 * last row of @f.
 */
uint32_t compare_lines_instruction(const struct code *code, const struct code_function *f,
				   uint32_t i);
/*
 * Compare the function's instructions of both sides one by one. False: they differ. With @set, copy
 * the keys of the rows of B to the matching rows of A.
 */
bool compare_lines_walk_code(struct compare_lines_build *l, bool set);
/*
 * Find the number of lines by which the whole function moved (shift). False: the builds do not have
 * code for the same lines. Then lines were added or removed, or the compiler optimized differently.
 */
bool compare_lines_find_shift(struct compare_lines_build *l);

#endif
