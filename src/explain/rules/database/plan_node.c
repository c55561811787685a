/* SPDX-License-Identifier: MIT */
/*
 * One node has most of the time of a query. The finding names the node's kind of work, and the
 * cause that the node's figures show.
 */
#include "explain/plan_words.h"

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(plan_node);

#define NODE_PART 0.5 /* minimum time of the node, as a part (0 to 1) of the time of all nodes */
#define NODE_LEAD 0.9
/* minimum time of the plan for a warning if the cause is unknown, ms */
#define NODE_LEAD_MS 100.0
#define NODE_LEAST   10.0 /* minimum time of the plan, ms */
#define NODE_LOOPS   1000.0
#define NODE_REMOVED 10.0 /* minimum number of removed rows per row that the condition kept */
/*
 * a subquery runs for each row if its number of loops is at least this many times the number of
 * examined rows
 */
#define NODE_EACH 0.9
#define NODE_MANY 10000.0 /* minimum number of rows of an index scan */
/* minimum number of rows of an index scan for each row that the plan returns */
#define NODE_WASTED_PART 100.0
/* minimum part (0 to 1) of the rows of an index-only scan that had to be read from the table */
#define NODE_FETCHED 0.5
/* minimum number of rows of a scan for a warning if the plan has no times of nodes */
#define NODE_LEAD_ROWS   100000.0
#define NODE_SURE        90u
#define NODE_CONDITION   120u   /* maximum length of a condition in a text */
#define NODE_SORTED_ROWS 1000.0 /* minimum number of rows of a sort */
/*
 * A node is slow if it takes at least this many ms for each row or block that it reads. A read from
 * a disk takes less.
 */
#define NODE_SLOW_MS 10.0
/*
 * Blocks read from disk are the cause only if the cache had at most this many times as many blocks.
 */
#define NODE_HITS 10.0
/* reads are the cause if their printed time is at least this part (0 to 1) of the node's time */
#define NODE_READING 0.5
/*
 * If a call of a node takes less than this, ms, its measured time may be too long. EXPLAIN ANALYZE
 * reads the clock twice per call, which takes 20 ns to 1 us each time (pg_test_timing).
 */
#define NODE_CLOCK_MS 0.01
/*
 * another plan of the input shows that the query can be fast if it took at most this part (0 to 1)
 * of the time
 */
#define NODE_OTHER_PART 0.1

/*
 * a planner that expects at most one row of this number does not read the whole table if an index
 * serves the condition
 */
#define NODE_EXPECTED 1000.0

enum node_why {
	NODE_SUBPLAN,
	NODE_LOCK,
	NODE_LOSSY,
	NODE_INEXACT,
	NODE_HEAP,
	NODE_RESCAN,
	NODE_CORRELATED,
	NODE_ORDERED,
	NODE_PARTLY,
	NODE_FILTER,
	NODE_COMPUTED,
	NODE_EITHER,
	NODE_PAIRS,
	NODE_TRIGGER,
	NODE_DISK,
	NODE_LOOPED,
	NODE_READ,
	NODE_WASTED,
	NODE_COMBINED,
	NODE_SLOW_ROW,
	NODE_DROPPED,
	NODE_WHOLE,
	NODE_SORTED,
	NODE_OTHER
};

static const struct {
	const char *cause;
	const char *next;
} node_words[] = {
	[NODE_SUBPLAN] = { "The subquery in its condition is not turned into a join: it runs, or "
			   "is read again, for each row",
			   "NOT EXISTS or a LEFT JOIN instead of NOT IN (SELECT ...); a hashed "
			   "SubPlan needs enough work_mem" },
	[NODE_LOCK] = { "It waits until other transactions release the rows that it wants to lock "
			"or change",
			"while it waits: pg_blocking_pids(pid) of pg_stat_activity; "
			"log_lock_waits = on names the blocking session" },
	[NODE_LOSSY] = { "The bitmap does not fit into work_mem: of most pages it keeps the page "
			 "only, so each row of them is read and checked again",
			 "SET work_mem for this statement until Heap Blocks shows no lossy pages" },
	[NODE_INEXACT] = { "Its index returns candidates, most of which do not match: a trigram, "
			   "GIN, GiST or BRIN index, or one with few of the conditions",
			   "create an index that decides the condition exactly; more letters in "
			   "the pattern; smaller pages_per_range of BRIN" },
	[NODE_HEAP] = { "The visibility map does not cover its pages, so each row of the index "
			"is looked up in the table as well",
			"VACUUM the table, and let autovacuum run more often on it "
			"(autovacuum_vacuum_insert_scale_factor)" },
	[NODE_RESCAN] = { "A result in memory has no index: it is read from its start in each "
			  "loop, once for each row above it",
			  "write a join on columns instead of expressions, so that the planner can "
			  "hash it; or a temporary table with an index" },
	[NODE_CORRELATED] = { "The subquery depends on the row above it, so it runs for each of "
			      "these rows. A result in memory has no index: it is read from its "
			      "start each time",
			      "write a LEFT JOIN instead of the subquery, with plain equalities "
			      "and without OR: the planner can hash it" },
	[NODE_FILTER] = { "It reads many rows to keep few: its condition uses no index",
			  "create an index on the columns or expression of its Filter (LIKE '%x%' "
			  "needs a trigram index), or a partial index" },
	[NODE_ORDERED] = { "The index does not serve the condition: each of its rows is fetched in "
			   "the order of the index, and checked",
			   "create an index on the columns of its Filter, then those of the "
			   "order" },
	[NODE_PARTLY] = { "The index serves only a part of the condition: each row that it finds "
			  "is fetched, and checked for the rest",
			  "one index on the columns of Index Cond and Filter" },
	[NODE_COMPUTED] = { "It computes many rows to keep few, and computed rows have no index",
			    "move the condition into the function, the subquery or the join, if it "
			    "can stand there: fewer rows are computed" },
	[NODE_EITHER] = { "The join condition is an OR of several comparisons, so the join can be "
			  "neither hashed nor merged: each row of one side is compared with each "
			  "row of the other",
			  "UNION of one join for each side of the OR: each of them can be hashed, "
			  "or use an index" },
	[NODE_PAIRS] = { "Each row of one side is compared with each row of the other: the "
			 "condition "
			 "of the join uses no index",
			 "create an index on the column of the inner table, if the condition "
			 "compares the bare column; an expression needs an index on the "
			 "expression" },
	[NODE_TRIGGER] = { "The trigger runs after the statement, for its rows: a foreign key "
			   "looks up each row in the other table, or locks it",
			   "create an index on the columns of the foreign key; "
			   "auto_explain.log_nested_statements = on for the statements of the "
			   "trigger" },
	[NODE_SLOW_ROW] = { "A disk reads these blocks in less time: a function in its output or "
			    "in "
			    "its condition takes the time, or waits",
			    "EXPLAIN (ANALYZE, VERBOSE): which functions the statement "
			    "calls for each row" },
	[NODE_DISK] = { "It does not fit into its memory and goes through temporary files",
			"SET work_mem for this statement (MySQL: sort_buffer_size), or fewer and "
			"narrower rows" },
	[NODE_LOOPED] = { "Each loop is short; the loops are many: it is the inner side of a "
			  "nested "
			  "loop",
			  "compare the rows that the planner expected of the outer side" },
	[NODE_READ] = { "It reads blocks that the database had not cached: from a disk, or from "
			"the "
			"page cache of the system, which is fast",
			"SET track_io_timing = on: how long the reads take; and run it again: with "
			"the same blocks in the cache only 'shared hit' grows" },
	[NODE_WASTED] = { "Its condition alone matches far more rows than the statement keeps: the "
			  "other conditions are applied later",
			  "one index on the columns of all conditions, or a partial index; ANALYZE "
			  "if "
			  "the planner expected fewer rows" },
	[NODE_COMBINED] = { "It combines far more rows than the statement keeps: the conditions "
			    "that "
			    "remove them apply later, or the join condition is too wide, near to a "
			    "cross product",
			    "compare the condition of this join with the key: if it has all "
			    "columns "
			    "of the key, join the table that removes most rows first (ANALYZE, if "
			    "the planner expected fewer rows)" },
	[NODE_DROPPED] = { "It reads its whole table, and a join above drops nearly all of its "
			   "rows: "
			   "no index finds the rows that the join keeps, or the planner did not "
			   "use it",
			   "create an index on the columns of the join condition, unless one "
			   "exists: "
			   "EXPLAIN shows whether the planner uses it" },
	[NODE_WHOLE] = { "It reads its whole table", "create an index on its condition, unless the "
						     "statement needs all rows" },
	[NODE_SORTED] = { "It prints no temporary file, so the comparisons take the time: many "
			  "rows, "
			  "several keys, or text, which is compared by the rules of a collation",
			  "create an index in the order of its Sort Key; fewer rows before the "
			  "sort; COLLATE \"C\" for text whose order is only technical" },
	[NODE_OTHER] = { "Its own work takes the time, or it waits: its figures show no reason",
			 "EXPLAIN (ANALYZE, BUFFERS): which blocks it reads, and from where" },
};

