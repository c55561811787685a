/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include "analyses/compare/stats_compare.h"
#include "base/stats.h"
#include "base/status.h"
#include "base/str.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "explain/claims/claim.h"
#include "explain/claims/claim_build.h"
#include "explain/claims/claim_judge.h"
#include "explain/facts.h"
#include "simulate.h"

#include <math.h>
#include <stdio.h>

static struct claim parse(const char *text)
{
	struct claim c;
	struct error err = { "" };

	if (claim_parse(str_of(text), &c, &err) < 0)
		print_error("%s: %s\n", text, err.msg);
	assert_string_equal(err.msg, "");
	return c;
}

static void both_orders_of_measure_and_target_are_one_claim(void **state)
{
	struct claim a = parse("share(role:lock) <= 5.5%");
	struct claim b = parse("  role:lock share<=5.5 %  ");

	(void)state;
	assert_int_equal(a.target, CLAIM_OF_ROLE);
	assert_str(a.name, "lock");
	assert_int_equal(a.compare, CLAIM_AT_MOST);
	assert_near(a.limit, 5.5, 0);
	assert_int_equal(b.target, a.target);
	assert_str(b.name, "lock");
	assert_int_equal(b.compare, a.compare);
	assert_near(b.limit, a.limit, 0);
}

static void units_are_nanoseconds_percent_and_numbers(void **state)
{
	(void)state;
	assert_near(parse("p99.9(f) < 40us").limit, 40e3, 0);
	assert_near(parse("p99.9(f) < 40us").quantile, 0.999, 1e-12);
	assert_near(parse("max(f) < 1.5ms net of tracer").limit, 1.5e6, 0);
	assert_true(parse("max(f) < 1.5ms net of tracer").is_net_of_tracer);
	assert_near(parse("calls(f) == 12k").limit, 12e3, 0);
	assert_near(parse("samples > 100 in comm:x").limit, 100, 0);
	assert_int_equal(parse("wait(disk) < 10% of wall").unit, CLAIM_PERCENT);
}

