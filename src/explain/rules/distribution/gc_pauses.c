/* SPDX-License-Identifier: MIT */
/*
 * The program stops while its garbage collector works. The share is the sum of these pauses divided
 * by the time span of the log. Work of the collector while the program runs is ignored.
 *
 * Thresholds: a share of 5 % is a note, because collectors aim at 1 to 5 % (HotSpot: GCTimeRatio 99
 * to 19). 20 % is a warning: the heap is too small, or the machine lacks memory.
 */
#include "analyses/distributions/spread.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/gc_words.h"

#include <inttypes.h>
#include <math.h>

DECLARE_RULE(gc_pauses);

#define PAUSES_NOTE  5.0
#define PAUSES_LEAD  20.0
#define PAUSES_LEAST 3u
#define PAUSES_SPAN  1e9 /* minimum time span of the log, nanoseconds */
#define PAUSES_SURE  90u
/*
 * Minimum duration of a single pause for a note and for a warning, ns. Clients time out after one
 * or a few seconds, and clusters exclude a member after about ten.
 */
#define PAUSES_STILL_NOTE 1e9
#define PAUSES_STILL_LEAD 10e9
/*
 * If full collections have at least this part (0 to 1) of the pause time, the whole heap is
 * collected again and again.
 */
#define PAUSES_FULL 0.5
/*
 * If the collector's CPU time is below this part (0 to 1) of the duration of its long pauses, it
 * mostly waited. (A single thread that computes all the time uses as much CPU time as the pause is
 * long.)
 */
#define PAUSES_IDLE 0.5
/*
 * If the collector's CPU time is at least this part (0 to 1) of the duration of its long pauses,
 * one thread computed all the time. The missing tenth allows for CPU times that are printed in
 * steps of 10 ms.
 */
#define PAUSES_BUSY 0.9
/*
 * PAUSES_LONG: minimum duration of a long pause, in ms. PAUSES_CPU_STEP: the true CPU time of a
 * pause exceeds the printed one by at most this, in ms. (CPU times are printed in steps of 10 ms,
 * separately for user and system time.)
 */
#define PAUSES_LONG     30.0
#define PAUSES_CPU_STEP 10.0
/*
 * minimum mean time from one pause to the next, in seconds, for rare collections: the program then
 * allocates little
 */
#define PAUSES_RARE 2.0
/*
 * Names of collections, as collectors print them: of the whole heap, because of a large object, and
 * of the young generation only.
 */
#define PAUSES_WHOLE "Full*|Mark-sweep*|Mark-Compact*"
#define PAUSES_LARGE "*G1 Humongous Allocation*"
#define PAUSES_YOUNG "Young*|GC (*|GC|GC pause (*(young)*|Scavenge*|*ParNew*|*DefNew*"

struct pauses {
	/*
	 * Sums of pauses, ns: all pauses, full collections, young collections, collections because
	 * memory ran out as in @room, requested collections, those of the kind of @request, and
	 * collections of G1 for a large object.
	 */
	double sum, full, young, roomless, requested, asked, large;
	double half; /* rounding error of sum, nanoseconds */
	/* the longest pause; NULL: none yet */
	const struct distribution_bucket *longest;
	struct str longest_key;
	struct str request; /* name of the requested pauses with the most time; empty: none */
	double most_requested;
	/* kind of failure of the pauses with the most time; NULL: none */
	const struct gc_failure *room;
	double most_roomless;
	uint64_t count;
	/*
	 * Sums of CPU time and elapsed time over the long pauses (PAUSES_LONG or more), ms. 0: not
	 * printed.
	 */
	double cpu_ms, real_ms;
	double n_long; /* number of long pauses */
	/* true: the pauses are lines of a log; false: they are from a recording of the runtime */
	bool has_lines;
};

static bool pauses_is_pause(const struct rule_input *in, const struct distribution_series *s)
{
	return str_eq(strings_get(capture_strings(in->capture), s->name), STR("pause"));
}

