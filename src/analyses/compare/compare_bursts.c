/* SPDX-License-Identifier: MIT */
/*
 * Find temporary changes. During one short part of its recording, a side spends more in a function
 * than the other side does; before and after this part, both spend the same.
 *
 * The recording is divided into BURST_SLICES slices of time. The excess of a slice is the
 * function's weight in it, minus the weight that the other side's share would give. The burst is
 * the sequence of slices with the largest sum of excesses (Kadane's algorithm). Then parts at its
 * start and end are removed if their excess is small compared with the mean of the sequence. A
 * program that always works in bursts has several such sequences, on either side. So a burst is
 * reported only if the second largest is much smaller.
 */
#include "analyses/compare/compare_build.h"

#include "analyses/compare/compare.h"
#include "analyses/compare/compare_names.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"

#include <math.h>

#define BURST_SLICES    48u
#define BURST_LONGEST   (BURST_SLICES / 4)
#define BURST_COUNT_MIN 20.0 /* minimum number of samples of the function in the burst */
/*
 * minimum excess in standard deviations; chance exceeds it in less than one of a million sequences
 * of slices
 */
#define BURST_Z_MIN 6.0
/*
 * in the rest of the recording, no sequence of slices may have a larger excess than this fraction
 * of the burst's excess
 */
#define BURST_OTHERS 0.25

struct burst_side {
	const struct compare_run *run;
	struct compare_walk walk;
	double *sum;              /* indexed by function: weight in the whole recording */
	double all[BURST_SLICES]; /* indexed by slice: weight of all samples */
	uint64_t first_ns, span_ns;
};

struct burst_row {
	double by_slice[2][BURST_SLICES];
	uint32_t function;
};

struct bursts {
	struct compare_build *b;
	struct burst_side side[2];
	VEC(struct burst_row) rows;
};

/* The time slices `from` to `to` - 1, and the sum of their excesses. */
struct burst_stretch {
	unsigned int from, to;
	double excess;
};

static void burst_side_init(struct burst_side *s, struct compare_build *b, int side,
			    uint32_t n_functions)
{
	const struct samples *samples = &b->runs[side][0].profile->samples;
	uint64_t last = 0;

	*s = (struct burst_side){ .run = &b->runs[side][0], .first_ns = UINT64_MAX };
	s->sum = xcalloc((size_t)n_functions + 1, sizeof(*s->sum));
	compare_walk_init(&s->walk, b, &b->runs[side][0], COMPARE_SYMBOL);
	compare_walk_add(&s->walk, NULL, 0, samples->n, s->sum, NULL, NULL, NULL);
	VEC_FOREACH (t, &samples->time_ns) {
		s->first_ns = *t < s->first_ns ? *t : s->first_ns;
		last = *t > last ? *t : last;
	}
	s->span_ns = last - s->first_ns;
}

/*
 * Select the functions whose shares differ by more than the margin. There are at most 2 / margin
 * such functions, because shares add up to 1 on each side.
 */
static void burst_rows(struct bursts *u, uint32_t n_functions, uint32_t *row_of)
{
	double margin = u->b->ret->margin / 100;

	for (uint32_t i = 0; i < n_functions; i++) {
		double a = u->side[0].sum[i] / u->side[0].run->total;
		double c = u->side[1].sum[i] / u->side[1].run->total;

		row_of[i] = INDEX_NONE;
		if (fabs(c - a) <= margin)
			continue;
		row_of[i] = (uint32_t)u->rows.len;
		*VEC_PUSH(&u->rows) = (struct burst_row){ .function = i };
	}
}

static void burst_cut(struct bursts *u, int side, const uint32_t *row_of)
{
	struct burst_side *s = &u->side[side];
	const struct samples *samples = &s->run->profile->samples;

	for (size_t i = 0; i < samples->n; i++) {
		double at = (double)(samples->time_ns.data[i] - s->first_ns) / (double)s->span_ns;
		unsigned int k = (unsigned int)fmin(at * BURST_SLICES, BURST_SLICES - 1);
		uint32_t f = s->walk.row[samples->stack.data[i].v];
		double weight = (double)samples->weight.data[i];

		s->all[k] += weight;
		if (f != INDEX_NONE && row_of[f] != INDEX_NONE)
			u->rows.data[row_of[f]].by_slice[side][k] += weight;
	}
}

/*
 * Among the slices @from to @to - 1, find the sequence with the largest excess. The excess of a
 * slice is @weight minus @share times @all.
 */
static struct burst_stretch burst_most(const double *weight, const double *all, double share,
				       unsigned int from, unsigned int to)
{
	struct burst_stretch best = { from, from, 0 }, now = best;

	for (unsigned int k = from; k < to; k++) {
		if (now.excess <= 0)
			now = (struct burst_stretch){ k, k, 0 };
		now.excess += weight[k] - share * all[k];
		now.to = k + 1;
		if (now.excess > best.excess)
			best = now;
	}
	return best;
}