static void every_unit_has_its_factor(void **state)
{
	static const struct {
		const char *claim;
		enum claim_unit unit;
		double limit;
	} cases[] = {
		{ "calls(f) < 2", CLAIM_NUMBER, 2 },
		{ "calls(f) < 2 calls", CLAIM_NUMBER, 2 },
		{ "samples < 2 samples", CLAIM_NUMBER, 2 },
		{ "samples < 2k", CLAIM_NUMBER, 2e3 },
		{ "samples < 2K", CLAIM_NUMBER, 2e3 },
		{ "samples < 2M", CLAIM_NUMBER, 2e6 },
		{ "samples < 2G", CLAIM_NUMBER, 2e9 },
		{ "share(f) < 2%", CLAIM_PERCENT, 2 },
		{ "share(f) < 2 percent", CLAIM_PERCENT, 2 },
		{ "max(f) < 2ns", CLAIM_NS, 2 },
		{ "max(f) < 2us", CLAIM_NS, 2e3 },
		{ "max(f) < 2\u00b5s", CLAIM_NS, 2e3 },
		{ "max(f) < 2\u03bcs", CLAIM_NS, 2e3 },
		{ "max(f) < 2ms", CLAIM_NS, 2e6 },
		{ "max(f) < 2s", CLAIM_NS, 2e9 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct claim c = parse(cases[i].claim);

		assert_int_equal(c.unit, cases[i].unit);
		assert_near(c.limit, cases[i].limit, 0);
	}
}

/*
 * The words after a number belong to the next clause, not to a unit: the error is about the missing
 * unit.
 */
static void a_number_may_be_followed_by_any_clause(void **state)
{
	static const char *const clauses[] = { "in comm:x", "of wall",       "net of tracer",
					       "under g",   "or not called", "and 7" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(clauses); i++) {
		struct error err = { "" };
		struct claim c;
		char text[64];

		(void)snprintf(text, sizeof(text), "f self %s 5 %s",
			       i + 1 < ARRAY_LEN(clauses) ? "<" : "between", clauses[i]);
		assert_int_equal(claim_parse(str_of(text), &c, &err), ERR_USAGE);
		assert_non_null(strstr(err.msg, "self is in percent"));
	}
}

static void names_keep_colons_and_quotes_keep_all(void **state)
{
	struct claim c = parse("'operator new(unsigned long)' self < 5% under \"a < b\"");

	(void)state;
	assert_str(c.name, "operator new(unsigned long)");
	assert_str(c.under, "a < b");
	assert_str(parse("role::lock share < 5%").name, "role::lock");
	assert_int_equal(parse("role::lock share < 5%").target, CLAIM_OF_FUNCTION);
	assert_str(parse("share(kind:net*) < 5%").name, "net*");
	assert_str(parse("share(kind:network|memory) < 5%").name, "network|memory");
	assert_str(parse("time self < 5%").name, "time");
	c = parse("f self < 5% in time:10%-20% in cpu:3");
	assert_int_equal(c.n_in, 2);
	assert_true(c.in[0].is_percent);
	assert_near(c.in[0].to, 20, 0);
	assert_near(c.in[1].from, 3, 0);
}

static void a_comparison_in_brackets_is_a_part_of_the_values(void **state)
{
	struct claim c = parse("share(latency >= 1.5ms) < 1% net of tracer");

	(void)state;
	assert_int_equal(c.measure, CLAIM_PART);
	assert_int_equal(c.beyond_compare, CLAIM_AT_LEAST);
	assert_int_equal(c.beyond_unit, CLAIM_NS);
	assert_near(c.beyond, 1.5e6, 0);
	assert_int_equal(c.compare, CLAIM_LESS);
	assert_int_equal(c.unit, CLAIM_PERCENT);
	assert_str(c.name, "latency");
	c = parse("share(< 20) between 1% and 2%");
	assert_int_equal(c.measure, CLAIM_PART);
	assert_int_equal(c.target, CLAIM_OF_ALL);
	assert_int_equal(c.beyond_compare, CLAIM_LESS);
	assert_int_equal(parse("share('a b' <= 5%) of sda > 9%").beyond_unit, CLAIM_PERCENT);
	assert_int_equal(parse("share(f > 1us) grew since base").unit, CLAIM_PERCENT);
}

static void an_error_has_the_place_and_what_is_expected(void **state)
{
	static const char *const cases[][2] = {
		{ "", "the claim ends at column 1: expected a name" },
		{ "f self", "the claim ends at column 7: expected <" },
		{ "f self < x", "column 10: expected a number, not 'x'" },
		{ "f self < 5 parsecs", "column 12: expected a unit" },
		{ "f self < 5", "self is in percent" },
		{ "calls(f) < 5%", "calls is a number without a unit" },
		{ "f self between 5% and 3%", "the smaller one first" },
		{ "no findings", "column 4: expected 'no finding', not 'findings'" },
		{ "no finding >= warnin", "did you mean warning" },
		{ "f self < 5% in cpus:3", "did you mean cpu" },
		{ "f self < 5% in time:5%-3%", "START-END" },
		{ "caller of f was g", "column 13: expected 'is'" },
		{ "f self grew 5% since a", "column 13: expected 'since' and a file" },
		{ "f self grew by 5ms since a", "self is in percent" },
		{ "f self within 5% since a", "column 18: expected 'of' and a file" },
		{ "same as a", "expected 'within' and percentage points" },
		{ "share(role:lokc) < 5%",
		  "column 12: expected a role, not 'lokc)'; did you mean lock" },
		{ "share(kind:'netwrk') < 5%",
		  "column 12: expected a kind, not ''netwrk')'; did you mean network" },
		{ "self(f < 5%", "column 8: expected ')'" },
		{ "share(f > 1us < 2%", "column 15: expected ')'" },
		{ "share(f == 1us) < 2%", "expected <, <=, > or >=" },
		{ "share(f > 1us) < 2ms", "share is in percent" },
		{ "p99(f > 1us) < 2ms", "column 7: expected ')'" },
		{ "share(role:lock > 1us) < 2%", "a comparison in brackets is for shares" },
		{ "f self < 1e999%", "expected a number" },
		{ "f self < 5% in a:1 in a:1", "expected comm:" },
		{ "f self < 5% in cpu:1 in cpu:1 in cpu:1 in cpu:1 in cpu:1", "at most 4" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct error err = { "" };
		struct claim c;

		assert_int_equal(claim_parse(str_of(cases[i][0]), &c, &err), ERR_USAGE);
		if (!strstr(err.msg, cases[i][1]))
			print_error("%s: %s\n", cases[i][0], err.msg);
		assert_non_null(strstr(err.msg, cases[i][1]));
	}
}

static void changes_name_the_other_recording(void **state)
{
	struct claim c = parse("share(role:lock) grew since base.data");

	(void)state;
	assert_int_equal(c.kind, CLAIM_CHANGED);
	assert_int_equal(c.change, CLAIM_GREW);
	assert_str(c.base, "base.data");
	assert_near(c.limit, 0, 0);
	c = parse("p99(f) fell by 3us since 'a b.txt'");
	assert_int_equal(c.change, CLAIM_FELL);
	assert_str(c.base, "a b.txt");
	assert_near(c.limit, 3e3, 0);
	c = parse("f self within 1% of base.data in comm:x");
	assert_int_equal(c.change, CLAIM_WITHIN);
	assert_int_equal(c.n_in, 1);
	c = parse("same as base.data within 1%");
	assert_int_equal(c.kind, CLAIM_SAME);
	assert_near(c.limit, 1, 0);
}

/* Limits from the tables of Clopper and Pearson: 10 of 100, 0 of 10, and all of 10 or 1. */
static void exact_limits_are_those_of_clopper_and_pearson(void **state)
{
	struct interval i = stats_exact_limits(10, 100, 0.05);

	(void)state;
	assert_near(i.low, 0.0490047, 1e-6);
	assert_near(i.high, 0.1762226, 1e-6);
	i = stats_exact_limits(0, 10, 0.05);
	assert_near(i.low, 0, 0);
	assert_near(i.high, 0.3084971, 1e-6);
	i = stats_exact_limits(10, 10, 0.05);
	assert_near(i.low, 1 - 0.3084971, 1e-6);
	assert_near(i.high, 1, 0);
	i = stats_exact_limits(0, 1, 0.05);
	assert_near(i.high, 0.975, 1e-6);
	i = stats_exact_limits(1, 0, 0.05);
	assert_near(i.high - i.low, 1, 0);
	/* no step where the normal limits take over */
	i = stats_exact_limits(39990, 80000, 0.05);
	assert_near(i.low, stats_exact_limits(40010, 80040, 0.05).low, 1e-5);
}

/* P(X <= k) of a binomial distribution, as a sum. */
static double binomial_sum(int k, int n, double p)
{
	double sum = 0;

	for (int i = 0; i <= k; i++)
		sum += exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) + i * log(p) +
			   (n - i) * log(1 - p));
	return sum;
}

