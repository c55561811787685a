/* SPDX-License-Identifier: MIT */
/* claim_parse.c - the grammar of claims, by recursive descent: docs/check.md */
#include "analyses/categories.h"
#include "analyses/roles.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/suggest.h"
#include "explain/claims/claim.h"
#include "explain/claims/claim_parser.h"
#include "explain/findings.h"

#include <math.h>

static const struct claim_word claim_measures[] = {
	{ "share", CLAIM_SHARE },     { "self", CLAIM_SELF },   { "children", CLAIM_CHILDREN },
	{ "samples", CLAIM_SAMPLES }, { "time", CLAIM_TIME },   { "calls", CLAIM_CALLS },
	{ "mean", CLAIM_MEAN },       { "min", CLAIM_MIN },     { "max", CLAIM_MAX },
	{ "wait", CLAIM_WAIT },       { "value", CLAIM_VALUE }, { "p", CLAIM_QUANTILE },
};

static const struct claim_word claim_targets[] = {
	{ "role", CLAIM_OF_ROLE }, { "kind", CLAIM_OF_KIND },   { "dso", CLAIM_OF_DSO },
	{ "comm", CLAIM_OF_COMM }, { "thread", CLAIM_OF_COMM },
};

static const struct claim_word claim_scopes[] = {
	{ "comm", CLAIM_IN_COMM }, { "thread", CLAIM_IN_COMM }, { "pid", CLAIM_IN_PID },
	{ "tid", CLAIM_IN_TID },   { "cpu", CLAIM_IN_CPU },     { "time", CLAIM_IN_TIME },
};

static const struct claim_word claim_severities[] = {
	{ "note", FINDING_NOTE },
	{ "warning", FINDING_WARNING },
	{ "error", FINDING_ERROR },
};

/* The first operator that matches wins, so "<=" is before "<". */
static const struct claim_word claim_comparisons[] = {
	{ "<=", CLAIM_AT_MOST },   { ">=", CLAIM_AT_LEAST }, { "==", CLAIM_EQUAL },
	{ "!=", CLAIM_NOT_EQUAL }, { "<", CLAIM_LESS },      { ">", CLAIM_MORE },
	{ "=", CLAIM_EQUAL },
};

const char *claim_measure_name(enum claim_measure measure)
{
	if (measure == CLAIM_PART)
		measure = CLAIM_SHARE; /* a claim about a part is written "share(NAME > 10ms)" */
	for (size_t i = 0; i < ARRAY_LEN(claim_measures); i++) {
		if (claim_measures[i].value == measure)
			return claim_measures[i].word;
	}
	return "";
}

/* Parse "p99" or "p99.9". @ret: 0.99 or 0.999. */
static bool claim_quantile(struct str word, double *ret)
{
	double pct;

	if (!str_take(&word, STR("p")) || word.len == 0 || !char_is_digit(word.p[0]) ||
	    !str_double(&word, &pct) || word.len || !(pct > 0) || !(pct < 100))
		return false;
	*ret = pct / 100;
	return true;
}

static bool claim_take_measure(struct claim_parser *p)
{
	struct str next = claim_parser_peek(p);
	const struct claim_word *word;

	if (claim_quantile(next, &p->claim->quantile)) {
		p->claim->measure = CLAIM_QUANTILE;
	} else {
		word = claim_word_find(claim_measures, ARRAY_LEN(claim_measures), next);
		if (!word || word->value == CLAIM_QUANTILE)
			return false;
		p->claim->measure = (enum claim_measure)word->value;
	}
	claim_parser_take(p, next);
	return true;
}

/*
 * Whether a role or kind of work has the name that the claim uses. Without this check, the share of
 * a misspelt name would be 0 %.
 */
static bool claim_has_target(const struct claim *c, struct suggest *like)
{
	bool has = false;

	for (unsigned int i = 0; c->target == CLAIM_OF_ROLE && i < ROLE_COUNT; i++) {
		suggest_try(like, str_of(role_name((enum role)i)));
		has |= str_glob(c->name, str_of(role_name((enum role)i)));
	}
	for (uint16_t i = 0; c->target == CLAIM_OF_KIND && i < category_count(); i++) {
		suggest_try(like, str_of(category_name((category_id){ i })));
		has |= category_is_meant((category_id){ i }, c->name);
	}
	return has || (c->target != CLAIM_OF_ROLE && c->target != CLAIM_OF_KIND);
}

