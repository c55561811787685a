/* SPDX-License-Identifier: MIT */
/*
 * A job of fio waits while it submits requests, before they reach the device. fio prints the time
 * of submission (slat) apart from the time of completion (clat).
 *
 * Thresholds: the longest submission takes 10 ms for a note, because io_submit() only queues the
 * request, and at least ten times as long as the longest completion: otherwise the device itself is
 * slow, and submission waits for a free request. A mean submission of 1 ms that is ten times the
 * longest completion is a warning: each request waits.
 *
 * Jobs that spend half of their time or more in submissions of 1 ms or more do asynchronous I/O one
 * request at a time: a warning. The share is the mean submission times the rate of one job. A share
 * above SUBMIT_TIMES_MAX means batches, whose submissions overlap.
 */
#include "explain/words/spread_words.h"

#include "analyses/distributions/spread.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(slow_submission);

#define SUBMIT_NOTE_NS 10e6
#define SUBMIT_LEAD_NS 1e6
#define SUBMIT_FACTOR  10.0
#define SUBMIT_SURE    85u
/* share of the time of a job that it spends in submission */
#define SUBMIT_SHARE     0.5
#define SUBMIT_TIMES_MAX 1.1

struct submission {
	double max_ns, mean_ns;
	uint32_t line;
};

/* The slowest submission that the capture states. False: it states none. */
static bool submit_of(const struct capture *c, struct submission *ret)
{
	const struct strings *strings = capture_strings(c);

	*ret = (struct submission){ .line = 0 };
	VEC_FOREACH (note, &c->notes) {
		struct str text = strings_get(strings, note->value);
		struct str mean = str_skip(text, str_find(text, STR("mean ")) + 5);
		double max, average;

		if (!str_eq(strings_get(strings, note->key), STR(DISTRIBUTION_NOTE_SUBMISSION)) ||
		    !str_take(&text, STR("longest ")) || !str_double(&text, &max) ||
		    !str_double(&mean, &average) || max * 1e6 <= ret->max_ns)
			continue;
		*ret = (struct submission){ max * 1e6, average * 1e6, note->line };
	}
	return ret->line > 0;
}

/* The series with the longest completion. NULL: none. */
static const struct spread *submit_slowest(const struct rule_input *in)
{
	const struct spread *ret = NULL;

	VEC_FOREACH (s, &in->spreads->rows) {
		if (!ret || s->max.high > ret->max.high)
			ret = s;
	}
	return ret;
}

static void submit_finding(const struct rule_input *in, struct findings *out,
			   const struct submission *submit, const struct spread *s)
{
	bool is_each =
		submit->mean_ns >= SUBMIT_LEAD_NS && submit->mean_ns >= s->max.high * SUBMIT_FACTOR;
	struct finding *f = finding_add(out, in, &rule_slow_submission,
					is_each ? FINDING_WARNING : FINDING_NOTE, SUBMIT_SURE);

	finding_claim(out, f,
		      "Requests wait at submission, before the device: up to %s (slat), while each "
		      "completes within %s (clat)",
		      finding_duration(out, (uint64_t)submit->max_ns),
		      spread_words_value(in, out, s->series, s->max.high));
	/* ahead of the tail of completions, which are faster */
	f->impact = 20;
	finding_figure(f, "longest submission", submit->max_ns / 1e6, 0, "ms");
	finding_figure(f, "mean submission", submit->mean_ns / 1e6, 0, "ms");
	finding_figure(f, "longest completion", s->max.high / 1e6, 0, "ms");
	finding_evidence(out, f, in, submit->line, "slat");
	finding_usual_cause(
		out, f,
		"The queue of the block layer or an array above the device does not take the "
		"request: no free request or tag, a freeze of the queue, a resync or an update of "
		"metadata; or the file system allocates blocks or waits for a lock. Without "
		"direct=1 the copy to the page cache counts, too");
	finding_because(out, f,
			"fio measures both times\n"
			"where it waits");
	finding_next(out, f,
		     "offcputime -K -p PID of the job, or cat /proc/PID/stack during the stall: "
		     "which function of the kernel waits");
	finding_next(out, f,
		     "cat /proc/mdstat; blktrace with btt: Q2G and G2I are the time before the "
		     "driver");
}

