/* SPDX-License-Identifier: MIT */
/*
 * A task is often runnable without running. pidstat prints the time in which it waits for a CPU
 * (%wait), and the time in which it runs (%CPU).
 *
 * Thresholds: a note if the task waits 20 % of the time, and at least as long as it runs. A task
 * that runs longer than it waits does most of its work without delay. 50 % in three intervals or
 * more are a warning.
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(task_waits_for_cpu);

#define RUNNABLE_NOTE   20.0
#define RUNNABLE_LEAD   50.0
#define RUNNABLE_ENOUGH 3u  /* minimum number of intervals of a warning */
#define RUNNABLE_TASKS  64u /* maximum number of tasks */
#define RUNNABLE_NAME   40u
#define RUNNABLE_SURE   80u

/* A task. Several tasks with the same name are distinguished by their order in each interval. */
struct runnable_task {
	str_id key;
	uint32_t line;
	uint32_t interval; /* index of the latest interval that was added */
	double wait, cpu;  /* sums over the intervals, percent */
	uint32_t n;        /* number of intervals */
};

struct runnable_tasks {
	struct runnable_task rows[RUNNABLE_TASKS];
	size_t n;
	bool has_waits; /* the table has the column %wait */
};

static bool runnable_is(const struct rule_input *in, const struct counter *row, const char *name)
{
	return row->state == COUNTER_COUNTED &&
	       str_eq(strings_get(capture_strings(in->capture), row->name), str_of(name));
}

static bool runnable_is_thread(const struct rule_input *in, str_id key)
{
	bool is_thread;

	(void)counter_task_name(strings_get(capture_strings(in->capture), key), &is_thread);
	return is_thread;
}

/*
 * The task of @row. If a task with this name already has a value in this interval, @row is another
 * task. NULL: too many tasks.
 */
static struct runnable_task *runnable_task_of(struct runnable_tasks *tasks,
					      const struct counter *row)
{
	size_t t = 0;

	while (t < tasks->n && (tasks->rows[t].key.v != row->key.v ||
				(tasks->rows[t].n && tasks->rows[t].interval == row->interval)))
		t++;
	if (t == RUNNABLE_TASKS)
		return NULL;
	if (t == tasks->n)
		tasks->rows[tasks->n++] =
			(struct runnable_task){ .key = row->key, .line = row->line };
	return &tasks->rows[t];
}

static void runnable_gather(const struct rule_input *in, struct runnable_tasks *ret)
{
	const struct counters *k = in->capture->counters;
	bool has_threads = false;

	*ret = (struct runnable_tasks){ .n = 0 };
	VEC_FOREACH (row, &k->rows)
		has_threads |= row->key.v && runnable_is_thread(in, row->key);
	for (size_t i = 0; i + 1 < k->rows.len; i++) {
		const struct counter *wait = &k->rows.data[i];
		const struct counter *cpu = &k->rows.data[i + 1];
		struct runnable_task *task;

		if (!runnable_is(in, wait, "%wait") || !runnable_is(in, cpu, "%CPU") ||
		    wait->line != cpu->line)
			continue;
		ret->has_waits = true;
		/*
		 * A process row is the sum of its threads. If threads are listed, judge only the
		 * threads.
		 */
		if (has_threads && !runnable_is_thread(in, wait->key))
			continue;
		task = runnable_task_of(ret, wait);
		if (!task)
			continue;
		task->interval = wait->interval;
		task->wait += counter_value(wait);
		task->cpu += counter_value(cpu);
		task->n++;
	}
}

static double runnable_wait(const struct runnable_task *t)
{
	return t->wait / t->n;
}

static bool runnable_is_hit(const struct runnable_task *t)
{
	return runnable_wait(t) >= RUNNABLE_NOTE && t->wait >= t->cpu;
}

static void runnable_finding(const struct rule_input *in, struct findings *out,
			     const struct runnable_task *t, size_t others)
{
	bool is_thread;
	struct str name = str_sub(
		counter_task_name(strings_get(capture_strings(in->capture), t->key), &is_thread), 0,
		RUNNABLE_NAME);
	double wait = runnable_wait(t);
	struct finding *f = finding_add(
		out, in, &rule_task_waits_for_cpu,
		wait >= RUNNABLE_LEAD && t->n >= RUNNABLE_ENOUGH ? FINDING_WARNING : FINDING_NOTE,
		RUNNABLE_SURE);

	f->is_kind = true;
	f->impact = fmin(100, wait);
	finding_claim(out, f,
		      "%s" STR_FMT " is runnable but waits for a CPU %.1f %% of the time, and runs "
		      "%.1f %% (%%wait, %%CPU)%s",
		      is_thread ? "Thread " : "", STR_ARG(name), fmin(100, wait), t->cpu / t->n,
		      others ? finding_name(out, "; %zu more %s, too", others,
					    others > 1 ? "tasks wait" : "task waits")
			     : "");
	finding_figure(f, "time waiting for a CPU", wait, 0, "%");
	finding_figure(f, "time running", t->cpu / t->n, 0, "%");
	finding_figure(f, "intervals", t->n, 0, "");
	finding_evidence(out, f, in, t->line, "%%wait");
	finding_usual_cause(out, f,
			    "Other tasks have the CPUs on which it may run: more runnable tasks "
			    "than CPUs, a lower nice value or a real-time class of theirs, or an "
			    "affinity to a busy CPU. A CPU quota of its control group also makes "
			    "it wait");
	finding_because(out, f,
			"the scheduler measures the delay of the task\n"
			"who ran instead");
	finding_next(out, f,
		     "pidstat -u 1; ps -eo pid,cls,ni,psr,pcpu,comm --sort=-pcpu: who "
		     "runs, with which priority");
	finding_next(out, f,
		     "taskset -p PID; cat /sys/fs/cgroup/GROUP/cpu.stat: the CPUs of the "
		     "task, and nr_throttled");
}

static void runnable_check(const struct rule_input *in, struct findings *out)
{
	const struct runnable_task *worst = NULL;
	struct runnable_tasks tasks;
	double most = 0;
	size_t hits = 0;

	if (!str_eq(strings_get(capture_strings(in->capture), in->capture->counters->tool),
		    STR("pidstat")))
		return;
	runnable_gather(in, &tasks);
	for (size_t i = 0; i < tasks.n; i++) {
		const struct runnable_task *t = &tasks.rows[i];

		most = fmax(most, runnable_wait(t));
		if (!runnable_is_hit(t))
			continue;
		hits++;
		if (!worst || runnable_wait(t) > runnable_wait(worst))
			worst = t;
	}
	if (!tasks.has_waits)
		finding_not_assessed(out, in, &rule_task_waits_for_cpu, "pidstat -u 1 5",
				     "no figure for the time each task waits for a CPU (%%wait)");
	else if (worst)
		runnable_finding(in, out, worst, hits - 1);
	else
		finding_clean(
			out, in, &rule_task_waits_for_cpu,
			"no task waits for a CPU %.0f %% of the time and longer than it runs; "
			"most: %.1f %%",
			RUNNABLE_NOTE, most);
}

const struct rule rule_task_waits_for_cpu = {
	.id = "task-waits-for-cpu",
	.title = "Task waits for a CPU",
	.needs = RULE_COUNTERS,
	.check = runnable_check,
	.is_measured = true,
};
