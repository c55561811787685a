/* SPDX-License-Identifier: MIT */
/*
 * Add a reason if tables and listings of pprof in one text have different totals.
 *
 * `top` and `list` print the same total for the same values of one profile: "35.58GB total" and
 * "Total: 35.58GB". Totals that differ by more than rounding come from two profiles, or from two
 * values of one profile (memory in use, allocated memory).
 */
#include "analyses/quality/quality_reasons.h"

#include "analyses/event_unit.h"
#include "analyses/quality/quality.h"
#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/code.h"
#include "core/profile.h"

#include <math.h>

/* maximum relative change of a total by rounding: pprof prints three digits or more */
#define TOTALS_ROUNDING 0.005

enum totals_unit {
	TOTALS_NONE,
	TOTALS_BYTES,
	TOTALS_NS,
};

/*
 * Store the total that @c prints in *@ret, and return its unit. TOTALS_NONE: @c prints no total in
 * bytes or ns, or other outputs of the same tool for the same data do not print this total.
 */
static enum totals_unit totals_of(const struct capture *c, double *ret)
{
	const struct profile *p = c->profile;
	struct event_unit unit;

	*ret = 0;
	if (c->code && c->code->total > 0) {
		*ret = c->code->total;
		return c->code->unit == WEIGHT_BYTES ? TOTALS_BYTES
		       : c->code->unit == WEIGHT_NS  ? TOTALS_NS
						     : TOTALS_NONE;
	}
	if (!p || !p->has_event_count || !p->repeats_total)
		return TOTALS_NONE;
	*ret = (double)p->event_count;
	unit = event_unit_of(c);
	if (event_unit_is_bytes(&unit))
		return TOTALS_BYTES;
	return unit.kind == EVENT_TIME ? TOTALS_NS : TOTALS_NONE;
}

/* The total of @c as text in the arena of @q: "99.2 GiB in lines 4-17". */
static struct str totals_text(const struct capture *c, enum totals_unit unit, double total,
			      struct quality *q)
{
	static const char *const bytes[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	static const char *const times[] = { "ns", "µs", "ms", "s" };
	const char *const *units = unit == TOTALS_BYTES ? bytes : times;
	size_t n = unit == TOTALS_BYTES ? ARRAY_LEN(bytes) : ARRAY_LEN(times);
	double step = unit == TOTALS_BYTES ? 1024 : 1000;
	size_t i = 0;
	char text[96];
	int len;

	for (; i + 1 < n && total >= step; i++)
		total /= step;
	len = snprintf(text, sizeof(text), "%.*f %s in lines %u-%u",
		       total >= 100  ? 0
		       : total >= 10 ? 1
				     : 2,
		       total, units[i], c->first_line, c->last_line);
	return arena_str(&q->arena, (struct str){ text, (size_t)len });
}

void quality_totals(const struct capture *c, struct quality *q)
{
	double mine;
	enum totals_unit unit = totals_of(c, &mine);

	/* if @c prints no comparable total, there is no conflict */
	if (unit == TOTALS_NONE)
		return;
	VEC_FOREACH (at, &c->dossier->captures) {
		const struct capture *other = *at;
		double theirs;

		if (other == c || other->path.v != c->path.v || (!c->code && !other->code) ||
		    totals_of(other, &theirs) != unit ||
		    fabs(mine - theirs) <= TOTALS_ROUNDING * (mine + theirs))
			continue;
		if (other->first_line < c->first_line)
			quality_add(q, "other-total", QUALITY_CAUTION, mine, "", c->first_line,
				    "Two totals: " STR_FMT ", " STR_FMT
				    ". These are two profiles, or two values of one",
				    STR_ARG(totals_text(other, unit, theirs, q)),
				    STR_ARG(totals_text(c, unit, mine, q)));
		else
			quality_add(q, "other-total", QUALITY_CAUTION, mine, "", c->first_line,
				    "Two totals: " STR_FMT ", " STR_FMT
				    ". These are two profiles, or two values of one",
				    STR_ARG(totals_text(c, unit, mine, q)),
				    STR_ARG(totals_text(other, unit, theirs, q)));
		return;
	}
}
