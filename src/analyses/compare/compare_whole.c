/* SPDX-License-Identifier: MIT */
/*
 * Compare the totals of whole runs: CPU time, or the count of another event, and wall time.
 *
 * A total is exact to about one sampling period per thread. The totals of two runs of one program
 * differ because of the machine: frequency, other load, memory layout. A single run does not show
 * this spread: its slices vary with the phases of the program. So the spread is measured between
 * several runs of a side. With one run it is assumed, and reported as assumed.
 *
 * If all functions take longer by the same factor, their shares stay the same: only the totals show
 * such a change.
 */
#include "analyses/compare/compare.h"
#include "analyses/compare/compare_build.h"
#include "analyses/compare/stats_compare.h"
#include "analyses/event_unit.h"
#include "analyses/quality/quality.h"
#include "base/arena.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/profile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* largest fraction of lost samples with which a recording counts as a whole run */
#define WHOLE_LOST_MAX 0.01
/*
 * the count of a multiplexed event is used only if it was counted in at least this fraction of the
 * time
 */
#define WHOLE_RAN_MIN 0.99
/*
 * the output names a caller only if at least this fraction of the function's change comes from it
 */
#define WHOLE_CALLER_MIN 0.8
/* the output names callers only if at most this fraction of the call chains is broken */
#define WHOLE_CHAINS_MAX 0.05
/* a function is listed if its change is at least this number of standard errors */
#define WHOLE_PART_Z 3.0
/*
 * change, in percent, for which runs_needed is computed if the user does not set compare_spec.want
 */
#define WHOLE_WANT 1.0

/* Reason why @r does not count as a whole run; NULL: it does. */
static const char *whole_lacks(const struct compare_build *b, const struct compare_run *r)
{
	const struct profile *p = r->profile;
	const struct profile_recording *n = &p->recording;

	if (!b->spec->is_per_run && !n->command_ns)
		return n->is_known ? "one of them is no recording of a command from start to end"
				   : "nothing says that both are whole runs";
	if (p->has_lost && r->samples > 0 && (double)p->lost > WHOLE_LOST_MAX * r->samples)
		return "samples were lost";
	if (n->enabled_ns && (double)n->running_ns < WHOLE_RAN_MIN * (double)n->enabled_ns)
		return "the event was counted for a part of the time only (multiplexed)";
	if (isnan(compare_events_of(r)) && isnan(r->samples))
		return "one of them does not state its total";
	return NULL;
}

static const char *wholes_lack(const struct compare_build *b)
{
	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < b->n_runs[s]; i++) {
			const char *why = whole_lacks(b, &b->runs[s][i]);

			if (why)
				return why;
		}
	}
	return NULL;
}

static bool whole_has_events(const struct compare_build *b)
{
	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < b->n_runs[s]; i++) {
			if (isnan(compare_events_of(&b->runs[s][i])))
				return false;
		}
	}
	return true;
}

/* Total of a run; after a selection, the sum of the selected samples. */
static double whole_total(const struct compare_run *r, bool has_events)
{
	const struct profile *p = r->profile;

	if (!has_events)
		return r->samples;
	if (p->is_selected && r->from_samples)
		return (r->total - (double)p->left_out) / pow(10, profile_sample_decimals(p));
	return compare_events_of(r);
}

/*
 * The part of the variance of the logarithm of a run's total that comes from sampling. The total
 * omits the last, incomplete sampling period of each thread. So each thread causes an error of up
 * to one sample, with a variance of 1/12.
 */
static double whole_floor(const struct compare_run *r)
{
	double threads = r->profile->threads.len ? (double)r->profile->threads.len : 1;
	double n = r->samples > 0 ? r->samples : 1;

	return fmin(1, threads / 12) / (n * n) + 1e-12;
}

struct whole_side {
	double totals[COMPARE_RUNS_MAX];
	size_t n;
	double floor;
};

static bool whole_side(const struct compare_build *b, int s, bool is_wall, bool has_events,
		       struct whole_side *ret)
{
	*ret = (struct whole_side){ .n = b->n_runs[s] };
	for (size_t i = 0; i < ret->n; i++) {
		const struct compare_run *r = &b->runs[s][i];

		ret->totals[i] = is_wall ? (double)r->profile->recording.command_ns
					 : whole_total(r, has_events);
		ret->floor = fmax(ret->floor, is_wall ? 1e-12 : whole_floor(r));
		if (!(ret->totals[i] > 0))
			return false;
	}
	return true;
}

