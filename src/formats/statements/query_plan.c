/* SPDX-License-Identifier: MIT */
/*
 * query_plan.c - EXPLAIN ANALYZE of PostgreSQL and MySQL: a tree of timed nodes
 *
 * A plan prints for each node the mean time of its loops. This time includes the child nodes. The
 * node's total time is this mean times the number of loops. Under a Gather node, the total is
 * divided by the number of processes that shared the work. The node's own time is its total minus
 * the totals of its child nodes. Each node becomes a frame of a profile. Estimated and actual rows
 * become counters, with the node's name as the key.
 *
 * Sources: src/backend/commands/explain.c of PostgreSQL; sql/join_optimizer/explain_access_path.cc
 * of MySQL.
 */
#include "formats/statements/query_plan.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "formats/format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

DECLARE_FORMAT(query_plan);

#define PLAN_LINE            8192u
#define PLAN_CONDITION       200u /* maximum length of a condition that is stored */
#define PLAN_CONDITION_LINES 4u   /* maximum number of lines of a condition that a mailer broke */
#define PLAN_NAME            120u
/* maximum number of consecutive lines inside a plan that do not belong to the plan */
#define PLAN_GAP   3u
#define PLAN_SCORE 98u
#define PLAN_LOOPS 1e12
/* maximum number of nodes from a "CTE Scan" to the node that computes the CTE (WITH query) */
#define PLAN_SEARCH 4096u
#define PLAN_MS     1e9
/*
 * The root's time includes the triggers if root and triggers together take more than this multiple
 * of the statement's time.
 */
#define PLAN_TRIGGERS  1.02
#define PLAN_FIGURE    15u
#define PLAN_MANY_KEYS 5 /* a sort with fewer keys is usual: their number is not counted */
/* labels before a node that the parent runs, but whose rows the parent does not read */
#define PLAN_LABELS "CTE *|InitPlan *|SubPlan *"
/*
 * Nodes that always have a child node. Source: PostgreSQL, explain.c, ExplainNode(); MySQL,
 * sql/join_optimizer/explain_access_path.cc
 */
#define PLAN_NEEDS_BELOW                                                                         \
	"Sort|Sort:*|Incremental Sort|Limit|Limit:*|Unique|Hash|Materialize|Aggregate*|"         \
	"HashAggregate|GroupAggregate|WindowAgg|Gather|Gather Merge|Nested Loop*|Nested loop *|" \
	"Hash Join|Hash * Join|Merge Join|Merge * Join|Table scan on <temporary>|Filter:*|"      \
	"Temporary table*|Stream results*|Group aggregate*"
/*
 * Nodes that do their own work before they return the first row. Source: PostgreSQL, nodeSort.c,
 * nodeAgg.c, nodeHash.c
 */
#define PLAN_BLOCKING "Sort|Sort:*|Aggregate*|HashAggregate|Hash|WindowAgg"

static const struct diag_kind plan_loopless = {
	"plan-loops", DIAG_DATALOSS, "nodes without their number of loops, read as one loop"
};
static const struct diag_kind plan_lines = { "query-plan-lines", DIAG_INFO,
					     "lines between the nodes of a plan" };
static const struct diag_kind plan_past = { "query-plan-past-limit", DIAG_DATALOSS,
					    "nodes of a plan past the limit" };
static const struct diag_kind plan_negative = {
	"query-plan-overlap", DIAG_DATALOSS, "nodes that took less time than the nodes below them"
};

static const struct diag_kind plan_cut = { "query-plan-cut", DIAG_DATALOSS,
					   "nodes of a plan whose lower nodes are cut off" };

/* Counters of a node. Their numbers are in lines below the node's line. */
static const struct {
	const char *name;   /* name of the counter */
	const char *line;   /* str_glob pattern of the line that has the number */
	const char *before; /* text before the number */
	const char *unit;
} plan_figures[PLAN_FIGURE] = {
	{ "rows removed", "Rows Removed by *Filter: *", ": ", "" },
	/*
	 * rows that the index returned, or that are in the pages of a lossy bitmap, but that do not
	 * meet the condition
	 */
	{ "rows failing recheck", "Rows Removed by Index Recheck: *", ": ", "" },
	{ "lossy blocks", "Heap Blocks: *", "lossy=", "" },
	{ "sort on disk", "Sort Method: external*", "Disk: ", "kB" },
	/* the line starts with "Batches" if the hash was planned with a single batch */
	{ "hash on disk", "Planned Partitions: *|Batches: *", "Disk Usage: ", "kB" },
	{ "hash batches", "Buckets: *", "Batches: ", "" },
	{ "blocks read", "Buffers: *", " read=", "" },
	{ "heap fetches", "Heap Fetches: *", "Fetches: ", "" },
	{ "blocks hit", "Buffers: *", "shared hit=", "" },
	{ "workers planned", "Workers Planned: *", ": ", "" },
	{ "workers launched", "Workers Launched: *", ": ", "" },
	/*
	 * PostgreSQL prints the line if track_io_timing is on. As in the line "Buffers", the figure
	 * includes the child nodes
	 */
	{ "time of reads", "I/O Timings: *", "read=", "ms" },
	{ "conditions with parameters", "", "", "" }, /* set by plan_condition() */
	{ "computed sort keys", "", "", "" },         /* set by plan_sort_key() */
	{ "sort keys", "", "", "" },                  /* set by plan_sort_key() */
};

