/* SPDX-License-Identifier: MIT */
/*
 * The main loop of a process was blocked. Open vSwitch logs the duration of such an interval, with
 * its user and system time. For the rest of the interval the process did not run: it waited for a
 * disk, memory or a CPU.
 *
 * Threshold: an interval of 1000 ms is a warning. This is the shortest election timer of a Raft
 * database: after this time, the cluster treats the leader as dead. A shorter interval is a note,
 * because it is only a delay.
 */
#include "analyses/logs/log_facts.h"
#include "analyses/logs/log_summary.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/log_words.h"

DECLARE_RULE(long_poll);

#define LONG_POLL_ELECTION_MS 1000u
#define LONG_POLL_MOST_PCT    60.0
/* minimum CPU usage, in percent, at which Open vSwitch logs its wake-ups: lib/poll-loop.c */
#define LONG_POLL_WAKEUP_CPU  50u
#define LONG_POLL_LOOK_BEHIND 3u
#define LONG_POLL_PROCESSES   4u
/*
 * Limits for a pause of the whole machine. No program of the log has a record for at least
 * LONG_POLL_PAUSE_NS, and for LONG_POLL_PAUSE_TIMES times the mean time between records. The pause
 * ends during the blocked interval, or at most LONG_POLL_PAUSE_NEAR before it.
 */
#define LONG_POLL_PAUSE_NS    (60 * UINT64_C(1000000000))
#define LONG_POLL_PAUSE_TIMES 10u
#define LONG_POLL_PAUSE_NEAR  (2 * UINT64_C(1000000000))
/* maximum number of records before a blocked interval's record that are searched for the pause */
#define LONG_POLL_PAUSE_BACK 16u

/*
 * Activity of a process in a blocked interval, as the log prints it. faults_record and
 * switches_record: indices of the log records with the figures; INDEX_NONE: not printed.
 */
struct long_poll_usage {
	uint64_t faults, voluntary, involuntary;
	uint32_t faults_record, switches_record;
};

struct long_poll_facts {
	const struct log_long_poll *worst;
	uint64_t n;
	/* number of blocked intervals that are longer than the election timer */
	uint64_t elections;
	struct long_poll_usage usage; /* activity in the longest interval */
	/*
	 * About the interval with the most page faults. faults: their number; faults_ms: length of
	 * the interval; faults_record: index of the record that prints the page faults. INDEX_NONE:
	 * no page faults are printed.
	 */
	uint64_t faults, faults_ms;
	uint32_t faults_record;
	/*
	 * pauses: number of blocked intervals that begin at the end of a pause of the whole log;
	 * pause_ns: length of the longest such pause; pause_record: index of the first record after
	 * this pause
	 */
	uint64_t pauses, pause_ns;
	uint32_t pause_record;
	bool is_raft;
	uint32_t leader_record; /* index of the record "ignoring vote request received as leader" */
};

/*
 * Read the page faults and context switches of a blocked interval, which Open vSwitch logs after
 * the interval.
 */
static struct long_poll_usage long_poll_usage(const struct rule_input *in,
					      const struct log_long_poll *q)
{
	struct long_poll_usage u = { .faults_record = INDEX_NONE, .switches_record = INDEX_NONE };
	uint32_t n = (uint32_t)in->capture->records->rows.len;
	struct log_match m;

	for (uint32_t i = q->record; i < n && i - q->record <= LONG_POLL_LOOK_BEHIND; i++) {
		struct str text = log_words_record(in, i)->text;

		if (log_words_record(in, i)->stream != log_words_record(in, q->record)->stream)
			continue;
		if (log_match(text, "faults: %u minor, %u major", &m)) {
			u.faults = m.n[0];
			u.faults_record = i;
		} else if (log_match(text, "context switches: %u voluntary, %u involuntary", &m)) {
			u.voluntary = m.n[0];
			u.involuntary = m.n[1];
			u.switches_record = i;
		}
	}
	return u;
}

/* Find the interval with the most page faults. The records after each interval have the numbers. */
static void long_poll_faults(const struct rule_input *in, struct long_poll_facts *p)
{
	p->faults_record = INDEX_NONE;
	VEC_FOREACH (q, &in->log->long_polls) {
		struct long_poll_usage u = long_poll_usage(in, q);

		if (u.faults_record == INDEX_NONE || u.faults < p->faults)
			continue;
		p->faults = u.faults;
		p->faults_record = u.faults_record;
		p->faults_ms = q->interval_ms;
	}
}

