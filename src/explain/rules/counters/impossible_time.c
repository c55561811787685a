/* SPDX-License-Identifier: MIT */
/*
 * A load generator prints a negative duration, latency or rate, because its clock was set back
 * during the measurement. So no other time in its output can be trusted.
 *
 * Or a total of pressure stall information (PSI) is longer than any machine has run. PSI is in
 * Linux since 4.20 (2018): 20 years and more of stalls are garbage.
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
#include <math.h>

DECLARE_RULE(impossible_time);

#define IMPOSSIBLE_SURE  95u
#define IMPOSSIBLE_YEARS 20.0
#define IMPOSSIBLE_CALM  1.0 /* averages below this show hardly any stall, percent */
#define YEAR_S           (365.25 * 24 * 3600)

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

/* Highest average of PSI in the table, percent; NaN: none is printed. */
static double impossible_average(const struct rule_input *in)
{
	const struct strings *strings = capture_strings(in->capture);
	double most = (double)NAN;

	VEC_FOREACH (row, &in->capture->counters->rows) {
		if (str_glob(STR("avg10|avg60|avg300"), strings_get(strings, row->name)))
			most = fmax(most, counter_value(row));
	}
	return most;
}

/* Judge the totals of /proc/pressure. */
static void impossible_total(const struct rule_input *in, struct findings *out)
{
	const struct strings *strings = capture_strings(in->capture);
	const struct counter *worst = NULL;
	double average = impossible_average(in);
	struct finding *f;
	double years;
	uint64_t n = 0;

	VEC_FOREACH (row, &in->capture->counters->rows) {
		if (!str_eq(strings_get(strings, row->name), STR("total")) || row->decimals ||
		    counter_value(row) / 1e6 < IMPOSSIBLE_YEARS * YEAR_S)
			continue;
		n++;
		worst = !worst || row->value > worst->value ? row : worst;
	}
	if (!worst) {
		finding_clean(out, in, &rule_impossible_time,
			      "no total of stalls is longer than 20 years");
		return;
	}
	years = counter_value(worst) / 1e6 / YEAR_S;
	f = finding_add(out, in, &rule_impossible_time, FINDING_WARNING, IMPOSSIBLE_SURE);
	finding_claim(
		out, f,
		"A total of pressure (PSI) is impossible: %.0f years of stalls, longer than any "
		"machine has run%s",
		years,
		average < IMPOSSIBLE_CALM
			? finding_name(out,
				       ". The averages show hardly any stall (at most "
				       "%.2f %%)",
				       average)
			: "");
	f->impact = 100;
	finding_figure(f, "largest total", counter_value(worst), 0, "us");
	finding_figure(f, "impossible totals", (double)n, 0, "");
	finding_evidence(out, f, in, worst->line, STR_FMT,
			 STR_ARG(str_sub(strings_get(strings, worst->key), 0, 100)));
	finding_usual_cause(
		out, f,
		"The counter began with a value that was never set, or was corrupted: a "
		"bug of the kernel. Programs that read totals (systemd-oomd) act on "
		"garbage. Averages come from differences, so they are right again after "
		"some minutes");
	finding_because(out, f, "Linux counts these stalls since 2018, so 20 years cannot be");
	finding_next(out, f,
		     "read the total twice, 10 s apart: only its growth counts; then another "
		     "version of the kernel");
}

static void impossible_check(const struct rule_input *in, struct findings *out)
{
	const struct strings *strings = capture_strings(in->capture);
	const struct counter *first = NULL;
	uint64_t n = 0, all = 0;

	if (str_eq(strings_get(strings, in->capture->counters->tool), STR("/proc/pressure"))) {
		impossible_total(in, out);
		return;
	}
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
	.title = "Impossible times",
	.needs = RULE_COUNTERS,
	.check = impossible_check,
	.is_measured = true,
};
