/* SPDX-License-Identifier: MIT */
/*
 * Memory ran out before the garbage collector was done. So the collector used a slow path,
 * collected the whole heap, or made threads wait. The log prints the reason in the line of the
 * pause or stall.
 *
 * Thresholds: a single such pause or stall is a note. If the longest one takes a second or more, it
 * is a warning. Sources: gc-no-room.names.
 *
 * A full collection for a large object is in vain if it frees less than a tenth although the heap
 * is not full (below 80 %): the free memory is not contiguous. One such collection is a note,
 * because it may have compacted the free regions so that the object then fitted. Two are a warning.
 */
#include "base/number.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/gc_no_room_names.h"
#include "explain/rule.h"
#include "explain/words/gc_words.h"

#include <inttypes.h>
#include <math.h>

DECLARE_RULE(gc_no_room);

#define ROOM_LEAD_NS 1e9
#define ROOM_SURE    90u
/*
 * A full collection is in vain under two conditions. It frees less than the part ROOM_FREED (0 to
 * 1) of the memory in use. After it, the memory in use is less than the part ROOM_USED of the heap
 * size.
 */
#define ROOM_FREED     0.10
#define ROOM_USED      0.80
#define ROOM_VAIN_LEAD 2u

/* Pauses and stalls of a log. */
struct room {
	/* number of all pauses, and of the pauses because memory ran out */
	uint64_t pauses, failed;
	uint64_t stalls; /* number of times that a thread waited for memory */
	/*
	 * longest: bucket of the longest stall, or of the longest pause because memory ran out;
	 * worst: the series with this bucket. Both are NULL if there is none.
	 */
	const struct distribution_bucket *longest;
	const struct distribution_series *worst;
};

/* Full collections for a large object. */
struct room_large {
	unsigned int n, vain; /* number of these collections, and of those in vain */
	double after, size;   /* sizes at the last collection in vain, MiB */
	/* number of regions with large objects after that collection; 0: not printed */
	double regions;
	uint32_t line, interval; /* of the last collection in vain */
};

static void room_add(const struct distribution *d, const struct distribution_series *s,
		     struct room *r)
{
	for (uint32_t i = 0; i < s->n_buckets; i++) {
		const struct distribution_bucket *b = &d->buckets.data[s->first_bucket + i];

		if (isinf(b->high) || (r->longest && b->low <= r->longest->low))
			continue;
		r->longest = b;
		r->worst = s;
	}
}

/*
 * The duration of the longest stall or pause, as the log prints it. A bucket is as wide as one unit
 * of the last printed digit, so its middle is the printed value.
 */
static const char *room_longest(struct findings *out, const struct room *r)
{
	return finding_duration(out, number_whole((r->longest->low + r->longest->high) / 2));
}

static void room_claim(struct findings *out, struct finding *f, const struct room *r,
		       const struct gc_failure *kind)
{
	const char *longest = room_longest(out, r);

	if (r->stalls)
		finding_claim(out, f,
			      "Threads stood still for memory %" PRIu64 " time%s, up to %s: %s",
			      r->stalls, r->stalls == 1 ? "" : "s", longest, kind->what);
	else
		finding_claim(out, f,
			      "The garbage collector ran out of room in %" PRIu64 " of %" PRIu64
			      " pause%s, the longest %s: %s",
			      r->failed, r->pauses, r->pauses == 1 ? "" : "s", longest, kind->what);
	finding_figure(f, r->stalls ? "stalls" : "pauses without room",
		       (double)(r->stalls ? r->stalls : r->failed), 0, "");
}

/*
 * Sum up the full collections for a large object. Each collection has several adjacent counters:
 * memory before, memory after and heap size.
 */
static void room_add_large(const struct rule_input *in, struct room_large *r)
{
	const struct strings *strings = capture_strings(in->capture);
	double before = 0, after = 0;

	if (!in->capture->counters)
		return;
	VEC_FOREACH (c, &in->capture->counters->rows) {
		struct str name = strings_get(strings, c->name);

		if (!str_glob(STR(GC_ROOM_LARGE), strings_get(strings, c->comment)))
			continue;
		if (str_ends(name, STR(" before")))
			before = counter_value(c);
		else if (str_ends(name, STR(" after")))
			after = counter_value(c);
		else if (r->vain && c->interval == r->interval)
			r->regions = counter_value(c);
		if (!str_ends(name, STR(" size")))
			continue;
		r->n++;
		if (before - after >= ROOM_FREED * before || after >= ROOM_USED * counter_value(c))
			continue;
		r->vain++;
		r->after = after;
		r->size = counter_value(c);
		r->regions = 0;
		r->line = c->line;
		r->interval = c->interval;
	}
}

