/* SPDX-License-Identifier: MIT */
/*
 * Very many goroutines wait in one place. A goroutine profile counts goroutines, not CPU time: each
 * goroutine counts once, at its current stack. So a share is no cost, but many goroutines that wait
 * in one place are typical of a leak.
 *
 * The functions on the stacks show the kind of wait; goroutine-pile.names lists them. If a table
 * has inclusive counts, the place with the largest one is the pile.
 *
 * Thresholds: 100 goroutines and 40 % of all. (Each connection of an HTTP client has two goroutines
 * that wait in different places, so a pile of connections has just below half of all.) Idle workers
 * wait for a channel, a condition or a timer; such a pile needs 1000 goroutines, more than pools of
 * workers have. One profile cannot show growth, so the finding is a note.
 */
#include "analyses/event_unit.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/profile.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/goroutine_pile_names.h"
#include "explain/rule.h"

DECLARE_RULE(goroutine_pile);

#define PILE_MANY   100.0
#define PILE_IDLE   1000.0
#define PILE_PCT    40.0
#define PILE_SURE   75u
#define PILE_PARKED "runtime.gopark"
/*
 * PILE_SAME: the place of a wait is its outermost function that has at least this part (0 to 1) of
 * the largest count among the functions of this wait. PILE_WORKER: minimum part (0 to 1) of the
 * pile whose stacks contain a worker function. PILE_CALLER: minimum part of the pile whose stacks
 * contain the caller.
 */
#define PILE_SAME   0.98
#define PILE_WORKER 0.9
#define PILE_CALLER 0.9
#define PILE_NAME   160u

struct pile_wait {
	/* patterns of the functions on the stacks of this wait, outermost first */
	const char *functions;
	const char *what; /* object of the verb "wait" in the claim */
	const char *cause;
	const char *next;
	int idle; /* 1: workers without work usually wait in this way, too */
	int rest; /* 1: a vague kind of wait; only goroutines without another kind are counted */
};

static const struct pile_wait pile_waits[] = { PILE_WAITS };

struct pile {
	const struct pile_wait *wait; /* NULL: no goroutine is in a known wait */
	const struct fact_function *place;
	double all;    /* number of goroutines */
	double parked; /* share of goroutines in runtime.gopark, percent */
	/*
	 * sum of the shares of all known waits, percent; a goroutine counts twice if its stack
	 * shows two of these waits
	 */
	double known;
};

/* Number of goroutines in the profile; 0: unknown. */
static double pile_all(const struct profile *p)
{
	if (p->has_event_count)
		return (double)p->event_count;
	return p->has_n_samples ? (double)p->n_samples : 0;
}

/*
 * Find the function with the largest inclusive share among those that match @pattern. NULL: none.
 */
static const struct fact_function *pile_largest(const struct rule_input *in, struct str pattern)
{
	const struct fact_function *ret = NULL;

	VEC_FOREACH (f, &in->profile->functions) {
		if (str_glob(pattern, facts_name(in->facts, f->sym)) && f->children <= 100 &&
		    f->children > (ret ? ret->children : 0))
			ret = f;
	}
	return ret;
}

/*
 * The place of the wait @w: the outermost function of @w whose share is nearly the largest. NULL:
 * no function of @w is in the profile.
 */
static const struct fact_function *pile_place(const struct rule_input *in,
					      const struct pile_wait *w)
{
	struct str patterns = str_of(w->functions);
	const struct fact_function *largest = pile_largest(in, patterns);

	while (largest && patterns.len) {
		struct str one = str_sub(patterns, 0, str_find_char(patterns, '|'));
		const struct fact_function *f = pile_largest(in, one);

		if (f && f->children >= largest->children * PILE_SAME)
			return f;
		patterns = str_skip(patterns, one.len + 1);
	}
	return largest;
}

static struct pile pile_find(const struct rule_input *in)
{
	struct pile ret = { .all = pile_all(in->capture->profile) };

	ret.parked = facts_sum(in->profile, PILE_PARKED).self;
	for (size_t i = 0; i < ARRAY_LEN(pile_waits); i++) {
		const struct fact_function *f = pile_place(in, &pile_waits[i]);

		double share = f ? f->children - (pile_waits[i].rest ? ret.known : 0) : 0;

		if (share <= 0)
			continue;
		ret.known += share;
		if (ret.place && share <= ret.place->children)
			continue;
		ret.place = f;
		ret.wait = &pile_waits[i];
	}
	return ret;
}

