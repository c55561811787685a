/* SPDX-License-Identifier: MIT */
/*
 * Memory ran out before the garbage collector was done. So it used a slow path, collected the whole
 * heap, or made threads wait. The log prints the reason in the line of the pause or stall.
 *
 * Thresholds: a single such pause or stall is a note. If the longest one takes a second or more, it
 * is a warning. Sources: gc-no-room.names.
 */
#include "base/number.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/gc_words.h"

#include <inttypes.h>
#include <math.h>

DECLARE_RULE(gc_no_room);

#define ROOM_LEAD_NS 1e9
#define ROOM_SURE    90u

/* Pauses and stalls of a log. */
struct room {
	uint64_t pauses, failed; /* number of pauses; number of pauses because memory ran out */
	uint64_t stalls;         /* number of times that a thread waited for memory */
	/* the longest stall, or pause because memory ran out: its bucket and series; NULL: none */
	const struct distribution_bucket *longest;
	const struct distribution_series *worst;
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

static void room_claim(struct findings *out, struct finding *f, const struct room *r,
		       const struct gc_failure *kind)
{
	const char *longest = finding_duration(out, number_whole(r->longest->low));

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
	if (r.worst)
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
