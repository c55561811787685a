/* SPDX-License-Identifier: MIT */
/*
 * A plan of PostgreSQL without times (EXPLAIN without ANALYZE), in which a scan of a whole table
 * has most of the estimated cost. Three kinds, of which the one with the largest part is reported:
 *
 * (1) A hash join reads and hashes a whole table, although the other side has few rows, which could
 *     be looked up one by one.
 * (2) A nested loop scans a table again for each row of its other side.
 * (3) A scan reads a table for a filter.
 *
 * Thresholds: a cost of 100, which is that of reading 100 pages. (1) The hash has 1000 rows or
 * more, 50 times as many as the other side, and 30 % of the cost. (2) The scan runs ten times or
 * more, and has half of the cost. (3) The scan has half of the cost of a plan, which is 1000 or
 * more. It stays a note: the estimates may be wrong, and the time is unknown.
 */
#include "base/plural.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(plan_scan);

#define SCAN_LEAST_COST 100.0
#define SCAN_HASH_ROWS  1000.0
#define SCAN_HASH_TIMES 50.0
#define SCAN_HASH_PART  0.3
#define SCAN_RUNS       10.0
#define SCAN_PART       0.5
#define SCAN_ONCE_COST  1000.0
#define SCAN_FEW        20.0 /* least cost for each row of a scan that returns few rows */
#define SCAN_CONDITION  160u
#define SCAN_SURE       65u

struct scan_node {
	str_id name, condition;
	uint32_t line, parent; /* parent: index of the parent node; INDEX_NONE: the root */
	double rows, runs, cost;
};

struct scan_plan {
	VEC(struct scan_node) nodes; /* each node is before its children */
};

enum scan_kind { SCAN_NONE, SCAN_HASHED, SCAN_AGAIN, SCAN_ONCE };

/* The scan that costs most. */
struct scan_worst {
	enum scan_kind kind;
	uint32_t scan;
	uint32_t join, outer, hash; /* of SCAN_HASHED */
	double part;                /* of the cost of the plan */
};

/* Collect the nodes of the plan: all counters of one line are those of a node. */
static void scan_collect(const struct capture *c, struct scan_plan *p)
{
	const struct strings *strings = capture_strings(c);

	VEC_FOREACH (row, &c->counters->rows) {
		struct scan_node *last = p->nodes.len ? &p->nodes.data[p->nodes.len - 1] : NULL;
		struct str name = strings_get(strings, row->name);
		uint32_t parent = INDEX_NONE;

		if (!last || last->line != row->line) {
			for (uint32_t i = (uint32_t)p->nodes.len; row->above && i-- > 0;) {
				if (p->nodes.data[i].line == row->above) {
					parent = i;
					break;
				}
			}
			last = VEC_PUSH(&p->nodes);
			*last = (struct scan_node){
				.name = row->key, .line = row->line, .parent = parent, .runs = 1
			};
		}
		if (str_eq(name, STR("estimated rows")))
			last->rows = counter_value(row);
		else if (str_eq(name, STR("estimated runs")))
			last->runs = counter_value(row);
		else if (str_eq(name, STR("estimated cost"))) {
			last->cost = counter_value(row);
			last->condition = row->comment;
		}
	}
}

static struct str scan_name(const struct rule_input *in, const struct scan_plan *p, uint32_t node)
{
	return strings_get(capture_strings(in->capture), p->nodes.data[node].name);
}

static bool scan_is_scan(const struct rule_input *in, const struct scan_plan *p, uint32_t node)
{
	return str_glob(STR("Seq Scan on *|Parallel Seq Scan on *"), scan_name(in, p, node));
}

/* The first child of @parent; INDEX_NONE: none. */
static uint32_t scan_first_child(const struct scan_plan *p, uint32_t parent)
{
	for (uint32_t i = parent + 1; i < p->nodes.len; i++) {
		if (p->nodes.data[i].parent == parent)
			return i;
	}
	return INDEX_NONE;
}

