/* SPDX-License-Identifier: MIT */
/*
 * Two tasks give up their CPUs equally often: each wakes the other and then sleeps. pidstat -w
 * prints the voluntary switches of each task. If the rates change between intervals, but are equal
 * within each interval, it is not by chance.
 *
 * Thresholds: 10000 switches per second of each task are a note, 30000 a warning, as in rule
 * task-switches. The means differ by at most 1 %, and the rates of each interval by at most 3 %,
 * because pidstat does not read both tasks at the same moment. Three tasks with equal rates are
 * more likely workers with equal shares of work.
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(switch_pair);

#define PAIR_NOTE 10000.0
#define PAIR_LEAD 30000.0
/* maximum difference of the means of two tasks, as a part of the larger mean */
#define PAIR_MEAN     0.01
#define PAIR_INTERVAL 0.03 /* maximum difference in one interval, as a part of the larger rate */
/* maximum number of tasks that are stored: those with at least half of PAIR_NOTE */
#define PAIR_TASKS     64u
#define PAIR_INTERVALS 64u /* maximum number of intervals that are compared */
/* maximum number of rows above the row of a task in which tasks with the same name are counted */
#define PAIR_LOOK     8192u
#define PAIR_NAME     40u
#define PAIR_COST_NS  2500.0
#define PAIR_SURE     75u
#define PAIR_SURE_FEW 60u /* certainty with fewer than PAIR_ENOUGH intervals */
#define PAIR_ENOUGH   3u

/* A task. Several tasks with the same name are distinguished by their order in the listing. */
struct pair_task {
	str_id key;
	uint32_t nth; /* number of tasks with the same name that precede this one in each listing */
	uint32_t line;
	double rates[PAIR_INTERVALS]; /* switches per second by interval; 0: not listed */
	double sum;
	uint32_t n; /* number of intervals with a rate */
};

struct pair_tasks {
	struct pair_task rows[PAIR_TASKS];
	size_t n;
};

static bool pair_is_rate(const struct rule_input *in, const struct counter *row)
{
	return row->state == COUNTER_COUNTED && row->interval < PAIR_INTERVALS &&
	       str_eq(strings_get(capture_strings(in->capture), row->name), STR("cswch/s"));
}

/*
 * Whether @key is a whole process, and not a thread. If a table lists threads, only threads are
 * compared, because the first thread has the same rates as its process.
 */
static bool pair_is_process(const struct rule_input *in, str_id key)
{
	bool is_thread;

	(void)counter_task_name(strings_get(capture_strings(in->capture), key), &is_thread);
	return !is_thread;
}

static void pair_gather(const struct rule_input *in, struct pair_tasks *ret)
{
	const struct counters *k = in->capture->counters;
	bool has_threads = false;

	ret->n = 0;
	VEC_FOREACH (row, &k->rows)
		has_threads |= row->key.v && !pair_is_process(in, row->key);
	for (uint32_t i = 0; i < k->rows.len; i++) {
		const struct counter *row = &k->rows.data[i];
		uint32_t nth = 0;
		size_t t = 0;

		if (!pair_is_rate(in, row) || counter_value(row) < PAIR_NOTE / 2 ||
		    (has_threads && pair_is_process(in, row->key)))
			continue;
		for (uint32_t b = i;
		     b-- > 0 && i - b < PAIR_LOOK && k->rows.data[b].interval == row->interval;)
			nth += pair_is_rate(in, &k->rows.data[b]) &&
			       k->rows.data[b].key.v == row->key.v;
		while (t < ret->n && (ret->rows[t].key.v != row->key.v || ret->rows[t].nth != nth))
			t++;
		if (t == PAIR_TASKS)
			continue;
		if (t == ret->n)
			ret->rows[ret->n++] = (struct pair_task){ .key = row->key,
								  .nth = nth,
								  .line = row->line };
		ret->rows[t].rates[row->interval] = counter_value(row);
		ret->rows[t].sum += counter_value(row);
		ret->rows[t].n++;
	}
}

static double pair_mean(const struct pair_task *t)
{
	return t->sum / t->n;
}

static bool pair_is_equal(double a, double b, double part)
{
	return fabs(a - b) <= fmax(a, b) * part;
}

static bool pair_is_in_step(const struct pair_task *a, const struct pair_task *b)
{
	if (a->n != b->n || pair_mean(a) < PAIR_NOTE || pair_mean(b) < PAIR_NOTE ||
	    !pair_is_equal(pair_mean(a), pair_mean(b), PAIR_MEAN))
		return false;
	for (size_t i = 0; i < PAIR_INTERVALS; i++) {
		if (!pair_is_equal(a->rates[i], b->rates[i], PAIR_INTERVAL))
			return false;
	}
	return true;
}

/*
 * Number of other tasks that switch as often as @of in each interval. *@ret: the last of these
 * tasks.
 */