/* Parse "role:lock", "memcpy" or "'operator new(unsigned long)'". */
static int claim_target(struct claim_parser *p)
{
	struct str next = claim_parser_peek(p);
	size_t colon = str_find_char(next, ':');
	const struct claim_word *kind =
		claim_word_find(claim_targets, ARRAY_LEN(claim_targets), str_sub(next, 0, colon));
	/* "role::lock" is a C++ name, not the role "lock" */
	bool is_scoped = colon + 1 < next.len && next.p[colon + 1] == ':';
	struct claim_parser before;
	struct suggest like;

	p->claim->target = CLAIM_OF_FUNCTION;
	if (kind && colon < next.len && !is_scoped) {
		p->claim->target = (enum claim_target)kind->value;
		claim_parser_take(p, str_sub(next, 0, colon + 1));
	}
	before = *p;
	if (claim_parser_name(p, "a name", &p->claim->name) < 0)
		return ERR_USAGE;
	suggest_init(&like, p->claim->name);
	if (claim_has_target(p->claim, &like))
		return OK;
	return claim_parser_expected(
		&before, p->claim->target == CLAIM_OF_ROLE ? "a role" : "a kind", like.best);
}

/* Parse "time:10%-20%" or "time:1.5s-2s". */
static int claim_times(struct claim_parser *p, struct claim_scope *s)
{
	enum claim_unit from = CLAIM_NUMBER, to = CLAIM_NUMBER;

	if (claim_parser_amount(p, &from, &s->from) < 0)
		return ERR_USAGE;
	if (!claim_parser_take_mark(p, "-"))
		return claim_parser_expected(p, "'-' and the end of the range", NULL);
	if (claim_parser_amount(p, &to, &s->to) < 0)
		return ERR_USAGE;
	if (from != to || from == CLAIM_NUMBER || !(s->from < s->to))
		return fail(p->err, ERR_USAGE,
			    "a range of time is START-END, both with s or ms, or both with %%: "
			    "time:10%%-20%%");
	s->is_percent = from == CLAIM_PERCENT;
	return OK;
}

static int claim_scope(struct claim_parser *p)
{
	struct str next = claim_parser_peek(p);
	size_t colon = str_find_char(next, ':');
	const struct claim_word *kind =
		claim_word_find(claim_scopes, ARRAY_LEN(claim_scopes), str_sub(next, 0, colon));
	struct claim_scope *s = &p->claim->in[p->claim->n_in];
	uint64_t number;

	if (!kind || colon == next.len)
		return claim_parser_expected_word(p,
						  "comm:, pid:, tid:, cpu: or time:", claim_scopes,
						  ARRAY_LEN(claim_scopes));
	if (p->claim->n_in == CLAIM_SCOPES_MAX)
		return claim_parser_expected(p, "at most 4 times 'in'", NULL);
	*s = (struct claim_scope){ .kind = (enum claim_scope_kind)kind->value };
	p->claim->n_in++;
	claim_parser_take(p, str_sub(next, 0, colon + 1));
	if (s->kind == CLAIM_IN_TIME)
		return claim_times(p, s);
	if (s->kind == CLAIM_IN_COMM)
		return claim_parser_name(p, "the name of a thread", &s->name);
	next = claim_parser_peek(p);
	s->name = next;
	if (!str_u64(&next, &number) || next.len)
		return claim_parser_expected(p, "a number", NULL);
	s->from = (double)number;
	claim_parser_take(p, s->name);
	return OK;
}

/*
 * Parse the clauses that may follow a figure or an amount. They begin with "under", "in", "net of
 * tracer", "of", or "or absent".
 */
