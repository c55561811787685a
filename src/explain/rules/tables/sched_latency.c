/* SPDX-License-Identifier: MIT */
/*
 * Tasks wait long for a CPU, or are switched out very often (perf sched latency).
 *
 * A task waits long if one of these holds:
 * - the mean delay is 10 ms;
 * - the mean delay is 5 ms, and the longest 100 ms;
 * - the task waits longer than it runs;
 * - the longest delay is 100 ms and 100 times the mean, so that it is an outlier and no effect of
 *   load.
 *
 * A task is switched out too often if this occurs 1000 times per second of its run time. Then it
 * runs less than 1 ms at a time.
 */
#include "core/capture.h"
#include "explain/words/table_words.h"

#include "base/str.h"
#include "core/kinds/metrics.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(sched_latency);

#define LATENCY_RATE      1000.0 /* minimum number of switches per second of run time */
#define LATENCY_SURE_RATE 70u
#define LATENCY_SWITCHES  10000.0
#define LATENCY_MAX_NS    100e6
#define LATENCY_MAX_RATIO 100.0
/*
 * If the mean delay of a task is at least this (ns), the task is reported: there are too few CPUs
 * for the work.
 */
#define LATENCY_AVG_NS 10e6

/*
 * Limits for a task that waits longer than it runs: minimum total wait and minimum mean wait. (The
 * shortest slice of the scheduler is 0.7 to 3 ms.)
 */
#define LATENCY_WAITED_NS 1e9
#define LATENCY_EACH_NS   1e6

/*
 * If the mean delay of a task is at least this (ns), a delay of LATENCY_MAX_NS is reported.
 * Otherwise such a delay must also be LATENCY_MAX_RATIO times the mean.
 */
#define LATENCY_NOTE_NS 5e6

/*
 * Limits for tasks that share one CPU. Parts are of the elapsed time, from 0 to 1.
 * - Each task runs or waits on this CPU for LATENCY_FILLED of the time: it uses no other CPU.
 * - Each task runs for LATENCY_PART of the time, and was switched at least LATENCY_TURNS times.
 * - Together the tasks keep the CPU busy for LATENCY_FILLED of the time. If no wake-up was
 *   recorded, LATENCY_BUSY suffices, and the finding is a note. (Tasks that are not printed may use
 *   the remaining time.)
 */
#define LATENCY_FILLED     0.9
#define LATENCY_BUSY       0.6
#define LATENCY_PART       0.1
#define LATENCY_TURNS      10.0
#define LATENCY_SURE_SHARE 75u
#define LATENCY_SURE_BUSY  60u
/*
 * If the tasks were switched at least this number of times, and all delays are 0, no wake-up was
 * recorded.
 */
#define LATENCY_NO_WAKEUPS 20.0

struct latency {
	size_t runtime, switches, avg, max;
	/*
	 * rate_row: row with the most switches per second of run time; max_row: row with the
	 * longest delay; SIZE_MAX: none
	 */
	size_t rate_row, max_row;
	double rate;
};

static bool latency_columns(const struct rule_input *in, struct latency *l)
{
	l->runtime = table_words_column(in, "runtime");
	l->switches = table_words_column(in, "switches");
	l->avg = table_words_column(in, "avg delay");
	l->max = table_words_column(in, "max delay");
	return l->runtime != TABLE_NO_COLUMN && l->switches != TABLE_NO_COLUMN &&
	       l->avg != TABLE_NO_COLUMN && l->max != TABLE_NO_COLUMN;
}

/*
 * Total time, ns, in which the task of @row was runnable and waited for a CPU: the printed mean
 * delay per switch, times the number of switches.
 */
static double latency_waited(const struct metrics *m, const struct latency *l, size_t row)
{
	return metrics_value(m, row, l->avg) * metrics_value(m, row, l->switches);
}

static bool latency_waits_more(const struct metrics *m, const struct latency *l, size_t row)
{
	double waited = latency_waited(m, l, row);

	return metrics_value(m, row, l->avg) >= LATENCY_EACH_NS && waited >= LATENCY_WAITED_NS &&
	       waited >= metrics_value(m, row, l->runtime);
}

