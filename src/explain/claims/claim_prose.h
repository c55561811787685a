/* SPDX-License-Identifier: MIT */
/*
 * claim_prose.h - check figures in prose that name a function of a capture
 *
 * "Some 27 % of CPU time is in `memcpy`" has a share; prose can also have a duration or a number.
 * The words between figure and name show which function the figure is about. The figure is compared
 * with the recorded figure as assay prints it. The check is about the recording, not the program,
 * so there is no sampling error.
 *
 * A share may be without or with callees. A duration may be a sum, a mean, a percentile or an
 * extreme. A sentence that compares (before, faster, from ... to) may be about another recording.
 * Its figures are judged true or cannot tell, never false.
 */
#ifndef EXPLAIN_CLAIM_PROSE_H
#define EXPLAIN_CLAIM_PROSE_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "explain/claims/claim.h"

struct claim_result;
struct facts;

#define CLAIM_PROSE_MAX 10000u /* maximum number of figures; further ones are ignored */

/* A figure in prose. */
struct claim_said {
	struct claim claim; /* claim.text: "line 12: Some 27 % of CPU time is in memcpy" */
	double value;       /* the figure in percent or ns, or a plain number */
	/*
	 * a recorded value matches if it differs from `value` by at most this. It depends on the
	 * digits of the figure and on words such as "about".
	 */
	double tolerance;
	/*
	 * one unit of the last digit, 0.1 for "26.8", because the writer may have truncated 26.89;
	 * 0: the figure is a range
	 */
	double digit;
	uint32_t line;
	bool is_hedged_low;  /* "more than": any larger value matches */
	bool is_hedged_high; /* "up to": any smaller value matches */
	bool is_compared;    /* the sentence may be about another recording */
	/* the figure ends in zeros ("20 %", "100 us"), which may come from rounding */
	bool is_round;
};

struct claim_prose {
	VEC(struct claim_said) said;
	struct claim_result *results; /* results[i] is the result for said[i] */
	struct arena arena;
};

/*
 * Find figures in @text, the contents of the file @path, and judge them by the captures of @f.
 * Lines that belong to a capture are data, not prose. Owner of @ret: caller, claim_prose_fini().
 * Cost: O(bytes + figures * captures * samples).
 */
void claim_prose_judge(struct facts *f, struct str text, struct str path, struct claim_prose *ret);
void claim_prose_fini(struct claim_prose *p);

#endif
