/* SPDX-License-Identifier: MIT */
/*
 * Two profiles of one text (before and after, with and without), or both sides of a table that
 * a tool printed: functions that differ by more than rounding and sampling error. The order,
 * the better one, and the reason of the difference are unknown.
 *
 * In a text with three or more tables the pairs are unknown. Two tables of different programs,
 * or with little in common, are no pair.
 *
 * Thresholds: a change must exceed the rounding of both figures, three standard errors of both
 * shares if the number of samples is known (one pair in 370 does so by chance), and 0.1 points.
 * Functions in only one table are skipped unless the tool itself printed both sides: a missing
 * row may be below the print limit.
 */
#include "explain/signature.h"

#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>
#include <stdio.h>

DECLARE_RULE(two_profiles);

#define PAIR_MIN_POINTS 0.1
#define PAIR_SIGMA      3.0
#define PAIR_SHOWN      3u
#define PAIR_COMMANDS   16u
#define PAIR_NEAR       64u /* captures examined before and after */
/* least part of the smaller table that is in both, by functions and by shares */
#define PAIR_COMMON 0.3

struct pair_change {
	const struct fact_function *a, *b; /* one may be NULL */
	sym_id sym;
	double before, after, err;
};

struct pair {
	struct rule_input first, second;
	bool has_sides; /* the tool printed both sides */
	struct pair_change changes[PAIR_SHOWN];
	size_t n;
	size_t changed;
	size_t compared;
};

static struct str pair_side(const struct capture *c)
{
	VEC_FOREACH (note, &c->notes) {
		if (str_eq(strings_get(capture_strings(c), note->key), STR("side")))
			return strings_get(capture_strings(c), note->value);
	}
	return STR_NONE;
}

/*
 * The command with the largest share of a table; STR_ID_NONE: no commands. Examines the first
 * few.
 */
static str_id pair_command(const struct capture *c)
{
	struct {
		str_id comm;
		double sum;
	} commands[PAIR_COMMANDS];
	size_t n = 0;
	size_t most = 0;

	VEC_FOREACH (row, &c->profile->table.rows) {
		size_t at = 0;

		if (!(row->has & ROW_HAS_COMM))
			return STR_ID_NONE;
		while (at < n && commands[at].comm.v != row->comm.v)
			at++;
		if (at == PAIR_COMMANDS)
			continue;
		if (at == n) {
			commands[n].comm = row->comm;
			commands[n++].sum = 0;
		}
		commands[at].sum += profile_value(c->profile, row->self);
		if (commands[at].sum > commands[most].sum)
			most = at;
	}
	return n ? commands[most].comm : STR_ID_NONE;
}

/* Do both have enough in common to measure the same thing twice? */
static bool pair_is_alike(const struct profile_facts *a, const struct profile_facts *b)
{
	const struct profile_facts *small = a->functions.len < b->functions.len ? a : b;
	const struct profile_facts *large = small == a ? b : a;
	str_id first = pair_command(a->capture);
	str_id second = pair_command(b->capture);
	double both = 0;
	size_t common = 0;

	VEC_FOREACH (f, &small->functions) {
		const struct fact_function *other = facts_by_name(large, f->name);

		common += other != NULL;
		both += other ? fmin(f->self, other->self) : 0;
	}
	return common > 0 && (first.v == second.v || first.v == 0 || second.v == 0) &&
	       (double)common >= PAIR_COMMON * (double)small->functions.len &&
	       both >= PAIR_COMMON * fmin(a->total, b->total);
}

/* Are both tables of one text and of one kind? */
static bool pair_is_kin(const struct rule_input *in, uint32_t number, uint32_t other)
{
	const struct dossier *d = in->facts->dossier;
	const struct profile_facts *a = in->facts->profiles[number];
	const struct profile_facts *b = in->facts->profiles[other];
	const struct capture *ca = d->captures.data[number];
	const struct capture *cb = d->captures.data[other];

	return a && b && ca->path.v == cb->path.v && ca->format == cb->format &&
	       ca->profile->event.v == cb->profile->event.v &&
	       ca->profile->unit == WEIGHT_PERCENT && cb->profile->unit == WEIGHT_PERCENT &&
	       a->functions.len && b->functions.len;
}

/* Number of nearby tables that could form a pair, with itself. */
static size_t pair_tables(const struct rule_input *in, uint32_t number)
{
	uint32_t from = number > PAIR_NEAR ? number - PAIR_NEAR : 0;
	size_t n = 0;

	for (uint32_t i = from; i < in->facts->dossier->captures.len && i <= number + PAIR_NEAR;
	     i++)
		n += pair_is_kin(in, number, i);
	return n;
}

static bool pair_of(const struct rule_input *in, uint32_t number, struct pair *p)
{
	const struct dossier *d = in->facts->dossier;
	const struct profile_facts *a = in->facts->profiles[number];
	const struct profile_facts *b = in->facts->profiles[number + 1];
	const struct capture *ca = d->captures.data[number];
	const struct capture *cb = d->captures.data[number + 1];

	if (!pair_is_kin(in, number, number + 1))
		return false;
	*p = (struct pair){ .first = *in, .second = *in };
	p->first.capture = ca;
	p->first.number = number;
	p->first.profile = a;
	p->second.capture = cb;
	p->second.number = number + 1;
	p->second.profile = b;
	p->has_sides = str_eq(pair_side(ca), STR("before")) && str_eq(pair_side(cb), STR("after"));
	return p->has_sides ||
	       (pair_side(ca).len == 0 && pair_side(cb).len == 0 && pair_is_alike(a, b));
}