/* The scan with most rows below node @top; INDEX_NONE: none. Cost: O(nodes). */
static uint32_t scan_below(const struct rule_input *in, const struct scan_plan *p, uint32_t top)
{
	uint32_t best = INDEX_NONE;

	for (uint32_t i = top + 1; i < p->nodes.len; i++) {
		uint32_t at = p->nodes.data[i].parent;

		while (at != INDEX_NONE && at > top)
			at = p->nodes.data[at].parent;
		if (at == top && scan_is_scan(in, p, i) &&
		    (best == INDEX_NONE || p->nodes.data[i].rows > p->nodes.data[best].rows))
			best = i;
	}
	return best;
}

/* If @hash is a hash of many rows for few rows of the other side, offer its scan as the worst. */
static void scan_try_hash(const struct rule_input *in, const struct scan_plan *p, uint32_t hash,
			  struct scan_worst *worst)
{
	const struct scan_node *h = &p->nodes.data[hash];
	double part = h->cost / p->nodes.data[0].cost;
	uint32_t outer, scan;

	if (!str_glob(STR("Hash|Parallel Hash"), scan_name(in, p, hash)) ||
	    h->parent == INDEX_NONE || h->rows < SCAN_HASH_ROWS || part < SCAN_HASH_PART ||
	    part <= worst->part)
		return;
	outer = scan_first_child(p, h->parent);
	scan = scan_below(in, p, hash);
	if (outer == INDEX_NONE || outer == hash || scan == INDEX_NONE ||
	    h->rows < SCAN_HASH_TIMES * fmax(1, p->nodes.data[outer].rows))
		return;
	*worst = (struct scan_worst){ SCAN_HASHED, scan, h->parent, outer, hash, part };
}

static void scan_try(const struct rule_input *in, const struct scan_plan *p, uint32_t node,
		     struct scan_worst *worst)
{
	const struct scan_node *n = &p->nodes.data[node];
	double part = n->cost / p->nodes.data[0].cost;

	if (!scan_is_scan(in, p, node) || part < SCAN_PART || part <= worst->part)
		return;
	if (n->runs >= SCAN_RUNS)
		*worst = (struct scan_worst){ .kind = SCAN_AGAIN, .scan = node, .part = part };
	else if (n->condition.v && p->nodes.data[0].cost >= SCAN_ONCE_COST)
		*worst = (struct scan_worst){ .kind = SCAN_ONCE, .scan = node, .part = part };
}

static void scan_hashed(const struct rule_input *in, struct findings *out, struct finding *f,
			const struct scan_plan *p, const struct scan_worst *w)
{
	struct str condition =
		strings_get(capture_strings(in->capture), p->nodes.data[w->join].condition);

	finding_claim(out, f,
		      "'" STR_FMT "' hashes %.0f rows of '" STR_FMT
		      "', read whole, to join %.0f row%s: %.0f %% of the estimated cost",
		      STR_ARG(scan_name(in, p, w->join)), p->nodes.data[w->hash].rows,
		      STR_ARG(scan_name(in, p, w->scan)), p->nodes.data[w->outer].rows,
		      plural((uint64_t)(p->nodes.data[w->outer].rows + 0.5)), w->part * 100);
	finding_figure(f, "rows hashed", p->nodes.data[w->hash].rows, 0, "");
	finding_figure(f, "rows of the other side", p->nodes.data[w->outer].rows, 0, "");
	finding_evidence(out, f, in, p->nodes.data[w->scan].line, STR_FMT,
			 STR_ARG(scan_name(in, p, w->scan)));
	finding_evidence(out, f, in, p->nodes.data[w->join].line, STR_FMT,
			 STR_ARG(scan_name(in, p, w->join)));
	finding_usual_cause(out, f,
			    "So few rows could be looked up by an index. No index serves the join, "
			    "or the table is inside of a view or subquery with a join of its own, "
			    "which an outer join cannot take apart");
	if (condition.len)
		finding_next(out, f,
			     "create an index on the column of that table in " STR_FMT
			     "; if there is one, join the table itself instead of the view",
			     STR_ARG(str_sub(condition, 0, SCAN_CONDITION)));
}