static double burst_sum(const double *v, const struct burst_stretch *s)
{
	double sum = 0;

	for (unsigned int k = s->from; k < s->to; k++)
		sum += v[k];
	return sum;
}

/*
 * Whether the excess in the slices @w is too large to be chance. This must hold even if the other
 * side's true share is at the upper end of its interval.
 */
static bool burst_is_sure(const struct burst_side *s, const struct burst_side *other,
			  const struct burst_row *r, int side, const struct burst_stretch *w)
{
	double grain = s->run->total / s->run->samples;
	double count = burst_sum(r->by_slice[side], w) / grain;
	double all = burst_sum(s->all, w) / grain;
	double others = other->sum[r->function] * other->run->samples / other->run->total;
	double high = (others + BURST_Z_MIN * sqrt(others) + 1) / other->run->samples;

	return count >= BURST_COUNT_MIN && count - high * all >= BURST_Z_MIN * sqrt(high * all);
}

/* Whether the function has no other burst than @w, neither on this side nor on the other side. */
static bool burst_is_only(const struct bursts *u, const struct burst_row *r, int side, double share,
			  const struct burst_stretch *w)
{
	const struct burst_side *s = &u->side[side], *o = &u->side[!side];
	const double *weight = r->by_slice[side];
	double most = BURST_OTHERS * w->excess / s->run->total;
	double own = s->run->total * most;
	double total = s->sum[r->function] - share * s->run->total;
	double there = o->sum[r->function] / o->run->total;

	return burst_most(weight, s->all, share, 0, w->from).excess <= own &&
	       burst_most(weight, s->all, share, w->to, BURST_SLICES).excess <= own &&
	       burst_most(r->by_slice[!side], o->all, there, 0, BURST_SLICES).excess <=
		       most * o->run->total &&
	       fabs(w->excess - total) <= own;
}

/*
 * Whether the burst @w is short (at most BURST_LONGEST slices), and the recording after it is at
 * least as long and has at least the same weight.
 */
static bool burst_is_over(const struct burst_side *s, const struct burst_stretch *w)
{
	struct burst_stretch after = { w->to, BURST_SLICES, 0 };

	return w->to - w->from <= BURST_LONGEST && after.to - after.from >= w->to - w->from &&
	       burst_sum(s->all, &after) >= burst_sum(s->all, w);
}

static void burst_of(struct bursts *u, const struct burst_row *r)
{
	const struct compare_group *g = &u->b->names.functions.data[r->function];
	const struct strings *names = &u->b->names.strings;
	struct arena *arena = &u->b->ret->arena;
	double shares[2] = { u->side[0].sum[r->function] / u->side[0].run->total,
			     u->side[1].sum[r->function] / u->side[1].run->total };
	int side = shares[1] > shares[0];
	const struct burst_side *s = &u->side[side];
	double share = shares[!side], density;
	struct burst_stretch w = burst_most(r->by_slice[side], s->all, share, 0, BURST_SLICES);
	double step = (double)s->span_ns / 1e9 / BURST_SLICES;

	if (w.to == w.from)
		return;
	density = w.excess / burst_sum(s->all, &w);
	w = burst_most(r->by_slice[side], s->all, share + BURST_OTHERS * density, w.from, w.to);
	w.excess = burst_sum(r->by_slice[side], &w) - share * burst_sum(s->all, &w);
	if (!burst_is_over(s, &w) || !burst_is_sure(s, &u->side[!side], r, side, &w) ||
	    !burst_is_only(u, r, side, share, &w))
		return;
	*VEC_PUSH(&u->b->ret->bursts) = (struct compare_burst){
		.name = arena_str(arena, strings_get(names, g->name[g->name[0].v ? 0 : 1])),
		.dso = arena_str(arena, strings_get(names, g->dso[g->dso[0].v ? 0 : 1])),
		.is_in_b = side == 1,
		.points = 100 * w.excess / s->run->total,
		.from = w.from * step,
		.to = w.to * step,
		.seconds = (double)s->span_ns / 1e9,
	};
}

void compare_bursts(struct compare_build *b)
{
	struct bursts u = { .b = b };
	uint32_t n = compare_row_count(b, COMPARE_SYMBOL);
	CLEANUP(freep) uint32_t *row_of = NULL;

	if (b->spec->norm != COMPARE_TOTAL || !b->order[0] || !b->order[1])
		return;
	row_of = xcalloc((size_t)n + 1, sizeof(*row_of));
	for (int s = 0; s < 2; s++)
		burst_side_init(&u.side[s], b, s, n);
	burst_rows(&u, n, row_of);
	for (int s = 0; s < 2; s++)
		burst_cut(&u, s, row_of);
	VEC_FOREACH (r, &u.rows)
		burst_of(&u, r);
	for (int s = 0; s < 2; s++) {
		compare_walk_fini(&u.side[s].walk);
		free(u.side[s].sum);
	}
	VEC_FREE(&u.rows);
}
