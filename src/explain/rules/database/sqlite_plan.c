/* SPDX-License-Identifier: MIT */
/*
 * A plan of SQLite scans a table inside a loop, or builds an index that lasts for one run of
 * the statement only.
 *
 * SQLite builds an automatic index if a table or a result has no usable index and a loop around it
 * would read it again and again. A result (CO-ROUTINE, MATERIALIZE) is complete before its index
 * is, so all rows are computed although the loop may need few of them.
 *
 * No thresholds: the plan has no figures. A scan that no loop repeats is a note, since the
 * statement may need all rows. Source: SQLite, eqp.html, optoverview.html ("Automatic Query-Time
 * Indexes").
 */
#include "base/str.h"
#include "core/capture.h"
#include "core/kinds/metrics.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/table_words.h"

#include <math.h>

DECLARE_RULE(sqlite_plan);

#define SQLITE_SURE      75u
#define SQLITE_SURE_SCAN 50u /* certainty for a scan that no loop repeats */

struct sqlite_plan {
	const struct rule_input *in;
	const struct metrics *m;
	size_t step, index, condition, depth;
};

/* maximum number of steps: SQLite joins at most 64 tables, and unites at most 500 queries */
#define SQLITE_STEPS 4096u

/* What a row of the plan costs, the worst last. */
enum sqlite_trouble {
	SQLITE_FINE,
	SQLITE_ONE_SCAN,   /* a table is scanned without an index, in no loop */
	SQLITE_RESULT,     /* a result is indexed */
	SQLITE_AUTO_INDEX, /* a table is indexed */
	SQLITE_IN_LOOP,    /* a table is scanned again for each row of a loop around it */
};

static struct str sqlite_text(const struct sqlite_plan *p, size_t row, size_t column)
{
	return table_words_text(p->in, row, column);
}

static double sqlite_depth(const struct sqlite_plan *p, size_t row)
{
	return metrics_value(p->m, row, p->depth);
}

static bool sqlite_is_scan(const struct sqlite_plan *p, size_t row)
{
	return str_glob(STR("SCAN|SEARCH"), sqlite_text(p, row, p->step));
}

/* The row of the step CO-ROUTINE or MATERIALIZE that computes @name; SIZE_MAX: a table. */
static size_t sqlite_result(const struct sqlite_plan *p, struct str name)
{
	for (size_t row = 0; row < p->m->n_rows; row++) {
		if (str_glob(STR("CO-ROUTINE|MATERIALIZE"), sqlite_text(p, row, p->step)) &&
		    str_eq(table_words_name(p->in, row), name))
			return row;
	}
	return SIZE_MAX;
}

/* Whether step RECURSIVE STEP is below @row. */
static bool sqlite_is_recursive(const struct sqlite_plan *p, size_t row)
{
	for (size_t i = row + 1; i < p->m->n_rows && sqlite_depth(p, i) > sqlite_depth(p, row);
	     i++) {
		if (str_eq(sqlite_text(p, i, p->step), STR("RECURSIVE STEP")))
			return true;
	}
	return false;
}

/* The step around @row; SIZE_MAX: none. */
static size_t sqlite_parent(const struct sqlite_plan *p, size_t row)
{
	for (size_t i = row; i-- > 0;) {
		if (sqlite_depth(p, i) < sqlite_depth(p, row))
			return i;
	}
	return SIZE_MAX;
}

/* Whether @row scans rows that the statement spells out, or a result that has no others. */
static bool sqlite_is_constant(const struct sqlite_plan *p, size_t row)
{
	static const char pattern[] = "CONSTANT ROW*|* CONSTANT ROWS|*-ROW VALUES CLAUSE";
	size_t result;

	if (str_glob(str_of(pattern), table_words_name(p->in, row)))
		return true;
	result = sqlite_result(p, table_words_name(p->in, row));
	if (result == SIZE_MAX)
		return false;
	for (size_t i = result + 1;
	     i < p->m->n_rows && sqlite_depth(p, i) > sqlite_depth(p, result); i++) {
		if (sqlite_is_scan(p, i) && !str_glob(str_of(pattern), table_words_name(p->in, i)))
			return false;
	}
	return result + 1 < p->m->n_rows && sqlite_depth(p, result + 1) > sqlite_depth(p, result);
}

/* Whether @row searches for a number of a row: it finds one row, or a few with IN. */
static bool sqlite_is_one_row(const struct sqlite_plan *p, size_t row)
{
	return str_eq(sqlite_text(p, row, p->index), STR("INTEGER PRIMARY KEY")) &&
	       str_eq(sqlite_text(p, row, p->condition), STR("(rowid=?)"));
}

