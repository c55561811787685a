/* SPDX-License-Identifier: MIT */
/*
 * The threads of one pool use most of the CPU time of a process, each about the same. Threads of a
 * pool have names that differ only in their number: IoPool0, IoPool1. No thread stands out, so the
 * rules about busy threads see nothing.
 *
 * Thresholds: four threads. A thread counts if it uses at least half as much as the busiest one of
 * its pool. These threads use at least 30 % of a CPU together, and 60 % of the CPU time of their
 * process. If the busiest of them uses 90 % of a CPU, rule busy-thread reports it. A pool is idle
 * if it uses at most 5 % of their CPU time.
 *
 * Names: the kernel keeps 15 bytes of a name (TASK_COMM_LEN), so numbers at the end of longer names
 * are lost. Threads with the same name of 15 bytes are a pool, too. Source: Linux,
 * include/linux/sched.h.
 */
#include "base/status.h"
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
#include "explain/thread_pool_cpu_names.h"

#include <math.h>
#include <string.h>

DECLARE_RULE(thread_pool_cpu);

#define POOL_THREADS 4u
#define POOL_EVEN    0.5   /* minimum CPU time of a thread, as a part of the busiest thread's */
#define POOL_CPU     30.0  /* minimum CPU time of the pool, percent of a CPU */
#define POOL_SHARE   0.6   /* minimum part of the CPU time of the process */
#define POOL_WHOLE   90.0  /* CPU time of one thread from which rule busy-thread reports it */
#define POOL_IDLE    0.05  /* maximum CPU time of an idle pool, as a part of the busy pool's */
#define POOL_FEW     2u    /* minimum number of threads of a pool that is not reported */
#define POOL_COMM    15u   /* length of a name that may be truncated */
#define POOL_MOST    1024u /* maximum number of threads; more are ignored */
#define POOL_NAME    32u
#define POOL_SURE    80u

static const struct {
	const char *names;
	const char *cause;
	const char *next;
} pool_kinds[] = { POOL_KINDS };

struct pool_process {
	str_id key;     /* name of its row; STR_ID_NONE: the table has no rows of processes */
	uint32_t task;  /* its number; 0: not printed */
	uint32_t n;     /* number of intervals */
	double own;     /* sum of its own row over the intervals, percent of a CPU */
	double threads; /* sum of its threads over the intervals */
};

struct pool_thread {
	struct str name;
	uint32_t process; /* index of its process */
	uint32_t task;
	uint32_t line;
	double sum; /* over the intervals, percent of a CPU */
};

struct pool_table {
	VEC(struct pool_process) processes;
	VEC(struct pool_thread) threads;
};

/* The threads of one process whose names differ only in their number. */
struct pool {
	const struct pool_thread *busiest, *least; /* least: of those that count */
	bool is_one_name;                          /* all names are equal */
	uint32_t n, n_even;                        /* number of threads, and of those that count */
	double sum, even;                          /* their CPU time, percent of a CPU */
};

static void pool_table_fini(struct pool_table *t)
{
	VEC_FREE(&t->processes);
	VEC_FREE(&t->threads);
}

/* The process with the number @task or the name @key, which is added if it is new. */
static uint32_t pool_process_of(struct pool_table *t, str_id key, uint32_t task)
{
	uint32_t i = 0;

	while (i < t->processes.len &&
	       (t->processes.data[i].key.v != key.v || t->processes.data[i].task != task))
		i++;
	if (i == t->processes.len)
		*VEC_PUSH(&t->processes) = (struct pool_process){ .key = key, .task = task };
	return i;
}

/*
 * Add the thread of @row to the process @process. @at: index of the thread that was added before,
 * since each interval lists the threads in about the same order. Returns the index of the thread.
 */
static size_t pool_thread_add(struct pool_table *t, struct str name, uint32_t process,
			      const struct counter *row, size_t at)
{
	struct pool_thread *thread;

	for (size_t n = 0; n < t->threads.len; n++) {
		at = at + 1 < t->threads.len ? at + 1 : 0;
		thread = &t->threads.data[at];
		if (thread->process == process && thread->task == row->task &&
		    str_eq(thread->name, name)) {
			thread->sum += counter_value(row);
			return at;
		}
	}
	if (t->threads.len < POOL_MOST)
		*VEC_PUSH(&t->threads) = (struct pool_thread){ .name = name,
							       .process = process,
							       .task = row->task,
							       .line = row->line,
							       .sum = counter_value(row) };
	return t->threads.len - 1;
}

