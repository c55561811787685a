/* SPDX-License-Identifier: MIT */
/*
 * risk_labels.h - how well a ranking of functions finds labelled ones
 *
 * Positives are functions known to be bad (a vulnerability, a bug). The area under the ROC
 * curve is the probability that a positive ranks above a negative, ties counting half (Mann and
 * Whitney 1947). Its 95 % interval is that of Hanley and McNeil (Radiology 143, 1982). With few
 * positives it is wide: below LABELS_ENOUGH no claim is made.
 */
#ifndef METRICS_RISK_LABELS_H
#define METRICS_RISK_LABELS_H

#include "base/str.h"
#include "metrics/risk.h"

#define LABELS_ENOUGH 10u
#define LABELS_CUTS   4u

struct labels_cut {
	uint32_t k;    /* number of top functions */
	uint32_t hits; /* positives among them */
};

struct labels_result {
	uint32_t positives; /* functions of the tree that are labelled */
	uint32_t negatives;
	uint32_t unknown; /* positive labels of functions that are not in the tree */
	double auc;       /* NaN without positives or negatives */
	double auc_low;
	double auc_high;
	struct labels_cut cuts[LABELS_CUTS]; /* top 10, 1 %, 5 %, 20 % */
};

/*
 * @text: one name per line, or `name label` or `name,label`; label 0 is negative, all others are
 * positive. '#' starts a comment.
 * @keys[function]: larger is riskier; NaN ranks last.
 */
void risk_labels_evaluate(const struct risk_tree *t, struct str text, const double *keys,
			  struct labels_result *ret);

#endif