/*
 * The subquery of @row: the child of @row that runs once for each row that @row examines. NULL:
 * none.
 */
static const struct plan_row *node_subplan(const struct plan_rows *p, const struct plan_row *row)
{
	const struct plan_row *below = row + 1;
	double removed = row->figures[PLAN_REMOVED] > 0 ? row->figures[PLAN_REMOVED] : 0;
	double kept = row->figures[PLAN_ROWS] > 0 ? row->figures[PLAN_ROWS] : 0;

	return (size_t)(below - p->rows.data) < p->rows.len && removed > 0 &&
			       below->figures[PLAN_LOOPS] >= NODE_EACH * (removed + kept) &&
			       row->figures[PLAN_LOOPS] <= 1
		       ? below
		       : NULL;
}

/*
 * Whether an ancestor of @row is an aggregate, which turns many rows into few, or a LIMIT, which
 * stops early. The plan then does not show how many rows of @row were needed.
 */
static bool node_is_below_total(const struct rule_input *in, const struct plan_rows *p,
				const struct plan_row *row)
{
	for (const struct plan_row *above = p->rows.data; above < row; above++) {
		if (str_glob(STR("*Aggregate*|*aggregate*|Group*|*Unique*|*duplica*|Limit*|"
				 "WindowAgg*|SetOp*|*distinct*"),
			     plan_row_name(in, above)))
			return true;
	}
	return false;
}

/* Names of nodes that compute their rows. Other nodes read rows from a table. */
#define NODE_COMPUTES                                                                       \
	"*Function Scan*|*Values Scan*|*CTE Scan*|*Subquery Scan*|*WorkTable*|*Aggregate*|" \
	"Group*|*Join*|Nested *oop*|Result*|ProjectSet*|*Unique*|WindowAgg*"

/* Does the node take more time for each row and block that it reads than a disk needs? */
static bool node_is_slow_row(const struct plan_row *row)
{
	double blocks = fmax(0, row->figures[PLAN_HIT]) + fmax(0, row->figures[PLAN_READ]);
	double loops = fmax(1, row->figures[PLAN_LOOPS]);
	double rows = fmax(0, row->figures[PLAN_ROWS]) + fmax(0, row->figures[PLAN_REMOVED]);

	return blocks > 0 && rows >= 1 &&
	       row->figures[PLAN_SELF] >= NODE_SLOW_MS * (rows * loops + blocks);
}

/*
 * May an ancestor have stopped the scan @row early? The ancestor is a LIMIT, or a join that needs
 * no further rows, and the scan returned less than half of the expected rows.
 */
static bool node_is_cut(const struct rule_input *in, const struct plan_rows *p,
			const struct plan_row *row)
{
	double rows = fmax(0, row->figures[PLAN_ROWS]) + fmax(0, row->figures[PLAN_REMOVED]);

	if (rows >= row->figures[PLAN_ESTIMATE] / 2)
		return false;
	for (const struct plan_row *above = p->rows.data; above < row; above++) {
		if (str_glob(STR("Limit*|Nested Loop Semi*|Nested Loop Anti*|Merge *Join*"),
			     plan_row_name(in, above)))
			return true;
	}
	return false;
}

/*
 * Does the node wait for row locks? It locks or changes few rows and takes long for each. (The
 * times of its inputs and triggers are separate.)
 */
static bool node_waits_for_lock(const struct rule_input *in, const struct plan_rows *p,
				const struct plan_row *row)
{
	const struct plan_row *input = row + 1;
	double rows = fmax(1, row->figures[PLAN_ROWS]);

	if (!str_glob(STR("LockRows*|Update on *|Delete on *"), plan_row_name(in, row)))
		return false;
	/* Without RETURNING, Update and Delete return no rows, so count the rows of their input. */
	if ((size_t)(input - p->rows.data) < p->rows.len)
		rows = fmax(rows, input->figures[PLAN_ROWS] * fmax(1, input->figures[PLAN_LOOPS]));
	return row->figures[PLAN_SELF] >= NODE_SLOW_MS * rows;
}