#define PLAN_REMOVED_ROWS 0u /* index in plan_figures of "rows removed" */
/* index in plan_figures of "conditions with parameters" */
#define PLAN_PARAMETERS (PLAN_FIGURE - 3)
#define PLAN_COMPUTED   (PLAN_FIGURE - 2) /* index in plan_figures of "computed sort keys" */
#define PLAN_SORT_KEYS  (PLAN_FIGURE - 1) /* index in plan_figures of "sort keys" */

/* Times of the whole statement that a plan prints. */
static const struct {
	const char *line; /* str_glob pattern of the text before the number */
	const char *name;
	const char *before; /* text before the number */
} plan_totals[] = {
	{ "Execution Time|Execution time|Total runtime", "elapsed time", ": " },
	{ "Planning Time|Planning time", "planning time", ": " },
	/* source: PostgreSQL, explain.c, ExplainPrintJIT() */
	{ "Timing", "time of JIT compilation", ", Total " },
};

struct plan_node {
	struct str name;
	size_t column; /* column of the node's arrow "->", which shows its depth */
	double estimate, loops;
	bool is_loopless; /* the number of loops is not printed for the node */
	/* mean number of rows of a loop; negative: not printed, as for a query block of MariaDB */
	double rows;
	/* mean times from the start of a loop: up to its first row, and up to its last row */
	double start_ms, end_ms;
	bool has_estimate, has_time, is_run;
};

struct plan_open {
	str_id name;
	sym_id sym;
	uint32_t parent; /* index of the parent node; INDEX_NONE: the node is the root */
	uint32_t line;
	size_t column;
	double estimate, rows, loops, total_ms, below_ms;
	double start_ms; /* time up to the first row, summed over all loops */
	bool has_below;  /* the node has a child node */
	/*
	 * if the node computes a CTE: its total time, until the first scan of the CTE subtracts
	 * this time; then 0
	 */
	double unpaid_ms;
	double figures[PLAN_FIGURE];
	double workers; /* number of launched workers, if this is a Gather node */
	str_id cte;     /* name of the CTE that the node computes; STR_ID_NONE: none */
	/* name of the subplan, "SubPlan 2", if the node is its first node; otherwise STR_ID_NONE */
	str_id subplan;
	/* condition with which the node removes rows, "(a.x = b.y)"; STR_ID_NONE: none */
	str_id condition;
	/* condition of the index, hash or merge that the node uses; STR_ID_NONE: none */
	str_id index_condition;
	bool has_estimate, has_time, is_run;
	bool is_trigger;
};

struct plan_reader {
	const struct region *in;
	struct capture *c;
	VEC(struct plan_open) nodes;
	/* while a node's counters are written: line number of its parent; 0: no parent */
	uint32_t above;
	str_id comment;   /* comment for the counters that are being written */
	double total_ms;  /* elapsed time of the statement; 0: not printed */
	bool is_planning; /* the current lines are about the planner, not about a node */
	str_id label;     /* name of the CTE in the previous line, if that is "CTE x" */
	str_id subplan;   /* "SubPlan 2", if the previous line is this label */
	/*
	 * Column of the last label "CTE x", "InitPlan 1" or "SubPlan 2", until its node follows;
	 * SIZE_MAX: no node is expected. The parent of this node is the last node that is further
	 * left than the label, not the previous node.
	 */
	size_t label_column;
	bool has_initplan;
	bool is_continued; /* the last line ends with ',': the next one continues its list */
	/* the lines so far of a condition whose brackets are still open, because a mailer broke it
	 */
	char open[PLAN_CONDITION];
	size_t open_len;
	unsigned int open_lines;
	bool is_sort_key;   /* the last line belongs to a list "Sort Key: " */
	unsigned int depth; /* number of open brackets in this list */
};

/* Find the number after the text @before in @s. False: @s has no such number. */
static bool plan_number(struct str s, const char *before, double *ret)
{
	size_t at = str_find(s, str_of(before));
	struct str rest = str_skip(s, at + strlen(before));

	return at < s.len && rest.len && char_is_digit(rest.p[0]) && str_double(&rest, ret) &&
	       *ret >= 0 && *ret < PLAN_LOOPS;
}

