/* SPDX-License-Identifier: MIT */
/*
 * Estimate the overdispersion, the variance relative to that of independent samples, from runs or
 * from time slices.
 *
 * Let y be the weight of a row in a slice, x the total weight of the slice, X the total weight of
 * all slices, and p the row's share of X. The row's deviation in a slice is e = y - p x. The
 * variance of p is m / (m - 1) times the sum of (e / X)² over all m slices. The slices of two sides
 * are paired in order of time, so that phases of both programs cancel in the difference. If there
 * are no common phases, pairing changes only the degrees of freedom. Slices must be longer than the
 * bursts of work in them. So if half as many slices give a clearly larger variance, half as many
 * are used.
 */
#include "analyses/compare/compare_build.h"

#include "analyses/compare/compare.h"
#include "analyses/compare/stats_compare.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/profile.h"

#include <math.h>

#define SPREAD_SLICES     48u
#define SPREAD_SLICES_MIN 12u
#define SPREAD_PER_SLICE  6u /* minimum mean number of samples in a slice */
/* slices are long enough if doubling their length raises the variance by less than this factor */
#define SPREAD_GROWTH 1.15
/* rows with fewer samples are not used for the mean overdispersion of all rows */
#define SPREAD_COUNT_MIN 12.0

static bool spread_has_times(const struct compare_build *b, int side)
{
	const struct compare_run *r = &b->runs[side][0];

	return b->n_runs[side] == 1 && r->from_samples && r->seconds > 0 &&
	       r->profile->samples.n >= (size_t)SPREAD_SLICES_MIN * SPREAD_PER_SLICE;
}

/* Sort the sample indices of a side with one run by time slice. */
static void spread_cut(struct compare_build *b, int side)
{
	const struct samples *s = &b->runs[side][0].profile->samples;
	CLEANUP(freep) uint8_t *slice = xmalloc(s->n + 1);
	size_t *start = xcalloc(b->n_slices + 2, sizeof(*start));
	size_t *next = xcalloc(b->n_slices + 2, sizeof(*next));
	uint64_t first = UINT64_MAX, last = 0;

	VEC_FOREACH (t, &s->time_ns) {
		first = *t < first ? *t : first;
		last = *t > last ? *t : last;
	}
	for (size_t i = 0; i < s->n; i++) {
		double at = (double)(s->time_ns.data[i] - first) / (double)(last - first);
		unsigned int k = (unsigned int)(at * b->n_slices);

		slice[i] = (uint8_t)(k >= b->n_slices ? b->n_slices - 1 : k);
		start[slice[i] + 1]++;
	}
	for (unsigned int k = 0; k < b->n_slices; k++)
		start[k + 1] += start[k];
	memcpy(next, start, (b->n_slices + 1) * sizeof(*next));
	free(b->order[side]);
	free(b->slice_start[side]);
	b->order[side] = xmalloc((s->n + 1) * sizeof(uint32_t));
	b->slice_start[side] = start;
	for (size_t i = 0; i < s->n; i++)
		b->order[side][next[slice[i]]++] = (uint32_t)i;
	free(next);
}

/* One side's time slices. Slice k of both sides form a pair. */
struct spread_side {
	struct compare_walk walk;
	const struct compare_run *run;
	const struct compare_cells *cells;
	/* indexed by row: sum of the weights in the current slice; zero again after the slice */
	double *sum;
	/*
	 * indexed by slice: the slice's fraction of the side's total weight, or of the anchor
	 * function's weight
	 */
	double *share;
	compare_list touched;
	bool is_used;
};

static double spread_exposure(const struct compare_build *b, int side, unsigned int k)
{
	const struct compare_run *r = &b->runs[side][0];
	const struct samples *s = &r->profile->samples;
	double sum = 0;

	if (b->spec->norm == COMPARE_SECOND || b->spec->norm == COMPARE_REQUEST ||
	    (r->profile->left_out && !r->has_anchor))
		return 1.0 / b->n_slices;
	for (size_t i = b->slice_start[side][k]; i < b->slice_start[side][k + 1]; i++) {
		uint32_t at = b->order[side][i];

		if (!r->has_anchor || r->has_anchor[s->stack.data[at].v])
			sum += (double)s->weight.data[at];
	}
	return sum / (r->has_anchor ? r->anchor : r->total);
}