/* Does the node, or its input if this is a Hash node, use temporary files? */
static bool node_spills(const struct rule_input *in, const struct plan_rows *p,
			const struct plan_row *row)
{
	uint32_t at = (uint32_t)(row - p->rows.data);

	if (row->figures[PLAN_SORT_DISK] > 0 || row->figures[PLAN_HASH_DISK] > 0 ||
	    row->figures[PLAN_BATCHES] > 1)
		return true;
	for (const struct plan_row *below = row + 1; below < p->rows.data + p->rows.len; below++) {
		if (below->parent == at && below->figures[PLAN_BATCHES] > 1 &&
		    str_glob(STR("Hash|Parallel Hash"), plan_row_name(in, below)))
			return true;
	}
	return false;
}

/*
 * Why an index scan reads many rows, or must read rows from the table as well. NODE_OTHER: the
 * figures show no reason.
 */
static enum node_why node_why_index(const struct rule_input *in, const struct plan_row *row)
{
	double rows = fmax(1, row->figures[PLAN_ROWS]);
	double loops = fmax(1, row->figures[PLAN_LOOPS]);

	if (row->figures[PLAN_RECHECKED] >= rows && row->figures[PLAN_LOSSY] > 0)
		return NODE_LOSSY;
	if (row->figures[PLAN_RECHECKED] >= NODE_REMOVED * rows)
		return NODE_INEXACT;
	/* PLAN_HEAP counts all loops; PLAN_ROWS is a mean per loop */
	if (row->figures[PLAN_HEAP] >= NODE_LOOPS &&
	    row->figures[PLAN_HEAP] >= NODE_FETCHED * rows * loops &&
	    str_glob(STR("*Index Only Scan*"), plan_row_name(in, row)))
		return NODE_HEAP;
	return NODE_OTHER;
}

/*
 * The inner input of the nested loop @row, which is its last child. NULL: @row is no nested loop.
 */
static const struct plan_row *node_inner(const struct rule_input *in, const struct plan_rows *p,
					 const struct plan_row *row)
{
	uint32_t at = (uint32_t)(row - p->rows.data);
	const struct plan_row *inner = NULL;

	if (!str_glob(STR("Nested *oop*"), plan_row_name(in, row)))
		return NULL;
	for (const struct plan_row *below = row + 1; below < p->rows.data + p->rows.len; below++)
		inner = below->parent == at ? below : inner;
	return inner;
}

/* Is @row a nested loop whose inner input reads a whole table in each loop? */
static bool node_scans_inner(const struct rule_input *in, const struct plan_rows *p,
			     const struct plan_row *row)
{
	const struct plan_row *inner = node_inner(in, p, row);

	return inner && str_glob(STR("*Seq Scan on *|Table scan on *"), plan_row_name(in, inner)) &&
	       inner->figures[PLAN_LOOPS] > 1;
}

/*
 * Whether @row is a nested loop that compares each outer row with all rows of a Materialize node.
 * This node read its table only once and keeps the rows.
 */
static bool node_reads_kept(const struct rule_input *in, const struct plan_rows *p,
			    const struct plan_row *row)
{
	const struct plan_row *inner = node_inner(in, p, row);
	const struct plan_row *below = inner ? inner + 1 : NULL;

	return inner && inner->figures[PLAN_LOOPS] > 1 &&
	       str_glob(STR("Materialize*|Memoize*"), plan_row_name(in, inner)) &&
	       below < p->rows.data + p->rows.len &&
	       str_glob(STR("*Seq Scan on *|*Index*Scan*|*Bitmap Heap Scan*"),
			plan_row_name(in, below));
}

/*
 * Whether the condition of the join @row is an OR of comparisons, "((a.x = b.x) OR (a.y = b.y))".
 * False if the same level also has an AND: its other operand may serve the join.
 */
static bool node_is_either(const struct rule_input *in, const struct plan_row *row)
{
	struct str s = strings_get(capture_strings(in->capture), row->condition);
	unsigned int depth = 0;
	bool has_or = false;

	if (!str_glob(STR("Nested *oop*"), plan_row_name(in, row)))
		return false;
	for (size_t at = 0; at < s.len; at++) {
		struct str rest = str_skip(s, at);

		if (s.p[at] == '\'') /* skip a literal, which may contain brackets and words */
			at += 1 + str_find_char(str_skip(rest, 1), '\'');
		else if (s.p[at] == '(')
			depth++;
		else if (s.p[at] == ')' && depth)
			depth--;
		else if (depth <= 1 && str_starts(rest, STR(" AND ")))
			return false;
		else if (depth <= 1 && str_starts(rest, STR(" OR ")))
			has_or = true;
	}
	return has_or;
}

/*
 * Why the scan @row reads many rows and keeps few: its index serves only a part of the condition,
 * or only the order, or there is no index.
 */
static enum node_why node_why_filter(const struct rule_input *in, const struct plan_row *row)
{
	if (row->index_condition.v && str_glob(STR("*Scan *"), plan_row_name(in, row)))
		return NODE_PARTLY;
	return str_glob(STR("*Index Scan *|*Index Only Scan *"), plan_row_name(in, row))
		       ? NODE_ORDERED
		       : NODE_FILTER;
}

/*
 * The subquery ("SubPlan 2") that contains @row, if the subquery runs at least as often as @row:
 * the loops of @row are then the runs of the subquery. No node on the path from @row up to the
 * first node of the subquery may have fewer loops than @row. Empty: none.
 */
static struct str node_subplan_of(const struct rule_input *in, const struct plan_rows *p,
				  const struct plan_row *row)
{
	for (const struct plan_row *at = row; at->figures[PLAN_LOOPS] >= row->figures[PLAN_LOOPS];
	     at = &p->rows.data[at->parent]) {
		if (at->subplan.v)
			return strings_get(capture_strings(in->capture), at->subplan);
		if (at->parent == INDEX_NONE)
			break;
	}
	return STR_NONE;
}

/*
 * The join that drops nearly all rows of the scan @row: the first ancestor that returns fewer rows
 * than it read by NODE_REMOVED. NULL: none, or a node on the way up may need all rows.
 */
