/* SPDX-License-Identifier: MIT */
/*
 * A short cycle of kernel functions has nearly all of the time, and no program drives it. Either
 * one kernel thread or call has very much work, or it loops without progress.
 *
 * The share does not show which of these it is, and no profile shows whether the loop ends. So the
 * rule looks for signs of progress: programs that call the kernel again and again, and external
 * work such as packets and interrupts. Small loops in user code are ignored: programs compute in
 * such loops for good reasons.
 *
 * Thresholds: five functions have 65 % of the busy time, and none of them has 60 % alone (that
 * would be one hot function). In a busy kernel thread with varied work, the five hottest functions
 * have less than 40 %. Kernel entry and user code have less than 5 %: a program that calls the
 * kernel in each round needs more.
 */
#include "explain/signatures/signature.h"

#include "analyses/categories.h"
#include "analyses/event_unit.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <stdio.h>

DECLARE_RULE(device_rings);
DECLARE_RULE(tight_loop);

#define LOOP_FUNCTIONS 5
#define LOOP_LEAD_PCT  65.0
#define LOOP_ONE_PCT   60.0
/* a function belongs to the cycle if it has at least this percentage */
#define LOOP_LEAST_PCT 2.0

/*
 * If user code and kernel entry together have a larger share than this, percent, a program drives
 * the loop.
 */
#define LOOP_DRIVEN_PCT 5.0
#define LOOP_SURE       45u

/*
 * A function does not belong to the cycle if another finding, with at least this certainty,
 * explains it.
 */
#define LOOP_EXPLAINED_SURE 75u

/* functions of these categories do not belong to the cycle, because other rules judge them */
static const char *const loop_others[] = {
	"locking",
	"idle",
	"memory/copy",
	"memory/user-copy",
	"mitigation",
	"syscall-entry",
	"memory/alloc",
	"allocator",
	"memory/dma",
	"epoll",
	"poll",
	"unsymbolised",
	"page-fault",
	"interpreter",
	"crypto",
	"compression",
	"crash",
	"interrupt",
	"string",
	"reclaim",
	"memory/cgroup",
	"libc",
	"debug",
	"tracing",
	"timekeeping",
	"scheduling",
	"bpf",
	/* these categories are caused by external events, such as packets */
	"network",
	"netfilter",
	"timers",
	"rcu",
};

static bool loop_is_other(const struct rule_input *in, const struct fact_function *f)
{
	if (str_glob(str_of(rule_device_rings.signature->functions), facts_name(in->facts, f->sym)))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(loop_others); i++) {
		if (category_is_in(f->category, str_of(loop_others[i])))
			return true;
	}
	return false;
}

static bool loop_is_kernel(const struct rule_input *in, const struct fact_function *f)
{
	return symbols_get(capture_symbols(in->capture), f->sym)->space == SPACE_KERNEL;
}

/* Share of user code and kernel entry in the busy time, percent. */
static double loop_driven(const struct rule_input *in)
{
	double sum = 0;

	VEC_FOREACH (f, &in->profile->functions) {
		if (f->self > 0 &&
		    (!loop_is_kernel(in, f) || category_is_in(f->category, STR("syscall-entry"))))
			sum += f->self;
	}
	return signature_of_busy(in, sum);
}

static void loop_finding(const struct rule_input *in, struct findings *out,
			 const struct fact_function *const *cycle, size_t n, double sum,
			 double driven)
{
	struct finding *f = finding_add(out, in, &rule_tight_loop, FINDING_NOTE,
					signature_is_few(in) ? LOOP_SURE - 10 : LOOP_SURE);
	char names[512] = "";
	size_t used = 0;

	f->impact = sum;
	for (size_t i = 0; i < n; i++) {
		struct str name = facts_short_name(in->facts, cycle[i]->sym, 64);
		int written = snprintf(names + used, sizeof(names) - used, "%s" STR_FMT,
				       i ? ", " : "", STR_ARG(name));

		if (written > 0 && used + (size_t)written < sizeof(names))
			used += (size_t)written;
		finding_listed(out, f, in, cycle[i]);
	}
	finding_claim(out, f, "%zu kernel functions take %.1f %% of %s: %s", n, sum,
		      in->profile->unit.of, names);
	finding_figure(f, "share of the cycle", sum, 0, "%");
	finding_figure(f, "programs and entries into the kernel", driven, 0, "%");
	finding_usual_cause(out, f,
			    "One piece of work is very long, or a loop repeats without progress");
	finding_because(out, f,
			"no program calls the kernel for each round\n"
			"whether the work ends");
	finding_next(out, f,
		     "cat /proc/mdstat (or btrfs balance status, sysfs counters) twice, 10 s "
		     "apart: does it make progress");
	finding_next(out, f,
		     "perf record -g -a; trace-cmd record -p function -l %s: arguments that repeat",
		     finding_word(out, facts_name(in->facts, cycle[0]->sym), true));
}

static void loop_check(const struct rule_input *in, struct findings *out)
{
	const struct fact_function *cycle[LOOP_FUNCTIONS];
	size_t n = 0;
	double sum = 0;
	double driven;

	if (!signature_can_judge(in, out, &rule_tight_loop))
		return;
	VEC_FOREACH (f, &in->profile->functions) {
		if (n == ARRAY_LEN(cycle) || f->self < LOOP_LEAST_PCT)
			break;
		if (!loop_is_kernel(in, f) || loop_is_other(in, f))
			continue;
		cycle[n++] = f;
		sum += f->self;
	}
	driven = loop_driven(in);
	if (n >= 3 && signature_of_busy(in, sum) >= LOOP_LEAD_PCT &&
	    cycle[0]->self < LOOP_ONE_PCT && driven < LOOP_DRIVEN_PCT &&
	    !signature_is_explained(in, out, cycle[0], LOOP_EXPLAINED_SURE))
		loop_finding(in, out, cycle, n, sum, driven);
	else
		finding_clean(out, in, &rule_tight_loop,
			      "%zu otherwise unexplained kernel function%s %s %.1f %%; programs "
			      "and kernel entry have %.1f %%",
			      n, n == 1 ? "" : "s", n == 1 ? "has" : "have", sum, driven);
}

const struct rule rule_tight_loop = {
	.id = "tight-loop",
	.title = "Tight loop in the kernel",
	.needs = RULE_PROFILE | RULE_LAST,
	.events = EVENT_IS_WORK,
	.wants = RULE_WANTS_KERNEL,
	.hides_pct = LOOP_LEAD_PCT,
	.check = loop_check,
	.is_general = true,
};
