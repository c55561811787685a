/* SPDX-License-Identifier: MIT */
/* claim_facts.c - claims about findings, and about the main caller of a function */
#include "analyses/compare/stats_compare.h"
#include "base/alloc.h"
#include "base/stats.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/suggest.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "explain/claims/claim.h"
#include "explain/claims/claim_build.h"
#include "explain/claims/claim_judge.h"
#include "explain/explain.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>
#include <stdio.h>

#define CLAIM_CALLERS_MAX  64u
#define CLAIM_NAME_BYTES   512u
#define CLAIM_QUOTED_BYTES 160

static const struct findings *claim_findings(struct claim_state *s)
{
	const struct explain_options options = { .only = STR_NONE };

	if (!s->findings) {
		s->findings = xcalloc(1, sizeof(*s->findings));
		explain_run(s->facts, &options, s->findings);
	}
	return s->findings;
}

static bool claim_is_known_rule(struct str pattern, struct claim_result *r)
{
	struct suggest like;
	char why[CLAIM_TEXT_BYTES];

	suggest_init(&like, pattern);
	for (const struct rule *const *rule = rules; *rule; rule++) {
		if (str_glob(pattern, str_of((*rule)->id)))
			return true;
		suggest_try(&like, str_of((*rule)->id));
	}
	(void)snprintf(why, sizeof(why), "no rule is called '" STR_FMT "'%s%s",
		       STR_ARG(str_sub(pattern, 0, CLAIM_QUOTED_BYTES)),
		       like.best[0] ? "; did you mean " : "", like.best);
	claim_cannot(r, why, "assay explain --list-rules, which names them");
	return false;
}

static bool claim_takes(const struct claim_state *s, uint32_t capture)
{
	return s->options->capture == INDEX_NONE || s->options->capture == capture ||
	       capture == INDEX_NONE;
}

/*
 * Whether a rule that matches c->name could judge any capture. If not, set @r to "cannot tell",
 * with the reason of the first rule that was not assessed.
 */
static bool claim_is_assessed(const struct claim_state *s, const struct claim *c,
			      const struct findings *f, struct claim_result *r)
{
	if (!c->name.len)
		return true;
	/*
	 * a finding shows that the rule could judge, even if the claim excludes the finding by
	 * severity, certainty or function
	 */
	VEC_FOREACH (row, &f->rows) {
		if (claim_takes(s, row->capture) && str_glob(c->name, str_of(row->rule->id)))
			return true;
	}
	VEC_FOREACH (row, &f->clean) {
		if (claim_takes(s, row->capture) && str_glob(c->name, str_of(row->rule->id)))
			return true;
	}
	VEC_FOREACH (row, &f->not_assessed) {
		char why[CLAIM_TEXT_BYTES], decide[CLAIM_TEXT_BYTES];

		if (!claim_takes(s, row->capture) || !str_glob(c->name, str_of(row->rule->id)))
			continue;
		(void)snprintf(why, sizeof(why), STR_FMT,
			       STR_ARG(str_sub(row->sentence, 0, CLAIM_TEXT_BYTES - 1)));
		(void)snprintf(decide, sizeof(decide), STR_FMT,
			       STR_ARG(str_sub(row->to_find_out, 0, CLAIM_TEXT_BYTES - 1)));
		claim_cannot(r, why, decide);
		return false;
	}
	claim_cannot(r, "the rule does not apply to these inputs",
		     "assay explain --why RULE, which says what it needs");
	return false;
}

/*
 * Whether any symbol matches @pattern. If not, set @r to "cannot tell": the name is probably
 * misspelt, and no finding can name such a function.
 */
static bool claim_is_known_function(const struct claim_state *s, struct str pattern,
				    struct claim_result *r)
{
	const struct dossier *d = s->facts->dossier;