static const struct plan_row *node_dropping_join(const struct rule_input *in,
						 const struct plan_rows *p,
						 const struct plan_row *row)
{
	double rows = row->figures[PLAN_ROWS] * fmax(1, row->figures[PLAN_LOOPS]);

	for (uint32_t at = row->parent; at != INDEX_NONE && rows >= NODE_MANY;
	     at = p->rows.data[at].parent) {
		const struct plan_row *above = &p->rows.data[at];
		double kept = above->figures[PLAN_ROWS] * fmax(1, above->figures[PLAN_LOOPS]);

		if (str_glob(STR("*Anti Join*"), plan_row_name(in, above)))
			return NULL;
		if (str_glob(STR("*Hash*Join*|*Merge*Join*|*hash join*"), plan_row_name(in, above)))
			return kept >= 0 && rows >= NODE_REMOVED * fmax(1, kept) ? above : NULL;
		if (!str_glob(STR("Hash|Parallel Hash|Sort|Gather*|Materialize"),
			      plan_row_name(in, above)))
			return NULL;
	}
	return NULL;
}

static enum node_why node_why(const struct rule_input *in, const struct plan_rows *p,
			      const struct plan_row *row)
{
	struct str name = plan_row_name(in, row);
	double rows = row->figures[PLAN_ROWS] > 1 ? row->figures[PLAN_ROWS] : 1;

	if (str_glob(STR("Trigger *"), name))
		return NODE_TRIGGER;
	if (node_waits_for_lock(in, p, row))
		return NODE_LOCK;
	if (node_spills(in, p, row))
		return NODE_DISK;
	if (node_subplan(p, row) && row[1].figures[PLAN_LOOPS] >= NODE_LOOPS)
		return NODE_SUBPLAN;
	if (node_why_index(in, row) != NODE_OTHER)
		return node_why_index(in, row);
	if (row->figures[PLAN_LOOPS] >= NODE_LOOPS &&
	    str_glob(STR("CTE Scan*|Subquery Scan*|Function Scan*|Values Scan*|Materialize*"),
		     name))
		return node_subplan_of(in, p, row).len ? NODE_CORRELATED : NODE_RESCAN;
	if (row->figures[PLAN_REMOVED] >= NODE_REMOVED * rows)
		return node_subplan(p, row) && row[1].subplan.v ? NODE_SUBPLAN
		       : node_is_either(in, row)                ? NODE_EITHER
		       : node_scans_inner(in, p, row)           ? NODE_PAIRS
		       : node_reads_kept(in, p, row)            ? NODE_PAIRS
		       : str_glob(STR(NODE_COMPUTES), name)     ? NODE_COMPUTED
								: node_why_filter(in, row);
	if (row->figures[PLAN_LOOPS] >= NODE_LOOPS)
		return NODE_LOOPED;
	if (row->figures[PLAN_READ] >= NODE_LOOPS && str_glob(STR("*Scan*"), name) &&
	    row->figures[PLAN_READ] * NODE_HITS >= row->figures[PLAN_HIT] &&
	    (row->figures[PLAN_READ_MS] < 0 ||
	     row->figures[PLAN_READ_MS] >= NODE_READING * row->figures[PLAN_SELF]))
		return NODE_READ;
	if (row->figures[PLAN_ROWS] >= NODE_MANY &&
	    row->figures[PLAN_ROWS] >=
		    NODE_WASTED_PART * fmax(1, p->rows.data[0].figures[PLAN_ROWS]) &&
	    !node_is_below_total(in, p, row)) {
		if (str_glob(STR("*Index*Scan*"), name))
			return NODE_WASTED;
		if (str_glob(STR("*Join*|*join*|Nested Loop*"), name))
			return NODE_COMBINED;
	}
	if (node_is_slow_row(row))
		return NODE_SLOW_ROW;
	if (row->figures[PLAN_ROWS] >= NODE_SORTED_ROWS && str_glob(STR("Sort|Sort:*"), name))
		return NODE_SORTED;
	if (!str_glob(STR("*Seq Scan on *|Table scan on *"), name) || node_is_cut(in, p, row))
		return NODE_OTHER;
	return node_dropping_join(in, p, row) ? NODE_DROPPED : NODE_WHOLE;
}

/* Append to @text the rows of the scan @row, and the rows that the join above it returns. */
static const char *node_says_dropped(const struct rule_input *in, struct findings *out,
				     const struct plan_rows *p, const struct plan_row *row,
				     const char *text)
{
	const struct plan_row *join = node_dropping_join(in, p, row);

	return finding_name(
		out, "%s, which reads %.0f rows, and %.0f %% in '" STR_FMT "', which returns %.0f",
		text, row->figures[PLAN_ROWS] * fmax(1, row->figures[PLAN_LOOPS]),
		100 * join->figures[PLAN_SELF] / p->self_ms, STR_ARG(plan_row_name(in, join)),
		join->figures[PLAN_ROWS] * fmax(1, join->figures[PLAN_LOOPS]));
}

/* Append to @text how often the node ran. Loops of parallel processes are counted separately. */
static const char *node_says_runs(struct findings *out, const struct plan_row *row, double loops,
				  const char *text)
{
	double processes = fmax(1, row->figures[PLAN_PROCESSES]);

	if (processes > 1 && loops <= processes)
		return finding_name(out, "%s, run by %.0f processes in parallel", text, loops);
	if (processes > 1)
		return finding_name(out, "%s, which ran %.0f times in %.0f processes", text, loops,
				    processes);
	return loops > 1 ? finding_name(out, "%s, which ran %.0f times", text, loops) : text;
}

/*
 * Append to @text how many rows the node's condition removed. The printed figures are means per
 * loop, rounded to whole rows.
 */
static const char *node_says_removed(struct findings *out, const struct plan_row *row, double loops,
				     const char *text)
{
	double removed = row->figures[PLAN_REMOVED];

	if (row->figures[PLAN_ROWS] >= 1)
		return finding_name(out, "%s; its condition removed %.0f rows for each one it kept",
				    text, removed / row->figures[PLAN_ROWS]);
	if (loops <= 1)
		return finding_name(out, "%s; its condition removed all of %.0f rows", text,
				    removed);
	return finding_name(out, "%s; its condition removed about %.0f rows, and kept %.0f at most",
			    text, removed * loops, floor(loops / 2));
}

/* Does the plan have the figures of EXPLAIN (BUFFERS)? */
static bool node_has_buffers(const struct plan_rows *p)
{
	VEC_FOREACH (row, &p->rows) {
		if (row->figures[PLAN_HIT] > 0 || row->figures[PLAN_READ] > 0)
			return true;
	}
	return false;
}

