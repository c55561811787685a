/* SPDX-License-Identifier: MIT */
/*
 * Reasons about the way of recording. They come from the columns of samples and from other data in
 * the recording, never from names of functions.
 */
#include "analyses/quality/quality_reasons.h"

#include "analyses/quality/quality.h"
#include "base/alloc.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"

#include <math.h>

/*
 * maximum depth of a chain, without context markers: the default of sysctl
 * kernel.perf_event_max_stack
 */
#define RECORDING_MAX_STACK 127u
/* in percent of all chains: if at least this share is truncated, the reason is a caution */
#define RECORDING_CUT_CAUTION 5.0
/*
 * in percent of the time. If the event was counted for at least the first value, scaling the count
 * to the whole time is accurate. Below the second value, the scaled count is a guess
 */
#define RECORDING_SHARED      99.0
#define RECORDING_SHARED_POOR 20.0
/* throttlings per second: from this rate on, periods with much work lack samples */
#define RECORDING_THROTTLED 1.0
/* no rates are computed for a recording shorter than this, in seconds */
#define RECORDING_RATE_SECONDS 0.1
/*
 * Samples of a CPU are in lockstep with a timer if nearly all have the same phase in the timer's
 * period. To test this, each phase is taken as a unit vector. Equal phases give a mean vector with
 * a length near 1; random phases give a length of about 1 / sqrt(n). From this length on, samples
 * are in lockstep.
 */
#define RECORDING_IN_STEP 0.9
/* the lockstep test needs at least this number of samples of a CPU */
#define RECORDING_STEP_SAMPLES 100u
#define RECORDING_STEP_CPUS    1024u
/* the lockstep test uses at most this number of samples of a CPU */
#define RECORDING_STEP_TIMES 4096u
/*
 * longest and shortest sampling period that is tested for lockstep: this number of timer ticks, and
 * one tick divided by this number
 */
#define RECORDING_STEP_TICKS 40u
/*
 * samples are in lockstep only if the usual time between them is a whole number of timer ticks, or
 * one tick divided by a whole number. This time may deviate by this fraction. At 999 Hz, which is
 * not in lockstep with 1000 Hz, it deviates by 0.001
 */
#define RECORDING_STEP_NEAR 0.0003

/* periods in ns of timer ticks: 1000, 250 and 100 Hz */
static const uint64_t recording_ticks_ns[] = { 1000000, 4000000, 10000000 };

static double recording_seconds(const struct profile *p)
{
	uint64_t first = UINT64_MAX;
	uint64_t last = 0;

	VEC_FOREACH (t, &p->samples.time_ns) {
		first = *t < first ? *t : first;
		last = *t > last ? *t : last;
	}
	return p->samples.time_ns.len ? (double)(last - first) / 1e9 : 0;
}

static void recording_throttled(const struct profile *p, struct quality *q)
{
	uint64_t n = p->recording.throttled;
	double seconds = recording_seconds(p);
	double rate = seconds > 0 ? (double)n / seconds : 0;

	if (n == 0)
		return;
	if (seconds < RECORDING_RATE_SECONDS) {
		quality_add(q, "throttled", QUALITY_INFO, NAN, "", 0,
			    "The kernel throttled sampling %llu %s", (unsigned long long)n,
			    n == 1 ? "time" : "times");
		return;
	}
	quality_add(q, "throttled", rate >= RECORDING_THROTTLED ? QUALITY_CAUTION : QUALITY_INFO,
		    rate, "/s", 0,
		    "The kernel throttled sampling %llu %s (%.2g per second). Busy moments have "
		    "too few samples",
		    (unsigned long long)n, n == 1 ? "time" : "times", rate);
}

static void recording_shared(const struct profile *p, struct quality *q)
{
	const struct profile_recording *r = &p->recording;
	double pct;

	if (r->enabled_ns == 0)
		return;
	pct = 100 * (double)r->running_ns / (double)r->enabled_ns;
	if (pct >= RECORDING_SHARED)
		return;
	quality_add(q, "multiplexed",
		    pct < RECORDING_SHARED_POOR ? QUALITY_SERIOUS : QUALITY_CAUTION, pct, "%", 0,
		    "The event was counted %.1f %% of the time (multiplexing). The rest is "
		    "missing",
		    pct);
}

