/* SPDX-License-Identifier: MIT */
/*
 * plan_costs.c - EXPLAIN of PostgreSQL without ANALYZE: a tree of nodes with estimates
 *
 *     Hash Join  (cost=1.09..2410.50 rows=31 width=44)
 *       Hash Cond: (e.kind = k.id)
 *       ->  Seq Scan on events e  (cost=0.00..2210.00 rows=120000 width=36)
 *
 * The plan has no times. Each node becomes counters with its name as the key: estimated rows and
 * cost, and its own cost, without the costs of its child nodes. The cost of a node includes those
 * of its child nodes, except that the second child of a nested loop runs once for each row of the
 * first one. The counters of a node have the line of its parent, as in query_plan.c, and its
 * condition as the comment of the cost.
 *
 * People break these lines, and remove blanks: the figures may be in the line after the name.
 *
 * Source: src/backend/commands/explain.c of PostgreSQL, ExplainNode(); "Using EXPLAIN" of its
 * manual.
 */
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "formats/format.h"

#include <math.h>

DECLARE_FORMAT(plan_costs);

#define COSTS_NAME      120u
#define COSTS_CONDITION 200u
/* maximum number of consecutive lines inside a plan that do not belong to it */
#define COSTS_GAP   2u
#define COSTS_SCORE 97u /* lower than that of a plan with times */
#define COSTS_MOST  1e15

static const struct diag_kind costs_lines = { "plan-costs-lines", DIAG_INFO,
					      "lines between the nodes of a plan" };
static const struct diag_kind costs_past = { "plan-costs-past-limit", DIAG_DATALOSS,
					     "nodes of a plan past the limit" };

struct costs_node {
	struct str name;
	size_t column; /* column of the arrow "->"; 0: none, the root */
	double cost, rows;
};

struct costs_open {
	str_id name, condition;
	uint32_t parent; /* index of the parent node; INDEX_NONE: the root */
	uint32_t line;
	size_t column;
	double cost, rows;
	double runs;    /* estimated number of times that the node runs */
	double below;   /* cost of its children in one run */
	uint32_t first; /* its first child; INDEX_NONE: none yet */
};

struct costs_reader {
	struct capture *c;
	VEC(struct costs_open) nodes;
};

/* Find the number after @before in @s. False: none. */
static bool costs_number(struct str s, const char *before, double *ret)
{
	size_t at = str_find(s, str_of(before));
	struct str rest = str_skip(s, at + strlen(before));

	return at < s.len && rest.len && char_is_digit(rest.p[0]) && str_double(&rest, ret) &&
	       *ret >= 0 && *ret < COSTS_MOST;
}

/*
 * Parse the line of a node, which may have a line break before "(cost=". False: another line, or a
 * node that ran (query_plan.c).
 */
static bool costs_node(struct str line, struct costs_node *ret)
{
	size_t at = str_find(line, STR("(cost="));
	size_t arrow = str_find(str_sub(line, 0, at), STR("->"));
	struct str figures = str_skip(line, at);

	*ret = (struct costs_node){ .column = arrow < at ? arrow + 1 : 0 };
	if (at == line.len || str_contains(line, STR("(actual ")) ||
	    str_contains(line, STR("(never executed)")))
		return false;
	ret->name = str_trim(str_sub(line, arrow < at ? arrow + 2 : 0, at));
	return ret->name.len && costs_number(figures, "..", &ret->cost) &&
	       costs_number(figures, " rows=", &ret->rows) && str_contains(figures, STR(" width="));
}

/*
 * Take the next line of @rest. If the figures of a node were broken off, *@ret has both lines.
 * Returns the number of lines taken; 0: @rest is empty.
 */
static uint32_t costs_take(struct str *rest, struct str *ret)
{
	struct str after, next;

	if (!str_line(rest, ret))
		return 0;
	after = *rest;
	if (str_contains(*ret, STR("(cost=")) || str_trim(*ret).len == 0 ||
	    !str_line(&after, &next) || !str_starts(str_ltrim(next), STR("(cost=")))
		return 1;
	ret->len = (size_t)(next.p + next.len - ret->p);
	*rest = after;
	return 2;
}