static double whole_percent(double log)
{
	return 100 * expm1(log);
}

static enum compare_spread whole_from(const struct compare_build *b, bool is_measured)
{
	if (!is_measured)
		return b->spec->run_spread > 0 ? COMPARE_GIVEN : COMPARE_ASSUMED;
	return b->n_runs[0] > 1 && b->n_runs[1] > 1 ? COMPARE_BY_RUNS : COMPARE_BY_RUNS_ONE;
}

static void whole_judge(struct compare_build *b, struct compare_whole *w,
			const struct whole_side *a, const struct whole_side *c, double assumed,
			double alpha)
{
	bool is_given = b->spec->run_spread > 0;
	double s = (is_given ? b->spec->run_spread : assumed) / 100;
	struct stats_runs ra = stats_runs_of(a->totals, a->n, a->floor);
	struct stats_runs rb = stats_runs_of(c->totals, c->n, c->floor);
	struct stats_ratio r = stats_runs_ratio(ra, rb, s * s, is_given);
	double half = r.error * stats_t_critical(COMPARE_ALPHA, r.df);

	w->a = exp(ra.mean);
	w->b = exp(rb.mean);
	w->n_a = a->n;
	w->n_b = c->n;
	w->change = whole_percent(r.log);
	w->low = whole_percent(r.log - half);
	w->high = whole_percent(r.log + half);
	w->alpha = alpha;
	w->p = r.p;
	w->df = r.df;
	w->spread = 100 * sqrt(r.variance);
	w->visible = whole_percent(stats_ratio_visible(r, alpha, COMPARE_RUN_MISS));
	w->want = b->spec->want > 0 ? b->spec->want : WHOLE_WANT;
	w->runs_needed =
		stats_runs_needed(r.variance, log1p(w->want / 100), alpha, COMPARE_RUN_MISS);
	w->from = whole_from(b, r.is_measured);
	w->verdict = COMPARE_CANNOT_TELL;
	if (r.p <= alpha)
		w->verdict = r.log > 0 ? COMPARE_MORE : COMPARE_LESS;
	else if (w->low >= -COMPARE_RUN_MARGIN && w->high <= COMPARE_RUN_MARGIN)
		w->verdict = COMPARE_SAME;
}

/*
 * Fraction of the wall time in which no CPU ran the program, for the run with the largest fraction.
 * Either the program waited, or other programs used the CPU. In both cases CPU time is less
 * repeatable: on a machine with four programs per CPU, equal runs differed by 7 %.
 */
static double whole_waited(const struct compare_build *b)
{
	double most = 0;

	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < b->n_runs[s]; i++) {
			const struct compare_run *r = &b->runs[s][i];
			double wall = (double)r->profile->recording.command_ns;

			if (wall > 0)
				most = fmax(most, 1 - compare_events_of(r) / wall);
		}
	}
	return most;
}

/* Whether all runs took the same wall time: the program may run for a set time. */
static bool whole_is_timed(const struct compare_build *b)
{
	double least = INFINITY, most = 0;

	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < b->n_runs[s]; i++) {
			double wall = (double)b->runs[s][i].profile->recording.command_ns;

			least = fmin(least, wall);
			most = fmax(most, wall);
		}
	}
	return least > 0 && log(most / least) <= COMPARE_TIMED_LOG;
}

/*
 * Fraction of the time of its CPUs in which a run was on none, for the run with the largest
 * fraction. The number of CPUs is the smallest that all runs together need: two if the threads of
 * one run took 1.2 s of CPU time in 1 s.
 */
static double whole_missed(const struct compare_build *b)
{
	double least = INFINITY, most = 0;

	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < b->n_runs[s]; i++) {
			const struct compare_run *r = &b->runs[s][i];
			double wall = (double)r->profile->recording.command_ns;
			double used = wall > 0 ? compare_events_of(r) / wall : 1;

			least = fmin(least, used);
			most = fmax(most, used);
		}
	}
	return 1 - least / fmax(1, ceil(most - COMPARE_TIMED_LOG));
}

