/* SPDX-License-Identifier: MIT */
/*
 * The old generation of a JVM stays full although full collections run: if they free nothing, each
 * allocation needs the next one. The input is a series of jstat -gcutil or jstat -gc.
 *
 * Thresholds: one full collection between the first and the last row, after which the old
 * generation is still 90 % full, is a note, and a warning if the full collections take a second in
 * all. Full collections that take a second are a note in any case. Sources: JDK, jstat(1); HotSpot
 * Virtual Machine Garbage Collection Tuning Guide, "java.lang.OutOfMemoryError: GC Overhead limit
 * exceeded".
 */
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(old_generation_full);

#define OLD_FULL    90.0 /* percent */
#define OLD_NOTE_S  1.0  /* seconds of full collections in all */
#define OLD_SURE    85u
#define OLD_COMMAND "jstat -gcutil PID 1000 10"

/* The series; NaN: not printed. */
struct old_series {
	double count, seconds; /* full collections between the first and the last row */
	double least;          /* smallest use of the old generation after the first row, percent */
	const struct counter *last; /* the last number of full collections */
	bool is_restarted;          /* a number of a row is below that of the previous row */
};

/* The value of column @name in the interval @i; NaN: it is not printed. */
static double old_value(const struct rule_input *in, const char *name, uint32_t i,
			const struct counter **ret)
{
	const struct strings *strings = capture_strings(in->capture);

	VEC_FOREACH (row, &in->capture->counters->rows) {
		if (row->interval != i || !str_eq(strings_get(strings, row->name), str_of(name)))
			continue;
		if (ret)
			*ret = row;
		return counter_value(row);
	}
	return NAN;
}

/*
 * Is a sum since the start of the JVM smaller in the interval @i than in the previous one? Then it
 * is of another JVM.
 */
static bool old_is_other(const struct rule_input *in, uint32_t i)
{
	static const char *const sums[] = { "YGC", "YGCT", "FGC", "FGCT" };

	for (size_t k = 0; k < ARRAY_LEN(sums); k++) {
		if (old_value(in, sums[k], i, NULL) < old_value(in, sums[k], i - 1, NULL))
			return true;
	}
	return false;
}

/* Use of the old generation in the interval @i, percent: column O, or OU of OC. */
static double old_use(const struct rule_input *in, uint32_t i)
{
	double o = old_value(in, "O", i, NULL);

	return isnan(o) ? 100 * old_value(in, "OU", i, NULL) / old_value(in, "OC", i, NULL) : o;
}

static void old_gather(const struct rule_input *in, struct old_series *s)
{
	uint32_t end = in->capture->counters->n_intervals - 1;

	s->count = old_value(in, "FGC", end, &s->last) - old_value(in, "FGC", 0, NULL);
	s->seconds = old_value(in, "FGCT", end, NULL) - old_value(in, "FGCT", 0, NULL);
	for (uint32_t i = 1; i <= end; i++) {
		double use = old_use(in, i);

		s->least = isnan(s->least) || use < s->least ? use : s->least;
		s->is_restarted |= old_is_other(in, i);
	}
}

static void old_finding(const struct rule_input *in, struct findings *out,
			const struct old_series *s, bool is_full)
{
	bool is_long = is_full && s->seconds >= OLD_NOTE_S;
	struct finding *f = finding_add(out, in, &rule_old_generation_full,
					is_long ? FINDING_WARNING : FINDING_NOTE, OLD_SURE);

	if (is_full)
		finding_claim(
			out, f,
			"The old generation is at least %.*f %% full in each row after the first, "
			"although "
			"%.0f full collection%s of %.2f s%s ran",
			s->least > 99.94 ? 2 : 1, s->least, s->count, s->count > 1 ? "s" : "",
			s->seconds / s->count, s->count > 1 ? " each" : "");
	else
		finding_claim(out, f, "%.0f full collection%s between the rows took %.2f s in all",
			      s->count, s->count > 1 ? "s" : "", s->seconds);
	finding_figure(f, "full collections", s->count, 0, "");
	finding_figure(f, "time of full collections", s->seconds, 0, "s");
	finding_evidence(out, f, in, s->last->line, "FGC");
	finding_usual_cause(
		out, f, "%s",
		is_full ? "Live objects fill the old generation: a leak, a cache without "
			  "limit, or a heap that is too small (-Xmx). All threads stop during "
			  "each full collection"
			: "Objects live long enough to reach the old generation, or the "
			  "program asks for full collections (System.gc())");
	finding_because(out, f,
			"the JVM counts them\n"
			"how full it was just after each of them, which objects stay, and "
			"whether the heap may still grow");
	finding_next(out, f, "jmap -histo:live PID, twice, minutes apart: which class grows");
	finding_next(out, f,
		     "jstat -gccause PID 1000: the cause of the last collection; with CMS, FGC "
		     "counts two for each concurrent cycle");
}

static void old_generation_full_check(const struct rule_input *in, struct findings *out)
{
	struct old_series s = { .least = NAN };

	if (!str_eq(strings_get(capture_strings(in->capture), in->capture->counters->tool),
		    STR("jstat")))
		return;
	if (in->capture->counters->n_intervals > 1)
		old_gather(in, &s);
	if (in->capture->counters->n_intervals < 2)
		finding_not_assessed(out, in, &rule_old_generation_full, OLD_COMMAND,
				     "one row has the sums since the start: whether full "
				     "collections run now is unknown");
	else if (s.is_restarted)
		finding_not_assessed(out, in, &rule_old_generation_full, OLD_COMMAND,
				     "sums since the start fall from row to row: the rows are of "
				     "several JVMs");
	else if (!s.last || isnan(s.count) || isnan(s.seconds) || isnan(s.least))
		finding_not_assessed(out, in, &rule_old_generation_full, OLD_COMMAND,
				     "the columns FGC, FGCT and O, or OU and OC, are not complete");
	else if (s.count >= 1 && (s.least >= OLD_FULL || s.seconds >= OLD_NOTE_S))
		old_finding(in, out, &s, s.least >= OLD_FULL);
	else
		finding_clean(out, in, &rule_old_generation_full,
			      "%.0f full collections between the rows, of %.2f s in all", s.count,
			      s.seconds);
}

const struct rule rule_old_generation_full = {
	.id = "old-generation-full",
	.title = "The old generation of a JVM stays full",
	.needs = RULE_COUNTERS,
	.check = old_generation_full_check,
	.is_measured = true,
};
