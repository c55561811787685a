/* SPDX-License-Identifier: MIT */
/*
 * The process is crashing, and the kernel writes its core dump. So the hot functions are memory
 * copies and the place of the crash, not slow code.
 *
 * Threshold: 5 % of the samples are in functions that write the dump, or in their callees. A core
 * dump is never part of normal work. With a smaller share most of the profile is still valid.
 */
#include "core/capture.h"
#include "explain/signatures/signature.h"

#include "analyses/event_unit.h"
#include "base/alloc.h"
#include "base/stats.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/profile.h"
#include "explain/crash_in_progress_names.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <stdio.h>
#include <stdlib.h>

DECLARE_RULE(crash_in_progress);

#define CRASH_PCT  5.0
#define CRASH_SURE 99
/*
 * A function belongs to the dump if at least the part CRASH_PART (0 to 1) of its self time is
 * inside calls of functions that write the dump. Only functions with a self share of CRASH_SELF_PCT
 * or more are tested.
 */
#define CRASH_PART     0.8
#define CRASH_SELF_PCT 1.0

/*
 * Functions of the kernel and of the C library that are on the stack between the failing function
 * and the code that writes the dump.
 */
#define CRASH_THROUGH CRASH_DUMPS "|" CRASH_LEAVING

/* Mark functions as explained by @f if they mostly work for the dump, or are part of abort(). */
static void crash_explains_dump(const struct rule_input *in, struct finding *f)
{
	const struct fact_names aborts = { .pattern = CRASH_ABORTS };
	uint8_t *marks = xcalloc(in->profile->functions.len + 1, 1);

	facts_mark_below(in->profile, CRASH_DUMPS, CRASH_PART, marks);
	VEC_FOREACH (fn, &in->profile->functions) {
		if ((marks[fn->number] && fn->self >= CRASH_SELF_PCT) ||
		    facts_is_one_of(in->profile, &aborts, fn))
			finding_subject(f, fn->sym, SUBJECT_EXPLAINED);
	}
	free(marks);
}

static void crash_finding(const struct rule_input *in, struct findings *out, double under)
{
	const struct profile *p = in->capture->profile;
	double aborts = facts_under(in->profile, CRASH_ABORTS);
	struct fact_sum dump = facts_sum(in->profile, CRASH_DUMPS);
	struct fact_caller who[1];
	size_t n = aborts > 0 ? facts_callers_anywhere(in->profile, CRASH_ABORTS, CRASH_THROUGH,
						       who, 1)
			      : 0;
	struct finding *f =
		finding_add(out, in, &rule_crash_in_progress, FINDING_ERROR, CRASH_SURE);
	char count[96] = "";

	f->impact = under;
	if (p->has_n_samples && p->n_samples && p->n_samples_err == 0) {
		struct interval i = stats_wilson(under / 100 * in->profile->effective,
						 in->profile->effective, STATS_Z95);

		(void)snprintf(count, sizeof(count), " (%.0f of %llu samples: %.0f–%.0f %%)",
			       under / 100 * (double)p->n_samples, (unsigned long long)p->n_samples,
			       i.low, i.high);
		finding_figure_interval(f, "share below the core dump", under, i.low, i.high, "%");
	} else {
		finding_figure(f, "share below the core dump", under, 0, "%");
	}
	finding_claim(out, f,
		      "The process was crashing, not slow: %.1f %% of %s%s %s the kernel writing "
		      "its core dump%s",
		      under, in->profile->unit.of, count,
		      in->profile->unit.is_plural ? "are" : "is",
		      aborts > 0 ? " after abort()" : "");
	if (n)
		finding_cause(
			out, f,
			"The program aborted in " STR_FMT
			". Functions above the abort are the place of the crash, not hot code",
			STR_ARG(facts_name(in->facts, who[0].sym)));
	else
		finding_cause(
			out, f,
			"%s; functions above the dump are the place of the crash, not hot "
			"code",
			aborts > 0
				? "The program aborted (an assertion, or a check of the C library)"
				: "A fatal signal");
	finding_because(out, f, "the kernel runs these functions for nothing else");
	signature_evidence(in, out, f, CRASH_DUMPS);
	if (aborts > 0) {
		finding_figure(f, "share below the abort", aborts, 0, "%");
		signature_evidence(in, out, f, CRASH_ABORTS);
	}
	crash_explains_dump(in, f);
	if (dump.samples)
		finding_figure(f, "samples in the dump itself", (double)dump.samples, 0, "samples");
	finding_next(out, f,
		     "coredumpctl gdb PROGRAM -A '-batch -ex \"thread apply all bt\"': where and "
		     "why the process died");
	finding_next(out, f,
		     "cat /proc/sys/kernel/core_pattern: a pipe there receives the dump even with "
		     "ulimit -c 0; then record again without the crash");
}

static void crash_check(const struct rule_input *in, struct findings *out)
{
	double under;
	bool dumps;

	if (in->profile->functions.len == 0)
		return;
	dumps = facts_sum(in->profile, CRASH_DUMPS).functions > 0;
	under = dumps ? facts_under(in->profile, CRASH_DUMPS) : 0;
	if (under < 0)
		under = facts_sum(in->profile, CRASH_DUMPS).self;
	if (under >= CRASH_PCT)
		crash_finding(in, out, under);
	else
		finding_clean(out, in, &rule_crash_in_progress, "%.1f %% in core dumps", under);
}

/* rules that would report the work of the dump or of abort() as a problem */
static const char *const crash_overrules[] = {
	"copying", "hot-function",    "tight-loop",    "page-fault-storm", "kernel-allocation",
	"reclaim", "text-conversion", "mapping-churn", "linear-scan",      NULL
};

static const char *const crash_explains[] = { "crash-loop", "damaged-state", "long-poll", NULL };

const struct rule rule_crash_in_progress = {
	.id = "crash-in-progress",
	.title = "Crash in progress",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_ANY,
	.wants = RULE_WANTS_KERNEL,
	.hides_pct = CRASH_PCT,
	.overrules = crash_overrules,
	.explains = crash_explains,
	.check = crash_check,
	.is_measured = true,
};