static void latency_measure(const struct rule_input *in, struct latency *l)
{
	const struct metrics *m = in->capture->metrics;

	l->rate_row = l->max_row = SIZE_MAX;
	l->rate = 0;
	for (size_t row = 0; row < m->n_rows; row++) {
		double switches = metrics_value(m, row, l->switches);
		double runtime = metrics_value(m, row, l->runtime);
		double max = metrics_value(m, row, l->max);
		double avg = metrics_value(m, row, l->avg);
		double rate = runtime > 0 ? switches / (runtime / 1e9) : 0;

		if (rate >= LATENCY_RATE && switches >= LATENCY_SWITCHES && rate > l->rate) {
			l->rate = rate;
			l->rate_row = row;
		}
		if ((avg >= LATENCY_AVG_NS || (avg >= LATENCY_NOTE_NS && max >= LATENCY_MAX_NS) ||
		     (max >= LATENCY_MAX_NS && max >= avg * LATENCY_MAX_RATIO) ||
		     latency_waits_more(m, l, row)) &&
		    (l->max_row == SIZE_MAX || max > metrics_value(m, l->max_row, l->max)))
			l->max_row = row;
	}
}

static void latency_waits(const struct rule_input *in, struct findings *out,
			  const struct latency *l)
{
	const struct metrics *m = in->capture->metrics;
	struct str name = table_words_name(in, l->max_row);
	double max = metrics_value(m, l->max_row, l->max);
	double avg = metrics_value(m, l->max_row, l->avg);
	bool leads = avg >= LATENCY_AVG_NS || max >= avg * LATENCY_MAX_RATIO;
	struct finding *f = finding_add(out, in, &rule_sched_latency,
					leads ? FINDING_WARNING : FINDING_NOTE, 85);
	char text[4][32];

	if (latency_waits_more(m, l, l->max_row))
		finding_claim(
			out, f,
			"Task " STR_FMT " waited %s for a CPU while runnable, and ran %s: %s a "
			"time on average, up to %s",
			STR_ARG(name),
			table_words_duration(latency_waited(m, l, l->max_row), text[0]),
			table_words_duration(metrics_value(m, l->max_row, l->runtime), text[1]),
			table_words_duration(avg, text[2]), table_words_duration(max, text[3]));
	else
		finding_claim(out, f,
			      "Task " STR_FMT
			      " was runnable but waited up to %s for a CPU; the mean is %s",
			      STR_ARG(name), table_words_duration(max, text[0]),
			      table_words_duration(avg, text[1]));
	finding_figure(f, "longest delay", max / 1e6, 0, "ms");
	finding_figure(f, "mean delay", avg / 1e6, 0, "ms");
	finding_subject(f, m->names.data[l->max_row], SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, m->lines.data[l->max_row], STR_FMT, STR_ARG(name));
	finding_usual_cause(
		out, f, "%s",
		avg >= LATENCY_AVG_NS
			? "There are more runnable tasks than CPUs, or a quota of its group applies"
		: !leads
			? "Other tasks run first: there are more than CPUs, or this one has a low "
			  "priority (nice), perhaps on purpose"
			: "A task of higher priority, a delayed wake-up, or a long section without "
			  "preemption kept its CPU");
	finding_because(out, f,
			"the scheduler's own time stamps\n"
			"which task ran instead");
	finding_next(
		out, f,
		"perf sched timehist -w: the task on that CPU at the longest delay, and the waker");
}

