/* SPDX-License-Identifier: MIT */
/*
 * A collector had no room to move objects to: it fell back to a slow path, or to a collection of
 * the whole heap. The collector prints the reason in the line of the pause.
 *
 * Thresholds: one pause; a second or more is a warning. Sources: JDK 8
 * src/share/vm/gc_implementation/g1/g1CollectedHeap.cpp, concurrentMarkSweepGeneration.cpp.
 */
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <inttypes.h>
#include <math.h>

DECLARE_RULE(gc_no_room);

#define ROOM_LEAD_NS 1e9
#define ROOM_SURE    90u

static const struct {
	const char *pattern; /* in the name of a pause */
	const char *what;
	const char *cause;
	const char *next;
} room_kinds[] = {
	{ "*to-space*|*Evacuation Failure*", "no free region was left to copy survivors to",
	  "Objects survive or are promoted faster than old regions are freed: marking starts too "
	  "late, the heap is too small, or a burst allocates much",
	  "-XX:InitiatingHeapOccupancyPercent lower, -XX:G1ReservePercent or -Xmx higher" },
	/* src/hotspot/share/gc/g1/g1CollectedHeap.cpp, humongous_obj_allocate() */
	{ "Full*Humongous Allocation*", "no contiguous free regions were left for a large object",
	  "An object of half a region or more needs regions next to each other: the heap is full, "
	  "or its free regions are scattered",
	  "-XX:G1HeapRegionSize larger, so that fewer objects are humongous; smaller arrays; "
	  "-Xlog:gc+heap*=debug" },
	{ "*promotion failed*", "the old generation had no room for promoted objects",
	  "The old generation is full or fragmented when the young one promotes",
	  "-XX:CMSInitiatingOccupancyFraction lower, a larger old generation, or larger survivor "
	  "spaces" },
	{ "*concurrent mode failure*",
	  "the old generation was full before the concurrent collection ended",
	  "The program promotes faster than the concurrent collector frees: it starts too late, or "
	  "the heap is too small",
	  "-XX:CMSInitiatingOccupancyFraction lower, or a larger heap" },
};

static size_t room_kind(struct str key)
{
	size_t i = 0;

	while (i < ARRAY_LEN(room_kinds) && !str_glob(str_of(room_kinds[i].pattern), key))
		i++;
	return i;
}

static double room_longest(const struct distribution *d, const struct distribution_series *s)
{
	double longest = 0;

	for (uint32_t i = 0; i < s->n_buckets; i++) {
		const struct distribution_bucket *b = &d->buckets.data[s->first_bucket + i];

		if (!isinf(b->high) && b->low > longest)
			longest = b->low;
	}
	return longest;
}

static void room_check(const struct rule_input *in, struct findings *out)
{
	const struct distribution *d = in->capture->distribution;
	const struct strings *strings = capture_strings(in->capture);
	const struct distribution_series *worst = NULL;
	double longest = 0;
	uint64_t n = 0, pauses = 0;
	struct finding *f;
	size_t kind;

	VEC_FOREACH (s, &d->series) {
		if (!str_eq(strings_get(strings, s->name), STR("pause")))
			continue;
		pauses += s->count;
		if (room_kind(strings_get(strings, s->key)) == ARRAY_LEN(room_kinds))
			continue;
		n += s->count;
		if (!worst || room_longest(d, s) > longest) {
			worst = s;
			longest = room_longest(d, s);
		}
	}
	if (pauses == 0)
		return;
	if (!worst) {
		finding_clean(out, in, &rule_gc_no_room, "no pause failed for lack of room");
		return;
	}
	kind = room_kind(strings_get(strings, worst->key));
	f = finding_add(out, in, &rule_gc_no_room,
			longest >= ROOM_LEAD_NS ? FINDING_WARNING : FINDING_NOTE, ROOM_SURE);
	finding_claim(out, f,
		      "The garbage collector ran out of room in %" PRIu64 " of %" PRIu64
		      " pause%s, the longest %s: %s",
		      n, pauses, pauses == 1 ? "" : "s", finding_duration(out, (uint64_t)longest),
		      room_kinds[kind].what);
	f->is_kind = true;
	finding_figure(f, "pauses without room", (double)n, 0, "");
	finding_evidence(out, f, in, worst->line, STR_FMT,
			 STR_ARG(str_sub(strings_get(strings, worst->key), 0, 128)));
	finding_cause(out, f, "%s", room_kinds[kind].cause);
	finding_because(out, f, "the collector prints the reason itself");
	finding_next(out, f, "%s", room_kinds[kind].next);
	finding_next(out, f, "async-profiler -e alloc: who allocates at that time");
}

const struct rule rule_gc_no_room = {
	.id = "gc-no-room",
	.title = "Garbage collector out of room",
	.needs = RULE_DISTRIBUTION,
	.check = room_check,
	.is_measured = true,
};