/*
 * Is @p a plan of MySQL, which does not print blocks? Source: sql/range_optimizer,
 * explain_access_path.cc
 */
static bool node_is_mysql(const struct rule_input *in, const struct plan_rows *p)
{
	VEC_FOREACH (row, &p->rows) {
		if (str_glob(STR("*ndex lookup on *|Table scan on *|*ndex range scan on *|"
				 "Covering index *|*Nested loop inner join|Nested loop left join"),
			     plan_row_name(in, row)))
			return true;
	}
	return false;
}

/* Do the figures of the node prove the cause @why? */
static bool node_is_shown(enum node_why why)
{
	return why == NODE_SUBPLAN || why == NODE_EITHER || why == NODE_LOSSY || why == NODE_HEAP ||
	       why == NODE_DISK || why == NODE_WHOLE || why == NODE_ORDERED || why == NODE_PARTLY;
}

/*
 * Operators of PostgreSQL that a btree index cannot serve, with the kind of index that can serve
 * them.
 */
static const struct {
	const char *operator; /* the operator as EXPLAIN prints it, with a blank on each side */
	const char *with;     /* str_glob pattern of the rest of the condition */
	const char *method;
	/* operator class to append to the column of the index; "": the default class */
	const char *class;
	const char *needs; /* statement to run before CREATE INDEX; "": none */
} node_operators[] = {
	{ " ~~ ", "'%*", "gin", " gin_trgm_ops", "CREATE EXTENSION pg_trgm; " },
	{ " ~~* ", "*", "gin", " gin_trgm_ops", "CREATE EXTENSION pg_trgm; " },
	{ " ~ ", "*", "gin", " gin_trgm_ops", "CREATE EXTENSION pg_trgm; " },
	{ " ~* ", "*", "gin", " gin_trgm_ops", "CREATE EXTENSION pg_trgm; " },
	{ " @> ", "*range*", "gist", "", "" },
	{ " && ", "*range*", "gist", "", "" },
	{ " <@ ", "*range*", "gist", "", "" },
	{ " @> ", "*::jsonb*|*[]*", "gin", "", "" },
	{ " && ", "*[]*", "gin", "", "" },
	{ " <@ ", "*[]*", "gin", "", "" },
	{ " ? ", "*", "gin", "", "" },
	{ " ?| ", "*", "gin", "", "" },
	{ " ?& ", "*", "gin", "", "" },
	{ " @? ", "*", "gin", "", "" },
	{ " @@ ", "*", "gin", "", "" },
};

static bool node_is_word(char c)
{
	return char_is_word(c) || c == '.';
}

/*
 * The column before the operator at offset @at of @condition: "name" of "((name)::text ~~ '%x%'".
 * Empty: the operand is an expression or a literal.
 */
static struct str node_column_before(struct str condition, size_t at)
{
	size_t from = at;

	while (from && node_is_word(condition.p[from - 1]))
		from--;
	if (from > 3 && str_starts(str_skip(condition, from - 3), STR(")::")))
		return node_column_before(condition, from - 3);
	return str_sub(condition, from, at);
}

/*
 * Add the next step for a condition with an operator that a btree index cannot serve. False: there
 * is no such operator, or no column before it.
 */
static bool node_next_operator(const struct rule_input *in, struct findings *out, struct finding *f,
			       const struct plan_row *row, struct str condition)
{
	struct str alias;
	struct str table = plan_row_table(in, row, &alias);

	for (size_t i = 0; i < ARRAY_LEN(node_operators); i++) {
		struct str operator= str_of(node_operators[i].operator);
		size_t at = str_find(condition, operator);
		struct str column = node_column_before(condition, at);

		if (at == condition.len || column.len == 0 ||
		    !str_glob(str_of(node_operators[i].with),
			      str_skip(condition, at + operator.len)))
			continue;
		finding_next(out, f,
			     "%sCREATE INDEX ON " STR_FMT " USING %s (" STR_FMT
			     "%s): a btree index cannot serve the operator " STR_FMT,
			     node_operators[i].needs, STR_ARG(table.len ? table : STR("TABLE")),
			     node_operators[i].method, STR_ARG(column), node_operators[i].class,
			     STR_ARG(str_trim(operator)));
		return true;
	}
	return false;
}

static bool node_is_filter(enum node_why why)
{
	return why == NODE_FILTER || why == NODE_ORDERED || why == NODE_PARTLY;
}

/*
 * The index of a scan: "k" of "Index Scan Backward using k on t". Empty: the node names no index.
 */
static struct str node_index(const struct rule_input *in, const struct plan_row *row)
{
	struct str name = plan_row_name(in, row);
	struct str rest = str_skip(name, str_find(name, STR(" using ")));
	struct str word = STR_NONE;

	if (str_take(&rest, STR(" using ")))
		(void)str_word(&rest, &word);
	return word;
}

/*
 * Find another plan of the input with an index that serves a condition on the same table as @row.
 * The other plan must have taken at most NODE_OTHER_PART of the time. Returns the name of the
 * index; empty: none.
 */
static struct str node_other_index(const struct rule_input *in, const struct plan_rows *p,
				   const struct plan_row *row, struct rule_input *ret_in,
				   uint32_t *ret_line)
{
	const struct dossier *d = in->facts->dossier;
	struct str index = node_index(in, row);
	struct str alias, table = plan_row_table(in, row, &alias);
	struct str found = STR_NONE;

	for (uint32_t i = 0; table.len && i < d->captures.len && found.len == 0; i++) {
		struct rule_input other = *in;
		struct plan_rows q;

		other.capture = d->captures.data[i];
		other.number = i;
		if (!plan_rows_init(&q, &other))
			continue;
		VEC_FOREACH (r, &q.rows) {
			struct str name = node_index(&other, r);

			if (found.len || q.self_ms > NODE_OTHER_PART * p->self_ms ||
			    !r->index_condition.v || str_eq(name, index) ||
			    !str_eq(plan_row_table(&other, r, &alias), table))
				continue;
			found = name;
			*ret_in = other;
			*ret_line = r->line;
		}
		plan_rows_fini(&q);
	}
	return found;
}

/*
 * Add the next step for a generic plan. Such a plan has parameters instead of values, so it suits
 * no particular value; this is set as the cause. False: the plan has no parameters, or its time is
 * not in a filter.
 */