static void spread_side_init(struct spread_side *s, struct compare_build *b, int side,
			     enum compare_level level, const struct compare_cells *cells,
			     uint32_t n_rows)
{
	*s = (struct spread_side){ .is_used = b->order[side] != NULL };
	if (!s->is_used)
		return;
	s->run = &b->runs[side][0];
	s->cells = cells;
	compare_walk_init(&s->walk, b, &b->runs[side][0], level);
	s->sum = xcalloc((size_t)n_rows + 1, sizeof(double));
	s->share = xcalloc(b->n_slices, sizeof(double));
	s->touched.data = xcalloc((size_t)n_rows + 1, sizeof(uint32_t));
	for (unsigned int k = 0; k < b->n_slices; k++)
		s->share[k] = spread_exposure(b, side, k);
}

static void spread_side_fini(struct spread_side *s)
{
	if (!s->is_used)
		return;
	compare_walk_fini(&s->walk);
	free(s->sum);
	free(s->share);
	free(s->touched.data);
}

static double spread_expected(const struct spread_side *s, uint32_t row, unsigned int k)
{
	return s->is_used ? s->cells->value[row] * s->share[k] : 0;
}

static double spread_seen(const struct spread_side *s, uint32_t row)
{
	return s->is_used ? compare_value(s->run, s->sum[row]) : 0;
}

/*
 * Correct squares[row] for slice @k (e: weight in the slice minus expected weight). squares[row]
 * was computed as if the row had no weight in any slice. Replace the e² of this slice by the e² of
 * the actual weight.
 */
static void spread_row(const struct spread_side side[2], uint32_t row, unsigned int k,
		       double *squares)
{
	double none = spread_expected(&side[0], row, k) - spread_expected(&side[1], row, k);
	double e = none + spread_seen(&side[1], row) - spread_seen(&side[0], row);

	squares[row] += e * e - none * none;
}

/*
 * For each row, sum e² over all slices (e: weight minus expected weight). Most rows have no weight
 * in most slices. So first assume no weight in any slice, then correct the slices with weight.
 * Cost: O(samples + rows), for any number of slices.
 */
static void spread_squares(struct compare_build *b, struct spread_side side[2], uint32_t n_rows,
			   double *squares)
{
	double aa = 0, ab = 0, bb = 0;

	for (unsigned int k = 0; k < b->n_slices; k++) {
		double fa = side[0].is_used ? side[0].share[k] : 0;
		double fb = side[1].is_used ? side[1].share[k] : 0;

		aa += fa * fa;
		ab += fa * fb;
		bb += fb * fb;
	}
	for (uint32_t i = 0; i < n_rows; i++) {
		double pa = side[0].is_used ? side[0].cells->value[i] : 0;
		double pb = side[1].is_used ? side[1].cells->value[i] : 0;

		squares[i] = pa * pa * aa - 2 * pa * pb * ab + pb * pb * bb;
	}
	for (unsigned int k = 0; k < b->n_slices; k++) {
		for (int i = 0; i < 2; i++) {
			side[i].touched.len = 0;
			if (side[i].is_used)
				compare_walk_add(&side[i].walk, b->order[i], b->slice_start[i][k],
						 b->slice_start[i][k + 1], side[i].sum, NULL, NULL,
						 &side[i].touched);
		}
		for (size_t i = 0; i < side[0].touched.len; i++)
			spread_row(side, side[0].touched.data[i], k, squares);
		for (size_t i = 0; i < side[1].touched.len; i++) {
			uint32_t row = side[1].touched.data[i];

			if (!side[0].is_used || side[0].sum[row] == 0)
				spread_row(side, row, k, squares);
		}
		for (int s = 0; s < 2; s++) {
			for (size_t i = 0; i < side[s].touched.len; i++)
				side[s].sum[side[s].touched.data[i]] = 0;
		}
	}
}

/*
 * Compute the overdispersion of each row from slices: the variance between slices, divided by that
 * of independent samples. NaN: the variance of independent samples is 0 or unknown.
 */
