/* SPDX-License-Identifier: MIT */
/*
 * Two threads take turns: each waits until the other wakes it, over and over. Only one of them
 * works at a time, and each piece of work costs two wake-ups.
 *
 * Thresholds: 50 rounds, and the waits for each other take a tenth of the recording. For a warning
 * they take 30 %, and are so short (100 us) that the wake-ups cost a large part of the time.
 */
#include "explain/signatures/waiting.h"

#include "analyses/waits/waits.h"
#include "base/number.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/profile.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(waiting_handoff);

#define HANDOFF_ROUNDS   50u
#define HANDOFF_NOTE_PCT 10.0
#define HANDOFF_LEAD_PCT 30.0
#define HANDOFF_SHORT_NS 100000.0
#define HANDOFF_UNEVEN   2u
#define HANDOFF_TRIED    256u
/* kinds of waits that are examined; waits for locks have a rule of their own */
#define HANDOFF_KINDS                                                                   \
	(1u << WAIT_PEER | 1u << WAIT_EVENT | 1u << WAIT_CONDITION | 1u << WAIT_FUTEX | \
	 1u << WAIT_OTHER | 1u << WAIT_UNKNOWN)

static const struct wait_pair *handoff_back(const struct waits *w, const struct wait_pair *p)
{
	VEC_FOREACH (q, &w->pairs) {
		if (q->tid == p->by && q->by == p->tid)
			return q;
	}
	return NULL;
}

/*
 * Were all samples taken on one CPU? Then two threads take turns even if they do not wait for each
 * other.
 */
static bool handoff_is_on_one_cpu(const struct rule_input *in)
{
	const struct samples *s = &in->capture->profile->samples;

	if (s->n == 0 || s->cpu.len != s->n || s->cpu.data[0] == UINT16_MAX)
		return false;
	for (size_t i = 1; i < s->n; i++) {
		if (s->cpu.data[i] != s->cpu.data[0])
			return false;
	}
	return true;
}

static void handoff_found(const struct rule_input *in, struct findings *out,
			  const struct wait_pair *p, const struct wait_pair *q)
{
	const struct waits *w = in->waits;
	uint64_t rounds = p->n < q->n ? p->n : q->n;
	double span = (double)w->span_ns;
	double pct = waiting_pct(p->ns + q->ns, w->span_ns);
	double mean = (double)(p->ns + q->ns) / (double)(p->n + q->n);
	bool is_one = handoff_is_on_one_cpu(in);
	bool leads = pct >= HANDOFF_LEAD_PCT && mean <= HANDOFF_SHORT_NS && !is_one;
	struct finding *f = waiting_add(in, out, &rule_waiting_handoff,
					leads ? FINDING_WARNING : FINDING_NOTE, 88);

	f->impact = pct;
	finding_claim(out, f,
		      STR_FMT " and " STR_FMT
			      " work in turns: each waits for the other, %llu times there and back "
			      "(%.0f per second), mean wait %s",
		      STR_ARG(waiting_who(in, out, p->tid)), STR_ARG(waiting_who(in, out, p->by)),
		      (unsigned long long)rounds, span > 0 ? (double)rounds / span * 1e9 : 0,
		      finding_duration(out, number_whole(mean)));
	finding_figure(f, "share of the recording in which one waits for the other",
		       pct > 100 ? 100 : pct, 0, "%");
	finding_figure(f, "waits", (double)(p->n + q->n), 0, "");
	finding_figure(f, "of the first for the second", (double)p->ns / 1e6, 0, "ms");
	finding_figure(f, "of the second for the first", (double)q->ns / 1e6, 0, "ms");
	waiting_evidence(in, out, f, (p->kinds | q->kinds) & HANDOFF_KINDS, STR_NONE, 3);
	if (is_one)
		finding_cause(out, f,
			      "Both run on CPU %u only, where one must wait while the other runs. "
			      "Each piece of work costs two switches",
			      in->capture->profile->samples.cpu.data[0]);
	else
		finding_cause(
			out, f,
			"Only one request is in flight at a time. Each piece of work costs two "
			"wake-ups, and half of the used CPUs idle");
	finding_because(out, f,
			"the waker of each wait was recorded\n"
			"whether each request needs the previous answer");
	if (is_one)
		finding_next(out, f,
			     "taskset -p PID: may the threads use more CPUs; then larger pieces of "
			     "work a switch");
	else
		finding_next(out, f,
			     "keep several requests in flight (batches, pipelining), or run both "
			     "halves in "
			     "one thread or on CPUs that share a cache");
}

static void handoff_check(const struct rule_input *in, struct findings *out)
{
	const struct waits *w = in->waits;
	unsigned int tried = 0;

	if (w->threads.len == 0)
		return;
	if (!w->has_wakers) {
		finding_not_assessed(out, in, &rule_waiting_handoff, "assay record --off-cpu",
				     "no wake-ups recorded: the wakers are unknown");
		return;
	}
	/*
	 * Pairs are sorted by time. So if one pair has too small a part of the recording, all later
	 * pairs have, too.
	 */
	VEC_FOREACH (p, &w->pairs) {
		const struct wait_pair *q;

		if (waiting_pct(p->ns, w->span_ns) * 2 < HANDOFF_NOTE_PCT ||
		    tried++ == HANDOFF_TRIED)
			break;
		if (p->n < HANDOFF_ROUNDS || !(p->kinds & HANDOFF_KINDS) ||
		    p->kinds & ~HANDOFF_KINDS || !waits_thread(w, p->by))
			continue;
		q = handoff_back(w, p);
		if (!q || q->kinds & ~HANDOFF_KINDS || q->n > p->n * HANDOFF_UNEVEN ||
		    p->n > q->n * HANDOFF_UNEVEN || q->n < HANDOFF_ROUNDS ||
		    waiting_pct(p->ns + q->ns, w->span_ns) < HANDOFF_NOTE_PCT)
			continue;
		handoff_found(in, out, p, q);
		return;
	}
	if (waiting_misses_waits(in))
		waiting_not_ruled_out(in, out, &rule_waiting_handoff);
	else
		finding_clean(out, in, &rule_waiting_handoff, "no two %ss work in turns",
			      waiting_word(in));
}

static const char *const handoff_overrules[] = { "few-samples", NULL };
static const char *const handoff_explains[] = { "wakeup-churn", "idle-balancing", NULL };

const struct rule rule_waiting_handoff = {
	.id = "waiting-handoff",
	.title = "Ping-pong between two threads",
	.needs = RULE_WAITS,
	.overrules = handoff_overrules,
	.explains = handoff_explains,
	.check = handoff_check,
	.is_measured = true,
};