/* Names of nodes that may be quoted without the words "cost" and "actual". */
#define PLAN_NODES                                                                              \
	"Seq Scan on *|Parallel Seq Scan on *|Index Scan *|Index Only Scan *|Parallel Index *|" \
	"Bitmap Heap Scan on *|Bitmap Index Scan on *|Parallel Bitmap *|CTE Scan on *|"         \
	"Subquery Scan on *|Function Scan on *|Foreign Scan on *|Nested Loop*|Hash Join|"       \
	"Hash * Join|Merge Join|Merge * Join|Parallel Hash*|Hash|Sort|Incremental Sort|Limit|"  \
	"Gather|Gather Merge|Aggregate|* Aggregate|*HashAggregate|*GroupAggregate|Materialize|" \
	"Memoize|Unique|Append|Merge Append|WindowAgg|Table scan on *|Index lookup on *"

/*
 * Offset in @line of the figures of a node that was quoted without "actual": "Seq Scan on jobs
 * (rows=75917, loops=3)". line.len: @line is no such node.
 */
static size_t plan_bare(struct str line)
{
	size_t at = str_rfind_char(line, '(');
	struct str rest = str_skip(line, at);
	size_t arrow = str_find(line, STR("->"));
	struct str name = str_trim(str_sub(line, arrow < at ? arrow + 2 : 0, at));
	double n;

	return at < line.len && str_glob(STR("(rows=*|(loops=*|(time=*"), rest) &&
			       str_glob(STR(PLAN_NODES), name) && plan_number(rest, "rows=", &n) &&
			       plan_number(rest, "loops=", &n)
		       ? at
		       : line.len;
}

static bool plan_node(struct str line, struct plan_node *ret)
{
	size_t cost = str_find(line, STR("(cost="));
	size_t found = str_find(line, STR("(actual "));
	size_t actual = found < line.len ? found : plan_bare(line);
	size_t never = str_find(line, STR("(never executed)"));
	size_t end = cost < actual ? cost : actual;
	size_t arrow;
	struct str part;

	*ret = (struct plan_node){ .is_run = actual < line.len };
	if (line.len > PLAN_LINE || (actual == line.len && never == line.len))
		return false;
	end = end < never ? end : never;
	arrow = str_find(str_sub(line, 0, end), STR("->"));
	ret->column = arrow < end ? arrow + 1 : 0;
	ret->name = str_trim(str_sub(line, arrow < end ? arrow + 2 : 0, end));
	part = str_sub(line, cost, cost < actual ? actual : line.len);
	ret->has_estimate = cost < line.len && plan_number(part, "rows=", &ret->estimate);
	if (!ret->is_run)
		return ret->name.len > 0;
	part = str_skip(line, actual);
	if (!plan_number(part, "rows=", &ret->rows))
		ret->rows = -1;
	ret->has_time =
		plan_number(part, "time=", &ret->start_ms) && plan_number(part, "..", &ret->end_ms);
	/* the author of a quotation may have removed the number of loops, mostly if it is 1 */
	ret->is_loopless = !plan_number(part, "loops=", &ret->loops);
	if (ret->is_loopless && !ret->has_time)
		return false;
	ret->loops = ret->is_loopless ? 1 : ret->loops;
	return ret->name.len > 0;
}

/*
 * Read a time of the whole statement, "Execution Time: 8130.002 ms". *@ret_which: index of this
 * time in plan_totals. False: @line has no such time.
 */
static bool plan_total(struct str line, size_t *ret_which, double *ret)
{
	size_t colon = str_find_char(line, ':');
	struct str name = str_trim(str_sub(line, 0, colon));

	for (size_t i = 0; i < ARRAY_LEN(plan_totals); i++) {
		*ret_which = i;
		if (str_glob(str_of(plan_totals[i].line), name))
			return plan_number(line, plan_totals[i].before, ret) &&
			       str_ends(str_trim(line), STR("ms"));
	}
	return false;
}

/*
 * Whether @line is one that can only follow the line of a node: "Filter: …", "CTE x", "Planning:",
 * or a label indented by two blanks or more.
 */
static bool plan_is_inner(struct str line)
{
	struct str s = str_trim(line);

	if (str_glob(STR("Planning:|JIT:|Trigger *: time=*|Settings: *|Query Identifier: *|"
			 "Functions: *|Options: *|Timing: *|(* rows)|QUERY PLAN|Buffers: *"),
		     s))
		return true;
	return line.len > 2 && char_is_blank(line.p[0]) && char_is_blank(line.p[1]) &&
	       (str_find(s, STR(": ")) < s.len || str_glob(STR(PLAN_LABELS), s));
}

/* Whether @line ends with a comma, so that its list ("Sort Key: a.x,") goes on in the next line. */
static bool plan_is_continued(struct str line)
{
	return str_ends(str_rtrim(line), STR(","));
}

static bool plan_is_title(struct str line)
{
	line = str_trim(line);
	for (size_t i = 0; i < line.len; i++) {
		if (line.p[i] != '-')
			return str_eq(line, STR("QUERY PLAN"));
	}
	return line.len > 8;
}

