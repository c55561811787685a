/* SPDX-License-Identifier: MIT */
/*
 * Call chains end at an address where no code is. The unwinder followed frame pointers through code
 * that does not save them, so the outer frames are random values from the stack.
 *
 * Threshold: a tenth of the chains. "assay info" uses the same limit for the quality of a profile.
 * Assembler and start-up code break a few chains in every recording.
 */
#include "explain/signatures/signature.h"

#include "analyses/event_unit.h"
#include "analyses/quality/quality.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/profile.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(broken_chains);

#define BROKEN_PCT  10.0
#define BROKEN_LEAD 50.0

static void broken_finding(const struct rule_input *in, struct findings *out,
			   const struct quality_chains *chains, double pct)
{
	struct finding *f = finding_add(out, in, &rule_broken_chains, FINDING_NOTE,
					pct >= BROKEN_LEAD ? 98 : 85);
	struct str example = facts_short_name(in->facts, chains->example, 96);

	f->is_kind = true;
	finding_claim(
		out, f,
		"Call chains are broken: %llu of %llu end where no code is mapped (such as " STR_FMT
		"). Do not trust their outermost callers",
		(unsigned long long)chains->broken, (unsigned long long)chains->all,
		STR_ARG(example));
	finding_usual_cause(out, f,
			    "The unwinder followed frame pointers through code built without them");
	finding_because(out, f, "no code can have such an address");
	finding_figure(f, "broken call chains", pct, 0, "%");
	finding_evidence(out, f, in, chains->line, "broken chain");
	finding_next(
		out, f,
		"perf record --call-graph dwarf (or lbr): correct chains end in main; or build "
		"with -fno-omit-frame-pointer");
}

static void broken_check(const struct rule_input *in, struct findings *out)
{
	struct quality_chains chains;
	double pct;

	if (in->profile->functions.len == 0)
		return;
	quality_chains_of(in->capture, &chains);
	if (chains.all == 0 && in->capture->profile->table.nodes.len) {
		finding_not_assessed(
			out, in, &rule_broken_chains, "perf report --stdio -g callee",
			"the call trees begin with the callers, so broken ends are not visible");
		return;
	}
	if (chains.all == 0) {
		bool has_children = str_eq(str_of(in->capture->format), STR("perf-report")) &&
				    in->capture->profile->table.columns & ROW_HAS_CHILDREN;

		finding_not_assessed(
			out, in, &rule_broken_chains,
			has_children ? "perf report --stdio -g caller" : "perf record -g",
			has_children ? "the text has no call trees" : "no call chains");
		return;
	}
	pct = 100 * (double)chains.broken / (double)chains.all;
	if (pct >= BROKEN_PCT)
		broken_finding(in, out, &chains, pct);
	else
		finding_clean(out, in, &rule_broken_chains,
			      "%.1f %% of the call chains end where no code is mapped", pct);
}

const struct rule rule_broken_chains = {
	.id = "broken-chains",
	.title = "Broken call chains",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_ANY,
	.check = broken_check,
	.is_about_data = true,
	.doubt = "broken-chains",
};
