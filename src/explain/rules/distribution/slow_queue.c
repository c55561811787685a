/* SPDX-License-Identifier: MIT */
/*
 * The latency of the run queue, of block I/O, or of flushes to storage (fsync), is too long.
 *
 * Thresholds for the 90th percentile (p90). Run queue: 1 ms is a note, because a thread gets an
 * idle CPU within microseconds; 10 ms is a warning, because the machine is saturated. Block I/O and
 * flushes: 10 ms, the time of a disk for one request, is a note; 50 ms is a warning, because
 * requests queue.
 */
#include "explain/words/spread_words.h"

#include "analyses/distributions/spread.h"
#include "base/plural.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/distribution.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(slow_queue);

#define SLOW_RUN_NOTE_NS  1e6
#define SLOW_RUN_LEAD_NS  10e6
#define SLOW_DISK_NOTE_NS 10e6
#define SLOW_DISK_LEAD_NS 50e6
#define SLOW_MIN          30u
/* a job with at least this CPU time, in percent of its elapsed time, hardly waits for a device */
#define SLOW_JOB_CPU_PCT 90.0
/*
 * A job with many requests in flight measures its own queue, and not the device: latency = requests
 * in flight / rate (Little's law). The queue is long if at least this percentage of the requests is
 * issued with SLOW_DEEP or more in flight.
 */
#define SLOW_DEEP_PCT 50.0
#define SLOW_DEEP     32u
/*
 * Mean values also show that the requests of a job wait for each other. Conditions: the job has at
 * least SLOW_OWN requests in flight, and their mean latency is at least SLOW_OWN_NS. The input may
 * also have a run with at most SLOW_ALONE requests in flight, which shows the latency of the device
 * alone. Then the mean latency of the job must be at least SLOW_FACTOR times as long.
 */
#define SLOW_OWN    8.0
#define SLOW_OWN_NS 1e6
#define SLOW_ALONE  2.0
#define SLOW_FACTOR 4.0

/* The CPU time of the job that issues the requests, in percent of its elapsed time; 0: unknown. */
static double slow_job_cpu(const struct capture *c)
{
	struct str text = capture_note_of(c, STR(DISTRIBUTION_NOTE_CPU));
	struct str user = str_skip(text, 4);
	struct str system = str_skip(text, str_find(text, STR("sys=")) + 4);
	double user_pct, system_pct;

	return text.len && str_double(&user, &user_pct) && str_double(&system, &system_pct)
		       ? user_pct + system_pct
		       : 0;
}

/* The share of requests that a job issues with SLOW_DEEP or more in flight, percent; 0: unknown. */
static double slow_deep(const struct capture *c)
{
	struct str text = capture_note_of(c, STR(DISTRIBUTION_NOTE_DEPTH));
	struct str some = str_skip(text, str_find(text, STR(" 32=")) + 4);
	struct str many = str_skip(text, str_find(text, STR(">=64=")) + 5);
	double some_pct, many_pct;

	return text.len && str_double(&some, &some_pct) && str_double(&many, &many_pct)
		       ? fmin(100, some_pct + many_pct)
		       : 0;
}

/* The fastest run in the input with at most SLOW_ALONE requests in flight; NULL: none. */
static const struct distribution_series *slow_alone(const struct rule_input *in)
{
	const struct distribution_series *best = NULL;

	VEC_FOREACH (c, &in->facts->dossier->captures) {
		const struct capture *capture = *c;

		if (!capture->distribution)
			continue;
		VEC_FOREACH (other, &capture->distribution->series) {
			if (other->in_flight > 0 && other->in_flight <= SLOW_ALONE &&
			    (!best || other->mean < best->mean))
				best = other;
		}
	}
	return best;
}

/*
 * May the job that measures @s cause the latency itself, because its many requests in flight wait
 * for each other? False if a run with at most SLOW_ALONE requests in flight has a similar latency.
 */
static bool slow_is_own(const struct rule_input *in, const struct distribution_series *s)
{
	const struct distribution_series *alone = slow_alone(in);

	return (!alone || alone->mean * SLOW_FACTOR <= s->mean) && s->in_flight >= SLOW_OWN &&
	       s->mean >= SLOW_OWN_NS && slow_job_cpu(in->capture) < SLOW_JOB_CPU_PCT;
}