/*
 * Take the next line of @rest. If a mailer broke the line of a node before "(actual …", take both
 * halves: *@ret has them with the line break between them. Returns the number of lines taken; 0:
 * @rest is empty.
 */
static uint32_t plan_take_line(struct str *rest, struct str *ret)
{
	struct str after;
	struct str next;

	if (!str_line(rest, ret))
		return 0;
	after = *rest;
	if (!str_contains(*ret, STR("(cost=")) || str_contains(*ret, STR("(actual ")) ||
	    str_contains(*ret, STR("(never ")) || !str_line(&after, &next) ||
	    !(str_starts(str_ltrim(next), STR("(actual ")) ||
	      str_starts(str_ltrim(next), STR("(never executed)"))))
		return 1;
	ret->len = (size_t)(next.p + next.len - ret->p);
	*rest = after;
	return 2;
}

static bool query_plan_find(struct str text, size_t from, struct extent *ret)
{
	struct str rest = str_skip(text, from);
	size_t title = SIZE_MAX, nodes = 0;
	unsigned int others = 0;
	struct plan_node node;
	bool has_total = false;
	bool is_list = false; /* the line before is an unfinished list of the plan */
	struct str line;

	for (size_t at = from; plan_take_line(&rest, &line); at = text.len - rest.len) {
		bool is_node = plan_node(line, &node);
		bool is_inner = plan_is_inner(line) || is_list;
		size_t which;
		double ms;

		if (!is_node && !nodes) {
			title = !plan_is_title(line) ? SIZE_MAX : title != SIZE_MAX ? title : at;
			continue;
		}
		/*
		 * the next plan starts here: this node has no arrow "->", or follows the total time
		 */
		if (is_node && nodes && (has_total || node.column == 0))
			break;
		if (is_node && nodes++ == 0)
			*ret = (struct extent){ .from = title != SIZE_MAX ? title : at,
						.score = PLAN_SCORE };
		if (!is_node && plan_total(line, &which, &ms))
			has_total |= which == 0;
		else if (!is_node && !is_inner && ++others > PLAN_GAP)
			break;
		else if (!is_node && !is_inner)
			continue;
		is_list = !is_node && plan_is_continued(line);
		others = 0;
		ret->to = text.len - rest.len;
	}
	return nodes > 0;
}

static unsigned int query_plan_probe(struct str head)
{
	struct extent e;

	return query_plan_find(head, 0, &e) ? 80 : 0;
}

/*
 * Index of the parent of a node whose arrow is at @column. The parent is the last node whose arrow
 * is further left; if there is none, it is the root. INDEX_NONE: there are no nodes yet.
 */
static uint32_t plan_parent(const struct plan_reader *r, size_t column)
{
	uint32_t at = r->nodes.len ? (uint32_t)r->nodes.len - 1 : INDEX_NONE;

	while (at != INDEX_NONE && at != 0 && r->nodes.data[at].column >= column)
		at = r->nodes.data[at].parent;
	return at;
}

/*
 * Number of processes that share the work of node @at's children: the workers of the nearest Gather
 * node, and the leader, which is one more process. Without a Gather node: 1.
 */
static double plan_processes(const struct plan_reader *r, uint32_t at)
{
	while (at != INDEX_NONE && r->nodes.data[at].workers <= 0)
		at = r->nodes.data[at].parent;
	return at == INDEX_NONE ? 1 : r->nodes.data[at].workers + 1;
}

static void plan_add_node(struct plan_reader *r, const struct plan_node *n, uint32_t line)
{
	size_t column = n->column < r->label_column ? n->column : r->label_column;
	uint32_t parent = plan_parent(r, column);
	struct str name = str_sub(n->name, 0, PLAN_NAME);
	struct plan_open *row;

	if (r->nodes.len >= LIMIT_ROWS) {
		diag_count(&r->c->diag, &plan_past, line);
		return;
	}
	row = VEC_PUSH(&r->nodes);
	*row = (struct plan_open){ .name = strings_add(capture_strings(r->c), name),
				   .sym = symbols_add_text(capture_symbols(r->c), name, STR_NONE,
							   SPACE_UNKNOWN, 0),
				   .parent = parent,
				   .line = line,
				   .column = n->column,
				   .estimate = n->estimate,
				   .rows = n->rows,
				   .loops = n->loops,
				   .cte = r->label,
				   .subplan = r->subplan,
				   .has_estimate = n->has_estimate,
				   .has_time = n->has_time,
				   .is_run = n->is_run };
	row->total_ms = n->end_ms * n->loops / plan_processes(r, parent);
	row->start_ms = n->start_ms * n->loops / plan_processes(r, parent);
	if (parent != INDEX_NONE)
		r->nodes.data[parent].has_below = true;
	/*
	 * the number of loops is not printed: use the parent's time as a limit, because no node
	 * takes longer than its parent
	 */
	if (n->is_loopless && parent != INDEX_NONE)
		row->total_ms = fmin(row->total_ms, r->nodes.data[parent].total_ms);
	r->label = STR_ID_NONE;
	r->subplan = STR_ID_NONE;
	r->label_column = SIZE_MAX;
}

