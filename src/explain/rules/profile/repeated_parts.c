/* SPDX-License-Identifier: MIT */
/*
 * A tool timed the parts of some work, each with all parts inside it: the templates of a site, the
 * functions of a shell's start, the headers of a build. So the times overlap and do not add up.
 * Only the number of runs of a part, and the time of each run, are judged. Operations of a GPU,
 * which do not overlap, and copies of generic functions are judged in the same way.
 *
 * Thresholds: repeated-parts.names has a minimum time for each kind of part. If the largest part
 * takes this time, it is a note; ten times this time is a warning. Some kinds also need a number of
 * runs, a share, or short runs. Up to two more parts are named, each with a quarter of the largest
 * part's time or more.
 */
#include "analyses/event_unit.h"
#include "base/number.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/profile.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/repeated_parts_names.h"
#include "explain/rule.h"
#include "explain/words/timed_words.h"

#include <math.h>

DECLARE_RULE(repeated_parts);

#define PARTS_MORE 2u
#define PARTS_PART 0.25
/* minimum time or amount for a warning, as a multiple of the minimum for a note */
#define PARTS_LEAD 10.0
#define PARTS_SURE 75u
#define PARTS_NAME 96u

static const struct parts_kind {
	const char *formats;
	/*
	 * pattern for whole pages. They are ignored, because each page is rendered only once; NULL:
	 * none
	 */
	const char *pages;
	double note;      /* minimum for a note: time in ms, or an amount in `unit` */
	const char *unit; /* unit of the amount; NULL: time */
	const char *runs; /* word for the runs of a part; NULL: "runs" */
	double least;     /* minimum number of runs */
	double share;     /* minimum share of the total, percent */
	double brief;     /* maximum mean time of a run, us; 0: no limit */
	const char *title;
	const char *says;
	const char *cause;
	const char *next;
} parts_kinds[] = { PARTS_KINDS };

static const struct parts_kind *parts_kind_of(const struct rule_input *in)
{
	for (size_t i = 0; i < ARRAY_LEN(parts_kinds); i++) {
		if (str_glob(str_of(parts_kinds[i].formats), str_of(in->capture->format)))
			return &parts_kinds[i];
	}
	return NULL;
}

/* Time of @fn with all parts inside it, ns. If the kind has a unit, its amount instead. */
static double parts_ns(const struct rule_input *in, const struct fact_function *fn)
{
	return round(fmax(fn->children, fn->self) / 100 *
		     (double)in->capture->profile->event_count);
}

/*
 * Whether the part @fn has the minimum number of runs and the minimum share of @kind, and short
 * enough runs.
 */
static bool parts_counts(const struct rule_input *in, const struct parts_kind *kind,
			 const struct fact_function *fn)
{
	double runs = timed_words_calls(in, fn);

	if (kind->pages && str_glob(str_of(kind->pages), facts_name(in->facts, fn->sym)))
		return false;
	return runs >= kind->least && fmax(fn->children, fn->self) >= kind->share &&
	       (kind->brief <= 0 || parts_ns(in, fn) <= runs * kind->brief * 1e3);
}

/*
 * The next part after @after in descending order of time, among those for which parts_counts() is
 * true. @after NULL: the first one. NULL: no more parts.
 */
static const struct fact_function *parts_next(const struct rule_input *in,
					      const struct parts_kind *kind,
					      const struct fact_function *after)
{
	const struct fact_function *best = NULL;

	VEC_FOREACH (fn, &in->profile->functions) {
		double ns = parts_ns(in, fn);
		bool is_later = !after || ns < parts_ns(in, after) ||
				(fn > after && ns <= parts_ns(in, after));

		if (is_later && (!best || ns > parts_ns(in, best)) && parts_counts(in, kind, fn))
			best = fn;
	}
	return best;
}

/* An amount with its unit: "553.7 s", "70967 lines". */
static const char *parts_amount(const struct parts_kind *kind, struct findings *out, double amount)
{
	return kind->unit ? finding_name(out, "%.0f %s", amount, kind->unit)
			  : finding_duration(out, number_whole(amount));
}

/* A part with its amount and runs: "main-menu 553.7 s in 1496 runs of 370.1 ms". */
static const char *parts_text(const struct rule_input *in, const struct parts_kind *kind,
			      struct findings *out, const struct fact_function *fn,
			      const char *verb)
{
	struct str name = facts_short_name(in->facts, fn->sym, PARTS_NAME);
	double ns = parts_ns(in, fn);
	double runs = timed_words_calls(in, fn);
	const char *amount = parts_amount(kind, out, ns);

	if (runs < 2)
		return finding_name(out, STR_FMT "%s %s", STR_ARG(name), verb, amount);
	return finding_name(out, STR_FMT "%s %s in %.0f %s of %s", STR_ARG(name), verb, amount,
			    runs, kind->runs ? kind->runs : "runs",
			    parts_amount(kind, out, ns / runs));
}

static void repeated_parts_check(const struct rule_input *in, struct findings *out)
{
	const struct parts_kind *kind = parts_kind_of(in);
	const struct fact_function *most, *fn;
	struct finding *f;
	double scale = kind && kind->unit ? 1 : 1e6;
	double ns;

	if (!kind || !in->capture->profile->has_event_count)
		return;
	most = parts_next(in, kind, NULL);
	ns = most ? parts_ns(in, most) : 0;
	if (ns < kind->note * scale) {
		if (most || kind->least > 0)
			finding_clean(out, in, &rule_repeated_parts, "%s at most",
				      parts_amount(kind, out, ns));
		return;
	}
	f = finding_add(out, in, &rule_repeated_parts,
			ns >= kind->note * scale * PARTS_LEAD ? FINDING_WARNING : FINDING_NOTE,
			PARTS_SURE);
	f->title = kind->title;
	f->impact = kind->share > 0 ? fmax(most->children, most->self) : 100;
	finding_claim(out, f, "%s: %s", kind->says,
		      parts_text(in, kind, out, most, kind->unit ? " has" : " takes"));
	finding_inclusive(out, f, in, most);
	fn = most;
	for (size_t i = 0; i < PARTS_MORE; i++) {
		fn = parts_next(in, kind, fn);
		if (!fn || parts_ns(in, fn) < PARTS_PART * ns)
			break;
		finding_claim(out, f, STR_FMT ", %s", STR_ARG(f->claim),
			      parts_text(in, kind, out, fn, ""));
		finding_inclusive(out, f, in, fn);
	}
	if (kind->unit)
		finding_figure(f, "size of the largest part", ns, 0, kind->unit);
	else
		finding_figure(f, "time of the largest part", ns / 1e9, 0, "s");
	finding_usual_cause(out, f, "%s", kind->cause);
	finding_because(out, f, "%s",
			kind->unit        ? "the tool counted each part"
			: kind->share > 0 ? "the tool timed and counted each run"
					  : "the tool timed each run. A part has the time of all "
					    "that it includes, so times do not add up");
	finding_next(out, f, "%s", kind->next);
}

static const char *const repeated_parts_explains[] = { "hot-caller", "hot-function", "costly-work",
						       "slow-step", NULL };

const struct rule rule_repeated_parts = {
	.id = "repeated-parts",
	.title = "Parts run again and again",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_TIME | EVENT_BIT(EVENT_OTHER) | EVENT_BIT(EVENT_PLAN),
	.explains = repeated_parts_explains,
	.check = repeated_parts_check,
	.is_measured = true,
};