/* Three standard errors of the difference of two shares; 0 if the number of samples is unknown. */
static double pair_noise(const struct pair *p, double before, double after)
{
	const struct profile *a = p->first.capture->profile;
	const struct profile *b = p->second.capture->profile;

	if (!a->has_n_samples || !b->has_n_samples || !a->n_samples || !b->n_samples)
		return 0;
	return PAIR_SIGMA * sqrt(before * (100 - before) / (double)a->n_samples +
				 after * (100 - after) / (double)b->n_samples);
}

static void pair_add(struct pair *p, const struct fact_function *a, const struct fact_function *b)
{
	struct pair_change c = { .a = a, .b = b, .sym = a ? a->sym : b->sym };
	double points;
	size_t at;

	c.before = a ? a->self : 0;
	c.after = b ? b->self : 0;
	c.err = (a ? a->self_err : 0) + (b ? b->self_err : 0);
	points = fabs(c.after - c.before);
	p->compared++;
	if (c.before > 100 || c.after > 100 || points < PAIR_MIN_POINTS ||
	    points <= c.err + pair_noise(p, c.before, c.after))
		return;
	p->changed++;
	for (at = p->n; at > 0; at--) {
		const struct pair_change *left = &p->changes[at - 1];

		if (fabs(left->after - left->before) >= points)
			break;
		if (at < PAIR_SHOWN)
			p->changes[at] = *left;
	}
	if (at < PAIR_SHOWN)
		p->changes[at] = c;
	if (p->n < PAIR_SHOWN)
		p->n++;
}

/* A function that only stands in printed trees has no known self share. */
static const struct fact_function *pair_row(const struct fact_function *f)
{
	return f && f->rows ? f : NULL;
}

static void pair_compare(struct pair *p)
{
	VEC_FOREACH (a, &p->first.profile->functions) {
		const struct fact_function *b = pair_row(facts_by_name(p->second.profile, a->name));

		if (pair_row(a) && (b || p->has_sides))
			pair_add(p, a, b);
	}
	VEC_FOREACH (b, &p->second.profile->functions) {
		if (p->has_sides && pair_row(b) && !facts_by_name(p->first.profile, b->name))
			pair_add(p, NULL, b);
	}
}

static void pair_finding(struct pair *p, struct findings *out)
{
	const struct pair_change *top = &p->changes[0];
	bool knows_noise = pair_noise(p, 50, 50) > 0;
	struct finding *f = finding_add(out, &p->second, &rule_two_profiles, FINDING_NOTE,
					knows_noise ? 85 : 70);
	char text[512] = "";
	size_t used = 0;

	for (size_t i = 0; i < p->n && used < sizeof(text); i++) {
		const struct pair_change *c = &p->changes[i];
		struct str name = str_sub(facts_name(p->first.facts, c->sym), 0, 80);

		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 p->has_sides ? "%s'" STR_FMT "' %.2f to %.2f %%"
						      : "%s'" STR_FMT "' %.2f and %.2f %%",
					 i ? ", " : "", STR_ARG(name), c->before, c->after);
	}
	f->impact = fabs(top->after - top->before);
	if (p->has_sides)
		finding_claim(out, f, "from the baseline to the other: %s", text);
	else
		finding_claim(out, f, "the profiles in lines %u-%u and %u-%u differ: %s",
			      p->first.capture->first_line, p->first.capture->last_line,
			      p->second.capture->first_line, p->second.capture->last_line, text);
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
	finding_cause(out, f,
		      "what was changed between the two is not in them; shares move when other "
		      "shares do, so compare what one operation costs");
	finding_because(out, f, "%s",
			knows_noise ? "the changes are larger than rounding and sampling explain"
				    : "the changes are larger than rounding explains; how many "
				      "samples there are is not said");
	finding_next(out, f,
		     "the same load on both, several runs each: perf stat -r 5, and perf diff of "
		     "two recordings");
}

static void pair_check(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;

	for (uint32_t i = 0; i + 1 < d->captures.len; i++) {
		struct pair p;

		if (!pair_of(in, i, &p))
			continue;
		if (!p.has_sides && pair_tables(in, i) > 2) {
			if (i == 0 || !pair_is_kin(in, i, i - 1))
				finding_not_assessed(
					out, &p.first, &rule_two_profiles,
					"assay diff A B, of the two that belong together",
					"the text holds %zu tables: which two of them belong "
					"together is not said",
					pair_tables(in, i));
			continue;
		}
		pair_compare(&p);
		if (p.n)
			pair_finding(&p, out);
		else
			finding_clean(out, &p.second, &rule_two_profiles,
				      "none of %zu functions differs by more than rounding and "
				      "sampling explain",
				      p.compared);
	}
}

const struct rule rule_two_profiles = {
	.id = "two-profiles",
	.title = "what changed from one profile of a text to the next",
	.needs = RULE_DOSSIER,
	.check = pair_check,
	.is_general = true,
};
