/* SPDX-License-Identifier: MIT */
/*
 * claim_judge.h - judge claims about recordings: true, false, or cannot tell
 *
 * A claim about shares is about the program, and the recording is a random sample of the program.
 * The claim is true (or false) if all values in the interval of the figure satisfy (or violate) it.
 * The interval covers three kinds of error:
 *
 *   sampling    Exact limits of Clopper and Pearson for the effective number of samples. This
 *               number is smaller if weights are unequal, or if functions run in bursts. Bursts
 *               are measured by slices of time; without times, COMPARE_DISPERSION is assumed.
 *   rounding    Printed figures are rounded.
 *   the unseen  Samples without a function name, broken call chains, rows that a table does not
 *               print, lost samples. Either none or all of them may belong to the function.
 *
 * The probability that any of the claims is judged wrongly is at most CLAIM_ALPHA (0 to 1). For one
 * claim, it is at most CLAIM_ALPHA divided by the number of claims (Bonferroni). Counts, times and
 * extremes of traces are facts of the recording. Percentiles have limits from order statistics.
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
#define CLAIM_MOST       10000u /* maximum number of claims per call */

enum claim_outcome { CLAIM_TRUE, CLAIM_FALSE, CLAIM_CANNOT_TELL };

struct claim_result {
	const struct claim *claim; /* the judged claim; borrowed */
	enum claim_outcome outcome;
	/* the outcome does not follow from comparing the figure with the limit */
	bool is_final;
	bool has_figure;
	/* figure and its interval, in the unit of member `unit`; high may be INFINITY */
	double value, low, high;
	enum claim_unit unit;
	/* number of samples, calls or values from which the figure was computed; NaN: unknown */
	double n;
	const char *n_of; /* what n counts: "samples", "calls", "values" */
	/* the interval includes sampling error; false: it only includes rounding and hidden rows */
	bool is_sampled;
	/* name of the total of a share: "CPU time"; "": the figure is no share */
	char of[EVENT_UNIT_MAX];
	/* index of the capture that has the figure; INDEX_NONE: none, or all captures */
	uint32_t capture;
	uint32_t lines[CLAIM_LINES_MAX]; /* lines of the input that show the figure */
	unsigned int n_lines;
	/* the reason for CLAIM_CANNOT_TELL, or a remark on the figure; "": none */
	char why[CLAIM_TEXT_BYTES];
	/* for CLAIM_CANNOT_TELL: the recording or claim that would decide; "": none */
	char decide[CLAIM_TEXT_BYTES];
};

struct claim_options {
	/*
	 * capture that must answer all claims; INDEX_NONE: for each claim, find the capture that
	 * can answer
	 */
	uint32_t capture;
	/* only captures of this event may answer; STR_NONE: captures of any event */
	struct str event;
	/* is_base[i]: capture i is a base capture of comparisons; NULL: there are none */
	const bool *is_base;
	/* judge the recorded samples instead of the program: there is no sampling error */
	bool is_recorded_only;
};

/*
 * Judge @n claims about the captures of @f. @ret: an array of @n results. Cost: O(samples + stack
 * nodes) per claim; if a claim is about findings, all rules run once.
 */
void claim_judge(struct facts *f, const struct claim *claims, size_t n,
		 const struct claim_options *options, struct claim_result *ret);
/* The name of an outcome: "true", "false", "cannot tell". */
const char *claim_outcome_name(enum claim_outcome outcome);

#endif