/* Is @line a property of a node: "Hash Cond: (a.x = b.y)", "(13 rows)", "SubPlan 1"? */
static bool costs_is_inner(struct str line)
{
	struct str s = str_trim(line);

	if (str_glob(STR("(* rows)|(1 row)|QUERY PLAN|InitPlan *|SubPlan *|CTE *|JIT:|Functions: *|"
			 "Options: *|Settings: *|Workers Planned: *"),
		     s))
		return true;
	return line.len > 1 && char_is_blank(line.p[0]) && str_find(s, STR(": ")) < s.len;
}

/* Does a text continue with lines of a plan that ran? Then another reader has it. */
static bool plan_costs_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	size_t nodes = 0;
	unsigned int others = 0;
	struct costs_node node;
	struct str line;

	for (size_t at = from; costs_take(&rest, &line); at = text.len - rest.len) {
		bool is_node = costs_node(line, &node);

		if (!is_node && !nodes)
			continue;
		if (str_contains(line, STR("(actual ")) ||
		    str_contains(line, STR("(never executed)"))) {
			nodes = 0;
			continue;
		}
		/* a node without an arrow is the root of the next plan */
		if (is_node && nodes && node.column == 0)
			break;
		if (is_node && nodes++ == 0) {
			*ret = (struct extent){ .from = at, .score = COSTS_SCORE };
			others = 0;
		}
		if (!is_node && !costs_is_inner(line) && ++others > COSTS_GAP)
			break;
		if (!is_node && !costs_is_inner(line))
			continue;
		others = 0;
		ret->to = text.len - rest.len;
	}
	return nodes > 0;
}

static unsigned int plan_costs_probe(struct str head)
{
	struct extent e;

	return plan_costs_find(head, 0, &e) ? 75 : 0;
}

/* Index of the parent of a node at @column: the last node with an arrow further left. */
static uint32_t costs_parent(const struct costs_reader *r, size_t column)
{
	uint32_t at = r->nodes.len ? (uint32_t)r->nodes.len - 1 : INDEX_NONE;

	while (at != INDEX_NONE && at != 0 && r->nodes.data[at].column >= column)
		at = r->nodes.data[at].parent;
	return at;
}

/*
 * How often a child of node @parent runs: once for each run of the parent, and of a nested loop the
 * second child once for each row of the first one. Materialize runs its child once, and repeats the
 * rows.
 */
static double costs_runs(const struct costs_reader *r, uint32_t parent)
{
	const struct costs_open *p;
	struct str name;

	if (parent == INDEX_NONE)
		return 1;
	p = &r->nodes.data[parent];
	name = strings_get(capture_strings(r->c), p->name);
	if (str_eq(name, STR("Materialize")) && p->parent != INDEX_NONE)
		return r->nodes.data[p->parent].runs;
	if (p->first == INDEX_NONE || !str_starts(name, STR("Nested Loop")))
		return p->runs;
	return p->runs * fmax(1, r->nodes.data[p->first].rows);
}

static void costs_add(struct costs_reader *r, const struct costs_node *n, uint32_t line)
{
	uint32_t parent = costs_parent(r, n->column);
	uint32_t index = (uint32_t)r->nodes.len;

	if (index >= LIMIT_ROWS) {
		diag_count(&r->c->diag, &costs_past, line);
		return;
	}
	*VEC_PUSH(&r->nodes) = (struct costs_open){
		.name = strings_add(capture_strings(r->c), str_sub(n->name, 0, COSTS_NAME)),
		.parent = parent,
		.line = line,
		.column = n->column,
		.cost = n->cost,
		.rows = n->rows,
		.runs = costs_runs(r, parent),
		.first = INDEX_NONE,
	};
	if (parent != INDEX_NONE && r->nodes.data[parent].first == INDEX_NONE)
		r->nodes.data[parent].first = index;
}