static int claim_clauses(struct claim_parser *p)
{
	int e = OK;

	while (e == OK) {
		if (claim_parser_take_word(p, "under")) {
			e = claim_parser_name(p, "a caller", &p->claim->under);
		} else if (claim_parser_take_word(p, "in")) {
			e = claim_scope(p);
		} else if (claim_parser_take_word(p, "net")) {
			if (!claim_parser_take_word(p, "of") ||
			    !claim_parser_take_word(p, "tracer"))
				return claim_parser_expected(p, "'net of tracer'", NULL);
			p->claim->is_net_of_tracer = true;
		} else if (claim_parser_take_word(p, "of")) {
			e = claim_parser_name(p, "an event, a counted object, wall or total",
					      &p->claim->of);
		} else if (claim_parser_take_word(p, "or")) {
			if (!claim_parser_take_word(p, "absent"))
				return claim_parser_expected(p, "'or absent'", NULL);
			p->claim->may_be_absent = true;
		} else {
			break;
		}
	}
	return e;
}

static bool claim_is_share(const struct claim *c)
{
	return c->measure <= CLAIM_CHILDREN || c->measure == CLAIM_PART;
}

static int claim_unit_fits(struct claim_parser *p)
{
	const struct claim *c = p->claim;
	bool is_time = c->measure == CLAIM_TIME || c->measure == CLAIM_WAIT;
	bool is_count = c->measure == CLAIM_SAMPLES || c->measure == CLAIM_CALLS;

	if (claim_is_share(c) && c->unit != CLAIM_PERCENT)
		return fail(p->err, ERR_USAGE, "%s is in percent: write 40%%",
			    claim_measure_name(c->measure));
	if (is_time && c->unit == CLAIM_NUMBER)
		return fail(p->err, ERR_USAGE, "%s is a time: write 40ms, or 10%% of wall",
			    claim_measure_name(c->measure));
	if (is_count && c->unit != CLAIM_NUMBER)
		return fail(p->err, ERR_USAGE, "%s is a number without a unit: write 1000 or 1k",
			    claim_measure_name(c->measure));
	return OK;
}

static int claim_comparison(struct claim_parser *p)
{
	struct claim *c = p->claim;
	enum claim_unit unit;
	size_t i = 0;

	if (claim_parser_take_word(p, "between")) {
		c->compare = CLAIM_BETWEEN;
		if (claim_parser_amount(p, &c->unit, &c->limit) < 0)
			return ERR_USAGE;
		if (!claim_parser_take_word(p, "and"))
			return claim_parser_expected(p, "'and'", NULL);
		if (claim_parser_amount(p, &unit, &c->limit_high) < 0)
			return ERR_USAGE;
		if (unit != c->unit || !(c->limit <= c->limit_high))
			return fail(p->err, ERR_USAGE,
				    "between takes two amounts of one unit, the smaller one first");
		return claim_unit_fits(p);
	}
	while (i < ARRAY_LEN(claim_comparisons) &&
	       !claim_parser_take_mark(p, claim_comparisons[i].word))
		i++;
	if (i == ARRAY_LEN(claim_comparisons))
		return claim_parser_expected(
			p, "<, <=, >, >=, ==, !=, between, grew, fell or within", NULL);
	c->compare = (enum claim_compare)claim_comparisons[i].value;
	if (claim_parser_amount(p, &c->unit, &c->limit) < 0)
		return ERR_USAGE;
	return claim_unit_fits(p);
}

/* Parse "grew by 5% since FILE" or "within 1% of FILE". *@ret_is: the text is such a clause. */
static int claim_changed(struct claim_parser *p, bool *ret_is)
{
	struct claim *c = p->claim;
	bool is_within = claim_parser_take_word(p, "within");

	*ret_is = true;
	c->change = CLAIM_WITHIN;
	if (!is_within && claim_parser_take_word(p, "grew"))
		c->change = CLAIM_GREW;
	else if (!is_within && claim_parser_take_word(p, "fell"))
		c->change = CLAIM_FELL;
	else if (!is_within)
		*ret_is = false;
	if (!*ret_is)
		return OK;
	c->kind = CLAIM_CHANGED;
	c->unit = claim_is_share(c)                                          ? CLAIM_PERCENT
		  : c->measure == CLAIM_SAMPLES || c->measure == CLAIM_CALLS ? CLAIM_NUMBER
									     : CLAIM_NS;
	if (is_within || claim_parser_take_word(p, "by")) {
		if (claim_parser_amount(p, &c->unit, &c->limit) < 0 || claim_unit_fits(p) < 0)
			return ERR_USAGE;
	}
	if (!claim_parser_take_word(p, is_within ? "of" : "since"))
		return claim_parser_expected(
			p, is_within ? "'of' and a file" : "'since' and a file", NULL);
	return claim_parser_name(p, "the file of the other recording", &c->base);
}