/*
 * Whether the condition @s has a parameter, such as "$1". "$0" does not count: it is the result of
 * an InitPlan.
 */
static bool plan_has_parameter(struct str s)
{
	for (size_t i = 0; i + 1 < s.len; i++) {
		if (s.p[i] == '$' && s.p[i + 1] >= '1' && s.p[i + 1] <= '9')
			return true;
	}
	return false;
}

/*
 * Store the condition of @node. @s: "Join Filter: (a.x = b.y)", "Filter: ..." or "Index Cond: ...".
 */
static void plan_condition(struct plan_reader *r, struct plan_open *node, struct str s)
{
	struct str index = s;

	if (str_glob(STR("*Filter: *|*Cond: *"), s) && plan_has_parameter(s))
		node->figures[PLAN_PARAMETERS] = 1;
	if ((str_take(&index, STR("Index Cond: ")) || str_take(&index, STR("Recheck Cond: ")) ||
	     str_take(&index, STR("Hash Cond: ")) || str_take(&index, STR("Merge Cond: "))) &&
	    !node->index_condition.v)
		node->index_condition =
			strings_add(capture_strings(r->c), str_sub(index, 0, PLAN_CONDITION));
	if ((str_take(&s, STR("Join Filter: ")) || str_take(&s, STR("Filter: "))) &&
	    s.len <= PLAN_CONDITION && !node->condition.v)
		node->condition = strings_add(capture_strings(r->c), s);
}

static void plan_counter(struct plan_reader *r, const char *name, str_id key, double value,
			 unsigned int decimals, const char *unit, uint32_t line)
{
	struct strings *strings = capture_strings(r->c);
	double scaled = value;

	for (unsigned int i = 0; i < decimals; i++)
		scaled *= 10;
	if (counters_add(capture_counters(r->c), strings,
			 (struct counter){ .name = strings_add(strings, str_of(name)),
					   .unit = *unit ? strings_add(strings, str_of(unit))
							 : STR_ID_NONE,
					   .key = key,
					   .value = (int64_t)(scaled + 0.5),
					   .decimals = (uint8_t)decimals,
					   .spread = -1,
					   .running = -1,
					   .comment = r->comment,
					   .line = line,
					   .above = r->above }) < 0)
		diag_count(&r->c->diag, &plan_past, line);
}

/*
 * Read "Trigger for constraint x: time=36.335 calls=5000" as a node. plan_place_triggers() decides
 * later whether the node is a child of the root.
 */
static void plan_trigger(struct plan_reader *r, struct str s, uint32_t line)
{
	struct plan_node n = { .name = str_sub(s, 0, str_find(s, STR(": time="))),
			       .is_run = true,
			       .has_time = true };

	if (!plan_number(s, " calls=", &n.loops) || !plan_number(s, "time=", &n.end_ms) ||
	    n.loops < 1)
		return;
	n.end_ms /= n.loops;
	r->label_column = SIZE_MAX;
	plan_add_node(r, &n, line);
	r->nodes.data[r->nodes.len - 1].is_trigger = true;
}

/*
 * If the root's time includes the triggers, make them children of the root. Otherwise each trigger
 * stays a root of its own.
 */
static void plan_place_triggers(struct plan_reader *r)
{
	double sum = r->nodes.data[0].total_ms;

	VEC_FOREACH (n, &r->nodes)
		sum += n->is_trigger ? n->total_ms : 0;
	VEC_FOREACH (n, &r->nodes) {
		if (n->is_trigger)
			n->parent = r->total_ms > 0 && sum > r->total_ms * PLAN_TRIGGERS
					    ? 0
					    : INDEX_NONE;
	}
}

/*
 * Count the keys of a sort in @s, the text after "Sort Key: " or a further line of its list. A
 * bracket shows that a key is computed: "(sum(o.amt)) DESC".
 */
static void plan_sort_key(struct plan_reader *r, struct plan_open *node, struct str s)
{
	s = str_rtrim(s);
	if (!plan_is_continued(s))
		node->figures[PLAN_SORT_KEYS]++;
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] == '(') {
			r->depth++;
			node->figures[PLAN_COMPUTED] = 1;
		} else if (s.p[i] == ')' && r->depth) {
			r->depth--;
		} else if (s.p[i] == ',' && r->depth == 0) {
			node->figures[PLAN_SORT_KEYS]++;
		}
	}
}

/* Whether @s has more opening than closing brackets. */
static bool plan_is_open(struct str s)
{
	size_t depth = 0;

	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] == '(')
			depth++;
		else if (s.p[i] == ')' && depth)
			depth--;
	}
	return depth > 0;
}

