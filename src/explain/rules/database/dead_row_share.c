/* SPDX-License-Identifier: MIT */
/*
 * Statistics of tables show a table with about as many dead rows as live ones, or more.
 *
 * Thresholds: half as many dead rows as live ones are a note, as many as live ones a warning.
 * Autovacuum starts when 50 rows and a fifth of the table are dead (autovacuum_vacuum_threshold,
 * autovacuum_vacuum_scale_factor). So here vacuum is late or off, or may not remove the rows. Fewer
 * than 1000 dead rows are no problem.
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(dead_row_share);

#define SHARE_ROWS 1000.0
#define SHARE_NOTE 0.5
#define SHARE_LEAD 1.0
#define SHARE_SURE 90u
#define SHARE_MOST 3u /* maximum number of tables that are reported */
#define SHARE_NAME 64u

/* The statistics of one table. */
struct share_table {
	struct str name;
	double live, dead;
	double vacuums; /* runs of vacuum and autovacuum; < 0: not printed */
	uint32_t line;
};

static void share_explain(struct findings *out, struct finding *f, const struct share_table *t)
{
	if (t->vacuums > 0)
		finding_usual_cause(
			out, f,
			"Vacuum runs and the rows stay: the table changes faster than vacuum "
			"works, or a transaction that is open for long may still read them. It is "
			"idle in transaction, prepared, of a replication slot or of a standby");
	else if (t->vacuums < 0)
		finding_usual_cause(
			out, f,
			"Vacuum does not run on the table, is slower than its changes, or may not "
			"remove the rows: a transaction that is open for long (idle in "
			"transaction) may still read them");
	else
		finding_usual_cause(out, f,
				    "No vacuum has run on the table since the statistics began: "
				    "autovacuum is disabled, busy with others, or has just not "
				    "reached it");
	finding_because(out, f,
			"the database counts both, as an estimate\n"
			"why they stay");
	finding_next(out, f,
		     "SELECT pid, state, xact_start, backend_xmin FROM pg_stat_activity WHERE "
		     "backend_xmin IS NOT NULL ORDER BY xact_start: the oldest");
	finding_next(out, f, "VACUUM (VERBOSE) of the table: 'are dead but not yet removable'");
}

static void share_finding(const struct rule_input *in, struct findings *out,
			  const struct share_table *t)
{
	struct finding *f = finding_add(
		out, in, &rule_dead_row_share,
		t->dead >= SHARE_LEAD * t->live ? FINDING_WARNING : FINDING_NOTE, SHARE_SURE);
	struct str name = str_sub(t->name, 0, SHARE_NAME);

	f->is_kind = true;
	f->impact = 100 * t->dead / (t->dead + t->live);
	finding_claim(out, f, "%s" STR_FMT " has %.0f dead rows and %.0f live ones%s",
		      name.len ? "" : "A table", STR_ARG(name), t->dead, t->live,
		      t->vacuums < 0 ? ""
				     : finding_name(out, ", after %.0f run%s of vacuum", t->vacuums,
						    t->vacuums == 1 ? "" : "s"));
	finding_figure(f, "dead rows", t->dead, 0, "");
	finding_figure(f, "share of the rows", f->impact, 0, "%");
	finding_evidence(out, f, in, t->line, "%.0f dead, %.0f live", t->dead, t->live);
	share_explain(out, f, t);
}

/*
 * Fill *@ret for the table whose number of dead rows is in @row. False: the number of live rows is
 * not printed.
 */
static bool share_table_of(const struct capture *c, const struct counter *row,
			   struct share_table *ret)
{
	const struct counters *k = c->counters;
	const struct strings *strings = capture_strings(c);
	double by_hand = counters_in_row(k, strings, row, STR("vacuum_count"));
	double automatic = counters_in_row(k, strings, row, STR("autovacuum_count"));

	*ret = (struct share_table){
		.name = strings_get(strings, row->key),
		.live = counters_in_row(k, strings, row, STR("n_live_tup")),
		.dead = counter_value(row),
		.vacuums = automatic < 0 ? -1 : automatic + (by_hand > 0 ? by_hand : 0),
		.line = row->line,
	};
	return ret->live >= 0;
}

static void dead_row_share_check(const struct rule_input *in, struct findings *out)
{
	const struct capture *c = in->capture;
	struct counter_pick best[SHARE_MOST];
	struct share_table t;
	size_t n = 0, tables = 0;
	double most = 0;

	if (!str_eq(strings_get(capture_strings(c), c->counters->tool), STR("pg_stat_all_tables")))
		return;
	VEC_FOREACH (row, &c->counters->rows) {
		if (!str_eq(strings_get(capture_strings(c), row->name), STR("n_dead_tup")) ||
		    !share_table_of(c, row, &t))
			continue;
		tables++;
		if (t.dead > 0 && t.dead / (t.dead + t.live) > most)
			most = t.dead / (t.dead + t.live);
		if (t.dead >= SHARE_ROWS && t.dead >= SHARE_NOTE * t.live)
			n = counters_pick(best, n, SHARE_MOST, row, t.dead);
	}
	for (size_t i = 0; i < n; i++) {
		if (share_table_of(c, best[i].row, &t))
			share_finding(in, out, &t);
	}
	if (n)
		return;
	if (tables)
		finding_clean(out, in, &rule_dead_row_share,
			      "at most %.1f %% of the rows of a table are dead, or fewer than 1000",
			      100 * most);
	else
		finding_not_assessed(
			out, in, &rule_dead_row_share,
			"SELECT relname, n_live_tup, n_dead_tup, autovacuum_count FROM "
			"pg_stat_user_tables",
			"the columns n_live_tup and n_dead_tup are not both printed");
}

const struct rule rule_dead_row_share = {
	.id = "dead-row-share",
	.title = "Dead rows pile up in a table",
	.needs = RULE_COUNTERS,
	.check = dead_row_share_check,
	.is_measured = true,
};
