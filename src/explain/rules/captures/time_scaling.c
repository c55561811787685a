/* SPDX-License-Identifier: MIT */
/*
 * Runs of one command with different numbers of threads, each with its elapsed and its CPU time
 * (time, perf stat, hyperfine). The commands differ only in that number, which follows an option
 * such as -j or a variable such as OMP_NUM_THREADS.
 *
 *   (1) More threads need more CPU time for the same work, and the run is not shorter: the threads
 *       hinder each other.
 *   (2) CPU time and elapsed time stay the same, and one CPU is in use: the threads take turns.
 *
 * Thresholds: the run with most threads, at least twice those of the one with fewest, is at least
 * 0.9 times as long as the fastest run with fewer threads. Then 1.5 times the CPU time is a note,
 * three times a warning. Two threads of one core (SMT) and lower clock rates alone increase the CPU
 * time up to twofold, but then the run is shorter. In (2) the CPU time grows by less, and at most
 * 1.2 CPUs are in use.
 */
#include "analyses/counters/counter_metrics.h"
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
#include "explain/time_scaling_names.h"

#include <inttypes.h>

DECLARE_RULE(time_scaling);

#define TIMES_RUNS   32u
#define TIMES_MORE   2.0 /* minimum ratio of the numbers of threads */
#define TIMES_STAY   0.9
#define TIMES_NOTE   1.5
#define TIMES_LEAD   3.0
#define TIMES_SERIAL 1.2
#define TIMES_SURE   75u
#define TIMES_MOST   4096u /* a larger number is no number of threads */
/* shorter runs are start-up only, s */
#define TIMES_LEAST 0.1

struct times_run {
	struct str before, after; /* the command before and after the number of threads */
	uint64_t threads;
	double elapsed, cpu;
	uint32_t capture, line;
};

/*
 * Find the number of threads in @command: the first number that an option or a variable of
 * TIMES_OPTIONS precedes. False: there is none.
 */
static bool times_split(struct str command, struct times_run *ret)
{
	for (size_t i = 1; i < command.len; i++) {
		struct str rest = str_skip(command, i);
		struct str before = str_sub(command, 0, i);
		struct str option;
		size_t start;

		if (!char_is_digit(command.p[i]) || char_is_digit(command.p[i - 1]))
			continue;
		option = before.p[i - 1] == ' ' ? str_rtrim(before) : before;
		start = str_rfind_char(option, ' ');
		option = str_skip(option, start < option.len ? start + 1 : 0);
		if (!str_glob(STR(TIMES_OPTIONS), option) || !str_u64(&rest, &ret->threads) ||
		    (rest.len && rest.p[0] != ' ') || !ret->threads || ret->threads > TIMES_MOST)
			continue;
		ret->before = before;
		ret->after = rest;
		return true;
	}
	return false;
}

/* Collect the runs of the first command with a number of threads. Returns their number. */
static size_t times_collect(const struct rule_input *in, struct times_run *runs)
{
	const struct dossier *d = in->facts->dossier;
	size_t n = 0;

	for (uint32_t i = 0; i < d->captures.len && n < TIMES_RUNS; i++) {
		const struct capture *c = d->captures.data[i];
		struct times_run run = { .capture = i };
		struct counter_sum elapsed, cpu;

		if (!c->counters || !c->command.v || c->excerpt_of != INDEX_NONE ||
		    !times_split(strings_get(capture_strings(c), c->command), &run) ||
		    !counter_metrics_elapsed(c, &elapsed) || !counter_metrics_cpu_seconds(c, &cpu))
			continue;
		if (n && (!str_eq(run.before, runs[0].before) || !str_eq(run.after, runs[0].after)))
			continue;
		run.elapsed = elapsed.value;
		run.cpu = cpu.value;
		run.line = c->counters->rows.data[elapsed.row].line;
		runs[n++] = run;
	}
	return n;
}

static const char *times_of(struct findings *out, double seconds)
{
	return finding_duration(out, (uint64_t)(seconds * 1e9));
}

/* Is there a profile, too? Its findings say why the threads contend, so they come first. */
static bool times_has_profile(const struct dossier *d)
{
	VEC_FOREACH (c, &d->captures) {
		if ((*c)->profile)
			return true;
	}
	return false;
}

