/* SPDX-License-Identifier: MIT */
/*
 * compat.h - the eleven columns of the legacy table, with its rules and defects
 *
 * The legacy table is the output of an older tool. These columns are computed by the rules of that
 * tool, so that such tables can be continued and verified. They are never mixed with the standard
 * metrics. The input is the raw source text, including comments, and call trees as GNU cflow prints
 * them.
 *
 *   c1  number of parameters; (void) counts 1; 0 if the function returns a pointer
 *   c2  1 + the number of if, else if, while, for, do, case, goto, && and || in
 *       the whole text; `else if` adds 2, `?:` adds 0
 *   c3  Halstead effort of the body; compat.c has the rules for tokens
 *   c4  whole days since the newest commit that changed how often the name
 *       occurs in the file (as `git log -S`)
 *   c5  deepest level at which cflow prints the function; the top is 1
 *   c6  number of lines that cflow prints below the function, with repetitions
 *   c7  number of lines that cflow prints below the function in its reversed
 *       output, which shows callers
 *   c8  number of lines that look like a variable declaration, between
 *       `word word(...) {` and the next '}'
 *   c9  number of lines that look like a variable declaration, elsewhere in the
 *       text; `goto out;` and `return x;` also look like one
 *   c10 maximum nesting of {} in the text
 *   c11 1.0, minus 0.2 for each of these: the body has over 50 lines; it has more
 *       than 3 `if`; c7 is over 5; it contains lock, unlock and free more than
 *       twice (also in longer words); it copies from or to user memory
 */
#ifndef METRICS_COMPAT_H
#define METRICS_COMPAT_H

#include "base/str.h"
#include "base/vec.h"

struct c_functions;
struct c_tokens;

#define COMPAT_COLUMNS 11u

struct compat_row {
	struct str name;   /* borrowed from the source text */
	uint32_t function; /* index in c_functions.items */
	/* c[1] to c[11]: columns c1 to c11; c[4] is NaN until history.c computes it */
	double c[COMPAT_COLUMNS + 1];
};

struct compat_table {
	/* functions whose body has at least 6 lines, in the order of the file */
	VEC(struct compat_row) rows;
	bool is_cut; /* call trees with recursion were too large: c5 to c7 are lower bounds */
};

/*
 * Compute the table of the file @t. Owner: caller, compat_fini(). Cost: O(length of the text *
 * number of names), plus the size of call trees with recursion, because these sizes cannot be
 * cached.
 */
void compat_init(struct compat_table *table, const struct c_tokens *t, const struct c_functions *f);
void compat_fini(struct compat_table *table);

#endif
