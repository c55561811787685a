/* SPDX-License-Identifier: MIT */
/*
 * compare_lines.h - compare a function of two recordings by source line, or by instruction
 *
 * Both captures need samples with samples.code_row and a listing (capture.instructions). Each line
 * of the function becomes a row, and compare_profiles() compares the shares that these rows have of
 * the whole recordings. All its rules hold: overdispersion, many tests, margin.
 *
 * Two builds have different addresses, and an edit moves lines. Lines are matched by the first of
 * these that the data allows:
 *   code:   both builds have the same instructions, apart from numbers: the nth instruction of A
 *           is the nth of B, whatever their lines
 *   text:   both sources are readable and older than their programs: lines with equal texts, in
 *           the same order (longest common subsequence), are the same line
 *   number: both builds have code for the same lines, perhaps all moved by the same number of
 *           lines. A caution says so, because an edit may have exchanged lines
 * Otherwise the function is not compared.
 * Lines of functions that are inlined into the function are lines of these inlined functions. If
 * the function itself is inlined on a side, its lines are those of all its copies, and functions
 * inlined into it are left out on both sides.
 * Without lines, the same instructions are matched by their distance from the function's start.
 *
 * Cost: O(samples + rows), and O(lines of A * lines of B) for each source file. Pure.
 */
#ifndef ANALYSES_COMPARE_LINES_H
#define ANALYSES_COMPARE_LINES_H

#include "analyses/compare/compare.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;
struct dossier;

/* with more lines of one file on a side, lines are matched by number */
#define COMPARE_LINES_TEXTS 4000u

enum compare_lines_by {
	COMPARE_LINES_BY_CODE,
	COMPARE_LINES_BY_TEXT,
	COMPARE_LINES_BY_NUMBER,
	COMPARE_LINES_BY_ADDRESS,
};

/* A line or instruction of the function. */
struct compare_line {
	str_id file;            /* without folders; STR_ID_NONE: no line is known */
	uint32_t a_number;      /* line in A; 0: the line is only in B, or unknown */
	uint32_t b_number;      /* line in B; 0: the line is only in A, or unknown */
	str_id inlined;         /* function that is inlined there; STR_ID_NONE: none */
	uint64_t offset;        /* BY_ADDRESS: distance from the start of the function */
	str_id text;            /* source line or instruction, of B if it has one */
	double a_self, b_self;  /* in percent of the function */
	struct compare_row row; /* shares of the whole recordings; row.name is no name */
};

/* A zeroed struct is an empty result. */
struct compare_lines {
	struct str name;               /* canonical name of the function; borrowed */
	struct compare_row function;   /* shares of the function in the whole recordings */
	uint64_t samples_a, samples_b; /* samples in the function */
	enum compare_lines_by by;
	bool is_inlined; /* on a side the function is inlined: see above */
	bool is_changed; /* a source file changed after its program was built: texts may be wrong */
	VEC(struct compare_line) rows; /* those that differ first, then by size of the difference */
	struct compare all;            /* comparison of the rows: notes, level of tests, spread */
	struct dossier *made;          /* owns the names of `all` */
};

/*
 * Compare the function with the canonical name @name. spec->a and spec->b have one capture each, of
 * one dossier. Errors: ERR_UNSUPPORTED if the function cannot be compared, with a sentence. Owner
 * of @ret: caller, compare_lines_fini(), also on error.
 */
MUST_CHECK int compare_lines(const struct compare_spec *spec, struct str name,
			     struct compare_lines *ret, struct error *err);
void compare_lines_fini(struct compare_lines *l);

/* "code", "text", "number", "address" */
const char *compare_lines_by_name(enum compare_lines_by by);

/*
 * By what factor the number of samples must grow so that a difference as large as that of @row is
 * found 4 times of 5; NaN: unknown, or the row has no difference.
 */
double compare_line_needs(const struct compare_row *row);

#endif