/* Parse the text after "same as": "FILE within 1%". */
static int claim_same(struct claim_parser *p)
{
	struct claim *c = p->claim;

	c->kind = CLAIM_SAME;
	c->measure = CLAIM_SELF;
	if (claim_parser_name(p, "the file of the other recording", &c->base) < 0)
		return ERR_USAGE;
	if (!claim_parser_take_word(p, "within"))
		return claim_parser_expected(p, "'within' and percentage points", NULL);
	if (claim_parser_amount(p, &c->unit, &c->limit) < 0 || claim_unit_fits(p) < 0)
		return ERR_USAGE;
	return OK;
}

static bool claim_is_comparison_next(const struct claim_parser *p)
{
	struct str s = str_ltrim(p->rest);

	return s.len && memchr("<>=!", s.p[0], 4);
}

/* Parse "> 10ms" in "share(latency > 10ms)". */
static int claim_beyond(struct claim_parser *p)
{
	struct claim *c = p->claim;
	struct claim_parser before = *p;
	size_t i = 0;

	while (i < ARRAY_LEN(claim_comparisons) &&
	       !claim_parser_take_mark(p, claim_comparisons[i].word))
		i++;
	if (i == ARRAY_LEN(claim_comparisons) || claim_comparisons[i].value > CLAIM_AT_LEAST)
		return claim_parser_expected(&before, "<, <=, > or >=", NULL);
	if (c->target > CLAIM_OF_FUNCTION)
		return fail(p->err, ERR_USAGE,
			    "a comparison in brackets is for shares of values: "
			    "share(latency > 10ms) < 1%%");
	c->measure = CLAIM_PART;
	c->beyond_compare = (enum claim_compare)claim_comparisons[i].value;
	return claim_parser_amount(p, &c->beyond_unit, &c->beyond);
}

/* Parse the rest of "(role:lock)" or "(latency > 10ms)", after the opening bracket. */
static int claim_brackets(struct claim_parser *p)
{
	if ((p->claim->measure != CLAIM_SHARE || !claim_is_comparison_next(p)) &&
	    claim_target(p) < 0)
		return ERR_USAGE;
	if (p->claim->measure == CLAIM_SHARE && claim_is_comparison_next(p) && claim_beyond(p) < 0)
		return ERR_USAGE;
	return claim_parser_take_mark(p, ")") ? OK : claim_parser_expected(p, "')'", NULL);
}

/* Parse "share(role:lock)", "memcpy share" or "samples". */
static int claim_figure(struct claim_parser *p)
{
	struct str start = p->rest;

	if (claim_take_measure(p)) {
		if (claim_parser_take_mark(p, "("))
			return claim_brackets(p);
		if (claim_is_comparison_next(p) || str_eq(claim_parser_peek(p), STR("between")) ||
		    str_eq(claim_parser_peek(p), STR("in")) ||
		    str_eq(claim_parser_peek(p), STR("of")))
			return OK;
		/* the word is the name of a function, not a measure, such as a function "time" */
		p->rest = start;
	}
	if (claim_target(p) < 0)
		return ERR_USAGE;
	if (claim_take_measure(p))
		return OK;
	return claim_parser_expected_word(
		p,
		"share, self, children, samples, time, calls, wait, value, mean, "
		"min, max or a percentile such as p99",
		claim_measures, ARRAY_LEN(claim_measures) - 1);
}

static int claim_severity(struct claim_parser *p)
{
	const struct claim_word *severity = claim_word_find(
		claim_severities, ARRAY_LEN(claim_severities), claim_parser_peek(p));

	if (!severity)
		return claim_parser_expected_word(p, "note, warning or error", claim_severities,
						  ARRAY_LEN(claim_severities));
	claim_parser_take(p, claim_parser_peek(p));
	p->claim->severity = severity->value;
	return OK;
}

