/* SPDX-License-Identifier: MIT */
/*
 * A node of a query plan returned far more rows than the planner expected. So the planner chose
 * joins and an order that are fast only for few rows.
 *
 * Fewer rows than expected are no error, because a LIMIT, a semi-join or a merge stops early. If
 * both a scan and a join are wrong, the finding names the scan: the join's estimate follows from
 * it.
 *
 * If the whole statement takes less than 10 ms, the finding is only a note: another plan saves
 * little.
 */
#include "explain/plan_words.h"

#include "base/number.h"
#include "base/plural.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(plan_estimate);

#define ESTIMATE_FACTOR 100.0
/* minimum number of rows of a node in all loops; fewer rows cost little */
#define ESTIMATE_ROWS 1000.0
/*
 * An inner node runs once for each row of the outer node. Its loops count as equal to these rows if
 * they differ by at most this part (0 to 1), because printed means are rounded.
 */
#define ESTIMATE_SAME 0.01
#define ESTIMATE_SURE 80u
#define ESTIMATE_LEAD 10.0 /* minimum time of the statement for a warning, ms */
/*
 * A node with at least this part (0 to 1) of the statement's time is slow itself. Its wrong
 * estimate is then not the reason.
 */
#define ESTIMATE_OWN 0.9

static double estimate_factor(const struct plan_row *row)
{
	double expected = row->figures[PLAN_ESTIMATE];

	if (expected < 0 || row->figures[PLAN_ROWS] < 0 ||
	    row->figures[PLAN_ROWS] * row->figures[PLAN_LOOPS] < ESTIMATE_ROWS)
		return 0;
	return row->figures[PLAN_ROWS] / (expected > 1 ? expected : 1);
}

static bool estimate_is_scan(struct str name)
{
	return str_glob(STR("*Scan on *|*Scan using *|*Scan Backward using *|Table scan on *|"
			    "Index lookup on *|*index lookup on *|Index range scan on *|"
			    "*Index scan on *"),
			name);
}

static bool estimate_has(const struct plan_rows *p)
{
	VEC_FOREACH (row, &p->rows) {
		if (row->figures[PLAN_ESTIMATE] >= 0)
			return true;
	}
	return false;
}

/*
 * Whether the planner has only a guess for this node, and no statistics: how often a recursion
 * runs, or how many rows a function or a CTE returns.
 */
static bool estimate_is_guess(struct str name)
{
	return str_glob(STR("Recursive Union*|WorkTable Scan on *|CTE Scan on *|Function Scan on *|"
			    "Table Function Scan on *|Values Scan on *|Named Tuplestore Scan*|"
			    "ProjectSet*|Repeat until *|Materialize recursive*|Scan new records on "
			    "*|Materialize *CTE*"),
			name);
}

/* Properties of the nodes of a plan. In each array, element i describes node i. */
struct estimate_marks {
	/*
	 * Better statistics would not correct the estimate of the node. The reason is one of three:
	 * the planner only guesses; the node is inside a recursion; the estimate of a child is a
	 * wrong guess.
	 */
	VEC(bool) is_guess;
	VEC(bool) is_above; /* the node has the wrong estimate, or is an ancestor of that node */
	/*
	 * The node runs once per row of the node with the wrong estimate. It belongs to the inner
	 * input of a nested loop, and the node with the wrong estimate to the outer input.
	 */
	VEC(bool) is_inner;
};