static bool node_next_parameter(const struct rule_input *in, struct findings *out,
				struct finding *f, const struct plan_rows *p,
				const struct plan_row *row, enum node_why why)
{
	struct rule_input other = *in;
	struct str index;
	uint32_t line = 0;

	if (!node_is_filter(why) || row->figures[PLAN_PARAMETERS] <= 0)
		return false;
	index = node_other_index(in, p, row, &other, &line);
	finding_cause_if(out, f, node_is_shown(why),
			 "The plan is generic: it has a parameter instead of a value, so the "
			 "planner expected %.0f rows for any value. %s",
			 row->figures[PLAN_ESTIMATE], node_words[why].cause);
	finding_next(out, f,
		     "SET plan_cache_mode = force_custom_plan, and EXPLAIN (ANALYZE, BUFFERS) "
		     "EXECUTE again: is the plan for this value another one");
	if (index.len) {
		finding_evidence(out, f, &other, line, "another plan reads the table with " STR_FMT,
				 STR_ARG(index));
		finding_next(out, f,
			     "compare with the other plan of this input: its index " STR_FMT
			     " serves the condition",
			     STR_ARG(index));
		return true;
	}
	return false;
}

/*
 * Add the next step for a condition that the plan prints: the index that would serve the condition.
 * False: the condition is unknown, or each of its columns is part of an expression.
 */
static bool node_next_index(const struct rule_input *in, struct findings *out, struct finding *f,
			    const struct plan_rows *p, const struct plan_row *row,
			    enum node_why why)
{
	const struct strings *strings = capture_strings(in->capture);
	struct str condition = strings_get(strings, row->condition);
	const struct plan_row *inner = why == NODE_PAIRS ? node_inner(in, p, row) : NULL;
	struct str alias, table, column;
	struct plan_cast cast;

	if (condition.len == 0 || (why != NODE_PAIRS && !node_is_filter(why)))
		return false;
	if (node_is_filter(why)) {
		if (node_next_operator(in, out, f, row, condition))
			return true;
		if (why == NODE_ORDERED) {
			struct str index = node_index(in, row);

			finding_next(out, f,
				     "create an index on the columns of " STR_FMT
				     ", then those of " STR_FMT
				     ": it serves the condition, and still the order",
				     STR_ARG(condition),
				     STR_ARG(index.len ? index : STR("the order")));
			return true;
		}
		if (why == NODE_PARTLY) {
			finding_next(out, f,
				     "one index on the columns of " STR_FMT " and of " STR_FMT,
				     STR_ARG(str_sub(strings_get(strings, row->index_condition), 0,
						     NODE_CONDITION)),
				     STR_ARG(condition));
			return true;
		}
		if (plan_words_cast(condition, &cast)) {
			finding_next(out, f,
				     "convert the other side of " STR_FMT " instead of " STR_FMT
				     ": no index on a converted column serves it",
				     STR_ARG(condition), STR_ARG(cast.column));
			return true;
		}
		finding_next(out, f,
			     "create an index on the columns or expression of " STR_FMT
			     "%s, or a partial index",
			     STR_ARG(condition),
			     str_glob(STR("* ~*|* like *|* LIKE *"), condition)
				     ? " (a pattern with an open start needs a trigram or "
				       "full-text index)"
				     : "");
		return true;
	}
	table = plan_row_table(in, inner, &alias);
	column = table.len ? plan_words_column(condition, alias) : table;
	if (column.len == 0)
		return false;
	finding_next(out, f,
		     "CREATE INDEX ON " STR_FMT " (" STR_FMT
		     "): it can serve the join condition " STR_FMT
		     ", so that no loop reads the whole table",
		     STR_ARG(table), STR_ARG(column), STR_ARG(condition));
	return true;
}

/*
 * Whether the calls of @row and of its first child are so short that reading the clock is a large
 * part of their measured time. A node is called once for each row, and once more at the end.
 */
static bool node_is_short(const struct plan_rows *p, const struct plan_row *row)
{
	double calls = 0;

	for (const struct plan_row *r = row; r < p->rows.data + p->rows.len && r < row + 2; r++)
		calls += fmax(1, r->figures[PLAN_LOOPS]) * (fmax(0, r->figures[PLAN_ROWS]) + 1);
	return row->figures[PLAN_SELF] < NODE_CLOCK_MS * calls;
}

/*
 * Rounding error of the share of @row. The mean time of a loop is printed in microseconds. A MySQL
 * that prints parts of a microsecond ("240e-6", "0.00105") prints three digits.
 */
static double node_rounding(const struct rule_input *in, const struct plan_rows *p,
			    const struct plan_row *row, double loops)
{
	double self = row->figures[PLAN_SELF];
	double us = 1000 * self / loops;

	if (fabs(us - round(us)) > 0.001 && node_is_mysql(in, p))
		return 100 * 0.005 * self / p->self_ms;
	return fmin(100, 100 * 0.0005 * loops / p->self_ms);
}

/* Cite the join that drops the rows of the scan @row, with its conditions. */
static void node_cite_join(const struct rule_input *in, struct findings *out, struct finding *f,
			   const struct plan_rows *p, const struct plan_row *row)
{
	const struct strings *strings = capture_strings(in->capture);
	const struct plan_row *join = node_dropping_join(in, p, row);
	struct str condition = strings_get(strings, join->index_condition);
	struct str filter = strings_get(strings, join->condition);
	const char *both = "";

	plan_row_cite(out, f, in, join);
	if (condition.len || filter.len)
		both = finding_name(out, "the columns of " STR_FMT "%s" STR_FMT,
				    STR_ARG(str_sub(condition, 0, NODE_CONDITION)),
				    condition.len && filter.len ? " and " : "",
				    STR_ARG(str_sub(filter, 0, NODE_CONDITION)));
	if (*both)
		finding_next(out, f,
			     "create an index on %s, unless one exists: EXPLAIN shows whether the "
			     "planner uses it",
			     both);
}

/*
 * Set the reason of the confidence: the weakest step, where the plan proves it. A planner that
 * expects few rows of many uses an index if one serves the condition.
 */