/*
 * Gather the threads and their processes. A table of top or ps has the threads of one process.
 * pidstat -t prints the row of a process above those of its threads.
 */
static void pool_gather(const struct rule_input *in, struct pool_table *t)
{
	const struct counters *k = in->capture->counters;
	const struct strings *names = capture_strings(in->capture);
	uint32_t process = k->is_one_process ? pool_process_of(t, STR_ID_NONE, 0) : INDEX_NONE;
	uint32_t interval = 0;
	size_t at = 0;

	VEC_FOREACH (row, &k->rows) {
		bool is_thread;
		struct str name = counter_task_name(
			counter_task_command(strings_get(names, row->key)), &is_thread);

		if (row->state != COUNTER_COUNTED ||
		    !str_eq(strings_get(names, row->name), STR("%CPU")))
			continue;
		if (!k->is_threads && row->interval != interval)
			process = INDEX_NONE;
		interval = row->interval;
		if (!k->is_threads && !is_thread) {
			process = pool_process_of(t, row->key, row->task);
			t->processes.data[process].n++;
			t->processes.data[process].own += counter_value(row);
		} else if (process != INDEX_NONE) {
			at = pool_thread_add(t, name, process, row, at);
			t->processes.data[process].threads += counter_value(row);
		}
	}
	if (k->is_one_process)
		t->processes.data[0].n = k->n_intervals;
}

/*
 * The parts of a name before and after its last number. Without a number, *@ret_before is the whole
 * name. False: such a name is of no pool.
 */
static bool pool_stem(struct str name, struct str *ret_before, struct str *ret_after)
{
	size_t end = name.len, start;

	while (end && !char_is_digit(name.p[end - 1]))
		end--;
	start = end;
	while (start && char_is_digit(name.p[start - 1]))
		start--;
	*ret_before = end ? str_sub(name, 0, start) : name;
	*ret_after = end ? str_skip(name, end) : STR_NONE;
	return end ? start > 0 || end < name.len : name.len == POOL_COMM;
}

static bool pool_is_same(const struct pool_thread *a, const struct pool_thread *b)
{
	struct str before[2], after[2];

	return a->process == b->process && pool_stem(a->name, &before[0], &after[0]) &&
	       pool_stem(b->name, &before[1], &after[1]) && str_eq(before[0], before[1]) &&
	       str_eq(after[0], after[1]);
}

/* Add up the pool of thread @of. False: another thread, before @of, is of the same pool. */
static bool pool_of(const struct pool_table *t, const struct pool_thread *of, struct pool *ret)
{
	double n = t->processes.data[of->process].n;

	*ret = (struct pool){ .busiest = of, .is_one_name = true };
	VEC_FOREACH (thread, &t->threads) {
		if (!pool_is_same(thread, of))
			continue;
		if (thread < of)
			return false;
		ret->busiest = thread->sum > ret->busiest->sum ? thread : ret->busiest;
		ret->is_one_name &= str_eq(thread->name, of->name);
		ret->sum += thread->sum / n;
		ret->n++;
	}
	VEC_FOREACH (thread, &t->threads) {
		if (!pool_is_same(thread, of) || thread->sum < ret->busiest->sum * POOL_EVEN)
			continue;
		ret->least = !ret->least || thread->sum < ret->least->sum ? thread : ret->least;
		ret->even += thread->sum / n;
		ret->n_even++;
	}
	return ret->n > 0;
}

/* CPU time of a process, percent of a CPU. pidstat may round its row, and threads may be missing.
 */
static double pool_total(const struct pool_table *t, uint32_t process)
{
	const struct pool_process *p = &t->processes.data[process];

	return fmax(p->own, p->threads) / p->n;
}

static bool pool_is_hit(const struct pool_table *t, const struct pool *p)
{
	const struct pool_process *process = &t->processes.data[p->busiest->process];

	return p->n_even >= POOL_THREADS && p->even >= POOL_CPU &&
	       p->busiest->sum < POOL_WHOLE * process->n &&
	       p->even >= POOL_SHARE * pool_total(t, p->busiest->process);
}

/* The largest idle pool in the process of @busy; n is 0 if there is none. */
static struct pool pool_idle(const struct pool_table *t, const struct pool *busy)
{
	struct pool ret = { .n = 0 };