static double pile_count(const struct pile *p)
{
	return p->place ? p->place->children / 100 * p->all : 0;
}

/* May the goroutines of the pile be workers without work? */
static bool pile_is_workers(const struct rule_input *in, const struct pile *p)
{
	const struct fact_function *f = pile_largest(in, STR(WORKERS));

	return p->wait->idle && (pile_count(p) < PILE_IDLE ||
				 (f && f->children >= p->place->children * PILE_WORKER));
}

/*
 * Find the caller of p->place in the program: the code that waits. False: no function calls most of
 * the pile.
 */
static bool pile_caller(const struct rule_input *in, struct findings *out, const struct pile *p,
			struct fact_caller *ret)
{
	struct str name = facts_name(in->facts, p->place->sym);
	double least = p->place->children * PILE_CALLER;

	if (facts_callers_anywhere(in->profile, finding_name(out, STR_FMT, STR_ARG(name)), LIBRARY,
				   ret, 1) == 0 &&
	    !facts_caller_bound(in->profile,
				&(struct fact_callee){ .sym = p->place->sym,
						       .share = p->place->children,
						       .is_inclusive = true },
				least, ret))
		return false;
	return ret->pct >= least;
}

static void pile_finding(const struct rule_input *in, struct findings *out, const struct pile *p)
{
	struct finding *f = finding_add(out, in, &rule_goroutine_pile, FINDING_NOTE, PILE_SURE);
	struct str name = facts_short_name(in->facts, p->place->sym, PILE_NAME);
	struct fact_caller caller;
	bool has_caller = pile_caller(in, out, p, &caller);
	struct str by = has_caller ? facts_short_name(in->facts, caller.sym, PILE_NAME) : STR_NONE;

	finding_claim(out, f, "%.0f of %.0f goroutines (%.1f %%) wait %s in " STR_FMT "%s" STR_FMT,
		      pile_count(p), p->all, p->place->children, p->wait->what, STR_ARG(name),
		      has_caller ? ", called from " : "", STR_ARG(by));
	f->impact = p->place->children;
	finding_figure(f, "goroutines in the profile", p->all, 0, "");
	finding_figure(f, "goroutines in this place", pile_count(p), 0, "");
	if (p->parked > 0)
		finding_figure(f, "goroutines that are parked", p->parked, 0, "%");
	finding_inclusive(out, f, in, p->place);
	if (has_caller)
		finding_caller(out, f, in, &caller);
	finding_usual_cause(out, f, "%s", p->wait->cause);
	finding_because(out, f,
			"goroutines are counted, not CPU time\n"
			"whether their number grows");
	finding_next(
		out, f,
		"curl -s 'http://HOST/debug/pprof/goroutine?debug=1' | head -1: twice, a minute "
		"apart; a leak grows, a burst goes away");
	finding_next(out, f, "%s", p->wait->next);
}

static void pile_check(const struct rule_input *in, struct findings *out)
{
	struct str event = strings_get(capture_strings(in->capture), in->capture->profile->event);
	struct pile p;

	if (!event_unit_is_goroutines(&in->profile->unit) || !str_contains(event, STR("goroutine")))
		return;
	p = pile_find(in);
	if (p.all < PILE_MANY)
		finding_clean(out, in, &rule_goroutine_pile, "fewer than %.0f goroutines exist",
			      PILE_MANY);
	else if (p.place && p.place->children >= PILE_PCT && pile_count(&p) >= PILE_MANY &&
		 !pile_is_workers(in, &p))
		pile_finding(in, out, &p);
	else if (p.parked - p.known >= PILE_PCT)
		finding_not_assessed(out, in, &rule_goroutine_pile, "go tool pprof -traces FILE",
				     "no row shows what %.1f %% of the goroutines wait for",
				     p.parked - p.known);
	else if (p.place)
		finding_clean(out, in, &rule_goroutine_pile,
			      "no pile of goroutines: the largest group waits %s, %.0f of %.0f%s",
			      p.wait->what, pile_count(&p), p.all,
			      p.wait->idle ? ", as idle workers do" : "");
	else
		finding_clean(out, in, &rule_goroutine_pile, "most goroutines do not wait");
}

const struct rule rule_goroutine_pile = {
	.id = "goroutine-pile",
	.title = "Many goroutines wait in one place",
	.needs = RULE_PROFILE,
	.events = EVENT_BIT(EVENT_OTHER),
	.is_measured = true,
	.check = pile_check,
};
