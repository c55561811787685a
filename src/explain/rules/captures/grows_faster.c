/* SPDX-License-Identifier: MIT */
/*
 * A command was measured with different numbers as an argument, and time grows faster than the
 * number. With exponent 2, twice the number takes four times as long. The exponent is computed from
 * the smallest and the largest number.
 *
 * Thresholds: sorting, or data that no longer fits into a cache, explains an exponent of up to 1.2.
 * An exponent of at least 1.4 from three measurements, or 1.6 from two, means that the algorithm
 * itself is more than linear. The numbers must differ by a factor of 2. The shortest run must take
 * 10 ms, since shorter runs are mostly start-up.
 */
#include "analyses/counters/counter_metrics.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(grows_faster);

#define GROWS_POWER       1.4
#define GROWS_POWER_TWO   1.6 /* minimum exponent from only two measurements */
#define GROWS_SQUARE      1.75
#define GROWS_FACTOR      2.0 /* minimum ratio of the largest number to the smallest */
#define GROWS_LEAST_S     0.01
#define GROWS_POINTS      16u
#define GROWS_NAME        100u
#define GROWS_SURE        75u
#define GROWS_SURE_TWO    65u
#define GROWS_CAPTURES    64u /* maximum number of captures that are compared with the first one */
#define GROWS_DIGITS_MAX  15u
#define GROWS_IMPACT_PART 50.0

/* One measurement of the command. n: the number in the command's arguments. */
struct grows_point {
	uint32_t capture;
	uint32_t line;
	double n;
	double seconds; /* CPU time if is_cpu, else elapsed time */
	double elapsed; /* 0: unknown, or the same as seconds */
	bool is_cpu;
};

struct grows_points {
	struct grows_point rows[GROWS_POINTS];
	size_t len;
	size_t least, most; /* indices of the rows with the smallest and the largest n */
};

static struct str grows_command(const struct capture *c)
{
	return c->counters ? strings_get(capture_strings(c), c->command) : STR_NONE;
}

static bool grows_measure(const struct capture *c, struct grows_point *ret)
{
	struct counter_sum sum, elapsed;

	ret->is_cpu = counter_metrics_cpu_seconds(c, &sum);
	if (!ret->is_cpu && !counter_metrics_elapsed(c, &sum))
		return false;
	ret->seconds = sum.value;
	ret->elapsed = ret->is_cpu && counter_metrics_elapsed(c, &elapsed) ? elapsed.value : 0;
	ret->line = c->counters->rows.data[sum.row].line;
	return sum.value >= GROWS_LEAST_S;
}

static bool grows_number(struct str digits, double *ret)
{
	if (digits.len == 0 || digits.len > GROWS_DIGITS_MAX)
		return false;
	for (size_t i = 0; i < digits.len; i++) {
		if (!char_is_digit(digits.p[i]))
			return false;
	}
	return str_double(&digits, ret) && *ret > 0;
}

/*
 * Do the commands @a and @b differ only in one whole number? *@ret_a: the number in @a; *@ret_b:
 * the number in @b.
 */
static bool grows_is_pair(struct str a, struct str b, double *ret_a, double *ret_b)
{
	size_t from = 0;
	size_t behind = 0;

	while (from < a.len && from < b.len && a.p[from] == b.p[from])
		from++;
	while (behind + from < a.len && behind + from < b.len &&
	       a.p[a.len - 1 - behind] == b.p[b.len - 1 - behind])
		behind++;
	while (from > 0 && char_is_digit(a.p[from - 1]))
		from--;
	while (behind > 0 && char_is_digit(a.p[a.len - behind]))
		behind--;
	return grows_number(str_sub(a, from, a.len - behind), ret_a) &&
	       grows_number(str_sub(b, from, b.len - behind), ret_b);
}

static void grows_add(struct grows_points *points, struct grows_point point)
{
	for (size_t i = 0; i < points->len; i++) {
		if (points->rows[i].n == point.n)
			return; /* a second measurement with the same number is ignored */
	}
	if (points->len == GROWS_POINTS)
		return;
	points->rows[points->len] = point;
	if (point.n < points->rows[points->least].n)
		points->least = points->len;
	if (point.n > points->rows[points->most].n)
		points->most = points->len;
	points->len++;
}

/* Collect the measurements that differ from capture @first only in the number. */
static void grows_collect(const struct dossier *d, uint32_t first, struct grows_points *ret)
{
	struct str command = grows_command(d->captures.data[first]);

	*ret = (struct grows_points){ .len = 0 };
	if (command.len == 0)
		return;
	for (uint32_t i = first + 1; i < d->captures.len && i < first + GROWS_CAPTURES; i++) {
		const struct capture *c = d->captures.data[i];
		struct grows_point one = { .capture = first };
		struct grows_point other = { .capture = i };

		if (!grows_is_pair(command, grows_command(c), &one.n, &other.n) ||
		    !grows_measure(d->captures.data[first], &one) || !grows_measure(c, &other))
			continue;
		if (one.is_cpu != other.is_cpu || (ret->len && ret->rows[0].n != one.n))
			continue; /* another kind of time, or another number differs */
		if (ret->len == 0)
			grows_add(ret, one);
		grows_add(ret, other);
	}
}

