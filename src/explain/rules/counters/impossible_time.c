/* SPDX-License-Identifier: MIT */
/*
 * A load generator prints a negative duration, latency or rate, because its clock was set back
 * during the measurement. So no other time in its output can be trusted.
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/impossible_time_names.h"
#include "explain/rule.h"

#include <inttypes.h>

DECLARE_RULE(impossible_time);

#define IMPOSSIBLE_SURE 95u

static void impossible_finding(const struct rule_input *in, struct findings *out,
			       const struct counter *row, uint64_t n)
{
	const struct strings *strings = capture_strings(in->capture);
	struct str name = str_sub(strings_get(strings, row->name), 0, 64);
	struct str tool = strings_get(strings, in->capture->counters->tool);
	struct finding *f =
		finding_add(out, in, &rule_impossible_time, FINDING_WARNING, IMPOSSIBLE_SURE);

	finding_claim(out, f,
		      "The clock went back during the test: " STR_FMT " prints a negative " STR_FMT
		      " (%.*f " STR_FMT ")",
		      STR_ARG(tool), STR_ARG(name), row->decimals, counter_value(row),
		      STR_ARG(strings_get(strings, row->unit)));
	f->impact = 100;
	finding_figure(f, "figures below zero", (double)n, 0, "");
	finding_evidence(out, f, in, row->line, STR_FMT, STR_ARG(name));
	finding_usual_cause(out, f,
			    "The time of day was set back, or differs between CPUs: a step of NTP, "
			    "a virtual machine that was moved or paused, or an unstable TSC");
	finding_because(out, f, "no duration and no rate is below zero");
	finding_next(out, f,
		     "dmesg: 'clocksource', 'TSC unstable'; chronyc tracking, timedatectl: "
		     "when was the clock set");
	finding_next(out, f,
		     "measure again with a steady clock; do not quote times of this output");
}

static void impossible_check(const struct rule_input *in, struct findings *out)
{
	const struct strings *strings = capture_strings(in->capture);
	const struct counter *first = NULL;
	uint64_t n = 0, all = 0;

	if (!str_glob(STR(LOAD_TOOLS), strings_get(strings, in->capture->counters->tool)))
		return;
	VEC_FOREACH (row, &in->capture->counters->rows) {
		if (!str_glob(STR(POSITIVE_FIGURES), strings_get(strings, row->name)))
			continue;
		all++;
		if (row->value >= 0)
			continue;
		first = first ? first : row;
		n++;
	}
	if (first)
		impossible_finding(in, out, first, n);
	else if (all)
		finding_clean(out, in, &rule_impossible_time, "no time or rate is below zero");
	else
		finding_not_assessed(out, in, &rule_impossible_time,
				     "the whole output of the load generator",
				     "it has no time and no rate");
}

const struct rule rule_impossible_time = {
	.id = "impossible-time",
	.title = "The clock went back during a measurement",
	.needs = RULE_COUNTERS,
	.check = impossible_check,
	.is_measured = true,
};