/* The closest ranks that miss the percentile with probability alpha / 2 at most on each side. */
static void ranks_of_a_percentile_are_exact(void **state)
{
	static const double quantiles[] = { 0.01, 0.5, 0.75, 0.99 };
	static const double alphas[] = { 0.05, 0.002 };

	(void)state;
	for (int i = 0; i < 4 * 2 * 120; i++) {
		double quantile = quantiles[i % 4], alpha = alphas[i / 4 % 2];
		int n = i / 8 + 1, at = (int)ceil(quantile * n), low = 0, high = n + 1;
		uint64_t is_low, is_high;

		while (low < at && binomial_sum(low, n, quantile) <= alpha / 2)
			low++;
		while (high > at && binomial_sum(high - 2, n, quantile) >= 1 - alpha / 2)
			high--;
		claim_ranks(quantile, (uint64_t)n, alpha, &is_low, &is_high);
		if ((int)is_low != low || (int)is_high != high)
			print_error("%g of %d, alpha %g: %d to %d, not %d to %d\n", quantile, n,
				    alpha, (int)is_low, (int)is_high, low, high);
		assert_int_equal(is_low, low);
		assert_int_equal(is_high, high);
	}
}

static void ranks_enclose_the_percentile(void **state)
{
	uint64_t low, high;

	(void)state;
	claim_ranks(0.5, 100, 0.05, &low, &high);
	assert_int_equal(low, 40);
	assert_int_equal(high, 61);
	claim_ranks(0.99, 100, 0.05, &low, &high);
	assert_int_equal(high, 101); /* no value is large enough */
	claim_ranks(0.99, 1, 0.05, &low, &high);
	assert_int_equal(low, 1);
	assert_int_equal(high, 2);
	claim_ranks(0.99, 100, 1, &low, &high);
	assert_int_equal(low, 99);
	assert_int_equal(high, 99);
}

