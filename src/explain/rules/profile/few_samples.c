/* SPDX-License-Identifier: MIT */
/*
 * Too few samples to compare shares, except the largest one.
 *
 * Threshold: fewer than 400 samples. With 400, the 95 % interval of a share of 10 % is 7.4 to 13.3
 * %. With fewer, the order of the second and third row is chance.
 *
 * The event of a thread counts from 0 when the thread starts (kernel/events/core.c,
 * inherit_event()), so a thread that lives for less than a sampling period has no sample. If at
 * least 1000 threads and processes were started, and more than there are samples, this is why there
 * are so few.
 */
#include "core/capture.h"
#include "explain/signatures/signature.h"

#include "analyses/event_unit.h"
#include "analyses/roles.h"
#include "analyses/top/top.h"
#include "base/stats.h"
#include "base/vec.h"
#include "core/profile.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/rules/profile/few_rate.h"

DECLARE_RULE(few_samples);

#define FEW_SAMPLES 400u
/*
 * certainty, percent, if the number of samples was computed from a time and the usual sampling
 * rate, and not printed
 */
#define FEW_ASSUMED_SURE 85u
/*
 * if a process used a smaller percentage of a CPU, it was mostly idle, and a higher sampling rate
 * does not help
 */
#define FEW_IDLE_PCT 50.0
#define FEW_STARTS   1000u /* minimum number of started threads and processes */

/* CPU time of the samples in percent of the recording's elapsed time; 0: unknown. */
static double few_cpu_pct(const struct rule_input *in)
{
	const struct profile *p = in->capture->profile;

	return p->wall_ns && p->has_event_count ? 100 * (double)p->event_count / (double)p->wall_ns
						: 0;
}

/* Were so many threads and processes started that most of them have no sample? */
static bool few_are_short(const struct profile *p)
{
	return p->recording.forks >= FEW_STARTS;
}

/* The function that starts threads or processes and has the largest share; NULL: none was sampled.
 */
static const struct fact_function *few_starter(const struct rule_input *in)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	const struct fact_function *best = NULL;

	VEC_FOREACH (fn, &in->profile->functions) {
		if (role_of(in->profile->roles, symbols, fn->sym) == ROLE_PROCESS &&
		    (!best || fn->children > best->children))
			best = fn;
	}
	return best;
}

/* Set claim, causes and next steps for a recording in which most started threads have no sample. */
static void few_short(const struct rule_input *in, struct findings *out, struct finding *f)
{
	const struct profile *p = in->capture->profile;
	const char *starts = finding_count(out, (double)p->recording.forks);
	const struct fact_function *starter = few_starter(in);

	finding_claim(
		out, f,
		"%s threads and processes were started, but there are only %llu sample%s: most "
		"of them have no sample",
		starts, (unsigned long long)p->n_samples, p->n_samples == 1 ? "" : "s");
	finding_usual_cause(
		out, f,
		"A thread or process is started for each small piece of work, if they end "
		"soon: starts and ends cost more than the work\n"
		"they sleep, as in a pool, if they stay");
	finding_figure(f, "started threads and processes", (double)p->recording.forks, 0, "");
	if (starter)
		finding_inclusive(out, f, in, starter);
	finding_next(out, f,
		     "perf trace -s -e clone,clone3,fork,vfork COMMAND: who starts them "
		     "(pthread_create, std::thread, fork)");
	finding_next(
		out, f,
		"perf record -a: samples of a CPU also meet short threads; then keep threads (a "
		"pool), or do the work in the caller");
}

/*
 * Add the next step. A higher rate does not help if the process is idle, or if it was already
 * sampled at the highest rate.
 */
static void few_next(const struct rule_input *in, struct findings *out, struct finding *f)
{
	const struct profile *p = in->capture->profile;
	bool is_idle = few_cpu_pct(in) > 0 && few_cpu_pct(in) < FEW_IDLE_PCT;
	unsigned int rate = few_rate(p, is_idle ? 1 : FEW_SAMPLES);

	finding_next(out, f, "perf record -F %u -g -p PID sleep 60: more samples%s", rate,
		     rate == FEW_RATE_MAX ? ", with more work if the run is short" : "");
}

