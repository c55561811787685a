/* SPDX-License-Identifier: MIT */
/*
 * VACUUM finds dead rows that it may not remove, because an old transaction could still read them.
 *
 * Thresholds: a fifth of the rows is a warning. At this share autovacuum starts again
 * (autovacuum_vacuum_scale_factor = 0.2), and again removes nothing. Fewer than 1000 rows are no
 * problem.
 *
 * VACUUM prints the number of the oldest transaction that may still read the rows. If the input
 * lists a prepared transaction with exactly this number, this transaction is the cause. A prepared
 * transaction with a larger number began later, so it is not the oldest one.
 */
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(dead_rows);

#define DEAD_PCT       20.0
#define DEAD_ROWS      1000.0
#define DEAD_SURE      95u
#define DEAD_NAME      64u
#define DEAD_MOST      3u /* maximum number of tables that are reported */
#define DEAD_TOOL      "VACUUM"
#define DEAD_PREPARED  "pg_prepared_xacts"
#define DEAD_NO_CUTOFF (-1.0)

/* What VACUUM printed about one table. */
struct dead_table {
	str_id name;
	double kept, remaining;
	/*
	 * number of the oldest transaction that may still read the rows; DEAD_NO_CUTOFF: not
	 * printed
	 */
	double cutoff;
	uint32_t line;
};

static bool dead_is(const struct capture *c, const struct counter *row, const char *name)
{
	return str_eq(strings_get(capture_strings(c), row->name), str_of(name));
}

/*
 * The last value of the counter @name for the same table and interval as @row. @missing: result if
 * the value is not printed.
 */
static double dead_value(const struct capture *c, const struct counter *row, const char *name,
			 double missing)
{
	const struct counter *best = NULL;

	VEC_FOREACH (other, &c->counters->rows) {
		if (other->key.v != row->key.v || other->interval != row->interval ||
		    !dead_is(c, other, name))
			continue;
		best = other;
	}
	return best ? counter_value(best) : missing;
}

/* The prepared transaction in the input with the number @cutoff; NULL: none is listed. */
static const struct counter *dead_prepared(const struct rule_input *in, double cutoff,
					   const struct capture **ret_capture)
{
	VEC_FOREACH (c, &in->facts->dossier->captures) {
		const struct capture *capture = *c;

		if (!capture->counters ||
		    !str_eq(strings_get(capture_strings(capture), capture->counters->tool),
			    STR(DEAD_PREPARED)))
			continue;
		VEC_FOREACH (row, &capture->counters->rows) {
			if (dead_is(capture, row, "transaction") && counter_value(row) == cutoff) {
				*ret_capture = capture;
				return row;
			}
		}
	}
	return NULL;
}

static void dead_held(const struct rule_input *in, struct findings *out, struct finding *f,
		      double cutoff)
{
	const struct capture *of = NULL;
	const struct counter *prepared = cutoff >= 0 ? dead_prepared(in, cutoff, &of) : NULL;

	if (prepared) {
		struct str gid =
			str_sub(strings_get(capture_strings(of), prepared->key), 0, DEAD_NAME);

		finding_cause(out, f,
			      "The prepared transaction " STR_FMT
			      " is as old as the oldest transaction that VACUUM respects (%.0f). "
			      "It has no session, keeps its locks and these rows until it is "
			      "committed or rolled back, and survives a restart",
			      STR_ARG(gid), cutoff);
		finding_because(out, f, "both numbers are printed and equal");
		finding_evidence(out, f, in, prepared->line,
				 "prepared transaction " STR_FMT ": %.0f", STR_ARG(gid), cutoff);
		finding_next(out, f,
			     "ROLLBACK PREPARED '" STR_FMT
			     "', or COMMIT PREPARED, once its owner is asked; then VACUUM again",
			     STR_ARG(gid));
		return;
	}
	finding_usual_cause(
		out, f,
		"An old transaction may still read them: one that is idle or runs long, a "
		"prepared transaction, a replication slot, or a standby with "
		"hot_standby_feedback. More or faster vacuum does not help");
	finding_because(
		out, f,
		"VACUUM prints the number of these rows, but not the transaction that needs them");
	finding_next(out, f,
		     "SELECT pid, state, xact_start, backend_xid, backend_xmin FROM "
		     "pg_stat_activity WHERE backend_xid IS NOT NULL OR backend_xmin IS NOT NULL: "
		     "the oldest");
	finding_next(out, f,
		     "SELECT * FROM pg_prepared_xacts; SELECT slot_name, xmin, catalog_xmin FROM "
		     "pg_replication_slots: the other holders");
}

static void dead_finding(const struct rule_input *in, struct findings *out,
			 const struct dead_table *t)
{
	double pct = t->kept / t->remaining * 100;
	struct finding *f = finding_add(out, in, &rule_dead_rows, FINDING_WARNING, DEAD_SURE);
	struct str name = str_sub(strings_get(capture_strings(in->capture), t->name), 0, DEAD_NAME);

	f->is_kind = true;
	f->impact = pct;
	finding_claim(out, f,
		      "VACUUM cannot remove %.0f dead rows of " STR_FMT
		      ", of %.0f rows: a snapshot that may still read them is open%s",
		      t->kept, STR_ARG(name), t->remaining,
		      t->cutoff >= 0 ? finding_name(out, " (oldest: %.0f)", t->cutoff) : "");
	finding_figure(f, "dead rows that stay", t->kept, 0, "");
	finding_figure(f, "share of the rows", pct, 0, "%");
	finding_evidence(out, f, in, t->line, "%.0f of %.0f rows are dead but kept", t->kept,
			 t->remaining);
	dead_held(in, out, f, t->cutoff);
}

static void dead_check(const struct rule_input *in, struct findings *out)
{
	const struct capture *c = in->capture;
	size_t n = 0, tables = 0;
	double most = 0;

	if (!str_eq(strings_get(capture_strings(c), c->counters->tool), STR(DEAD_TOOL)))
		return;
	VEC_FOREACH (row, &c->counters->rows) {
		struct dead_table t = { .name = row->key, .line = row->line };

		/*
		 * if VACUUM ran several times, the last run shows the current state of the tables
		 */
		if (row->interval + 1 < c->counters->n_intervals ||
		    !dead_is(c, row, "dead but kept"))
			continue;
		t.kept = counter_value(row);
		t.remaining = dead_value(c, row, "remaining", 0);
		t.cutoff = dead_value(c, row, "cutoff", DEAD_NO_CUTOFF);
		if (!(t.kept >= 0) || !(t.remaining >= t.kept))
			continue;
		tables++;
		if (t.remaining > 0 && t.kept / t.remaining * 100 > most)
			most = t.kept / t.remaining * 100;
		if (n == DEAD_MOST || t.kept < DEAD_ROWS || t.kept / t.remaining * 100 < DEAD_PCT)
			continue;
		dead_finding(in, out, &t);
		n++;
	}
	if (n)
		return;
	if (tables)
		finding_clean(out, in, &rule_dead_rows,
			      "at most %.1f %% of the rows of a table are dead and must stay",
			      most);
	else
		finding_not_assessed(out, in, &rule_dead_rows, "VACUUM (VERBOSE) TABLE",
				     "VACUUM does not print how many dead rows must stay");
}

const struct rule rule_dead_rows = {
	.id = "dead-rows",
	.title = "Dead rows that VACUUM cannot remove",
	.needs = RULE_COUNTERS,
	.check = dead_check,
	.is_measured = true,
};
