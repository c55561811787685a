/* SPDX-License-Identifier: MIT */
/*
 * More tasks are runnable than there are CPUs. The printed number of runnable tasks includes the
 * running ones, so only the tasks beyond the number of CPUs wait. If the number of CPUs is unknown,
 * busy CPUs and many runnable tasks are only a hint.
 *
 * Thresholds: CPUs are at least 90 % busy (waiting for I/O counts as idle). A quarter more tasks
 * than CPUs is a note, twice as many a warning. If the number of CPUs is unknown: 4 tasks. Sources:
 * vmstat(8); sar(1); proc(5), /proc/stat, procs_running.
 */
#include "analyses/counters/counter_metrics.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(run_queue);

#define QUEUE_TASKS 4.0  /* minimum number of tasks if the number of CPUs is unknown */
#define QUEUE_BUSY  90.0 /* minimum busy share of the CPUs, percent */
#define QUEUE_NOTE  1.25 /* minimum number of tasks per CPU for a note */
#define QUEUE_LEAD  2.0
/*
 * From this share of stolen time on, in percent, the hypervisor is the cause. Rule steal-time has
 * the same limit.
 */
#define QUEUE_STEAL    5.0
#define QUEUE_SURE     80u
#define QUEUE_POSSIBLE 60u

static void queue_finding(const struct rule_input *in, struct findings *out,
			  const struct counter_metric *tasks, const struct counter_metric *busy,
			  const struct counter_metric *steal, double cpus)
{
	struct str name = strings_get(capture_strings(in->capture), tasks->name);
	bool is_long = cpus > 0 && tasks->value >= QUEUE_LEAD * cpus;
	struct finding *f =
		finding_add(out, in, &rule_run_queue, is_long ? FINDING_WARNING : FINDING_NOTE,
			    cpus > 0 ? QUEUE_SURE : QUEUE_POSSIBLE);

	f->is_kind = true;
	if (cpus > 0)
		finding_claim(out, f,
			      "Threads wait for a CPU: %s runnable tasks (" STR_FMT
			      ") on %.0f CPUs",
			      finding_amount(out, 3, tasks->value), STR_ARG(name), cpus);
	else
		finding_claim(out, f, "CPUs are %.0f %% busy, with %s runnable tasks (" STR_FMT ")",
			      busy->value, finding_amount(out, 3, tasks->value), STR_ARG(name));
	finding_figure(f, "runnable tasks", tasks->value, 0, "");
	if (cpus > 0)
		finding_figure(f, "CPUs", cpus, 0, "");
	if (tasks->n > 1) {
		finding_figure(f, "intervals", (double)tasks->n, 0, "");
		finding_figure(f, "highest interval", tasks->peak, 0, "");
	}
	finding_evidence(out, f, in, tasks->line, STR_FMT, STR_ARG(name));
	if (steal && steal->value >= QUEUE_STEAL) {
		finding_figure(f, "stolen CPU time", steal->value, 0, "%");
		finding_usual_cause(out, f,
				    "The hypervisor takes %.0f %% of the CPU time, so the tasks "
				    "wait for the rest",
				    steal->value);
	} else if (cpus > 0)
		finding_cause(out, f,
			      "There are more runnable threads than CPUs: each waits for its "
			      "turn");
	else
		finding_cause(out, f,
			      "The count includes the tasks that run. With fewer CPUs than "
			      "tasks, threads wait for a CPU; otherwise all of them run");
	finding_because(out, f, "%s",
			cpus > 0 ? "the waiting tasks are counted at each moment\n"
				   "how long each waits"
				 : "the waiting tasks are counted at each moment\n"
				   "the number of CPUs of this machine");
	finding_next(out, f, "cat /proc/pressure/cpu; nproc");
	finding_next(out, f,
		     "perf sched record -- sleep 10; perf sched latency: who waits, and how "
		     "long");
}

static void queue_check(const struct rule_input *in, struct findings *out)
{
	const struct counter_metric *tasks = counter_metrics_find(in->counters, "run-queue");
	const struct counter_metric *busy = counter_metrics_find(in->counters, "cpu-busy");
	const struct counter_metric *steal = counter_metrics_find(in->counters, "steal");
	double cpus = facts_cpus(in->capture);
	double least = cpus > 0 ? QUEUE_NOTE * cpus : QUEUE_TASKS;

	if (!tasks) {
		if (counter_metrics_def(in->capture, "run-queue"))
			finding_not_assessed(out, in, &rule_run_queue, "vmstat 1 5",
					     "runnable tasks were not counted");
		return;
	}
	if (!busy) {
		finding_not_assessed(out, in, &rule_run_queue, "vmstat 1 5",
				     "%s runnable tasks; the idle time of the CPUs is not known",
				     finding_amount(out, 3, tasks->value));
		return;
	}
	/*
	 * Steal is time in which the hypervisor runs other guests. Tasks wait during this time, so
	 * it counts as busy.
	 */
	if (tasks->value < least || busy->value + (steal ? steal->value : 0) < QUEUE_BUSY) {
		if (cpus > 0)
			finding_clean(out, in, &rule_run_queue,
				      "%s runnable tasks on %.0f CPUs that are %.0f %% busy",
				      finding_amount(out, 3, tasks->value), cpus, busy->value);
		else
			finding_clean(out, in, &rule_run_queue,
				      "%s runnable tasks, CPUs are %.0f %% busy",
				      finding_amount(out, 3, tasks->value), busy->value);
		return;
	}
	queue_finding(in, out, tasks, busy, steal, cpus);
}

const struct rule rule_run_queue = {
	.id = "run-queue",
	.title = "CPU saturation (long run queue)",
	.needs = RULE_COUNTERS,
	.check = queue_check,
	.is_measured = true,
};
