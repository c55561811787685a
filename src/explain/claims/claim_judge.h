/* SPDX-License-Identifier: MIT */
/*
 * claim_judge.h - are claims true of recordings: true, false, or cannot tell A claim about
 * shares is about the program; the recording is a random sample of it. It is true (or false) if
 * the whole interval of the figure is on one side of the limit. The interval has chance exact
 * limits of Clopper and Pearson from the effective number of samples: unequal weights, bursts
 * measured by slices of time (COMPARE_DISPERSION if there are no times). CLAIM_ALPHA is divided
 * by the number of claims (Bonferroni): in at most that part of all recordings is any claim
 * judged wrongly;
 *   rounding    of printed figures;
 *   the unseen  samples without a function name, broken call chains, rows below the end of a
 *               table, lost samples: as if all of them were of the function, and none.
 * Counts, times and extremes of traces are facts of the recording; percentiles have limits from
 * order statistics.
 */
#ifndef EXPLAIN_CLAIM_JUDGE_H
#define EXPLAIN_CLAIM_JUDGE_H

#include "analyses/event_unit.h"
#include "base/status.h"
#include "base/str.h"
#include "explain/claims/claim.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct facts;

#define CLAIM_ALPHA      0.05
#define CLAIM_LINES_MAX  4u
#define CLAIM_TEXT_BYTES 320u
#define CLAIM_MOST       10000u /* claims at once */

enum claim_outcome { CLAIM_TRUE, CLAIM_FALSE, CLAIM_CANNOT_TELL };

struct claim_result {
	const struct claim *claim; /* borrowed */
	enum claim_outcome outcome;
	bool is_final; /* the outcome does not follow from the figure */
	bool has_figure;
	double value, low, high; /* in unit; high may be INFINITY */
	enum claim_unit unit;
	double n;                /* samples, calls or values that the figure is of; NaN: unknown */
	const char *n_of;        /* "samples", "calls", "values" */
	bool is_sampled;         /* the interval includes sampling error, not only hidden rows */
	char of[EVENT_UNIT_MAX]; /* "CPU time"; "": no share */
	uint32_t capture;        /* INDEX_NONE: none, or all */
	uint32_t lines[CLAIM_LINES_MAX]; /* of the input */
	unsigned int n_lines;
	char why[CLAIM_TEXT_BYTES];    /* of CLAIM_CANNOT_TELL, or more on the figure; "": none */
	char decide[CLAIM_TEXT_BYTES]; /* CLAIM_CANNOT_TELL: what would decide it; "": none */
};

struct claim_options {
	uint32_t capture;      /* only this one; INDEX_NONE: the one to which the claims apply */
	struct str event;      /* only captures of this event; STR_NONE: any */
	const bool *is_base;   /* by capture: of a file that claims compare with; NULL: none */
	bool is_recorded_only; /* about the recorded samples, not the program: without sampling
				  error */
};

/*
 * Judge @n claims about the captures of @f into @ret (an array of @n). Cost: O(samples + stack
 * nodes) a claim, and all rules once if a claim is about findings.
 */
void claim_judge(struct facts *f, const struct claim *claims, size_t n,
		 const struct claim_options *options, struct claim_result *ret);
/* "true", "false", "cannot tell" */
const char *claim_outcome_name(enum claim_outcome outcome);

#endif