static void times_finding(const struct rule_input *in, struct findings *out,
			  const struct times_run *few, const struct times_run *best,
			  const struct times_run *most, bool is_serial)
{
	struct rule_input at = *in;
	double growth = most->cpu / few->cpu;
	struct finding *f;
	bool leads;

	at.capture = in->facts->dossier->captures.data[most->capture];
	at.number = most->capture;
	leads = !is_serial && growth >= TIMES_LEAD && !times_has_profile(in->facts->dossier);
	f = finding_add(out, &at, &rule_time_scaling, leads ? FINDING_WARNING : FINDING_NOTE,
			TIMES_SURE);
	f->is_general = true;
	f->impact = 50;
	if (is_serial)
		finding_claim(out, f,
			      "The threads take turns: the run takes %s with %" PRIu64
			      " and %s with %" PRIu64
			      " threads, with about the same CPU time and %.2f CPUs in use",
			      times_of(out, few->elapsed), few->threads,
			      times_of(out, most->elapsed), most->threads,
			      most->cpu / most->elapsed);
	else
		finding_claim(out, f,
			      "More threads do not help: the run takes %s with %" PRIu64
			      " and %s with %" PRIu64
			      " threads, and its CPU time grows from %s with %" PRIu64 " to %s",
			      times_of(out, best->elapsed), best->threads,
			      times_of(out, most->elapsed), most->threads, times_of(out, few->cpu),
			      few->threads, times_of(out, most->cpu));
	finding_figure(f, "growth of CPU time", growth, 0, "times");
	finding_figure(f, "threads", (double)most->threads, 0, "");
	finding_evidence(out, f, &at, most->line, "%" PRIu64 " threads", most->threads);
	at.capture = in->facts->dossier->captures.data[few->capture];
	at.number = few->capture;
	finding_evidence(out, f, &at, few->line, "%" PRIu64 " thread%s", few->threads,
			 few->threads == 1 ? "" : "s");
	finding_usual_cause(
		out, f, "%s",
		is_serial ? "One lock covers the work, such as the lock of an interpreter, or the "
			    "part that runs in parallel is short"
			  : "The threads contend: for a lock on which they spin or sleep, in the "
			    "program, its allocator or the kernel (memory mappings, directories), "
			    "or for cache lines that they share");
	finding_because(out, f,
			"elapsed and CPU time of each run are measured\n"
			"what the threads share");
	finding_next(out, f,
		     "perf record -g on the run with %" PRIu64
		     " threads, then the same with %" PRIu64
		     ", and assay diff: which functions grow",
		     most->threads, few->threads);
	finding_next(
		out, f,
		"strace -f -c: many calls of futex or mmap; another allocator with LD_PRELOAD");
}

static void times_check(const struct rule_input *in, struct findings *out)
{
	struct times_run runs[TIMES_RUNS];
	size_t n = times_collect(in, runs);
	const struct times_run *few = runs, *most = runs, *best = NULL;

	for (size_t i = 1; i < n; i++) {
		few = runs[i].threads < few->threads ? &runs[i] : few;
		most = runs[i].threads > most->threads ? &runs[i] : most;
	}
	for (size_t i = 0; i < n; i++) {
		if (runs[i].threads < most->threads && (!best || runs[i].elapsed < best->elapsed))
			best = &runs[i];
	}
	if (n < 2)
		return;
	if ((double)most->threads < TIMES_MORE * (double)few->threads ||
	    few->elapsed < TIMES_LEAST || few->cpu <= 0 || !best) {
		finding_not_assessed(
			out, in, &rule_time_scaling,
			"time of the command with 1, 2, 4 and 8 threads",
			"the runs have about the same number of threads, or are short");
		return;
	}
	if (most->elapsed < TIMES_STAY * best->elapsed) {
		finding_clean(out, in, &rule_time_scaling,
			      "%" PRIu64 " threads take %.1f %% of the time of %" PRIu64,
			      most->threads, 100 * most->elapsed / best->elapsed, best->threads);
		return;
	}
	if (most->cpu >= TIMES_NOTE * few->cpu)
		times_finding(in, out, few, best, most, false);
	else if (most->elapsed >= TIMES_STAY * few->elapsed && most->cpu * TIMES_NOTE >= few->cpu &&
		 most->cpu <= TIMES_SERIAL * most->elapsed)
		times_finding(in, out, few, best, most, true);
	else
		finding_clean(out, in, &rule_time_scaling,
			      "CPU time grows by a factor of %.2f from %" PRIu64 " to %" PRIu64
			      " threads",
			      most->cpu / few->cpu, few->threads, most->threads);
}

static const char *const times_explains[] = { "program-computes", "system-time", NULL };

const struct rule rule_time_scaling = {
	.id = "time-scaling",
	.title = "More threads do not make the run shorter",
	.needs = RULE_DOSSIER,
	.explains = times_explains,
	.check = times_check,
	.is_measured = true,
};