/*
 * The share of the time of each job that it spends in submission. 0: unknown, or batches. *@jobs:
 * the number of jobs; *@line: the line that prints it.
 */
static double submit_share(const struct capture *c, const struct submission *submit, double *jobs,
			   uint32_t *line)
{
	struct str text = STR_NONE;
	struct str rate;
	double per_second, share;

	/* several groups of jobs: the times of one must not meet the rate of another */
	VEC_FOREACH (note, &c->notes) {
		if (!str_eq(strings_get(capture_strings(c), note->key),
			    STR(DISTRIBUTION_NOTE_JOBS)))
			continue;
		if (text.len)
			return 0;
		text = strings_get(capture_strings(c), note->value);
		*line = note->line;
	}
	rate = str_skip(text, str_find(text, STR(", ")) + 2);
	if (!str_double(&text, jobs) || !str_double(&rate, &per_second) || *jobs < 1)
		return 0;
	share = submit->mean_ns / 1e9 * per_second / *jobs;
	return share <= SUBMIT_TIMES_MAX ? fmin(share, 1) : 0;
}

/* The jobs spend @share of their time in submission. */
static void submit_blocked(const struct rule_input *in, struct findings *out,
			   const struct submission *submit, double share, double jobs,
			   uint32_t line)
{
	struct finding *f =
		finding_add(out, in, &rule_slow_submission, FINDING_WARNING, SUBMIT_SURE);

	finding_claim(out, f,
		      "Submission takes %.1f %% of the time of the jobs: a request waits %s on "
		      "average before the kernel takes it (slat, line %u)",
		      100 * share, finding_duration(out, (uint64_t)submit->mean_ns), submit->line);
	f->impact = 100 * share;
	finding_figure(f, "time in submission", 100 * share, 0, "%");
	finding_figure(f, "mean submission", submit->mean_ns / 1e6, 0, "ms");
	finding_figure(f, "jobs", jobs, 0, "");
	finding_evidence(out, f, in, submit->line, "slat");
	finding_evidence(out, f, in, line, "jobs");
	finding_usual_cause(
		out, f,
		"The queue of the device is full: the jobs keep more requests in flight than its "
		"requests or tags (nr_requests), or than its I/O scheduler lets in, so io_submit() "
		"blocks until one of them ends. Without direct=1, the copy to the page cache "
		"counts, too");
	finding_because(out, f,
			"fio measures the submission; its mean times the rate of one job is the "
			"share of the time\n"
			"where it waits, and whether a call submits several requests "
			"(iodepth_batch), whose times overlap");
	finding_next(out, f,
		     "grep . /sys/block/DEVICE/queue/{scheduler,nr_requests}; then the same job "
		     "with scheduler none");
	finding_next(out, f,
		     "offcputime -K -p PID of a job, or cat /proc/PID/stack: which function of the "
		     "kernel waits");
}

static void submit_check(const struct rule_input *in, struct findings *out)
{
	const struct spread *s = submit_slowest(in);
	struct submission submit;
	double share, jobs = 0;
	uint32_t line = 0;

	/* only fio states it */
	if (!s || !submit_of(in->capture, &submit))
		return;
	share = submit_share(in->capture, &submit, &jobs, &line);
	if (isinf(s->max.high) || s->max.high <= 0)
		finding_not_assessed(
			out, in, &rule_slow_submission,
			"the line clat of fio, with max=", "the longest completion is unknown");
	else if (submit.max_ns >= SUBMIT_NOTE_NS && submit.max_ns >= s->max.high * SUBMIT_FACTOR)
		submit_finding(in, out, &submit, s);
	else if (share >= SUBMIT_SHARE && submit.mean_ns >= SUBMIT_LEAD_NS)
		submit_blocked(in, out, &submit, share, jobs, line);
	else
		finding_clean(out, in, &rule_slow_submission,
			      "no submission takes 10 ms and ten times the longest completion, or "
			      "half of "
			      "the time of the jobs");
}

const struct rule rule_slow_submission = {
	.id = "slow-submission",
	.title = "Requests wait before the device",
	.needs = RULE_DISTRIBUTION,
	.check = submit_check,
	.is_measured = true,
};
