/* SPDX-License-Identifier: MIT */
/*
 * A report lacks rows, or its shares add up to more than 100 %. Neither is a cause, but both limit
 * the meaning of any share.
 *
 * The verdict on the data quality, printed above all findings, already says that rows are missing.
 * So this rule has a finding only if no other rule has a finding for the input.
 *
 * Threshold: if less than half of the total is printed, a missing row can be larger than all
 * printed rows.
 */
#include "core/capture.h"
#include "core/profile.h"
#include "core/profile_inclusive.h"
#include "explain/signatures/signature.h"

#include "analyses/event_unit.h"
#include "base/str.h"
#include "base/vec.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(truncated_report);

#define TRUNCATED_VISIBLE_PCT 50.0

/* Does another rule have a finding for this input? */
static bool truncation_is_reported(const struct rule_input *in, const struct findings *out)
{
	VEC_FOREACH (f, &out->rows) {
		if (f->capture == in->number)
			return true;
		VEC_FOREACH (e, &f->evidence) {
			if (e->path.v == in->capture->path.v && f->rule != &rule_truncated_report)
				return true;
		}
	}
	return false;
}

/* The function with the largest inclusive share, if this share is above @self; otherwise NULL. */
static const struct fact_function *truncated_widest(const struct profile_facts *p, double self)
{
	const struct fact_function *widest = NULL;

	VEC_FOREACH (f, &p->functions) {
		if (f->children > self && (!widest || f->children > widest->children))
			widest = f;
	}
	return widest;
}

/* The rows show their cost as shares with callees, and no other finding says below which rows. */
static void inclusive_finding(const struct rule_input *in, struct findings *out,
			      const struct fact_function *wide)
{
	const struct profile_facts *p = in->profile;
	struct finding *f = finding_add(out, in, &rule_truncated_report, FINDING_NOTE, 95);
	struct str name = facts_short_name(in->facts, wide->sym, 96);

	f->is_kind = true;
	finding_claim(out, f,
		      STR_FMT " has %.1f %% of %s with its callees. The rows have only %.1f %% "
			      "self: where the time is spent is not shown",
		      STR_ARG(name), wide->children, in->profile->unit.of, p->total);
	finding_figure(f, "largest with callees", wide->children, 0, "%");
	finding_figure(f, "self shares of the rows", p->total, p->summary.total.err, "%");
	finding_listed(out, f, in, wide);
	finding_usual_cause(out, f, "These rows were selected, or a limit cut the others");
	finding_because(out, f, "the printed shares are of the whole recording");
	finding_next(out, f, "perf report --stdio --no-children -g none: all rows");
	finding_next(out, f, "perf report --stdio --children -g caller -S %s: its callees",
		     finding_word(out, name, false));
}

static void truncated_finding(const struct rule_input *in, struct findings *out)
{
	const struct profile_facts *p = in->profile;
	const struct fact_function *top = p->functions.data;
	struct finding *f = finding_add(out, in, &rule_truncated_report, FINDING_NOTE, 95);
	const struct fact_function *wide = truncated_widest(p, top->self);
	struct str name = facts_short_name(in->facts, top->sym, 96);
	bool may_be_idle = in->capture->profile->has_hidden_idle;

	f->is_kind = true;
	if (may_be_idle)
		finding_claim(out, f,
			      "The rows show only %.1f %% of %s: the program was idle, or rows are "
			      "missing. The largest, " STR_FMT ", has %.1f %% self",
			      p->total, in->profile->unit.of, STR_ARG(name), top->self);
	else if (!wide)
		finding_claim(out, f,
			      "The rows show only %.1f %% of %s. The largest, " STR_FMT
			      ", has %.1f %% self; the rest may hide a larger one",
			      p->total, in->profile->unit.of, STR_ARG(name), top->self);
	else if (wide == top)
		finding_claim(out, f,
			      "The rows show only %.1f %% of %s. The largest, " STR_FMT
			      ", has %.1f %% self and %.1f %% with callees; the rest may hide a "
			      "larger one",
			      p->total, in->profile->unit.of, STR_ARG(name), top->self,
			      wide->children);
	else
		finding_claim(out, f,
			      "The rows show only %.1f %% of %s. " STR_FMT
			      " has %.1f %% self and " STR_FMT
			      " %.1f %% with callees; the rest may hide a larger one",
			      p->total, in->profile->unit.of, STR_ARG(name), top->self,
			      STR_ARG(facts_short_name(in->facts, wide->sym, 96)), wide->children);
	finding_figure(f, "shown", p->total, p->summary.total.err, "%");
	finding_share(f, in,
		      top->rows > 1 ? finding_name(out, "largest function, in %u rows", top->rows)
				    : "largest row",
		      top->self, top->self_err);
	finding_listed(out, f, in, top);
	if (wide) {
		finding_figure(f, "largest with callees", wide->children, 0, "%");
		finding_evidence(out, f, in, wide->line, STR_FMT " %.2f %% with callees",
				 STR_ARG(facts_short_name(in->facts, wide->sym, 96)),
				 wide->children);
	}
	finding_usual_cause(
		out, f, "%s",
		may_be_idle ? "The program was idle (idle time has no row), or rows are missing"
			    : "These rows were selected, or a limit cut the others");
	finding_because(out, f, "the printed shares are of the whole recording");
	finding_next(out, f, "perf report --stdio --no-children -g none: all rows");
}

static void skewed_finding(const struct rule_input *in, struct findings *out)
{
	const struct profile_facts *p = in->profile;
	const struct fact_function *top = p->functions.data;
	struct finding *f = finding_add(out, in, &rule_truncated_report, FINDING_WARNING, 90);

	f->is_kind = true;
	finding_claim(out, f, "The shares add up to %.1f %%: they do not belong to one whole",
		      p->total);
	finding_figure(f, "sum of the shares", p->total, p->summary.total.err, "%");
	finding_listed(out, f, in, top);
	finding_usual_cause(
		out, f,
		"Two tables in one, shares of a group, or inclusive shares without a label");
	finding_because(out, f, "parts of one whole cannot exceed it");
	finding_next(
		out, f,
		"perf report --stdio --no-children --percentage absolute: shares of one whole");
}

static void truncated_check(const struct rule_input *in, struct findings *out)
{
	const struct profile_facts *p = in->profile;
	struct profile_inclusive unused;

	if (p->functions.len == 0 || p->functions.data[0].self <= 0) {
		finding_not_assessed(out, in, &rule_truncated_report,
				     "perf report --stdio --no-children",
				     "no row has a self share");
		return;
	}
	if (p->is_skewed)
		skewed_finding(in, out);
	else if (p->total < TRUNCATED_VISIBLE_PCT) {
		const struct fact_function *wide = truncated_widest(p, p->functions.data->self);

		if (truncation_is_reported(in, out))
			return;
		if (wide && wide->line && profile_is_inclusive(in->capture->profile, &unused))
			inclusive_finding(in, out, wide);
		else
			truncated_finding(in, out);
	} else
		finding_clean(out, in, &rule_truncated_report, "the rows show %.1f %%", p->total);
}

const struct rule rule_truncated_report = {
	.id = "truncated-report",
	.title = "Truncated report",
	.needs = RULE_PROFILE | RULE_LAST,
	.events = EVENT_IS_ANY,
	.check = truncated_check,
	.is_general = true,
	.is_about_data = true,
};