/* Report the latency of a queue that the measuring job itself creates. */
static void slow_own(const struct rule_input *in, struct findings *out, const struct spread *s)
{
	const struct distribution_series *alone = slow_alone(in);
	struct finding *f =
		finding_add(out, in, &rule_slow_queue, alone ? FINDING_WARNING : FINDING_NOTE, 75);

	f->impact = alone ? 50 : 20;
	if (alone)
		finding_claim(out, f,
			      "Block I/O requests take %s on average, because the job itself keeps "
			      "%.0f in flight: with %.0f in flight they take %s",
			      finding_duration(out, (uint64_t)s->series->mean),
			      s->series->in_flight, fmax(1, alone->in_flight),
			      finding_duration(out, (uint64_t)alone->mean));
	else
		finding_claim(out, f,
			      "Block I/O requests take %s on average while the job itself keeps "
			      "%.0f in flight: most of it may be their own queue",
			      finding_duration(out, (uint64_t)s->series->mean),
			      s->series->in_flight);
	finding_figure(f, "requests in flight", s->series->in_flight, 0, "");
	finding_figure(f, "requests a second", s->series->in_flight / s->series->mean * 1e9, 0,
		       "/s");
	spread_words_figure(in, out, f, "p50", s->series, s->p50);
	spread_words_figure(in, out, f, "p90", s->series, s->p90);
	spread_words_evidence(in, out, f, s, s->p50);
	if (alone)
		finding_evidence(out, f, in, alone->line, "%.0f in flight: %s on average",
				 fmax(1, alone->in_flight),
				 finding_duration(out, (uint64_t)alone->mean));
	finding_cause_if(out, f, alone != NULL,
			 "The latency is the number in flight divided by the rate (Little's law). "
			 "The job sets this number (iodepth x jobs), so its own queue makes the "
			 "latency, and not %s",
			 alone ? "the device" : "necessarily the device");
	finding_because(out, f, "%s",
			alone ? "rate and mean latency are printed, and another run measures the "
				"device with nearly no queue"
			      : "rate times mean latency is the number in flight\n"
				"how long the device takes for one request alone");
	finding_next(out, f,
		     alone ? "compare runs with 1, 4, 16 and 64 in flight: use the smallest that "
			     "has the full rate"
			   : "fio with --iodepth=1 --numjobs=1: the latency of the device itself");
}

/* Set the cause for requests that wait for other requests of the same job. */
static void slow_of_depth(struct findings *out, struct finding *f, double pct)
{
	finding_figure(f, "requests with 32 or more in flight", pct, 0, "%");
	finding_usual_cause(
		out, f,
		"The job keeps %u or more requests in flight, so each waits for the others: the "
		"latency is the number in flight divided by the rate (IOPS), on a fast device, too",
		SLOW_DEEP);
	finding_because(out, f,
			"the latency is printed\n"
			"whether the queue or the device takes it: a deep queue adds its length");
	finding_next(out, f, "fio with --iodepth=1: the latency of the device itself");
}

/*
 * Set the cause for requests that wait for the CPU time of the job that issues them, and not for
 * the device.
 */
static void slow_of_cpu(struct findings *out, struct finding *f, double pct)
{
	finding_figure(f, "CPU time of the job", pct, 0, "% of its elapsed time");
	finding_cause(
		out, f,
		"The job that issues the requests uses %.0f %% of a CPU, so it hardly waits for "
		"the device. The CPU time of each request limits the rate, and all requests in "
		"flight wait for the CPU",
		pct);
	finding_because(out, f, "fio prints the CPU time of the job");
	finding_next(out, f,
		     "perf record -g -p PID of fio: the code that costs CPU time for each request");
}

/*
 * The share of the values in the bucket of p90 and above: "16.6 %". If the input only has
 * percentiles, "At least 10 %".
 */
static const char *slow_share(struct findings *out, const struct spread *s)
{
	double n = 0;

	for (uint32_t i = 0; i < s->series->n_buckets; i++)
		n += s->buckets[i].low >= s->p90.low ? (double)s->buckets[i].count : 0;
	if (s->series->is_percentiles || s->series->count == 0 ||
	    n < 0.1 * (double)s->series->count)
		return "At least 10 %";
	return finding_name(out, "%.1f %%", 100 * n / (double)s->series->count);
}