/*
 * Indexed by stack node: its depth, which is the number of frames from the node to the outermost
 * frame. The command is no frame. Owner: caller, free().
 */
static uint8_t *recording_depths(const struct capture *c)
{
	const struct stacks *s = &c->profile->stacks;
	const struct symbols *symbols = capture_symbols(c);
	uint32_t n = stacks_count(s);
	uint8_t *depth = xcalloc(n, 1);

	for (uint32_t i = 1; i < n; i++) {
		uint8_t above = depth[s->parent.data[i]];
		bool is_frame = symbols_get(symbols, s->sym.data[i])->space != SPACE_COMM;

		depth[i] = (uint8_t)(above + (is_frame && above < UINT8_MAX));
	}
	return depth;
}

static void recording_cut_chains(const struct capture *c, struct quality *q)
{
	const struct profile *p = c->profile;
	uint8_t *depth;
	uint64_t cut = 0;
	uint64_t deeper = 0;
	uint64_t chains = 0;
	double pct;

	if (p->table.rows.len)
		return;
	depth = recording_depths(c);
	for (size_t i = 0; i < p->samples.n; i++) {
		uint8_t d = depth[p->samples.stack.data[i].v];
		uint64_t n = profile_samples_at(p, i);

		chains += n * (d > 1);
		cut += n * (d == RECORDING_MAX_STACK);
		deeper += n * (d > RECORDING_MAX_STACK);
	}
	free(depth);
	/*
	 * no reason if some chains exceed the default limit: the kernel's limit was then another
	 * one, or the chains were unwound from copied stacks
	 */
	if (cut == 0 || deeper)
		return;
	pct = 100 * (double)cut / (double)chains;
	quality_add(
		q, "truncated-chains",
		pct >= RECORDING_CUT_CAUTION ? QUALITY_CAUTION : QUALITY_INFO, pct, "%", 0,
		"Call chains are truncated: %llu of %llu have %u frames, the kernel's limit. Their "
		"outermost callers are missing (sysctl kernel.perf_event_max_stack)",
		(unsigned long long)cut, (unsigned long long)chains, RECORDING_MAX_STACK);
}

static int recording_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return SORT_ORDER(x, y);
}

/* The samples of one CPU. `times` has the first RECORDING_STEP_TIMES of them. */
struct recording_cpu {
	VEC(uint64_t) times;
	VEC(uint64_t) gaps;
	uint64_t n; /* number of all samples of the CPU */
};

static uint64_t recording_usual_gap(struct recording_cpu *cpu)
{
	cpu->gaps.len = 0;
	for (size_t i = 1; i < cpu->times.len; i++)
		*VEC_PUSH(&cpu->gaps) = cpu->times.data[i] - cpu->times.data[i - 1];
	VEC_SORT(&cpu->gaps, recording_compare);
	return cpu->gaps.data[cpu->gaps.len / 2];
}

/*
 * The exact period in lockstep that is close to the sampling period @gap: a tick, multiplied or
 * divided by an integer. 0: none is close.
 */
static uint64_t recording_period(uint64_t gap)
{
	for (size_t i = 0; i < ARRAY_LEN(recording_ticks_ns) && gap; i++) {
		uint64_t tick = recording_ticks_ns[i];
		uint64_t n = gap < tick ? (tick + gap / 2) / gap : (gap + tick / 2) / tick;
		double exact = gap < tick ? (double)tick / (double)n : (double)tick * (double)n;

		if (n <= RECORDING_STEP_TICKS &&
		    fabs((double)gap - exact) <= RECORDING_STEP_NEAR * exact)
			return (uint64_t)llround(exact);
	}
	return 0;
}

