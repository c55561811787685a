/* SPDX-License-Identifier: MIT */
/*
 * Functions whose shares differ between two profiles of one text, or between two columns of one
 * printed table. The difference must exceed rounding and sampling error, and one share must change
 * by PAIR_MOVED percentage points. If the text says which profile is the bad one, rule grown-cost
 * reports instead.
 */
#include "explain/pairs.h"
#include "explain/signatures/signature.h"

#include "analyses/event_unit.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/profile.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>
#include <stdio.h>

DECLARE_RULE(two_profiles);

/*
 * minimum change, in percentage points: the shares of some functions change by nearly as much from
 * run to run
 */
#define PAIR_MOVED 3.0

/*
 * The total bytes of the table of @in, as " (20 GiB)". "": the table prints no total, or does not
 * count bytes.
 */
static const char *pair_bytes(const struct rule_input *in, struct findings *out)
{
	const struct profile *p = in->capture->profile;
	struct event_unit unit = event_unit_of(in->capture);

	if (!p || !p->has_event_count || !p->table.rows.len || !event_unit_is_bytes(&unit))
		return "";
	return finding_name(out, " (%s)", finding_bytes(out, (double)p->event_count));
}

static void pair_finding(struct pair *p, struct findings *out)
{
	const struct pair_change *top = &p->changes[0];
	bool is_memory = event_unit_of(p->second.capture).kind == EVENT_MEMORY;
	struct finding *f = finding_add(out, &p->second, &rule_two_profiles, FINDING_NOTE,
					p->knows_noise ? 75 : 70);
	char text[512] = "";
	size_t used = 0;

	for (size_t i = 0; i < p->n && used < sizeof(text); i++) {
		const struct pair_change *c = &p->changes[i];
		struct str name = facts_short_name(p->first.facts, c->sym, 80);

		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 p->has_sides ? "%s" STR_FMT " %.2f to %.1f %%"
						      : "%s" STR_FMT " %.2f and %.1f %%",
					 i ? ", " : "", STR_ARG(name), c->before, c->after);
	}
	f->impact = fabs(top->after - top->before);
	if (p->has_sides)
		finding_claim(out, f, "From the baseline to the other: %s", text);
	else
		finding_claim(out, f, "The profiles in lines %u-%u%s and %u-%u%s differ: %s",
			      p->first.capture->first_line, p->first.capture->last_line,
			      pair_bytes(&p->first, out), p->second.capture->first_line,
			      p->second.capture->last_line, pair_bytes(&p->second, out), text);
	for (size_t i = 0; i < p->n; i++) {
		const struct pair_change *c = &p->changes[i];
		struct str name = facts_name(p->first.facts, c->sym);

		finding_subject(f, c->sym, SUBJECT_LISTED);
		finding_figure(f, i ? "change of another" : "change of the first",
			       c->after - c->before, c->err, "points");
		if (c->a)
			finding_evidence(out, f, &p->first, c->a->line, STR_FMT " %.2f %%",
					 STR_ARG(name), c->before);
		if (c->b && !(c->a && p->has_sides && c->a->line == c->b->line))
			finding_evidence(out, f, &p->second, c->b->line, STR_FMT " %.2f %%",
					 STR_ARG(name), c->after);
	}
	finding_figure(f, "functions that changed", (double)p->changed, 0, "");
	finding_figure(f, "functions compared", (double)p->compared, 0, "");
	finding_because(out, f,
			"%s\n"
			"which change of the program it is%s. Shares move when other shares do, so "
			"compare %s",
			p->knows_noise ? "rounding and sampling cannot explain the changes"
				       : "rounding cannot explain the changes",
			p->knows_noise ? "" : ", and the sampling error",
			is_memory ? "bytes" : "the cost of one operation");
	if (is_memory && str_glob(STR("pprof*"), str_of(p->second.capture->format)))
		finding_next(out, f,
			     "go tool pprof -top -base OLD NEW: the bytes by which each site grew");
	else if (is_memory)
		finding_next(
			out, f,
			"take two profiles under the same load: does the same site grow again");
	else
		finding_next(out, f,
			     "perf stat -r 5 COMMAND, the same load on both sides; then perf diff "
			     "of two "
			     "recordings");
}

static void pair_check(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;

	for (uint32_t i = 0; i + 1 < d->captures.len; i++) {
		struct pair p;

		if (!pair_of(in, i, &p) || p.bad)
			continue;
		if (!p.has_sides && !p.is_labelled && pair_tables(in, i) > 2) {
			if (i == 0 || !pair_is_kin(in, i, i - 1))
				finding_not_assessed(
					out, &p.first, &rule_two_profiles,
					"assay diff A B, with the two that belong together",
					"the text holds %zu tables; it does not say which two "
					"belong together",
					pair_tables(in, i));
			continue;
		}
		pair_compare(&p);
		if (p.n && fabs(p.changes[0].after - p.changes[0].before) >= PAIR_MOVED)
			pair_finding(&p, out);
		else
			finding_clean(out, &p.second, &rule_two_profiles,
				      "none of %zu functions changed by %.0f points", p.compared,
				      PAIR_MOVED);
	}
}

const struct rule rule_two_profiles = {
	.id = "two-profiles",
	.title = "Change between two profiles",
	.needs = RULE_DOSSIER,
	.check = pair_check,
	.is_general = true,
};