static void latency_switches(const struct rule_input *in, struct findings *out,
			     const struct latency *l)
{
	const struct metrics *m = in->capture->metrics;
	struct str name = table_words_name(in, l->rate_row);
	struct finding *f =
		finding_add(out, in, &rule_sched_latency, FINDING_NOTE, LATENCY_SURE_RATE);
	char text[32];

	f->title = "High context switch rate";
	finding_claim(out, f,
		      "Task " STR_FMT
		      " is switched out %.0f times per second of run time: %s at a stretch",
		      STR_ARG(name), l->rate, table_words_duration(1e9 / l->rate, text));
	finding_figure(f, "switches", metrics_value(m, l->rate_row, l->switches), 0, "");
	finding_figure(f, "switches per second of run time", l->rate, 0, "");
	finding_subject(f, m->names.data[l->rate_row], SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, m->lines.data[l->rate_row], STR_FMT, STR_ARG(name));
	for (size_t row = 0; row < m->n_rows && f->evidence.len < 3; row++) {
		if (row != l->rate_row && str_eq(table_words_name(in, row), name))
			finding_evidence(out, f, in, m->lines.data[row],
					 "same task elsewhere: %.0f switches",
					 metrics_value(m, row, l->switches));
	}
	finding_usual_cause(
		out, f,
		"It waits for each small piece of work (a request, a packet), as event "
		"loops of servers do. Or another task (ksoftirqd, a kworker, its partner) "
		"takes the CPU each time");
	finding_because(out, f,
			"counted by the scheduler\n"
			"whether it waits or is preempted");
	finding_next(out, f,
		     "perf sched timehist, or perf record -e sched:sched_switch -g: prev_state R "
		     "is preemption, S is waiting");
}

/* The columns of a table of perf sched timehist, by their meaning. */
struct latency_turns {
	size_t wait, span, cpu;
};

/*
 * Were wake-ups recorded? If not, at least LATENCY_NO_WAKEUPS switches of the timehist all have a
 * delay of 0.
 */
static bool latency_is_woken(const struct metrics *m, const struct latency *l)
{
	double switches = 0;

	for (size_t row = 0; row < m->n_rows; row++) {
		if (metrics_value(m, row, l->max) > 0)
			return true;
		switches += metrics_value(m, row, l->switches);
	}
	return switches < LATENCY_NO_WAKEUPS;
}

/*
 * Does the task of @row meet the limits for a task that shares one CPU (LATENCY_FILLED,
 * LATENCY_PART and LATENCY_TURNS)?
 */
static bool latency_is_turn(const struct metrics *m, const struct latency *l,
			    const struct latency_turns *t, size_t row)
{
	double run = metrics_value(m, row, l->runtime);
	double span = metrics_value(m, row, t->span);

	return !isnan(metrics_value(m, row, t->cpu)) &&
	       metrics_value(m, row, l->switches) >= LATENCY_TURNS && span > 0 &&
	       run >= span * LATENCY_PART &&
	       run + metrics_value(m, row, t->wait) >= span * LATENCY_FILLED;
}