#define CLAIMS_EACH 40u

/* Draw a recording and judge claims about it. Returns whether any outcome is wrong. */
static bool one_recording(enum simulate_kind kind, struct simulate_random *r, unsigned int *decided)
{
	static const double factors[] = { 0.3, 0.7, 0.9, 0.97, 1.03, 1.1, 1.4, 3 };
	struct dossier *d = dossier_new();
	const struct claim_options options = { .capture = INDEX_NONE };
	struct claim claims[CLAIMS_EACH];
	struct claim_result results[CLAIMS_EACH];
	bool is_true[CLAIMS_EACH];
	char texts[CLAIMS_EACH][80];
	double shares[SIMULATE_FUNCTIONS];
	struct facts *f;
	bool is_wrong = false;

	simulate_shares(shares);
	simulate(d, kind, shares, 4000, r);
	for (unsigned int i = 0; i < CLAIMS_EACH; i++) {
		unsigned int k = (unsigned int)(simulate_next(r) % 30);
		double factor = factors[simulate_next(r) % ARRAY_LEN(factors)];
		bool is_less = simulate_next(r) % 2;

		is_true[i] = is_less == (factor > 1);
		(void)snprintf(texts[i], sizeof(texts[i]), "function_%u self %c %.9f%% or absent",
			       k, is_less ? '<' : '>', 100 * shares[k] * factor);
		claims[i] = parse(texts[i]);
	}
	f = facts_new(d);
	claim_judge(f, claims, CLAIMS_EACH, &options, results);
	for (unsigned int i = 0; i < CLAIMS_EACH; i++) {
		*decided += results[i].outcome != CLAIM_CANNOT_TELL;
		if (results[i].outcome == (is_true[i] ? CLAIM_FALSE : CLAIM_TRUE)) {
			print_message("# wrong: %s, %g to %g\n", texts[i], results[i].low,
				      results[i].high);
			is_wrong = true;
		}
	}
	facts_free(f);
	dossier_free(d);
	return is_wrong;
}

static void at_most_one_of_twenty_recordings_has_a_wrong_outcome(void **state)
{
	struct simulate_random r = { .state = 20261122 };

	(void)state;
	for (int kind = 0; kind < SIMULATE_KIND_COUNT; kind++) {
		unsigned int wrong = 0, decided = 0;

		for (unsigned int i = 0; i < 60; i++)
			wrong += one_recording((enum simulate_kind)kind, &r, &decided);
		print_message("# kind %d: %u of 60 recordings wrong, %u of %u claims decided\n",
			      kind, wrong, decided, 60 * CLAIMS_EACH);
		assert_true(wrong <= 3);
		/* a claim may not be "right" only because it stays undecided */
		assert_true(decided > (kind == SIMULATE_BURSTS ? 100 : 400));
	}
}

/*
 * Draw two recordings, the second with 5 points more of one function, and judge claims about them.
 * Returns whether any outcome is wrong.
 */
