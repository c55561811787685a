/* SPDX-License-Identifier: MIT */
/*
 * In a text of ftrace, the calls of one function, or the events with one name, have equal
 * intervals. If a task does this work, the pace is usually set by a timer, delayed work or a rate
 * limit, not by the arrival of work. If an interrupt or a receive path does it, something may
 * arrive at this period; the task on that CPU is then only interrupted.
 *
 * Thresholds: six intervals of 1 ms or more, with a coefficient of variation of at most 0.1. For
 * random arrivals it is 1, so six such intervals occur by chance only once in 50000 cases. The
 * periods of the kernel's tick (1, 3.33, 4 and 10 ms) are ignored: ticks drive much ordinary work.
 */
#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/fixed_period_names.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(fixed_period);

#define PERIOD_LEAST     6u /* minimum number of intervals */
#define PERIOD_LEAST_NS  UINT64_C(1000000)
#define PERIOD_SPREAD    0.1 /* maximum coefficient of variation */
#define PERIOD_TICK_PART 0.02
/*
 * A series (the calls or events of one name) must cover at least this part (0 to 1) of the trace's
 * time. Otherwise it is a burst.
 */
#define PERIOD_SPAN 0.5
/* If items are added to a queue this many times as often as they are removed, it has a backlog. */
#define PERIOD_BACKLOG 3u
#define PERIOD_MOST    1000000u /* maximum number of calls or events */
#define PERIOD_SURE    75u

static const double period_ticks_ms[] = { 1, 10.0 / 3, 4, 10 };

struct period_entry {
	uint64_t time_ns;
	/*
	 * for an event: index in `names`; for a call: symbol of the function. Entries are sorted by
	 * this member first.
	 */
	uint32_t of;
	uint32_t at; /* index of the event in `marks` of struct calls, or index of the call */
};

struct period_series {
	size_t from; /* index in `entries` of the first entry of the series */
	size_t n;
	double mean_ns, sd_ns;
};

struct period {
	const struct rule_input *in;
	const struct calls *c;
	VEC(struct period_entry) entries;
	VEC(struct str) names; /* names[period_entry.of]: name of the event */
	bool is_events;
	uint64_t first_ns, last_ns;
};

