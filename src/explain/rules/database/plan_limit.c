/* SPDX-License-Identifier: MIT */
/*
 * A LIMIT saves nothing: a node below the LIMIT in the plan (a sort, a window function or an
 * aggregate) needs all rows of its input before it returns the first row.
 *
 * Thresholds: the node reads 10 rows for each row that the LIMIT returns (100 for a warning), and
 * the plan takes at least 10 ms.
 */
#include "base/str.h"
#include "base/vec.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/plan_limit_names.h"
#include "explain/plan_words.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(plan_limit);

#define LIMIT_NOTE  10.0 /* minimum number of input rows per returned row */
#define LIMIT_LEAD  100.0
#define LIMIT_LEAST 10.0 /* minimum time of the plan, ms */
#define LIMIT_SURE  90u
/* a scan that removes this many rows for each row that it keeps needs an index for its condition */
#define LIMIT_FILTERED 10.0
/* if such a scan has this part (0 to 1) of the time, it makes the plan slow, and not the LIMIT */
#define LIMIT_ELSEWHERE 0.5

struct limit {
	const struct plan_row *node;  /* the node that needs all rows */
	const struct plan_row *input; /* the first input of `node` */
	double returned, computed;
	bool has_limit;
};

static double limit_rows(const struct plan_row *row)
{
	return row->figures[PLAN_ROWS] * fmax(1, row->figures[PLAN_LOOPS]);
}

/*
 * Search the node that needs all rows, downwards from the Limit node at index @at of p->rows. All
 * nodes in between (PASSING_NODES) have a single child, which is the next element of p->rows.
 */
static void limit_below(const struct rule_input *in, const struct plan_rows *p, size_t at,
			struct limit *l)
{
	double returned = limit_rows(&p->rows.data[at]);

	for (size_t i = at + 1; i + 1 < p->rows.len; i++) {
		const struct plan_row *node = &p->rows.data[i];
		struct str name = plan_row_name(in, node);
		double computed = limit_rows(&p->rows.data[i + 1]);

		if (str_glob(STR(PASSING_NODES), name))
			continue;
		if (!str_glob(STR(WHOLE_INPUT_NODES), name) || returned < 1 ||
		    computed < LIMIT_NOTE * fmax(returned, limit_rows(node)) ||
		    (l->node && computed <= l->computed))
			return;
		*l = (struct limit){ node, &p->rows.data[i + 1], returned, computed, true };
		return;
	}
}

/*
 * Whether the node sorts the results of an aggregate by a computed value. An example is a query for
 * the ten largest sums.
 */
static bool limit_is_total(const struct rule_input *in, const struct limit *l)
{
	return l->node->figures[PLAN_COMPUTED] > 0 &&
	       str_glob(STR("*Aggregate*|Group*"), plan_row_name(in, l->input));
}

/*
 * The longest time, in ms, of a scan that removes most of its rows. The scan takes this time
 * without the LIMIT, too, but an index for its condition would save it.
 */
static double limit_filtered(const struct plan_rows *p)
{
	double most = 0;

	VEC_FOREACH (row, &p->rows) {
		if (row->figures[PLAN_REMOVED] >=
			    LIMIT_FILTERED * fmax(1, row->figures[PLAN_ROWS]) &&
		    row->figures[PLAN_SELF] > most)
			most = row->figures[PLAN_SELF];
	}
	return most;
}

static void limit_finding(const struct rule_input *in, struct findings *out,
			  const struct plan_rows *p, const struct limit *l)
{
	double factor = l->computed / l->returned;
	bool is_total = limit_is_total(in, l);
	bool is_filtered = limit_filtered(p) >= LIMIT_ELSEWHERE * p->self_ms;
	struct finding *f = finding_add(
		out, in, &rule_plan_limit,
		factor >= LIMIT_LEAD && !is_total && !is_filtered ? FINDING_WARNING : FINDING_NOTE,
		LIMIT_SURE);

	finding_claim(out, f,
		      "A LIMIT returns %.0f rows, and %.0f are computed for them: '" STR_FMT
		      "' needs all rows of its input first",
		      l->returned, l->computed, STR_ARG(plan_row_name(in, l->node)));
	f->impact = is_total && p->self_ms > 0
			    ? 100 * fmax(0, l->node->figures[PLAN_SELF]) / p->self_ms
		    : is_filtered ? 100 * fmax(0, 1 - limit_filtered(p) / p->self_ms)
				  : fmin(100, 100 * (1 - l->returned / l->computed));
	finding_figure(f, "rows computed for each one returned", factor, 0, "");
	finding_figure(f, "time of all nodes", p->self_ms, 0, "ms");
	plan_row_cite(out, f, in, l->node);
	plan_row_cite(out, f, in, l->input);
	finding_cause(
		out, f, "%s",
		str_glob(STR("Window*"), plan_row_name(in, l->node))
			? "A window function over all rows, as count(*) OVER (), is computed "
			  "before the limit cuts"
		: is_total
			? "The order is that of an aggregate: all groups are computed before their "
			  "order is known, and no index has it"
			: "The plan reads no index in the order or the groups of the statement, so "
			  "all rows are sorted or grouped before the limit cuts");
	finding_because(out, f, "each node prints how many rows it returned");
	finding_next(out, f, "%s",
		     str_glob(STR("Window*"), plan_row_name(in, l->node))
			     ? "count the rows in a statement of its own, or keep their number; or "
			       "read one row more than the page to see whether there is a next page"
		     : is_total ? "keep the totals in a table, or compute them over fewer rows"
				: "create an index in the order of ORDER BY, with the columns of "
				  "WHERE first; if there is one, why the planner does not use it "
				  "(SET enable_sort = off)");
}

static void limit_check(const struct rule_input *in, struct findings *out)
{
	struct limit l = { .node = NULL };
	struct plan_rows p;

	if (!plan_rows_init(&p, in))
		return;
	for (size_t i = 0; i < p.rows.len; i++) {
		if (!str_glob(STR("Limit|Limit *|Limit:*|Limit/*"),
			      plan_row_name(in, &p.rows.data[i])))
			continue;
		l.has_limit = true;
		limit_below(in, &p, i, &l);
	}
	if (l.has_limit && p.rows.data[0].figures[PLAN_SELF] < 0)
		finding_not_assessed(out, in, &rule_plan_limit, "EXPLAIN ANALYZE with TIMING",
				     "the nodes have no times");
	else if (l.node && p.self_ms >= LIMIT_LEAST)
		limit_finding(in, out, &p, &l);
	else if (l.has_limit)
		finding_clean(
			out, in, &rule_plan_limit,
			"below a LIMIT, no node computes ten times the rows, or all takes less "
			"than 10 ms");
	plan_rows_fini(&p);
}

const struct rule rule_plan_limit = {
	.id = "plan-limit",
	.title = "A LIMIT does not save work",
	.needs = RULE_COUNTERS,
	.check = limit_check,
	.is_measured = true,
};