static void pauses_add(const struct rule_input *in, const struct distribution_series *s,
		       struct pauses *p)
{
	const struct distribution *d = in->capture->distribution;
	struct str key = strings_get(capture_strings(in->capture), s->key);
	/* a requested collection does not show that the heap is too small */
	bool is_requested = gc_words_asker(key) != NULL;
	bool is_full = str_glob(STR(PAUSES_WHOLE), key) && !is_requested;
	const struct gc_failure *room = gc_words_failure(key);
	double sum = 0;

	for (uint32_t i = 0; i < s->n_buckets; i++) {
		const struct distribution_bucket *b = &d->buckets.data[s->first_bucket + i];

		if (isinf(b->high))
			continue;
		sum += (b->low + b->high) / 2 * (double)b->count;
		p->half += (b->high - b->low) / 2 * (double)b->count;
		if (!p->longest || b->high > p->longest->high) {
			p->longest = b;
			p->longest_key = key;
		}
	}
	p->count += s->count;
	p->sum += sum;
	p->full += is_full ? sum : 0;
	p->young += str_glob(STR(PAUSES_YOUNG), key) ? sum : 0;
	p->large += str_glob(STR(PAUSES_LARGE), key) ? sum : 0;
	if (room && sum > p->most_roomless) {
		p->most_roomless = sum;
		p->room = room;
	}
	p->requested += is_requested ? sum : 0;
	if (is_requested && sum > p->most_requested) {
		p->most_requested = sum;
		p->request = key;
	}
	p->has_lines |= s->line != 0;
}

/* Sum up the pauses whose failure is p->room, and those that were requested as p->request. */
static void pauses_sum_kinds(const struct rule_input *in, struct pauses *p)
{
	const struct distribution *d = in->capture->distribution;
	const struct gc_asker *asker = gc_words_asker(p->request);

	VEC_FOREACH (s, &d->series) {
		struct str key = strings_get(capture_strings(in->capture), s->key);
		double sum = 0;

		if (!pauses_is_pause(in, s))
			continue;
		for (uint32_t i = 0; i < s->n_buckets; i++) {
			const struct distribution_bucket *b = &d->buckets.data[s->first_bucket + i];

			if (!isinf(b->high))
				sum += (b->low + b->high) / 2 * (double)b->count;
		}
		p->roomless += p->room && gc_words_failure(key) == p->room ? sum : 0;
		p->asked += asker && gc_words_asker(key) == asker ? sum : 0;
	}
}

/* Add the CPU time and elapsed time that the log prints for each long pause. */
static void pauses_add_cpu(const struct rule_input *in, struct pauses *p)
{
	const struct counters *k = in->capture->counters;
	double cpu = 0;

	if (!k)
		return;
	VEC_FOREACH (c, &k->rows) {
		struct str name = strings_get(capture_strings(in->capture), c->name);

		if (str_eq(name, STR("pause CPU time")))
			cpu = counter_value(c);
		if (!str_eq(name, STR("pause elapsed time")) || counter_value(c) < PAUSES_LONG)
			continue;
		p->cpu_ms += cpu;
		p->real_ms += counter_value(c);
		p->n_long++;
	}
}

/*
 * Did the collector mostly wait during its long pauses, instead of computing? False if the long
 * pauses are less than PAUSES_FULL of the pause time.
 */
static bool pauses_is_starved(const struct pauses *p)
{
	return p->real_ms * 1e6 >= PAUSES_FULL * p->sum &&
	       p->cpu_ms + PAUSES_CPU_STEP * p->n_long < PAUSES_IDLE * p->real_ms;
}

/* Did the collector compute during its long pauses? Then swapped-out memory is not the cause. */
static bool pauses_is_computing(const struct pauses *p)
{
	return p->real_ms * 1e6 >= PAUSES_FULL * p->sum && p->cpu_ms >= PAUSES_BUSY * p->real_ms;
}

/* May a JVM have printed the log? */
static bool pauses_is_jvm(const struct rule_input *in)
{
	return !str_glob(STR("V8*|.NET*"), capture_note_of(in->capture, STR("printed by")));
}