/* Whether @row is a step with rows that repeat the steps in its loop. */
static bool sqlite_is_loop(const struct sqlite_plan *p, size_t row)
{
	return sqlite_is_scan(p, row) && !sqlite_is_constant(p, row) && !sqlite_is_one_row(p, row);
}

/*
 * The scan whose rows repeat @row: the previous scan in the same nest of loops, or the last scan
 * before a correlated subquery around @row. SIZE_MAX: none.
 */
static size_t sqlite_loop(const struct sqlite_plan *p, size_t row)
{
	size_t parent = sqlite_parent(p, row);

	for (size_t i = row; i-- > 0 && sqlite_depth(p, i) >= sqlite_depth(p, row);) {
		if (sqlite_depth(p, i) <= sqlite_depth(p, row) && sqlite_is_loop(p, i))
			return i;
	}
	if (parent == SIZE_MAX || !str_contains(sqlite_text(p, parent, p->step), STR("CORRELATED")))
		return SIZE_MAX;
	for (size_t i = parent; i-- > 0 && sqlite_depth(p, i) >= sqlite_depth(p, parent);) {
		if (sqlite_depth(p, i) <= sqlite_depth(p, parent) && sqlite_is_loop(p, i))
			return i;
	}
	return SIZE_MAX;
}

/*
 * Whether the plan computes a result that no scan names. SCAN and SEARCH print the alias of a
 * result, and CO-ROUTINE and MATERIALIZE its name: so a name without such a step may be a result.
 */
static bool sqlite_has_alias(const struct sqlite_plan *p)
{
	for (size_t row = 0; row < p->m->n_rows; row++) {
		struct str name = table_words_name(p->in, row);
		bool is_used = false;

		if (!str_glob(STR("CO-ROUTINE|MATERIALIZE"), sqlite_text(p, row, p->step)))
			continue;
		for (size_t i = 0; i < p->m->n_rows; i++)
			is_used |= sqlite_is_scan(p, i) && str_eq(table_words_name(p->in, i), name);
		if (!is_used)
			return true;
	}
	return false;
}

static bool sqlite_is_table(const struct sqlite_plan *p, size_t row)
{
	struct str name = table_words_name(p->in, row);

	return sqlite_result(p, name) == SIZE_MAX && name.len && !char_is_digit(name.p[0]) &&
	       !str_glob(STR("SUBQUERY *|(*|CONSTANT ROW*"), name);
}

static enum sqlite_trouble sqlite_judge(const struct sqlite_plan *p, size_t row)
{
	struct str index = sqlite_text(p, row, p->index);

	/* a virtual table has its own way to find rows, and CREATE INDEX does not work on it */
	if (!sqlite_is_scan(p, row) || str_starts(index, STR("VIRTUAL ")))
		return SQLITE_FINE;
	if (str_starts(index, STR("AUTOMATIC")))
		return sqlite_is_table(p, row) ? SQLITE_AUTO_INDEX : SQLITE_RESULT;
	if (!str_eq(sqlite_text(p, row, p->step), STR("SCAN")) || !sqlite_is_table(p, row) ||
	    sqlite_has_alias(p))
		return SQLITE_FINE;
	if (sqlite_loop(p, row) != SIZE_MAX)
		return SQLITE_IN_LOOP;
	return index.len ? SQLITE_FINE : SQLITE_ONE_SCAN;
}

static void sqlite_index_words(const struct sqlite_plan *p, struct findings *out, struct finding *f,
			       size_t row)
{
	struct str name = table_words_name(p->in, row);
	struct str columns = sqlite_text(p, row, p->condition);
	size_t result = sqlite_result(p, name);

	if (sqlite_is_table(p, row)) {
		finding_claim(out, f,
			      "SQLite builds an index on '" STR_FMT "' each time the statement "
			      "runs, and drops it at the end: " STR_FMT " " STR_FMT,
			      STR_ARG(name), STR_ARG(sqlite_text(p, row, p->index)),
			      STR_ARG(columns));
		finding_cause_if(out, f, !sqlite_has_alias(p), "No index of the table serves %s",
				 sqlite_has_alias(p)
					 ? "this condition, or the name is an alias of a subquery"
					 : "this condition");
		finding_next(out, f,
			     "CREATE INDEX on the columns of '" STR_FMT "' in " STR_FMT
			     "; the plan must then name it",
			     STR_ARG(name), STR_ARG(columns));
		return;
	}
	finding_claim(
		out, f,
		"Each run computes the %s '" STR_FMT "' (" STR_FMT
		") in full, and builds an index on its result " STR_FMT,
		result != SIZE_MAX && sqlite_is_recursive(p, result) ? "recursive subquery"
								     : "subquery",
		STR_ARG(name),
		STR_ARG(result != SIZE_MAX ? sqlite_text(p, result, p->step) : STR("SUBQUERY")),
		STR_ARG(columns));
	if (result != SIZE_MAX)
		finding_evidence(out, f, p->in, p->m->lines.data[result], "where it is computed");
	finding_cause(out, f,
		      "A result has no index, so SQLite must have all its rows before it can "
		      "search in them");
	finding_next(out, f,
		     "inside '" STR_FMT "', limit the rows by an index of the tables below it: "
		     "the condition of the outer query does not reach them",
		     STR_ARG(name));
}

