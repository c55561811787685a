/* SPDX-License-Identifier: MIT */
/*
 * risk_rank.c - rank functions by the bins of LEOPARD (leopard.c), and by a score
 *
 * The score of a function is the mean of its percentile ranks for the metrics in risk_parts. So no
 * metric outweighs the others by its unit. A percentile rank is the share of functions with a
 * smaller value, in percent; functions with an equal value count half. It is 0 if the value is 0 or
 * missing.
 */
#include "metrics/risk.h"

#include "base/alloc.h"
#include "base/vec.h"

#include <math.h>

const uint16_t risk_parts[RISK_PARTS] = { CM_COGNITIVE, CM_LEOPARD_V3, CM_LEOPARD_V8, CM_LEOPARD_V2,
					  CM_UNCHECKED_COPIES };

struct rank_item {
	double key;
	double second;
	uint32_t row;
};

static int rank_compare(const void *a, const void *b)
{
	const struct rank_item *x = a;
	const struct rank_item *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->second != y->second)
		return x->second < y->second ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/*
 * Compute the bins and rounds of LEOPARD. A bin has the functions of equal complexity, sorted by
 * descending vulnerability (V). The first functions of all bins form round 1, the second ones round
 * 2, and so on.
 */
static void rank_leopard(struct risk_tree *t, struct rank_item *items)
{
	size_t n = t->functions.len;
	uint32_t first = 0; /* index in @items of the current bin's first function */

	for (uint32_t i = 0; i < n; i++) {
		struct risk_function *f = &t->functions.data[i];
		double v = 0;

		for (unsigned int k = CM_LEOPARD_V1; k <= CM_LEOPARD_V11; k++)
			v += f->m[k];
		f->m[RM_LEOPARD_V] = v;
		f->m[RM_LEOPARD_BIN] = f->m[CM_LEOPARD_C1] + f->m[CM_LOOPS] +
				       f->m[CM_NESTED_LOOPS] + f->m[CM_LOOP_NESTING];
		items[i] = (struct rank_item){ f->m[RM_LEOPARD_BIN], -v, i };
		if (isnan(f->m[RM_LEOPARD_BIN]))
			items[i].key = items[i].second = -1;
	}
	qsort(items, n, sizeof(*items), rank_compare);
	for (uint32_t i = 0; i < n; i++) {
		struct risk_function *f = &t->functions.data[items[i].row];

		if (i == 0 || items[i].key != items[i - 1].key)
			first = i;
		if (items[i].key < 0)
			continue;
		f->m[RM_LEOPARD_K] = i - first + 1;
		if (i > first && items[i].second == items[i - 1].second)
			f->m[RM_LEOPARD_K] = t->functions.data[items[i - 1].row].m[RM_LEOPARD_K];
	}
}

static void rank_part(struct risk_tree *t, struct rank_item *items, unsigned int part)
{
	size_t n = t->functions.len;

	for (uint32_t i = 0; i < n; i++) {
		double v = t->functions.data[i].m[risk_parts[part]];

		items[i] = (struct rank_item){ isnan(v) ? -1 : v, 0, i };
	}
	qsort(items, n, sizeof(*items), rank_compare);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && items[end].key == items[i].key; end++)
			;
		for (size_t k = i; k < end; k++) {
			/*
			 * a value of 0 is no risk, so its rank is 0 even if many functions share it
			 */
			double share = items[i].key <= 0 ? 0
							 : ((double)i + (double)(end - i) / 2) /
								   (double)n * 100;

			t->functions.data[items[k].row].parts[part] = (float)share;
		}
	}
}

void risk_rank(struct risk_tree *t)
{
	size_t n = t->functions.len;
	struct rank_item *items = xcalloc(n + 1, sizeof(*items));
	uint32_t rank = 0;

	rank_leopard(t, items);
	for (unsigned int p = 0; p < RISK_PARTS; p++)
		rank_part(t, items, p);
	for (uint32_t i = 0; i < n; i++) {
		struct risk_function *f = &t->functions.data[i];
		double sum = 0;

		for (unsigned int p = 0; p < RISK_PARTS; p++)
			sum += (double)f->parts[p];
		f->m[RM_SCORE] = sum / RISK_PARTS;
		items[i] = (struct rank_item){ -f->m[RM_SCORE], -f->m[CM_COGNITIVE], i };
		if (isnan(items[i].second))
			items[i].second = 0;
	}
	qsort(items, n, sizeof(*items), rank_compare);
	VEC_RESERVE(&t->by_rank, n);
	for (uint32_t i = 0; i < n; i++) {
		if (i == 0 || items[i].key != items[i - 1].key)
			rank = i + 1;
		t->functions.data[items[i].row].rank = rank;
		*VEC_PUSH(&t->by_rank) = items[i].row;
	}
	free(items);
}
