/* SPDX-License-Identifier: MIT */
/*
 * A condition converts a column to another type, "(s.id)::numeric = b.ref". An index on the column
 * contains the unconverted values, so it cannot serve the condition, and the whole table is read.
 * Conversions to text types are ignored: varchar and text are stored alike. MySQL and MariaDB print
 * "convert(s.name using utf8mb4)" and "cast(s.id as double)".
 *
 * Thresholds: the scan of the table reads at least 1000 rows, and the condition keeps a tenth or
 * less of them. Scan and join take 30 % of the time for a note, 50 % for a warning. Source:
 * PostgreSQL, src/backend/utils/adt/ruleutils.c, get_coercion_expr().
 */
#include "explain/plan_words.h"

#include "base/str.h"
#include "core/capture.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(plan_cast);

#define CAST_NOTE_PCT 30.0
#define CAST_LEAD_PCT 50.0
#define CAST_ROWS     1000.0
#define CAST_KEPT     0.1 /* maximum part (0 to 1) of the rows that the condition keeps */
#define CAST_SURE     90u

/*
 * Find the scan that reads the whole table of @column, in @row or in a later row of the plan. NULL:
 * none.
 */
static const struct plan_row *cast_scan(const struct rule_input *in, const struct plan_rows *p,
					const struct plan_row *row, struct str column)
{
	size_t dot = str_find_char(column, '.');
	struct str of = str_sub(column, 0, dot);

	for (const struct plan_row *at = row; at < p->rows.data + p->rows.len; at++) {
		struct str alias = STR_NONE;

		if (!str_glob(STR("*Seq Scan on *|Table scan on *"), plan_row_name(in, at)) ||
		    !plan_row_table(in, at, &alias).len)
			continue;
		/*
		 * A condition of the scan itself names the column without its table. In other
		 * conditions, the part before the dot is the alias of the table.
		 */
		if ((at == row && dot == column.len) || (dot < column.len && str_eq(alias, of)))
			return at;
	}
	return NULL;
}

/* Rows that a scan reads in all its loops. */
static double cast_rows(const struct plan_row *scan)
{
	return (fmax(0, scan->figures[PLAN_ROWS]) + fmax(0, scan->figures[PLAN_REMOVED])) *
	       fmax(1, scan->figures[PLAN_LOOPS]);
}

/*
 * If a condition of @row converts a column, and this costs much time, add a finding. True: a
 * finding was added.
 */
static bool cast_judge(const struct rule_input *in, struct findings *out, const struct plan_rows *p,
		       const struct plan_row *row, struct str condition)
{
	struct plan_cast cast = { .column = STR_NONE };
	const struct plan_row *scan =
		plan_words_cast(condition, &cast) ? cast_scan(in, p, row, cast.column) : NULL;
	double share, kept;
	struct finding *f;

	if (!scan)
		return false;
	kept = fmax(0, row->figures[PLAN_ROWS]) * fmax(1, row->figures[PLAN_LOOPS]);
	share = 100 *
		(fmax(0, scan->figures[PLAN_SELF]) +
		 (scan != row ? fmax(0, row->figures[PLAN_SELF]) : 0)) /
		p->self_ms;
	if (cast_rows(scan) < CAST_ROWS || kept > CAST_KEPT * cast_rows(scan) ||
	    !(share >= CAST_NOTE_PCT))
		return false;
	f = finding_add(out, in, &rule_plan_cast,
			share >= CAST_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE, CAST_SURE);
	finding_claim(out, f,
		      "A condition converts " STR_FMT " of each row to " STR_FMT
		      ", so no index on it is used: '" STR_FMT
		      "' reads %.0f rows for %.0f, %.0f %% "
		      "of %.1f ms",
		      STR_ARG(cast.column), STR_ARG(cast.type), STR_ARG(plan_row_name(in, scan)),
		      cast_rows(scan), kept, share, p->self_ms);
	f->impact = share;
	finding_figure(f, "time in the scan and the join", share, 0, "%");
	finding_figure(f, "rows read", cast_rows(scan), 0, "");
	finding_figure(f, "rows kept", kept, 0, "");
	plan_row_cite(out, f, in, row);
	if (scan != row)
		plan_row_cite(out, f, in, scan);
	if (cast.is_charset)
		finding_cause(out, f,
			      "The two sides have different character sets, and the server "
			      "converts the column to " STR_FMT
			      ". An index has the values as they are stored",
			      STR_ARG(cast.type));
	else if (cast.is_call)
		finding_usual_cause(out, f,
				    "The two sides have different types, and the server or the "
				    "statement casts the column. An index has the values as they "
				    "are stored");
	else
		finding_cause(
			out, f,
			"The other side has the type " STR_FMT
			", and the planner converts the column to it. An index has the values as "
			"they are stored",
			STR_ARG(cast.type));
	finding_because(out, f,
			"the condition prints the conversion\n"
			"whether an index on the column exists");
	if (cast.is_charset) {
		finding_next(out, f,
			     "ALTER TABLE ... CONVERT TO CHARACTER SET " STR_FMT
			     " for the table of " STR_FMT ": both columns need one character set",
			     STR_ARG(cast.type), STR_ARG(cast.column));
		finding_next(out, f,
			     "or convert the other side in the statement: CONVERT(OTHER USING the "
			     "character set of " STR_FMT ")",
			     STR_ARG(cast.column));
		return true;
	}
	finding_next(out, f,
		     "convert the other side instead, to the type of " STR_FMT
		     ": in a join, %s; of a parameter, bind it with this type",
		     STR_ARG(cast.column), cast.is_call ? "CAST(OTHER AS TYPE)" : "OTHER::TYPE");
	finding_next(out, f, "or give both columns one type (%s)",
		     cast.is_call ? "ALTER TABLE ... MODIFY"
				  : "ALTER TABLE ... ALTER COLUMN ... TYPE");
	return true;
}

static void cast_check(const struct rule_input *in, struct findings *out)
{
	const struct strings *strings = capture_strings(in->capture);
	bool is_found = false;
	struct plan_rows p;

	if (!plan_rows_init(&p, in))
		return;
	if (p.self_ms <= 0)
		finding_not_assessed(out, in, &rule_plan_cast, "EXPLAIN ANALYZE with TIMING",
				     "the nodes have no times");
	for (size_t i = 0; i < p.rows.len && p.self_ms > 0 && !is_found; i++) {
		const struct plan_row *row = &p.rows.data[i];

		is_found = cast_judge(in, out, &p, row, strings_get(strings, row->condition)) ||
			   cast_judge(in, out, &p, row, strings_get(strings, row->index_condition));
		/*
		 * MySQL prints the condition as a part of the node's name: "Filter: (cast(m.no as
		 * double) = 5)"
		 */
		if (!is_found && str_glob(STR("Filter: *|*hash join (*"), plan_row_name(in, row)))
			is_found = cast_judge(in, out, &p, row, plan_row_name(in, row));
	}
	if (!is_found && p.self_ms > 0)
		finding_clean(out, in, &rule_plan_cast,
			      "no conversion of a column makes a scan read many rows for few");
	plan_rows_fini(&p);
}

static const char *const cast_explains[] = { "plan-node", "plan-estimate", NULL };

const struct rule rule_plan_cast = {
	.id = "plan-cast",
	.title = "A converted column has no index",
	.needs = RULE_COUNTERS,
	.explains = cast_explains,
	.check = cast_check,
	.is_measured = true,
};