/* Agreement of the phases of the CPU's samples in @period, from 0 (random) to 1 (all equal). */
static double recording_agreement(const struct recording_cpu *cpu, uint64_t period)
{
	double x = 0;
	double y = 0;

	VEC_FOREACH (t, &cpu->times) {
		double angle = 2 * M_PI * (double)(*t % period) / (double)period;

		x += cos(angle);
		y += sin(angle);
	}
	return sqrt(x * x + y * y) / (double)cpu->times.len;
}

/* The sampling period of a CPU whose samples are in lockstep with timer ticks; 0: they are not. */
static uint64_t recording_step_of(struct recording_cpu *cpu)
{
	uint64_t period;

	if (cpu->times.len < RECORDING_STEP_SAMPLES)
		return 0;
	VEC_SORT(&cpu->times, recording_compare);
	period = recording_period(recording_usual_gap(cpu));
	return period && recording_agreement(cpu, period) >= RECORDING_IN_STEP ? period : 0;
}

/*
 * Add a reason if samples are in lockstep with the timer tick: then either all samples or none are
 * in the tick's own work.
 */
static void recording_in_step(const struct profile *p, struct quality *q)
{
	const struct samples *s = &p->samples;
	struct recording_cpu *cpus;
	uint64_t in_step = 0;
	uint64_t period = 0;

	if (s->time_ns.len == 0 || s->cpu.len == 0 || p->unit != WEIGHT_NS)
		return;
	cpus = xcalloc(RECORDING_STEP_CPUS, sizeof(*cpus));
	for (size_t i = 0; i < s->n; i++) {
		struct recording_cpu *cpu = &cpus[s->cpu.data[i] % RECORDING_STEP_CPUS];

		if (s->cpu.data[i] < RECORDING_STEP_CPUS && cpu->n++ < RECORDING_STEP_TIMES)
			*VEC_PUSH(&cpu->times) = s->time_ns.data[i];
	}
	for (size_t i = 0; i < RECORDING_STEP_CPUS; i++) {
		uint64_t step = recording_step_of(&cpus[i]);

		in_step += step ? cpus[i].n : 0;
		period = step ? step : period;
		VEC_FREE(&cpus[i].times);
		VEC_FREE(&cpus[i].gaps);
	}
	free(cpus);
	if (in_step == 0)
		return;
	quality_add(
		q, "in-step", 2 * in_step >= s->n ? QUALITY_CAUTION : QUALITY_INFO,
		100 * (double)in_step / (double)s->n, "%", 0,
		"Sampling is in lockstep with the timer tick: %.0f %% of the samples come every "
		"%.3g ms. Work of the tick appears always or never. Record with an odd rate "
		"such as -F 997",
		100 * (double)in_step / (double)s->n, (double)period / 1e6);
}

void quality_one_process(const struct profile *p, struct quality *q)
{
	uint32_t pid;

	if (p->samples.thread.len == 0)
		return;
	pid = p->threads.data[p->samples.thread.data[0]].pid;
	VEC_FOREACH (thread, &p->samples.thread) {
		const struct profile_thread *t = &p->threads.data[*thread];

		if (!t->has_pid || t->pid != pid)
			return;
	}
	quality_add(q, "one-process", QUALITY_INFO, (double)pid, "pid", 0,
		    "Only one process was recorded (%u); others are not visible", pid);
}

/*
 * Add a reason if the recording has branch stacks. By default, perf report would then show branches
 * instead of samples (perf-report(1), --branch-stack).
 */
static void recording_branches(const struct profile *p, struct quality *q)
{
	if (p->recording.has_branches)
		quality_add(q, "branch-stacks", QUALITY_CAUTION, NAN, "", 0,
			    "Shown as by perf report --no-branch-stack: branch stacks (perf record "
			    "-b) are not read");
}

void quality_recording(const struct capture *c, struct quality *q)
{
	recording_branches(c->profile, q);
	recording_throttled(c->profile, q);
	recording_shared(c->profile, q);
	recording_cut_chains(c, q);
	recording_in_step(c->profile, q);
}