/* Store the condition whose lines are in r->open. */
static void plan_close_condition(struct plan_reader *r)
{
	if (r->open_len)
		plan_condition(r, &r->nodes.data[r->nodes.len - 1],
			       (struct str){ r->open, r->open_len });
	r->open_len = 0;
}

/*
 * Take a line of a condition that a mailer broke: its first line @s ("Filter: ((a = 1) AND"), or a
 * further one. False: @s does not belong to such a condition.
 */
static bool plan_open_condition(struct plan_reader *r, struct str s)
{
	bool is_first = r->open_len == 0;

	if (is_first ? !str_glob(STR("Filter: *|Join Filter: *|* Cond: *"), s) || !plan_is_open(s)
		     : r->open_lines == PLAN_CONDITION_LINES)
		return false;
	if (r->open_len + 1 + s.len > sizeof(r->open))
		return false;
	if (!is_first)
		r->open[r->open_len++] = ' ';
	memcpy(r->open + r->open_len, s.p, s.len);
	r->open_len += s.len;
	r->open_lines = is_first ? 1 : r->open_lines + 1;
	if (!plan_is_open((struct str){ r->open, r->open_len }))
		plan_close_condition(r);
	return true;
}

/* Read a line that continues the list of the line before. */
static void plan_continue(struct plan_reader *r, struct str line)
{
	if (r->is_sort_key)
		plan_sort_key(r, &r->nodes.data[r->nodes.len - 1], str_trim(line));
	r->is_continued = plan_is_continued(line);
}

/* Read a line that follows the line of a node. False: @line does not belong to the plan. */
static bool plan_property(struct plan_reader *r, struct str line, uint32_t at)
{
	struct plan_open *node = &r->nodes.data[r->nodes.len - 1];
	struct str s = str_trim(line);
	struct str cte = s;
	/* remove the blocks of temporary files, which come last in a line "Buffers" */
	struct str shared = str_sub(s, 0, str_find(s, STR(" temp ")));
	double value;
	size_t which;

	if (plan_total(line, &which, &value)) {
		plan_counter(r, plan_totals[which].name, STR_ID_NONE, value, 3, "ms", at);
		r->total_ms = which == 0 ? value : r->total_ms;
		return true;
	}
	if (str_glob(STR("Trigger *: time=* calls=*"), s)) {
		plan_trigger(r, s, at);
		return true;
	}
	r->is_continued = plan_is_inner(line) && plan_is_continued(line);
	r->is_sort_key = str_starts(s, STR("Sort Key: "));
	r->depth = 0;
	if (r->is_sort_key)
		plan_sort_key(r, node, str_skip(s, strlen("Sort Key: ")));
	if (str_starts(s, STR("Workers Launched: ")) && plan_number(s, ": ", &value))
		node->workers = value;
	r->has_initplan |= str_starts(s, STR("InitPlan ")) || str_contains(s, STR("(returns $"));
	if (str_glob(STR(PLAN_LABELS), s))
		r->label_column = (size_t)(s.p - line.p) + 1;
	if (str_take(&cte, STR("CTE ")))
		r->label = strings_add(capture_strings(r->c), str_sub(cte, 0, PLAN_NAME));
	if (str_starts(s, STR("SubPlan ")) && str_glob(STR(PLAN_LABELS), s))
		r->subplan = strings_add(capture_strings(r->c), str_sub(s, 0, PLAN_NAME));
	r->is_planning |= str_eq(s, STR("Planning:"));
	plan_close_condition(r);
	if (!plan_open_condition(r, s))
		plan_condition(r, node, s);
	for (size_t i = 0; i < PLAN_FIGURE && !r->is_planning; i++) {
		if (plan_figures[i].line[0] && str_glob(str_of(plan_figures[i].line), s) &&
		    plan_number(shared, plan_figures[i].before, &value))
			node->figures[i] += value;
	}
	return plan_is_inner(line);
}

static bool plan_is_cte(const struct plan_reader *r, uint32_t at, struct str name)
{
	str_id cte = r->nodes.data[at].cte;

	return cte.v && str_eq(strings_get(capture_strings(r->c), cte), name);
}

/*
 * If node @scan is "CTE Scan on x", the index of the node that computes the CTE x. INDEX_NONE:
 * @scan is another node, or the text lacks this CTE.
 */
static uint32_t plan_source(const struct plan_reader *r, uint32_t scan)
{
	struct str name = strings_get(capture_strings(r->c), r->nodes.data[scan].name);

	if (!str_take(&name, STR("CTE Scan on ")))
		return INDEX_NONE;
	name = str_sub(name, 0, str_find_char(name, ' '));
	for (uint32_t i = scan; i-- > 0 && scan - i < PLAN_SEARCH;) {
		if (plan_is_cte(r, i, name))
			return i;
	}
	/* in the first lines of a plan, a scan may precede the node that computes its CTE */
	for (uint32_t i = scan + 1; i < r->nodes.len && i - scan < PLAN_SEARCH; i++) {
		if (plan_is_cte(r, i, name))
			return i;
	}
	return INDEX_NONE;
}

