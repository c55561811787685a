/* SPDX-License-Identifier: MIT */
/*
 * The main loop of a process was blocked. Open vSwitch logs the duration of such an interval, with
 * its user and system time. For the rest of the interval the process did not run: it waited for a
 * disk, memory or a CPU.
 *
 * Threshold: a block of 1000 ms, the shortest election timer of a Raft database, is a warning:
 * after it, the cluster treats the leader as dead. A shorter one is a note, because it only delays.
 */
#include "analyses/logs/log_facts.h"
#include "analyses/logs/log_summary.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/log_words.h"

DECLARE_RULE(long_poll);

#define LONG_POLL_ELECTION_MS 1000u
#define LONG_POLL_MOST_PCT    60.0
#define LONG_POLL_LOOK_BEHIND 3u

struct long_poll_facts {
	const struct log_long_poll *worst;
	uint64_t n;
	/* number of blocked intervals that are longer than the election timer */
	uint64_t elections;
	uint64_t faults;
	uint32_t faults_record;
	uint32_t leader_record; /* index of the record "ignoring vote request received as leader" */
};

/* Find the largest number of page faults that the log reports shortly after a blocked interval. */
static void long_poll_faults(const struct rule_input *in, struct long_poll_facts *p)
{
	uint32_t n = (uint32_t)in->capture->records->rows.len;
	struct log_match m;

	p->faults_record = INDEX_NONE;
	VEC_FOREACH (q, &in->log->long_polls) {
		for (uint32_t i = q->record; i < n && i - q->record <= LONG_POLL_LOOK_BEHIND; i++) {
			if (log_match(log_words_record(in, i)->text, "faults: %u minor, %u major",
				      &m) &&
			    m.n[0] >= p->faults) {
				p->faults = m.n[0];
				p->faults_record = i;
			}
		}
	}
}

static void long_poll_leader(const struct rule_input *in, struct long_poll_facts *p)
{
	p->leader_record = INDEX_NONE;
	VEC_FOREACH (q, &in->log->long_polls) {
		if (q->record > 0 && str_starts(log_words_record(in, q->record - 1)->text,
						STR("ignoring vote request received as leader")))
			p->leader_record = q->record - 1;
	}
}

static const char *long_poll_cause(double user, double kernel, double starved)
{
	if (starved >= LONG_POLL_MOST_PCT)
		return "The process did not run: it waited for a disk, for memory or for a CPU";
	if (kernel >= LONG_POLL_MOST_PCT)
		return "System calls or page faults: the kernel worked for the process";
	if (user >= LONG_POLL_MOST_PCT)
		return "One iteration of its own code computes too long";
	return "The process's own code, the kernel and waiting share the time";
}

static void long_poll_finding(const struct rule_input *in, struct findings *out,
			      const struct long_poll_facts *p)
{
	const struct log_long_poll *w = p->worst;
	double all = (double)w->interval_ms;
	double user = log_words_pct((double)w->user_ms, all);
	double kernel = log_words_pct((double)w->system_ms, all);
	double starved = user + kernel < 100 ? 100 - user - kernel : 0;
	struct finding *f =
		finding_add(out, in, &rule_long_poll, p->elections ? FINDING_WARNING : FINDING_NOTE,
			    w->has_cpu ? 92 : 75);

	if (!w->has_cpu)
		finding_claim(out, f,
			      "The main loop was blocked %llu time%s, up to %llu ms; the log does "
			      "not show whether it computed or waited%s",
			      (unsigned long long)p->n, p->n == 1 ? "" : "s",
			      (unsigned long long)w->interval_ms,
			      p->elections ? "; longer than an election timer of 1 s" : "");
	else
		finding_claim(out, f,
			      "The main loop was blocked %llu time%s, up to %llu ms: %.1f %% on "
			      "the CPU (user %llu ms, kernel %llu ms), %.1f %% not running%s",
			      (unsigned long long)p->n, p->n == 1 ? "" : "s",
			      (unsigned long long)w->interval_ms, user + kernel,
			      (unsigned long long)w->user_ms, (unsigned long long)w->system_ms,
			      starved,
			      p->elections ? "; longer than an election timer of 1 s" : "");
	finding_usual_cause(out, f, "%s",
			    w->has_cpu
				    ? long_poll_cause(user, kernel, starved)
				    : "One iteration took this long; its user and kernel times are "
				      "not reported");
	if (p->leader_record != INDEX_NONE)
		finding_because(out, f,
				"peers requested votes while this leader was blocked: see the "
				"previous record");
	else
		finding_because(out, f, "the process measured it itself");
	finding_figure(f, "blocked", all, 0.5, "ms");
	if (w->has_cpu) {
		finding_figure(f, "user", user, 0, "%");
		finding_figure(f, "kernel", kernel, 0, "%");
		finding_figure(f, "not running", starved, 0, "%");
	}
	finding_figure(f, "intervals above 1 s", (double)p->elections, 0, "");
	for (size_t i = 0; i < in->log->long_polls.len && i < LOG_EVIDENCE_MAX; i++)
		log_words_cite(out, f, in, in->log->long_polls.data[i].record);
	if (p->leader_record != INDEX_NONE)
		log_words_cite(out, f, in, p->leader_record);
	if (p->faults_record != INDEX_NONE) {
		finding_figure(f, "most minor faults in one", (double)p->faults, 0, "");
		finding_figure(f, "newly touched memory, at 4 KiB per fault",
			       (double)p->faults * 4096 / (1024 * 1024), 0, "MiB");
		log_words_cite(out, f, in, p->faults_record);
	}
	if (w->has_cpu && starved >= LONG_POLL_MOST_PCT)
		finding_next(out, f,
			     "pidstat -d -r -w -p PID 1; vmstat 1: major faults, disk I/O, steal "
			     "time (st)");
	else
		finding_next(out, f,
			     "perf record -g -p PID during such an interval: then make one "
			     "iteration do less (whole-database JSON, large snapshots)");
	finding_next(out, f, "a longer election timer hides the problem without curing it");
}

static void long_poll_check(const struct rule_input *in, struct findings *out)
{
	struct long_poll_facts p = { .n = in->log->long_polls.len };

	if (p.n == 0) {
		bool has_timeval = false;

		VEC_FOREACH (m, &in->log->by_module)
			has_timeval |= str_eq(strings_get(&in->facts->dossier->strings, m->name),
					      STR("poll_loop"));
		if (has_timeval)
			finding_clean(out, in, &rule_long_poll,
				      "no long poll interval is reported");
		return;
	}
	VEC_FOREACH (q, &in->log->long_polls) {
		if (!p.worst || q->interval_ms > p.worst->interval_ms)
			p.worst = q;
		p.elections += q->interval_ms >= LONG_POLL_ELECTION_MS;
	}
	long_poll_faults(in, &p);
	long_poll_leader(in, &p);
	long_poll_finding(in, out, &p);
}

static const char *const long_poll_explains[] = { "election-storm", NULL };

const struct rule rule_long_poll = {
	.id = "long-poll",
	.title = "Blocked main loop",
	.needs = RULE_LOG,
	.explains = long_poll_explains,
	.check = long_poll_check,
	.is_measured = true,
};
