/* SPDX-License-Identifier: MIT */
/*
 * Work items wait in the queue of the thread pool of a .NET program: its threads are blocked, or
 * the CPUs are busy.
 *
 * Thresholds: a queue is long from 20 items on. A pool begins with as many threads as there are
 * CPUs, and a free thread takes an item at once. A queue that stays long for 10 s is a warning. So
 * is a queue that doubles up to the last sample, and has 100 items or more there; with fewer items
 * it is a note. A shorter burst is no problem: its threads were not blocked. A pool replaces
 * blocked threads slowly, by only one or two threads per second (learn.microsoft.com, "Debug
 * ThreadPool starvation").
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/thread_pool_queue_names.h"

#include <math.h>

DECLARE_RULE(thread_pool_queue);

#define QUEUE_LONG    20.0
#define QUEUE_LEAD    100.0
#define QUEUE_GROWTH  2.0 /* minimum ratio of the last length of the queue to its first length */
#define QUEUE_SECONDS 10.0
#define QUEUE_SAMPLES 3u
#define QUEUE_SURE    80u
/* minimum CPU use, percent of all CPUs, at which the CPUs count as busy */
#define QUEUE_BUSY 80.0
#define QUEUE_DAY  86400.0
/*
 * if the time between two samples is more than this many times the shortest one, samples are
 * missing
 */
#define QUEUE_GAP 5.0

/* Consecutive samples in which the queue is long. */
struct queue_run {
	uint32_t n;
	/*
	 * lengths of the queue: in the sample before the run, in its first and last sample, and the
	 * maximum
	 */
	double before, first, last, most;
	double seconds;       /* time from the first sample to the last one */
	double seconds_grown; /* time from the sample before the run to its last sample */
	/* intervals of the first sample and of the last one */
	uint32_t first_interval, at_interval;
	uint32_t line; /* input line of the last sample */
};

struct queue {
	uint32_t samples;
	double most, end;       /* largest and last length of the queue in all samples */
	struct queue_run worst; /* the longest run */
	/*
	 * the run that ends with the last sample of the log; n is 0 if the queue is short in that
	 * sample
	 */
	struct queue_run last;
};

/*
 * Seconds from the time of day @a to the time of day @b. Times begin with 1 at midnight; 0: not
 * printed. Returns 0 if one of them is not printed.
 */
static double queue_seconds(uint32_t a, uint32_t b)
{
	double seconds = (double)b - (double)a;

	return !a || !b ? 0 : seconds < 0 ? seconds + QUEUE_DAY : seconds;
}

static bool queue_is_length(const struct rule_input *in, const struct counter *c)
{
	return str_glob(STR(POOL_QUEUE_LENGTH), strings_get(capture_strings(in->capture), c->name));
}

/* The shortest time between two samples, in seconds; INFINITY: unknown. */
static double queue_shortest_step(const struct rule_input *in)
{
	const struct counter *before = NULL;
	double ret = INFINITY;

	VEC_FOREACH (c, &in->capture->counters->rows) {
		double step = before ? queue_seconds(before->second, c->second) : 0;

		if (!queue_is_length(in, c))
			continue;
		ret = step > 0 ? fmin(ret, step) : ret;
		before = c;
	}
	return ret;
}

/*
 * Find the periods in which the queue is long. A period ends if samples are missing, because the
 * queue may have drained meanwhile. Samples are missing if someone filtered the log, or if the
 * program stood still.
 */
static void queue_gather(const struct rule_input *in, struct queue *q)
{
	double gap = QUEUE_GAP * queue_shortest_step(in);
	const struct counter *before = NULL;
	struct queue_run *run = &q->last;

	VEC_FOREACH (c, &in->capture->counters->rows) {
		double value = counter_value(c);
		double step;

		if (!queue_is_length(in, c))
			continue;
		step = before ? queue_seconds(before->second, c->second) : 0;
		if (step > gap) {
			before = NULL;
			step = 0;
			run->n = 0;
		}
		q->samples++;
		q->most = fmax(q->most, value);
		q->end = value;
		if (value < QUEUE_LONG) {
			run->n = 0;
		} else if (run->n++ == 0) {
			*run = (struct queue_run){ .n = 1,
						   .before = before ? counter_value(before) : value,
						   .first = value,
						   .last = value,
						   .most = value,
						   .seconds_grown = step,
						   .first_interval = c->interval,
						   .at_interval = c->interval,
						   .line = c->line };
		} else {
			run->last = value;
			run->most = fmax(run->most, value);
			run->seconds += step;
			run->seconds_grown += step;
			run->at_interval = c->interval;
			run->line = c->line;
		}
		if (run->n >= 2 && run->seconds >= q->worst.seconds)
			q->worst = *run;
		before = c;
	}
}