/*
 * Add the time of each node to below_ms of its parent, except for nodes that compute a CTE. Then
 * below_ms is the time of all children. If a node takes less time than its children together, the
 * time of its children is added to its parent instead. Example: MySQL fills a temporary table
 * before the scan of this table.
 */
static void plan_below(struct plan_reader *r)
{
	/* from last to first, because a node is printed after its parent */
	for (uint32_t i = (uint32_t)r->nodes.len; i-- > 0;) {
		struct plan_open *n = &r->nodes.data[i];
		uint32_t into = n->parent;

		n->unpaid_ms = n->total_ms;
		/* a CTE's time is already in the times of the nodes that scan the CTE */
		if (n->cte.v)
			continue;
		if (into != INDEX_NONE)
			r->nodes.data[into].below_ms += fmax(n->total_ms, n->below_ms);
	}
}

static stack_id plan_stack(struct plan_reader *r, stack_id *stacks, uint32_t at)
{
	const struct plan_open *n = &r->nodes.data[at];
	stack_id above = n->parent == INDEX_NONE ? STACK_ROOT : stacks[n->parent];

	return stacks_push(&r->c->profile->stacks, above, n->sym);
}

/*
 * Whether the author of the text cut off the children of @n: @n needs the rows of a child, but the
 * text has no child. The missing nodes then get the time up to the first row of @n, because @n
 * returns its first row only after a child did.
 */
static bool plan_is_cut(const struct plan_reader *r, const struct plan_open *n)
{
	return !n->has_below &&
	       str_glob(STR(PLAN_NEEDS_BELOW), strings_get(capture_strings(r->c), n->name));
}

/*
 * Add a node "(cut off below NAME)" for the lost children of node @at. Its time is the time up to
 * the first row of node @at. A node such as Sort does its own work in this time, too: then the name
 * is "(NAME, or cut off below it)".
 */
static void plan_add_cut(struct plan_reader *r, stack_id *stacks, uint32_t at)
{
	struct plan_open *n = &r->nodes.data[at];
	double ms = fmin(n->start_ms, PLAN_MS);
	struct str of = strings_get(capture_strings(r->c), n->name);
	char name[PLAN_NAME + 48];
	sym_id sym;

	diag_count(&r->c->diag, &plan_cut, n->line);
	if (ms <= 0)
		return;
	if (str_glob(STR(PLAN_BLOCKING), of))
		(void)snprintf(name, sizeof(name), "(" STR_FMT ", or cut off below it)",
			       STR_ARG(of));
	else
		(void)snprintf(name, sizeof(name), "(cut off below " STR_FMT ")", STR_ARG(of));
	sym = symbols_add_text(capture_symbols(r->c), str_of(name), STR_NONE, SPACE_UNKNOWN, 0);
	n->below_ms += ms;
	plan_counter(r, "own time", strings_add(capture_strings(r->c), str_of(name)), ms, 3, "ms",
		     n->line);
	if (profile_add_sample(r->c->profile, stacks_push(&r->c->profile->stacks, stacks[at], sym),
			       (uint64_t)(ms * 1e6)) < 0)
		diag_count(&r->c->diag, &plan_past, n->line);
}

static void plan_add_self(struct plan_reader *r, stack_id *stacks, uint32_t at)
{
	struct plan_open *n = &r->nodes.data[at];
	uint32_t source = plan_source(r, at);
	double self = n->total_ms - n->below_ms;
	/*
	 * times of loops are printed in microseconds, so rounding may make `self` negative, down to
	 * -slack
	 */
	double slack = 0.001 * (n->loops + 1);

	/*
	 * only the scan of a CTE that runs first includes the time to compute the CTE; it need not
	 * be the first one of the plan
	 */
	if (source != INDEX_NONE && self - r->nodes.data[source].unpaid_ms >= -slack) {
		self -= r->nodes.data[source].unpaid_ms;
		r->nodes.data[source].unpaid_ms = 0;
	}
	if (self < -slack)
		diag_count(&r->c->diag, &plan_negative, n->line);
	self = self < 0 ? 0 : self > PLAN_MS ? PLAN_MS : self;
	r->comment = n->subplan;
	plan_counter(r, "own time", n->name, self, 3, "ms", n->line);
	r->comment = STR_ID_NONE;
	if (self > 0 && profile_add_sample(r->c->profile, stacks[at], (uint64_t)(self * 1e6)) < 0)
		diag_count(&r->c->diag, &plan_past, n->line);
}

static void plan_profile(struct profile *p, struct strings *strings)
{
	p->unit = WEIGHT_NS;
	p->event = strings_add(strings, STR("plan-time"));
	p->is_summed = true;
}

