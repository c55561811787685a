/* SPDX-License-Identifier: MIT */
/* Few samples that agree (few-samples-agree), and samples of different weight. */
#include "base/str.h"
#include "base/vec.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "unit.h"

#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/rules/profile/few_rate.h"
#include "texts.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * perf script text of @n samples: @hot in @leaf called by hot(), each other one in a function of
 * its own.
 */
static char *script_of(const char *leaf, unsigned int hot, unsigned int n)
{
	size_t size = (size_t)n * 256 + 1;
	char *text = malloc(size);
	size_t used = 0;

	assert_non_null(text);
	text[0] = '\0';
	for (unsigned int i = 0; i < n; i++) {
		used += (size_t)snprintf(text + used, size - used,
					 "app 7 [000] 1.%06u: 1000 cycles: \n", i);
		if (i < hot)
			used += (size_t)snprintf(text + used, size - used,
						 "\t1 %s+0x1 (libc.so.6)\n"
						 "\t2 hot+0x1 (app)\n\t3 main+0x1 (app)\n\n",
						 leaf);
		else
			used += (size_t)snprintf(text + used, size - used,
						 "\t4 other_%u+0x1 (app)\n\t3 main+0x1 (app)\n\n",
						 i);
	}
	return text;
}

/* The severity of the finding, or -1. */
static int severity_in(const char *leaf, unsigned int hot, unsigned int n)
{
	char *text = script_of(leaf, hot, n);
	struct dossier *d = text_load(NULL, text);
	struct facts *facts = facts_new(d);
	struct explain_options options = { .only = STR("few-samples-agree") };
	struct findings found = { .rows = VEC_INIT };
	int severity;

	explain_run(facts, &options, &found);
	severity = found.rows.len ? (int)found.rows.data[0].severity : -1;
	if (severity >= 0)
		assert_true(str_contains(found.rows.data[0].claim, STR("'hot'")));
	findings_fini(&found);
	facts_free(facts);
	dossier_free(d);
	free(text);
	return severity;
}

static int severity_of(unsigned int hot, unsigned int n)
{
	return severity_in("malloc", hot, n);
}

static void the_lower_end_of_the_interval_decides(void **state)
{
	(void)state;
	assert_int_equal(severity_of(19, 28), -1);
	assert_int_equal(severity_of(20, 28), FINDING_NOTE);
	assert_int_equal(severity_of(25, 28), FINDING_NOTE);
	assert_int_equal(severity_of(26, 28), FINDING_WARNING);
	/* three may agree by chance */
	assert_int_equal(severity_of(3, 3), -1);
	assert_int_equal(severity_of(4, 4), FINDING_NOTE);
}

static void work_that_may_be_the_job_is_a_note(void **state)
{
	(void)state;
	/* comparing, and code of its own */
	assert_int_equal(severity_in("memcmp", 28, 28), FINDING_NOTE);
	assert_int_equal(severity_in("hot", 28, 28), FINDING_NOTE);
}

static void with_many_samples_others_rank(void **state)
{
	(void)state;
	assert_int_equal(severity_of(399, 399), FINDING_WARNING);
	assert_int_equal(severity_of(400, 400), -1);
}

/* Does few-samples say that threads are too short, of @n samples and @starts threads and processes?
 */
static bool says_short(unsigned int n, uint64_t starts)
{
	char *text = script_of("malloc", n, n);
	struct dossier *d = text_load(NULL, text);
	struct explain_options options = { .only = STR("few-samples") };
	struct findings found = { .rows = VEC_INIT };
	struct facts *facts;
	bool ret;

	d->captures.data[0]->profile->recording.forks = starts;
	facts = facts_new(d);
	explain_run(facts, &options, &found);
	ret = found.rows.len && str_contains(found.rows.data[0].claim, STR("were started"));
	findings_fini(&found);
	facts_free(facts);
	dossier_free(d);
	free(text);
	return ret;
}

static void threads_shorter_than_a_period_are_not_sampled(void **state)
{
	(void)state;
	assert_true(says_short(4, 57328));
	assert_true(says_short(4, 1000));
	assert_false(says_short(4, 999));
	assert_true(says_short(399, 1000));
	assert_false(says_short(400, 57328)); /* many samples: no finding */
}

static double effective_of(const char *text)
{
	struct dossier *d = text_load(NULL, text);
	double n = profile_effective_samples(d->captures.data[0]->profile);

	dossier_free(d);
	return n;
}

static void samples_of_different_weight_count_for_fewer(void **state)
{
	(void)state;
	assert_true(fabs(effective_of("app 7 [000] 1.000001: 100 cycles: \n\t1 a+0x1 (app)\n\n"
				      "app 7 [000] 1.000002: 100 cycles: \n\t2 b+0x1 (app)\n\n") -
			 2) < 1e-9);
	/* (300 + 100)² / (300² + 100²) */
	assert_true(fabs(effective_of("app 7 [000] 1.000001: 300 cycles: \n\t1 a+0x1 (app)\n\n"
				      "app 7 [000] 1.000002: 100 cycles: \n\t2 b+0x1 (app)\n\n") -
			 1.6) < 1e-9);
	/* printed rows do not show the weights of single samples */
	assert_true(fabs(effective_of("# Samples: 50  of event 'cycles'\n"
				      "# Overhead  Command  Shared Object  Symbol\n"
				      "    60.00%  app      app            [.] work\n") -
			 50) < 1e-9);
}

static void an_interval_is_of_effective_samples(void **state)
{
	char text[4096] = "";
	size_t used = 0;
	struct dossier *d;
	struct facts *facts;
	struct fact_sum s;

	(void)state;
	/*
	 * half of the weight is in one sample: with nine others it is worth fewer than ten samples
	 */
	for (unsigned int i = 0; i < 10; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "app 7 [000] 1.%06u: %u cycles: \n\t1 %s+0x1 (app)\n\n", i,
					 i ? 100u : 900u, i ? "b" : "a");
	d = text_load(NULL, text);
	facts = facts_new(d);
	s = facts_sum(facts->profiles[0], "a");
	assert_true(fabs(s.self - 50) < 0.01);
	/* 3.6 effective samples: 15 to 85 %; ten equal samples would give 24 to 76 % */
	assert_true(s.low < 20 && s.high > 80);
	facts_free(facts);
	dossier_free(d);
}

static unsigned int rate_after(uint64_t n, uint64_t frequency)
{
	struct profile p = { .has_n_samples = true, .n_samples = n };

	p.recording.frequency = frequency;
	return few_rate(&p, 400);
}

static void the_advised_rate_gives_a_run_as_long_enough_samples(void **state)
{
	(void)state;
	assert_int_equal(rate_after(80, 0), 999); /* unknown */
	assert_int_equal(rate_after(40, 99), 999);
	assert_int_equal(rate_after(200, 499), 999);
	assert_int_equal(rate_after(200, 500), 1999);
	assert_int_equal(rate_after(102, 997), 4999);
	assert_int_equal(rate_after(79, 997), 9997);
	assert_int_equal(rate_after(67, 4000), 9997); /* the default of perf: needs a longer run */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_lower_end_of_the_interval_decides),
		cmocka_unit_test(work_that_may_be_the_job_is_a_note),
		cmocka_unit_test(with_many_samples_others_rank),
		cmocka_unit_test(threads_shorter_than_a_period_are_not_sampled),
		cmocka_unit_test(samples_of_different_weight_count_for_fewer),
		cmocka_unit_test(an_interval_is_of_effective_samples),
		cmocka_unit_test(the_advised_rate_gives_a_run_as_long_enough_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