/* Find the longest blocked interval during which peers requested votes. */
static void long_poll_leader(const struct rule_input *in, struct long_poll_facts *p)
{
	uint64_t longest = 0;

	p->leader_record = INDEX_NONE;
	VEC_FOREACH (q, &in->log->long_polls) {
		if (q->vote_record == INDEX_NONE || q->interval_ms < longest)
			continue;
		longest = q->interval_ms;
		p->leader_record = q->vote_record;
	}
}

/* Is the database a cluster with a single server? Then no peer can win an election. */
static bool long_poll_is_alone(const struct rule_input *in)
{
	bool is_alone = false;

	VEC_FOREACH (l, &in->log->leaders) {
		if (l->servers > 1)
			return false;
		is_alone |= l->servers == 1;
	}
	return is_alone;
}

/* Count the blocked intervals that begin at the end of a pause of the whole log. */
static void long_poll_pauses(const struct rule_input *in, struct long_poll_facts *p)
{
	uint32_t n = (uint32_t)in->capture->records->rows.len;
	uint64_t first = log_words_record(in, 0)->time_ns;
	uint64_t last = log_words_record(in, n - 1)->time_ns;
	uint64_t usual = last > first ? (last - first) / n : 0;

	if (first == 0 || usual == 0)
		return;
	VEC_FOREACH (q, &in->log->long_polls) {
		uint64_t end = log_words_record(in, q->record)->time_ns;
		uint64_t near = q->interval_ms * 1000000 + LONG_POLL_PAUSE_NEAR;

		for (uint32_t i = q->record; i > 0 && q->record - i < LONG_POLL_PAUSE_BACK; i--) {
			uint64_t after = log_words_record(in, i)->time_ns;
			uint64_t before = log_words_record(in, i - 1)->time_ns;

			if (end < after || end - after > near)
				break;
			if (before == 0 || after < before + LONG_POLL_PAUSE_NS ||
			    after - before < usual * LONG_POLL_PAUSE_TIMES)
				continue;
			p->pauses++;
			if (after - before > p->pause_ns) {
				p->pause_ns = after - before;
				p->pause_record = i;
			}
			break;
		}
	}
}

/* Does the log come from a member of a Raft cluster, which has an election timer? */
static bool long_poll_is_raft(const struct rule_input *in)
{
	VEC_FOREACH (m, &in->log->by_module) {
		if (str_eq(strings_get(&in->facts->dossier->strings, m->name), STR("raft")))
			return true;
	}
	return false;
}

/* Format a time: "1278 ms" as in the log, but "20 min" for long times. */
static const char *long_poll_time(struct findings *out, uint64_t ms)
{
	if (ms < 10000)
		return finding_name(out, "%llu ms", (unsigned long long)ms);
	return finding_duration(out, ms < UINT64_MAX / 1000000 ? ms * 1000000 : UINT64_MAX);
}

/*
 * The processes whose main loops were blocked, with their longest intervals: "ovsdb-nb 1373 ms,
 * ovsdb-sb 1278 ms". "": only one process.
 */
static const char *long_poll_processes(const struct rule_input *in, struct findings *out)
{
	const struct log_long_poll *longest[LONG_POLL_PROCESSES];
	const char *text = "";
	size_t n = 0;

	VEC_FOREACH (q, &in->log->long_polls) {
		const struct log_stream *stream = log_words_stream(in, q->record);
		size_t at = 0;

		for (; at < n; at++) {
			const struct log_stream *other = log_words_stream(in, longest[at]->record);

			if (other->node.v == stream->node.v &&
			    other->process.v == stream->process.v)
				break;
		}
		if (at == LONG_POLL_PROCESSES)
			continue;
		if (at == n)
			longest[n++] = q;
		else if (q->interval_ms > longest[at]->interval_ms)
			longest[at] = q;
	}
	for (size_t i = 0; i < n; i++)
		text = finding_name(out, "%s%s" STR_FMT " %s", text, i ? ", " : "",
				    STR_ARG(log_words_who(out, in, longest[i]->record)),
				    long_poll_time(out, longest[i]->interval_ms));
	return n > 1 ? text : "";
}

/*
 * Whether the process was preempted in the longest interval, and never waited: it was denied the
 * CPU. (The line with the switches is only printed if there was one.)
 */
static bool long_poll_is_denied(const struct long_poll_facts *p)
{
	return p->usage.switches_record != INDEX_NONE && p->usage.voluntary == 0;
}