static void few_check(const struct rule_input *in, struct findings *out)
{
	const struct profile *p = in->capture->profile;
	struct interval one;
	struct finding *f;

	if (in->profile->functions.len == 0 || signature_is_tracepoint(in) ||
	    event_unit_is_goroutines(&in->profile->unit))
		return;
	if (!p->has_n_samples && in->profile->summary.printed_samples >= FEW_SAMPLES) {
		finding_clean(out, in, &rule_few_samples, "%s%llu samples, as the rows print",
			      in->profile->summary.is_least ? "at least " : "",
			      (unsigned long long)in->profile->summary.printed_samples);
		return;
	}
	/* each allocation of a leak is counted */
	if (in->profile->unit.kind == EVENT_MEMORY && p->unit == WEIGHT_BYTES && p->samples.n &&
	    !p->has_n_samples) {
		finding_not_assessed(out, in, &rule_few_samples, "a heap profile with samples",
				     "the bytes are of call stacks, not of samples");
		return;
	}
	if (!p->has_n_samples || p->n_samples == 0) {
		finding_not_assessed(out, in, &rule_few_samples,
				     "perf report --header, including the line of samples",
				     "the number of samples is unknown");
		return;
	}
	/* for a memory event, other rules judge how exact its shares are */
	if (in->profile->unit.kind == EVENT_MEMORY && p->samples.count.len) {
		finding_not_assessed(out, in, &rule_few_samples, "a heap profile after more work",
				     "%llu recorded allocations", (unsigned long long)p->n_samples);
		return;
	}
	if (p->n_samples >= FEW_SAMPLES) {
		finding_clean(out, in, &rule_few_samples, "%llu samples",
			      (unsigned long long)p->n_samples);
		return;
	}
	one = stats_wilson(1, (double)p->n_samples, STATS_Z95);
	f = finding_add(out, in, &rule_few_samples, FINDING_NOTE,
			p->is_n_samples_assumed ? FEW_ASSUMED_SURE : 99);
	f->is_kind = true;
	if (p->n_samples == 1)
		finding_claim(out, f, "Only 1 sample: no conclusion possible");
	else
		finding_claim(out, f,
			      "Only %llu samples: one sample is %.1f %%; a row of one "
			      "sample may be %.1f–%.1f %% (95 %%)",
			      (unsigned long long)p->n_samples, 100.0 / (double)p->n_samples,
			      one.low, one.high);
	if (few_are_short(p)) {
		few_short(in, out, f);
	} else if (few_cpu_pct(in) > 0 && few_cpu_pct(in) < FEW_IDLE_PCT) {
		finding_cause(
			out, f,
			"The process used %.*f %% of a CPU in %s: most of the time it was idle, "
			"or waited",
			few_cpu_pct(in) < 10, few_cpu_pct(in), finding_duration(out, p->wall_ns));
		finding_figure(f, "CPU time in the recorded time", few_cpu_pct(in), 0, "%");
	} else {
		finding_usual_cause(
			out, f,
			"The recording was too short, the rate too low, or the process idle");
	}
	finding_because(out, f, "%s",
			p->is_n_samples_assumed
				? "computed from the time, at the usual 100 a second"
				: "counted");
	finding_figure(f, "samples", (double)p->n_samples, (double)p->n_samples_err, "samples");
	finding_figure_interval(f, "one sample", 100.0 / (double)p->n_samples, one.low, one.high,
				"%");
	finding_evidence(out, f, in, p->n_samples_line, "%llu sample%s",
			 (unsigned long long)p->n_samples, p->n_samples == 1 ? "" : "s");
	if (!few_are_short(p))
		few_next(in, out, f);
}

const struct rule rule_few_samples = {
	.id = "few-samples",
	.title = "Too few samples",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_ANY,
	.check = few_check,
	.is_about_data = true,
	.doubt = "few-samples",
};
