/* SPDX-License-Identifier: MIT */
/*
 * Threads sleep on purpose: they poll at a fixed interval instead of waiting for a signal, keep a
 * pace, or retry. The purpose is not visible, and the sleeping thread may have no work. A sleep is
 * certainly harmful only while the thread holds a lock.
 *
 * Thresholds: a thread sleeps for a quarter of its lifetime. It also has a fiftieth of the running
 * time of all threads, or another thread waited for it, while it slept, for a tenth of the
 * recording. The finding is a warning if the thread slept while it held a lock, and others waited
 * for this lock for a tenth of the recording.
 */
#include "explain/signatures/waiting.h"

#include "analyses/waits/waits.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(waiting_sleep);

#define WAITING_SLEEP_PART   0.25
#define WAITING_SLEEP_WORKER 0.02
/*
 * minimum share of the recorded time, percent, in which other threads waited for a sleeping
 * thread
 */
#define WAITING_SLEEP_OTHERS 10.0

static bool waiting_sleeps(const struct waits *w, const struct wait_thread *t)
{
	return !t->is_kernel && t->life_ns &&
	       (double)t->kinds[WAIT_SLEEP].ns >= (double)t->life_ns * WAITING_SLEEP_PART &&
	       ((double)t->ran_ns >= (double)w->ran_ns * WAITING_SLEEP_WORKER ||
		waiting_pct(t->slept_for_ns, w->span_ns) >= WAITING_SLEEP_OTHERS) &&
	       waiting_pct(t->kinds[WAIT_SLEEP].ns, w->span_ns) >= WAITING_SPAN_PCT;
}

static void waiting_sleep_found(const struct rule_input *in, struct findings *out,
				const struct wait_thread *t)
{
	const struct waits *w = in->waits;
	const struct wait_sum *sum = &t->kinds[WAIT_SLEEP];
	bool leads = waiting_pct(t->slept_with_lock_ns, w->span_ns) >= WAITING_SLEEP_OTHERS;
	bool has_other = waiting_pct(t->slept_for_ns, w->span_ns) >= WAITING_SLEEP_OTHERS;
	double pct = waiting_pct(sum->ns, t->life_ns);
	struct finding *f = waiting_add(in, out, &rule_waiting_sleep,
					leads ? FINDING_WARNING : FINDING_NOTE, leads ? 92 : 95);
	struct str other = STR("");

	if (leads)
		other = str_of(finding_name(out,
					    ", while " STR_FMT " waits for a lock it holds (%s)",
					    STR_ARG(waiting_who(in, out, t->slept_with_lock_tid)),
					    finding_duration(out, t->slept_with_lock_ns)));
	else if (has_other)
		other = str_of(finding_name(out, ", while " STR_FMT " waits for it (%s)",
					    STR_ARG(waiting_who(in, out, t->slept_for_tid)),
					    finding_duration(out, t->slept_for_ns)));
	f->impact = pct;
	f->is_kind = true;
	finding_claim(out, f,
		      STR_FMT
		      " sleeps deliberately %.1f %% of its time: %s in %llu sleep%s" STR_FMT,
		      STR_ARG(waiting_who(in, out, t->tid)), pct, finding_duration(out, sum->ns),
		      (unsigned long long)sum->n, sum->n == 1 ? "" : "s", STR_ARG(other));
	finding_figure(f, "share of its time", pct, 0, "%");
	finding_figure(f, "sleeping", (double)sum->ns / 1e6, 0, "ms");
	finding_figure(f, "sleeps", (double)sum->n, 0, "");
	finding_figure(f, "longest", (double)sum->longest_ns / 1e6, 0, "ms");
	finding_figure(f, "running", (double)t->ran_ns / 1e6, 0, "ms");
	if (has_other)
		finding_figure(
			f, finding_name(out, "time another %s waits meanwhile", waiting_word(in)),
			(double)t->slept_for_ns / 1e6, 0, "ms");
	waiting_evidence(in, out, f, 1u << WAIT_SLEEP,
			 strings_get(capture_strings(in->capture), t->comm), 3);
	finding_cause_if(
		out, f, leads, "%s",
		leads ? "The thread sleeps while holding something that another thread needs: a "
			"pause or a retry under a lock"
		      : "A pace, a fixed pause, a retry, or a poll that a wake-up could replace");
	finding_because(out, f, "%s",
			leads ? "the sleeps lie within waits for a lock that this thread ended"
			: has_other ? "each sleep was measured\n"
				      "whether the other thread's wait is late work or no work"
				    : "each sleep was measured\n"
				      "whether anybody waits for the thread");
	finding_next(out, f, "%s",
		     leads ? "release the lock before the sleep"
			   : "find the caller of the sleep: wait for the event itself (a "
			     "condition, epoll, inotify, a deadline timer), not for a fixed time");
}

static void waiting_sleep_check(const struct rule_input *in, struct findings *out)
{
	const struct waits *w = in->waits;
	const struct wait_thread *most = NULL;

	VEC_FOREACH (t, &w->threads) {
		if (waiting_sleeps(w, t) &&
		    (!most || t->slept_with_lock_ns > most->slept_with_lock_ns ||
		     (t->slept_with_lock_ns == most->slept_with_lock_ns &&
		      t->kinds[WAIT_SLEEP].ns > most->kinds[WAIT_SLEEP].ns)))
			most = t;
	}
	if (most)
		waiting_sleep_found(in, out, most);
	else if (w->threads.len && waiting_can_rule_out(in, out, &rule_waiting_sleep))
		finding_clean(out, in, &rule_waiting_sleep,
			      "no working %s sleeps deliberately for a quarter of its time",
			      waiting_word(in));
}

static const char *const waiting_sleep_overrules[] = { "few-samples", NULL };

const struct rule rule_waiting_sleep = {
	.id = "waiting-sleep",
	.title = "Deliberate sleeps",
	.needs = RULE_WAITS,
	.overrules = waiting_sleep_overrules,
	.check = waiting_sleep_check,
	.is_measured = true,
};
