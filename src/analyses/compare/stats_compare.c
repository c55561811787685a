/* SPDX-License-Identifier: MIT */
#include "analyses/compare/stats_compare.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"

#include <math.h>

/* counts with a larger variance are treated as normally distributed */
#define STATS_EXACT_MAX    1e4
#define STATS_BETA_STEPS   300
#define STATS_BETA_EPSILON 1e-14
/* for counts below this, the exact test must be significant, too */
#define STATS_SMALL_COUNT 60.0
/* lower bound for a ratio before its logarithm is taken, because log(0) is infinite */
#define STATS_RATIO_MIN 0.02
/* number of bisection steps after which an interval of doubles is as narrow as their precision */
#define STATS_HALVINGS 60

/* Continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method. */
static double stats_beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1;
	double d = 1 - (a + b) * x / (a + 1);
	double f;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	f = d;
	for (int m = 1; m <= STATS_BETA_STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		f *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < tiny ? tiny : d);
		c = fabs(c) < tiny ? tiny : c;
		step = d * c;
		f *= step;
		if (fabs(step - 1) < STATS_BETA_EPSILON)
			break;
	}
	return f;
}

/* The logarithm of the gamma function. lgamma() would also set a global variable. */
static double stats_log_gamma(double x)
{
	int sign;

	return lgamma_r(x, &sign);
}