/* The deviation of CPU time to assume for one run, in percent. */
static double whole_assumed(const struct compare_build *b, struct compare_whole *w)
{
	double missed = whole_missed(b);
	double by_factor;
	double by_time;

	w->waited = whole_waited(b);
	by_factor = COMPARE_RUN_SPREAD * (1 + (COMPARE_WAIT_FACTOR - 1) * w->waited);
	by_time = COMPARE_RUN_SPREAD + 100 * COMPARE_TIMED_PART * fmin(missed, COMPARE_TIMED_MOST);
	w->is_timed = by_time > by_factor && whole_is_timed(b);
	if (w->is_timed)
		w->waited = missed;
	return w->is_timed ? by_time : by_factor;
}

/*
 * Compare the total CPU time of the two sides, or the total count of another event. False: a run
 * lacks this total.
 */
static bool whole_of_event(struct compare_build *b, struct compare_whole *w)
{
	const struct compare_run *first = &b->runs[0][0];
	struct event_unit unit = event_unit_of(first->capture);
	bool has_events = whole_has_events(b);
	bool is_ns = has_events && compare_counts_ns(first->capture);
	bool is_work = EVENT_BIT(unit.kind) & EVENT_IS_WORK;
	double assumed;
	struct whole_side sides[2];

	*w = (struct compare_whole){ .id = unit.kind == EVENT_TIME ? "cpu" : "event" };
	w->what = arena_str(&b->ret->arena, str_of(unit.of));
	if (unit.kind == EVENT_UNNAMED)
		w->what = STR("samples");
	if (is_ns)
		w->unit = STR("s");
	else if (!has_events)
		w->unit = STR("samples");
	else if (unit.kind == EVENT_TIME)
		w->unit = STR("cycles");
	for (int s = 0; s < 2; s++) {
		if (!whole_side(b, s, false, has_events, &sides[s]))
			return false;
		for (size_t i = 0; is_ns && i < sides[s].n; i++)
			sides[s].totals[i] /= 1e9;
	}
	assumed = is_work ? COMPARE_RUN_SPREAD : COMPARE_OTHER_SPREAD;
	if (is_ns && is_work)
		assumed = whole_assumed(b, w);
	whole_judge(b, w, &sides[0], &sides[1], assumed, COMPARE_HALF_ALPHA);
	return true;
}

static bool whole_of_wall(struct compare_build *b, struct compare_whole *w)
{
	struct whole_side sides[2];

	*w = (struct compare_whole){ .id = "wall", .what = STR("wall time"), .unit = STR("s") };
	for (int s = 0; s < 2; s++) {
		if (!whole_side(b, s, true, false, &sides[s]))
			return false;
		for (size_t i = 0; i < sides[s].n; i++)
			sides[s].totals[i] /= 1e9;
	}
	whole_judge(b, w, &sides[0], &sides[1], COMPARE_OTHER_SPREAD, COMPARE_WALL_ALPHA);
	return true;
}

bool compare_has_callers(const struct compare_build *b)
{
	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < b->n_runs[s]; i++) {
			const struct compare_run *r = &b->runs[s][i];
			struct quality_chains chains;
			uint64_t frameless = 0;

			if (!r->from_samples)
				return false;
			quality_chains_of(r->capture, &chains);
			VEC_FOREACH (f, &r->profile->samples.no_frame)
				frameless += *f;
			if ((double)chains.broken > WHOLE_CHAINS_MAX * (double)chains.all ||
			    (double)frameless > WHOLE_CHAINS_MAX * (double)r->profile->samples.n)
				return false;
		}
	}
	return true;
}

/*
 * The caller of @name, if @name is the innermost function of @stack: "has_dup" for "memcmp" in
 * "main;has_dup;memcmp". Else, or without a caller, STR_NONE.
 */
static struct str whole_caller(struct str stack, struct str name)
{
	size_t at;

	if (stack.len <= name.len + 1 || !str_ends(stack, name) ||
	    stack.p[stack.len - name.len - 1] != ';')
		return STR_NONE;
	stack.len -= name.len + 1;
	at = str_rfind_char(stack, ';');
	return at < stack.len ? str_skip(stack, at + 1) : stack;
}

struct whole_change {
	struct str caller;
	double delta;
};

static int whole_compare_callers(const void *x, const void *y)
{
	return str_cmp(((const struct whole_change *)x)->caller,
		       ((const struct whole_change *)y)->caller);
}

