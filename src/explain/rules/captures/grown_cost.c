/* SPDX-License-Identifier: MIT */
/*
 * The text has a good and a bad profile of the same workload. The finding names the function that
 * grew most in the bad profile, its caller and its kind of work. A cost that is large in both
 * profiles is not the regression.
 *
 * Thresholds: the share of a function differs between runs of one program by a few percentage
 * points. So it must grow by GROWN_POINTS. If the share is at least GROWN_NEW_TIMES times that in
 * the good profile, a growth of GROWN_NEW suffices. A warning needs a growth of GROWN_LEADS. A
 * caller is named if it has at least the part GROWN_CALLER (0 to 1) of the function's share.
 */
#include "analyses/roles.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/pairs.h"
#include "explain/rule.h"
#include "explain/signatures/signature.h"

#include <math.h>
#include <stdio.h>

DECLARE_RULE(grown_cost);

#define GROWN_POINTS 3.0
#define GROWN_LEADS  10.0
/*
 * Minimum growth, in percentage points, of a function that is nearly absent from the good profile.
 */
#define GROWN_NEW       1.0
#define GROWN_NEW_TIMES 10.0
#define GROWN_CALLER    0.5
/*
 * Thresholds for two profiles with exact counts. The total must change by at least the part
 * GROWN_WHOLE (0 to 1) of itself. A function is named if it causes at least the part GROWN_PART of
 * this change.
 */
#define GROWN_WHOLE 0.01
#define GROWN_PART  0.05
/*
 * Certainty if the text calls one profile good or bad, if both are columns of one table, or if
 * counts are compared.
 */
#define GROWN_SURE       75u
#define GROWN_SURE_SIDES 60u /* certainty if the text only calls the profiles before and after */

/* The bad profile, the good one, and the function that grew most. */
struct grown {
	const struct rule_input *bad, *good;
	const struct pair_change *top;
	const struct fact_function *row; /* the function in the bad profile */
	double bad_pct, good_pct;
};

static struct grown grown_of(const struct pair *p)
{
	bool is_first = p->bad == p->first.capture;
	const struct pair_change *c = &p->changes[0];

	return (struct grown){
		.bad = is_first ? &p->first : &p->second,
		.good = is_first ? &p->second : &p->first,
		.top = c,
		.row = is_first ? c->a : c->b,
		.bad_pct = is_first ? c->before : c->after,
		.good_pct = is_first ? c->after : c->before,
	};
}

/*
 * Find the heaviest caller of the function, preferably in application code. False: callers are
 * unknown, or the heaviest has less than GROWN_CALLER of the function's share.
 */
static bool grown_caller(const struct grown *g, struct fact_caller *ret)
{
	const struct symbols *symbols = &g->bad->facts->dossier->symbols;
	struct str name = facts_name(g->bad->facts, g->top->sym);
	struct fact_caller callers[8];
	struct role_cache roles = { .by_sym = VEC_INIT };
	char pattern[128];
	size_t n;
	size_t at = 0;

	if (name.len >= sizeof(pattern) || str_glob(STR("*[*?|]*"), name))
		return false;
	memcpy(pattern, name.p, name.len);
	pattern[name.len] = '\0';
	n = facts_callers(g->bad->profile, pattern, NULL, callers, ARRAY_LEN(callers));
	if (n == 0)
		n = facts_callers_printed(g->bad->profile, pattern, NULL, callers,
					  ARRAY_LEN(callers));
	while (at < n && role_of(&roles, symbols, callers[at].sym) != ROLE_NONE)
		at++;
	role_cache_fini(&roles);
	if (at == n)
		at = 0;
	if (n == 0 || callers[at].pct < g->bad_pct * GROWN_CALLER)
		return false;
	*ret = callers[at];
	return true;
}

/*
 * Name one of the profiles by its label in the text: "in the bad profile (lines 5-25)".
 * @is_same_lines: both profiles are columns of one table, so line numbers are omitted.
 */
static const char *grown_side(struct findings *out, const struct rule_input *in, bool is_bad,
			      bool is_same_lines)
{
	const struct capture *c = in->capture;
	const char *word = c->side == SIDE_FIRST    ? "before"
			   : c->side == SIDE_SECOND ? "after"
			   : is_bad                 ? "in the bad profile"
						    : "in the good one";

	return c->first_line && !is_same_lines
		       ? finding_name(out, "%s (lines %u-%u)", word, c->first_line, c->last_line)
		       : word;
}

static void grown_cause(const struct grown *g, struct findings *out, struct finding *f)
{
	struct role_cache roles = { .by_sym = VEC_INIT };
	enum role role = role_of(&roles, &g->bad->facts->dossier->symbols, g->top->sym);

	role_cache_fini(&roles);
	if (role == ROLE_NONE || role == ROLE_TRANSPARENT)
		role = role_of_words(facts_name(g->bad->facts, g->top->sym));
	if (role != ROLE_NONE && role_cause(role)) {
		finding_usual_cause(out, f, "The growth is in %s: %s", role_noun(role),
				    role_cause(role));
		finding_next(out, f, "%s", role_next(role));
	} else {
		finding_usual_cause(
			out, f,
			"The work of this function grew: more calls, or more work per call");
		finding_next(out, f,
			     "perf stat -r 5 COMMAND, on both: more calls, or longer ones, per "
			     "unit of work");
	}
}

