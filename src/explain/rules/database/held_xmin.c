/* SPDX-License-Identifier: MIT */
/*
 * A replication slot of PostgreSQL holds an old transaction: vacuum may not remove rows that were
 * deleted after it. xmin is the oldest transaction that the consumer of the slot still needs. The
 * number of the current transaction is unknown, but it is not below the newest xmin of the other
 * slots. So the distance from this newest xmin is a lower bound of how far the slot is behind.
 *
 * Thresholds: 100,000 transactions are a note, a million a warning. Numbers of transactions wrap at
 * 2^32. A transaction is older than another if its number is less than 2^31 below the other one.
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

DECLARE_RULE(held_xmin);

#define XMIN_NOTE 100000.0
#define XMIN_LEAD 1000000.0
#define XMIN_SURE 75u
#define XMIN_NAME 64u
#define XMIN_HALF 0x80000000u

static struct str xmin_text(const struct rule_input *in, str_id id)
{
	return strings_get(capture_strings(in->capture), id);
}

/* The number of transactions by which @newer is ahead of @row; 0: it is not ahead. */
static uint32_t xmin_behind(const struct counter *row, const struct counter *newer)
{
	uint32_t n = (uint32_t)newer->value - (uint32_t)row->value;

	return n < XMIN_HALF ? n : 0;
}

static void xmin_finding(const struct rule_input *in, struct findings *out,
			 const struct counter *old, const struct counter *newest)
{
	uint32_t behind = xmin_behind(old, newest);
	struct finding *f =
		finding_add(out, in, &rule_held_xmin,
			    behind >= XMIN_LEAD ? FINDING_WARNING : FINDING_NOTE, XMIN_SURE);

	f->impact = 50;
	finding_claim(out, f,
		      "The replication slot " STR_FMT
		      " holds back vacuum: its xmin %lld is %u transactions behind that of " STR_FMT
		      " (%lld)",
		      STR_ARG(str_sub(xmin_text(in, old->key), 0, XMIN_NAME)),
		      (long long)old->value, behind,
		      STR_ARG(str_sub(xmin_text(in, newest->key), 0, XMIN_NAME)),
		      (long long)newest->value);
	finding_figure(f, "transactions behind", behind, 0, "");
	finding_evidence(out, f, in, old->line, "the oldest xmin");
	finding_evidence(out, f, in, newest->line, "the newest xmin");
	finding_usual_cause(
		out, f,
		"Rows that were deleted after that transaction stay as dead rows on the server of "
		"the slot. The standby with hot_standby_feedback runs a long transaction or an "
		"idle one, is cut off, or sends the xmin of a slot of its own");
	finding_because(out, f,
			"both numbers are printed\n"
			"which transaction of the standby is old");
	finding_next(out, f,
		     "on the standby: SELECT pid, state, xact_start, backend_xmin FROM "
		     "pg_stat_activity WHERE backend_xmin IS NOT NULL ORDER BY xact_start, and "
		     "pg_replication_slots there");
}

static void held_xmin_check(const struct rule_input *in, struct findings *out)
{
	const struct counter *old = NULL, *newest = NULL;
	size_t n = 0;

	if (!str_eq(xmin_text(in, in->capture->counters->tool), STR("pg_replication_slots")))
		return;
	VEC_FOREACH (row, &in->capture->counters->rows) {
		if (!str_eq(xmin_text(in, row->name), STR("xmin")))
			continue;
		n++;
		if (!old || xmin_behind(row, old))
			old = row;
		if (!newest || xmin_behind(newest, row))
			newest = row;
	}
	if (n < 2) {
		finding_not_assessed(out, in, &rule_held_xmin,
				     "SELECT slot_name, xmin, pg_current_xact_id() FROM "
				     "pg_replication_slots",
				     "only %zu xmin is printed: nothing to compare with", n);
		return;
	}
	if (xmin_behind(old, newest) >= XMIN_NOTE)
		xmin_finding(in, out, old, newest);
	else
		finding_clean(out, in, &rule_held_xmin,
			      "the oldest xmin is %u transactions behind the newest",
			      xmin_behind(old, newest));
}

const struct rule rule_held_xmin = {
	.id = "held-xmin",
	.title = "A replication slot holds back vacuum",
	.needs = RULE_COUNTERS,
	.check = held_xmin_check,
	.is_measured = true,
};
