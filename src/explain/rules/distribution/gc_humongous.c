/* SPDX-License-Identifier: MIT */
/*
 * Large objects trigger the collections of G1. An object of half a region or more ("humongous") is
 * allocated in the old generation. Each such allocation may begin a concurrent cycle with a young
 * collection.
 *
 * Thresholds: large objects trigger at least three young collections, and at least a quarter of
 * all. So a single large buffer is no finding. Source: src/hotspot/share/gc/g1/g1CollectedHeap.cpp,
 * attempt_allocation_humongous().
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <inttypes.h>

DECLARE_RULE(gc_humongous);

#define HUMONGOUS_LEAST 3u
#define HUMONGOUS_PCT   25.0
#define HUMONGOUS_SURE  90u

static void humongous_finding(const struct rule_input *in, struct findings *out, uint64_t large,
			      uint64_t young, uint32_t line)
{
	double share = 100 * (double)large / (double)young;
	struct finding *f = finding_add(out, in, &rule_gc_humongous, FINDING_NOTE, HUMONGOUS_SURE);

	finding_claim(out, f,
		      "Large objects start %.0f %% of the young collections: %" PRIu64
		      " of %" PRIu64,
		      share, large, young);
	finding_figure(f, "collections for a large object", (double)large, 0, "");
	finding_evidence(out, f, in, line, "the first");
	finding_cause(out, f,
		      "The program allocates objects of half a region of G1 or more (long arrays, "
		      "buffers): each takes whole regions of the old generation and may start a "
		      "marking cycle");
	finding_because(out, f, "the collector prints the reason of each collection");
	finding_next(
		out, f,
		"-XX:G1HeapRegionSize larger (up to 32m; a small heap then needs to grow, too), so "
		"that fewer objects are large");
	finding_next(out, f, "async-profiler -e alloc: who allocates arrays of that size");
}

static void humongous_check(const struct rule_input *in, struct findings *out)
{
	const struct strings *strings = capture_strings(in->capture);
	uint64_t young = 0, large = 0;
	uint32_t line = 0;

	VEC_FOREACH (s, &in->capture->distribution->series) {
		struct str key = strings_get(strings, s->key);

		if (!str_eq(strings_get(strings, s->name), STR("pause")) ||
		    !str_starts(key, STR("Young")))
			continue;
		young += s->count;
		if (!str_contains(key, STR("G1 Humongous Allocation")))
			continue;
		large += s->count;
		line = line && line < s->line ? line : s->line;
	}
	if (young == 0)
		return;
	if (large >= HUMONGOUS_LEAST && 100 * (double)large >= HUMONGOUS_PCT * (double)young)
		humongous_finding(in, out, large, young, line);
	else
		finding_clean(out, in, &rule_gc_humongous,
			      "%" PRIu64 " of %" PRIu64
			      " young collections were started by a large object",
			      large, young);
}

/* rule gc-pauses also counts these pauses, so its finding may be a consequence of this one */
static const char *const humongous_explains[] = { "gc-pauses", NULL };

const struct rule rule_gc_humongous = {
	.id = "gc-humongous",
	.title = "Large objects start garbage collections",
	.needs = RULE_DISTRIBUTION,
	.explains = humongous_explains,
	.check = humongous_check,
	.is_measured = true,
};
