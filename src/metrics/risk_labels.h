/* SPDX-License-Identifier: MIT */
/*
 * risk_labels.h - how well a ranking of functions finds labelled functions
 *
 * A positive is a function with a known vulnerability or bug; all others are negatives. The area
 * under the ROC curve is the probability that a positive has a higher rank than a negative; a tie
 * counts half (Mann and Whitney 1947). Its 95 % interval is by Hanley and McNeil (Radiology 143,
 * 1982). With few positives, the interval is wide. With fewer than LABELS_ENOUGH positives, assay
 * draws no conclusion.
 */
#ifndef METRICS_RISK_LABELS_H
#define METRICS_RISK_LABELS_H

#include "base/str.h"
#include "metrics/risk.h"

#define LABELS_ENOUGH 10u
#define LABELS_CUTS   4u

struct labels_cut {
	uint32_t k;    /* size of the top of the ranking: the k functions with the highest risk */
	uint32_t hits; /* number of positives among these k functions */
};

struct labels_result {
	uint32_t positives; /* number of functions of the tree with a positive label */
	uint32_t negatives;
	uint32_t unknown; /* number of positive labels for names that are not in the tree */
	/* area under the ROC curve; NaN if there are no positives or no negatives */
	double auc;
	double auc_low;
	double auc_high;
	/* results for the 10 functions, 1 %, 5 % and 20 % of functions with the highest risk */
	struct labels_cut cuts[LABELS_CUTS];
};

/*
 * Compare a ranking of functions with labels.
 *
 * @text: one function per line, as `name`, `name label` or `name,label`. A line with the label 0 is
 * ignored; the function on any other line is a positive. All other functions of the tree are
 * negatives. '#' starts a comment. @keys: keys[i] is the risk of function i; NaN ranks last.
 */
void risk_labels_evaluate(const struct risk_tree *t, struct str text, const double *keys,
			  struct labels_result *ret);

#endif