static void grown_others(const struct pair *p, const struct grown *g, struct findings *out,
			 struct finding *f)
{
	for (size_t i = 1; i < p->n; i++) {
		const struct pair_change *c = &p->changes[i];
		bool is_first = p->bad == p->first.capture;

		finding_subject(f, c->sym, SUBJECT_LISTED);
		finding_figure(f,
			       finding_name(out, "growth of " STR_FMT,
					    STR_ARG(facts_short_name(g->bad->facts, c->sym, 80))),
			       is_first ? c->before - c->after : c->after - c->before, c->err,
			       "points");
	}
}

/* Name of the figure for a share: "before" and "after" if one table has both as columns. */
static const char *grown_name(const struct grown *g, const struct pair *p, bool is_bad)
{
	const struct rule_input *in = is_bad ? g->bad : g->good;

	if (p->has_sides)
		return in == &p->first ? "before" : "after";
	if (is_bad)
		return "in the bad profile";
	return g->top->is_bound ? "in the good one, at most" : "in the good one";
}

/* Standard deviation of the share between runs; 0: not printed. */
static double grown_spread(const struct grown *g, bool is_bad)
{
	const struct rule_input *in = is_bad ? g->bad : g->good;
	const struct fact_function *f = facts_by_name(
		in->profile, symbols_get(&in->facts->dossier->symbols, g->top->sym)->canonical);
	double spread = !f ? NAN : g->top->has_callees ? f->children_spread : f->self_spread;

	return isnan(spread) ? 0 : spread;
}

static void grown_finding(const struct pair *p, struct findings *out)
{
	struct grown g = grown_of(p);
	double points = g.bad_pct - g.good_pct;
	bool is_word = g.bad->capture->side == SIDE_NONE || g.good->capture->side == SIDE_NONE;
	struct finding *f = finding_add(out, g.bad, &rule_grown_cost,
					points >= GROWN_LEADS ? FINDING_WARNING : FINDING_NOTE,
					is_word || p->has_sides ? GROWN_SURE : GROWN_SURE_SIDES);
	struct str name = facts_short_name(g.bad->facts, g.top->sym, 96);
	struct fact_caller caller;
	const char *by = "";

	f->impact = points;
	finding_figure(f, "growth", points, g.top->err, "points");
	finding_figure(f, grown_name(&g, p, true), g.bad_pct, grown_spread(&g, true), "%");
	finding_figure(f, grown_name(&g, p, false), g.good_pct, grown_spread(&g, false), "%");
	if (g.row)
		finding_function(out, f, g.bad, g.row);
	if (grown_caller(&g, &caller)) {
		by = finding_name(out, ", %.1f %% called by %s", caller.pct,
				  finding_word(out, facts_name(g.bad->facts, caller.sym), true));
		finding_caller(out, f, g.bad, &caller);
	}
	finding_claim(out, f, STR_FMT " has %.1f %% of %s%s %s and %s%.1f %% %s%s", STR_ARG(name),
		      g.bad_pct, g.bad->profile->unit.of, g.top->has_callees ? " with callees" : "",
		      grown_side(out, g.bad, true, p->has_sides), g.top->is_bound ? "at most " : "",
		      g.good_pct, grown_side(out, g.good, false, p->has_sides), by);
	if (g.bad->capture->side_line)
		finding_evidence(out, f, g.bad, g.bad->capture->side_line, "%s", "the bad side");
	grown_others(p, &g, out, f);
	grown_cause(&g, out, f);
	finding_because(out, f,
			"the shares are printed; the bad side is named %s, and shares grow when "
			"others shrink",
			is_word ? "by the surrounding text" : "by the text around them");
}

/* Is the function nearly absent from the good profile? */
static bool grown_is_new(const struct pair *p)
{
	struct grown g = grown_of(p);

	return p->n && g.bad_pct >= g.good_pct * GROWN_NEW_TIMES;
}

/* Number of events in @f, in the profile of @in. */
static double grown_count(const struct rule_input *in, const struct fact_function *f)
{
	return f->self / 100 * (double)in->capture->profile->event_count;
}

static const char *grown_amount(struct findings *out, double count)
{
	/* the limits are a half of the last digit below 1e9 and 1e6: no "1000.0 M" or "1000000" */
	return count >= 999.95e6   ? finding_name(out, "%.2f G", count / 1e9)
	       : count >= 999999.5 ? finding_name(out, "%.1f M", count / 1e6)
				   : finding_name(out, "%.0f", count);
}

/*
 * Are counts compared instead of shares? Then the text must label the profiles as before and after,
 * and both must have exact counts of the same event.
 */
static bool grown_is_counted(const struct pair *p)
{
	const struct profile *a = p->first.capture->profile;
	const struct profile *b = p->second.capture->profile;

	return p->is_labelled && p->first.capture->side == SIDE_FIRST &&
	       p->second.capture->side == SIDE_SECOND && a->has_event_count && b->has_event_count &&
	       !a->is_rounded && !b->is_rounded && a->event_count && a->event.v &&
	       a->event.v == b->event.v && a->unit == WEIGHT_PERCENT;
}

