/* SPDX-License-Identifier: MIT */
/*
 * One thread causes nearly all events of a tracepoint, at a high rate: it starts timers, sleeps, or
 * calls the kernel again and again. The recording has the time and thread of each event, so stacks
 * are not needed.
 *
 * Thresholds: the thread causes 80 % of the events, and at least 200. 2000 per second are a note,
 * 5000 a warning. For comparison, the kernel starts the timer of its tick at most 1000 times per
 * second on a CPU.
 */
#include "analyses/event_unit.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/profile.h"
#include "core/strings.h"
#include "explain/event_pace_names.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <stdlib.h>

DECLARE_RULE(event_pace);

#define PACE_PART  0.8  /* minimum part (0 to 1) of the events that the thread causes */
#define PACE_LEAST 200u /* minimum number of events of the thread */
#define PACE_NOTE  2000.0
#define PACE_LEAD  5000.0
#define PACE_SURE  75u

static const struct pace_kind {
	const char *events;
	const char *does;
	const char *cause;
	const char *next;
} pace_kinds[] = { PACE_KINDS };

static const struct pace_kind *pace_kind_of(struct str event)
{
	for (size_t i = 0; i < ARRAY_LEN(pace_kinds); i++) {
		if (str_glob(str_of(pace_kinds[i].events), event))
			return &pace_kinds[i];
	}
	return NULL;
}

/* The thread with the most events. */
struct pace {
	uint32_t thread;
	size_t n;
	double every_ns; /* median time between two events of the thread */
};

static int pace_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void pace_measure(const struct profile *p, struct pace *ret)
{
	const struct samples *s = &p->samples;
	size_t *n = xcalloc(p->threads.len + 1, sizeof(*n));
	uint64_t *gaps = xcalloc(s->n + 1, sizeof(*gaps));
	uint64_t before = 0;
	size_t n_gaps = 0;

	*ret = (struct pace){ .thread = 0 };
	for (size_t i = 0; i < s->n; i++) {
		uint32_t t = s->thread.data[i];

		if (++n[t] > ret->n) {
			ret->n = n[t];
			ret->thread = t;
		}
	}
	for (size_t i = 0; i < s->n; i++) {
		if (s->thread.data[i] != ret->thread)
			continue;
		if (before && s->time_ns.data[i] >= before)
			gaps[n_gaps++] = s->time_ns.data[i] - before;
		before = s->time_ns.data[i];
	}
	if (n_gaps)
		qsort(gaps, n_gaps, sizeof(*gaps), pace_compare);
	ret->every_ns = n_gaps ? (double)gaps[n_gaps / 2] : 0;
	free(gaps);
	free(n);
}

static void pace_check(const struct rule_input *in, struct findings *out)
{
	const struct profile *p = in->capture->profile;
	struct str event = strings_get(capture_strings(in->capture), p->event);
	const struct pace_kind *kind = pace_kind_of(event);
	const struct profile_thread *t;
	struct finding *f;
	struct str comm;
	struct pace pace;
	double rate;

	if (!kind || p->table.rows.len || p->samples.n == 0)
		return;
	if (p->samples.time_ns.len != p->samples.n || p->samples.thread.len != p->samples.n) {
		finding_not_assessed(out, in, &rule_event_pace,
				     "perf script -F comm,tid,time,event,trace",
				     "the events have no time or no thread");
		return;
	}
	pace_measure(p, &pace);
	t = &p->threads.data[pace.thread];
	comm = strings_get(capture_strings(in->capture), t->comm);
	rate = pace.every_ns > 0 ? 1e9 / pace.every_ns : 0;
	if (pace.n < PACE_LEAST) {
		finding_not_assessed(out, in, &rule_event_pace, "a longer recording",
				     "only %zu events of one thread", pace.n);
		return;
	}
	if ((double)pace.n < PACE_PART * (double)p->samples.n || rate < PACE_NOTE ||
	    str_starts(comm, STR("swapper"))) {
		finding_clean(out, in, &rule_event_pace,
			      "no thread has most of the events at %.0f a second", PACE_NOTE);
		return;
	}
	f = finding_add(out, in, &rule_event_pace,
			rate >= PACE_LEAD ? FINDING_WARNING : FINDING_NOTE, PACE_SURE);
	finding_claim(out, f,
		      "Thread " STR_FMT " %s all the time: one " STR_FMT
		      " each %s (%.0f a second), %.1f %% of all",
		      STR_ARG(str_sub(comm, 0, 64)), kind->does, STR_ARG(str_sub(event, 0, 64)),
		      finding_duration(out, (uint64_t)pace.every_ns), rate,
		      100 * (double)pace.n / (double)p->samples.n);
	f->is_kind = true;
	finding_figure(f, "events of the thread", (double)pace.n, 0, "events");
	finding_figure(f, "of all events", 100 * (double)pace.n / (double)p->samples.n, 0, "%");
	finding_figure(f, "median time between two", pace.every_ns / 1e3, 0, "µs");
	finding_evidence(out, f, in, 0, STR_FMT ": %zu of %zu events",
			 STR_ARG(str_sub(comm, 0, 64)), pace.n, p->samples.n);
	if (t->has_tid)
		finding_value(out, f, "TID", str_of(finding_name(out, "%u", (unsigned int)t->tid)));
	finding_usual_cause(out, f, "%s", kind->cause);
	finding_because(out, f,
			"each event has its time and thread\n"
			"what the thread does between them");
	finding_next(out, f, "%s", kind->next);
}

const struct rule rule_event_pace = {
	.id = "event-pace",
	.title = "One thread causes events at a high rate",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_ANY,
	.check = pace_check,
	.is_measured = true,
};