struct str compare_main_caller(const struct compare *c, const struct compare_callee *f,
			       double *ret_part)
{
	VEC(struct whole_change) changes = VEC_INIT;
	struct whole_change best = { .delta = 0 };

	VEC_FOREACH (r, &c->tables[COMPARE_STACK].rows) {
		struct str caller = whole_caller(r->name, f->name);

		if (caller.len && str_eq(r->dso, f->dso))
			*VEC_PUSH(&changes) =
				(struct whole_change){ caller,
						       r->a * f->factor[0] + r->b * f->factor[1] };
	}
	VEC_SORT(&changes, whole_compare_callers);
	for (size_t i = 0; i < changes.len; i++) {
		struct whole_change *at = &changes.data[i];

		if (i && str_eq(at->caller, at[-1].caller))
			at->delta += at[-1].delta;
		if (fabs(at->delta) > fabs(best.delta))
			best = *at;
	}
	VEC_FREE(&changes);
	*ret_part = best.delta / f->total;
	if (best.caller.len == 0 || best.caller.p[0] == '[')
		return STR_NONE;
	return best.caller;
}

static int whole_compare_parts(const void *x, const void *y)
{
	const struct compare_part *a = x;
	const struct compare_part *b = y;

	return SORT_ORDER(fabs(b->delta), fabs(a->delta)) ?: str_cmp(a->name, b->name);
}

/*
 * Standard error of @value, a function's part of @total. @samples: effective sample size, as in
 * compare_row.samples_a. The total itself is exact to one sample.
 */
static double whole_error(double value, double total, double samples)
{
	double n = fmax(1, samples);

	return value * sqrt(fmax(1 / n, fmax(0, 1 - value / total)) / n);
}

/* Split the change of the total into the contributions of functions. */
static void whole_parts(struct compare_build *b, const struct compare_whole *w)
{
	struct compare *c = b->ret;
	double sums[2] = { 0, 0 }, factor[2];
	bool is_share = b->spec->norm == COMPARE_TOTAL;

	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < b->n_runs[s]; i++)
			sums[s] += compare_value(&b->runs[s][i], b->runs[s][i].total) *
				   (is_share ? 100 : 1) / (double)b->n_runs[s];
	}
	factor[0] = w->a / sums[0];
	factor[1] = w->b / sums[1];
	VEC_FOREACH (r, &c->tables[COMPARE_SYMBOL].rows) {
		struct compare_part p = {
			.name = r->name,
			.dso = r->dso,
			.a = r->a * factor[0],
			.b = r->b * factor[1],
		};

		p.delta = p.b - p.a;
		p.error = hypot(whole_error(p.a, w->a, r->samples_a),
				whole_error(p.b, w->b, r->samples_b));
		p.pct = 100 * p.delta / (w->b - w->a);
		if (!(fabs(p.delta) > WHOLE_PART_Z * p.error))
			continue;
		*VEC_PUSH(&c->parts) = p;
	}
	VEC_SORT(&c->parts, whole_compare_parts);
	if (c->parts.len > COMPARE_PARTS_MAX)
		c->parts.len = COMPARE_PARTS_MAX;
	if (c->tables[COMPARE_STACK].missing.len || !compare_has_callers(b))
		return;
	VEC_FOREACH (p, &c->parts) {
		struct compare_callee f = { p->name, p->dso, { -factor[0], factor[1] }, p->delta };
		double part;
		struct str caller = compare_main_caller(c, &f, &part);

		if (part >= WHOLE_CALLER_MIN)
			p->caller = caller;
	}
}

void compare_wholes(struct compare_build *b)
{
	struct compare *c = b->ret;
	const char *why = b->spec->norm == COMPARE_TOTAL || b->spec->is_per_run
				  ? wholes_lack(b)
				  : "they are compared by what was done";

	if (!why && !whole_of_event(b, &c->wholes[0]))
		why = "a run has no samples";
	if (why) {
		c->wholes_missing = str_of(why);
		return;
	}
	c->n_wholes = 1;
	c->alpha = COMPARE_HALF_ALPHA;
	if (whole_of_wall(b, &c->wholes[1]))
		c->n_wholes = 2;
	/*
	 * each side has one run. Amounts of functions vary with the total from run to run, so add
	 * the spread of totals
	 */
	if (b->spec->is_per_run && b->n_runs[0] == 1 && b->n_runs[1] == 1)
		b->run_variance = pow(c->wholes[0].spread / 100, 2);
}

void compare_parts(struct compare_build *b)
{
	const struct compare_whole *w = &b->ret->wholes[0];

	if (b->ret->n_wholes && (w->verdict == COMPARE_MORE || w->verdict == COMPARE_LESS))
		whole_parts(b, w);
}
