/* SPDX-License-Identifier: MIT */
/*
 * Statistics of tables: sequential scans read many rows of a table, again and again.
 *
 * Thresholds for a note: 100 scans, because a report or a dump reads a table only a few times. Each
 * scan reads 10000 rows, because a scan of fewer rows takes milliseconds (rule rows-examined has
 * the same limit). 1000 scans of 100000 rows are a warning. The statistics count since their last
 * reset, whose time is not printed.
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(table_scans);

#define SCANS_LEAST     100.0
#define SCANS_ROWS      10000.0
#define SCANS_LEAD      1000.0
#define SCANS_LEAD_ROWS 100000.0
#define SCANS_SURE      90u
#define SCANS_MOST      3u /* maximum number of tables that are reported */
#define SCANS_NAME      64u

/* The statistics of one table. */
struct scans_table {
	struct str name;
	double scans, rows;
	double indexed; /* scans that used an index; < 0: not printed */
	uint32_t line;
};

static bool scans_is_note(const struct scans_table *t)
{
	return t->scans >= SCANS_LEAST && t->rows >= SCANS_ROWS * t->scans;
}

static void scans_finding(const struct rule_input *in, struct findings *out,
			  const struct scans_table *t, double all)
{
	bool is_lead = t->scans >= SCANS_LEAD && t->rows >= SCANS_LEAD_ROWS * t->scans;
	struct finding *f = finding_add(out, in, &rule_table_scans,
					is_lead ? FINDING_WARNING : FINDING_NOTE, SCANS_SURE);
	struct str name = str_sub(t->name, 0, SCANS_NAME);
	const char *indexed =
		t->indexed < 0 ? "" : finding_name(out, "; %.0f scans used an index", t->indexed);

	f->is_kind = true;
	f->impact = 100 * t->rows / all;
	finding_claim(out, f,
		      "%.0f sequential scans read %.0f rows of %s" STR_FMT
		      ", %.0f in each on average%s",
		      t->scans, t->rows, name.len ? "" : "a table", STR_ARG(name),
		      t->rows / t->scans, indexed);
	finding_figure(f, "rows in each scan", t->rows / t->scans, 0, "");
	finding_figure(f, "sequential scans", t->scans, 0, "");
	if (all > t->rows)
		finding_figure(f, "share of the rows that scans read", f->impact, 0, "%");
	finding_evidence(out, f, in, t->line, "%.0f scans, %.0f rows", t->scans, t->rows);
	finding_usual_cause(out, f,
			    "No index serves the condition of a statement that runs often, so each "
			    "run reads the whole table. An index would not help a statement that "
			    "needs most rows");
	finding_because(out, f,
			"the database counts scans and rows, since its last reset\n"
			"which statements scan, and since when it counts");
	finding_next(out, f,
		     "pg_stat_statements, or log_min_duration_statement: the statements on this "
		     "table; then EXPLAIN (ANALYZE, BUFFERS), which must show Seq Scan");
	finding_next(out, f, "CREATE INDEX CONCURRENTLY on the columns of their conditions");
}

/*
 * Fill *@ret for the table whose number of sequential scans is in @row. False: the number of rows
 * that these scans read is not printed.
 */
static bool scans_table_of(const struct capture *c, const struct counter *row,
			   struct scans_table *ret)
{
	const struct strings *strings = capture_strings(c);

	*ret = (struct scans_table){
		.name = strings_get(strings, row->key),
		.scans = counter_value(row),
		.rows = counters_in_row(c->counters, strings, row, STR("seq_tup_read")),
		.indexed = counters_in_row(c->counters, strings, row, STR("idx_scan")),
		.line = row->line,
	};
	return ret->rows >= 0;
}

static void table_scans_check(const struct rule_input *in, struct findings *out)
{
	const struct capture *c = in->capture;
	struct counter_pick best[SCANS_MOST];
	struct scans_table t;
	size_t n = 0, tables = 0;
	double all = 0;

	if (!str_eq(strings_get(capture_strings(c), c->counters->tool), STR("pg_stat_all_tables")))
		return;
	VEC_FOREACH (row, &c->counters->rows) {
		if (!str_eq(strings_get(capture_strings(c), row->name), STR("seq_scan")) ||
		    !scans_table_of(c, row, &t))
			continue;
		tables++;
		all += t.rows;
		if (scans_is_note(&t))
			n = counters_pick(best, n, SCANS_MOST, row, t.rows);
	}
	for (size_t i = 0; i < n; i++) {
		if (scans_table_of(c, best[i].row, &t))
			scans_finding(in, out, &t, all);
	}
	if (n)
		return;
	if (tables)
		finding_clean(out, in, &rule_table_scans,
			      "no table has 100 sequential scans of 10000 rows each");
	else
		finding_not_assessed(out, in, &rule_table_scans,
				     "SELECT relname, seq_scan, seq_tup_read, idx_scan FROM "
				     "pg_stat_user_tables",
				     "the columns seq_scan and seq_tup_read are not both printed");
}

const struct rule rule_table_scans = {
	.id = "table-scans",
	.title = "Sequential scans read many rows",
	.needs = RULE_COUNTERS,
	.check = table_scans_check,
	.is_measured = true,
};