static void pauses_explain_starved(struct findings *out, struct finding *f)
{
	finding_usual_cause(out, f,
			    "The collector waits in its pauses: its pages were swapped out, its "
			    "threads get no CPU (quota, steal), or the log's disk is slow");
	finding_next(out, f,
		     "vmstat 1 during a pause: si, so, st; nr_throttled of the cgroup's "
		     "cpu.stat; then no swap for this heap");
}

/* Set the cause and the next steps, by the kind of pauses that takes most of the time. */
static void pauses_explain(const struct rule_input *in, struct findings *out, struct finding *f,
			   const struct pauses *p, double span_s)
{
	if (pauses_is_starved(p)) {
		pauses_explain_starved(out, f);
	} else if (p->requested >= PAUSES_FULL * p->sum) {
		finding_cause_if(out, f, p->asked >= PAUSES_FULL * p->sum, "%s",
				 gc_words_asker(p->request)->cause);
		finding_next(out, f, "%s", gc_words_asker(p->request)->next);
	} else if (p->roomless >= PAUSES_FULL * p->sum) {
		finding_cause(out, f, "%s", p->room->cause);
		finding_next(out, f, "%s", p->room->next);
	} else if (p->full >= PAUSES_FULL * p->sum) {
		finding_usual_cause(
			out, f,
			"The whole heap is collected again and again: live objects nearly "
			"fill it, or it fills with objects that die soon after they left "
			"the young generation");
		finding_next(out, f,
			     "compare the heap after each full collection, in a log since the "
			     "start: if it does not grow, raise the limit of the heap; if it "
			     "grows, which objects fill it: %s",
			     gc_words_dump(in->capture));
	} else if (p->large >= PAUSES_FULL * p->sum) {
		finding_cause(out, f,
			      "Allocations of large objects start the collections, not a small "
			      "young generation (gc-humongous)");
		finding_next(out, f,
			     "smaller arrays; a larger heap, or larger regions of it "
			     "(-XX:G1HeapRegionSize)");
	} else if (span_s / (double)p->count >= PAUSES_RARE) {
		finding_usual_cause(
			out, f,
			"The collections are rare and long: each copies or marks many live "
			"objects, or too few threads collect");
		finding_next(out, f, "%s: live data after each%s%s", gc_words_log(in->capture),
			     gc_words_is_jdk8(in->capture) ? "" : ", and which phase takes long",
			     pauses_is_jvm(in) ? "; -XX:ParallelGCThreads against the CPUs of the "
						 "container"
					       : "");
	} else {
		bool is_young = p->young >= PAUSES_FULL * p->sum;

		finding_usual_cause(
			out, f,
			is_young ? "The program allocates much for its heap, or its young "
				   "generation is small"
				 : "The program allocates much for its heap");
		finding_next(out, f,
			     "profile the allocations: async-profiler -e alloc, --heap-prof of "
			     "node, or go tool pprof -sample_index=alloc_space; then %s",
			     is_young ? "-Xmn, -Xmx, --max-semi-space-size or GOGC"
				      : "a larger heap: -Xmx, --max-old-space-size or GOGC");
	}
}

static void pauses_finding(const struct rule_input *in, struct findings *out,
			   const struct pauses *p)
{
	double span = in->capture->distribution->span_ns;
	double share = 100 * p->sum / span;
	struct finding *f =
		finding_add(out, in, &rule_gc_pauses,
			    share >= PAUSES_LEAD ? FINDING_WARNING : FINDING_NOTE, PAUSES_SURE);
	const char *most = "";

	if (pauses_is_starved(p))
		most = finding_name(out, ". The long ones used %.*f s of CPU in %.*f s",
				    p->real_ms < 1e3 ? 2 : 1, p->cpu_ms / 1e3,
				    p->real_ms < 1e3 ? 2 : 1, p->real_ms / 1e3);
	else if (p->requested >= PAUSES_FULL * p->sum)
		most = finding_name(out,
				    ". Most of that are requested collections, %s'" STR_FMT "'",
				    p->asked >= PAUSES_FULL * p->sum ? "" : "for example ",
				    STR_ARG(p->request));
	else if (p->roomless >= PAUSES_FULL * p->sum)
		most = finding_name(out, ". In most of that, %s", p->room->what);
	else if (p->full >= PAUSES_FULL * p->sum)
		most = ". Most of that are collections of the whole heap";
	finding_claim(out, f,
		      "The program stands still for its garbage collector %.1f %% of the time: "
		      "%" PRIu64 " pauses in %.1f s, the longest %.0f ms%s",
		      share, p->count, span / 1e9, p->longest->high / 1e6, most);
	f->impact = share;
	if (p->full >= PAUSES_FULL * p->sum)
		finding_about(out, f, /* is_part= */ true, GC_WORDS_ABOUT_FULL);
	finding_figure(f, "pauses, of wall-clock time", share, 100 * p->half / span, "%");
	finding_figure(f, "pauses", (double)p->count, 0, "");
	finding_evidence(out, f, in, p->longest->line, "the longest");
	pauses_explain(in, out, f, p, span / 1e9);
	finding_because(out, f, "%s",
			p->has_lines
				? "each line states its pause, and the time since the start"
				: "the runtime recorded each pause and the time of the recording");
}