/* Report the CPU that several tasks share. False: there is none. */
static bool latency_shared(const struct rule_input *in, struct findings *out,
			   const struct latency *l, const struct latency_turns *t)
{
	const struct metrics *m = in->capture->metrics;
	size_t best = SIZE_MAX;
	double best_run = 0, best_span = 0;
	unsigned int best_n = 0;
	bool has_other = false;
	bool is_filled;
	struct finding *f;
	char text[2][32];

	for (size_t row = 0; row < m->n_rows; row++) {
		double cpu = metrics_value(m, row, t->cpu);
		double run = 0, span = 0;
		unsigned int n = 0;

		/* add up all tasks on the same CPU as the task of @row */
		for (size_t i = 0; latency_is_turn(m, l, t, row) && i < m->n_rows; i++) {
			if (!latency_is_turn(m, l, t, i) || metrics_value(m, i, t->cpu) != cpu)
				continue;
			run += metrics_value(m, i, l->runtime);
			span = fmax(span, metrics_value(m, i, t->span));
			n++;
		}
		if (n < 2 || n <= best_n ||
		    run < span * (latency_is_woken(m, l) ? LATENCY_FILLED : LATENCY_BUSY))
			continue;
		best = row;
		best_n = n;
		best_run = run;
		best_span = span;
	}
	if (best == SIZE_MAX)
		return false;
	/* a CPU number above 0 shows that the machine has another CPU, number 0 */
	has_other = metrics_value(m, best, t->cpu) > 0;
	for (size_t row = 0; row < m->n_rows; row++)
		has_other |= metrics_value(m, row, t->cpu) != metrics_value(m, best, t->cpu);
	is_filled = best_run >= best_span * LATENCY_FILLED;
	f = finding_add(out, in, &rule_sched_latency,
			has_other && is_filled ? FINDING_WARNING : FINDING_NOTE,
			is_filled ? LATENCY_SURE_SHARE : LATENCY_SURE_BUSY);
	f->title = "Tasks share one CPU";
	finding_claim(
		out, f, "%u tasks take turns on CPU %.0f and run on no other: together %s in %s",
		best_n, metrics_value(m, best, t->cpu), table_words_duration(best_run, text[0]),
		table_words_duration(best_span, text[1]));
	finding_figure(f, "tasks", best_n, 0, "");
	finding_figure(f, "part of the time that they keep the CPU busy",
		       fmin(100, 100 * best_run / best_span), 0, "%");
	for (size_t row = 0; row < m->n_rows && f->evidence.len < 3; row++) {
		if (!latency_is_turn(m, l, t, row) ||
		    metrics_value(m, row, t->cpu) != metrics_value(m, best, t->cpu))
			continue;
		finding_subject(f, m->names.data[row], SUBJECT_EXPLAINED);
		finding_evidence(out, f, in, m->lines.data[row], STR_FMT ": ran %s, waited %s",
				 STR_ARG(table_words_name(in, row)),
				 table_words_duration(metrics_value(m, row, l->runtime), text[0]),
				 table_words_duration(metrics_value(m, row, t->wait), text[1]));
	}
	finding_usual_cause(out, f,
			    has_other
				    ? "Their affinity allows only this CPU: taskset, a cpuset, or "
				      "pinning by the program or a library"
				    : "The machine has only this CPU, or their affinity allows "
				      "no other");
	finding_because(out, f,
			is_filled
				? "the scheduler's own time stamps: runs and waits of each task on "
				  "this CPU fill the recorded time"
				: "runs and waits of each task on this CPU fill the recorded time\n"
				  "whether a wait is a sleep: sch delay is 0 in all rows, so no "
				  "wake-ups were recorded");
	finding_next(out, f,
		     "taskset -pc TID for each task: the CPUs that it may use; then the cpuset of "
		     "its group, and calls of sched_setaffinity()");
	return true;
}

static void latency_check(const struct rule_input *in, struct findings *out)
{
	const struct latency_turns turns = { table_words_column(in, "wait time"),
					     table_words_column(in, "span"),
					     table_words_column(in, "cpu") };
	bool is_timehist = turns.wait != TABLE_NO_COLUMN && turns.span != TABLE_NO_COLUMN &&
			   turns.cpu != TABLE_NO_COLUMN;
	bool is_shared = false;
	struct latency l;

	if (!latency_columns(in, &l))
		return;
	if (in->capture->metrics->n_rows == 0)
		return;
	latency_measure(in, &l);
	if (is_timehist)
		is_shared = latency_shared(in, out, &l, &turns);
	if (l.max_row != SIZE_MAX)
		latency_waits(in, out, &l);
	if (l.rate_row != SIZE_MAX)
		latency_switches(in, out, &l);
	if (is_shared || l.max_row != SIZE_MAX || l.rate_row != SIZE_MAX)
		return;
	if (is_timehist && !latency_is_woken(in->capture->metrics, &l))
		finding_not_assessed(out, in, &rule_sched_latency, "perf sched record sleep 10",
				     "sch delay is 0 in all rows: no wake-ups were recorded");
	else
		finding_clean(out, in, &rule_sched_latency,
			      "no task waits long for a CPU or is switched %.0f times per second",
			      LATENCY_RATE);
}

const struct rule rule_sched_latency = {
	.id = "sched-latency",
	.title = "Scheduling latency",
	.needs = RULE_METRICS,
	.check = latency_check,
	.is_measured = true,
};
