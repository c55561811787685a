/* SPDX-License-Identifier: MIT */
/*
 * The parts of a start or of the making of pages, which the tool timed with all that they include:
 * the templates of a site, the functions of a shell's start. Parts include each other, so their
 * times do not add up. What counts is how often a part runs, and how long each run takes.
 *
 * Thresholds: for each kind, the time of the largest part that is a note, and ten times that for a
 * warning. Up to two further parts are named, each with a quarter of the largest one's time or
 * more.
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
#define PARTS_LEAD 10.0 /* times the note's threshold */
#define PARTS_SURE 75u
#define PARTS_NAME 96u

static const struct parts_kind {
	const char *formats;
	double note; /* ms */
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

/* Time of @fn with all that it includes, ns. */
static double parts_ns(const struct rule_input *in, const struct fact_function *fn)
{
	return fmax(fn->children, fn->self) / 100 * (double)in->capture->profile->event_count;
}

/* The part that follows @after in the order of time, the longest first; NULL: none is left. */
static const struct fact_function *parts_next(const struct rule_input *in,
					      const struct fact_function *after)
{
	const struct fact_function *best = NULL;

	VEC_FOREACH (fn, &in->profile->functions) {
		double ns = parts_ns(in, fn);
		bool is_later = !after || ns < parts_ns(in, after) ||
				(fn > after && ns <= parts_ns(in, after));

		if (is_later && (!best || ns > parts_ns(in, best)))
			best = fn;
	}
	return best;
}

/* "main-menu 553.7 s in 1496 runs of 370.1 ms" */
static const char *parts_text(const struct rule_input *in, struct findings *out,
			      const struct fact_function *fn, const char *verb)
{
	struct str name = str_sub(facts_name(in->facts, fn->sym), 0, PARTS_NAME);
	double ns = parts_ns(in, fn);
	double runs = timed_words_calls(in, fn);
	const char *time = finding_duration(out, number_whole(ns));

	if (runs < 2)
		return finding_name(out, STR_FMT "%s %s", STR_ARG(name), verb, time);
	return finding_name(out, STR_FMT "%s %s in %.0f runs of %s", STR_ARG(name), verb, time,
			    runs, finding_duration(out, number_whole(ns / runs)));
}

static void repeated_parts_check(const struct rule_input *in, struct findings *out)
{
	const struct parts_kind *kind = parts_kind_of(in);
	const struct fact_function *most, *fn;
	struct finding *f;
	double ns;

	if (!kind || !in->capture->profile->has_event_count)
		return;
	most = parts_next(in, NULL);
	if (!most)
		return;
	ns = parts_ns(in, most);
	if (ns < kind->note * 1e6) {
		finding_clean(out, in, &rule_repeated_parts, "%s at most",
			      finding_duration(out, number_whole(ns)));
		return;
	}
	f = finding_add(out, in, &rule_repeated_parts,
			ns >= kind->note * 1e6 * PARTS_LEAD ? FINDING_WARNING : FINDING_NOTE,
			PARTS_SURE);
	f->title = kind->title;
	f->impact = 100;
	finding_claim(out, f, "%s: %s", kind->says, parts_text(in, out, most, " takes"));
	finding_inclusive(out, f, in, most);
	fn = most;
	for (size_t i = 0; i < PARTS_MORE; i++) {
		fn = parts_next(in, fn);
		if (!fn || parts_ns(in, fn) < PARTS_PART * ns)
			break;
		finding_claim(out, f, STR_FMT ", %s", STR_ARG(f->claim),
			      parts_text(in, out, fn, ""));
		finding_inclusive(out, f, in, fn);
	}
	finding_figure(f, "time of the largest part", ns / 1e9, 0, "s");
	finding_usual_cause(out, f, "%s", kind->cause);
	finding_because(out, f,
			"the tool timed each run. A part has the time of all that it includes, so "
			"times do not add up");
	finding_next(out, f, "%s", kind->next);
}

static const char *const repeated_parts_explains[] = { "hot-caller", "hot-function", "costly-work",
						       NULL };

const struct rule rule_repeated_parts = {
	.id = "repeated-parts",
	.title = "Parts of a start or of a site take long",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_TIME | EVENT_BIT(EVENT_OTHER),
	.explains = repeated_parts_explains,
	.check = repeated_parts_check,
	.is_measured = true,
};