static size_t pair_partners(const struct pair_tasks *tasks, const struct pair_task *of,
			    const struct pair_task **ret)
{
	size_t n = 0;

	for (size_t i = 0; i < tasks->n; i++) {
		if (&tasks->rows[i] == of || !pair_is_in_step(of, &tasks->rows[i]))
			continue;
		*ret = &tasks->rows[i];
		n++;
	}
	return n;
}

static void pair_finding(const struct rule_input *in, struct findings *out,
			 const struct pair_task *a, const struct pair_task *b)
{
	const struct strings *names = capture_strings(in->capture);
	bool is_thread;
	struct str x =
		str_sub(counter_task_name(strings_get(names, a->key), &is_thread), 0, PAIR_NAME);
	struct str y =
		str_sub(counter_task_name(strings_get(names, b->key), &is_thread), 0, PAIR_NAME);
	double rate = fmax(pair_mean(a), pair_mean(b));
	struct finding *f = finding_add(out, in, &rule_switch_pair,
					rate >= PAIR_LEAD && a->n >= PAIR_ENOUGH ? FINDING_WARNING
										 : FINDING_NOTE,
					a->n >= PAIR_ENOUGH ? PAIR_SURE : PAIR_SURE_FEW);

	f->is_kind = true;
	/*
	 * Other captures may show the same tasks. A finding about several captures (INDEX_NONE) can
	 * overrule findings about any capture, and be overruled by them.
	 */
	if (in->facts->dossier->captures.len > 1)
		f->capture = INDEX_NONE;
	f->impact = fmin(100, rate * PAIR_COST_NS / 1e7);
	finding_claim(out, f,
		      STR_FMT " and " STR_FMT
			      " block and wake in step: %.0f and %.0f voluntary switches a second "
			      "(cswch/s)%s",
		      STR_ARG(x), STR_ARG(y), pair_mean(a), pair_mean(b),
		      a->n > 1 ? finding_name(out, ", about equal in each of %u intervals", a->n)
			       : "");
	finding_figure(f, "voluntary switches of the first", pair_mean(a), 0, "/s");
	finding_figure(f, "voluntary switches of the second", pair_mean(b), 0, "/s");
	finding_figure(f, "intervals", a->n, 0, "");
	finding_evidence(out, f, in, a->line, "cswch/s");
	finding_evidence(out, f, in, b->line, "cswch/s");
	finding_usual_cause(out, f,
			    "They hand one small message or token to and fro, through a pipe, a "
			    "socket or a condition variable: each wakes the other, then sleeps "
			    "until the answer");
	finding_because(out, f,
			"the rates are measured\n"
			"who wakes whom");
	finding_next(out, f,
		     "perf sched record -- sleep 5; perf sched timehist -w: who wakes whom");
	finding_next(out, f,
		     "strace -c -f -p PID: small reads and writes, or futex calls; then send "
		     "several messages at once, or do both steps in one thread");
}

static void pair_check(const struct rule_input *in, struct findings *out)
{
	struct pair_tasks tasks;
	bool has_rates = false;
	size_t equal = 0;

	if (!str_eq(strings_get(capture_strings(in->capture), in->capture->counters->tool),
		    STR("pidstat")))
		return;
	VEC_FOREACH (row, &in->capture->counters->rows)
		has_rates |= pair_is_rate(in, row);
	if (!has_rates) {
		finding_not_assessed(out, in, &rule_switch_pair, "pidstat -w 1 5",
				     "no figure for voluntary switches of each task");
		return;
	}
	pair_gather(in, &tasks);
	for (size_t i = 0; i < tasks.n; i++) {
		const struct pair_task *partner = NULL;
		size_t n = pair_partners(&tasks, &tasks.rows[i], &partner);

		equal = n > equal ? n : equal;
		if (n == 1 &&
		    pair_partners(&tasks, partner, &(const struct pair_task *){ NULL }) == n) {
			pair_finding(in, out, &tasks.rows[i], partner);
			return;
		}
	}
	if (tasks.n == 0)
		finding_clean(out, in, &rule_switch_pair, "no task switches %.0f times per second",
			      PAIR_NOTE);
	else if (equal)
		finding_clean(out, in, &rule_switch_pair,
			      "%zu tasks switch equally often, as workers with equal shares do",
			      equal + 1);
	else
		finding_clean(
			out, in, &rule_switch_pair,
			"no two tasks switch equally often, and %.0f times per second or more",
			PAIR_NOTE);
}

static const char *const pair_overrules[] = { "task-switches", NULL };
/*
 * two such tasks cause the findings of these rules: they read and write small pieces, and may wait
 * for a CPU at each wake-up
 */
static const char *const pair_explains[] = { "system-calls", "task-waits-for-cpu", NULL };

const struct rule rule_switch_pair = {
	.id = "switch-pair",
	.title = "Two tasks wake each other",
	.needs = RULE_COUNTERS,
	.overrules = pair_overrules,
	.explains = pair_explains,
	.check = pair_check,
};