static int period_order(const void *a, const void *b)
{
	const struct period_entry *x = a;
	const struct period_entry *y = b;

	if (x->of != y->of)
		return x->of < y->of ? -1 : 1;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static struct str period_name(const struct period *p, uint32_t of)
{
	return p->is_events ? p->names.data[of] : facts_name(p->in->facts, (sym_id){ of });
}

static void period_add(struct period *p, uint32_t of, uint32_t at, uint64_t time_ns)
{
	if (p->entries.len == 0 || time_ns < p->first_ns)
		p->first_ns = time_ns;
	if (p->entries.len == 0 || time_ns > p->last_ns)
		p->last_ns = time_ns;
	*VEC_PUSH(&p->entries) = (struct period_entry){ time_ns, of, at };
}

static void period_take_calls(struct period *p)
{
	const struct calls *c = p->c;

	for (uint32_t i = 0; i < c->n && c->start_ns.len == c->n && i < PERIOD_MOST; i++) {
		if (c->start_ns.data[i] != UINT64_MAX)
			period_add(p, c->sym.data[i].v, i, c->start_ns.data[i]);
	}
}

static void period_take_events(struct period *p)
{
	const struct strings *strings = capture_strings(p->in->capture);
	struct idmap map = { 0 };

	p->is_events = true;
	for (uint32_t i = 0; i < p->c->marks.len && i < PERIOD_MOST; i++) {
		const struct call_mark *m = &p->c->marks.data[i];
		struct str text = strings_get(strings, m->text);
		size_t colon = str_find_char(str_sub(text, 0, 64), ':');
		struct idmap_probe probe;
		uint32_t of = INDEX_NONE;

		if (m->kind != MARK_EVENT || m->time_ns == 0 || colon == 0 || colon >= 64 ||
		    colon >= text.len)
			continue;
		text = str_sub(text, 0, colon);
		probe = idmap_first(&map, hash_str(text));
		while (of == INDEX_NONE && idmap_next(&map, &probe)) {
			if (str_eq(p->names.data[probe.id], text))
				of = probe.id;
		}
		if (of == INDEX_NONE) {
			of = (uint32_t)p->names.len;
			idmap_insert(&map, &probe, of);
			*VEC_PUSH(&p->names) = text;
		}
		period_add(p, of, i, m->time_ns);
	}
	idmap_fini(&map);
}

static bool period_is_tick(double ns)
{
	for (size_t i = 0; i < ARRAY_LEN(period_ticks_ms); i++) {
		double tick = period_ticks_ms[i] * 1e6;

		if (fabs(ns - tick) <= tick * PERIOD_TICK_PART)
			return true;
	}
	return false;
}

/*
 * Whether the entries of @s have equal intervals, during at least PERIOD_SPAN of the trace. False
 * if the intervals are short or those of a timer tick, or if the function is in PERIOD_ORDINARY.
 * Sets mean_ns and sd_ns.
 */
static bool period_is_equal(const struct period *p, struct period_series *s)
{
	const struct period_entry *e = p->entries.data + s->from;
	double n = (double)s->n - 1;
	double sum = 0;

	if (s->n < PERIOD_LEAST + 1)
		return false;
	s->mean_ns = (double)(e[s->n - 1].time_ns - e[0].time_ns) / n;
	if (s->mean_ns < (double)PERIOD_LEAST_NS || period_is_tick(s->mean_ns) ||
	    s->mean_ns * n < PERIOD_SPAN * (double)(p->last_ns - p->first_ns))
		return false;
	for (size_t i = 1; i < s->n; i++) {
		double off = (double)(e[i].time_ns - e[i - 1].time_ns) - s->mean_ns;

		sum += off * off;
	}
	s->sd_ns = sqrt(sum / (n - 1));
	return s->sd_ns <= PERIOD_SPREAD * s->mean_ns &&
	       !str_glob(STR(PERIOD_ORDINARY), period_name(p, e[0].of));
}

/* The series that begins at entry @from. False: no more entries. */
static bool period_next(const struct period *p, size_t from, struct period_series *ret)
{
	*ret = (struct period_series){ .from = from };
	while (from + ret->n < p->entries.len &&
	       p->entries.data[from + ret->n].of == p->entries.data[from].of)
		ret->n++;
	return ret->n != 0;
}

static uint32_t period_line(const struct period *p, const struct period_entry *e)
{
	return p->is_events ? p->c->marks.data[e->at].line : p->c->line.data[e->at];
}

static const struct call_lane *period_lane(const struct period *p, const struct period_entry *e)
{
	return &p->c->lanes
			.data[p->is_events ? p->c->marks.data[e->at].lane : p->c->lane.data[e->at]];
}

static struct str period_task(const struct period *p, const struct period_entry *e)
{
	const struct call_lane *lane = period_lane(p, e);

	return lane->comm.v ? strings_get(capture_strings(p->in->capture), lane->comm) : STR_NONE;
}

static str_id period_caller(const struct period *p, const struct period_entry *e)
{
	return !p->is_events && p->c->retaddr.len ? p->c->retaddr.data[e->at] : STR_ID_NONE;
}

/* The code that makes the calls or events of a series. */
struct period_who {
	str_id caller; /* function that makes the calls; STR_ID_NONE: unknown, or several */
	/* task that does the work; empty: unknown, several, or a task that was only interrupted */
	struct str task;
	bool is_by_irq; /* the code runs in an interrupt or softirq */
	/*
	 * an arrival, such as a packet, starts the work: is_by_irq is true, or the function, the
	 * event or the caller has a name of a receive path (PERIOD_ARRIVALS)
	 */
	bool is_arrival;
};

static bool period_is_by_irq(const struct period *p, const struct period_entry *e)
{
	return (p->is_events ? p->c->marks.data[e->at].is_by_irq
			     : (p->c->state.data[e->at] & (CALL_IN_IRQ | CALL_BY_IRQ)) != 0) ||
	       str_glob(STR(PERIOD_IRQ_THREADS), period_task(p, e));
}

static void period_find_who(const struct period *p, const struct period_series *s,
			    struct period_who *ret)
{
	const struct period_entry *first = p->entries.data + s->from;
	const struct call_lane *lane = period_lane(p, first);
	bool is_one_task = true;

	*ret = (struct period_who){ .caller = period_caller(p, first) };
	for (size_t i = 0; i < s->n; i++) {
		const struct call_lane *other = period_lane(p, first + i);

		is_one_task &= other->pid == lane->pid && other->comm.v == lane->comm.v;
		ret->is_by_irq |= period_is_by_irq(p, first + i);
		if (period_caller(p, first + i).v != ret->caller.v)
			ret->caller = STR_ID_NONE;
	}
	ret->is_arrival = ret->is_by_irq ||
			  str_glob(STR(PERIOD_ARRIVALS), period_name(p, first->of)) ||
			  str_glob(STR(PERIOD_ARRIVALS),
				   strings_get(capture_strings(p->in->capture), ret->caller));
	if (is_one_task && !ret->is_by_irq && !(lane->has_pid && lane->pid == 0))
		ret->task = period_task(p, first);
}

static const char *period_who(const struct period *p, struct findings *out,
			      const struct period_who *who)
{
	struct str caller = strings_get(capture_strings(p->in->capture), who->caller);

	return finding_name(out, "%s" STR_FMT "%s" STR_FMT, caller.len ? " called by " : "",
			    STR_ARG(str_sub(caller, 0, 64)), who->task.len ? " in " : "",
			    STR_ARG(str_sub(who->task, 0, 32)));
}

/*
 * Find a function that fills the queue that the function of @s empties. Its name begins with the
 * same word and matches PERIOD_QUEUES, and it is called PERIOD_BACKLOG times as often. False: none.
 */
static bool period_queue(const struct period *p, const struct period_series *s,
			 struct period_series *ret)
{
	struct str name = period_name(p, p->entries.data[s->from].of);
	struct str word = str_sub(name, 0, str_find_char(name, '_') + 1);

	if (p->is_events || str_find_char(name, '_') >= name.len)
		return false;
	for (size_t at = 0; period_next(p, at, ret); at += ret->n) {
		struct str queue = period_name(p, p->entries.data[at].of);

		if (ret->n >= PERIOD_BACKLOG * s->n && str_starts(queue, word) &&
		    str_glob(STR(PERIOD_QUEUES), queue))
			return true;
	}
	return false;
}

static void period_explain(const struct period *p, struct findings *out, struct finding *f,
			   const struct period_series *s, const struct period_who *who)
{
	struct period_series queue;

	if (period_queue(p, s, &queue)) {
		const struct period_entry *q = p->entries.data + queue.from;

		finding_figure(f, "times that work is queued", (double)queue.n, 0, "");
		finding_evidence(out, f, p->in, period_line(p, q), STR_FMT ", %zu times",
				 STR_ARG(str_sub(period_name(p, q->of), 0, 64)), queue.n);
		finding_usual_cause(
			out, f,
			"By its name, " STR_FMT
			" puts work into a queue. It is called %zu times, and work is taken "
			"%zu times: with one item each, the backlog grows",
			STR_ARG(str_sub(period_name(p, q->of), 0, 64)), queue.n, s->n);
	} else if (who->is_arrival) {
		finding_usual_cause(
			out, f,
			"%s. Either what it handles arrives periodically, from the network "
			"or a device, or a timer or rate limit of this machine paces it",
			who->is_by_irq ? "An interrupt or softirq runs it"
				       : "By its name or caller, it handles what arrives");
	} else {
		finding_usual_cause(
			out, f,
			"Likely a timer or a rate limit paces it: delayed work, an hrtimer, "
			"or a loop that sleeps. Then a delay decides when work is done: with "
			"one item a period, a backlog of n items lasts n periods. Or its "
			"input arrives periodically");
	}
}

static void period_finding(const struct period *p, struct findings *out,
			   const struct period_series *s, size_t others)
{
	const struct period_entry *e = p->entries.data + s->from;
	struct str name = str_sub(period_name(p, e->of), 0, 64);
	struct finding *f = finding_add(out, p->in, &rule_fixed_period, FINDING_NOTE, PERIOD_SURE);
	struct period_who who;

	period_find_who(p, s, &who);
	finding_claim(out, f, STR_FMT " %s every %.4g ms (\xc2\xb1 %.2g ms, %zu times)%s",
		      STR_ARG(name), p->is_events ? "occurs" : "runs", s->mean_ns / 1e6,
		      s->sd_ns / 1e6, s->n, period_who(p, out, &who));
	finding_figure(f, "period", s->mean_ns / 1e6, s->sd_ns / 1e6, "ms");
	finding_figure(f, "times", (double)s->n, 0, "");
	if (others)
		finding_figure(f, "others with a fixed period", (double)others, 0, "");
	if (!p->is_events)
		finding_subject(f, (sym_id){ e->of }, SUBJECT_LISTED);
	finding_evidence(out, f, p->in, period_line(p, e), "the first");
	finding_evidence(out, f, p->in, period_line(p, e + s->n - 1), "the last");
	period_explain(p, out, f, s, &who);
	finding_because(out, f,
			"the intervals are measured\n"
			"what schedules the work");
	finding_next(out, f, "trace-cmd record %s %s %s -e timer -e %s: %s",
		     p->is_events ? "-e" : "-p function -l", finding_word(out, name, false),
		     p->is_events ? "-T" : "--func-stack", who.is_arrival ? "irq" : "workqueue",
		     who.is_arrival ? "trace timer and irq events, too: does a timer or an "
				      "interrupt of a device come first"
				    : "find who schedules it, with which delay");
}

static void period_check(const struct rule_input *in, struct findings *out)
{
	struct period p = { .in = in, .c = in->capture->calls };
	struct period_series s;
	struct period_series best = { .n = 0 };
	size_t found = 0;
	bool is_long = false;

	if (!p.c || p.c->log_of != CALLS_OF_FUNCTIONS)
		return;
	if (p.c->n && !p.c->is_from_events)
		period_take_calls(&p);
	else
		period_take_events(&p);
	VEC_SORT(&p.entries, period_order);
	for (size_t at = 0; period_next(&p, at, &s); at += s.n) {
		is_long |= s.n > PERIOD_LEAST;
		if (!period_is_equal(&p, &s))
			continue;
		found++;
		/* if there are several series, take the one that begins first */
		if (!best.n || p.entries.data[s.from].time_ns < p.entries.data[best.from].time_ns)
			best = s;
	}
	if (best.n)
		period_finding(&p, out, &best, found - 1);
	else if (is_long)
		finding_clean(out, in, &rule_fixed_period,
			      "nothing comes at %u equal intervals of 1 ms or more", PERIOD_LEAST);
	else if (p.entries.len)
		finding_not_assessed(out, in, &rule_fixed_period, "trace for longer",
				     "%s %u times: too few for a period",
				     p.is_events ? "no event occurs" : "no function is called",
				     PERIOD_LEAST + 1);
	VEC_FREE(&p.entries);
	VEC_FREE(&p.names);
}

const struct rule rule_fixed_period = {
	.id = "fixed-period",
	.title = "Work at a fixed period",
	.needs = RULE_CALLS,
	.check = period_check,
};
