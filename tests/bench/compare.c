/* SPDX-License-Identifier: MIT */
/*
 * compare.c - is the comparison of recordings as sure as it says?
 *
 *   bench_compare [PAIRS [SAMPLES [POINTS]]]
 *
 * Draws pairs from known shares, the second with POINTS more in one function, and
 * counts: how often the 95 % interval covers the truth (of functions with 1 % and
 * more, and of all that were tested), verdicts that are wrong, and how often the
 * planted change is found.
 */
#include "analyses/compare.h"
#include "../unit/simulate.h"

#include <stdlib.h>

struct tally {
	uint64_t intervals, covering;
	uint64_t heavy, heavy_covering;
	uint64_t verdicts, wrong; /* more or less where nothing was changed */
	uint64_t pairs, pairs_wrong;
	uint64_t found;
	double dispersion;
};

static void tally_row(struct tally *t, const struct compare_row *r, const double *a,
		      const double *b, bool *is_wrong)
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
	if (differs && fabs(truth) < 1e-9) {
		t->wrong++;
		*is_wrong = true;
	}
	if (i == 2)
		t->found += differs && fabs(truth) > 1e-9;
}

static void tally_pair(struct tally *t, enum simulate_kind kind, const double *a, const double *b,
		       size_t n, size_t runs, struct simulate_random *random)
{
	CLEANUP(dossier_freep) struct dossier *d = dossier_new();
	struct category_cache cats = { .by_sym = VEC_INIT };
	struct compare_spec spec = { .norm = COMPARE_TOTAL };
	struct compare c;
	struct error err;
	bool is_wrong = false;

	for (size_t i = 0; i < runs; i++)
		spec.a.captures[spec.a.n++] = simulate(d, kind, a, n, random);
	for (size_t i = 0; i < runs; i++)
		spec.b.captures[spec.b.n++] = simulate(d, kind, b, n, random);
	if (compare_profiles(&spec, &cats, &c, &err) == OK) {
		VEC_FOREACH (r, &c.tables[COMPARE_SYMBOL].rows)
			tally_row(t, r, a, b, &is_wrong);
		t->pairs++;
		t->pairs_wrong += is_wrong;
	}
	compare_fini(&c);
	category_cache_fini(&cats);
}

static double tally_pct(uint64_t a, uint64_t b)
{
	return b ? 100 * (double)a / (double)b : NAN;
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "poisson", "bursts", "threads", "printed" };
	size_t pairs = argc > 1 ? strtoul(argv[1], NULL, 10) : 300;
	size_t samples = argc > 2 ? strtoul(argv[2], NULL, 10) : 20000;
	double points = argc > 3 ? strtod(argv[3], NULL) : 5;
	double a[SIMULATE_FUNCTIONS], b[SIMULATE_FUNCTIONS];

	simulate_shares(a);
	printf("%-8s %-8s %9s %9s %9s %12s %11s %7s %6s\n", "kind", "pair", "cover>=1%",
	       "cover all", "wrong %", "pairs wrong%", "dispersion", "found %", "runs");
	for (size_t runs = 1; runs <= 3; runs += 2) {
		for (int kind = 0; kind < SIMULATE_KIND_COUNT; kind++) {
			for (int planted = 0; planted < 2; planted++) {
				struct simulate_random random = { (uint64_t)kind * 7919 + runs };
				struct tally t = { 0 };

				memcpy(b, a, sizeof(a));
				if (planted)
					simulate_plant(b, 2, points);
				for (size_t i = 0; i < pairs; i++)
					tally_pair(&t, (enum simulate_kind)kind, a, b,
						   samples / runs, runs, &random);
				printf("%-8s %-8s %9.2f %9.2f %9.3f %12.2f %11.2f %7.1f %6zu\n",
				       names[kind], planted ? "planted" : "same",
				       tally_pct(t.heavy_covering, t.heavy),
				       tally_pct(t.covering, t.intervals),
				       tally_pct(t.wrong, t.verdicts),
				       tally_pct(t.pairs_wrong, t.pairs),
				       t.dispersion / (double)t.verdicts,
				       tally_pct(t.found, t.pairs), runs);
			}
		}
	}
	return 0;
}