static void spread_by_slices(struct compare_build *b, enum compare_level level,
			     const struct compare_cells *a, const struct compare_cells *c,
			     uint32_t n_rows, double *ratio)
{
	struct spread_side side[2];
	double m = b->n_slices;

	spread_side_init(&side[0], b, 0, level, a, n_rows);
	spread_side_init(&side[1], b, 1, level, c, n_rows);
	spread_squares(b, side, n_rows, ratio);
	for (uint32_t i = 0; i < n_rows; i++) {
		double independent = (side[0].is_used ? a->variance[i] : 0) +
				     (side[1].is_used ? c->variance[i] : 0);

		ratio[i] = independent > 0 ? fmax(0, ratio[i]) * m / (m - 1) / independent : NAN;
	}
	spread_side_fini(&side[0]);
	spread_side_fini(&side[1]);
}

/* Variance of the mean of @k runs: the sum of squared deviations, divided by (k - 1) k. */
static double spread_of_runs(const struct compare_cells *c, uint32_t row, size_t k)
{
	double sum = 0;

	for (size_t i = 0; i < k; i++) {
		double e = c->runs[row * k + i] - c->value[row];

		sum += e * e;
	}
	return sum / ((double)(k - 1) * (double)k);
}

static void spread_by_runs(const struct compare_build *b, const struct compare_cells *a,
			   const struct compare_cells *c, uint32_t n_rows, double *ratio,
			   double *df)
{
	const struct compare_cells *cells[2] = { a, c };

	for (uint32_t i = 0; i < n_rows; i++) {
		double variance[2] = { 0, 0 };
		double independent = 0;
		double below = 0;
		double sum;

		df[i] = 0;
		for (int s = 0; s < 2; s++) {
			double k = (double)b->n_runs[s];

			if (k < 2)
				continue;
			variance[s] = spread_of_runs(cells[s], i, b->n_runs[s]);
			independent += cells[s]->variance[i];
			below += variance[s] * variance[s] / (k - 1);
			df[i] += k - 1;
		}
		sum = variance[0] + variance[1];
		if (below > 0)
			df[i] = fmin(df[i], sum * sum / below);
		ratio[i] = independent > 0 ? sum / independent : NAN;
	}
}

static double spread_count(const struct compare_cells *c, uint32_t row, bool is_rate)
{
	double v = c->value[row];

	if (!(c->variance[row] > 0))
		return 0;
	return v * v / c->variance[row] * (is_rate ? 1 : 1 - v);
}

/*
 * Select the rows with enough samples to count for the mean overdispersion of all rows. Returns
 * their number.
 */
static size_t spread_usable_rows(const struct compare_build *b, const struct compare_cells *a,
				 const struct compare_cells *c, uint32_t n_rows,
				 const double *ratio, const double *df, double *ret_ratio,
				 double *ret_df)
{
	size_t n = 0;

	for (uint32_t i = 0; i < n_rows; i++) {
		double count = spread_count(a, i, b->is_rate) + spread_count(c, i, b->is_rate);

		if (isnan(ratio[i]) || !(df[i] > 0) || count < SPREAD_COUNT_MIN)
			continue;
		ret_ratio[n] = ratio[i];
		ret_df[n++] = df[i];
	}
	return n;
}

static double spread_mean(struct compare_build *b, const struct compare_cells *a,
			  const struct compare_cells *c, uint32_t n_rows)
{
	CLEANUP(freep) double *ratio = xcalloc((size_t)n_rows + 1, sizeof(double));
	CLEANUP(freep) double *df = xcalloc((size_t)n_rows + 1, sizeof(double));
	double sum = 0;
	size_t n;

	for (uint32_t i = 0; i < n_rows; i++)
		df[i] = 1;
	spread_by_slices(b, COMPARE_SYMBOL, a, c, n_rows, ratio);
	n = spread_usable_rows(b, a, c, n_rows, ratio, df, ratio, df);
	for (size_t i = 0; i < n; i++)
		sum += ratio[i];
	return n ? sum / (double)n : NAN;
}

