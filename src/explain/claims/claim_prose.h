/* SPDX-License-Identifier: MIT */
/*
 * claim_prose.h - figures in prose that name a function of a capture
 *
 * "Some 27 % of CPU time is in `memcpy`": a share, a duration or a number with the function that
 * it is about, by the words between them. The figure of the text is compared with the recorded one,
 * as printed: this is no claim about the program, so there is no chance in it. A share may be the
 * one with or without callees, a duration the sum, the mean, a percentile or an extreme.
 * Sentences that compare (before, faster, from ... to) may be about other recordings: such a
 * figure is right or nobody can tell.
 */
#ifndef EXPLAIN_CLAIM_PROSE_H
#define EXPLAIN_CLAIM_PROSE_H

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"
#include "explain/claims/claim.h"

struct claim_result;
struct facts;

#define CLAIM_PROSE_MAX 10000u /* figures; further ones are left out */

/* A figure of the text. */
struct claim_said {
	struct claim claim; /* text: "memcpy 26.8 % (line 12)" */
	double value;       /* percent, ns, or a number */
	double tolerance;   /* by its digits and words such as "about" */
	double digit;       /* value of its last digit, which may be cut off; 0: of a range */
	uint32_t line;
	bool is_hedged_low;  /* "more than": this or more */
	bool is_hedged_high; /* "up to" */
	bool is_compared;    /* the sentence is about a change */
	bool is_round;       /* "20 %", "100 us": how it was rounded is unknown */
};

struct claim_prose {
	VEC(struct claim_said) said;
	struct claim_result *results; /* by said */
	struct arena arena;
};

/*
 * Find figures in @text and judge them by the captures of @f. Lines of @path that belong to a
 * capture are no prose. Owner of @ret: caller, claim_prose_fini(). Cost: O(bytes + figures *
 * captures * samples).
 */
void claim_prose_judge(struct facts *f, struct str text, struct str path, struct claim_prose *ret);
void claim_prose_fini(struct claim_prose *p);

#endif
