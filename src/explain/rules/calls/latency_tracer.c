/* SPDX-License-Identifier: MIT */
/*
 * A latency trace was recorded while the function tracer was on. Recording each function takes
 * time, and the measured latency includes this time.
 *
 * Thresholds: at least ten functions, each within ten microseconds of the previous one. The tracer
 * takes 0.1 to 0.5 us per function. With less than 1 us between functions, that is a large part of
 * the latency.
 */
#include "explain/rule.h"

#include "analyses/slow/latency_section.h"
#include "base/str.h"
#include "core/calls.h"
#include "core/capture.h"
#include "explain/facts.h"
#include "explain/findings.h"

#include <math.h>

DECLARE_RULE(latency_tracer);

#define LATENCY_LEAST   10u
#define LATENCY_NEAR_NS 10000u
/*
 * If the mean time from one traced function to the next is below this, ns, the cost of tracing
 * matters.
 */
#define LATENCY_DENSE 1000.0
/* Time to record one function, nanoseconds: lower and upper bound. */
#define LATENCY_COST_LO 100.0
#define LATENCY_COST_HI 500.0

/*
 * The number of records that the header prints, "168/168"; 0: not printed. The text may have fewer
 * records, if its author removed some.
 */
static uint64_t latency_records(const struct capture *c)
{
	struct str entries = capture_note_of(c, STR("entries in buffer, written"));
	uint64_t n;

	return str_u64(&entries, &n) ? n : 0;
}

static void latency_tracer_check(const struct rule_input *in, struct findings *out)
{
	const struct calls *c = in->capture->calls;
	uint64_t near = 0;
	uint64_t span = 0;
	uint64_t records = latency_records(in->capture);
	struct latency_section section;
	double each;
	double low, high;
	struct finding *f;

	if (latency_kind_of(in->capture) == LATENCY_NONE)
		return;
	if (c->n < LATENCY_LEAST || c->start_ns.len != c->n) {
		finding_not_assessed(out, in, &rule_latency_tracer,
				     "the same trace with options/function-trace off",
				     "this latency trace has fewer than %u functions with a time",
				     LATENCY_LEAST);
		return;
	}
	for (uint32_t i = 1; i < c->n; i++) {
		uint64_t before = c->start_ns.data[i - 1];
		uint64_t now = c->start_ns.data[i];

		if (before == UINT64_MAX || now == UINT64_MAX || now < before ||
		    now - before > LATENCY_NEAR_NS)
			continue;
		near++;
		span += now - before;
	}
	each = near ? (double)span / (double)near : 0;
	if (records > c->n && latency_section_find(in->capture, &section))
		each = (double)section.ns / (double)records;
	else
		records = c->n;
	if (records == c->n && near + 1 < LATENCY_LEAST) {
		finding_clean(out, in, &rule_latency_tracer,
			      "%llu of %u functions begin at most 10 \xc2\xb5s after the previous "
			      "one: too few for a part of the latency",
			      (unsigned long long)near, (unsigned int)c->n);
		return;
	}
	if (each <= 0) {
		finding_not_assessed(out, in, &rule_latency_tracer,
				     "the same trace with options/function-trace off",
				     "all functions of the trace have the same time");
		return;
	}
	if (each > LATENCY_DENSE) {
		finding_clean(out, in, &rule_latency_tracer,
			      "one function is recorded every %.3f \xc2\xb5s: the recording itself "
			      "is the smaller part",
			      each / 1000);
		return;
	}
	low = fmin(100, LATENCY_COST_LO / each * 100);
	high = fmin(100, LATENCY_COST_HI / each * 100);
	f = finding_add(out, in, &rule_latency_tracer, FINDING_WARNING, 80);
	f->impact = low;
	finding_claim(out, f,
		      "The function tracer is part of this latency: %llu functions are recorded%s, "
		      "one every %.2f \xc2\xb5s, and each record costs 0.1 to 0.5 \xc2\xb5s",
		      (unsigned long long)records,
		      records > c->n ? finding_name(out, " (%u are shown)", (unsigned int)c->n)
				     : "",
		      each / 1000);
	finding_figure(f, "functions recorded", (double)records, 0, "");
	finding_figure(f, "time between two records", each, 0, "ns");
	finding_figure(f, "share that may be the tracer", (high + low) / 2, (high - low) / 2, "%");
	finding_evidence(out, f, in, c->line.data[0], STR_FMT ", the first",
			 STR_ARG(facts_name(in->facts, c->sym.data[0])));
	finding_evidence(out, f, in, c->line.data[c->n - 1], STR_FMT ", the last",
			 STR_ARG(facts_name(in->facts, c->sym.data[c->n - 1])));
	finding_cause(out, f,
		      "With function-trace on, latency tracers also record functions. The section "
		      "is real, its length is not");
	finding_because(out, f, "the cost of one record is known for common machines only");
	finding_next(
		out, f,
		"echo 0 > /sys/kernel/tracing/options/function-trace: a trace without it has the "
		"length between the same two ends");
}

const struct rule rule_latency_tracer = {
	.id = "latency-tracer",
	.title = "Tracing overhead in a latency",
	.needs = RULE_CALLS,
	.check = latency_tracer_check,
};