static void spread_slices(struct compare_build *b)
{
	uint32_t n_rows = compare_row_count(b, COMPARE_SYMBOL);
	struct compare_cells cells[2];
	size_t fewest = SIZE_MAX;
	double mean = 0;

	for (int s = 0; s < 2; s++) {
		compare_cells_init(&cells[s], b, s, COMPARE_SYMBOL);
		if (spread_has_times(b, s) && b->runs[s][0].profile->samples.n < fewest)
			fewest = b->runs[s][0].profile->samples.n;
	}
	b->n_slices = SPREAD_SLICES;
	while (b->n_slices > SPREAD_SLICES_MIN && fewest / b->n_slices < SPREAD_PER_SLICE)
		b->n_slices /= 2;
	for (;;) {
		double last = mean;

		for (int s = 0; s < 2; s++) {
			if (spread_has_times(b, s))
				spread_cut(b, s);
		}
		mean = spread_mean(b, &cells[0], &cells[1], n_rows);
		/*
		 * doubling the length of slices did not raise the variance: use the shorter slices
		 */
		if (last > 0 && !(mean > last * SPREAD_GROWTH)) {
			b->n_slices *= 2;
			for (int s = 0; s < 2; s++) {
				if (spread_has_times(b, s))
					spread_cut(b, s);
			}
			break;
		}
		if (b->n_slices / 2 < SPREAD_SLICES_MIN)
			break;
		b->n_slices /= 2;
	}
	compare_cells_fini(&cells[0]);
	compare_cells_fini(&cells[1]);
}

void compare_spread_init(struct compare_build *b)
{
	bool runs_a = b->n_runs[0] > 1, runs_b = b->n_runs[1] > 1;
	bool times_a = spread_has_times(b, 0), times_b = spread_has_times(b, 1);
	bool is_unknown = isnan(b->ret->a.samples) || isnan(b->ret->b.samples);

	if (b->spec->dispersion > 0)
		b->ret->spread = is_unknown ? COMPARE_UNKNOWN : COMPARE_GIVEN;
	else if (runs_a && runs_b && !is_unknown)
		b->ret->spread = COMPARE_BY_RUNS;
	else if (is_unknown)
		b->ret->spread = COMPARE_UNKNOWN;
	else if (runs_a || runs_b)
		b->ret->spread = COMPARE_BY_RUNS_ONE;
	else if (times_a || times_b)
		b->ret->spread = times_a && times_b ? COMPARE_BY_SLICES : COMPARE_BY_SLICES_ONE;
	else
		b->ret->spread = COMPARE_ASSUMED;
	if (b->ret->spread == COMPARE_BY_SLICES || b->ret->spread == COMPARE_BY_SLICES_ONE)
		spread_slices(b);
	b->ret->n_slices = b->n_slices;
}

void compare_spread_fini(struct compare_build *b)
{
	for (int s = 0; s < 2; s++) {
		free(b->order[s]);
		free(b->slice_start[s]);
	}
}

void compare_spread(struct compare_build *b, enum compare_level level,
		    const struct compare_cells *a, const struct compare_cells *c, uint32_t n_rows,
		    double *ret_ratio, double *ret_df)
{
	CLEANUP(freep) double *ratio = NULL;
	CLEANUP(freep) double *df = NULL;
	struct stats_prior prior;
	size_t n;

	if (b->ret->spread >= COMPARE_ASSUMED) {
		for (uint32_t i = 0; i < n_rows; i++) {
			ret_ratio[i] =
				b->spec->dispersion > 0 ? b->spec->dispersion : COMPARE_DISPERSION;
			ret_df[i] = STATS_DF_NORMAL;
		}
		return;
	}
	if (b->n_slices) {
		for (uint32_t i = 0; i < n_rows; i++)
			ret_df[i] = b->n_slices - 1;
		spread_by_slices(b, level, a, c, n_rows, ret_ratio);
	} else {
		spread_by_runs(b, a, c, n_rows, ret_ratio, ret_df);
	}
	ratio = xcalloc((size_t)n_rows + 1, sizeof(double));
	df = xcalloc((size_t)n_rows + 1, sizeof(double));
	n = spread_usable_rows(b, a, c, n_rows, ret_ratio, ret_df, ratio, df);
	prior = stats_prior_fit(ratio, df, n);
	for (uint32_t i = 0; i < n_rows; i++) {
		if (isnan(ret_ratio[i])) {
			ret_ratio[i] = fmax(1, prior.ratio);
			ret_df[i] = fmax(1, prior.df + ret_df[i]);
			continue;
		}
		ret_ratio[i] = stats_moderate(prior, ret_ratio[i], ret_df[i], &ret_df[i]);
		/*
		 * the weight of a very regular load varies less than that of independent samples.
		 * Even then, the variance of independent samples is assumed
		 */
		ret_ratio[i] = fmax(1, ret_ratio[i]);
	}
}
