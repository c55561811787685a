/* SPDX-License-Identifier: MIT */
/*
 * A log prints the durations of several steps, and then the long duration of the whole operation.
 * The finding names the longest step, and the time that no step explains.
 *
 * Thresholds: an operation of 100 ms, which users notice, is a note; 1 s, which exceeds usual time
 * limits, is a warning. The steps must take at least half of the operation: otherwise they do not
 * explain it.
 */
#include "explain/words/log_words.h"

#include "analyses/logs/log_durations.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(duration_parts);

#define PARTS_NS      UINT64_C(100000000)
#define PARTS_LEAD_NS UINT64_C(1000000000)
#define PARTS_PCT     50.0
#define PARTS_SURE    75u

static const struct log_duration *parts_largest(const struct log_durations *d)
{
	const struct log_duration *ret = &d->rows.data[d->parts.data[0]];

	VEC_FOREACH (part, &d->parts) {
		if (d->rows.data[*part].ns > ret->ns)
			ret = &d->rows.data[*part];
	}
	return ret;
}

static void parts_finding(const struct rule_input *in, struct findings *out,
			  const struct log_durations *d)
{
	const struct log_duration *whole = &d->rows.data[d->whole];
	const struct log_duration *largest = parts_largest(d);
	double all = (double)whole->ns / 1e6;
	double sum = (double)d->sum_ns / 1e6;
	double rest = all > sum ? all - sum : 0;
	struct finding *f = finding_add(out, in, &rule_duration_parts,
					whole->ns >= PARTS_LEAD_NS ? FINDING_WARNING : FINDING_NOTE,
					PARTS_SURE);
	const char *terms = "";
	uint64_t end;
	size_t n = 0;

	for (size_t i = d->parts.len; i-- > 0 && n < LOG_EVIDENCE_MAX; n++)
		terms = finding_name(out, "%s%s%.6g ms", terms, n ? " + " : "",
				     (double)d->rows.data[d->parts.data[i]].ns / 1e6);
	finding_claim(out, f,
		      "One step takes %.6g of %.6g ms (%.1f %%): '" STR_FMT "'. %s%s, %s%.6g of "
		      "%.6g ms; %.6g ms are in no printed part",
		      (double)largest->ns / 1e6, all, log_words_pct((double)largest->ns / 1e6, all),
		      STR_ARG(largest->what), terms, d->parts.len > n ? " + …" : "",
		      d->parts.len > 1 ? "together " : "", sum, all, rest);
	finding_figure(f, "whole", all, (double)whole->half_ns / 1e6, "ms");
	finding_figure(f, "largest part", (double)largest->ns / 1e6, (double)largest->half_ns / 1e6,
		       "ms");
	finding_figure(f, "sum of the parts", sum, (double)(d->half_ns - whole->half_ns) / 1e6,
		       "ms");
	finding_figure(f, "in no part", rest, (double)d->half_ns / 1e6, "ms");
	log_words_cite(out, f, in, largest->record);
	for (size_t i = 0; i < d->parts.len && i < LOG_EVIDENCE_MAX; i++) {
		if (d->rows.data[d->parts.data[i]].record != largest->record)
			log_words_cite(out, f, in, d->rows.data[d->parts.data[i]].record);
	}
	log_words_cite(out, f, in, whole->record);
	end = log_words_record(in, largest->record)->time_ns;
	log_words_meanwhile(out, f, in, log_words_record(in, largest->record)->stream,
			    end > largest->ns ? end - largest->ns : 0, end);
	finding_cause(out, f,
		      "This step takes most of the longer duration, of all that the log "
		      "measures in it");
	finding_because(out, f,
			"the parts lie in the longer duration by their times and do not overlap");
	finding_next(
		out, f,
		"top -H -p PID while this step runs: does it use a CPU? Then perf record -g -p "
		"PID; else the stack of its thread (gdb, jstack, py-spy dump)");
}

static void parts_check(const struct rule_input *in, struct findings *out)
{
	struct log_durations d;

	log_durations_init(&d, in->capture);
	if (d.whole != INDEX_NONE && d.rows.data[d.whole].ns >= PARTS_NS &&
	    (double)d.sum_ns >= (double)d.rows.data[d.whole].ns * PARTS_PCT / 100)
		parts_finding(in, out, &d);
	else if (d.whole != INDEX_NONE)
		finding_clean(out, in, &rule_duration_parts,
			      "no printed duration of 100 ms has half of it in printed parts");
	log_durations_fini(&d);
}

static const char *const parts_explains[] = { "long-poll", "long-duration", NULL };

const struct rule rule_duration_parts = {
	.id = "duration-parts",
	.title = "Parts of a long duration",
	.needs = RULE_LOG,
	.explains = parts_explains,
	.check = parts_check,
};