double stats_beta(double a, double b, double x)
{
	double front;

	if (!(a > 0) || !(b > 0) || isnan(x))
		return NAN;
	if (x <= 0)
		return 0;
	if (x >= 1)
		return 1;
	front = exp(stats_log_gamma(a + b) - stats_log_gamma(a) - stats_log_gamma(b) + a * log(x) +
		    b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * stats_beta_fraction(a, b, x) / a;
	return 1 - front * stats_beta_fraction(b, a, 1 - x) / b;
}

double stats_t_two_sided(double t, double df)
{
	if (isnan(t) || !(df > 0))
		return NAN;
	if (df >= STATS_DF_NORMAL)
		return erfc(fabs(t) * M_SQRT1_2);
	return stats_beta(df / 2, 0.5, df / (df + t * t));
}

double stats_t_critical(double alpha, double df)
{
	double low = 0;
	double high = 1;

	if (!(alpha > 0) || !(alpha < 1) || !(df > 0))
		return NAN;
	while (high < 1e12 && stats_t_two_sided(high, df) > alpha)
		high *= 2;
	for (int i = 0; i < STATS_HALVINGS; i++) {
		double middle = (low + high) / 2;

		if (stats_t_two_sided(middle, df) > alpha)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/*
 * The quantile of the beta distribution: the x for which I_x(a, b) is @want (incomplete beta
 * function).
 */
static double stats_beta_quantile(double a, double b, double want)
{
	double low = 0;
	double high = 1;

	for (int i = 0; i < STATS_HALVINGS; i++) {
		double middle = (low + high) / 2;

		if (stats_beta(a, b, middle) < want)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

struct interval stats_exact_limits(double k, double n, double alpha)
{
	struct interval i = { 0, 1 };

	if (!(n > 0) || !(alpha > 0))
		return i;
	k = fmin(fmax(k, 0), n);
	if (k * (n - k) / n > STATS_EXACT_MAX) {
		i = stats_wilson(k, n, stats_t_critical(alpha, STATS_DF_NORMAL));
		return (struct interval){ i.low / 100, i.high / 100 };
	}
	if (k > 0)
		i.low = stats_beta_quantile(k, n - k + 1, alpha / 2);
	if (k < n)
		i.high = stats_beta_quantile(k + 1, n - k, 1 - alpha / 2);
	return i;
}

/*
 * digamma(x) = digamma(x + 1) - 1 / x: apply this until x is large enough for the asymptotic series
 * (DLMF 5.11.2, 5.15)
 */
double stats_digamma(double x)
{
	double sum = 0;
	double y;

	if (!(x > 0))
		return NAN;
	while (x < 10) {
		sum -= 1 / x;
		x++;
	}
	y = 1 / (x * x);
	return sum + log(x) - 0.5 / x - y * (1.0 / 12 - y * (1.0 / 120 - y * (1.0 / 252)));
}

double stats_trigamma(double x)
{
	double sum = 0;
	double y;

	if (!(x > 0))
		return NAN;
	while (x < 10) {
		sum += 1 / (x * x);
		x++;
	}
	y = 1 / (x * x);
	return sum + 1 / x + y / 2 + y / x * (1.0 / 6 - y * (1.0 / 30 - y * (1.0 / 42)));
}

static struct interval stats_share_limits(struct stats_side s, double t)
{
	struct interval i = stats_wilson(s.value * s.size, s.size, t);

	i.low /= 100;
	i.high /= 100;
	return i;
}

struct interval stats_rate_limits(struct stats_side s, double t)
{
	double k = s.value * s.size;
	double half = t * sqrt(k + t * t / 4);
	double centre = k + t * t / 2;
	struct interval i = { 0, INFINITY };

	if (!(s.size > 0))
		return i;
	i.low = fmax(centre - half, 0) / s.size;
	i.high = (centre + half) / s.size;
	return i;
}

struct interval stats_difference(struct stats_side a, struct stats_side b, bool is_rate, double t)
{
	struct interval ia = is_rate ? stats_rate_limits(a, t) : stats_share_limits(a, t);
	struct interval ib = is_rate ? stats_rate_limits(b, t) : stats_share_limits(b, t);
	double d = b.value - a.value;

	return (struct interval){
		d - hypot(b.value - ib.low, ia.high - a.value),
		d + hypot(ib.high - b.value, a.value - ia.low),
	};
}

/*
 * p-value of the conditional binomial test: @b of a + b events are on side B, @share_of_b of them
 * are expected there.
 */
static double stats_binomial_p(double a, double b, double share_of_b)
{
	double upper, lower;

	if (a + b <= 0)
		return 1;
	upper = (b > 0 ? stats_beta(b, a + 1, share_of_b) : 1) / 2 +
		(a > 0 ? stats_beta(b + 1, a, share_of_b) : 0) / 2;
	lower = 1 - upper;
	return fmin(1, 2 * fmin(upper, lower));
}

double stats_difference_p(struct stats_side a, struct stats_side b, bool is_rate, double df)
{
	double size = a.size + b.size;
	double mean, variance, p, exact;

	if (!(a.size > 0) || !(b.size > 0))
		return NAN;
	mean = (a.value * a.size + b.value * b.size) / size;
	variance = mean * (is_rate ? 1 : 1 - mean) * (1 / a.size + 1 / b.size);
	if (!(variance > 0))
		return 1;
	p = stats_t_two_sided((b.value - a.value) / sqrt(variance), df);
	if (mean * size < STATS_SMALL_COUNT) {
		exact = stats_binomial_p(a.value * a.size, b.value * b.size, b.size / size);
		p = fmax(p, exact);
	}
	return p;
}

struct stats_runs stats_runs_of(const double *totals, size_t n, double floor)
{
	struct stats_runs r = { .variance = NAN, .floor = floor, .n = n };
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		r.mean += log(totals[i]) / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (log(totals[i]) - r.mean) * (log(totals[i]) - r.mean);
	if (n > 1)
		r.variance = fmax(floor, squares / (double)(n - 1));
	return r;
}

/*
 * Satterthwaite's degrees of freedom for the difference of two means, each with a variance from its
 * own runs.
 */
static double stats_runs_df(struct stats_runs a, struct stats_runs b)
{
	double va = a.variance / (double)a.n, vb = b.variance / (double)b.n;
	double below = va * va / (double)(a.n - 1) + vb * vb / (double)(b.n - 1);

	return below > 0 ? (va + vb) * (va + vb) / below : (double)(a.n + b.n - 2);
}

struct stats_ratio stats_runs_ratio(struct stats_runs a, struct stats_runs b, double assumed,
				    bool is_given)
{
	struct stats_ratio r = { .log = b.mean - a.mean, .df = STATS_DF_NORMAL };
	bool has_a = a.n > 1, has_b = b.n > 1;

	r.is_measured = !is_given && (has_a || has_b);
	if (!r.is_measured) {
		a.variance = assumed + a.floor;
		b.variance = assumed + b.floor;
	} else if (has_a && has_b) {
		r.df = stats_runs_df(a, b);
	} else {
		r.df = (double)(has_a ? a.n : b.n) - 1;
		a.variance = has_a ? a.variance : fmax(a.floor, b.variance);
		b.variance = has_b ? b.variance : fmax(b.floor, a.variance);
	}
	r.variance = (a.variance * (double)a.n + b.variance * (double)b.n) / (double)(a.n + b.n);
	r.error = sqrt(a.variance / (double)a.n + b.variance / (double)b.n);
	r.p = r.error > 0 ? stats_t_two_sided(r.log / r.error, r.df) : r.log != 0 ? 0 : 1;
	return r;
}

double stats_ratio_visible(struct stats_ratio r, double alpha, double miss)
{
	/*
	 * @miss is a one-sided probability, but stats_t_critical() takes a two-sided one: 2 * @miss
	 */
	return r.error * (stats_t_critical(alpha, r.df) + stats_t_critical(2 * miss, r.df));
}

/* Smallest change of the logarithm of a total that is found with @n runs per side. */
static double stats_runs_visible(double variance, uint64_t n, double alpha, double miss)
{
	struct stats_ratio r = { .error = sqrt(2 * variance / (double)n), .df = 2 * (double)n - 2 };

	return stats_ratio_visible(r, alpha, miss);
}

uint64_t stats_runs_needed(double variance, double log, double alpha, double miss)
{
	uint64_t low = 1, high = 2;

	while (stats_runs_visible(variance, high, alpha, miss) > fabs(log)) {
		if (high == STATS_RUNS_MAX)
			return 0;
		low = high;
		high = high < STATS_RUNS_MAX / 2 ? high * 2 : STATS_RUNS_MAX;
	}
	while (high - low > 1) {
		uint64_t middle = (low + high) / 2;

		if (stats_runs_visible(variance, middle, alpha, miss) > fabs(log))
			low = middle;
		else
			high = middle;
	}
	return high;
}

struct stats_ranked {
	double p;
	size_t at;
};

static int stats_ranked_compare(const void *x, const void *y)
{
	const struct stats_ranked *a = x;
	const struct stats_ranked *b = y;

	return SORT_ORDER(a->p, b->p) ?: SORT_ORDER(a->at, b->at);
}

void stats_benjamini_hochberg(const double *p, const double *weight, double *ret_q, size_t n)
{
	CLEANUP(freep) struct stats_ranked *ranked = xcalloc(n + 1, sizeof(*ranked));
	double smallest = 1;
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		ret_q[i] = NAN;
		if (!isnan(p[i]))
			ranked[m++] = (struct stats_ranked){ p[i] / (weight ? weight[i] : 1), i };
	}
	qsort(ranked, m, sizeof(*ranked), stats_ranked_compare);
	for (size_t i = m; i-- > 0;) {
		smallest = fmin(smallest, ranked[i].p * (double)m / (double)(i + 1));
		/* a large weight must not make q smaller than p */
		ret_q[ranked[i].at] = fmax(smallest, p[ranked[i].at]);
	}
}

/* Solve trigamma(x) = y by Newton's method on 1/trigamma, which is nearly linear (Smyth 2004). */
static double stats_trigamma_inverse(double y)
{
	double x = 0.5 + 1 / y;

	for (int i = 0; i < 60; i++) {
		double f = stats_trigamma(x);
		double h = x * 1e-4;
		double slope = (stats_trigamma(x + h) - stats_trigamma(x - h)) / (2 * h);
		double step = f * (1 - f / y) / slope;

		if (x + step <= 0)
			step = -x / 2;
		x += step;
		if (fabs(step) < 1e-8 * x)
			break;
	}
	return x;
}

struct stats_prior stats_prior_fit(const double *ratio, const double *df, size_t n)
{
	double sum = 0, squares = 0, noise = 0, mean, variance;
	struct stats_prior prior = { 1, 0 };

	if (n < STATS_PRIOR_MIN)
		return prior;
	for (size_t i = 0; i < n; i++) {
		double half = df[i] / 2;

		sum += log(fmax(ratio[i], STATS_RATIO_MIN)) - stats_digamma(half) + log(half);
	}
	mean = sum / (double)n;
	for (size_t i = 0; i < n; i++) {
		double half = df[i] / 2;
		double e = log(fmax(ratio[i], STATS_RATIO_MIN)) - stats_digamma(half) + log(half) -
			   mean;

		squares += e * e;
		noise += stats_trigamma(half);
	}
	variance = squares / (double)(n - 1) - noise / (double)n;
	if (variance <= 2e-4) { /* no variation beyond chance: all functions share one ratio */
		prior.df = STATS_DF_NORMAL;
		prior.ratio = exp(mean);
		return prior;
	}
	prior.df = 2 * stats_trigamma_inverse(variance);
	prior.ratio = exp(mean + stats_digamma(prior.df / 2) - log(prior.df / 2));
	return prior;
}

double stats_moderate(struct stats_prior prior, double ratio, double df, double *ret_df)
{
	*ret_df = prior.df + df;
	if (!(*ret_df > 0))
		return ratio;
	return (prior.df * prior.ratio + df * ratio) / *ret_df;
}
