/* SPDX-License-Identifier: MIT */
/*
 * Waiting, which a CPU profile does not show. The rule adds up how long threads with work ran, and
 * how long they waited.
 *
 * A thread has work while it runs, and while it waits for a lock, storage, memory or a CPU: idle
 * threads do not have such waits. If a thread waits for events, for peers or for signals of other
 * threads, it may be idle. Such waits ("unclear") are reported, but not named as a cause. A thread
 * is ignored if it has less than a fiftieth of the working time of all threads. Threshold: half of
 * the time of the remaining threads is waiting, or unclear.
 */
#include "explain/signatures/waiting.h"

#include "analyses/waits/waits.h"
#include "base/str.h"
#include "base/vec.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(waiting);

#define WAITING_WORKER_PART 0.02
#define WAITING_HALF_PCT    50.0
/*
 * In a finding, certain waits must have at least this percentage of the time of the threads. (This
 * time also includes unclear waits, in which a thread may be idle.)
 */
#define WAITING_LEAST_PCT 10.0
#define WAITING_TOP       3u
/* the stacks of a kind of wait are cited if it has at least 1/10 of the certain waits */
#define WAITING_SHOWN 10u

struct waiting_sums {
	uint64_t ran;
	uint64_t certain; /* time in the kinds of waits that waiting_is_certain() selects, ns */
	uint64_t unclear;
	uint64_t kinds[WAIT_KINDS];
	unsigned int threads;
	const struct wait_thread *unclear_most;
	uint64_t unclear_most_ns;
};

static bool waiting_is_certain(unsigned int kind)
{
	return WAIT_BUSY_KINDS >> kind & 1 || kind == WAIT_SLEEP || kind == WAIT_CHILD;
}

static void waiting_add_thread(struct waiting_sums *s, const struct wait_thread *t)
{
	uint64_t unclear = 0;

	s->threads++;
	s->ran += t->ran_ns;
	for (unsigned int k = 0; k < WAIT_KINDS; k++) {
		s->kinds[k] += t->kinds[k].ns;
		if (waiting_is_certain(k))
			s->certain += t->kinds[k].ns;
		else
			unclear += t->kinds[k].ns;
	}
	if (!s->unclear_most || unclear > s->unclear_most_ns) {
		s->unclear_most = t;
		s->unclear_most_ns = unclear;
	}
	s->unclear += unclear;
}

static void waiting_found(const struct rule_input *in, struct findings *out,
			  const struct waiting_sums *s)
{
	double pct = waiting_pct(s->ran, s->ran + s->certain);
	struct finding *f = waiting_add(in, out, &rule_waiting, FINDING_NOTE, 95);
	unsigned int most = WAIT_CPU;
	uint32_t shown = 0;

	for (unsigned int k = 0; k < WAIT_KINDS; k++) {
		if (!waiting_is_certain(k))
			continue;
		if (s->kinds[k] > s->kinds[most])
			most = k;
		shown |= (uint32_t)(s->kinds[k] >= s->certain / WAITING_SHOWN) << k;
	}
	f->impact = 100 - pct;
	finding_claim(out, f,
		      "%u %s%s that %s the work ran %s and waited %s, mostly %s%s (%s). A CPU "
		      "profile shows only %.1f %% of that time",
		      s->threads, waiting_word(in), s->threads == 1 ? "" : "s",
		      s->threads == 1 ? "does" : "do", finding_duration(out, s->ran),
		      finding_duration(out, s->certain), most == WAIT_SLEEP ? "" : "for ",
		      wait_kind_name((enum wait_kind)most), finding_duration(out, s->kinds[most]),
		      pct);
	finding_figure(f, "ran", (double)s->ran / 1e6, 0, "ms");
	for (unsigned int k = 0; k < WAIT_KINDS; k++) {
		if (s->kinds[k])
			finding_figure(f,
				       finding_name(out, "%s%s", k == WAIT_SLEEP ? "" : "for ",
						    wait_kind_name((enum wait_kind)k)),
				       (double)s->kinds[k] / 1e6, 0, "ms");
	}
	finding_figure(f, "recorded", (double)in->waits->span_ns / 1e6, 0, "ms");
	waiting_evidence(in, out, f, shown, STR_NONE, WAITING_TOP);
	finding_usual_cause(
		out, f,
		"Their time goes to waiting: faster code would change little. A service with "
		"few requests looks the same");
	finding_because(out, f, "switches of %ss were recorded one by one, without sampling%s",
			waiting_word(in), waiting_is_partial(in) ? "; some are missing" : "");
	finding_next(out, f,
		     "assay report --off-cpu -g caller FILE: where threads wait; assay flame "
		     "--off-cpu FILE: running and waiting in one picture");
}

static void waiting_unclear(const struct rule_input *in, struct findings *out,
			    const struct waiting_sums *s)
{
	uint64_t all = s->ran + s->certain + s->unclear;
	unsigned int most = WAIT_CONDITION;

	for (unsigned int k = 0; k < WAIT_KINDS; k++) {
		if (!waiting_is_certain(k) && s->kinds[k] > s->kinds[most])
			most = k;
	}
	finding_not_assessed(
		out, in, &rule_waiting,
		"assay record --off-cpu -a, while users see the delay: the reason for waiting in "
		"the same recording",
		"%.1f %% of the time of the working %ss is waiting for %s (mostly " STR_FMT
		"). The recording does not show whether another %s waits for them, or they had "
		"no work",
		waiting_pct(s->unclear, all), waiting_word(in),
		wait_kind_name((enum wait_kind)most),
		STR_ARG(waiting_who(in, out, s->unclear_most->tid)), waiting_word(in));
}

static void waiting_all(const struct rule_input *in, struct findings *out)
{
	const struct waits *w = in->waits;
	uint64_t busy = waiting_busy_ns(w);
	struct waiting_sums s = { 0 };

	VEC_FOREACH (t, &w->threads) {
		if (!t->is_kernel && waits_busy_ns(t) > 0 &&
		    (double)waits_busy_ns(t) >= (double)busy * WAITING_WORKER_PART)
			waiting_add_thread(&s, t);
	}
	/* if the recording lacks switches, a thread without recorded waits may have waited */
	if (!waiting_misses_waits(in)) {
		s.threads += w->never_waited;
		s.ran += w->never_waited_ns;
	}
	if (s.threads == 0)
		return;
	if (s.certain && waiting_pct(s.certain, s.ran + s.certain) >= WAITING_HALF_PCT &&
	    waiting_pct(s.certain, s.ran + s.certain + s.unclear) >= WAITING_LEAST_PCT &&
	    waiting_pct(s.certain, w->span_ns) >= WAITING_SPAN_PCT)
		waiting_found(in, out, &s);
	else if (waiting_pct(s.unclear, s.ran + s.certain + s.unclear) >= WAITING_HALF_PCT)
		waiting_unclear(in, out, &s);
	else if (waiting_misses_waits(in))
		waiting_not_ruled_out(in, out, &rule_waiting);
	else
		finding_clean(out, in, &rule_waiting, "working %ss ran %.1f %% of their time",
			      waiting_word(in), waiting_pct(s.ran, s.ran + s.certain + s.unclear));
}

static const char *const waiting_overrules[] = { "few-samples", NULL };

const struct rule rule_waiting = {
	.id = "waiting",
	.title = "Working threads mostly wait",
	.needs = RULE_WAITS,
	.overrules = waiting_overrules,
	.check = waiting_all,
	.is_general = true,
	.is_measured = true,
};