	for (uint32_t i = 1; i < d->symbols.rows.len; i++) {
		if (str_glob(pattern, symbols_canonical(&d->symbols, (sym_id){ i })) ||
		    str_glob(pattern, symbols_name(&d->symbols, (sym_id){ i })))
			return true;
	}
	if (d->captures.len)
		claim_names_unknown(d->captures.data[0], pattern, r);
	(void)snprintf(r->decide, sizeof(r->decide), "the right name");
	return false;
}

/* Whether the finding names a function that matches @pattern. */
static bool claim_is_about(const struct claim_state *s, const struct finding *f, struct str pattern)
{
	const struct symbols *symbols = &s->facts->dossier->symbols;

	VEC_FOREACH (subject, &f->subjects) {
		if (str_glob(pattern, symbols_canonical(symbols, subject->sym)) ||
		    str_glob(pattern, symbols_name(symbols, subject->sym)))
			return true;
	}
	return false;
}

static bool claim_is_found(const struct claim_state *s, const struct finding *row,
			   const struct claim *c)
{
	return row->overruled_by == INDEX_NONE && (unsigned int)row->severity >= c->severity &&
	       row->sure >= c->sure && claim_takes(s, row->capture) &&
	       (!c->name.len || str_glob(c->name, str_of(row->rule->id))) &&
	       (!c->about.len || claim_is_about(s, row, c->about));
}

/*
 * Set @r to the first figure of the finding @f. Its interval is widened, because several claims are
 * judged at once.
 */
static void claim_finding_figure(const struct claim_state *s, const struct claim *c,
				 const struct finding *f, struct claim_result *r)
{
	const struct finding_figure *x = f->figures.len ? &f->figures.data[0] : NULL;
	double wider = stats_t_critical(s->alpha, STATS_DF_NORMAL) /
		       stats_t_critical(CLAIM_ALPHA, STATS_DF_NORMAL);

	r->is_final = false;
	r->has_figure = x != NULL;
	r->n_of = NULL;
	if (!x) {
		claim_cannot(r, "the finding has no figure", "a claim about the finding alone");
		return;
	}
	r->unit = str_eq(str_of(x->unit), STR("%"))    ? CLAIM_PERCENT
		  : str_eq(str_of(x->unit), STR("ns")) ? CLAIM_NS
						       : CLAIM_NUMBER;
	r->value = x->value;
	r->low = x->value - x->err;
	r->high = x->value + x->err;
	if (x->low < x->high && !s->options->is_recorded_only) {
		r->is_sampled = true;
		r->low = fmin(r->low, x->value - (x->value - x->low) * wider);
		r->high = fmax(r->high, x->value + (x->high - x->value) * wider);
	}
	if (r->unit != c->unit)
		claim_cannot(r, "the figure of the finding has another unit",
			     r->unit == CLAIM_PERCENT ? "a claim with %"
			     : r->unit == CLAIM_NS    ? "a claim with ns, us, ms or s"
						      : "a claim with a number alone");
}

void claim_facts_finding(struct claim_state *s, const struct claim *c, struct claim_result *r)
{
	const struct findings *f;
	const struct finding *first = NULL;
	uint64_t n = 0;

	if (c->name.len && !claim_is_known_rule(c->name, r))
		return;
	if (c->about.len && !claim_is_known_function(s, c->about, r))
		return;
	f = claim_findings(s);
	VEC_FOREACH (row, &f->rows) {
		if (!claim_is_found(s, row, c))
			continue;
		first = first ? first : row;
		n++;
	}
	r->is_final = true;
	r->has_figure = true;
	r->unit = CLAIM_NUMBER;
	r->value = r->low = r->high = (double)n;
	r->n = NAN;
	r->n_of = "findings";
	if (first) {
		(void)snprintf(r->why, sizeof(r->why), STR_FMT,
			       STR_ARG(str_sub(first->claim, 0, CLAIM_TEXT_BYTES - 1)));
		r->capture = first->capture;
		VEC_FOREACH (e, &first->evidence)
			claim_add_line(r, e->line);
	} else if (!claim_is_assessed(s, c, f, r)) {
		r->has_figure = false;
		return;
	}
	r->outcome = (n > 0) == (c->kind == CLAIM_FINDING) ? CLAIM_TRUE : CLAIM_FALSE;
	if (c->has_limit && first)
		claim_finding_figure(s, c, first, r);
	else if (c->has_limit)
		r->has_figure = false;
	if (c->has_limit && !first)
		claim_cannot(r, "there is no such finding", "'no finding RULE', which is true");
}

