/* SPDX-License-Identifier: MIT */
/*
 * A thread that uses little CPU time wakes up thousands of times per second, and runs for some
 * microseconds each time. It is a loop of short sleeps, or each small message wakes the thread.
 *
 * Thresholds: 2000 wake-ups per second, at most 100 us of CPU time for each, and less than half a
 * CPU. An idle process has only some tens per second. If the thread uses more than half a CPU, rule
 * switch-rate reports the switches. The finding is a note, since a server may get so many requests.
 * From 10000 per second, with at most 20 us each, it is a warning: the sleep and the wake-up then
 * cost as much as the work.
 */
#include "analyses/counters/counter_metrics.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(short_wakeups);

#define WAKEUPS_LEAST   2000.0 /* minimum number of wake-ups per second */
#define WAKEUPS_RUN_US  100.0
#define WAKEUPS_CPUS    0.5
#define WAKEUPS_LEAD    10000.0
#define WAKEUPS_LEAD_US 20.0
/* if a process used less CPU time, it only started, and is not judged */
#define WAKEUPS_CPU_S 0.01
#define WAKEUPS_SURE  65u

static void wakeups_check(const struct rule_input *in, struct findings *out)
{
	const struct counter_metric *switches =
		counter_metrics_find(in->counters, "switches-per-second");
	const struct counter_metric *cpus = counter_metrics_find(in->counters, "cpus-utilised");
	struct counter_sum cpu;
	double wakeups, run_us;
	struct finding *f;

	if (!switches || switches->value <= 0)
		return;
	if (!cpus || !counter_metrics_cpu_seconds(in->capture, &cpu) || cpu.value < WAKEUPS_CPU_S) {
		finding_not_assessed(out, in, &rule_short_wakeups,
				     "perf stat -e task-clock,context-switches -p PID sleep 10",
				     "no CPU time of 10 ms, or nothing says in which time");
		return;
	}
	wakeups = switches->value * cpus->value;
	run_us = 1e6 / switches->value;
	if (cpus->value >= WAKEUPS_CPUS || wakeups < WAKEUPS_LEAST || run_us > WAKEUPS_RUN_US) {
		finding_clean(out, in, &rule_short_wakeups,
			      "%.0f switches a second, after %s of CPU time each, on %.2f CPUs",
			      wakeups, finding_duration(out, (uint64_t)(run_us * 1e3)),
			      cpus->value);
		return;
	}
	f = finding_add(out, in, &rule_short_wakeups,
			wakeups >= WAKEUPS_LEAD && run_us <= WAKEUPS_LEAD_US ? FINDING_WARNING
									     : FINDING_NOTE,
			WAKEUPS_SURE);
	f->impact = 100 * cpus->value;
	finding_claim(out, f,
		      "Short sleeps: the program wakes up %s times per second, and runs %s each "
		      "time (%.3g "
		      "CPUs)",
		      finding_amount(out, 3, wakeups),
		      finding_duration(out, (uint64_t)(run_us * 1e3)), cpus->value);
	finding_figure(f, "wake-ups", wakeups, 0, "/s");
	finding_figure(f, "CPU time for each", run_us, 0, "us");
	finding_evidence(out, f, in, switches->line, "context switches");
	finding_evidence(out, f, in, cpus->line, "CPU time");
	finding_usual_cause(out, f,
			    "A loop polls with short sleeps or a short timer, or each small "
			    "message wakes the thread. Most of the CPU time is then sleeping and "
			    "waking in the kernel");
	finding_because(out, f,
			"the rate and the time are measured; another task that takes the "
			"CPU away is a switch, too");
	finding_next(out, f,
		     "strace -c -f -p PID: many nanosleep, clock_nanosleep, futex or "
		     "epoll_wait are the loop");
	finding_next(out, f,
		     "sleep longer, or wait for an event (condition, eventfd, poll "
		     "without a time limit) instead of polling");
}

const struct rule rule_short_wakeups = {
	.id = "short-wakeups",
	.title = "Short sleeps: very many wake-ups for little work",
	.needs = RULE_COUNTERS,
	.check = wakeups_check,
};