/* The last value during the run of a counter whose name matches @names; NaN: none. */
static double queue_other(const struct rule_input *in, struct str names, const struct queue_run *r)
{
	double ret = NAN;

	VEC_FOREACH (c, &in->capture->counters->rows) {
		if (c->interval >= r->first_interval && c->interval <= r->at_interval &&
		    str_glob(names, strings_get(capture_strings(in->capture), c->name)))
			ret = counter_value(c);
	}
	return ret;
}

static void queue_explain(struct findings *out, struct finding *f, double cpu)
{
	if (cpu >= QUEUE_BUSY) {
		finding_usual_cause(out, f,
				    "The CPUs are busy: items arrive faster than they are "
				    "computed. More threads do not help");
		finding_because(out, f, "the runtime counts the items, and its CPU time");
		finding_next(out, f,
			     "dotnet-trace collect -p PID --profile cpu-sampling: what takes the "
			     "CPU time");
		return;
	}
	finding_usual_cause(
		out, f,
		"Thread pool starvation: the threads of the pool are blocked in synchronous waits "
		"(Task.Result, Wait(), a lock, a synchronous query), and the pool adds only one "
		"or two threads a second%s",
		isnan(cpu) ? ". Or the CPUs are busy with more items than they can compute" : "");
	finding_because(out, f, "%s",
			isnan(cpu) ? "the runtime counts the items\n"
				     "whether the threads are blocked or busy"
				   : "the runtime counts the items, and the CPU is not busy\n"
				     "where the threads are blocked");
	finding_next(out, f,
		     "dotnet-stack report -p PID, or dotnet-dump collect -p PID and clrstack "
		     "-all: in which call do most threads of the pool wait");
	finding_next(out, f,
		     "dotnet-counters monitor -p PID System.Runtime: if ThreadPool Thread Count "
		     "rises by one or two a second and CPU Usage is low, threads are blocked");
}

static void queue_finding(const struct rule_input *in, struct findings *out,
			  const struct queue_run *r, bool grows)
{
	double threads = queue_other(in, STR(POOL_QUEUE_THREADS), r);
	double cpu = queue_other(in, STR(POOL_QUEUE_CPU), r);
	bool is_lead = r->seconds >= QUEUE_SECONDS || r->last >= QUEUE_LEAD;
	struct finding *f = finding_add(out, in, &rule_thread_pool_queue,
					is_lead ? FINDING_WARNING : FINDING_NOTE, QUEUE_SURE);
	const char *pool = "";

	if (!isnan(threads))
		pool = finding_name(out, ". The pool has %.0f threads", threads);
	if (grows && r->seconds_grown > 0)
		finding_claim(out, f,
			      "Work waits for the thread pool: its queue grew from %.0f to %.0f "
			      "items in %.0f s, up to the last sample%s",
			      r->before, r->last, r->seconds_grown, pool);
	else if (grows)
		finding_claim(out, f,
			      "Work waits for the thread pool: its queue grew from %.0f to %.0f "
			      "items up to the last sample%s",
			      r->before, r->last, pool);
	else
		finding_claim(out, f,
			      "Work waits for the thread pool: its queue had %.0f items or more "
			      "for %.0f s, up to %.0f%s",
			      QUEUE_LONG, r->seconds, r->most, pool);
	finding_figure(f, "items in the queue", r->most, 0, "");
	if (!isnan(threads))
		finding_figure(f, "threads of the pool", threads, 0, "");
	if (!isnan(cpu))
		finding_figure(f, "CPU usage", cpu, 0, "%");
	finding_evidence(out, f, in, r->line, "the last sample with a long queue");
	queue_explain(out, f, cpu);
}

static void queue_check(const struct rule_input *in, struct findings *out)
{
	struct queue q = { .samples = 0 };
	bool grows;

	if (!str_eq(strings_get(capture_strings(in->capture), in->capture->counters->tool),
		    STR("dotnet-counters")))
		return;
	queue_gather(in, &q);
	if (q.samples == 0)
		return;
	grows = q.last.n >= 2 && q.last.last >= q.last.most &&
		q.last.last >= QUEUE_GROWTH * q.last.first;
	if (q.worst.seconds >= QUEUE_SECONDS)
		queue_finding(in, out, &q.worst, false);
	else if (grows)
		queue_finding(in, out, &q.last, true);
	else if (q.samples < QUEUE_SAMPLES || q.last.n > 0)
		finding_not_assessed(out, in, &rule_thread_pool_queue,
				     "dotnet-counters collect -p PID --counters System.Runtime, "
				     "for a minute",
				     "fewer than three samples, or no sample after a long queue "
				     "that shows whether it drains");
	else
		finding_clean(
			out, in, &rule_thread_pool_queue,
			"the queue of the thread pool has %.0f items at most, and %.0f at the "
			"end",
			q.most, q.end);
}

const struct rule rule_thread_pool_queue = {
	.id = "thread-pool-queue",
	.title = "Work waits for the thread pool",
	.needs = RULE_COUNTERS,
	.check = queue_check,
	.is_measured = true,
};
