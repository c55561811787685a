/* SPDX-License-Identifier: MIT */
/*
 * claim_profile.c - properties of a profile that widen the intervals of all its figures: functions
 * that run in bursts, and broken call chains
 */
#include "analyses/compare/compare.h"
#include "analyses/quality/quality.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"
#include "explain/claims/claim_build.h"
#include "explain/claims/claim_judge.h"
#include "explain/facts.h"

#include <math.h>

#define CLAIM_PER_SLICE 6u /* minimum mean number of samples per slice */

double claim_profile_count(const struct profile *p, size_t i)
{
	if (profile_sample_unit(p) == WEIGHT_SAMPLES && profile_sample_decimals(p) == 0)
		return (double)p->samples.weight.data[i];
	return profile_samples_at(p, i);
}

struct claim_times claim_profile_times(const struct profile *p)
{
	struct claim_times t = { .first = UINT64_MAX };

	VEC_FOREACH (at, &p->samples.time_ns) {
		t.first = *at < t.first ? *at : t.first;
		t.last = *at > t.last ? *at : t.last;
	}
	if (p->samples.n >= (size_t)CLAIM_SLICES_MIN * CLAIM_PER_SLICE && t.last > t.first)
		t.slices = CLAIM_SLICES;
	while (t.slices > CLAIM_SLICES_MIN && p->samples.n / t.slices < CLAIM_PER_SLICE)
		t.slices /= 2;
	return t;
}

unsigned int claim_profile_slice(const struct profile *p, const struct claim_times *t, size_t i)
{
	double at;
	unsigned int k;

	if (!t->slices)
		return 0;
	at = (double)(p->samples.time_ns.data[i] - t->first) / (double)(t->last - t->first);
	k = (unsigned int)(at * t->slices);
	return k < t->slices ? k : t->slices - 1;
}

/*
 * How much the self shares of all functions vary between time slices: their variance, divided by
 * the variance of independent samples. @step: number of adjacent slices that count as one slice.
 */
static double claim_pooled(const struct profile *p, const struct symbols *symbols,
			   const struct claim_times *t, unsigned int step)
{
	size_t n_syms = symbols->rows.len;
	CLEANUP(freep) double *total = xcalloc(n_syms + 1, sizeof(*total));
	CLEANUP(freep) double *now = xcalloc(n_syms + 1, sizeof(*now));
	CLEANUP(freep) double *squares = xcalloc(n_syms + 1, sizeof(*squares));
	double all = 0, all_squares = 0, shares = 0, independent = 0, sum = 0;
	double m = t->slices / step;

	for (size_t i = 0; i < p->samples.n; i++) {
		sym_id leaf = stacks_sym(&p->stacks, p->samples.stack.data[i]);
		double w = (double)p->samples.weight.data[i];
		double count = claim_profile_count(p, i);
		double w2 = count > 0 ? w * w / count : 0;

		total[leaf.v] += w;
		squares[leaf.v] += w2;
		all += w;
		all_squares += w2;
	}
	for (size_t f = 0; f < n_syms && all > 0; f++) {
		double q = total[f] / all;

		shares += q * q;
		independent += (1 - 2 * q) * squares[f] + q * q * all_squares;
	}
	for (unsigned int k = 0; k < t->slices && all > 0; k += step) {
		double x = 0, yy = 0, yp = 0;

		memset(now, 0, n_syms * sizeof(*now));
		for (size_t i = 0; i < p->samples.n; i++) {
			double w = (double)p->samples.weight.data[i];
			uint32_t leaf = stacks_sym(&p->stacks, p->samples.stack.data[i]).v;

			if (claim_profile_slice(p, t, i) / step != k / step)
				continue;
			x += w;
			yy += (2 * now[leaf] + w) * w;
			now[leaf] += w;
			yp += w * total[leaf] / all;
		}
		sum += yy - 2 * x * yp + x * x * shares;
	}
	return independent > 0 ? sum * m / (m - 1) / independent : 1;
}

const struct claim_profile *claim_profile_of(struct claim_state *s, uint32_t number)
{
	const struct capture *capture = s->facts->dossier->captures.data[number];
	const struct profile *p = capture->profile;
	struct claim_profile *ret = &s->profiles[number];
	struct quality_chains chains;
	struct claim_times t;

	if (ret->is_done)
		return ret;
	ret->is_done = true;
	ret->dispersion = COMPARE_DISPERSION;
	t = claim_profile_times(p);
	ret->has_slices = t.slices > 0;
	if (t.last > t.first)
		ret->seconds = (double)(t.last - t.first) / 1e9;
	if (t.slices)
		ret->dispersion = 1;
	for (unsigned int step = 1;
	     t.slices && !s->options->is_recorded_only && t.slices / step >= CLAIM_SLICES_MIN;
	     step *= 2)
		ret->dispersion =
			fmax(ret->dispersion, claim_pooled(p, capture_symbols(capture), &t, step));
	quality_chains_of(capture, &chains);
	if (chains.all)
		ret->broken =
			(double)(chains.broken + (p->chains == CHAINS_UNKNOWN ? 0 : chains.cut)) /
			(double)chains.all;
	return ret;
}
