/* SPDX-License-Identifier: MIT */
/* risk_labels.c - measure how well a ranking finds functions with a positive label (a known bug) */
#include "metrics/risk_labels.h"

#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"
#include "metrics/code/c_names.h"

#include <math.h>
#include <stdlib.h>

struct labels_item {
	double key;
	uint32_t row;
	bool is_positive;
};

static int labels_compare(const void *a, const void *b)
{
	const struct labels_item *x = a;
	const struct labels_item *y = b;

	if (x->key != y->key)
		return x->key > y->key ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/*
 * Collect the names of positives from lines `name`, `name label` or `name,label`. A line with the
 * label 0 is no positive.
 */
static void labels_read(struct str text, struct c_names *ret)
{
	struct str line;

	while (str_line(&text, &line)) {
		struct str s = str_trim(str_sub(line, 0, str_find_char(line, '#')));
		size_t n = 0;
		struct str label;

		while (n < s.len && !char_is_space(s.p[n]) && s.p[n] != ',')
			n++;
		label = str_trim(str_skip(s, n + (n < s.len)));
		if (n && !str_eq(label, STR("0")))
			c_names_add(ret, str_sub(s, 0, n));
	}
}

/*
 * Compute the 95 % confidence interval of the area, by Hanley and McNeil 1982, equations 1 and 2.
 */
static void labels_interval(struct labels_result *r)
{
	double a = r->auc;
	double q1 = a / (2 - a);
	double q2 = 2 * a * a / (1 + a);
	double np = r->positives;
	double nn = r->negatives;
	double se =
		sqrt((a * (1 - a) + (np - 1) * (q1 - a * a) + (nn - 1) * (q2 - a * a)) / (np * nn));

	r->auc_low = fmax(0, a - 1.959963984540054 * se);
	r->auc_high = fmin(1, a + 1.959963984540054 * se);
}

/* Compute the area under the ROC curve. @items: functions sorted by risk, highest first. */
static void labels_area(const struct labels_item *items, size_t n, struct labels_result *r)
{
	double pairs = 0;
	double negatives = 0; /* number of negatives before item i, that is with a higher risk */

	for (size_t i = 0, end; i < n; i = end) {
		double tied_positive = 0;
		double tied_negative = 0;

		for (end = i; end < n && items[end].key == items[i].key; end++) {
			tied_positive += items[end].is_positive;
			tied_negative += !items[end].is_positive;
		}
		pairs += tied_positive *
			 ((double)r->negatives - negatives - tied_negative + tied_negative / 2);
		negatives += tied_negative;
	}
	r->auc = r->auc_low = r->auc_high = NAN;
	if (r->positives && r->negatives) {
		r->auc = pairs / ((double)r->positives * (double)r->negatives);
		labels_interval(r);
	}
}

void risk_labels_evaluate(const struct risk_tree *t, struct str text, const double *keys,
			  struct labels_result *ret)
{
	size_t n = t->functions.len;
	struct labels_item *items = xcalloc(n + 1, sizeof(*items));
	struct c_names names = { 0 };
	VEC(uint8_t) is_met = VEC_INIT;
	size_t cuts[LABELS_CUTS] = { 10, (n + 99) / 100, (n + 19) / 20, (n + 4) / 5 };

	*ret = (struct labels_result){ 0 };
	labels_read(text, &names);
	for (size_t i = 0; i < names.names.len; i++)
		*VEC_PUSH(&is_met) = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = c_names_find(&names, t->functions.data[i].name);

		items[i] = (struct labels_item){ isnan(keys[i]) ? -INFINITY : keys[i], i,
						 id != UINT32_MAX };
		if (id != UINT32_MAX) {
			ret->positives++;
			is_met.data[id] = 1;
		}
	}
	for (size_t i = 0; i < is_met.len; i++)
		ret->unknown += !is_met.data[i];
	ret->negatives = (uint32_t)n - ret->positives;
	qsort(items, n, sizeof(*items), labels_compare);
	labels_area(items, n, ret);
	for (unsigned int c = 0; c < LABELS_CUTS; c++) {
		ret->cuts[c].k = (uint32_t)(cuts[c] < n ? cuts[c] : n);
		for (uint32_t i = 0; i < ret->cuts[c].k; i++)
			ret->cuts[c].hits += items[i].is_positive;
	}
	free(items);
	c_names_fini(&names);
	VEC_FREE(&is_met);
}