/*
 * Find the functions whose counts changed most, largest change first. @whole: change of the total.
 * A function is included if its count changed in the same direction, by at least the part
 * GROWN_PART of @whole. Returns the number of functions, at most PAIR_SHOWN.
 */
static size_t grown_counted(const struct pair *p, double whole, struct pair_change *ret)
{
	size_t n = 0;

	VEC_FOREACH (a, &p->first.profile->functions) {
		const struct fact_function *b = facts_by_name(p->second.profile, a->name);
		struct pair_change c = { .a = a, .b = b, .sym = a->sym };
		size_t at;

		if (!b)
			/*
			 * the other table has no row for this function, so its count is unknown
			 * there
			 */
			continue;
		c.before = grown_count(&p->first, a);
		c.after = grown_count(&p->second, b);
		if ((c.after - c.before) / whole < GROWN_PART)
			continue;
		for (at = n; at > 0; at--) {
			if (fabs(ret[at - 1].after - ret[at - 1].before) >=
			    fabs(c.after - c.before))
				break;
			if (at < PAIR_SHOWN)
				ret[at] = ret[at - 1];
		}
		if (at < PAIR_SHOWN)
			ret[at] = c;
		n += n < PAIR_SHOWN;
	}
	return n;
}

static void grown_counts_claim(const struct pair *p, struct findings *out, struct finding *f,
			       const struct pair_change *c, double whole)
{
	const char *of = p->first.profile->unit.of;

	finding_claim(
		out, f, STR_FMT " has %s %s %s and %s %s: %s %s, %.1f %% of the %s of the whole",
		STR_ARG(facts_short_name(p->first.facts, c->sym, 96)), grown_amount(out, c->before),
		of, grown_side(out, &p->first, false, p->has_sides), grown_amount(out, c->after),
		grown_side(out, &p->second, false, p->has_sides),
		grown_amount(out, fabs(c->after - c->before)), whole < 0 ? "fewer" : "more",
		100 * (c->after - c->before) / whole, whole < 0 ? "decrease" : "increase");
}

/*
 * For two profiles with exact counts: add a finding about the function that changed most. False:
 * the totals are equal, or no function explains the change.
 */
static bool grown_counts(const struct pair *p, struct findings *out)
{
	double before = (double)p->first.capture->profile->event_count;
	double whole = (double)p->second.capture->profile->event_count - before;
	struct pair_change c[PAIR_SHOWN];
	size_t n;
	struct finding *f;

	if (before <= 0 || fabs(whole) < before * GROWN_WHOLE)
		return false;
	n = grown_counted(p, whole, c);
	if (n == 0)
		return false;
	f = finding_add(out, &p->second, &rule_grown_cost, FINDING_WARNING, GROWN_SURE);
	f->impact = 100 * fabs(c[0].after - c[0].before) / before;
	finding_figure(f, "change of the whole", 100 * whole / before, 0, "%");
	for (size_t i = 0; i < n; i++) {
		finding_figure(
			f,
			finding_name(out, "change by " STR_FMT,
				     STR_ARG(facts_short_name(p->first.facts, c[i].sym, 80))),
			100 * (c[i].after - c[i].before) / before, 0, "%");
		finding_function(out, f, &p->second, c[i].b);
	}
	grown_counts_claim(p, out, f, &c[0], whole);
	finding_usual_cause(out, f,
			    "It is called %s often, if the number of its calls changed as much\n"
			    "each call does %s, if that number is equal",
			    whole < 0 ? "less" : "more", whole < 0 ? "less" : "more");
	finding_because(out, f, "the counts are exact; the text claims equal work on both sides");
	finding_next(out, f, "callgrind_annotate --tree=caller on both: the number of calls");
	return true;
}

static void grown_check(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;

	for (uint32_t i = 0; i + 1 < d->captures.len; i++) {
		struct pair p;
		double points;

		if (!pair_of(in, i, &p))
			continue;
		if (grown_is_counted(&p) && grown_counts(&p, out))
			continue;
		if (!p.bad) {
			finding_not_assessed(
				out, &p.second, &rule_grown_cost,
				"write good or bad above each profile, or assay diff A B",
				"the bad profile of the two is not marked");
			continue;
		}
		pair_compare(&p);
		points = p.n ? fabs(p.changes[0].after - p.changes[0].before) : 0;
		if (points >= (grown_is_new(&p) ? GROWN_NEW : GROWN_POINTS))
			grown_finding(&p, out);
		else
			finding_clean(out, &p.second, &rule_grown_cost,
				      "none of %zu functions grew by %.0f points%s", p.compared,
				      GROWN_POINTS,
				      p.second.capture->is_averaged
					      ? ", or by more than runs of one kernel differ"
					      : "");
	}
}

const struct rule rule_grown_cost = {
	.id = "grown-cost",
	.title = "Cost that grew in the bad profile",
	.needs = RULE_DOSSIER,
	.check = grown_check,
};