/*
 * Reasons for a collection, as printed in the key of the pauses. The first rows are reasons of .NET
 * (enum gc_reason); the last row is for all other reasons.
 */
static const struct {
	const char *keys; /* str_glob pattern */
	const char *cause;
	const char *next; /* NULL: print the next step for a log of the collector */
} pauses_reasons[] = {
	{ "*LargeObjectHeap*|*SpaceLOH*",
	  "Allocations on the large object heap, which has the objects of 85 000 bytes and more, "
	  "start collections of generation 2. A full blocking one marks the whole heap, and all "
	  "threads are suspended meanwhile",
	  "dotnet-counters monitor -p PID System.Runtime: loh-size, gen-2-gc-count; then smaller "
	  "or "
	  "pooled arrays (ArrayPool), and smaller caches" },
	{ "*LowMemory*",
	  "Memory of the machine or its container is nearly full, so the runtime collects the "
	  "whole "
	  "heap while all threads are suspended",
	  "check the limit of the container, and the heap: dotnet-gcdump collect -p PID" },
	{ "*Induced*",
	  "The program asked for the collection (GC.Collect), and all threads are suspended "
	  "meanwhile",
	  "dotnet-trace collect -p PID --profile gc-verbose: who calls GC.Collect" },
	{ "*",
	  "A blocking collection suspends all threads: it takes longer with more live objects, and "
	  "when pages of the heap are swapped out",
	  NULL },
};

/* Is @s the time during which a collection of .NET suspended all threads? */
static bool pauses_is_suspension(const struct rule_input *in, const struct distribution_series *s)
{
	const struct strings *strings = capture_strings(in->capture);

	return str_eq(strings_get(strings, s->name), STR("suspension")) &&
	       str_glob(STR("GarbageCollection*"), strings_get(strings, s->key));
}

/*
 * If the log has only two pauses, and they take a large share of the time, set the claim of @f to
 * this share. The program ran between the pauses, so the time is measured from the start of the
 * first to the start of the second. False: the claim is not set, because the share is unknown or
 * small.
 */
static bool pauses_claim_two(const struct rule_input *in, struct findings *out, struct finding *f,
			     const struct pauses *p)
{
	double ns, sum;
	double share = gc_words_stopped(in->capture, &ns, &sum);

	if (p->count != 2 || !(share >= PAUSES_LEAD))
		return false;
	finding_claim(out, f,
		      "The program stands still for its garbage collector %.0f %% of the time: %s "
		      "from one '" STR_FMT "' to the next one, after %s",
		      share, finding_duration(out, (uint64_t)sum), STR_ARG(p->longest_key),
		      finding_duration(out, (uint64_t)ns));
	f->severity = FINDING_WARNING;
	f->impact = share;
	finding_figure(f, "pauses, of wall-clock time", share, 0, "%");
	if (p->full >= PAUSES_FULL * p->sum)
		finding_about(out, f, /* is_part= */ true, GC_WORDS_ABOUT_FULL);
	return true;
}

