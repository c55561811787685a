/* SPDX-License-Identifier: MIT */
/*
 * The database compiles the expressions of a query (JIT), which takes longer than it saves. The
 * compile time is printed below the plan. It is also included in the times of the nodes.
 *
 * Thresholds: compiling takes a fifth of the time and 50 ms; half of the time is a warning. Source:
 * PostgreSQL, "Just-in-Time Compilation"; src/backend/commands/explain.c, ExplainPrintJIT(). The
 * printed compile time is the sum over the leader and its parallel workers, so it is divided by the
 * number of these processes.
 */
#include "explain/plan_words.h"

#include "base/vec.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(plan_jit);

#define JIT_NOTE  20.0
#define JIT_LEAD  50.0
#define JIT_LEAST 50.0 /* minimum time of compiling, ms */
#define JIT_SURE  90u

/* Number of processes that compiled: the leader, and the workers of the largest Gather node. */
static double jit_processes(const struct plan_rows *p)
{
	double workers = 0;

	VEC_FOREACH (row, &p->rows)
		workers = fmax(workers, row->figures[PLAN_LAUNCHED]);
	return 1 + workers;
}

static void jit_finding(const struct rule_input *in, struct findings *out,
			const struct plan_rows *p, double share)
{
	double processes = jit_processes(p);
	struct finding *f =
		finding_add(out, in, &rule_plan_jit,
			    share >= JIT_LEAD ? FINDING_WARNING : FINDING_NOTE, JIT_SURE);

	if (processes > 1)
		finding_claim(out, f,
			      "About %.0f %% of the query is JIT compilation: %.1f ms in %.0f "
			      "processes together, and the query takes %.1f ms",
			      share, p->jit_ms, processes, p->execution_ms);
	else
		finding_claim(out, f, "%.0f %% of the query is JIT compilation: %.1f of %.1f ms",
			      share, p->jit_ms, p->execution_ms);
	f->impact = share;
	finding_figure(f, "time of JIT compilation", share, 0, "%");
	finding_evidence(out, f, in, p->jit_line, "the time of compilation");
	finding_usual_cause(out, f,
			    "The planner expected an expensive query (more rows than came, or many "
			    "partitions), so its expressions were compiled first");
	finding_because(
		out, f,
		"the plan prints the time of compilation; it is part of the times of nodes");
	finding_next(out, f, "SET jit = off and run it again, or raise jit_above_cost");
	finding_next(out, f, "ANALYZE the table if the expected rows are far from the real ones");
}

static void jit_check(const struct rule_input *in, struct findings *out)
{
	struct plan_rows p;

	if (!plan_rows_init(&p, in))
		return;
	if (p.jit_ms >= 0 && p.execution_ms > 0) {
		double each = p.jit_ms / jit_processes(&p);
		double share = 100 * each / p.execution_ms;

		if (each >= JIT_LEAST && share >= JIT_NOTE)
			jit_finding(in, out, &p, share);
		else
			finding_clean(out, in, &rule_plan_jit,
				      "JIT compilation takes %.0f %% of the query", share);
	}
	plan_rows_fini(&p);
}

const struct rule rule_plan_jit = {
	.id = "plan-jit",
	.title = "JIT compilation takes most of a query",
	.needs = RULE_COUNTERS,
	.check = jit_check,
	.is_measured = true,
};