static void room_vain(const struct rule_input *in, struct findings *out, const struct room *r,
		      const struct room_large *large)
{
	bool is_lead = large->vain >= ROOM_VAIN_LEAD || r->longest->low >= ROOM_LEAD_NS;
	struct finding *f = finding_add(out, in, &rule_gc_no_room,
					is_lead ? FINDING_WARNING : FINDING_NOTE, ROOM_SURE);

	finding_claim(out, f,
		      "Full collections for a large object free almost nothing (%u of %u), and the "
		      "heap is not full: %.0f of %.0f MiB stay in use. The longest took %s",
		      large->vain, large->n, large->after, large->size, room_longest(out, r));
	f->is_kind = true;
	finding_figure(f, "pauses without room", (double)r->failed, 0, "");
	finding_figure(f, "free after the last one", large->size - large->after, 0, "MiB");
	if (large->regions > 0)
		finding_figure(f, "regions of large objects after it", large->regions, 0, "");
	finding_evidence(out, f, in, large->line, "the last one");
	finding_usual_cause(
		out, f,
		"An object of half a region of G1 or more (humongous) needs contiguous free "
		"regions. The free memory is in pieces: between large objects, which stay in "
		"their place, or unused at the end of their regions. Or the object is larger "
		"than the free memory");
	finding_because(out, f, "%s",
			large->vain >= ROOM_VAIN_LEAD ? "each line states its reason, the memory "
							"before, after, and the size of the heap\n"
							"the size of the object"
						      : "the line states its reason, the memory "
							"before, after, and the size of the heap\n"
							"whether the object then had room");
	finding_next(out, f,
		     "smaller arrays or buffers; a larger heap (-Xmx), or larger regions of it "
		     "(-XX:G1HeapRegionSize), so that fewer objects are large");
	finding_next(out, f,
		     "-Xlog:gc*,gc+humongous=debug: the size of each large object, and Humongous "
		     "regions; async-profiler -e alloc: who allocates them");
}

static void room_finding(const struct rule_input *in, struct findings *out, const struct room *r)
{
	struct str key = strings_get(capture_strings(in->capture), r->worst->key);
	const struct gc_failure *kind = gc_words_failure(key);
	struct finding *f = finding_add(
		out, in, &rule_gc_no_room,
		r->longest->low >= ROOM_LEAD_NS ? FINDING_WARNING : FINDING_NOTE, ROOM_SURE);

	room_claim(out, f, r, kind);
	f->is_kind = true;
	finding_evidence(out, f, in, r->longest->line, STR_FMT, STR_ARG(str_sub(key, 0, 128)));
	finding_cause(out, f, "%s", kind->cause);
	finding_because(out, f, "the collector prints the reason itself");
	finding_next(out, f, "%s", kind->next);
	finding_next(out, f, "async-profiler -e alloc: who allocates at that time");
}

static void room_check(const struct rule_input *in, struct findings *out)
{
	const struct distribution *d = in->capture->distribution;
	const struct strings *strings = capture_strings(in->capture);
	struct room r = { .pauses = 0 };
	struct room_large large = { .n = 0 };

	VEC_FOREACH (s, &d->series) {
		struct str name = strings_get(strings, s->name);
		bool is_pause = str_eq(name, STR("pause"));

		if (!is_pause && !str_eq(name, STR("allocation stall")))
			continue;
		r.pauses += is_pause ? s->count : 0;
		if (!gc_words_failure(strings_get(strings, s->key)))
			continue;
		*(is_pause ? &r.failed : &r.stalls) += s->count;
		room_add(d, s, &r);
	}
	room_add_large(in, &large);
	if (large.vain && str_glob(STR(GC_ROOM_LARGE), strings_get(strings, r.worst->key)))
		room_vain(in, out, &r, &large);
	else if (r.worst)
		room_finding(in, out, &r);
	else if (r.pauses)
		finding_clean(out, in, &rule_gc_no_room, "no pause failed for lack of room");
}

const struct rule rule_gc_no_room = {
	.id = "gc-no-room",
	.title = "Garbage collector out of room",
	.needs = RULE_DISTRIBUTION,
	.check = room_check,
	.is_measured = true,
};
