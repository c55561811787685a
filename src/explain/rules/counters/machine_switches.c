/* SPDX-License-Identifier: MIT */
/*
 * The CPUs of a machine switch between threads so often that the switches cost a good part of the
 * CPU time. vmstat, sar and dstat print the switches of the whole machine, so the figure must be
 * divided by the number of CPUs.
 *
 * Thresholds: 20000 switches per second of CPU time are a note, 40000 a warning: at 2 to 3 us each,
 * they cost 5 or 10 % of CPU time. There must also be 10000 switches per second and CPU, because on
 * a nearly idle machine each thread runs for a moment only. Rule idle-switches reports idle
 * machines. Sources: vmstat(8), cs; lmbench lat_ctx.
 */
#include "analyses/counters/counter_metrics.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(machine_switches);

#define MACHINE_NOTE    20000.0 /* minimum for a note: switches per second of CPU time */
#define MACHINE_LEAD    40000.0
#define MACHINE_LEAST   10000.0 /* minimum for any finding: switches per second and CPU */
#define MACHINE_COST_NS 2500.0
#define MACHINE_SURE    75u

static void machine_finding(const struct rule_input *in, struct findings *out,
			    const struct counter_metric *m, double cpus, double rate)
{
	struct str name = strings_get(capture_strings(in->capture), m->name);
	struct finding *f =
		finding_add(out, in, &rule_machine_switches,
			    rate >= MACHINE_LEAD ? FINDING_WARNING : FINDING_NOTE, MACHINE_SURE);
	double cost = fmin(100, rate * MACHINE_COST_NS / 1e7);

	f->is_kind = true;
	f->impact = cost;
	finding_claim(out, f,
		      "The CPUs switch between threads very often: %.0f switches a second (" STR_FMT
		      ") on %.0f CPUs, %.0f for each second of CPU time",
		      m->value, STR_ARG(name), cpus, rate);
	finding_figure(f, "context switches per second of CPU time", rate, 0, "/s");
	finding_figure(f, "context switches per second", m->value, 0, "/s");
	finding_figure(f, "CPUs", cpus, 0, "");
	finding_figure(f, "share of CPU time, if each costs 2.5 µs", cost, 0, "%");
	if (m->n > 1) {
		finding_figure(f, "intervals", (double)m->n, 0, "");
		finding_figure(f, "highest interval", m->peak, 0, "/s");
	}
	finding_evidence(out, f, in, m->line, STR_FMT, STR_ARG(name));
	if (m->peak_line && m->peak_line != m->line)
		finding_evidence(out, f, in, m->peak_line, STR_FMT, STR_ARG(name));
	finding_usual_cause(out, f,
			    "Threads hand small messages or a token to each other (pipes, sockets, "
			    "condition variables), call sched_yield(), or wait for a lock that "
			    "each holds for a moment");
	finding_because(out, f,
			"the rate is measured\n"
			"which threads switch");
	finding_next(out, f,
		     "pidstat -wt 1: which threads have most of cswch/s; two with equal rates "
		     "wake each other");
	finding_next(out, f,
		     "perf sched record -- sleep 5; perf sched timehist -w: who wakes whom");
}

static void machine_check(const struct rule_input *in, struct findings *out)
{
	const struct counter_metric *m = counter_metrics_find(in->counters, "system-switches");
	const struct counter_metric *busy = counter_metrics_find(in->counters, "cpu-busy");
	double cpus = facts_cpus(in->capture);
	double rate;

	if (!m)
		return;
	if (m->value < MACHINE_LEAST) {
		finding_clean(out, in, &rule_machine_switches, "%.0f context switches a second",
			      m->value);
		return;
	}
	if (!(cpus > 0) || !busy || !(busy->value > 0)) {
		finding_not_assessed(out, in, &rule_machine_switches, "nproc; vmstat 1 5",
				     "%.0f context switches a second; %s", m->value,
				     cpus > 0 ? "the idle time of the CPUs is not printed"
					      : "no number of CPUs is printed for this machine");
		return;
	}
	rate = m->value / (cpus * busy->value / 100);
	if (m->value < MACHINE_LEAST * cpus || rate < MACHINE_NOTE)
		finding_clean(out, in, &rule_machine_switches,
			      "%.0f context switches a second on %.0f CPUs, %.0f for each second "
			      "of CPU time",
			      m->value, cpus, rate);
	else
		machine_finding(in, out, m, cpus, rate);
}

static const char *const machine_explains[] = { "system-cpu", NULL };

const struct rule rule_machine_switches = {
	.id = "machine-switches",
	.title = "High context switch rate of the machine",
	.needs = RULE_COUNTERS,
	.explains = machine_explains,
	.check = machine_check,
	.is_measured = true,
};
