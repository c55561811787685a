/* SPDX-License-Identifier: MIT */
/*
 * A function is called n times, and each of these calls calls another function about n times: n * n
 * calls. If n is the number of the same objects in both cases, the work grows with the square of
 * this number.
 *
 * The input is a profiler that counts calls (cProfile, gprof). It prints no call graph here;
 * inclusive shares show that the first function calls the second. A square grid (n rows of n cells)
 * has the same numbers, so the claim is at most likely.
 *
 * Thresholds: n is at least 30, because small numbers agree by chance. The numbers may differ by 2
 * %, or by 2: the loop may start at the second element. The called function has a fifth of the busy
 * time with its callees for a note, and half for a warning.
 */
#include "analyses/event_unit.h"
#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/signatures/signature.h"
#include "explain/words/timed_words.h"

#include <math.h>
#include <stdlib.h>

DECLARE_RULE(quadratic_calls);

#define QUADRATIC_LEAST    30.0
#define QUADRATIC_PART     0.02
#define QUADRATIC_OFF      2.0
#define QUADRATIC_NOTE_PCT 20.0
#define QUADRATIC_LEAD_PCT 50.0
#define QUADRATIC_SURE     70u
#define QUADRATIC_NAME     96
/* maximum number of functions that are compared; few have a share of QUADRATIC_NOTE_PCT */
#define QUADRATIC_MOST 256u

struct quadratic_call {
	const struct fact_function *fn;
	double calls;
};

/*
 * Store the functions of the program with a printed number of calls and a large inclusive share in
 * @ret. Returns their number.
 */
static size_t quadratic_functions(const struct rule_input *in, struct quadratic_call *ret)
{
	size_t n = 0;

	VEC_FOREACH (fn, &in->profile->functions) {
		double calls;

		if (n == QUADRATIC_MOST)
			break;
		if (fn->rows > 1 || signature_of_busy(in, fn->children) < QUADRATIC_NOTE_PCT)
			continue;
		calls = timed_words_calls(in, fn);
		if (calls >= QUADRATIC_LEAST)
			ret[n++] = (struct quadratic_call){ fn, calls };
	}
	return n;
}

static bool quadratic_is(const struct quadratic_call *by, const struct quadratic_call *of)
{
	double each = of->calls / by->calls;

	return by->fn->children >= of->fn->children &&
	       fabs(each - by->calls) <= fmax(QUADRATIC_OFF, by->calls * QUADRATIC_PART);
}

/*
 * Whether @fn is a builtin ("{built-in method builtins.sum}") or an expression
 * ("a.py:12(<genexpr>)"): not a named function of the program.
 */
static bool quadratic_is_nameless(const struct rule_input *in, const struct fact_function *fn)
{
	return str_glob(STR("{*|*(<*>)"), facts_name(in->facts, fn->sym));
}

/*
 * Cite @by, and all named functions that have the same number of calls as @by. @by may call each of
 * them once, so the loop may be in one of them instead of @by.
 */
static void quadratic_cite(const struct rule_input *in, struct findings *out, struct finding *f,
			   const struct quadratic_call *all, size_t n,
			   const struct quadratic_call *by)
{
	for (size_t i = 0; i < n; i++) {
		if (&all[i] == by || (all[i].calls >= by->calls && all[i].calls <= by->calls &&
				      !quadratic_is_nameless(in, all[i].fn)))
			finding_inclusive(out, f, in, all[i].fn);
	}
}

static void quadratic_finding(const struct rule_input *in, struct findings *out,
			      const struct quadratic_call *all, size_t n,
			      const struct quadratic_call *by, const struct quadratic_call *of)
{
	double pct = signature_of_busy(in, of->fn->children);
	struct finding *f = finding_add(out, in, &rule_quadratic_calls,
					pct >= QUADRATIC_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE,
					QUADRATIC_SURE);

	f->impact = pct;
	finding_claim(out, f,
		      "%.0f calls of " STR_FMT " take %.1f %% of %s with callees: about %.0f in "
		      "each of the %.0f calls of " STR_FMT ", so the work grows with the square",
		      of->calls,
		      STR_ARG(str_sub(facts_name(in->facts, of->fn->sym), 0, QUADRATIC_NAME)),
		      of->fn->children, in->profile->unit.of, of->calls / by->calls, by->calls,
		      STR_ARG(str_sub(facts_name(in->facts, by->fn->sym), 0, QUADRATIC_NAME)));
	finding_figure(f, "share with callees", of->fn->children, 0, "%");
	finding_figure(f, "calls of the caller", by->calls, 0, "");
	finding_figure(f, "calls in each of them", of->calls / by->calls, 1, "");
	quadratic_cite(in, out, f, all, n, by);
	finding_inclusive(out, f, in, of->fn);
	finding_usual_cause(out, f,
			    "Each call computes again, over all elements, what the other calls "
			    "have computed before: a total, a lookup, a property without a cache");
	finding_because(out, f,
			"both numbers of calls are printed; a grid of as many rows as columns "
			"has the same numbers");
	finding_next(out, f,
		     "compute the result of %s once before the loop, or keep it; then count the "
		     "calls again",
		     finding_word(out, facts_name(in->facts, of->fn->sym), false));
}

/* Does the profiler print numbers of calls? */
static bool quadratic_has_calls(const struct rule_input *in)
{
	const struct profile_table *t = &in->capture->profile->table;

	return t->extra_columns.len &&
	       str_eq(strings_get(capture_strings(in->capture), t->extra_columns.data[0]),
		      STR("calls"));
}

static void quadratic_check(const struct rule_input *in, struct findings *out)
{
	const struct quadratic_call *by = NULL, *of = NULL;
	struct quadratic_call *all;
	size_t n;

	if (!quadratic_has_calls(in))
		return;
	all = xcalloc(QUADRATIC_MOST, sizeof(*all));
	n = quadratic_functions(in, all);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n; k++) {
			if (i == k || !quadratic_is(&all[i], &all[k]) ||
			    quadratic_is_nameless(in, all[i].fn) ||
			    quadratic_is_nameless(in, all[k].fn))
				continue;
			/*
			 * prefer the caller with the largest share, and then its callee with the
			 * largest share
			 */
			if (!by || all[i].fn->children > by->fn->children ||
			    (by == &all[i] && all[k].fn->children > of->fn->children)) {
				by = &all[i];
				of = &all[k];
			}
		}
	}
	if (by)
		quadratic_finding(in, out, all, n, by, of);
	else if (n > 1)
		finding_clean(out, in, &rule_quadratic_calls,
			      "no function with %.0f %% is called n times in each of n calls",
			      QUADRATIC_NOTE_PCT);
	else
		finding_not_assessed(out, in, &rule_quadratic_calls,
				     "python3 -m cProfile, or gprof",
				     "no numbers of calls of two large functions");
	free(all);
}

static const char *const quadratic_explains[] = { "hot-function", "hot-caller", "costly-work",
						  NULL };

const struct rule rule_quadratic_calls = {
	.id = "quadratic-calls",
	.title = "Quadratic number of calls",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK | EVENT_BIT(EVENT_OTHER),
	.explains = quadratic_explains,
	.check = quadratic_check,
};
