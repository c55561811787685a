/* SPDX-License-Identifier: MIT */
/*
 * The planner wanted parallel workers, but fewer than half of them started. A Gather node that was
 * never executed is ignored: it needed no workers.
 *
 * Thresholds: a plan of 100 ms whose Gather node got less than half of its workers is a note. A
 * plan of one second without any worker is a warning. Source: src/backend/executor/execParallel.c;
 * PostgreSQL, "When Can Parallel Query Be Used?".
 */
#include "explain/plan_words.h"

#include "base/str.h"
#include "base/vec.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(plan_workers);

#define WORKERS_PART     0.5
#define WORKERS_LEAST_MS 100.0
#define WORKERS_LEAD_MS  1000.0

static void workers_finding(const struct rule_input *in, struct findings *out,
			    const struct plan_rows *p, const struct plan_row *row)
{
	double planned = row->figures[PLAN_PLANNED];
	double launched = fmax(0, row->figures[PLAN_LAUNCHED]);
	struct finding *f = finding_add(
		out, in, &rule_plan_workers,
		launched <= 0 && p->self_ms >= WORKERS_LEAD_MS ? FINDING_WARNING : FINDING_NOTE,
		FINDING_CERTAIN);

	if (launched > 0)
		finding_claim(out, f,
			      "Only %.0f of %.0f planned parallel workers started below '" STR_FMT
			      "'",
			      launched, planned, STR_ARG(plan_row_name(in, row)));
	else
		finding_claim(out, f,
			      "None of %.0f planned parallel workers started: one process ran the "
			      "nodes below '" STR_FMT "' alone",
			      planned, STR_ARG(plan_row_name(in, row)));
	finding_figure(f, "workers planned", planned, 0, "");
	finding_figure(f, "workers launched", launched, 0, "");
	plan_row_cite(out, f, in, row);
	finding_usual_cause(out, f,
			    "Other queries had all of max_parallel_workers or "
			    "max_worker_processes at that moment");
	finding_because(out, f, "the plan prints both numbers");
	finding_next(
		out, f,
		"SELECT backend_type, count(*) FROM pg_stat_activity GROUP BY 1, at that time; "
		"raise max_parallel_workers and max_worker_processes");
}

static void workers_check(const struct rule_input *in, struct findings *out)
{
	const struct plan_row *worst = NULL;
	struct plan_rows p;
	bool is_parallel = false;

	if (!plan_rows_init(&p, in))
		return;
	VEC_FOREACH (row, &p.rows) {
		double planned = row->figures[PLAN_PLANNED];
		double launched = fmax(0, row->figures[PLAN_LAUNCHED]);

		if (planned <= 0 || row->figures[PLAN_LOOPS] <= 0)
			continue;
		is_parallel = true;
		if (launched < WORKERS_PART * planned && !worst)
			worst = row;
	}
	if (worst && p.self_ms >= WORKERS_LEAST_MS)
		workers_finding(in, out, &p, worst);
	else if (is_parallel)
		finding_clean(out, in, &rule_plan_workers,
			      "half of the planned workers or more started, or the plan takes less "
			      "than 100 ms");
	else
		finding_not_assessed(
			out, in, &rule_plan_workers,
			"SET max_parallel_workers_per_gather above 0, and the plan again",
			"no node of the plan ran with parallel workers");
	plan_rows_fini(&p);
}

const struct rule rule_plan_workers = {
	.id = "plan-workers",
	.title = "Planned parallel workers did not start",
	.needs = RULE_COUNTERS,
	.check = workers_check,
	.is_measured = true,
};