static const char *long_poll_cause(const struct long_poll_facts *p, double user, double kernel,
				   double starved)
{
	if (starved >= LONG_POLL_MOST_PCT && p->pauses == p->n)
		return "The machine was paused, or its virtual CPUs were: no program of the log "
		       "writes a record for a long time before each such interval, which begins "
		       "when the machine goes on";
	if (starved >= LONG_POLL_MOST_PCT && long_poll_is_denied(p))
		return "The process was denied the CPU: it waited for nothing (no voluntary "
		       "context switch). Other tasks, a CPU quota or the host took the CPU, or "
		       "the machine was suspended";
	if (starved >= LONG_POLL_MOST_PCT)
		return "The process did not run: it waited for a disk, for memory or for a CPU";
	if (kernel >= LONG_POLL_MOST_PCT)
		return "System calls or page faults: the kernel worked for the process";
	if (user >= LONG_POLL_MOST_PCT)
		return "One iteration of its own code computes too long";
	return "The process's own code, the kernel and waiting share the time";
}

/*
 * What a wake-up means if its reason names one of the netlink sockets of Open vSwitch. Sources:
 * OVS, lib/poll-loop.c, log_wakeup(); lib/route-table.c, lib/dpif-netlink.c.
 */
static const struct {
	const char *why;
	const char *means;
} long_poll_sockets[] = {
	{ "*(NETLINK_ROUTE*", "routes, links or addresses of the system change, and the process "
			      "reads them all again after each event" },
	{ "*(NETLINK_GENERIC*", "the kernel hands up packets that no flow of its table matches" },
};

/* The meaning of the reason @why of a wake-up; NULL: unknown. */
static const char *long_poll_means(struct str why)
{
	for (size_t i = 0; i < ARRAY_LEN(long_poll_sockets); i++) {
		if (str_glob(str_of(long_poll_sockets[i].why), why))
			return long_poll_sockets[i].means;
	}
	return NULL;
}

/*
 * Find the wake-up with the highest CPU usage, at least half a CPU, and with a known reason. It
 * must be from the process of record @of. NULL: none.
 */
static const struct log_wakeup *long_poll_wakeup(const struct rule_input *in, uint32_t of)
{
	const struct log_stream *stream = log_words_stream(in, of);
	const struct log_wakeup *best = NULL;

	VEC_FOREACH (w, &in->log->wakeups) {
		if (w->has_cpu && w->cpu_pct >= LONG_POLL_WAKEUP_CPU && long_poll_means(w->why) &&
		    log_words_stream(in, w->record)->process.v == stream->process.v &&
		    (!best || w->cpu_pct > best->cpu_pct))
			best = w;
	}
	return best;
}

/* A sentence about the wake-up @w of a busy process; "" if @w is NULL. */
static const char *long_poll_reason(struct findings *out, const struct log_wakeup *w)
{
	return w ? finding_name(out, ". It wakes for " STR_FMT ": %s",
				STR_ARG(str_sub(w->why, 0, 80)), long_poll_means(w->why))
		 : "";
}

