/* SPDX-License-Identifier: MIT */
/*
 * stats_compare.h - statistics of differences
 *
 * Shares and rates of two recordings: their difference with an interval, a test, correction for
 * multiple tests, and overdispersion relative to independent samples. Pure functions; shares
 * are fractions of 1.
 *
 * Methods and sources:
 *   share         score interval: E. B. Wilson, JASA 22 (1927) 209-212
 *   exact share   limits that hold for every share: C. J. Clopper, E. S. Pearson,
 *                 Biometrika 26 (1934) 404-413
 *   rate          score interval of a Poisson mean: the roots of (k - m)^2 = z^2 m
 *   difference    squared distances to the limits of either side add up:
 *                 R. G. Newcombe, Statist. Med. 17 (1998) 873-890, method 10; for any
 *                 limits: G. Y. Zou, A. Donner, Statist. Med. 27 (2008) 1693-1702
 *   rare events   conditional binomial test of two Poisson means: J. Przyborowski,
 *                 H. Wilenski, Biometrika 31 (1940) 313-323, with half of the
 *                 probability of the observed value (mid-p)
 *   many tests    Y. Benjamini, Y. Hochberg, JRSS B 57 (1995) 289-300
 *   weights       weights of hypotheses that do not depend on the tested values:
 *                 C. R. Genovese, K. Roeder, L. Wasserman, Biometrika 93 (2006) 509-524
 *   spread        ratio estimator over blocks: W. G. Cochran, Sampling Techniques,
 *                 3rd ed. (1977), ch. 6; degrees of freedom of the sum of two variances:
 *                 F. E. Satterthwaite, Biometrics Bull. 2 (1946) 110-114
 *   few blocks    shrink each function's spread towards that of all functions: G. K. Smyth,
 *                 Stat. Appl. Genet. Mol. Biol. 3 (2004) art. 3, section 6.2
 *   totals        Welch's t of the logarithms of the runs' totals: B. L. Welch, Biometrika
 *                 34 (1947) 28-35; logarithms, because noise grows with the total
 *   same          the interval lies within a margin, see D. J. Schuirmann,
 *                 J. Pharmacokin. Biopharm. 15 (1987) 657-680; 90 % would suffice,
 *                 so the 95 % interval is conservative
 */
#ifndef ANALYSES_STATS_COMPARE_H
#define ANALYSES_STATS_COMPARE_H

#include "base/stats.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATS_DF_NORMAL 1e4 /* with more degrees of freedom, the normal distribution replaces t */

/*
 * P(|T| >= |t|) of Student's t distribution with @df > 0 degrees of freedom; @df may be fractional.
 */
double stats_t_two_sided(double t, double df);
/* The two-sided critical value: |t| exceeds it with probability @alpha. */
double stats_t_critical(double alpha, double df);
/* Regularised incomplete beta function I_x(a, b), a, b > 0. */
double stats_beta(double a, double b, double x);
/*
 * Exact limits of the share of samples that have a property, if @k of @n samples have it. @k and @n
 * may be fractional. Limits are fractions of 1. Each limit is wrong with a probability of at most
 * @alpha / 2. n <= 0: 0 to 1.
 */
struct interval stats_exact_limits(double k, double n, double alpha);
double stats_digamma(double x);
double stats_trigamma(double x);

/*
 * One side of a comparison. For a share, `value` is in [0, 1], and `size` is the number of
 * independent samples that would have the same variance. For a rate, `size` is mean / variance.
 * Example: 100 independent events in 4 s have value 25 and size 4, and value * size is the number
 * of events. A size of 0 means unknown.
 */
struct stats_side {
	double value;
	double size;
};

/* Interval of a rate. @t: critical value, from stats_t_critical(). */
struct interval stats_rate_limits(struct stats_side s, double t);
/* Interval of the difference b - a. */
struct interval stats_difference(struct stats_side a, struct stats_side b, bool is_rate, double t);
/*
 * p-value of the hypothesis a = b, by a score test. For small counts: the larger of this p-value
 * and that of the exact test.
 */
double stats_difference_p(struct stats_side a, struct stats_side b, bool is_rate, double df);
/*
 * Correct p-values for multiple tests: ret_q[i] is the smallest false discovery rate at which test
 * i is significant. NaN in @p means no test, and stays NaN. @weight: weights with mean 1 that do
 * not depend on @p (NULL: equal weights); a test of weight w counts as if its p were p / w. Cost:
 * O(n log n).
 */
void stats_benjamini_hochberg(const double *p, const double *weight, double *ret_q, size_t n);

/* Statistics of the totals of a side's runs. */
struct stats_runs {
	double mean; /* mean of the logarithms of the runs' totals */
	/* variance of the logarithms of the runs' totals; NaN: fewer than two runs */
	double variance;
	double floor; /* lower bound for `variance`: the variance that sampling alone causes */
	size_t n;
};
/* Summarise the runs of a side. @totals must be positive. Cost: O(n). */
struct stats_runs stats_runs_of(const double *totals, size_t n, double floor);

/* The ratio of two sides' totals. */
struct stats_ratio {
	double log;      /* logarithm of the ratio B / A */
	double error;    /* standard error of `log` */
	double df;       /* degrees of freedom of `error` */
	double p;        /* p-value of the hypothesis that the totals are equal */
	double variance; /* variance of the logarithm of one run's total, over both sides */
	bool is_measured;
};
/*
 * Compare the totals of two sides. A side with one run gets the variance of the other side. If both
 * sides have one run, or if @is_given, the variance is @assumed. All variances are those of the
 * logarithm of one run's total.
 */
struct stats_ratio stats_runs_ratio(struct stats_runs a, struct stats_runs b, double assumed,
				    bool is_given);
/*
 * The smallest change that is detected, as |logarithm of the ratio|. @alpha: significance level;
 * @miss: probability that such a change is missed.
 */
double stats_ratio_visible(struct stats_ratio r, double alpha, double miss);
/*
 * Number of runs per side with which a change is detected; 0: more than STATS_RUNS_MAX. @log: the
 * change as the logarithm of the ratio; @variance: variance of the logarithm of one run's total;
 * @alpha: significance level; @miss: probability that the change is missed.
 */
#define STATS_RUNS_MAX 100000u
uint64_t stats_runs_needed(double variance, double log, double alpha, double miss);

/*
 * Fit a prior distribution to ratios of variances, such as the overdispersion of all functions.
 * @ratio[i] was estimated with @df[i] degrees of freedom. The result has df 0 if there are fewer
 * than STATS_PRIOR_MIN ratios.
 */
#define STATS_PRIOR_MIN 8u
struct stats_prior {
	double ratio;
	double df;
};
struct stats_prior stats_prior_fit(const double *ratio, const double *df, size_t n);
/*
 * Move @ratio towards prior.ratio. The smaller @df, the stronger the move. *@ret_df: degrees of
 * freedom of the result.
 */
double stats_moderate(struct stats_prior prior, double ratio, double df, double *ret_df);

#endif
