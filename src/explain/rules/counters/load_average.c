/* SPDX-License-Identifier: MIT */
/*
 * The load average is above the number of CPUs. It is the number of tasks that run, are ready to
 * run, or wait in the kernel without a signal (state D), averaged over about a minute. If hardly
 * any CPU time is I/O wait, the extra tasks are ready to run and wait for a CPU.
 *
 * Some rows also print idle time. If the load is above the number of CPUs although CPUs are idle,
 * there are bursts: more tasks than CPUs at some times, fewer at others. The average shows bursts
 * late.
 *
 * Thresholds: the load is a quarter above the number of CPUs. Rule run-queue has the same limit,
 * and judges the number of runnable tasks if it is printed. From 5 % of I/O wait on, tasks in state
 * D may be the load. CPUs count as idle from 10 % of idle time on. Sources: kernel/sched/loadavg.c;
 * proc(5), loadavg.
 */
#include "analyses/counters/counter_metrics.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(load_average);

#define LOAD_PART   1.25
#define LOAD_IOWAIT 5.0
#define LOAD_IDLE   10.0
#define LOAD_SURE   70u

struct load {
	double peak;
	uint32_t line; /* input line of the peak */
	size_t n, over;
	/*
	 * means in percent, over the rows whose load is above the threshold; NAN: these rows do not
	 * print them
	 */
	double idle, iowait;
};

/*
 * The value in the same line of the input as counter @at, in the first column that matches
 * @columns. NAN: there is none. Cost: O(columns).
 */
static double load_in_row(const struct capture *c, size_t at, const char *columns)
{
	const struct counter *rows = c->counters->rows.data;
	uint32_t line = rows[at].line;

	while (at && rows[at - 1].line == line)
		at--;
	for (; at < c->counters->rows.len && rows[at].line == line; at++) {
		if (rows[at].state == COUNTER_COUNTED &&
		    str_glob(str_of(columns), strings_get(capture_strings(c), rows[at].name)))
			return counter_value(&rows[at]);
	}
	return (double)NAN;
}

static struct load load_find(const struct capture *c, double cpus)
{
	const struct counters *k = c->counters;
	struct load ret = { .n = 0 };

	VEC_FOREACH (row, &k->rows) {
		double v = counter_value(row);

		if (row->state != COUNTER_COUNTED || (k->is_since_boot && row->interval == 0) ||
		    !str_glob(STR("1m|ldavg-1"), strings_get(capture_strings(c), row->name)))
			continue;
		ret.n++;
		if (v > ret.peak) {
			ret.peak = v;
			ret.line = row->line;
		}
		if (cpus <= 0 || v < LOAD_PART * cpus)
			continue;
		ret.over++;
		ret.idle += load_in_row(c, (size_t)(row - k->rows.data), "id|idl|%idle");
		ret.iowait += load_in_row(c, (size_t)(row - k->rows.data), "wa|wai|%iowait");
	}
	ret.idle /= (double)ret.over;
	ret.iowait /= (double)ret.over;
	return ret;
}

static void load_finding(const struct rule_input *in, struct findings *out, const struct load *l,
			 double cpus)
{
	struct finding *f = finding_add(out, in, &rule_load_average, FINDING_NOTE, LOAD_SURE);
	bool is_burst = l->idle >= LOAD_IDLE;
	const char *also =
		is_burst ? finding_name(out, ", while %.0f %% of CPU time is idle", l->idle) : "";

	f->is_kind = true;
	finding_claim(out, f,
		      "More tasks than CPUs: the load average is up to %s on %.0f CPUs, and %s or "
		      "more in %zu of %zu rows%s",
		      finding_amount(out, 3, l->peak), cpus,
		      finding_amount(out, 3, LOAD_PART * cpus), l->over, l->n, also);
	finding_figure(f, "highest load average of a minute", l->peak, 0, "");
	finding_figure(f, "CPUs", cpus, 0, "");
	if (!isnan(l->idle))
		finding_figure(f, "idle CPU time in these rows", l->idle, 0, "%");
	if (!isnan(l->iowait))
		finding_figure(f, "I/O wait in these rows", l->iowait, 0, "%");
	finding_evidence(out, f, in, l->line, "the highest load average");
	finding_usual_cause(
		out, f, "%s",
		is_burst
			? "Tasks come in bursts: at some times more are ready than there are CPUs, "
			  "at others CPUs are idle. The average lags behind by a minute: a program "
			  "that starts jobs by it overshoots, then waits too long"
			: "More tasks are ready than there are CPUs, so each waits for its turn: "
			  "too many jobs or threads at once");
	finding_because(out, f, "tasks in state D count, too%s",
			isnan(l->iowait) ? "; the I/O wait is not printed"
					 : "; hardly any I/O wait is printed");
	finding_next(out, f, "vmstat 1: r above the number of CPUs; cat /proc/pressure/cpu");
	finding_next(out, f, "ps -eo stat,comm --sort stat | sort | uniq -c: which tasks are in R");
}

static void load_check(const struct rule_input *in, struct findings *out)
{
	double cpus = facts_cpus(in->capture);
	struct load l = load_find(in->capture, cpus);

	if (l.n == 0 || counter_metrics_find(in->counters, "run-queue"))
		return;
	if (cpus <= 0)
		finding_not_assessed(out, in, &rule_load_average, "nproc",
				     "the number of CPUs is unknown; the load average is up to %s",
				     finding_amount(out, 3, l.peak));
	else if (l.over == 0)
		finding_clean(out, in, &rule_load_average,
			      "a load average of up to %s on %.0f CPUs",
			      finding_amount(out, 3, l.peak), cpus);
	else if (l.iowait >= LOAD_IOWAIT)
		finding_not_assessed(
			out, in, &rule_load_average, "vmstat 1: columns r and b",
			"a load average of up to %s on %.0f CPUs may be tasks that wait "
			"for I/O: %.0f %% I/O wait",
			finding_amount(out, 3, l.peak), cpus, l.iowait);
	else
		load_finding(in, out, &l, cpus);
}

const struct rule rule_load_average = {
	.id = "load-average",
	.title = "Load average above the number of CPUs",
	.needs = RULE_COUNTERS,
	.check = load_check,
};