static double grows_power(const struct grows_points *p)
{
	const struct grows_point *a = &p->rows[p->least];
	const struct grows_point *b = &p->rows[p->most];

	return p->len < 2 || b->n < a->n * GROWS_FACTOR
		       ? 0
		       : log(b->seconds / a->seconds) / log(b->n / a->n);
}

/* Cite the measurements of @p, the one with the smallest number first. */
static void grows_cite(const struct rule_input *in, struct findings *out, struct finding *f,
		       const struct grows_points *p)
{
	const struct grows_point *last = NULL;

	for (size_t k = 0; k < p->len; k++) {
		const struct grows_point *next = NULL;
		struct rule_input at = *in;

		for (size_t i = 0; i < p->len; i++) {
			const struct grows_point *one = &p->rows[i];

			if ((!last || one->n > last->n) && (!next || one->n < next->n))
				next = one;
		}
		at.number = next->capture;
		at.capture = in->facts->dossier->captures.data[next->capture];
		finding_evidence(out, f, &at, next->line, "%.0f: %.3f s", next->n, next->seconds);
		last = next;
	}
}

/* The clause about elapsed time in the claim about CPU time; "": elapsed time is unknown. */
static const char *grows_elapsed(struct findings *out, const struct grows_point *a,
				 const struct grows_point *b)
{
	if (a->elapsed <= 0 || b->elapsed <= 0)
		return "";
	return finding_name(out, "; elapsed time %s times: %.3f to %.3f s",
			    finding_amount(out, 3, b->elapsed / a->elapsed), a->elapsed,
			    b->elapsed);
}

static void grows_finding(const struct rule_input *in, struct findings *out,
			  const struct grows_points *p, double power)
{
	const struct grows_point *a = &p->rows[p->least];
	const struct grows_point *b = &p->rows[p->most];
	struct rule_input at = *in;
	struct finding *f;

	at.number = b->capture;
	at.capture = in->facts->dossier->captures.data[b->capture];
	f = finding_add(out, &at, &rule_grows_faster, FINDING_WARNING,
			p->len > 2 ? GROWS_SURE : GROWS_SURE_TWO);
	f->impact = GROWS_IMPACT_PART;
	finding_claim(out, f,
		      "%s time grows %s: %s times the number (%.0f to %.0f) takes %s times as "
		      "long (%.3f to %.3f s%s%s) in '" STR_FMT "'",
		      b->is_cpu ? "CPU" : "Elapsed",
		      power >= GROWS_SQUARE ? "with the square of a number, or faster"
					    : "faster than a number",
		      finding_amount(out, 3, b->n / a->n), a->n, b->n,
		      finding_amount(out, 3, b->seconds / a->seconds), a->seconds, b->seconds,
		      b->is_cpu ? ", user and system" : "", grows_elapsed(out, a, b),
		      STR_ARG(str_sub(grows_command(at.capture), 0, GROWS_NAME)));
	finding_figure(f, "power of the number", power, 0, "");
	finding_figure(f, "measurements", (double)p->len, 0, "");
	grows_cite(in, out, f, p);
	finding_usual_cause(
		out, f,
		"the work for one item grows with the number of items: each step searches, "
		"shifts, copies or redraws all that is there already");
	finding_because(out, f, "%s",
			p->len > 2 ? "the times are measured, and the commands differ only in this "
				     "number"
				   : "two measurements: the start of the program, or a cache that "
				     "overflows, would show alike");
	finding_next(out, f,
		     "perf record -g with the largest number: which function's share "
		     "grows with it");
}

static void grows_check(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;
	struct grows_points best = { .len = 0 };
	double power = 0;

	for (uint32_t i = 0; i < d->captures.len; i++) {
		struct grows_points points;

		grows_collect(d, i, &points);
		if (points.len > best.len) {
			best = points;
			power = grows_power(&best);
		}
	}
	if (best.len == 0)
		return;
	if (power > 0 && power >= (best.len > 2 ? GROWS_POWER : GROWS_POWER_TWO))
		grows_finding(in, out, &best, power);
	else if (power == 0)
		finding_not_assessed(out, in, &rule_grows_faster,
				     "the same command with ten times the input",
				     "the numbers in the commands hardly differ");
	else
		finding_clean(out, in, &rule_grows_faster,
			      "time grows with the power %.2f of the number in the command", power);
}

const struct rule rule_grows_faster = {
	.id = "grows-faster",
	.title = "Time grows faster than the input",
	.needs = RULE_DOSSIER,
	.check = grows_check,
};
