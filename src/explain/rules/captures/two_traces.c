/* SPDX-License-Identifier: MIT */
/*
 * Functions that take longer or shorter in the second of two consecutive traces of one text (before
 * and after, with and without). The reason is unknown.
 *
 * A root function is called without a caller in the trace. Both traces must have a root function in
 * common, or a root function of one trace must take nearly all of the other trace. Otherwise the
 * same function may do different work in each.
 *
 * Thresholds: the medians differ by at least half and by one microsecond, and the function has 10 %
 * of one of the traces. If a trace has fewer than three calls of the function, the difference may
 * be chance, and the finding says so.
 */
#include "explain/rule.h"

#include "analyses/calls/calls_summary.h"
#include "base/plural.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "explain/facts.h"
#include "explain/findings.h"

#include <math.h>
#include <stdio.h>

DECLARE_RULE(two_traces);

#define TRACES_RATIO 1.5
#define TRACES_LEAST 1000.0 /* minimum difference between the medians, ns */
#define TRACES_SHARE 0.10
/* a function with this part (0 to 1) of both traces is the traced operation */
#define TRACES_WHOLE 0.90
#define TRACES_SHOWN 3u
#define TRACES_CALLS 3u
/*
 * A function may have two speeds: fast calls and slow calls. If both traces have fewer calls than
 * this, chance decides whether a median is that of a fast or of a slow call. Two speeds are assumed
 * if the median of each trace lies between the shortest and the longest call of the other trace.
 * The function is then not reported.
 */
#define TRACES_MANY  20u
#define TRACES_ALIKE 1.2 /* calls that differ by less than this factor have the same speed */
/* maximum number of functions to compare, those with the largest self times */
#define TRACES_LOOK_AT 200u

struct traces_change {
	const struct calls_function *a, *b;
};

struct traces {
	struct rule_input first, second;
	struct traces_change changes[TRACES_SHOWN];
	size_t n;
	size_t compared;
	size_t mixed; /* functions with different medians, but with the same two speeds */
};

/* Does the function @f have nearly all of the trace @s? Then it is the traced operation. */
static bool traces_is_whole(const struct calls_summary *s, const struct calls_function *f)
{
	return (double)f->total_ns >= TRACES_WHOLE * (double)s->root_total_ns;
}

/* Does a root function of @a take nearly all of the trace @b? */
static bool traces_contains(const struct calls_summary *a, const struct calls_summary *b)
{
	size_t looked = 0;

	VEC_FOREACH (f, &b->functions) {
		if (looked++ == TRACES_LOOK_AT)
			break;
		for (size_t i = 0; i < a->roots.len && i < TRACES_LOOK_AT; i++) {
			if (a->roots.data[i].sym.v == f->sym.v && traces_is_whole(b, f))
				return true;
		}
	}
	return false;
}

/*
 * Do both traces have a root function in common, or does one trace show only a part of the other's
 * calls?
 */
static bool traces_begin_alike(const struct traces *t)
{
	const struct calls_summary *a = t->first.calls;
	const struct calls_summary *b = t->second.calls;

	/* roots are sorted by time: only the heaviest ones count */
	for (size_t i = 0; i < a->roots.len && i < TRACES_LOOK_AT; i++) {
		for (size_t k = 0; k < b->roots.len && k < TRACES_LOOK_AT; k++) {
			if (a->roots.data[i].sym.v == b->roots.data[k].sym.v)
				return true;
		}
	}
	return traces_contains(a, b) || traces_contains(b, a);
}

static bool traces_of(const struct rule_input *in, uint32_t number, struct traces *t)
{
	const struct dossier *d = in->facts->dossier;
	const struct capture *a = d->captures.data[number];
	const struct capture *b = d->captures.data[number + 1];

	*t = (struct traces){ .first = *in, .second = *in };
	t->first.capture = a;
	t->first.number = number;
	t->first.calls = in->facts->calls[number];
	t->second.capture = b;
	t->second.number = number + 1;
	t->second.calls = in->facts->calls[number + 1];
	return t->first.calls && t->second.calls && a->path.v == b->path.v &&
	       a->format == b->format && t->first.calls->root_total_ns &&
	       t->second.calls->root_total_ns && traces_begin_alike(t);
}

/*
 * Are there few calls on both sides, with the same two speeds? Then the medians differ only because
 * the two sides have different numbers of fast and slow calls.
 */
static bool traces_are_mixed(const struct traces_change *c)
{
	const struct calls_function *slow = c->a->p50_ns > c->b->p50_ns ? c->a : c->b;
	const struct calls_function *fast = slow == c->a ? c->b : c->a;

	return c->a->timed < TRACES_MANY && c->b->timed < TRACES_MANY &&
	       (double)slow->min_ns <= (double)fast->p50_ns * TRACES_ALIKE &&
	       (double)fast->max_ns * TRACES_ALIKE >= (double)slow->p50_ns;
}

static bool traces_differ(const struct traces *t, const struct traces_change *c)
{
	double before = (double)c->a->p50_ns;
	double after = (double)c->b->p50_ns;
	double most = before > after ? before : after;
	double least = before > after ? after : before;

	/* a median of 0 is shorter than a step of the clock: the ratio is unknown */
	return least > 0 && most >= least * TRACES_RATIO && most - least >= TRACES_LEAST &&
	       ((double)c->a->total_ns >= TRACES_SHARE * (double)t->first.calls->root_total_ns ||
		(double)c->b->total_ns >= TRACES_SHARE * (double)t->second.calls->root_total_ns);
}