/* Store the condition of the last node: "Filter: (x = 1)", "Hash Cond: (a.x = b.y)". */
static void costs_property(struct costs_reader *r, struct str line)
{
	struct costs_open *n = &r->nodes.data[r->nodes.len - 1];
	struct str s = str_trim(line);

	if ((str_take(&s, STR("Filter: ")) || str_take(&s, STR("Join Filter: ")) ||
	     str_take(&s, STR("Hash Cond: ")) || str_take(&s, STR("Merge Cond: ")) ||
	     str_take(&s, STR("Index Cond: "))) &&
	    !n->condition.v)
		n->condition = strings_add(capture_strings(r->c), str_sub(s, 0, COSTS_CONDITION));
}

static void costs_counter(struct costs_reader *r, const char *name, const struct costs_open *n,
			  double value)
{
	struct strings *strings = capture_strings(r->c);
	bool is_cost = str_eq(str_of(name), STR("estimated cost"));

	if (counters_add(capture_counters(r->c), strings,
			 (struct counter){ .name = strings_add(strings, str_of(name)),
					   .key = n->name,
					   .value = (int64_t)(value * 100 + 0.5),
					   .decimals = 2,
					   .spread = -1,
					   .running = -1,
					   .comment = is_cost ? n->condition : STR_ID_NONE,
					   .line = n->line,
					   .above = n->parent == INDEX_NONE
							    ? 0
							    : r->nodes.data[n->parent].line }) < 0)
		diag_count(&r->c->diag, &costs_past, n->line);
}

/* Write the counters of all nodes. The cost of a node in all its runs is at most its parent's. */
static void costs_finish(struct costs_reader *r)
{
	for (uint32_t i = 0; i < r->nodes.len; i++) {
		struct costs_open *n = &r->nodes.data[i];

		if (n->parent != INDEX_NONE) {
			struct costs_open *p = &r->nodes.data[n->parent];
			double all = fmin(n->cost * n->runs, p->cost * p->runs - p->below);

			n->cost = fmax(0, all) / n->runs;
			p->below += fmax(0, all);
		}
	}
	VEC_FOREACH (n, &r->nodes) {
		double all = n->cost * n->runs;

		costs_counter(r, "estimated rows", n, n->rows);
		if (n->runs > 1)
			costs_counter(r, "estimated runs", n, n->runs);
		costs_counter(r, "estimated cost", n, all);
		costs_counter(r, "own cost", n, fmax(0, all - n->below));
	}
}

static int plan_costs_read(const struct region *in, struct dossier *d, struct error *err)
{
	struct costs_reader r = { .c = format_add_capture(&format_plan_costs, in, d) };
	struct str text = in->text;
	struct costs_node node;
	struct str line;
	int status = OK;

	for (uint32_t n = 0, lines; (lines = costs_take(&text, &line)) != 0; n += lines) {
		if (costs_node(line, &node))
			costs_add(&r, &node, region_line(in, n));
		else if (r.nodes.len && costs_is_inner(line))
			costs_property(&r, line);
		else if (str_trim(line).len)
			diag_count(&r.c->diag, &costs_lines, region_line(in, n));
	}
	if (r.nodes.len) {
		costs_finish(&r);
		r.c->counters->n_intervals = 1;
		r.c->counters->tool = strings_add(capture_strings(r.c), STR("EXPLAIN"));
	} else {
		status = fail(err, ERR_FORMAT, "no node of a plan");
	}
	VEC_FREE(&r.nodes);
	return status;
}

const struct format format_plan_costs = {
	.name = "plan-costs",
	.title = "query plan without times",
	.summary = "EXPLAIN of PostgreSQL without ANALYZE: nodes with estimated costs and rows",
	.kinds = KIND_COUNTERS,
	.probe = plan_costs_probe,
	.find = plan_costs_find,
	.read = plan_costs_read,
};