static void slow_finding(const struct rule_input *in, struct findings *out, const struct spread *s,
			 bool is_run)
{
	bool is_flush = spread_subject_of(in->capture, s->series) == SPREAD_SYNC;
	double cpu = is_run ? 0 : slow_job_cpu(in->capture);
	double deep = is_run || is_flush ? 0 : slow_deep(in->capture);
	bool leads = cpu < SLOW_JOB_CPU_PCT && deep < SLOW_DEEP_PCT &&
		     s->p90.low >= (is_run ? SLOW_RUN_LEAD_NS : SLOW_DISK_LEAD_NS);
	struct finding *f =
		finding_add(out, in, &rule_slow_queue, leads ? FINDING_WARNING : FINDING_NOTE, 75);

	f->impact = leads ? 50 : 20;
	finding_claim(out, f, "%s of %s take %s or longer (median %s)%s%s", slow_share(out, s),
		      is_run     ? "waits for a CPU"
		      : is_flush ? "flushes to storage"
				 : "block I/O requests",
		      spread_words_value(in, out, s->series, s->p90.low),
		      spread_words_range(in, out, s->series, s->p50), s->series->key.v ? ": " : "",
		      s->series->key.v ? spread_words_of(in, out, s->series) : "");
	if (!s->series->is_relative)
		finding_figure(f, "values", (double)s->series->count, 0, "");
	spread_words_figure(in, out, f, "p50", s->series, s->p50);
	spread_words_figure(in, out, f, "p90", s->series, s->p90);
	spread_words_figure(in, out, f, "p99", s->series, s->p99);
	spread_words_evidence(in, out, f, s, s->p90);
	if (cpu >= SLOW_JOB_CPU_PCT) {
		slow_of_cpu(out, f, cpu);
		return;
	}
	if (deep >= SLOW_DEEP_PCT) {
		slow_of_depth(out, f, deep);
		return;
	}
	finding_usual_cause(
		out, f, "%s",
		is_run     ? "There are more runnable threads than free CPUs: the CPUs are "
			     "saturated, or a quota or affinity limits the threads"
		: is_flush ? "Storage takes long to confirm that data is stored: a disk or network "
			     "volume without a protected write cache, or flushes of others queue "
			     "before these. On ext4 and xfs, fsync waits for the journal's commit, "
			     "too"
			   : "Storage is slow for this load: requests queue at the device, or the "
			     "device itself is slow (disk, network volume, flushes)");
	finding_because(
		out, f,
		"the histogram bounds the percentile; normal values differ between machines");
	if (is_flush)
		finding_next(out, f, "iostat -x 1: f_await, w_await and %%util of the device");
	else
		finding_next(out, f, "%s",
			     spread_words_next(is_run ? SPREAD_RUN_QUEUE : SPREAD_BLOCK_IO, false));
	if (!is_run)
		finding_next(out, f, "biolatency -Q -D -F: time in the queue, by disk and kind");
}

static void slow_check(const struct rule_input *in, struct findings *out)
{
	size_t n = 0, judged = 0;

	VEC_FOREACH (s, &in->spreads->rows) {
		enum spread_subject subject = spread_subject_of(in->capture, s->series);
		bool is_run = subject == SPREAD_RUN_QUEUE;

		if ((!is_run && subject != SPREAD_BLOCK_IO && subject != SPREAD_SYNC) ||
		    !spread_is_time(in->capture, s->series) || spread_is_wrapped(s) ||
		    s->series->count < SLOW_MIN)
			continue;
		judged++;
		if (!n && subject == SPREAD_BLOCK_IO && slow_is_own(in, s->series)) {
			slow_own(in, out, s);
			n++;
		}
		if (n || s->p90.low < (is_run ? SLOW_RUN_NOTE_NS : SLOW_DISK_NOTE_NS))
			continue;
		slow_finding(in, out, s, is_run);
		n++;
	}
	if (judged == 0)
		finding_not_assessed(out, in, &rule_slow_queue, "runqlat 10 1; biolatency -D 10 1",
				     "no distribution of run queue, block I/O or flush latency");
	else if (n == 0)
		finding_clean(out, in, &rule_slow_queue,
			      "90 %% of the waits in %zu distribution%s are short", judged,
			      plural(judged));
}

const struct rule rule_slow_queue = {
	.id = "slow-queue",
	.title = "Run queue or I/O latency",
	.needs = RULE_DISTRIBUTION,
	.check = slow_check,
};