/* Add a finding about one long pause, for a log whose share of pauses is unknown. */
static void pauses_still(const struct rule_input *in, struct findings *out, const struct pauses *p)
{
	double ns = (p->longest->low + p->longest->high) / 2;
	struct finding *f =
		finding_add(out, in, &rule_gc_pauses,
			    ns >= PAUSES_STILL_LEAD ? FINDING_WARNING : FINDING_NOTE, PAUSES_SURE);
	size_t i = 0;
	bool is_share;

	is_share = pauses_claim_two(in, out, f, p);
	if (!is_share)
		finding_claim(out, f,
			      "A garbage collection stops all threads of the program for %s: "
			      "'" STR_FMT "'",
			      finding_duration(out, (uint64_t)ns), STR_ARG(p->longest_key));
	finding_figure(f, "longest pause", ns / 1e9, (p->longest->high - p->longest->low) / 2e9,
		       "s");
	finding_evidence(out, f, in, p->longest->line, "the longest");
	finding_because(out, f,
			is_share ? "each line states its pause and its time\n"
				   "how long it has been so: these are two pauses"
				 : "the line states the pause\n"
				   "how often such pauses occur");
	if (is_share) {
		pauses_explain(in, out, f, p, in->capture->distribution->span_ns / 1e9);
		return;
	}
	if (pauses_is_starved(p)) {
		pauses_explain_starved(out, f);
		return;
	}
	if (pauses_is_computing(p)) {
		finding_figure(f, "CPUs that long pauses kept busy", p->cpu_ms / p->real_ms, 0, "");
		finding_usual_cause(out, f,
				    "The collector computes during the pause and does not wait: "
				    "the more objects are alive, the longer it takes");
		if (pauses_is_jvm(in))
			finding_next(out, f,
				     "%s: live data after each collection; -XX:ParallelGCThreads "
				     "against the CPUs of the container",
				     gc_words_log(in->capture));
		else
			finding_next(out, f, "%s: live data after each collection",
				     gc_words_log(in->capture));
		return;
	}
	while (!str_glob(str_of(pauses_reasons[i].keys), p->longest_key))
		i++;
	finding_usual_cause(out, f, "%s", pauses_reasons[i].cause);
	if (pauses_reasons[i].next)
		finding_next(out, f, "%s", pauses_reasons[i].next);
	else
		finding_next(out, f,
			     "%s: live data after each collection; vmstat 1 during a pause: si, so",
			     gc_words_log(in->capture));
}

static void pauses_check(const struct rule_input *in, struct findings *out)
{
	struct pauses p = { .sum = 0 };
	double span = in->capture->distribution->span_ns;

	VEC_FOREACH (s, &in->capture->distribution->series) {
		if (pauses_is_pause(in, s))
			pauses_add(in, s, &p);
	}
	pauses_sum_kinds(in, &p);
	pauses_add_cpu(in, &p);
	if (p.count == 0) {
		VEC_FOREACH (s, &in->capture->distribution->series) {
			if (pauses_is_suspension(in, s))
				pauses_add(in, s, &p);
		}
	}
	if (p.count == 0)
		return;
	if ((p.count < PAUSES_LEAST || span < PAUSES_SPAN) && p.longest &&
	    (p.longest->low + p.longest->high) / 2 >= PAUSES_STILL_NOTE)
		pauses_still(in, out, &p);
	else if (p.count < PAUSES_LEAST || span < PAUSES_SPAN)
		finding_not_assessed(out, in, &rule_gc_pauses,
				     "-Xlog:gc with uptime, or --trace-gc, for ten seconds or more",
				     "fewer than three pauses, or less than a second of log");
	else if (p.sum >= span * PAUSES_NOTE / 100 && p.sum <= span)
		pauses_finding(in, out, &p);
	else
		finding_clean(out, in, &rule_gc_pauses, "pauses are %.1f %% of %.1f s",
			      100 * p.sum / span, span / 1e9);
}

const struct rule rule_gc_pauses = {
	.id = "gc-pauses",
	.title = "Garbage collection stops the program",
	.needs = RULE_DISTRIBUTION,
	.check = pauses_check,
	.is_measured = true,
};