static void estimate_guesses(const struct rule_input *in, const struct plan_rows *p,
			     struct estimate_marks *m)
{
	for (size_t i = 0; i < p->rows.len; i++) {
		const struct plan_row *row = &p->rows.data[i];
		struct str above = row->parent == INDEX_NONE
					   ? STR_NONE
					   : plan_row_name(in, &p->rows.data[row->parent]);
		bool is_below = str_glob(STR("Recursive Union*|Repeat until *"), above) ||
				(row->parent != INDEX_NONE && m->is_above.data[row->parent]);

		/*
		 * here is_above means "inside a recursion"; estimate_inner() gives it its final
		 * meaning
		 */
		*VEC_PUSH(&m->is_above) = is_below;
		*VEC_PUSH(&m->is_guess) = is_below || estimate_is_guess(plan_row_name(in, row));
	}
	for (size_t i = p->rows.len; i-- > 0;) {
		const struct plan_row *row = &p->rows.data[i];

		if (row->parent != INDEX_NONE && m->is_guess.data[i] &&
		    estimate_factor(row) >= ESTIMATE_FACTOR)
			m->is_guess.data[row->parent] = true;
	}
}

static const struct plan_row *estimate_pick(const struct rule_input *in, const struct plan_rows *p,
					    const struct estimate_marks *m)
{
	const struct plan_row *best = NULL;

	for (size_t i = 0; i < p->rows.len; i++) {
		const struct plan_row *row = &p->rows.data[i];
		bool is_scan = estimate_is_scan(plan_row_name(in, row));

		if (estimate_factor(row) < ESTIMATE_FACTOR || m->is_guess.data[i])
			continue;
		if (!best || is_scan > estimate_is_scan(plan_row_name(in, best)) ||
		    (is_scan == estimate_is_scan(plan_row_name(in, best)) && !is_scan) ||
		    (is_scan && estimate_factor(row) > estimate_factor(best)))
			best = row;
	}
	return best;
}

/*
 * Set m->is_inner for the nodes that run once per row of @wrong: the inner inputs of nested loops
 * whose outer input is @wrong or contains it.
 */
static void estimate_inner(const struct rule_input *in, const struct plan_rows *p,
			   const struct plan_row *wrong, struct estimate_marks *m)
{
	size_t at = (size_t)(wrong - p->rows.data);

	for (size_t i = 0; i < p->rows.len; i++)
		m->is_above.data[i] = false;
	for (m->is_above.data[at] = true; p->rows.data[at].parent != INDEX_NONE;) {
		at = p->rows.data[at].parent;
		m->is_above.data[at] = true;
	}
	for (size_t i = 0; i < p->rows.len; i++) {
		uint32_t parent = p->rows.data[i].parent;
		bool is_inner = parent != INDEX_NONE && m->is_inner.data[parent];

		/* a loop prints its outer input first, so the second child is the inner input */
		if (parent != INDEX_NONE && m->is_above.data[parent] && !m->is_above.data[i] &&
		    &p->rows.data[i] > wrong)
			is_inner |= str_glob(STR("Nested Loop*|Nested loop*"),
					     plan_row_name(in, &p->rows.data[parent]));
		*VEC_PUSH(&m->is_inner) = is_inner;
	}
}

/*
 * The node that took longest of all nodes that ran once per row of @wrong. Its time is the damage
 * of the wrong estimate. NULL: there is no such node.
 */
static const struct plan_row *estimate_repeated(const struct plan_rows *p,
						const struct plan_row *wrong,
						const struct estimate_marks *m)
{
	double came = wrong->figures[PLAN_ROWS] * wrong->figures[PLAN_LOOPS];
	const struct plan_row *best = NULL;

	for (size_t i = 0; i < p->rows.len; i++) {
		const struct plan_row *row = &p->rows.data[i];

		if (m->is_inner.data[i] &&
		    fabs(row->figures[PLAN_LOOPS] - came) <= ESTIMATE_SAME * came &&
		    row->figures[PLAN_SELF] > 0 &&
		    (!best || row->figures[PLAN_SELF] > best->figures[PLAN_SELF]))
			best = row;
	}
	return best;
}

/*
 * Whether the time is spent in the node with the wrong estimate itself, and not in the nodes that
 * ran for its rows. The estimate has then not made the statement slow.
 */
static bool estimate_is_harmless(const struct plan_rows *p, const struct plan_row *row)
{
	return p->self_ms > 0 && row->figures[PLAN_SELF] >= ESTIMATE_OWN * p->self_ms;
}