static void long_poll_finding(const struct rule_input *in, struct findings *out,
			      const struct long_poll_facts *p)
{
	const struct log_long_poll *w = p->worst;
	double all = (double)w->interval_ms;
	double user = log_words_pct((double)w->user_ms, all);
	double kernel = log_words_pct((double)w->system_ms, all);
	double starved = user + kernel < 100 ? 100 - user - kernel : 0;
	const char *processes = long_poll_processes(in, out);
	const struct log_wakeup *wakeup =
		starved < LONG_POLL_MOST_PCT ? long_poll_wakeup(in, w->record) : NULL;
	struct finding *f =
		finding_add(out, in, &rule_long_poll, p->elections ? FINDING_WARNING : FINDING_NOTE,
			    w->has_cpu ? 92 : 75);

	if (!w->has_cpu)
		finding_claim(out, f,
			      "The main loop was blocked %llu time%s, up to %s; the log does "
			      "not show whether it computed or waited%s",
			      (unsigned long long)p->n, p->n == 1 ? "" : "s",
			      long_poll_time(out, w->interval_ms),
			      p->elections && p->is_raft ? "; longer than an election timer of 1 s"
							 : "");
	else
		finding_claim(
			out, f,
			"The main loop was blocked %llu time%s, up to %s: %.1f %% on "
			"the CPU (user %s, kernel %s), %.1f %% not running%s",
			(unsigned long long)p->n, p->n == 1 ? "" : "s",
			long_poll_time(out, w->interval_ms), user + kernel,
			long_poll_time(out, w->user_ms), long_poll_time(out, w->system_ms), starved,
			p->elections && p->is_raft ? "; longer than an election timer of 1 s" : "");
	if (*processes)
		finding_claim(
			out, f,
			"The main loops of several processes were blocked: %s. The longest "
			"time%s%s",
			processes,
			w->has_cpu ? finding_name(out, ": %.1f %% on the CPU, %.1f %% not running",
						  user + kernel, starved)
				   : " is not divided into CPU time and waiting",
			p->elections && p->is_raft ? "; longer than an election timer of 1 s" : "");
	finding_usual_cause(out, f, "%s%s",
			    w->has_cpu
				    ? long_poll_cause(p, user, kernel, starved)
				    : "One iteration took this long; its user and kernel times are "
				      "not reported",
			    long_poll_reason(out, wakeup));
	if (p->leader_record != INDEX_NONE)
		finding_because(
			out, f, "peers requested votes while %s was blocked as leader",
			*processes ? finding_name(out, STR_FMT,
						  STR_ARG(log_words_who(out, in, p->leader_record)))
				   : "it");
	else
		finding_because(out, f, "the process measured it itself");
	finding_figure(f, "blocked", all, 0.5, "ms");
	if (w->has_cpu) {
		finding_figure(f, "user", user, 0, "%");
		finding_figure(f, "kernel", kernel, 0, "%");
		finding_figure(f, "not running", starved, 0, "%");
	}
	finding_figure(f, "intervals above 1 s", (double)p->elections, 0, "");
	log_words_cite(out, f, in, w->record);
	for (size_t i = 0; i < in->log->long_polls.len && i < LOG_EVIDENCE_MAX; i++) {
		if (in->log->long_polls.data[i].record != w->record)
			log_words_cite(out, f, in, in->log->long_polls.data[i].record);
	}
	if (wakeup)
		log_words_cite(out, f, in, wakeup->record);
	if (p->leader_record != INDEX_NONE)
		log_words_cite(out, f, in, p->leader_record);
	if (p->faults_record != INDEX_NONE) {
		finding_figure(f,
			       p->faults_ms == w->interval_ms
				       ? "minor faults in the longest"
				       : finding_name(out, "minor faults in that of %s",
						      long_poll_time(out, p->faults_ms)),
			       (double)p->faults, 0, "");
		finding_figure(f, "newly touched memory, at 4 KiB per fault",
			       (double)p->faults * 4096 / (1024 * 1024), 0, "MiB");
		log_words_cite(out, f, in, p->faults_record);
	}
	if (p->usage.switches_record != INDEX_NONE && starved >= LONG_POLL_MOST_PCT) {
		finding_figure(f, "voluntary context switches in the longest",
			       (double)p->usage.voluntary, 0, "");
		finding_figure(f, "involuntary ones", (double)p->usage.involuntary, 0, "");
		log_words_cite(out, f, in, p->usage.switches_record);
	}
	if (p->pauses == p->n) {
		finding_figure(f, "pause of the whole log before, at most",
			       (double)p->pause_ns / 1e9, 0, "s");
		log_words_cite(out, f, in, p->pause_record - 1);
		log_words_cite(out, f, in, p->pause_record);
		finding_next(
			out, f,
			"journalctl -k: suspend, or a jump of the clock, at these times; on the "
			"host: was the virtual machine stopped");
	} else if (w->has_cpu && starved >= LONG_POLL_MOST_PCT && long_poll_is_denied(p))
		finding_next(
			out, f,
			"vmstat 1: r and st; then nr_throttled in cpu.stat of its control group; "
			"journalctl -k: suspend or a jump of the clock at that time");
	else if (w->has_cpu && starved >= LONG_POLL_MOST_PCT)
		finding_next(out, f,
			     "pidstat -d -r -w -p PID 1; vmstat 1: major faults, disk I/O, steal "
			     "time (st)");
	else
		finding_next(out, f,
			     "perf record -g -p PID during such an interval: then make one "
			     "iteration do less (whole-database JSON, large snapshots)");
	if (p->is_raft && p->pauses < p->n)
		finding_next(out, f,
			     "raise the election timer only for the meantime: it hides the problem "
			     "without curing it");
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
	p.is_raft = long_poll_is_raft(in) && !long_poll_is_alone(in);
	long_poll_pauses(in, &p);
	p.usage = long_poll_usage(in, p.worst);
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
