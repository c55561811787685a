/* SPDX-License-Identifier: MIT */
/*
 * Requests wait in a plugged queue until the timer of the plug dispatches them.
 *
 * Before Linux 2.6.39 a queue was plugged when its first request arrived, to collect more, and
 * unplugged by a task that waits for the request, when it had enough requests, or by a timer after
 * 3 ms. An asynchronous request (W, not WS) that nobody waits for gets the whole time of the timer.
 * blktrace prints the timer as UT, and kblockd issues the requests then (D). Newer kernels print UT
 * when a task goes to sleep, and the task issues its requests itself: these are no wait. Source:
 * block/blk-core.c before 2.6.39, blk_plug_device(), blk_unplug_timeout(), blk_unplug_work().
 *
 * Thresholds: a request counts if it was inserted at least 1 ms before an unplug by the timer, and
 * kblockd issued it at most 1 ms after that. Its wait ends at the unplug; the rest is not of the
 * timer. A note if half of the requests whose insertion and issue
 * are in the trace wait like that; a warning if this wait is also half of their time.
 */
#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(plug_timer);

#define PLUG_WAIT_NS  UINT64_C(1000000)
#define PLUG_ISSUE_NS UINT64_C(1000000) /* maximum time from the unplug to the issue */
#define PLUG_PART     0.5
#define PLUG_SURE     75u
/* maximum number of requests that are in the queue at once; others are ignored */
#define PLUG_OPEN 256u

/* A request in the queue. */
struct plug_request {
	struct str device, place; /* "8,0", "401408 + 8" */
	uint64_t inserted_ns;
	uint64_t timer_ns;  /* the timer last unplugged the queue after the insertion; 0: not yet */
	uint64_t issued_ns; /* 0: not yet */
	uint32_t line;
	bool is_timed; /* the request waited for the timer */
	bool is_sync;
};

/* Sums over the requests of a trace. */
struct plug_sums {
	size_t issued;    /* requests whose insertion and issue are in the trace */
	size_t timed;     /* those that waited for the timer */
	size_t timers;    /* unplugs by the timer */
	size_t sync;      /* synchronous requests among `timed` */
	uint64_t wait_ns; /* sum of the waits of `timed` */
	uint64_t all_ns;  /* sum of the times of `timed` from insertion to completion, if known */
	struct plug_request longest;
};

struct plug_event {
	struct str name, device, kind, place;
};

static bool plug_event_of(const struct capture *c, const struct call_mark *m,
			  struct plug_event *ret)
{
	struct str text = strings_get(capture_strings(c), m->text);
	size_t colon = str_find_char(text, ':');
	struct str fields = str_skip(text, colon + 1);

	if (m->kind != MARK_EVENT || !str_starts(text, STR("block_")) || colon >= text.len)
		return false;
	ret->name = str_sub(text, 0, colon);
	if (!str_word(&fields, &ret->device) || !str_word(&fields, &ret->kind))
		return false;
	fields = str_trim(fields);
	ret->place = str_trim(str_sub(fields, 0, str_find_char(fields, '[')));
	return true;
}

/* The request of @e that is in the queue; NULL: none. */
static struct plug_request *plug_find(struct plug_request *open, size_t n,
				      const struct plug_event *e)
{
	for (size_t i = n; i-- > 0;) {
		if (str_eq(open[i].place, e->place) && str_eq(open[i].device, e->device))
			return &open[i];
	}
	return NULL;
}

static void plug_issue(const struct capture *c, const struct call_mark *m, struct plug_request *r,
		       struct plug_sums *s)
{
	struct str comm = strings_get(capture_strings(c), c->calls->lanes.data[m->lane].comm);
	uint64_t wait = r->timer_ns - r->inserted_ns;

	if (r->issued_ns || m->time_ns < r->inserted_ns)
		return;
	r->issued_ns = m->time_ns;
	s->issued++;
	r->is_timed = r->timer_ns && str_starts(comm, STR("kblockd")) && wait >= PLUG_WAIT_NS &&
		      m->time_ns - r->timer_ns <= PLUG_ISSUE_NS;
	if (!r->is_timed)
		return;
	s->timed++;
	s->sync += r->is_sync;
	s->wait_ns += wait;
	if (s->longest.line == 0 || wait > s->longest.timer_ns - s->longest.inserted_ns)
		s->longest = *r;
}

static void plug_take(const struct capture *c, const struct call_mark *m,
		      const struct plug_event *e, struct plug_request *open, size_t *n,
		      struct plug_sums *s)
{
	struct plug_request *r;

