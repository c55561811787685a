/* SPDX-License-Identifier: MIT */
/*
 * Of several measured functions, one takes most time because it is called very often: each call is
 * short, but there are many.
 *
 * Thresholds: 100 000 calls, which take a second in all, computed from the lower bounds of the
 * buckets. If they take less, a change saves little. The time must exceed that of any other series,
 * computed from the upper bounds. Most of the time is in calls up to p99: otherwise slow calls are
 * the problem, which rule latency-tail reports.
 */
#include "explain/words/spread_words.h"

#include "analyses/distributions/spread.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/distribution.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/frequent_calls_names.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(frequent_calls);

#define FREQUENT_LEAST    100000u
#define FREQUENT_NS       1e9
#define FREQUENT_TAIL_PCT 50.0
#define FREQUENT_SURE     80u
#define FREQUENT_MILLION  1e6

/*
 * May the values of @s be durations of calls that work, and do not wait for input or for more work?
 */
static bool frequent_is_work(const struct rule_input *in, const struct spread *s)
{
	enum spread_subject subject = spread_subject_of(in->capture, s->series);

	return (subject == SPREAD_FUNCTION || subject == SPREAD_UNKNOWN) &&
	       spread_is_time(in->capture, s->series) && !spread_is_idle(in->capture, s->series) &&
	       !spread_may_wait_for_input(in->capture, s->series) && !spread_is_wrapped(s) &&
	       !s->series->is_relative && !s->series->is_percentiles;
}

/* Part of the time of all measured functions that @top takes at least, in percent. */
static double frequent_part(const struct rule_input *in, const struct spread *top)
{
	double others = 0;

	VEC_FOREACH (s, &in->spreads->rows)
		others += s != top && frequent_is_work(in, s) ? s->sum.high : 0;
	return 100 * top->sum.low / (top->sum.low + others);
}

/*
 * Find the series whose durations have the largest sum. Returns NULL if no series has durations of
 * calls that work, or if the sums are not exact enough to compare. *@ret_judged: number of series
 * with such durations.
 */
static const struct spread *frequent_top(const struct rule_input *in, size_t *ret_judged)
{
	const struct spread *top = NULL;

	*ret_judged = 0;
	VEC_FOREACH (s, &in->spreads->rows) {
		if (!frequent_is_work(in, s))
			continue;
		(*ret_judged)++;
		if (!top || s->sum.low > top->sum.low)
			top = s;
	}
	VEC_FOREACH (s, &in->spreads->rows) {
		if (top && s != top && frequent_is_work(in, s) && s->sum.high > top->sum.low)
			return NULL;
	}
	return top;
}

/* Texts for the functions whose names match `functions`: what each of their calls costs. */
struct frequent_kind {
	const char *functions;
	const char *cause;
	const char *next;
};

static const struct frequent_kind frequent_kinds[] = { FREQUENT_KINDS };

static const struct frequent_kind *frequent_kind(struct str function)
{
	for (size_t i = 0; i < ARRAY_LEN(frequent_kinds); i++) {
		if (str_glob(str_of(frequent_kinds[i].functions), function))
			return &frequent_kinds[i];
	}
	return NULL;
}

static const char *frequent_number(struct findings *out, uint64_t n)
{
	return (double)n >= FREQUENT_MILLION
		       ? finding_name(out, "%s million",
				      finding_amount(out, 3, (double)n / FREQUENT_MILLION))
		       : finding_name(out, "%llu", (unsigned long long)n);
}

static void frequent_finding(const struct rule_input *in, struct findings *out,
			     const struct spread *top, size_t judged)
{
	struct finding *f = finding_add(out, in, &rule_frequent_calls, FINDING_NOTE, FREQUENT_SURE);
	struct str name = strings_get(capture_strings(in->capture),
				      top->series->key.v ? top->series->key : top->series->name);
	const struct frequent_kind *kind = frequent_kind(name);

	finding_claim(out, f,
		      STR_FMT
		      " takes most of the time of %zu measured functions: %s in %s calls, half of "
		      "them up to %s: many calls, not slow ones",
		      STR_ARG(name.len ? name : STR("A function without a name")), judged,
		      spread_words_range(in, out, top->series, top->sum),
		      frequent_number(out, top->series->count),
		      spread_words_value(in, out, top->series, top->p50.high));
	f->impact = frequent_part(in, top);
	finding_figure(f, "calls", (double)top->series->count, 0, "");
	finding_figure(f, "time in all, at least", top->sum.low / 1e9, 0, "s");
	finding_figure(f, "measured functions", (double)judged, 0, "");
	spread_words_figure(in, out, f, "p50", top->series, top->p50);
	spread_words_evidence(in, out, f, top, top->p50);
	finding_usual_cause(
		out, f, "%s",
		kind ? kind->cause
		     : "The function is called again for each item or command, where once for all "
		       "would do: a cache that is dropped and filled again, or a loop around it");
	finding_because(out, f,
			"the buckets bound the sum; a call of another measured function counts in "
			"both");
	if (kind)
		finding_next(out, f, "%s", kind->next);
	finding_next(out, f,
		     "bpftrace -e 'uprobe:PROGRAM:FUNCTION { @[ustack] = count(); }' (kprobe and "
		     "kstack in the kernel): who calls it so often");
}

static void frequent_check(const struct rule_input *in, struct findings *out)
{
	size_t judged;
	const struct spread *top = frequent_top(in, &judged);

	if (judged < 2)
		finding_not_assessed(out, in, &rule_frequent_calls,
				     "funclatency of several functions, or hist() of bpftrace by "
				     "function",
				     "fewer than two distributions of durations of calls");
	else if (!top || top->series->count < FREQUENT_LEAST || top->sum.low < FREQUENT_NS ||
		 isinf(top->sum.high) || top->tail_part.low >= FREQUENT_TAIL_PCT)
		finding_clean(out, in, &rule_frequent_calls,
			      "none of %zu measured functions takes more than the others by its "
			      "number of calls",
			      judged);
	else
		frequent_finding(in, out, top, judged);
}

const struct rule rule_frequent_calls = {
	.id = "frequent-calls",
	.title = "Very many short calls",
	.needs = RULE_DISTRIBUTION,
	.check = frequent_check,
};