/* Write the profile and the counters of all nodes to the capture. */
static void plan_finish(struct plan_reader *r)
{
	VEC(stack_id) stacks = VEC_INIT;
	bool has_time = false;

	VEC_FOREACH (n, &r->nodes)
		has_time |= n->has_time;
	if (has_time)
		plan_profile(capture_profile(r->c), capture_strings(r->c));
	plan_place_triggers(r);
	plan_below(r);
	for (uint32_t i = 0; i < r->nodes.len; i++) {
		struct plan_open *n = &r->nodes.data[i];

		r->above = n->parent == INDEX_NONE ? 0 : r->nodes.data[n->parent].line;
		*VEC_PUSH(&stacks) = STACK_ROOT;
		if (has_time)
			stacks.data[i] = plan_stack(r, stacks.data, i);
		if (n->has_estimate)
			plan_counter(r, "estimated rows", n->name, n->estimate, 0, "", n->line);
		if (n->is_run) {
			if (n->rows >= 0)
				plan_counter(r, "rows", n->name, n->rows, 2, "", n->line);
			r->comment = n->index_condition;
			plan_counter(r, "loops", n->name, n->loops, 0, "", n->line);
			r->comment = STR_ID_NONE;
			if (plan_processes(r, n->parent) > 1)
				plan_counter(r, "processes", n->name, plan_processes(r, n->parent),
					     0, "", n->line);
		}
		for (size_t k = 0; k < PLAN_FIGURE; k++) {
			/* comment of the counter "rows removed": the condition that removed them */
			r->comment = k == PLAN_REMOVED_ROWS ? n->condition : STR_ID_NONE;
			/*
			 * do not count parameters if the plan has an InitPlan, because its results
			 * look like parameters
			 */
			if (k == PLAN_SORT_KEYS && n->figures[k] < PLAN_MANY_KEYS)
				continue;
			if (n->figures[k] > 0 && !(k == PLAN_PARAMETERS && r->has_initplan))
				plan_counter(r, plan_figures[k].name, n->name, n->figures[k], 0,
					     plan_figures[k].unit, n->line);
		}
		if (n->has_time && plan_is_cut(r, n))
			plan_add_cut(r, stacks.data, i);
		if (n->has_time)
			plan_add_self(r, stacks.data, i);
	}
	VEC_FREE(&stacks);
}

struct plan_reader *query_plan_open(const struct format *of, const struct region *in,
				    struct dossier *d)
{
	struct plan_reader *r = xcalloc(1, sizeof(*r));

	*r = (struct plan_reader){ .in = in,
				   .c = format_add_capture(of, in, d),
				   .label_column = SIZE_MAX };
	return r;
}

void query_plan_line(struct plan_reader *r, struct str line, uint32_t at)
{
	struct plan_node node;

	if (plan_node(line, &node)) {
		plan_close_condition(r);
		if (node.is_loopless)
			diag_count(&r->c->diag, &plan_loopless, at);
		plan_add_node(r, &node, at);
		r->is_continued = false;
	} else if (r->open_len && str_trim(line).len && !plan_is_inner(line) &&
		   plan_open_condition(r, str_trim(line))) {
		return;
	} else if (r->nodes.len && r->is_continued) {
		plan_continue(r, line);
	} else if (r->nodes.len ? !plan_property(r, line, at) && str_trim(line).len
				: !plan_is_title(line) && str_trim(line).len)
		diag_count(&r->c->diag, &plan_lines, at);
}

void query_plan_free(struct plan_reader *r)
{
	if (!r)
		return;
	VEC_FREE(&r->nodes);
	free(r);
}

int query_plan_close(struct plan_reader *r, struct error *err)
{
	struct capture *c = r->c;

	if (r->nodes.len == 0)
		return fail(err, ERR_FORMAT, "no node of a plan");
	plan_close_condition(r);
	plan_finish(r);
	if (!c->counters)
		return fail(err, ERR_FORMAT, "no node that ran");
	c->counters->n_intervals = 1;
	c->counters->tool = strings_add(capture_strings(c), STR("EXPLAIN ANALYZE"));
	return OK;
}

static int query_plan_read(const struct region *in, struct dossier *d, struct error *err)
{
	CLEANUP(query_plan_freep)
	struct plan_reader *r = query_plan_open(&format_query_plan, in, d);
	struct str text = in->text;
	struct str line;

	for (uint32_t n = 0, lines; (lines = plan_take_line(&text, &line)) != 0; n += lines)
		query_plan_line(r, line, region_line(in, n));
	return query_plan_close(r, err);
}

const struct format format_query_plan = {
	.name = "query-plan",
	.title = "query plan",
	.summary = "EXPLAIN ANALYZE of PostgreSQL and MySQL: nodes with time, rows, loops",
	.kinds = KIND_PROFILE | KIND_COUNTERS,
	.probe = query_plan_probe,
	.find = query_plan_find,
	.read = query_plan_read,
};
