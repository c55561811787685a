/* SPDX-License-Identifier: MIT */
#include "core/kinds/distribution.h"

#include "base/limits.h"
#include "base/number.h"

void distribution_init(struct distribution *d)
{
	memset(d, 0, sizeof(*d));
}

void distribution_fini(struct distribution *d)
{
	VEC_FREE(&d->buckets);
	VEC_FREE(&d->series);
}

struct distribution_series *distribution_begin(struct distribution *d, str_id key, str_id unit,
					       uint32_t line)
{
	struct distribution_series *s = VEC_PUSH(&d->series);

	*s = (struct distribution_series){
		.key = key,
		.unit = unit,
		.first_bucket = (uint32_t)d->buckets.len,
		.line = line,
	};
	return s;
}

int distribution_add(struct distribution *d, double low, double high, uint64_t count, uint32_t line)
{
	struct distribution_series *s = &d->series.data[d->series.len - 1];

	if (d->buckets.len >= LIMIT_ROWS)
		return ERR_LIMIT;
	if (!(low <= high) || (s->n_buckets && low < d->buckets.data[d->buckets.len - 1].high))
		return ERR_FORMAT;
	*VEC_PUSH(&d->buckets) = (struct distribution_bucket){ low, high, count, line };
	s->n_buckets++;
	s->count = number_sum(s->count, count);
	return OK;
}
