/* SPDX-License-Identifier: MIT */
/*
 * The calls of one function are either short or long, with a gap in between. So there are two code
 * paths: a cache hit or miss, a device awake or asleep, a lock free or held.
 *
 * Thresholds: at least eight calls, with a fifth of them (and at least three) on each side of a gap
 * of factor five. The function must have 30 % of the trace.
 */
#include "core/capture.h"
#include "explain/rule.h"

#include "analyses/calls/calls_summary.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "explain/facts.h"
#include "explain/findings.h"

DECLARE_RULE(two_speeds);

#define SPEEDS_CALLS    8u
#define SPEEDS_SIDE     3u
#define SPEEDS_SIDE_PCT 20u
#define SPEEDS_GAP      5.0
#define SPEEDS_NOTE_PCT 30.0
#define SPEEDS_TRIED    4u
#define SPEEDS_MAX      1000000u /* maximum number of durations to sort */

struct speeds {
	const struct calls_function *of;
	uint64_t short_p50, long_p50; /* median of the short calls, and of the long calls */
	uint64_t short_max, long_min;
	size_t n_short, n_long;
};

static int speeds_order(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Do the calls of @of form two groups, short and long ones? Then set @ret to these groups. */
static bool speeds_split(const struct calls *c, const struct calls_function *of, struct speeds *ret)
{
	VEC(uint64_t) ns = { 0 };
	double widest = 0;
	size_t at = 0;

	for (uint32_t i = 0; i < c->n && ns.len < SPEEDS_MAX; i++) {
		if (c->sym.data[i].v == of->sym.v && calls_is_timed(c, i))
			*VEC_PUSH(&ns) = calls_duration(c, i);
	}
	VEC_SORT(&ns, speeds_order);
	for (size_t i = 1; i < ns.len; i++) {
		/* calls of 0 ns are shorter than a step of the clock: their ratio is unknown */
		double gap = ns.data[i - 1] ? (double)ns.data[i] / (double)ns.data[i - 1] : 0;
		size_t less = i < ns.len - i ? i : ns.len - i;

		if (less >= SPEEDS_SIDE && less * 100 >= ns.len * SPEEDS_SIDE_PCT && gap > widest) {
			widest = gap;
			at = i;
		}
	}
	if (widest >= SPEEDS_GAP)
		*ret = (struct speeds){
			.of = of,
			.short_p50 = ns.data[at / 2],
			.long_p50 = ns.data[at + (ns.len - at) / 2],
			.short_max = ns.data[at - 1],
			.long_min = ns.data[at],
			.n_short = at,
			.n_long = ns.len - at,
		};
	VEC_FREE(&ns);
	return widest >= SPEEDS_GAP;
}

static uint32_t speeds_line(const struct calls *c, const struct speeds *s, bool is_long)
{
	for (uint32_t i = 0; i < c->n; i++) {
		if (c->sym.data[i].v == s->of->sym.v && calls_is_timed(c, i) &&
		    (calls_duration(c, i) >= s->long_min) == is_long)
			return c->line.data[i];
	}
	return s->of->max_line;
}

static void speeds_found(const struct rule_input *in, struct findings *out, const struct speeds *s,
			 double pct)
{
	const struct calls *c = in->capture->calls;
	struct str name = facts_name(in->facts, s->of->sym);
	struct finding *f = finding_add(out, in, &rule_two_speeds, FINDING_NOTE, 85);

	f->impact = pct;
	finding_claim(out, f,
		      STR_FMT
		      " has two speeds: %zu calls of about %s and %zu of about %s, none between",
		      STR_ARG(name), s->n_short, finding_duration(out, s->short_p50), s->n_long,
		      finding_duration(out, s->long_p50));
	finding_figure(f, "longest of the short calls", (double)s->short_max / 1000, 0, "us");
	finding_figure(f, "shortest of the long calls", (double)s->long_min / 1000, 0, "us");
	finding_figure(f, "share of the trace", pct, 0, "%");
	finding_subject(f, s->of->sym, SUBJECT_LISTED);
	finding_evidence(out, f, in, speeds_line(c, s, true), "a long call");
	finding_evidence(out, f, in, speeds_line(c, s, false), "a short call");
	finding_usual_cause(
		out, f,
		"Two paths: a cache hit or miss, an awake or sleeping device, a free or held "
		"lock, or traces of two kernels in one text");
	finding_because(out, f,
			"measured call by call\n"
			"which path the slow calls take");
	finding_next(out, f,
		     "trace the callees of %s (set_graph_function) with arguments: the differences "
		     "in the long calls",
		     finding_word(out, name, true));
}

static void two_speeds_check(const struct rule_input *in, struct findings *out)
{
	double whole = (double)in->calls->root_total_ns;
	unsigned int tried = 0;
	bool has_many = false;
	struct speeds best = { 0 };

	if (in->calls->calls == 0)
		return;
	VEC_FOREACH (f, &in->calls->functions) {
		if (f->timed < SPEEDS_CALLS)
			continue;
		has_many = true;
		if (whole <= 0 || (double)f->total_ns < whole * SPEEDS_NOTE_PCT / 100 ||
		    (double)f->max_ns < (double)f->min_ns * SPEEDS_GAP || tried == SPEEDS_TRIED)
			continue;
		tried++;
		/*
		 * Functions are sorted by self time. Only the first function with two speeds is
		 * reported: its callers have two speeds because of it.
		 */
		if (speeds_split(in->capture->calls, f, &best)) {
			speeds_found(in, out, &best, (double)f->total_ns / whole * 100);
			return;
		}
	}
	if (has_many)
		finding_clean(out, in, &rule_two_speeds,
			      "no function with %.0f %% of the trace has only short and long calls",
			      SPEEDS_NOTE_PCT);
	else
		finding_not_assessed(out, in, &rule_two_speeds, "trace more calls of the same work",
				     "no function was called %u times", SPEEDS_CALLS);
}

const struct rule rule_two_speeds = {
	.id = "two-speeds",
	.title = "Two speeds of one function",
	.needs = RULE_CALLS,
	.check = two_speeds_check,
	.is_general = true,
	.is_measured = true,
};