static void node_because(const struct rule_input *in, struct findings *out, struct finding *f,
			 const struct plan_rows *p, const struct plan_row *row, enum node_why why)
{
	double rows = fmax(0, row->figures[PLAN_ROWS]) + fmax(0, row->figures[PLAN_REMOVED]);
	bool is_expected = why == NODE_FILTER && row->figures[PLAN_ESTIMATE] >= 0 &&
			   row->figures[PLAN_ESTIMATE] * NODE_EXPECTED <= rows &&
			   str_glob(STR("*Seq Scan on *"), plan_row_name(in, row));

	if (is_expected)
		finding_because(out, f,
				"the planner expected %.0f of %.0f rows, and would have used an "
				"index that serves the condition",
				row->figures[PLAN_ESTIMATE], rows);
	else if (why == NODE_DROPPED)
		finding_because(out, f,
				"both nodes print their rows and times\n"
				"whether such an index exists");
	else
		finding_because(out, f, "each node prints its time%s",
				node_is_short(p, row) ? "; timing itself slows short loops" : "");
}

static void node_finding(const struct rule_input *in, struct findings *out,
			 const struct plan_rows *p, const struct plan_row *row)
{
	enum node_why why = node_why(in, p, row);
	double loops = row->figures[PLAN_LOOPS] > 1 ? row->figures[PLAN_LOOPS] : 1;
	double share = 100 * row->figures[PLAN_SELF] / p->self_ms;
	double err = node_rounding(in, p, row, loops);
	struct finding *f = finding_add(
		out, in, &rule_plan_node,
		share >= 100 * NODE_LEAD && (why != NODE_OTHER || p->self_ms >= NODE_LEAD_MS)
			? FINDING_WARNING
			: FINDING_NOTE,
		NODE_SURE);
	const char *text = finding_name(out, "%.0f %% of %.1f ms are in '" STR_FMT "'", share,
					p->self_ms, STR_ARG(plan_row_name(in, row)));

	text = node_says_runs(out, row, loops, text);
	if (why == NODE_CORRELATED)
		text = finding_name(out, "%s in " STR_FMT, text,
				    STR_ARG(node_subplan_of(in, p, row)));
	if (why == NODE_SUBPLAN)
		text = finding_name(out,
				    "%s, which reads '" STR_FMT "' again for each of %.0f rows",
				    text, STR_ARG(plan_row_name(in, node_subplan(p, row))),
				    node_subplan(p, row)->figures[PLAN_LOOPS]);
	if (why == NODE_EITHER)
		text = finding_name(
			out, "%s, whose join condition is an OR: " STR_FMT, text,
			STR_ARG(str_sub(strings_get(capture_strings(in->capture), row->condition),
					0, NODE_CONDITION)));
	if (why == NODE_WASTED || why == NODE_COMBINED)
		text = finding_name(out, "%s, which %s %.0f rows of which the plan returns %.0f",
				    text, why == NODE_WASTED ? "reads" : "makes",
				    row->figures[PLAN_ROWS], p->rows.data[0].figures[PLAN_ROWS]);
	if (why == NODE_OTHER && row->figures[PLAN_ROWS] >= NODE_MANY &&
	    str_glob(STR("*Scan*"), plan_row_name(in, row)))
		text = finding_name(out, "%s, which reads %.0f rows", text,
				    row->figures[PLAN_ROWS]);
	if (why == NODE_DROPPED)
		text = node_says_dropped(in, out, p, row, text);
	if (why == NODE_SORTED)
		text = finding_name(out, "%s, which sorts %.0f rows", text,
				    row->figures[PLAN_ROWS] * loops);
	if (why == NODE_SLOW_ROW)
		text = finding_name(out, "%s, %.1f ms for each of its rows", text,
				    row->figures[PLAN_SELF] / loops /
					    (fmax(0, row->figures[PLAN_ROWS]) +
					     fmax(0, row->figures[PLAN_REMOVED])));
	if (why == NODE_LOSSY || why == NODE_INEXACT)
		text = finding_name(
			out, "%s, which read %.0f rows to keep %.0f", text,
			(row->figures[PLAN_RECHECKED] + fmax(0, row->figures[PLAN_ROWS])) * loops,
			fmax(0, row->figures[PLAN_ROWS]) * loops);
	if (why == NODE_HEAP)
		text = finding_name(out, "%s, which looked up %.0f rows in the table", text,
				    row->figures[PLAN_HEAP]);
	if ((node_is_filter(why) || why == NODE_RESCAN || why == NODE_CORRELATED ||
	     why == NODE_COMPUTED || why == NODE_PAIRS || why == NODE_EITHER) &&
	    row->figures[PLAN_REMOVED] > 0)
		text = node_says_removed(out, row, loops, text);
	finding_claim(out, f, "%s", text);
	f->impact = share;
	finding_figure(f, "time in the node", share, err, "%");
	plan_row_cite(out, f, in, row);
	finding_cause_if(out, f, node_is_shown(why), "%s", node_words[why].cause);
	if (why == NODE_DROPPED)
		node_cite_join(in, out, f, p, row);
	node_because(in, out, f, p, row, why);
	if (why == NODE_READ && row->figures[PLAN_READ_MS] >= 0) {
		finding_figure(f, "time of its reads", row->figures[PLAN_READ_MS], 0, "ms");
		finding_next(out, f,
			     "run it again: with the same blocks in a cache, I/O Timings shrink");
		return;
	}
	if (node_next_parameter(in, out, f, p, row, why) ||
	    node_next_index(in, out, f, p, row, why))
		return;
	if (why == NODE_DROPPED && f->next.len)
		return;
	if (why == NODE_WHOLE && !row->condition.v && row->figures[PLAN_REMOVED] <= 0) {
		finding_next(
			out, f,
			"check whether the statement needs all rows of this table: the scan has "
			"no condition; of joins, an index on the joined columns may serve");
		return;
	}
	finding_next(out, f, "%s",
		     why == NODE_OTHER && node_is_mysql(in, p)
			     ? "FLUSH STATUS, the statement, then SHOW SESSION STATUS LIKE "
			       "'Handler_read%': rows read by key and in order"
		     : why == NODE_OTHER && node_has_buffers(p)
			     ? "perf record -g -p PID of its backend: which functions compute"
			     : node_words[why].next);
}

/* Number of rows that @row examined in all loops, including the rows that its filter removed. */
static double node_examined(const struct plan_row *row)
{
	return (fmax(0, row->figures[PLAN_ROWS]) + fmax(0, row->figures[PLAN_REMOVED])) *
	       fmax(1, row->figures[PLAN_LOOPS]);
}

/*
 * Judge a plan without times of its nodes, as with TIMING OFF: name the scan of a whole table that
 * examines most rows. False: there is no such scan, or the time of the statement is not printed.
 */
