/* SPDX-License-Identifier: MIT */
/*
 * Spinning on kernel locks: who takes the lock matters, not the lock's own code.
 *
 * Thresholds: above 10 % of the busy time it is worth a look, above 20 % it leads,
 * above 60 % nothing else matters. In the profiles of public threads where a lock
 * was named as the cause, its slow path had 12 to 97 %.
 */
#include "explain/rule.h"

#define LOCK_NOTE_PCT 10.0
#define LOCK_LEAD_PCT 20.0
#define LOCK_SURE_PCT 60.0

/* Slow paths: code that runs only when somebody else holds the lock. */
#define LOCK_SLOW_PATHS                                                                         \
	"native_queued_spin_lock_slowpath|queued_spin_lock_slowpath|"                           \
	"__pv_queued_spin_lock_slowpath|__ticket_spin_lock|osq_lock|mutex_spin_on_owner|"       \
	"rwsem_spin_on_owner|rwsem_optimistic_spin|queued_read_lock_slowpath|"                  \
	"queued_write_lock_slowpath|rwsem_down_*_slowpath|__mutex_lock_slowpath|mcs_spin_lock|" \
	"do_raw_spin_lock_slowpath|rt_spin_lock_slowlock*"

/* Frames between a slow path and the code that wanted the lock. */
#define LOCK_HELPERS                                                                         \
	"_raw_spin_*|_raw_read_*|_raw_write_*|_raw_spin_lock*|do_raw_*|__raw_*|mutex_lock*|" \
	"__mutex_lock*|mutex_optimistic_spin|down_read*|down_write*|rwsem_*|__down_*|"       \
	"lock_acquire*|pv_*|rt_spin_lock*|call_rwsem_*|__sched_text_start"

static void lock_finding(const struct rule_input *in, struct findings *out, struct fact_sum sum,
			 double busy_share)
{
	struct fact_caller callers[3];
	size_t n = facts_callers(in->profile, LOCK_SLOW_PATHS, LOCK_HELPERS, callers,
				 ARRAY_LEN(callers));
	struct finding *f =
		finding_add(out, in, &rule_lock_contention,
			    busy_share >= LOCK_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE,
			    busy_share >= LOCK_SURE_PCT   ? 97
			    : busy_share >= LOCK_LEAD_PCT ? 90
							  : 75);
	struct str slow = facts_name(in->facts, sum.top->sym);

	f->impact = sum.self;
	if (n) {
		struct str who = facts_name(in->facts, callers[0].sym);

		finding_claim(out, f,
			      "%.2f %% of the time spins on a lock that '" STR_FMT
			      "' takes (waiting in '" STR_FMT "')",
			      sum.self, STR_ARG(who), STR_ARG(slow));
		finding_cause(out, f, "several CPUs want the lock of '" STR_FMT "' at once",
			      STR_ARG(who));
		for (size_t i = 0; i < n; i++)
			finding_figure(f, "share through a caller", callers[i].pct, 0, "%");
		for (size_t i = 0; i < n && callers[i].line; i++)
			finding_evidence(out, f, in, callers[i].line, STR_FMT " %.2f %%",
					 STR_ARG(facts_name(in->facts, callers[i].sym)),
					 callers[i].pct);
		finding_next(
			out, f,
			"see what '" STR_FMT
			"' protects; perf lock contention -ab -Y spinlock,mutex,rwsem sleep 10",
			STR_ARG(who));
	} else {
		finding_claim(out, f,
			      "%.2f %% of the time spins on a kernel lock ('" STR_FMT
			      "'); which one this data does not show",
			      sum.self, STR_ARG(slow));
		finding_cause(out, f, "several CPUs want one lock at once; the caller is hidden");
		finding_next(out, f,
			     "perf record -a -g sleep 10, or perf lock contention -ab sleep 10");
	}
	finding_because(out, f, "these functions run only while another CPU holds the lock");
	finding_figure_interval(f, "self share of the slow paths", sum.self, sum.low, sum.high,
				"%");
	finding_evidence(out, f, in, sum.top->line, STR_FMT " %.2f %%", STR_ARG(slow),
			 sum.top->self);
}

static void lock_check(const struct rule_input *in, struct findings *out)
{
	struct fact_sum sum = facts_sum(in->profile, LOCK_SLOW_PATHS);
	double busy = in->profile->busy > 0 ? in->profile->busy : in->profile->total;
	double share = busy > 0 ? sum.self / busy * 100 : 0;

	if (in->profile->functions.len == 0)
		return;
	if (sum.top && share >= LOCK_NOTE_PCT)
		lock_finding(in, out, sum, share);
	else if (in->profile->summary.kernel.pct <= 0)
		finding_not_assessed(
			out, in, &rule_lock_contention, "perf record -a -g",
			"no kernel function is in it, so waiting for kernel locks cannot show");
	else
		finding_clean(out, in, &rule_lock_contention,
			      "%.2f %% in slow paths of kernel locks (of %.2f %% busy)", sum.self,
			      busy);
}

const struct rule rule_lock_contention = {
	.id = "lock-contention",
	.title = "spinning on a kernel lock",
	.needs = RULE_PROFILE,
	.check = lock_check,
};