static void sqlite_scan_words(const struct sqlite_plan *p, struct findings *out, struct finding *f,
			      size_t row)
{
	struct str name = table_words_name(p->in, row);
	size_t loop = sqlite_loop(p, row);

	if (loop == SIZE_MAX) {
		finding_claim(out, f,
			      "SQLite scans '" STR_FMT "' row by row, without an index (SCAN), "
			      "until the end or a LIMIT",
			      STR_ARG(name));
		finding_usual_cause(out, f, "No index serves its condition, or it has none");
		finding_next(out, f,
			     "CREATE INDEX on the columns of its WHERE, unless it needs all "
			     "rows: the plan must then say SEARCH");
		return;
	}
	finding_claim(out, f, "'" STR_FMT "' is scanned again for each row of '" STR_FMT "'",
		      STR_ARG(name), STR_ARG(table_words_name(p->in, loop)));
	finding_evidence(out, f, p->in, p->m->lines.data[loop], "the loop around it");
	finding_cause(out, f, "%s",
		      sqlite_depth(p, loop) < sqlite_depth(p, row)
			      ? "A correlated subquery runs again for each row of the query around "
				"it, and SCAN uses no index to find rows"
			      : "Steps at one depth are nested loops, and SCAN uses no index to "
				"find rows");
	finding_next(out, f,
		     "CREATE INDEX on the columns of '" STR_FMT
		     "' that join it; the plan must then say SEARCH",
		     STR_ARG(name));
}

static void sqlite_finding(const struct sqlite_plan *p, struct findings *out, size_t row,
			   enum sqlite_trouble what)
{
	struct finding *f = finding_add(out, p->in, &rule_sqlite_plan,
					what >= SQLITE_AUTO_INDEX ? FINDING_WARNING : FINDING_NOTE,
					what == SQLITE_ONE_SCAN ? SQLITE_SURE_SCAN : SQLITE_SURE);

	finding_figure(f, "steps of the plan", (double)p->m->n_rows, 0, "");
	finding_evidence(out, f, p->in, p->m->lines.data[row], "the step of the plan");
	if (what == SQLITE_RESULT || what == SQLITE_AUTO_INDEX)
		sqlite_index_words(p, out, f, row);
	else
		sqlite_scan_words(p, out, f, row);
	finding_because(out, f,
			"the plan names each step\n"
			"how many rows each step has, and how often the statement runs");
}

static void sqlite_plan_check(const struct rule_input *in, struct findings *out)
{
	struct sqlite_plan p = {
		.in = in,
		.m = in->capture->metrics,
		.step = table_words_column(in, "step"),
		.index = table_words_column(in, "index"),
		.condition = table_words_column(in, "condition"),
		.depth = table_words_column(in, "depth"),
	};
	enum sqlite_trouble worst = SQLITE_FINE;
	size_t at = 0;

	if (!str_eq(str_of(in->capture->format), STR("sqlite-plan")))
		return;
	if (p.m->n_rows > SQLITE_STEPS) {
		finding_not_assessed(out, in, &rule_sqlite_plan, "the plan of one statement",
				     "the plan has %zu steps, and at most %u are judged",
				     (size_t)p.m->n_rows, SQLITE_STEPS);
		return;
	}
	for (size_t row = 0; row < p.m->n_rows; row++) {
		enum sqlite_trouble what = sqlite_judge(&p, row);

		if (what > worst) {
			worst = what;
			at = row;
		}
	}
	if (worst != SQLITE_FINE)
		sqlite_finding(&p, out, at, worst);
	else if (isnan(sqlite_depth(&p, 0)))
		finding_not_assessed(out, in, &rule_sqlite_plan,
				     "EXPLAIN QUERY PLAN in the shell sqlite3, which prints a tree",
				     "the rows of the plan do not show which steps are in a loop");
	else
		finding_clean(out, in, &rule_sqlite_plan,
			      "no table is scanned in a loop, and no run builds an index");
}

const struct rule rule_sqlite_plan = {
	.id = "sqlite-plan",
	.title = "Scans and automatic indexes in a plan of SQLite",
	.needs = RULE_METRICS,
	.check = sqlite_plan_check,
};
