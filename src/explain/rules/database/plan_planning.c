/* SPDX-License-Identifier: MIT */
/*
 * The planner takes longer than the execution of the query.
 *
 * Thresholds: for a note, planning takes half of the whole time and at least 10 ms. For a warning,
 * it takes nine tenths and at least 100 ms. Planning a usual query takes less than 1 ms, and a join
 * of ten tables some ten ms. Source: src/backend/commands/explain.c, ExplainOnePlan().
 */
#include "explain/plan_words.h"

#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(plan_planning);

#define PLANNING_NOTE    50.0
#define PLANNING_LEAD    90.0
#define PLANNING_LEAST   10.0  /* minimum time of the planner, ms */
#define PLANNING_LEAD_MS 100.0 /* minimum time of the planner for a warning, ms */

static void planning_finding(const struct rule_input *in, struct findings *out,
			     const struct plan_rows *p, double share)
{
	struct finding *f = finding_add(out, in, &rule_plan_planning,
					share >= PLANNING_LEAD && p->planning_ms >= PLANNING_LEAD_MS
						? FINDING_WARNING
						: FINDING_NOTE,
					FINDING_CERTAIN);

	finding_claim(out, f, "%.0f %% of the query is planning: %.1f ms, and %.1f ms of execution",
		      share, p->planning_ms, p->execution_ms);
	f->impact = share;
	finding_figure(f, "time of planning", share, 0, "%");
	finding_evidence(out, f, in, p->planning_line, "the time of planning");
	finding_usual_cause(out, f,
			    "The planner looks at many partitions, indexes or orders of joins, or "
			    "waits for a lock on the catalog. The first query of a session also "
			    "fills its caches");
	finding_because(out, f, "the plan prints both times");
	finding_next(
		out, f,
		"EXPLAIN again in the same session: is it still slow? Then fewer partitions, a "
		"condition on the partition key, or join_collapse_limit");
	finding_next(
		out, f,
		"prepare the statement, with plan_cache_mode = force_generic_plan: it plans once");
}

static void planning_check(const struct rule_input *in, struct findings *out)
{
	struct plan_rows p;

	if (!plan_rows_init(&p, in))
		return;
	if (p.planning_ms >= 0 && p.execution_ms >= 0) {
		double share = 100 * p.planning_ms / fmax(1e-3, p.planning_ms + p.execution_ms);

		if (p.planning_ms >= PLANNING_LEAST && share >= PLANNING_NOTE)
			planning_finding(in, out, &p, share);
		else
			finding_clean(out, in, &rule_plan_planning,
				      "planning takes %.0f %% of the query, %.1f ms", share,
				      p.planning_ms);
	} else {
		finding_not_assessed(out, in, &rule_plan_planning,
				     "EXPLAIN (ANALYZE, SUMMARY): both times",
				     "the plan prints no time of planning or of execution");
	}
	plan_rows_fini(&p);
}

const struct rule rule_plan_planning = {
	.id = "plan-planning",
	.title = "Planning takes longer than the query",
	.needs = RULE_COUNTERS,
	.check = planning_check,
	.is_measured = true,
};
