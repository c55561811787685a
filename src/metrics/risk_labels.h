/* SPDX-License-Identifier: MIT */
/*
 * risk_labels.h - how well an order of functions finds those that somebody labelled
 *
 * Positives are functions known to be bad (a vulnerability, a bug). The area
 * under the ROC curve is the chance that a positive stands before a negative,
 * ties counted half (Mann and Whitney 1947); its interval is Hanley's and
 * McNeil's (Radiology 143, 1982), 95 %. With few positives it is wide, and says
 * so: below LABELS_ENOUGH nothing is claimed.
 */
#ifndef METRICS_RISK_LABELS_H
#define METRICS_RISK_LABELS_H

#include "metrics/risk.h"

#define LABELS_ENOUGH 10u
#define LABELS_CUTS   4u

struct labels_cut {
	uint32_t k;    /* functions looked at, from the top */
	uint32_t hits; /* positives among them */
};

struct labels_result {
	uint32_t positives; /* functions of the tree that are labelled */
	uint32_t negatives;
	uint32_t unknown; /* labels that name no function of the tree */
	double auc;       /* NaN without positives or without negatives */
	double auc_low;
	double auc_high;
	struct labels_cut cuts[LABELS_CUTS]; /* top 10, 1 %, 5 %, 20 % */
};

/*
 * @text: a name a line, or `name label` with a label of 0 or 1; '#' begins a
 * remark. @keys[function]: larger is more at risk; NaN is last.
 */
void labels_evaluate(const struct risk_tree *t, struct str text, const double *keys,
		     struct labels_result *ret);

#endif