static bool node_untimed(const struct rule_input *in, struct findings *out,
			 const struct plan_rows *p)
{
	const struct plan_row *best = NULL;
	struct finding *f;
	const char *runs;
	enum node_why why;
	double rows, loops;

	if (p->execution_ms < NODE_LEAST)
		return false;
	VEC_FOREACH (row, &p->rows) {
		if (str_glob(STR("*Seq Scan on *|Table scan on *"), plan_row_name(in, row)) &&
		    (!best || node_examined(row) > node_examined(best)))
			best = row;
	}
	if (!best || node_examined(best) < NODE_MANY)
		return false;
	rows = node_examined(best);
	loops = fmax(1, best->figures[PLAN_LOOPS]);
	runs = node_says_runs(out, best, loops, "");
	why = node_why(in, p, best);
	f = finding_add(out, in, &rule_plan_node,
			p->execution_ms >= NODE_LEAD_MS && rows >= NODE_LEAD_ROWS ? FINDING_WARNING
										  : FINDING_NOTE,
			NODE_SURE);
	finding_claim(
		out, f,
		"'" STR_FMT "'%s%s reads %.0f rows in a statement of %.1f ms; times of nodes are "
		"not printed",
		STR_ARG(plan_row_name(in, best)), runs, *runs ? "," : "", rows, p->execution_ms);
	finding_figure(f, "rows read", rows, loops > 1 ? 0.5 * loops : 0, "");
	finding_figure(f, "time of the statement", p->execution_ms, 0, "ms");
	plan_row_cite(out, f, in, best);
	finding_usual_cause(out, f, "%s", node_words[why].cause);
	finding_because(out, f, "the node prints its rows and loops, and no time");
	if (!node_next_parameter(in, out, f, p, best, why) &&
	    !node_next_index(in, out, f, p, best, why))
		finding_next(out, f, "%s", node_words[why].next);
	return true;
}

/*
 * Judge a sort or hash that goes through temporary files, and whose child nodes are cut off: its
 * share is between that of its time after the first row, and that of all its time. False: there is
 * no such node, or it is short.
 */
static bool node_cut(const struct rule_input *in, struct findings *out, const struct plan_rows *p)
{
	const struct plan_row *best = NULL;
	double least, most;
	struct finding *f;

	VEC_FOREACH (row, &p->rows) {
		if (row->cut_ms > 0 && row->figures[PLAN_SELF] >= 0 && node_spills(in, p, row) &&
		    (!best || row->cut_ms > best->cut_ms))
			best = row;
	}
	if (!best || p->self_ms < NODE_LEAST)
		return false;
	least = 100 * best->figures[PLAN_SELF] / p->self_ms;
	most = least + 100 * best->cut_ms / p->self_ms;
	if (most < 100 * NODE_PART)
		return false;
	f = finding_add(out, in, &rule_plan_node, FINDING_NOTE, NODE_SURE);
	finding_claim(out, f,
		      "%.0f to %.0f %% of %.1f ms are in '" STR_FMT "', which writes %.0f rows to "
		      "temporary files (%.0f kB); the nodes below it are cut off",
		      least, most, p->self_ms, STR_ARG(plan_row_name(in, best)),
		      best->figures[PLAN_ROWS] * fmax(1, best->figures[PLAN_LOOPS]),
		      fmax(best->figures[PLAN_SORT_DISK], best->figures[PLAN_HASH_DISK]));
	f->impact = most;
	finding_figure(f, "time in the node, at least", least, 0, "%");
	finding_figure(f, "time in the node, at most", most, 0, "%");
	if (best->figures[PLAN_SORT_KEYS] > 0)
		finding_figure(f, "columns that the sort compares", best->figures[PLAN_SORT_KEYS],
			       0, "");
	plan_row_cite(out, f, in, best);
	finding_cause(out, f, "%s%s", node_words[NODE_DISK].cause,
		      best->figures[PLAN_SORT_KEYS] > 0
			      ? ". So many columns to sort by are the list of a DISTINCT, UNION or "
				"GROUP BY over whole rows"
			      : "");
	finding_because(out, f,
			"the time up to its first row contains its own work and that of "
			"the nodes below it");
	finding_next(out, f, "%s", node_words[NODE_DISK].next);
	if (best->figures[PLAN_SORT_KEYS] > 0)
		finding_next(out, f,
			     "EXISTS or IN (SELECT ...) instead of a JOIN with DISTINCT: no row is "
			     "doubled, so none has to be sorted out");
	return true;
}

static void node_check(const struct rule_input *in, struct findings *out)
{
	const struct plan_row *best = NULL;
	struct plan_rows p;

	if (str_eq(str_of(in->capture->format), STR("plan-costs"))) {
		finding_not_assessed(out, in, &rule_plan_node,
				     "EXPLAIN (ANALYZE, BUFFERS) of the statement",
				     "the plan has only estimates of the planner, and no times");
		return;
	}
	if (!plan_rows_init(&p, in))
		return;
	VEC_FOREACH (row, &p.rows) {
		if (!best || row->figures[PLAN_SELF] > best->figures[PLAN_SELF])
			best = row;
	}
	/* The times of nodes include JIT compilation. Without compilation the node may be fast. */
	if (p.jit_ms > 0 && best->figures[PLAN_SELF] >= NODE_PART * p.self_ms &&
	    best->figures[PLAN_SELF] - p.jit_ms < NODE_PART * p.self_ms)
		finding_not_assessed(out, in, &rule_plan_node, "SET jit = off, and the plan again",
				     "JIT compilation is part of the times of the nodes");
	else if (best->figures[PLAN_SELF] < 0 && !node_untimed(in, out, &p))
		finding_not_assessed(out, in, &rule_plan_node, "EXPLAIN ANALYZE with TIMING",
				     "the nodes have no times");
	else if (best->figures[PLAN_SELF] >= 0 && p.self_ms >= NODE_LEAST &&
		 best->figures[PLAN_SELF] >= NODE_PART * p.self_ms)
		node_finding(in, out, &p, best);
	else if (best->figures[PLAN_SELF] >= 0 && !node_cut(in, out, &p))
		finding_clean(out, in, &rule_plan_node,
			      "no node has half of the time, or all take less than 10 ms");
	plan_rows_fini(&p);
}

const struct rule rule_plan_node = {
	.id = "plan-node",
	.title = "One node of a query plan takes most of the time",
	.needs = RULE_COUNTERS,
	.check = node_check,
	.is_measured = true,
};
