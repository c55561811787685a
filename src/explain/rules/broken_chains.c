/* SPDX-License-Identifier: MIT */
/*
 * Call chains that end where no code can be: frame pointers were followed
 * through code that keeps none. The outer frames are values from the stack.
 *
 * Threshold: a tenth of the chains, as in the verdict on the data; a few come
 * from assembler and start-up code everywhere.
 */
#include "explain/signature.h"

#include "analyses/quality.h"

#define BROKEN_PCT  10.0
#define BROKEN_LEAD 50.0

static void broken_check(const struct rule_input *in, struct findings *out)
{
	struct quality q = { 0 };
	double pct = 0;
	bool has_chains = true;

	if (in->profile->functions.len == 0)
		return;
	quality_of(in->capture, in->profile->cats, &q);
	VEC_FOREACH (r, &q.reasons) {
		struct finding *f;

		if (str_eq(str_of(r->id), STR("no-chains")))
			has_chains = false;
		if (!str_eq(str_of(r->id), STR("broken-chains")))
			continue;
		pct = r->figure;
		if (pct < BROKEN_PCT)
			continue;
		f = finding_add(out, in, &rule_broken_chains, FINDING_NOTE,
				pct >= BROKEN_LEAD ? 98 : 85);
		finding_claim(out, f, STR_FMT, STR_ARG(r->sentence));
		finding_cause(out, f,
			      "frame pointers were followed through code built without them");
		finding_because(out, f, "nothing is mapped there: no code has such an address");
		finding_figure(f, "chains that end there", pct, 0, "%");
		finding_evidence(out, f, in, r->line, "such a chain");
		finding_next(out, f,
			     "perf record --call-graph dwarf (or lbr), or build with "
			     "-fno-omit-frame-pointer; until then trust no user caller");
	}
	if (!has_chains)
		finding_not_assessed(out, in, &rule_broken_chains, "perf record -g",
				     "there are no call chains");
	else if (pct < BROKEN_PCT)
		finding_clean(out, in, &rule_broken_chains,
			      "%.1f %% of the call chains end where no code can be", pct);
	quality_fini(&q);
}

const struct rule rule_broken_chains = {
	.id = "broken-chains",
	.title = "outer frames of call chains are not callers",
	.needs = RULE_PROFILE,
	.check = broken_check,
};