/*
 * Set the outcome of "caller of F is X". It is true if X has more than half of the cost of the
 * calls, even with the sampling error. @caller: share of X; @other: largest share of another
 * caller; both in percent of the profile.
 */
static void claim_caller_judge(const struct claim_state *s, const struct profile_facts *p,
			       double caller, double other, struct claim_result *r)
{
	struct interval i = { 0, 1 };
	double n = p->effective * (caller + other) / 100;

	r->is_final = true;
	r->outcome = CLAIM_CANNOT_TELL;
	if (s->options->is_recorded_only)
		i.low = i.high = caller / (caller + other);
	else
		i = stats_exact_limits(n * caller / (caller + other), n, s->alpha);
	if (i.low > 0.5)
		r->outcome = CLAIM_TRUE;
	else if (i.high < 0.5)
		r->outcome = CLAIM_FALSE;
	else if (s->options->is_recorded_only)
		claim_cannot(r, "exactly half of the cost comes from this caller",
			     "a longer recording");
	else
		claim_cannot(r,
			     p->effective > 0 ? "too few samples to tell its callers apart"
					      : "the number of samples is unknown",
			     "more samples, or --recorded, which judges these figures alone");
}

void claim_facts_caller(struct claim_state *s, uint32_t number, const struct claim *c,
			struct claim_result *r)
{
	const struct profile_facts *p = s->facts->profiles[number];
	const struct symbols *symbols = &s->facts->dossier->symbols;
	struct fact_caller callers[CLAIM_CALLERS_MAX];
	char pattern[CLAIM_NAME_BYTES];
	double hit = 0, other = 0, all = 0;
	size_t n;

	if (!p || c->name.len >= sizeof(pattern)) {
		claim_cannot(r, "no profile has callers here", "perf record -g");
		return;
	}
	memcpy(pattern, c->name.p, c->name.len);
	pattern[c->name.len] = '\0';
	n = facts_callers(p, pattern, "", callers, ARRAY_LEN(callers));
	for (size_t i = 0; i < n; i++) {
		all += callers[i].pct;
		if (str_glob(c->caller, symbols_canonical(symbols, callers[i].sym)) ||
		    str_glob(c->caller, symbols_name(symbols, callers[i].sym)))
			hit += callers[i].pct;
		else
			other = fmax(other, callers[i].pct);
		if (i == 0)
			(void)snprintf(r->why, sizeof(r->why), "most calls come from " STR_FMT,
				       STR_ARG(str_sub(symbols_canonical(symbols, callers[0].sym),
						       0, CLAIM_QUOTED_BYTES)));
		claim_add_line(r, callers[i].line);
	}
	if (n == 0 && !claim_is_known_function(s, c->name, r))
		return;
	if (n == 0) {
		claim_cannot(r, "its callers are unknown: no sample with a call chain is in it",
			     "perf record -g");
		return;
	}
	r->has_figure = true;
	r->unit = CLAIM_PERCENT;
	r->value = r->low = r->high = 100 * hit / all;
	r->n = p->effective > 0 ? p->effective * all / 100 : NAN;
	r->n_of = "samples";
	if (!s->options->is_recorded_only && p->effective > 0) {
		struct interval i = stats_exact_limits(r->n * hit / all, r->n, s->alpha);

		r->is_sampled = true;
		r->low = 100 * i.low;
		r->high = 100 * i.high;
	}
	(void)snprintf(r->of, sizeof(r->of), "its samples with a caller");
	claim_caller_judge(s, p, hit, other, r);
}