static void scan_plain(const struct rule_input *in, struct findings *out, struct finding *f,
		       const struct scan_plan *p, const struct scan_worst *w)
{
	const struct scan_node *n = &p->nodes.data[w->scan];
	struct str condition =
		str_sub(strings_get(capture_strings(in->capture), n->condition), 0, SCAN_CONDITION);
	const char *again = w->kind == SCAN_AGAIN
				    ? finding_name(out, " is run %.0f times and", n->runs)
				    : " reads the whole table and";

	finding_claim(out, f,
		      "'" STR_FMT "'%s has %.0f %% of the estimated cost; it returns %.0f "
		      "row%s%s",
		      STR_ARG(scan_name(in, p, w->scan)), again, w->part * 100, n->rows,
		      plural((uint64_t)(n->rows + 0.5)), w->kind == SCAN_AGAIN ? " each time" : "");
	if (w->kind == SCAN_AGAIN)
		finding_figure(f, "estimated runs", n->runs, 0, "");
	finding_figure(f, "estimated rows", n->rows, 0, "");
	finding_evidence(out, f, in, n->line, STR_FMT, STR_ARG(scan_name(in, p, w->scan)));
	finding_usual_cause(out, f, "%s",
			    w->kind == SCAN_AGAIN
				    ? "A nested loop reads the whole table again for each row of "
				      "its other side, because no index serves the condition"
			    : n->rows * SCAN_FEW <= n->cost
				    ? "No index serves the filter: so few rows need no scan of the "
				      "whole table"
				    : "No index serves the filter, or it keeps so many rows that a "
				      "scan is the best plan");
	if (condition.len)
		finding_next(out, f, "create an index on the columns of " STR_FMT,
			     STR_ARG(condition));
}

static void scan_finding(const struct rule_input *in, struct findings *out,
			 const struct scan_plan *p, const struct scan_worst *w)
{
	struct finding *f = finding_add(out, in, &rule_plan_scan, FINDING_NOTE, SCAN_SURE);

	f->impact = w->part * 100;
	finding_figure(f, "part of the estimated cost", w->part * 100, 0, "%");
	if (w->kind == SCAN_HASHED)
		scan_hashed(in, out, f, p, w);
	else
		scan_plain(in, out, f, p, w);
	finding_because(out, f,
			"cost and rows are estimates of the planner; the plan has no times");
	finding_next(out, f,
		     "EXPLAIN (ANALYZE, BUFFERS) runs the statement: times, and rows next to the "
		     "estimates");
}

static void scan_check(const struct rule_input *in, struct findings *out)
{
	struct scan_worst worst = { .kind = SCAN_NONE };
	struct scan_plan p = { .nodes = VEC_INIT };

	if (!str_eq(str_of(in->capture->format), STR("plan-costs")))
		return;
	scan_collect(in->capture, &p);
	for (uint32_t i = 0; i < p.nodes.len && p.nodes.data[0].cost >= SCAN_LEAST_COST; i++) {
		scan_try_hash(in, &p, i, &worst);
		scan_try(in, &p, i, &worst);
	}
	if (worst.kind != SCAN_NONE)
		scan_finding(in, out, &p, &worst);
	else if (p.nodes.len == 1)
		finding_not_assessed(out, in, &rule_plan_scan, "the whole plan",
				     "the plan has only one node");
	else
		finding_clean(out, in, &rule_plan_scan,
			      "no scan of a whole table has most of the estimated cost");
	VEC_FREE(&p.nodes);
}

const struct rule rule_plan_scan = {
	.id = "plan-scan",
	.title = "Scan of a whole table in a plan without times",
	.needs = RULE_COUNTERS,
	.check = scan_check,
};