static bool one_pair(enum simulate_kind kind, struct simulate_random *r, unsigned int *decided)
{
	static const double offsets[] = { -12, -4, -1, 1, 4, 12 };
	struct dossier *d = dossier_new();
	const bool is_base[] = { true, false };
	const struct claim_options options = { .capture = INDEX_NONE, .is_base = is_base };
	struct claim claims[CLAIMS_EACH];
	struct claim_result results[CLAIMS_EACH];
	bool is_true[CLAIMS_EACH];
	char texts[CLAIMS_EACH][80];
	double before[SIMULATE_FUNCTIONS], after[SIMULATE_FUNCTIONS];
	struct facts *f;
	bool is_wrong = false;

	simulate_shares(before);
	simulate_shares(after);
	simulate_plant(after, 3, 5);
	simulate(d, kind, before, 6000, r)->path = strings_add(&d->strings, STR("base"));
	simulate(d, kind, after, 6000, r)->path = strings_add(&d->strings, STR("now"));
	for (unsigned int i = 0; i < CLAIMS_EACH; i++) {
		unsigned int k = (unsigned int)(simulate_next(r) % 8);
		bool fell = simulate_next(r) % 2;
		double change = 100 * (after[k] - before[k]) * (fell ? -1 : 1);
		double limit = fmax(0, change + offsets[simulate_next(r) % ARRAY_LEN(offsets)]);

		is_true[i] = change > limit;
		(void)snprintf(texts[i], sizeof(texts[i]),
			       "function_%u self %s by %.9f%% since base", k,
			       fell ? "fell" : "grew", limit);
		claims[i] = parse(texts[i]);
	}
	f = facts_new(d);
	claim_judge(f, claims, CLAIMS_EACH, &options, results);
	for (unsigned int i = 0; i < CLAIMS_EACH; i++) {
		*decided += results[i].outcome != CLAIM_CANNOT_TELL;
		if (results[i].outcome == (is_true[i] ? CLAIM_FALSE : CLAIM_TRUE)) {
			print_message("# wrong: %s, %g to %g\n", texts[i], results[i].low,
				      results[i].high);
			is_wrong = true;
		}
	}
	facts_free(f);
	dossier_free(d);
	return is_wrong;
}

static void at_most_one_of_twenty_pairs_has_a_wrong_change(void **state)
{
	struct simulate_random r = { .state = 1122 };

	(void)state;
	for (int kind = 0; kind < SIMULATE_KIND_COUNT; kind++) {
		unsigned int wrong = 0, decided = 0;

		for (unsigned int i = 0; i < 40; i++)
			wrong += one_pair((enum simulate_kind)kind, &r, &decided);
		print_message("# kind %d: %u of 40 pairs wrong, %u of %u claims decided\n", kind,
			      wrong, decided, 40 * CLAIMS_EACH);
		assert_true(wrong <= 2);
		assert_true(decided > (kind == SIMULATE_BURSTS ? 100 : 300));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_of_a_percentile_are_exact),
		cmocka_unit_test(both_orders_of_measure_and_target_are_one_claim),
		cmocka_unit_test(units_are_nanoseconds_percent_and_numbers),
		cmocka_unit_test(every_unit_has_its_factor),
		cmocka_unit_test(a_number_may_be_followed_by_any_clause),
		cmocka_unit_test(names_keep_colons_and_quotes_keep_all),
		cmocka_unit_test(an_error_has_the_place_and_what_is_expected),
		cmocka_unit_test(a_comparison_in_brackets_is_a_part_of_the_values),
		cmocka_unit_test(changes_name_the_other_recording),
		cmocka_unit_test(at_most_one_of_twenty_pairs_has_a_wrong_change),
		cmocka_unit_test(exact_limits_are_those_of_clopper_and_pearson),
		cmocka_unit_test(ranks_enclose_the_percentile),
		cmocka_unit_test(at_most_one_of_twenty_recordings_has_a_wrong_outcome),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
