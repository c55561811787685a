/* SPDX-License-Identifier: MIT */
/*
 * simulate.h - pairs of recordings with known shares, for tests of comparisons
 *
 * A recording is drawn from known shares in one of these ways:
 *   SIMULATE_POISSON  every sample independently
 *   SIMULATE_BURSTS   a function holds the CPU for a while: runs of samples of the
 *                     same function, of geometric length
 *   SIMULATE_THREADS  four threads sampled at the same ticks; in half of the ticks
 *                     all run the same function
 *   SIMULATE_PRINTED  as POISSON, then printed with two decimals and without times
 */
#ifndef SIMULATE_H
#define SIMULATE_H

#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"

#include <math.h>
#include <stdio.h>

enum simulate_kind {
	SIMULATE_POISSON,
	SIMULATE_BURSTS,
	SIMULATE_THREADS,
	SIMULATE_PRINTED,
	SIMULATE_KIND_COUNT,
};

#define SIMULATE_FUNCTIONS 60u
#define SIMULATE_BURST     12.0 /* mean length of a burst, in samples */

struct simulate_random {
	uint64_t state;
};

/* splitmix64: public domain algorithm of S. Vigna. */
static inline uint64_t simulate_next(struct simulate_random *r)
{
	uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static inline double simulate_uniform(struct simulate_random *r)
{
	return (double)(simulate_next(r) >> 11) * 0x1p-53;
}

/* Shares of a typical profile: each function has 0.85 of the previous one. They sum up to 1. */
static inline void simulate_shares(double shares[SIMULATE_FUNCTIONS])
{
	double sum = 0;

	for (unsigned int i = 0; i < SIMULATE_FUNCTIONS; i++)
		sum += shares[i] = pow(0.85, i);
	for (unsigned int i = 0; i < SIMULATE_FUNCTIONS; i++)
		shares[i] /= sum;
}

/* Add @points to the share of function @i, taken from all others in proportion. */
static inline void simulate_plant(double shares[SIMULATE_FUNCTIONS], unsigned int i, double points)
{
	double rest = 1 - shares[i];

	for (unsigned int k = 0; k < SIMULATE_FUNCTIONS; k++)
		shares[k] *= k == i ? 1 : (rest - points / 100) / rest;
	shares[i] += points / 100;
}

/* Move @points from function @from to function @to; all other shares stay. */
static inline void simulate_move(double shares[SIMULATE_FUNCTIONS], unsigned int from,
				 unsigned int to, double points)
{
	shares[from] -= points / 100;
	shares[to] += points / 100;
}

static inline unsigned int simulate_draw(const double *shares, struct simulate_random *r)
{
	double u = simulate_uniform(r);

	for (unsigned int i = 0; i < SIMULATE_FUNCTIONS; i++) {
		u -= shares[i];
		if (u < 0)
			return i;
	}
	return SIMULATE_FUNCTIONS - 1;
}

static inline sym_id simulate_symbol(struct dossier *d, unsigned int i)
{
	char name[32];

	(void)snprintf(name, sizeof(name), "function_%u", i);
	return symbols_add_text(&d->symbols, str_of(name), STR("app"), SPACE_USER, 0);
}

/* Draw the functions of @n samples in order of time; with THREADS, four samples at each tick. */
static inline void simulate_functions(enum simulate_kind kind, const double *shares, size_t n,
				      struct simulate_random *r, unsigned int *ret)
{
	unsigned int now = 0;

	for (size_t i = 0; i < n; i++) {
		if (kind == SIMULATE_BURSTS) {
			if (i == 0 || simulate_uniform(r) < 1 / SIMULATE_BURST)
				now = simulate_draw(shares, r);
		} else if (kind == SIMULATE_THREADS) {
			/* in half of the ticks all four threads run the same function */
			if (i % 4 == 0)
				now = simulate_uniform(r) < 0.5 ? simulate_draw(shares, r)
								: UINT32_MAX;
		} else {
			now = UINT32_MAX;
		}
		ret[i] = now == UINT32_MAX ? simulate_draw(shares, r) : now;
	}
}

/* A recording of @n samples in @d, 1 ms apart. */
static inline struct capture *simulate(struct dossier *d, enum simulate_kind kind,
				       const double *shares, size_t n, struct simulate_random *r)
{
	struct capture *c = dossier_add(d, "simulated");
	struct profile *p = capture_profile(c);
	unsigned int *functions = xcalloc(n + 1, sizeof(*functions));
	uint64_t counts[SIMULATE_FUNCTIONS] = { 0 };

	simulate_functions(kind, shares, n, r, functions);
	for (size_t i = 0; i < n; i++)
		counts[functions[i]]++;
	p->event = strings_add(&d->strings, STR("cycles"));
	p->n_samples = n;
	p->has_n_samples = true;
	p->unit = kind == SIMULATE_PRINTED ? WEIGHT_PERCENT : WEIGHT_SAMPLES;
	for (size_t i = 0; i < n && kind != SIMULATE_PRINTED; i++) {
		stack_id at = stacks_push(&p->stacks, STACK_ROOT, simulate_symbol(d, functions[i]));

		if (profile_add_sample(p, at, 1) < 0)
			break;
		*VEC_PUSH(&p->samples.time_ns) =
			UINT64_C(1000000) * (kind == SIMULATE_THREADS ? i / 4 : i);
	}
	if (kind == SIMULATE_PRINTED) {
		p->decimals = p->printed_decimals = 2;
		p->is_rounded = true;
		p->table.columns = ROW_HAS_SELF | ROW_HAS_SYMBOL | ROW_HAS_DSO;
	}
	/* add the rows sorted by drawn weight, as perf prints them */
	for (unsigned int turn = 0; kind == SIMULATE_PRINTED && turn < SIMULATE_FUNCTIONS; turn++) {
		unsigned int best = 0;
		struct profile_row *row;

		for (unsigned int i = 1; i < SIMULATE_FUNCTIONS; i++) {
			if (counts[i] > counts[best])
				best = i;
		}
		if (counts[best] == 0)
			break;
		row = VEC_PUSH(&p->table.rows);
		*row = (struct profile_row){
			.self = (uint64_t)llround((double)counts[best] * 1e4 / (double)n),
			.sym = simulate_symbol(d, best),
			.dso = strings_add(&d->strings, STR("app")),
			.tree = INDEX_NONE,
			.extra = INDEX_NONE,
			.has = ROW_HAS_SELF | ROW_HAS_SYMBOL | ROW_HAS_DSO,
			.level = '.',
		};
		counts[best] = 0;
	}
	free(functions);
	return c;
}

#endif