/* Does the statement take so little time that another plan saves hardly any? */
static bool estimate_is_brief(const struct plan_rows *p)
{
	double ms = p->execution_ms >= 0 ? p->execution_ms : p->self_ms;

	return ms > 0 && ms < ESTIMATE_LEAD;
}

static void estimate_finding(const struct rule_input *in, struct findings *out,
			     const struct plan_rows *p, const struct plan_row *row,
			     const struct estimate_marks *m)
{
	const struct plan_row *repeated = estimate_repeated(p, row, m);
	bool is_scan = estimate_is_scan(plan_row_name(in, row));
	struct str alias, table;
	struct finding *f =
		finding_add(out, in, &rule_plan_estimate,
			    estimate_is_brief(p) || estimate_is_harmless(p, row) ? FINDING_NOTE
										 : FINDING_WARNING,
			    ESTIMATE_SURE);
	const char *text = finding_name(
		out,
		"The planner expected %.0f row%s of '" STR_FMT "' and got %.0f: %.0f times as many",
		row->figures[PLAN_ESTIMATE],
		plural(number_whole(round(row->figures[PLAN_ESTIMATE]))),
		STR_ARG(plan_row_name(in, row)), row->figures[PLAN_ROWS], estimate_factor(row));

	if (repeated)
		text = finding_name(out, "%s. '" STR_FMT "' therefore ran %.0f times", text,
				    STR_ARG(plan_row_name(in, repeated)),
				    repeated->figures[PLAN_LOOPS]);
	finding_claim(out, f, "%s", text);
	finding_figure(f, "rows per row expected", estimate_factor(row), 0, "");
	plan_row_cite(out, f, in, row);
	if (repeated) {
		plan_row_cite(out, f, in, repeated);
		finding_figure(f, "time in the repeated node",
			       100 * repeated->figures[PLAN_SELF] / p->self_ms, 0, "%");
	}
	finding_usual_cause(
		out, f, "%s",
		is_scan ? "The statistics of the table are old, or its conditions depend on "
			  "each other: the planner multiplies their selectivities"
			: "The conditions of the join and of its tables depend on each other, "
			  "which the planner does not know");
	finding_because(out, f,
			"both row counts are printed\n"
			"whether another plan is faster");
	table = plan_row_table(in, row, &alias);
	if (table.len && !str_starts(plan_row_name(in, row), STR("Table scan")))
		finding_next(out, f, "ANALYZE " STR_FMT ": then compare the plan", STR_ARG(table));
	else
		finding_next(out, f, "ANALYZE the table, then compare the plan");
	if (is_scan)
		finding_next(out, f,
			     "CREATE STATISTICS on the columns of its condition (PostgreSQL), a "
			     "histogram (MySQL: ANALYZE TABLE ... UPDATE HISTOGRAM)");
}

static void estimate_check(const struct rule_input *in, struct findings *out)
{
	struct plan_rows p;
	const struct plan_row *row;
	struct estimate_marks m = { .is_guess = VEC_INIT };

	if (!plan_rows_init(&p, in))
		return;
	estimate_guesses(in, &p, &m);
	row = estimate_pick(in, &p, &m);
	if (row)
		estimate_inner(in, &p, row, &m);
	if (!estimate_has(&p))
		finding_not_assessed(out, in, &rule_plan_estimate, "a plan with costs",
				     "the nodes have no expected rows");
	else if (row)
		estimate_finding(in, out, &p, row, &m);
	else
		finding_clean(out, in, &rule_plan_estimate,
			      "no node with statistics has 1000 rows and 100 times those expected");
	VEC_FREE(&m.is_guess);
	VEC_FREE(&m.is_above);
	VEC_FREE(&m.is_inner);
	plan_rows_fini(&p);
}

const struct rule rule_plan_estimate = {
	.id = "plan-estimate",
	.title = "Planner expected far fewer rows",
	.needs = RULE_COUNTERS,
	.check = estimate_check,
	.is_measured = true,
};