/* Is the changed function the traced operation of both traces? */
static bool traces_is_operation(const struct traces *t, const struct traces_change *c)
{
	return traces_is_whole(t->first.calls, c->a) && traces_is_whole(t->second.calls, c->b);
}

/* Does @x matter more than @y? The operation matters most, then the largest difference. */
static bool traces_is_larger(const struct traces *t, const struct traces_change *x,
			     const struct traces_change *y)
{
	bool is_operation = traces_is_operation(t, x);

	if (is_operation != traces_is_operation(t, y))
		return is_operation;
	return fabs((double)x->a->p50_ns - (double)x->b->p50_ns) >
	       fabs((double)y->a->p50_ns - (double)y->b->p50_ns);
}

static void traces_compare(struct traces *t)
{
	size_t looked = 0;

	VEC_FOREACH (a, &t->first.calls->functions) {
		if (looked++ == TRACES_LOOK_AT)
			break;
		size_t also = 0;

		VEC_FOREACH (b, &t->second.calls->functions) {
			struct traces_change c = { a, b };
			size_t at;

			if (also++ == TRACES_LOOK_AT)
				break;
			if (a->sym.v != b->sym.v || !a->timed || !b->timed ||
			    facts_name(t->first.facts, a->sym).len == 0)
				continue;
			t->compared++;
			if (!traces_differ(t, &c))
				break;
			if (traces_are_mixed(&c)) {
				t->mixed++;
				break;
			}
			for (at = t->n; at > 0 && traces_is_larger(t, &c, &t->changes[at - 1]);
			     at--) {
				if (at < TRACES_SHOWN)
					t->changes[at] = t->changes[at - 1];
			}
			if (at < TRACES_SHOWN)
				t->changes[at] = c;
			t->n += t->n < TRACES_SHOWN;
			break;
		}
	}
}

static void traces_found(const struct traces *t, struct findings *out)
{
	const struct traces_change *top = &t->changes[0];
	double before = (double)top->a->p50_ns;
	double after = (double)top->b->p50_ns;
	bool is_single = top->a->timed == 1 && top->b->timed == 1;
	bool is_few = top->a->timed < TRACES_CALLS || top->b->timed < TRACES_CALLS;
	struct str name = facts_name(t->first.facts, top->a->sym);
	struct finding *f =
		finding_add(out, &t->second, &rule_two_traces, FINDING_NOTE, is_few ? 60 : 85);

	f->impact = before > after ? (1 - after / before) * 100 : (1 - before / after) * 100;
	f->compares =
		traces_is_whole(t->first.calls, top->a) && traces_is_whole(t->second.calls, top->b);
	f->faster = before > after ? t->second.number : t->first.number;
	f->slower = before > after ? t->first.number : t->second.number;
	finding_claim(
		out, f,
		STR_FMT
		" takes %s per call in lines %u to %u and %s in lines %u to %u (%.1f times %s%s)",
		STR_ARG(name), finding_duration(out, top->a->p50_ns), t->first.capture->first_line,
		t->first.capture->last_line, finding_duration(out, top->b->p50_ns),
		t->second.capture->first_line, t->second.capture->last_line,
		before > after ? before / after : after / before,
		before > after ? "as fast" : "as long", is_single ? ", one call each" : "");
	for (size_t i = 0; i < t->n; i++) {
		const struct traces_change *c = &t->changes[i];

		name = facts_name(t->first.facts, c->a->sym);
		finding_subject(f, c->a->sym, SUBJECT_LISTED);
		finding_figure(f, finding_name(out, STR_FMT ", median call before", STR_ARG(name)),
			       (double)c->a->p50_ns / 1000, 0, "us");
		finding_figure(f, finding_name(out, STR_FMT ", median call after", STR_ARG(name)),
			       (double)c->b->p50_ns / 1000, 0, "us");
		finding_evidence(out, f, &t->first, c->a->max_line, STR_FMT ", longest of %llu",
				 STR_ARG(name), (unsigned long long)c->a->timed);
		finding_evidence(out, f, &t->second, c->b->max_line, STR_FMT ", longest of %llu",
				 STR_ARG(name), (unsigned long long)c->b->timed);
	}
	finding_because(out, f, "%s",
			is_few ? "only one or two calls on a side\n"
				 "what changed, and whether these calls are typical: a single call "
				 "may be slow by chance"
			       : "medians of several calls on both sides\n"
				 "what changed");
	finding_next(out, f, "trace the callees of %s under the same load: which part changed",
		     finding_word(out, facts_name(t->first.facts, top->a->sym), true));
}

static void two_traces_check(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;

	for (uint32_t i = 0; i + 1 < d->captures.len; i++) {
		struct traces t;

		if (!traces_of(in, i, &t))
			continue;
		traces_compare(&t);
		if (t.n)
			traces_found(&t, out);
		else if (t.mixed)
			finding_not_assessed(out, &t.second, &rule_two_traces,
					     "more calls: 20 in one of the traces",
					     "%zu function%s with different medians: fast and slow "
					     "calls in both traces",
					     t.mixed, plural(t.mixed));
		else if (t.compared)
			finding_clean(out, &t.second, &rule_two_traces,
				      "none of %zu common functions takes %.1f times as long, "
				      "%.0f \xc2\xb5s more, and a tenth of a trace",
				      t.compared, TRACES_RATIO, TRACES_LEAST / 1e3);
		else
			finding_not_assessed(out, &t.second, &rule_two_traces,
					     "trace the same functions twice",
					     "the two traces have no function in common");
	}
}

const struct rule rule_two_traces = {
	.id = "two-traces",
	.title = "Change between two traces",
	.needs = RULE_DOSSIER,
	.check = two_traces_check,
	.is_general = true,
	.is_measured = true,
};
