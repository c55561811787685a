/* SPDX-License-Identifier: MIT */
/*
 * VACUUM reads all indexes of a table several times, because its list of dead rows was full.
 *
 * Each pass reads every index completely. Normally there is one pass, so two are a note.
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(vacuum_index_scans);

#define SCANS_NOTE 2.0
#define SCANS_SURE 95u
#define SCANS_NAME 64u
#define SCANS_TOOL "VACUUM"

/* The seconds that VACUUM took for the table of @row; 0: not printed. */
static double scans_elapsed(const struct capture *c, const struct counter *row)
{
	VEC_FOREACH (other, &c->counters->rows) {
		if (other->key.v == row->key.v && other->interval == row->interval &&
		    str_eq(strings_get(capture_strings(c), other->name), STR("elapsed")))
			return counter_value(other);
	}
	return 0;
}

static void scans_finding(const struct rule_input *in, struct findings *out,
			  const struct counter *row)
{
	double n = counter_value(row);
	double elapsed = scans_elapsed(in->capture, row);
	struct finding *f =
		finding_add(out, in, &rule_vacuum_index_scans, FINDING_NOTE, SCANS_SURE);

	f->impact = 20;
	finding_claim(out, f, "VACUUM read all indexes of " STR_FMT " %.0f times%s",
		      STR_ARG(str_sub(strings_get(capture_strings(in->capture), row->key), 0,
				      SCANS_NAME)),
		      n,
		      elapsed > 0 ? finding_name(out, ", in %s",
						 finding_duration(out, (uint64_t)(elapsed * 1e9)))
				  : "");
	finding_figure(f, "index scans", n, 0, "");
	finding_evidence(out, f, in, row->line, "index scans: %.0f", n);
	finding_cause(out, f,
		      "The list of dead rows did not fit into maintenance_work_mem (or "
		      "autovacuum_work_mem), so VACUUM worked in several rounds, each with a "
		      "complete read of every index");
	finding_because(out, f, "VACUUM reads the indexes again only if its list is full");
	finding_next(out, f,
		     "SET maintenance_work_mem to several times its value; for autovacuum, "
		     "autovacuum_work_mem: then one pass is enough");
}

static void scans_check(const struct rule_input *in, struct findings *out)
{
	const struct capture *c = in->capture;
	const struct counter *most = NULL;

	if (!str_eq(strings_get(capture_strings(c), c->counters->tool), STR(SCANS_TOOL)))
		return;
	VEC_FOREACH (row, &c->counters->rows) {
		if (str_eq(strings_get(capture_strings(c), row->name), STR("index scans")) &&
		    (!most || counter_value(row) > counter_value(most)))
			most = row;
	}
	if (!most)
		finding_not_assessed(out, in, &rule_vacuum_index_scans,
				     "VACUUM (VERBOSE) of PostgreSQL 15 or later",
				     "the number of index scans is not printed");
	else if (counter_value(most) >= SCANS_NOTE)
		scans_finding(in, out, most);
	else
		finding_clean(out, in, &rule_vacuum_index_scans,
			      "VACUUM read the indexes of a table at most once");
}

const struct rule rule_vacuum_index_scans = {
	.id = "vacuum-index-scans",
	.title = "VACUUM reads indexes several times",
	.needs = RULE_COUNTERS,
	.check = scans_check,
	.is_measured = true,
};