	VEC_FOREACH (thread, &t->threads) {
		struct pool p;

		if (thread->process != busy->busiest->process ||
		    pool_is_same(thread, busy->busiest) || !pool_of(t, thread, &p))
			continue;
		if (p.n >= POOL_FEW && p.n > ret.n && p.sum <= POOL_IDLE * busy->even)
			ret = p;
	}
	return ret;
}

/* The name of a pool: "IoPool*". */
static const char *pool_name(struct findings *out, const struct pool *p)
{
	struct str name = p->busiest->name;
	struct str before, after;

	if (p->is_one_name)
		return finding_name(out, STR_FMT, STR_ARG(str_sub(name, 0, POOL_NAME)));
	(void)pool_stem(name, &before, &after);
	return finding_name(out, STR_FMT "*" STR_FMT, STR_ARG(str_sub(before, 0, POOL_NAME)),
			    STR_ARG(str_sub(after, 0, POOL_NAME)));
}

/* The range of the CPU time of the threads that count: "10.6 to 11.3". */
static const char *pool_range(struct findings *out, const struct pool *p, double n)
{
	const char *low = finding_name(out, "%.1f", p->least->sum / n);
	const char *high = finding_name(out, "%.1f", p->busiest->sum / n);

	return strcmp(low, high) == 0 ? high : finding_name(out, "%s to %s", low, high);
}

/* Keep a decimal of 99.96 %, which is not all. */
static const char *pool_pct(struct findings *out, double pct)
{
	return finding_name(out, "%.*f %%", pct < 100 && pct >= 99.5 ? 1 : 0, pct);
}

static const char *pool_cpus(struct findings *out, double pct)
{
	return pct < 100 ? finding_name(out, "%.1f %% of a CPU", pct)
			 : finding_name(out, "%.2f CPUs", pct / 100);
}

/*
 * The number of the process: pidstat prints it. If the threads are from top -H, a table of
 * processes in the same input may list the main thread, which has the number of its process. 0:
 * unknown.
 */
static uint32_t pool_pid(const struct rule_input *in, const struct pool_table *t, uint32_t process)
{
	const struct dossier *d = in->facts->dossier;

	for (uint32_t i = 0; in->capture->counters->is_threads && i < d->captures.len; i++) {
		const struct capture *c = d->captures.data[i];

		if (!c->counters || c->counters->is_threads || c->path.v != in->capture->path.v ||
		    c->counters->tool.v != in->capture->counters->tool.v)
			continue;
		VEC_FOREACH (row, &c->counters->rows) {
			VEC_FOREACH (thread, &t->threads) {
				if (row->task && row->task == thread->task)
					return row->task;
			}
		}
	}
	return t->processes.data[process].task;
}

static void pool_next(const struct rule_input *in, struct findings *out, struct finding *f,
		      const struct pool_table *t, const struct pool *p, const char *known)
{
	uint32_t pid = pool_pid(in, t, p->busiest->process);

	if (pid)
		finding_value(out, f, "PID", str_of(finding_name(out, "%u", pid)));
	if (known) {
		finding_next(out, f, "%s", known);
		return;
	}
	finding_next(out, f,
		     "perf record -g -t TID -- sleep 10; perf report --no-children: what one of "
		     "these threads does");
	finding_next(out, f,
		     "pidstat -wt -p PID 1 5: cswch/s, how often each thread wakes up and sleeps "
		     "again");
}

static void pool_cause(struct findings *out, struct finding *f, const struct pool *idle,
		       const char *known)
{
	if (known)
		finding_usual_cause(out, f, "%s", known);
	else
		finding_usual_cause(
			out, f,
			"Work is divided evenly over the pool, or, while no requests are served, "
			"its threads poll periodically: each wakes up, finds little to do and "
			"sleeps again%s",
			idle->n ? finding_name(out,
					       ". The threads %s hardly run: if they serve "
					       "the requests, there are hardly any",
					       pool_name(out, idle))
				: "");
}