	if (str_eq(e->name, STR("block_unplug_timer"))) {
		s->timers++;
		for (size_t i = 0; i < *n; i++) {
			if (!open[i].issued_ns && str_eq(open[i].device, e->device) &&
			    m->time_ns >= open[i].inserted_ns)
				open[i].timer_ns = m->time_ns;
		}
		return;
	}
	if (str_eq(e->name, STR("block_rq_insert"))) {
		if (*n == PLUG_OPEN)
			return;
		open[(*n)++] = (struct plug_request){
			.device = e->device,
			.place = e->place,
			.inserted_ns = m->time_ns,
			.line = m->line,
			.is_sync = str_find_char(e->kind, 'S') < e->kind.len ||
				   str_find_char(e->kind, 'R') < e->kind.len,
		};
		return;
	}
	r = plug_find(open, *n, e);
	if (!r)
		return;
	if (str_eq(e->name, STR("block_rq_issue"))) {
		plug_issue(c, m, r, s);
	} else if (str_eq(e->name, STR("block_rq_complete"))) {
		s->all_ns += r->is_timed && r->issued_ns ? m->time_ns - r->inserted_ns : 0;
		*r = open[--*n];
	}
}

static void plug_finding(const struct rule_input *in, struct findings *out,
			 const struct plug_sums *s)
{
	uint64_t longest = s->longest.timer_ns - s->longest.inserted_ns;
	bool is_lead = s->all_ns && (double)s->wait_ns >= PLUG_PART * (double)s->all_ns;
	bool is_async = s->sync == 0;
	struct finding *f = finding_add(out, in, &rule_plug_timer,
					is_lead ? FINDING_WARNING : FINDING_NOTE, PLUG_SURE);

	finding_claim(out, f,
		      "%s in the plugged queue of device " STR_FMT
		      " for %s%s, until the unplug timer (UT) dispatches %s",
		      s->issued == 1
			      ? "The only traced request waits"
			      : finding_name(out, "%zu of %zu requests wait", s->timed, s->issued),
		      STR_ARG(s->longest.device), s->timed == 1 ? "" : "up to ",
		      finding_duration(out, longest), s->issued == 1 ? "it" : "them");
	finding_figure_part(f, "requests dispatched by the timer", s->timed, s->issued);
	finding_figure(f, "unplugs by the timer", (double)s->timers, 0, "");
	finding_figure(f, "longest wait", (double)longest / 1e6, 0, "ms");
	if (s->all_ns)
		finding_figure(f, "part of their time",
			       100 * (double)s->wait_ns / (double)s->all_ns, 0, "%");
	finding_evidence(out, f, in, s->longest.line, "the insertion of the longest wait");
	finding_cause_if(out, f, is_async, "%s",
			 is_async ? "The queue is plugged to collect more requests, and nobody "
				    "unplugs it: the requests are asynchronous (W, not WS), so "
				    "each waits for the timer"
				  : "The queue is plugged to collect more requests, and nobody "
				    "unplugs it before the timer of 3 ms");
	finding_because(out, f,
			"insertion (I), timer (UT) and issue (D) by kblockd are in the "
			"trace");
	finding_next(out, f,
		     "mark the requests synchronous (REQ_SYNC, WRITE_SYNC) in the file system, or "
		     "unplug the queue after the last one: D must then follow I at once");
}

static void plug_timer_check(const struct rule_input *in, struct findings *out)
{
	struct plug_request *open = xcalloc(PLUG_OPEN, sizeof(*open));
	struct plug_sums s = { 0 };
	size_t n = 0;

	VEC_FOREACH (m, &in->capture->calls->marks) {
		struct plug_event e;

		if (plug_event_of(in->capture, m, &e))
			plug_take(in->capture, m, &e, open, &n, &s);
	}
	free(open);
	if (s.timed && (double)s.timed >= PLUG_PART * (double)s.issued)
		plug_finding(in, out, &s);
	else if (s.issued)
		finding_clean(out, in, &rule_plug_timer,
			      "requests do not wait for the timer of a plugged queue");
	else if (s.timers)
		finding_not_assessed(out, in, &rule_plug_timer,
				     "blktrace -d DEVICE -w 10 -o - | blkparse -i -",
				     "no request has its insertion (I) and its issue (D) in the "
				     "trace");
}

const struct rule rule_plug_timer = {
	.id = "plug-timer",
	.title = "Requests wait for the timer of a plugged queue",
	.needs = RULE_CALLS,
	.check = plug_timer_check,
};
