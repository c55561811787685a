/* SPDX-License-Identifier: MIT */
/*
 * claim_part.c - "share(latency > 10ms)": the part of all values that is beyond a limit
 *
 * A value may be known only within bounds: the bucket of a histogram, a duration minus the tracing
 * overhead, a printed figure. The part then has bounds, too: some values are certainly beyond the
 * limit, and others may be. Calls and values of histograms are a random sample, so the limits of
 * Clopper and Pearson widen these bounds. Intervals of a counter are not a random sample.
 */
#include "analyses/compare/stats_compare.h"
#include "base/stats.h"
#include "base/status.h"
#include "explain/claims/claim.h"
#include "explain/claims/claim_build.h"
#include "explain/claims/claim_judge.h"

#include <math.h>
#include <stdio.h>

void claim_part_add(const struct claim *c, const struct claim_bounds *value, double weight,
		    struct claim_part *part)
{
	double limit = c->beyond;
	bool is_surely, may_be;

	switch (c->beyond_compare) {
	case CLAIM_LESS:
		is_surely = value->high < limit || (value->is_open && value->high <= limit);
		may_be = value->low < limit;
		break;
	case CLAIM_AT_MOST:
		is_surely = value->high <= limit;
		may_be = value->low <= limit;
		break;
	case CLAIM_MORE:
		is_surely = value->low > limit;
		may_be = value->high > limit;
		break;
	default:
		is_surely = value->low >= limit;
		may_be = value->high > limit || (!value->is_open && value->high >= limit);
		break;
	}
	part->n += weight;
	part->surely += is_surely ? weight : 0;
	part->perhaps += may_be ? weight : 0;
}

void claim_part_figure(const struct claim_state *s, const struct claim_part *part, bool is_sampled,
		       const char *n_of, const char *decide, struct claim_result *r)
{
	bool is_chance = is_sampled && !s->options->is_recorded_only;

	r->has_figure = true;
	r->unit = CLAIM_PERCENT;
	r->n = part->n;
	r->n_of = n_of;
	r->is_sampled = is_chance;
	r->low = 100 * part->surely / part->n;
	r->high = 100 * part->perhaps / part->n;
	r->value = (r->low + r->high) / 2;
	if (is_chance) {
		r->low = 100 * stats_exact_limits(part->surely, part->n, s->alpha).low;
		r->high = 100 * stats_exact_limits(part->perhaps, part->n, s->alpha).high;
	}
	(void)snprintf(r->of, sizeof(r->of), "all %s", n_of);
	if (part->perhaps > part->surely) {
		(void)snprintf(r->why, sizeof(r->why),
			       "%.4g %% of the %s are certainly beyond the inner limit, up to %.4g "
			       "%% may be",
			       100 * part->surely / part->n, n_of, 100 * part->perhaps / part->n);
		(void)snprintf(r->decide, sizeof(r->decide), "%s", decide);
	}
}
