/* SPDX-License-Identifier: MIT */
/*
 * /proc/buddyinfo shows that the free memory of a zone consists of small blocks only.
 *
 * Thresholds: the zone has 64 MiB free, and at most 1 % of it in blocks of 64 KiB or more (order
 * 4). With less free memory, high orders are empty because the memory is in use, and not because it
 * is fragmented. For requests up to order 3 (PAGE_ALLOC_COSTLY_ORDER) the kernel tries hard to make
 * a block.
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <inttypes.h>

DECLARE_RULE(fragmented_memory);

#define FRAGMENT_ORDER 4u
#define FRAGMENT_LEAST (UINT64_C(64) << 20)
#define FRAGMENT_PCT   1.0
#define FRAGMENT_PAGE  4096u
#define FRAGMENT_ZONES 64u
#define FRAGMENT_SURE  75u

struct fragment_zone {
	str_id key;
	uint32_t line;
	double all, large; /* free bytes in all blocks, and in blocks of FRAGMENT_ORDER or more */
};

static size_t fragment_zones(const struct rule_input *in, struct fragment_zone *zones)
{
	const struct strings *strings = capture_strings(in->capture);
	size_t n = 0;

	VEC_FOREACH (row, &in->capture->counters->rows) {
		struct str name = strings_get(strings, row->name);
		struct fragment_zone *z = NULL;
		uint64_t order;
		double bytes;

		if (!str_take(&name, STR("order ")) || !str_u64(&name, &order) || order > 20)
			continue;
		for (size_t i = 0; i < n && !z; i++)
			z = zones[i].key.v == row->key.v && zones[i].line == row->line ? &zones[i]
										       : NULL;
		if (!z) {
			if (n == FRAGMENT_ZONES)
				break;
			z = &zones[n++];
			*z = (struct fragment_zone){ .key = row->key, .line = row->line };
		}
		bytes = counter_value(row) * (double)(UINT64_C(1) << order) * FRAGMENT_PAGE;
		z->all += bytes;
		z->large += order >= FRAGMENT_ORDER ? bytes : 0;
	}
	return n;
}

static void fragment_finding(const struct rule_input *in, struct findings *out,
			     const struct fragment_zone *z)
{
	struct str zone = strings_get(capture_strings(in->capture), z->key);
	double pct = z->large / z->all * 100;
	struct finding *f =
		finding_add(out, in, &rule_fragmented_memory, FINDING_WARNING, FRAGMENT_SURE);

	finding_claim(out, f,
		      "Free memory is fragmented in the zone '" STR_FMT
		      "': %.1f %% of the free %.0f MiB is in blocks of 64 KiB or more",
		      STR_ARG(zone), pct, z->all / 1048576);
	finding_figure(f, "free in blocks of 64 KiB or more", pct, 0, "%");
	finding_evidence(out, f, in, z->line, "zone " STR_FMT, STR_ARG(zone));
	finding_usual_cause(
		out, f,
		"Pages of the kernel, which cannot be moved, lie between free ones; many "
		"small buffers of network or file systems do so. Allocations of several "
		"pages fail or compact memory first, and huge pages are not available");
	finding_because(out, f,
			"the blocks are counted, with pages of 4 KiB\n"
			"whether anybody asks for large blocks");
	finding_next(out, f,
		     "grep -E 'compact_stall|compact_fail|thp_fault_fallback' /proc/vmstat, twice: "
		     "does anybody wait for large blocks");
	finding_next(out, f, "cat /proc/pagetypeinfo: unmovable pages; raise vm.min_free_kbytes");
}

static void fragmented_memory_check(const struct rule_input *in, struct findings *out)
{
	struct fragment_zone zones[FRAGMENT_ZONES];
	struct str tool = strings_get(capture_strings(in->capture), in->capture->counters->tool);
	const struct fragment_zone *worst = NULL;
	size_t n, n_judged = 0;

	if (!str_eq(tool, STR("/proc/buddyinfo")))
		return;
	n = fragment_zones(in, zones);
	for (size_t i = 0; i < n; i++) {
		if (zones[i].all < (double)FRAGMENT_LEAST)
			continue;
		n_judged++;
		if (zones[i].large * 100 <= zones[i].all * FRAGMENT_PCT &&
		    (!worst || zones[i].all > worst->all))
			worst = &zones[i];
	}
	if (worst)
		fragment_finding(in, out, worst);
	else if (n_judged)
		finding_clean(out, in, &rule_fragmented_memory,
			      "zones with 64 MiB free have large blocks, too");
	else
		finding_not_assessed(out, in, &rule_fragmented_memory,
				     "read it again while more memory is free",
				     "no zone has 64 MiB free");
}

const struct rule rule_fragmented_memory = {
	.id = "fragmented-memory",
	.title = "Free memory is fragmented",
	.needs = RULE_COUNTERS,
	.check = fragmented_memory_check,
	.is_measured = true,
};
