/* SPDX-License-Identifier: MIT */
/*
 * compare.c - are the intervals and verdicts of a comparison of recordings correct?
 *
 *   bench_compare [PAIRS [SAMPLES [POINTS]]]
 *
 * Draws pairs of recordings of three kinds from known shares:
 *   same     both have equal shares
 *   planted  one function of the second has POINTS more, taken from all others in
 *            proportion
 *   moved    one function of the second has POINTS more, taken from one other function;
 *            the rest is unchanged
 *
 * Columns, for each kind:
 *   cover    how often the 95 % interval contains the true difference: for functions
 *            with 1 % or more, and for all tested functions
 *   wrong    share of the verdicts that are "more" or "less" for an unchanged function
 *   false    wrong verdicts as a share of the verdicts "more" and "less", the mean over
 *            pairs: the rate that assay holds below 5 %
 *   found    how often the planted change is found
 *   known    the same with the true spread given: no estimate of the spread can do better
 *   alone    as known, but by a single test of that function at 5 %
 */
#include "analyses/compare/compare.h"
#include "../unit/simulate.h"
#include "analyses/categories.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/dossier.h"

#include <stdlib.h>

#define TALLY_PLANTED 2u /* the function that changes */
#define TALLY_TAKEN   0u /* the function that loses the same share */

struct tally {
	uint64_t intervals, covering;
	uint64_t heavy, heavy_covering;
	uint64_t verdicts, wrong; /* wrong: "more" or "less" for an unchanged function */
	uint64_t pairs;
	double false_share; /* sum over pairs: the wrong share of the verdicts "more" and "less" */
	uint64_t found, known, alone;
	double dispersion;
};

static void tally_row(struct tally *t, const struct compare_row *r, const double *a,
		      const double *b, unsigned int verdicts[2])
{
	unsigned int i = (unsigned int)atoi(r->name.p + strlen("function_"));
	double truth = 100 * (b[i] - a[i]);
	bool covers = r->low <= truth && truth <= r->high;
	bool differs = r->verdict == COMPARE_MORE || r->verdict == COMPARE_LESS;

	t->verdicts++;
	t->dispersion += r->dispersion;
	if (!isnan(r->p)) {
		t->intervals++;
		t->covering += covers;
	}
	if (a[i] >= 0.01) {
		t->heavy++;
		t->heavy_covering += covers;
	}
	verdicts[0] += differs;
	verdicts[1] += differs && fabs(truth) < 1e-9;
	t->wrong += differs && fabs(truth) < 1e-9;
	if (i == TALLY_PLANTED && fabs(truth) > 1e-9)
		t->found += differs;
}

/* Compare the same recordings again, with the true spread given. */
static void tally_known(struct tally *t, struct compare_spec spec, struct category_cache *cats,
			double dispersion)
{
	struct compare c;
	struct error err;

	spec.dispersion = dispersion;
	if (compare_profiles(&spec, cats, &c, &err) == OK) {
		VEC_FOREACH (r, &c.tables[COMPARE_SYMBOL].rows) {
			if ((unsigned int)atoi(r->name.p + strlen("function_")) != TALLY_PLANTED)
				continue;
			t->known += r->verdict == COMPARE_MORE || r->verdict == COMPARE_LESS;
			t->alone += r->p <= COMPARE_ALPHA;
		}
	}
	compare_fini(&c);
}

/*
 * Variance relative to independent samples. Bursts: (1 + r) / (1 - r) with correlation r = 11 / 12.
 */
static const double tally_truth[] = { 1, 2 * SIMULATE_BURST - 1, 2.5, 1 };

static void tally_pair(struct tally *t, enum simulate_kind kind, const double *a, const double *b,
		       size_t n, size_t runs, struct simulate_random *random)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { .by_sym = VEC_INIT };
	struct compare_spec spec = { .norm = COMPARE_TOTAL };
	struct compare c;
	struct error err;
	unsigned int verdicts[2] = { 0, 0 };

	for (size_t i = 0; i < runs; i++)
		spec.a.captures[spec.a.n++] = simulate(d, kind, a, n, random);
	for (size_t i = 0; i < runs; i++)
		spec.b.captures[spec.b.n++] = simulate(d, kind, b, n, random);
	if (compare_profiles(&spec, &cats, &c, &err) == OK) {
		VEC_FOREACH (r, &c.tables[COMPARE_SYMBOL].rows)
			tally_row(t, r, a, b, verdicts);
		t->pairs++;
		t->false_share += verdicts[0] ? (double)verdicts[1] / verdicts[0] : 0;
	}
	compare_fini(&c);
	tally_known(t, spec, &cats, tally_truth[kind]);
	category_cache_fini(&cats);
}

static double tally_pct(uint64_t a, uint64_t b)
{
	return b ? 100 * (double)a / (double)b : NAN;
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "poisson", "bursts", "threads", "printed" };
	static const char *const pairs_of[] = { "same", "planted", "moved" };
	size_t pairs = argc > 1 ? strtoul(argv[1], NULL, 10) : 300;
	size_t samples = argc > 2 ? strtoul(argv[2], NULL, 10) : 20000;
	double points = argc > 3 ? strtod(argv[3], NULL) : 5;
	double a[SIMULATE_FUNCTIONS], b[SIMULATE_FUNCTIONS];

	simulate_shares(a);
	printf("%-8s %-8s %9s %9s %8s %14s %11s %8s %8s %8s %5s\n", "kind", "pair", "cover>=1%",
	       "cover all", "wrong %", "false of told%", "dispersion", "found %", "known %",
	       "alone %", "runs");
	for (size_t runs = 1; runs <= 3; runs += 2) {
		for (int kind = 0; kind < SIMULATE_KIND_COUNT; kind++) {
			for (int what = 0; what < 3; what++) {
				struct simulate_random random = { (uint64_t)kind * 7919 + runs };
				struct tally t = { 0 };

				memcpy(b, a, sizeof(a));
				if (what == 1)
					simulate_plant(b, TALLY_PLANTED, points);
				else if (what == 2)
					simulate_move(b, TALLY_TAKEN, TALLY_PLANTED, points);
				for (size_t i = 0; i < pairs; i++)
					tally_pair(&t, (enum simulate_kind)kind, a, b,
						   samples / runs, runs, &random);
				printf("%-8s %-8s %9.2f %9.2f %8.3f %14.2f %11.2f %8.1f %8.1f "
				       "%8.1f %5zu\n",
				       names[kind], pairs_of[what],
				       tally_pct(t.heavy_covering, t.heavy),
				       tally_pct(t.covering, t.intervals),
				       tally_pct(t.wrong, t.verdicts),
				       100 * t.false_share / (double)t.pairs,
				       t.dispersion / (double)t.verdicts,
				       tally_pct(t.found, t.pairs), tally_pct(t.known, t.pairs),
				       tally_pct(t.alone, t.pairs), runs);
			}
		}
	}
	return 0;
}