static bool claim_is_amount_next(const struct claim_parser *p)
{
	struct str s = str_ltrim(p->rest);

	return s.len && char_is_digit(s.p[0]);
}

/* Parse "about NAME", "certain" and "likely". */
static int claim_finding_clauses(struct claim_parser *p)
{
	struct claim *c = p->claim;

	for (;;) {
		if (claim_parser_take_word(p, "certain"))
			c->sure = FINDING_CERTAIN;
		else if (claim_parser_take_word(p, "likely"))
			c->sure = FINDING_LIKELY;
		else if (!claim_parser_take_word(p, "about"))
			return OK;
		else if (claim_parser_name(p, "a function", &c->about) < 0)
			return ERR_USAGE;
	}
}

/*
 * Parse the text after "finding" or "no finding". It has RULE, ">= warning", clauses, and a
 * comparison of the finding's figure, such as "> 20%".
 */
static int claim_finding(struct claim_parser *p)
{
	struct claim *c = p->claim;
	struct claim_parser start;
	struct str next = claim_parser_peek(p);

	if (next.len && !str_eq(next, STR("about")) && !str_eq(next, STR("certain")) &&
	    !str_eq(next, STR("likely")) && claim_parser_name(p, "a rule", &c->name) < 0)
		return ERR_USAGE;
	for (;;) {
		if (claim_finding_clauses(p) < 0)
			return ERR_USAGE;
		start = *p;
		if (!claim_parser_take_mark(p, ">=") || claim_is_amount_next(p))
			break;
		if (claim_severity(p) < 0)
			return ERR_USAGE;
	}
	*p = start;
	if (c->kind == CLAIM_NO_FINDING ||
	    !(claim_is_comparison_next(p) || str_eq(claim_parser_peek(p), STR("between"))))
		return OK;
	if (!c->name.len)
		return claim_parser_expected(p, "a rule before the comparison", NULL);
	c->has_limit = true;
	/* CLAIM_VALUE, because the figure of a finding may have any unit */
	c->measure = CLAIM_VALUE;
	return claim_comparison(p);
}

static int claim_caller(struct claim_parser *p)
{
	struct claim *c = p->claim;

	c->kind = CLAIM_CALLER;
	c->target = CLAIM_OF_FUNCTION;
	if (claim_parser_name(p, "a function", &c->name) < 0)
		return ERR_USAGE;
	if (!claim_parser_take_word(p, "is"))
		return claim_parser_expected(p, "'is' and the caller", NULL);
	return claim_parser_name(p, "the caller", &c->caller);
}

static int claim_any(struct claim_parser *p)
{
	struct str start = p->rest;
	bool is_change;

	if (claim_parser_take_word(p, "no")) {
		p->claim->kind = CLAIM_NO_FINDING;
		if (claim_parser_take_word(p, "finding"))
			return claim_finding(p);
		return claim_parser_expected(p, "'no finding'", NULL);
	}
	if (claim_parser_take_word(p, "finding")) {
		p->claim->kind = CLAIM_FINDING;
		return claim_finding(p);
	}
	if (claim_parser_take_word(p, "caller") && claim_parser_take_word(p, "of"))
		return claim_caller(p);
	p->rest = start;
	if (claim_parser_take_word(p, "same") && claim_parser_take_word(p, "as"))
		return claim_same(p);
	p->rest = start;
	p->claim->kind = CLAIM_FIGURE;
	if (claim_figure(p) < 0 || claim_clauses(p) < 0 || claim_changed(p, &is_change) < 0)
		return ERR_USAGE;
	if (!is_change && claim_comparison(p) < 0)
		return ERR_USAGE;
	return claim_clauses(p);
}

int claim_parse(struct str text, struct claim *ret, struct error *err)
{
	struct claim_parser p = { .text = text, .rest = text, .claim = ret, .err = err };

	*ret = (struct claim){ .text = str_trim(text) };
	if (text.len > CLAIM_BYTES_MAX)
		return fail(err, ERR_USAGE, "a claim has at most %u bytes", CLAIM_BYTES_MAX);
	if (claim_any(&p) < 0)
		return ERR_USAGE;
	claim_parser_skip_blanks(&p);
	return p.rest.len ? claim_parser_expected(&p, "the end of the claim", NULL) : OK;
}
