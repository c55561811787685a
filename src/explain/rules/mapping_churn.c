/* SPDX-License-Identifier: MIT */
/*
 * Address space is mapped and unmapped all the time: each use creates and removes a mapping, or
 * large areas are released.
 *
 * Thresholds, of the non-idle time: programs that keep their memory show below 2 %.
 */
#include "explain/signature.h"

#include "analyses/event_unit.h"
#include "explain/facts.h"
#include "explain/mapping_churn_names.h"
#include "explain/rule.h"

DECLARE_RULE(mapping_churn);

#define MAPPING_CHURN_NOTE_PCT 6.0
#define MAPPING_CHURN_LEAD_PCT 15.0

/* One of these is required: pages are also unmapped at exit and in reclaim. */
#define MAPPING_CALLS MAPPING_UNDER "|" MAPPING_OTHERS

static const struct signature mapping_churn = {
	.functions = MAPPING_FUNCTIONS,
	.needs = MAPPING_CALLS,
	.under = MAPPING_UNDER,
	.note_pct = MAPPING_CHURN_NOTE_PCT,
	.lead_pct = MAPPING_CHURN_LEAD_PCT,
	.sure_note = 60,
	.sure_lead = 76,
	.what = "is mapping and unmapping memory",
	.name = "mapping and unmapping",
	.cause = "Mappings are created and removed often, or large areas are unmapped",
	.because = "functions of mmap() and munmap() are in the profile",
	.next = { "perf trace -s -p PID sleep 5: how many mmap and munmap",
		  "map once and keep the mapping; raise MALLOC_MMAP_THRESHOLD_ and "
		  "MALLOC_TRIM_THRESHOLD_" },
};

/* The same functions without mmap() or munmap(). */
static const struct signature mapping_end = {
	.functions = MAPPING_FUNCTIONS,
	.note_pct = MAPPING_CHURN_NOTE_PCT,
	.lead_pct = MAPPING_CHURN_LEAD_PCT,
	.sure_note = 55,
	.sure_lead = 60,
	.is_minor = true,
	.what = "is page tables and unmapping of pages",
	.name = "mapping and unmapping",
	.cause = "A process ends, memory is returned, or pages are unmapped for reclaim or "
		 "migration. The profile cannot tell which",
	.because = "these functions run in all of these cases; neither mmap() nor munmap() is in "
		   "the profile",
	.next = { "perf record -a -g sleep 10: callers such as exit_mmap, madvise or reclaim",
		  "perf trace -s -p PID sleep 5: how many mmap, munmap, madvise, exit" },
};

static void mapping_churn_check(const struct rule_input *in, struct findings *out)
{
	const struct signature *s = &mapping_churn;
	struct signature_share share;

	if (in->profile->functions.len == 0 || !signature_can_judge(in, out, &rule_mapping_churn))
		return;
	share = signature_measure(in, s);
	if (!share.has_needs) {
		s = &mapping_end;
		share = signature_measure(in, s);
	}
	if (!signature_find(in, out, &rule_mapping_churn, s, &share))
		signature_rule_out(in, out, &rule_mapping_churn, s, &share);
}

const struct rule rule_mapping_churn = {
	.id = "mapping-churn",
	.title = "Memory mapping churn",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &mapping_churn,
	.check = mapping_churn_check,
};
