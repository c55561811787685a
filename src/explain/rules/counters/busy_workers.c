/* SPDX-License-Identifier: MIT */
/*
 * In top, ps or pidstat, kernel workers are busy on many CPUs at the same time. Each of these
 * workers belongs to one CPU (kworker/13:1H). So work was queued on all these CPUs. Often there is
 * more work than necessary, or all workers need the same lock.
 *
 * Thresholds: 8 CPUs have a worker that uses 5 % of a CPU or more. Together the workers use 100 %
 * of a CPU for a note, and 400 % for a warning. Workers that belong to no CPU ("kworker/u8:3") are
 * ignored: the scheduler distributes them. Source: Linux, kernel/workqueue.c, create_worker(),
 * wq_worker_comm().
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

DECLARE_RULE(busy_workers);

#define WORKERS_CPUS  8u
#define WORKERS_LEAST 5.0 /* minimum CPU use of one worker, percent of a CPU */
#define WORKERS_NOTE  100.0
#define WORKERS_LEAD  400.0
#define WORKERS_MOST  1024u /* CPUs with this number or a higher one are ignored */
#define WORKERS_QUEUE 4u    /* minimum length of the name of a workqueue */
#define WORKERS_SURE  85u

struct workers {
	bool seen[WORKERS_MOST]; /* seen[cpu]: the CPU has a busy worker */
	uint32_t n_cpus, n;
	double sum, most;
	/* input lines of the busiest worker, and of another busy worker */
	uint32_t most_line, other_line;
	/* name of the workqueue to which all busy workers belong; empty: unknown, or several */
	struct str queue;
	bool has_queues; /* the workers belong to several workqueues */
	bool is_high;    /* all workers have high priority */
	bool has_tasks;  /* the table has the CPU time of tasks */
};

/*
 * Parse the name of a worker that belongs to one CPU: "kworker/13:1H-kblockd". False: another task.
 */
static bool workers_parse(struct str name, uint64_t *ret_cpu, bool *ret_is_high,
			  struct str *ret_queue)
{
	uint64_t id;
	size_t at;

	(void)str_take(&name, STR("["));
	if (str_ends(name, STR("]")))
		name = str_sub(name, 0, name.len - 1);
	if (!str_take(&name, STR("kworker/")) || !str_u64(&name, ret_cpu) ||
	    !str_take(&name, STR(":")) || !str_u64(&name, &id))
		return false;
	*ret_is_high = str_take(&name, STR("H"));
	at = name.len && (name.p[0] == '-' || name.p[0] == '+') ? 1 : name.len;
	*ret_queue = str_skip(name, at);
	return true;
}

/*
 * Add the name @queue of a worker's workqueue. top truncates names, so if one name is the beginning
 * of another, both are the same workqueue.
 */
static void workers_queue(struct workers *w, struct str queue)
{
	if (str_ends(queue, STR("+")))
		queue.len--;
	if (!queue.len)
		return;
	if (!w->queue.len || str_starts(queue, w->queue))
		w->queue = queue;
	else if (!str_starts(w->queue, queue))
		w->has_queues = true;
}

static void workers_add(struct workers *w, const struct counter *row, struct str name)
{
	double pct = counter_value(row);
	struct str queue;
	uint64_t cpu;
	bool is_high;

	if (!(pct >= WORKERS_LEAST) || !workers_parse(name, &cpu, &is_high, &queue) ||
	    cpu >= WORKERS_MOST)
		return;
	w->n_cpus += !w->seen[cpu];
	w->seen[cpu] = true;
	w->is_high = is_high && (w->is_high || w->n == 0);
	w->n++;
	w->sum += pct;
	if (pct > w->most) {
		w->other_line = w->most_line;
		w->most = pct;
		w->most_line = row->line;
	} else {
		w->other_line = row->line;
	}
	workers_queue(w, queue);
}

/*
 * Gather the busy workers of the last interval. Earlier intervals are ignored, because a table of
 * top lists all tasks again in each interval.
 */
static void workers_gather(const struct rule_input *in, struct workers *w)
{
	const struct counters *k = in->capture->counters;
	uint32_t last = 0;
	bool is_thread;

	VEC_FOREACH (row, &k->rows)
		last = row->interval > last ? row->interval : last;
	VEC_FOREACH (row, &k->rows) {
		if (row->state != COUNTER_COUNTED || row->interval != last || !row->key.v ||
		    !str_eq(strings_get(capture_strings(in->capture), row->name), STR("%CPU")))
			continue;
		w->has_tasks = true;
		workers_add(w, row,
			    counter_task_name(strings_get(capture_strings(in->capture), row->key),
					      &is_thread));
	}
}

static void workers_finding(const struct rule_input *in, struct findings *out,
			    const struct workers *w)
{
	struct finding *f =
		finding_add(out, in, &rule_busy_workers,
			    w->sum >= WORKERS_LEAD ? FINDING_WARNING : FINDING_NOTE, WORKERS_SURE);

	/* top truncates names, and a name of a few letters identifies no workqueue */
	bool has_queue = w->queue.len >= WORKERS_QUEUE && !w->has_queues;

	f->impact = fmin(100, w->sum);
	finding_claim(out, f,
		      "Workers of the kernel (kworker) are busy on %u CPUs: together they use %.1f "
		      "CPUs, the busiest %.1f %% of a CPU",
		      w->n_cpus, w->sum / 100, w->most);
	finding_figure(f, "CPUs with a busy worker", w->n_cpus, 0, "");
	finding_figure(f, "CPUs that these workers use", w->sum / 100, 0, "");
	finding_evidence(out, f, in, w->most_line, "the busiest");
	if (w->other_line)
		finding_evidence(out, f, in, w->other_line, "another one");
	finding_usual_cause(
		out, f,
		"Work was queued on each of these CPUs%s" STR_FMT
		". It may be one job that runs on all CPUs where one is enough, or they fight "
		"for one lock%s",
		has_queue ? ", in the workqueue " : "",
		STR_ARG(has_queue ? str_sub(w->queue, 0, 32) : STR("")),
		w->is_high ? ". H marks high priority: most often it is kblockd, which runs the "
			     "hardware queues of a block device"
			   : "");
	finding_because(out, f,
			"their CPU time is measured\n"
			"what they do");
	finding_next(out, f,
		     "perf record -a -g -- sleep 5; perf report --no-children --sort comm,sym: "
		     "what the kworkers run, and the callers of a lock");
	finding_next(out, f,
		     "trace-cmd record -e workqueue:workqueue_execute_start sleep 1: the function "
		     "of the work");
}

static void workers_check(const struct rule_input *in, struct findings *out)
{
	struct workers w = { .n = 0 };

	if (!str_glob(STR("top|ps|pidstat"),
		      strings_get(capture_strings(in->capture), in->capture->counters->tool)))
		return;
	workers_gather(in, &w);
	if (!w.has_tasks)
		finding_not_assessed(out, in, &rule_busy_workers, "top -b -n 1",
				     "no figure for the CPU time of tasks (%%CPU)");
	else if (w.n_cpus >= WORKERS_CPUS && w.sum >= WORKERS_NOTE)
		workers_finding(in, out, &w);
	else
		finding_clean(out, in, &rule_busy_workers,
			      "%u CPUs have a worker of the kernel that uses %.0f %% of a CPU; in "
			      "total %.0f %%",
			      w.n_cpus, WORKERS_LEAST, w.sum);
}

const struct rule rule_busy_workers = {
	.id = "busy-workers",
	.title = "Kernel workers busy on many CPUs",
	.needs = RULE_COUNTERS,
	.check = workers_check,
	.is_measured = true,
};
