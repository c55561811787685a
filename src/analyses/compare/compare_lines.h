/* SPDX-License-Identifier: MIT */
/*
 * compare_lines.h - compare a function of two recordings by source line, or by instruction
 *
 * Both captures need samples with samples.code_row, and a listing (capture.instructions). Each line
 * of the function becomes a row. compare_profiles() compares the shares of the rows in the whole
 * recordings. Its methods apply: overdispersion, correction for many tests, margin.
 *
 * Two builds have different addresses, and an edit moves lines. Lines are matched by the first
 * possible method:
 *   code:    both builds have the same instructions, apart from numbers. The nth instruction of A
 *            matches the nth of B, even if their line numbers differ
 *   text:    both sources are readable and older than their programs. Lines match if they have the
 *            same text and order (longest common subsequence)
 *   number:  both builds have code for the same lines, perhaps all moved by the same number of
 *            lines. The output warns, because an edit may have exchanged lines
 *   address: the debug information lacks lines, but both builds have the same instructions, apart
 *            from numbers. Instructions match if their distance from the function's start is equal
 * Otherwise the function is not compared.
 *
 * Lines of other functions that are inlined into the function count as lines of those functions. If
 * the function itself is inlined on a side, its lines are those of all its copies. Functions that
 * are inlined into it are then left out on both sides.
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

/* if a file has more lines on a side, lines are matched by number */
#define COMPARE_LINES_TEXTS 4000u

enum compare_lines_by {
	COMPARE_LINES_BY_CODE,
	COMPARE_LINES_BY_TEXT,
	COMPARE_LINES_BY_NUMBER,
	COMPARE_LINES_BY_ADDRESS,
};

/* A line or instruction of the function. */
struct compare_line {
	str_id file;       /* file name without folders; STR_ID_NONE: the line is unknown */
	uint32_t a_number; /* line in A; 0: the line is only in B, or unknown */
	uint32_t b_number; /* line in B; 0: the line is only in A, or unknown */
	/*
	 * inlined function to which the line belongs; STR_ID_NONE: the line is the function's own
	 */
	str_id inlined;
	uint64_t offset; /* BY_ADDRESS: distance from the start of the function */
	/* source line or instruction; the text of B if B has it, else that of A */
	str_id text;
	double a_self, b_self; /* in percent of the function */
	/*
	 * shares of the line in the whole recordings; row.name is a key of compare_lines.c, not a
	 * text for users
	 */
	struct compare_row row;
};

/* A zeroed struct is an empty result. */
struct compare_lines {
	/* canonical name of the function; borrowed from the caller */
	struct str name;
	struct compare_row function;   /* shares of the function in the whole recordings */
	uint64_t samples_a, samples_b; /* samples in the function */
	enum compare_lines_by by;
	/* the function is inlined on a side, so `rows` omits functions inlined into it */
	bool is_inlined;
	bool is_changed; /* a source file changed after its program was built: texts may be wrong */
	/*
	 * first the lines that differ, then the others; within each group, the largest difference
	 * first
	 */
	VEC(struct compare_line) rows;
	/* comparison of the rows: notes, significance level, spread */
	struct compare all;
	struct dossier *made; /* owns the names of `all` */
};

/*
 * Compare the function with the canonical name @name. spec->a and spec->b have one capture each, of
 * the same dossier. Errors: ERR_UNSUPPORTED with a message if the function cannot be compared.
 * Owner of @ret: caller, compare_lines_fini(), also on error.
 */
MUST_CHECK int compare_lines(const struct compare_spec *spec, struct str name,
			     struct compare_lines *ret, struct error *err);
void compare_lines_fini(struct compare_lines *l);

/* Name of the method in JSON: "code", "text", "number", "address". */
const char *compare_lines_by_name(enum compare_lines_by by);

/*
 * Factor by which the number of samples must grow to find the difference of @row in 4 of 5
 * comparisons. NaN: unknown, or the row has no difference.
 */
double compare_line_needs(const struct compare_row *row);

#endif
