/* SPDX-License-Identifier: MIT */
/*
 * perf stat counted a tracepoint that occurs very often: system calls, VM exits, inter-processor
 * interrupts. These events alone take a large part of a CPU.
 *
 * Thresholds: 5 % of one CPU is a note, 20 % a warning, computed with the usual cost of an event.
 * The costs are low values for servers of the last fifteen years, so the share is a lower bound. An
 * entry into the kernel costs 0.3 us, a page fault 0.5 us, a VM exit 1 us, a context switch 1.5 us,
 * and an inter-processor interrupt 2 us.
 */
#include "analyses/counters/counter_metrics.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/event_rate_names.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(event_rate);

#define RATE_NOTE  5.0 /* minimum share of one CPU for a note, percent */
#define RATE_LEAD  20.0
#define RATE_LEAST 1.0 /* minimum length of the measurement, seconds */
#define RATE_MOST  2u  /* maximum number of findings */
#define RATE_SURE  85u

/* Usual cost of an event, nanoseconds. */
enum rate_cost { BORDER = 300, FAULT = 500, EXIT = 1000, SWITCH = 1500, IPI = 2000 };

static const struct rate_kind {
	const char *events;
	const char *what;
	enum rate_cost cost;
	const char *cause;
	const char *next;
} rate_kinds[] = { EVENT_KINDS };

struct rate_event {
	const struct rate_kind *kind;
	str_id name;
	uint32_t line;
	double count;
	bool is_said;
};

struct rate {
	const struct rule_input *in;
	VEC(struct rate_event) events;
	double seconds;
	/*
	 * Line of the command that sets the length of the measurement ("sleep 10"). 0: `seconds` is
	 * the measured elapsed time.
	 */
	uint32_t asked_line;
};

static struct str rate_text(const struct rate *r, str_id id)
{
	return strings_get(capture_strings(r->in->capture), id);
}

static void rate_count(struct rate *r, const struct counter *row)
{
	struct str name = rate_text(r, row->name);

	VEC_FOREACH (e, &r->events) {
		if (e->name.v == row->name.v) {
			e->count += counter_value(row);
			return;
		}
	}
	for (size_t i = 0; i < ARRAY_LEN(rate_kinds); i++) {
		if (str_glob(str_of(rate_kinds[i].events), name)) {
			*VEC_PUSH(&r->events) =
				(struct rate_event){ &rate_kinds[i], row->name, row->line,
						     counter_value(row), false };
			return;
		}
	}
}

/*
 * Set r->seconds, the length of the measurement. It is the measured elapsed time; if this is
 * missing, it is the time in the command ("sleep 10").
 */
static void rate_seconds(struct rate *r)
{
	struct counter_sum elapsed;

	if (counter_metrics_elapsed(r->in->capture, &elapsed)) {
		r->seconds = elapsed.value;
		return;
	}
	VEC_FOREACH (f, &r->in->capture->facts) {
		if (!str_eq(rate_text(r, f->name), STR("seconds to count")))
			continue;
		r->seconds = (double)f->value;
		r->asked_line = f->line;
	}
}

/* Share of one CPU that the events @e take at their usual cost, in percent. */
static double rate_share(const struct rate *r, const struct rate_event *e)
{
	return e->count / r->seconds * (double)e->kind->cost / 1e7;
}

static void rate_finding(struct rate *r, struct findings *out, struct rate_event *e)
{
	double share = rate_share(r, e);
	struct str name = str_sub(rate_text(r, e->name), 0, 64);
	struct finding *f =
		finding_add(out, r->in, &rule_event_rate,
			    share >= RATE_LEAD ? FINDING_WARNING : FINDING_NOTE, RATE_SURE);

	finding_claim(out, f,
		      "%s %s per second ('" STR_FMT "'), about %.0f %% of one CPU at %.1f µs each",
		      finding_count(out, e->count / r->seconds), e->kind->what, STR_ARG(name),
		      share, (double)e->kind->cost / 1e3);
	f->impact = share;
	f->is_kind = true;
	finding_figure(f, "events", e->count / r->seconds, 0, "/s");
	finding_figure(f, "one CPU, at a low cost of each", share, 0, "%");
	finding_figure(f, "counted for", r->seconds, 0, "s");
	finding_evidence(out, f, r->in, e->line, STR_FMT, STR_ARG(name));
	if (r->asked_line)
		finding_evidence(out, f, r->in, r->asked_line, "the time that it was counted");
	finding_usual_cause(out, f, "%s", e->kind->cause);
	finding_because(out, f, "the rate is counted; what one event costs is an assumption");
	finding_next(out, f, "%s", e->kind->next);
	e->is_said = true;
}

static void rate_check(const struct rule_input *in, struct findings *out)
{
	struct rate r = { .in = in, .events = VEC_INIT };
	unsigned int n = 0;

	if (!str_eq(rate_text(&r, in->capture->counters->tool), STR("perf stat")))
		return;
	VEC_FOREACH (row, &in->capture->counters->rows) {
		if (row->state == COUNTER_COUNTED)
			rate_count(&r, row);
	}
	rate_seconds(&r);
	if (r.events.len && r.seconds < RATE_LEAST)
		finding_not_assessed(out, in, &rule_event_rate,
				     "perf stat ... -- sleep 10, with its last line",
				     "the time that was counted is unknown, or below 1 s");
	for (; r.seconds >= RATE_LEAST && n < RATE_MOST; n++) {
		struct rate_event *best = NULL;

		VEC_FOREACH (e, &r.events) {
			if (!e->is_said && (!best || rate_share(&r, e) > rate_share(&r, best)))
				best = e;
		}
		if (!best || rate_share(&r, best) < RATE_NOTE)
			break;
		rate_finding(&r, out, best);
	}
	if (r.events.len && r.seconds >= RATE_LEAST && n == 0)
		finding_clean(out, in, &rule_event_rate,
			      "no event costs 5 %% of one CPU by its number");
	VEC_FREE(&r.events);
}

const struct rule rule_event_rate = {
	.id = "event-rate",
	.title = "Events come so often that they cost a CPU",
	.needs = RULE_COUNTERS,
	.check = rate_check,
};
