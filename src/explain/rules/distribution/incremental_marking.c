/* SPDX-License-Identifier: MIT */
/*
 * V8 marks its heap in small steps (incremental marking), and these steps take much of the
 * program's time. Each step is short, so no pause is long, but there are thousands of steps.
 *
 * Thresholds: a share of 20 % of the time is a note, 50 % a warning. The log must cover at least a
 * second. V8 assumes that it marks at least 100 KB per millisecond
 * (kInitialConservativeMarkingSpeed in src/heap/gc-idle-time-handler.h), so 10 ms for a MiB. If
 * marking takes ten times as long, the steps do not mark the heap: they are requested although
 * there is little left to mark. Native code requests a step each time it reports external memory
 * (Heap::ReportExternalMemoryPressure in src/heap/heap.cc).
 */
#include "base/number.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(incremental_marking);

#define MARKING_NOTE 20.0
#define MARKING_LEAD 50.0
/* if the share of the time is larger, the log is from several programs */
#define MARKING_MOST    105.0
#define MARKING_ELAPSED 1000.0 /* minimum time, milliseconds */
/*
 * if marking takes more than this time per MiB of the heap, in ms, the steps do not mark the heap
 */
#define MARKING_SLOW 100.0
#define MARKING_SURE 90u

/* Times are in milliseconds. */
struct marking {
	double steps, time;
	double elapsed; /* from the start of the first marking to the last collection */
	double longest; /* the longest step */
	double heap;    /* heap size before a collection, summed over all collections, MiB */
	double n;       /* number of collections */
	double most;    /* longest total time of the steps before one collection */
	uint32_t line;  /* input line of the collection with this longest time */
};

/*
 * Sum up the marking steps before each collection. Each collection has several adjacent counters:
 * heap size before, number of steps, their time.
 */
static void marking_gather(const struct rule_input *in, struct marking *m)
{
	const struct strings *strings = capture_strings(in->capture);
	double heap = 0, time = 0, walltime = 0, ended = NAN;

	VEC_FOREACH (c, &in->capture->counters->rows) {
		struct str name = strings_get(strings, c->name);
		double value = counter_value(c);

		if (str_ends(name, STR(" before"))) {
			heap = value;
		} else if (str_eq(name, STR("marking steps"))) {
			m->steps += value;
			m->heap += heap;
			m->n++;
		} else if (str_eq(name, STR("marking time"))) {
			m->time += value;
			time = value;
		} else if (str_eq(name, STR("longest marking step"))) {
			m->longest = fmax(m->longest, value);
		} else if (str_eq(name, STR("marking elapsed time"))) {
			walltime = value;
		} else if (str_eq(name, STR("marking ended at"))) {
			/*
			 * count the whole time since the last collection, including times without
			 * marking
			 */
			m->elapsed += value > ended ? fmax(value - ended, walltime) : walltime;
			ended = value;
			m->line = time > m->most ? c->line : m->line;
			m->most = fmax(m->most, time);
		}
	}
}

static void marking_explain(struct findings *out, struct finding *f, const struct marking *m)
{
	if (m->time < MARKING_SLOW * m->heap) {
		finding_usual_cause(out, f,
				    "Many objects are alive, and the heap is near its limit or "
				    "fills fast: marking starts again soon after it ended, and "
				    "allocations make the steps");
		finding_because(out, f, "each line states the time and the number of the steps");
		finding_next(out, f,
			     "node --heapsnapshot-signal=SIGUSR2: which objects fill the heap; a "
			     "higher --max-old-space-size if they are needed");
		finding_next(out, f, "node --heap-prof: who allocates");
		return;
	}
	finding_usual_cause(out, f,
			    "So small a heap is marked in milliseconds. Something asks for steps "
			    "although little is left to mark: native code that reports external "
			    "memory (AdjustAmountOfExternalAllocatedMemory of an addon, Buffers), "
			    "or explicit requests");
	finding_because(out, f,
			"each line states the time and the number of the steps\n"
			"which code asked for them");
	finding_next(out, f,
		     "perf record -g -p PID; perf report --children: callers of "
		     "AdjustAmountOfExternalAllocatedMemory and IncrementalMarking");
	finding_next(out, f,
		     "node --trace-incremental-marking: why each marking starts; "
		     "process.memoryUsage().external over time");
}

static void marking_finding(const struct rule_input *in, struct findings *out,
			    const struct marking *m, double share)
{
	struct finding *f =
		finding_add(out, in, &rule_incremental_marking,
			    share >= MARKING_LEAD ? FINDING_WARNING : FINDING_NOTE, MARKING_SURE);

	finding_claim(out, f,
		      "Incremental marking takes %.1f %% of the time: %s in %.0f steps, for a heap "
		      "of %.*f MiB",
		      share, finding_duration(out, number_whole(m->time * 1e6)), m->steps,
		      m->heap < 10 * m->n ? 1 : 0, m->heap / m->n);
	f->impact = share;
	finding_figure(f, "incremental marking, of wall-clock time", share, 0, "%");
	finding_figure(f, "steps", m->steps, 0, "");
	finding_figure(f, "mean step", m->time / m->steps, 0, "ms");
	finding_figure(f, "longest step", m->longest, 0, "ms");
	finding_evidence(out, f, in, m->line, "the marking with the most time");
	marking_explain(out, f, m);
}

static void marking_check(const struct rule_input *in, struct findings *out)
{
	struct marking m = { .line = 0 };
	double share;

	if (!in->capture->counters)
		return;
	marking_gather(in, &m);
	if (m.n == 0)
		return;
	/* if the elapsed time is 0, the first condition below holds, and the share is not used */
	share = 100 * m.time / m.elapsed;
	if (m.elapsed < MARKING_ELAPSED || share > MARKING_MOST)
		finding_not_assessed(out, in, &rule_incremental_marking,
				     "--trace-gc of one process, for ten seconds or more",
				     "less than a second of log, or lines of several programs");
	else if (share >= MARKING_NOTE)
		marking_finding(in, out, &m, share);
	else
		finding_clean(out, in, &rule_incremental_marking,
			      "incremental marking is %.1f %% of the time", share);
}

const struct rule rule_incremental_marking = {
	.id = "incremental-marking",
	.title = "Incremental marking takes the time",
	.needs = RULE_DISTRIBUTION,
	.check = marking_check,
	.is_measured = true,
};
