/* SPDX-License-Identifier: MIT */
/*
 * A main loop wakes up again and again. Open vSwitch logs the source location of a wake-up, and the
 * CPU usage of the process. The rate limit of the log drops most of these messages, and the log
 * then prints how many it dropped. The rule counts the dropped messages as wake-ups, too.
 *
 * Thresholds: 100 wake-ups per second at half a CPU or more. Idle daemons wake up a few times per
 * second.
 */
#include "analyses/logs/log_facts.h"
#include "analyses/logs/log_summary.h"
#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/log_words.h"

#include <math.h>

DECLARE_RULE(wakeup_storm);

#define WAKEUP_RATE 100.0
#define WAKEUP_CPU  50u

#define WAKEUP_FINDINGS 3u

/* The wake-ups that one log stream (one process) reports. */
struct wakeup_facts {
	uint16_t cpu;
	uint64_t n;
	uint64_t dropped;
	uint64_t active;
	uint32_t worst; /* index of the record with the highest CPU usage */
	uint32_t report;
	double nodes; /* calls of poll_create_node per second */
	uint32_t nodes_record;
	uint64_t sessions;
	str_id module;
};

static void wakeup_gather(const struct rule_input *in, struct wakeup_facts *streams)
{
	VEC_FOREACH (x, &in->log->wakeups) {
		struct wakeup_facts *w = &streams[log_words_record(in, x->record)->stream];

		w->n++;
		w->module = log_words_record(in, x->record)->module;
		if (x->has_cpu && x->cpu_pct >= w->cpu) {
			w->cpu = x->cpu_pct;
			w->worst = x->record;
		}
	}
	VEC_FOREACH (d, &in->log->dropped) {
		const struct log_record *r = log_words_record(in, d->record);
		struct wakeup_facts *w = &streams[r->stream];

		if (!w->module.v || r->module.v != w->module.v)
			continue;
		w->dropped += d->dropped;
		w->active += d->active_seconds;
		w->report = d->record;
	}
}

/*
 * Estimate how often the main loop runs. Each run calls poll_create_node once per session. So the
 * rate of the loop is the rate of these calls, divided by the number of sessions.
 */
static void wakeup_rounds(const struct rule_input *in, struct wakeup_facts *streams)
{
	VEC_FOREACH (u, &in->log->usage) {
		struct wakeup_facts *w = &streams[log_words_record(in, u->record)->stream];

		if (str_eq(u->name, STR("sessions")) && u->value > w->sessions)
			w->sessions = u->value;
	}
	for (uint32_t i = 0; i < in->capture->records->rows.len; i++) {
		const struct log_record *r = log_words_record(in, i);
		struct wakeup_facts *w = &streams[r->stream];
		struct log_match m;
		double nodes;

		if (!log_match(r->text, "poll_create_node %u.%u/sec", &m))
			continue;
		nodes = (double)m.n[0] + (double)m.n[1] / 10;
		if (nodes > w->nodes) {
			w->nodes = nodes;
			w->nodes_record = i;
		}
	}
}

/* Runs of the main loop per second, computed from the number of sessions; 0: unknown. */
static double wakeup_runs(const struct wakeup_facts *w)
{
	return w->sessions ? w->nodes / (double)w->sessions : 0;
}

static double wakeup_rate(const struct wakeup_facts *w)
{
	double rate = w->active ? (double)w->dropped / (double)w->active : 0;

	return fmax(wakeup_runs(w), rate);
}

static void wakeup_finding(const struct rule_input *in, struct findings *out,
			   const struct wakeup_facts *w, double rate)
{
	struct finding *f = finding_add(out, in, &rule_wakeup_storm, FINDING_WARNING, 80);

	finding_claim(out, f,
		      "The main loop of " STR_FMT
		      " wakes up about %.0f times per second and uses up to %u %% of a CPU",
		      STR_ARG(log_words_who(out, in, w->worst)), rate, w->cpu);
	finding_figure(f, "processor", w->cpu, 0.5, "%");
	finding_figure(f, "rate", rate, 0, "/s");
	log_words_cite(out, f, in, w->worst);
	if (w->dropped) {
		finding_figure(f, "wake-ups not printed", (double)w->dropped, 0, "");
		log_words_cite(out, f, in, w->report);
	}
	if (w->nodes > 0 && w->sessions) {
		finding_figure(f, "descriptors registered", w->nodes, 0.05, "/s");
		finding_figure(f, "rounds over all sessions", wakeup_runs(w), 0, "/s");
		log_words_cite(out, f, in, w->nodes_record);
		finding_usual_cause(
			out, f,
			"Each wake-up registers all %llu sessions again: the cost of an "
			"event grows with their number",
			(unsigned long long)w->sessions);
		finding_next(out, f, "use fewer sessions per server: a relay, or more servers");
	} else {
		finding_usual_cause(
			out, f,
			"A descriptor is always ready, a timer is zero, or many events each "
			"cause little work");
	}
	finding_because(out, f, "%s",
			wakeup_runs(w) >= rate
				? "computed: descriptors registered per second, divided by the "
				  "sessions that each wake-up registers"
				: "the module's dropped messages are assumed to be wake-ups");
	finding_next(out, f,
		     "timeout 5 strace -f -c -p PID; ovs-appctl vlog/set poll_loop:dbg: the source "
		     "of the wake-ups");
}

static void wakeup_check(const struct rule_input *in, struct findings *out)
{
	size_t n = in->capture->records->streams.len;
	struct wakeup_facts *streams;
	uint32_t found = 0;

	if (in->log->wakeups.len == 0)
		return;
	streams = xcalloc(n, sizeof(*streams));
	wakeup_gather(in, streams);
	wakeup_rounds(in, streams);
	for (size_t i = 0; i < n && found < WAKEUP_FINDINGS; i++) {
		if (streams[i].cpu < WAKEUP_CPU || wakeup_rate(&streams[i]) < WAKEUP_RATE)
			continue;
		wakeup_finding(in, out, &streams[i], wakeup_rate(&streams[i]));
		found++;
	}
	if (!found)
		finding_clean(
			out, in, &rule_wakeup_storm,
			"%zu wake-ups printed; no process at %u %% of a CPU and %.0f per second",
			in->log->wakeups.len, WAKEUP_CPU, WAKEUP_RATE);
	free(streams);
}

const struct rule rule_wakeup_storm = {
	.id = "wakeup-storm",
	.title = "Wake-up storm",
	.needs = RULE_LOG,
	.check = wakeup_check,
};