static void pool_finding(const struct rule_input *in, struct findings *out,
			 const struct pool_table *t, const struct pool *p)
{
	const struct pool_process *process = &t->processes.data[p->busiest->process];
	double share = 100 * p->even / pool_total(t, p->busiest->process);
	double n = process->n;
	struct pool idle = pool_idle(t, p);
	bool is_ps = str_eq(strings_get(capture_strings(in->capture), in->capture->counters->tool),
			    STR("ps"));
	struct finding *f = finding_add(out, in, &rule_thread_pool_cpu, FINDING_NOTE, POOL_SURE);
	size_t i = 0;

	while (i < ARRAY_LEN(pool_kinds) &&
	       !str_glob(str_of(pool_kinds[i].names), p->busiest->name))
		i++;
	f->is_kind = true;
	f->impact = fmin(100, p->even);
	finding_claim(
		out, f, "%u threads %s use %s together, %s %% each: %s of %s%s", p->n_even,
		pool_name(out, p), pool_cpus(out, p->even), pool_range(out, p, n),
		pool_pct(out, share),
		process->key.v
			? finding_name(out, "the CPU time of " STR_FMT,
				       STR_ARG(str_sub(strings_get(capture_strings(in->capture),
								   process->key),
						       0, POOL_NAME)))
			: "the printed CPU time",
		idle.n ? finding_name(out, "; %u threads %s are nearly idle (%.1f %%)", idle.n,
				      pool_name(out, &idle), idle.sum)
		       : "");
	finding_figure(f, "threads of the pool", p->n_even, 0, "");
	finding_figure(f, "CPUs that the pool uses", p->even / 100, 0, "");
	finding_figure(f, "share of the CPU time", share, 0, "%");
	if (process->n > 1)
		finding_figure(f, "intervals", n, 0, "");
	finding_evidence(out, f, in, p->busiest->line, "the busiest of the pool");
	finding_evidence(out, f, in, p->least->line, "the least busy");
	if (idle.n)
		finding_evidence(out, f, in, idle.busiest->line, "the busiest of the idle pool");
	pool_cause(out, f, &idle, i < ARRAY_LEN(pool_kinds) ? pool_kinds[i].cause : NULL);
	finding_because(out, f,
			"the CPU time of each thread is %s\n"
			"what the threads do",
			is_ps ? "printed, as a mean since its start" : "printed");
	pool_next(in, out, f, t, p, i < ARRAY_LEN(pool_kinds) ? pool_kinds[i].next : NULL);
}

static void pool_judge(const struct rule_input *in, struct findings *out,
		       const struct pool_table *t)
{
	struct pool best = { .n = 0 };
	bool is_hit = false;

	VEC_FOREACH (thread, &t->threads) {
		struct pool p;
		bool is_better;

		if (!pool_of(t, thread, &p) || p.n < POOL_FEW)
			continue;
		is_better =
			pool_is_hit(t, &p) == is_hit ? best.n == 0 || p.even > best.even : !is_hit;
		if (!is_better)
			continue;
		is_hit = pool_is_hit(t, &p);
		best = p;
	}
	if (is_hit)
		pool_finding(in, out, t, &best);
	else if (best.n)
		finding_clean(out, in, &rule_thread_pool_cpu,
			      "the busiest pool is %u threads %s with similar CPU time: %s, %.1f "
			      "%% of the CPU time of their process; the busiest thread: %.1f %%",
			      best.n_even, pool_name(out, &best), pool_cpus(out, best.even),
			      100 * best.even / fmax(1e-9, pool_total(t, best.busiest->process)),
			      best.busiest->sum / t->processes.data[best.busiest->process].n);
	else
		finding_clean(out, in, &rule_thread_pool_cpu,
			      "no two threads of a process have names that differ in a number");
}

static void pool_check(const struct rule_input *in, struct findings *out)
{
	const struct counters *k = in->capture->counters;
	struct str tool = strings_get(capture_strings(in->capture), k->tool);
	struct pool_table t = { .threads = VEC_INIT };
	bool has_threads = k->is_threads;

	if (!str_glob(STR("top|ps|pidstat"), tool))
		return;
	VEC_FOREACH (row, &k->rows) {
		bool is_thread;

		(void)counter_task_name(strings_get(capture_strings(in->capture), row->key),
					&is_thread);
		has_threads |= is_thread;
	}
	if (!has_threads)
		return;
	pool_gather(in, &t);
	if (t.threads.len)
		pool_judge(in, out, &t);
	else if (k->is_threads && !k->is_one_process)
		finding_not_assessed(out, in, &rule_thread_pool_cpu, "top -H -p PID",
				     "the table does not show which threads belong to one process");
	else
		finding_not_assessed(out, in, &rule_thread_pool_cpu, "pidstat -ut 1 5",
				     "no figure for the CPU time of threads (%%CPU) below their "
				     "process");
	pool_table_fini(&t);
}

const struct rule rule_thread_pool_cpu = {
	.id = "thread-pool-cpu",
	.title = "CPU time is spread evenly over a thread pool",
	.needs = RULE_COUNTERS,
	.check = pool_check,
	.is_measured = true,
};
