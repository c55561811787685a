/* SPDX-License-Identifier: MIT */
/*
 * Two hot functions, of which one undoes the work of the other: a table that grows and shrinks, or
 * a result that is marked stale and computed again.
 *
 * The rule recognises such functions by their names, which have the same words except for one pair
 * of opposites: "hash_grow" and "hash_shrink", "Unit::setHeightDirty" and "Unit::computeHeight". A
 * profile does not show the order of calls, so the claim is at most likely.
 *
 * Thresholds, self shares: each has 5 %; 20 % together are a note, 50 % a warning.
 */
#include "analyses/event_unit.h"
#include "analyses/plain_name.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(undone_work);

#define UNDONE_LEAST_PCT 5.0
#define UNDONE_NOTE_PCT  20.0
#define UNDONE_LEAD_PCT  50.0
#define UNDONE_SURE      70u
#define UNDONE_WORDS     12u
/* maximum number of functions that are compared; at most 20 can have UNDONE_LEAST_PCT each */
#define UNDONE_MOST 16u
/*
 * Minimum length of the word in both names that names the result, such as "height". A shorter
 * common word is only a prefix.
 */
#define UNDONE_SUBJECT 4u

enum undone_kind { UNDONE_SIZE, UNDONE_STATE, UNDONE_STALE };

static const struct {
	const char *does, *undoes;
	enum undone_kind kind;
} undone_pairs[] = {
	{ "grow|expand|enlarge|extend", "shrink|contract|compact|truncate", UNDONE_SIZE },
	{ "split", "merge|coalesce", UNDONE_SIZE },
	{ "promote", "demote", UNDONE_STATE },
	{ "attach", "detach", UNDONE_STATE },
	{ "activate", "deactivate", UNDONE_STATE },
	{ "freeze", "thaw|unfreeze", UNDONE_STATE },
	{ "suspend", "resume", UNDONE_STATE },
	{ "compute|recompute|calc|calculate|recalc|recalculate|update|rebuild|refresh",
	  "dirty|invalidate|invalidated|stale", UNDONE_STALE },
};

static const char *const undone_causes[] = {
	[UNDONE_SIZE] = "the size goes back and forth around a limit, and each change moves the "
			"entries again. Leave a reserve before it shrinks (hysteresis), or change "
			"the size once for many operations",
	[UNDONE_STATE] = "The state goes back and forth: each operation changes it, and the next "
			 "one changes it back. Keep it over several operations",
	[UNDONE_STALE] = "Each change marks the result as stale, and it is computed again for all "
			 "that depend on it before the next change. Make all changes first, then "
			 "compute once",
};

/*
 * The words of a name in lower case. The words of "setHeightDirty" and "set_height_dirty" are
 * equal.
 */
struct undone_name {
	char text[PLAIN_NAME_MAX];
	struct str words[UNDONE_WORDS];
	size_t n;
};

static void undone_split(struct str name, struct undone_name *ret)
{
	size_t from = 0;

	ret->n = 0;
	for (size_t i = 0; i <= name.len && i < sizeof(ret->text); i++) {
		char c = i < name.len ? name.p[i] : '_';
		bool is_upper = char_is_upper(c);
		bool is_letter = is_upper || char_is_lower(c) || char_is_digit(c);
		bool was_lower = i > 0 && char_is_lower(name.p[i - 1]);

		if ((!is_letter || (is_upper && was_lower)) && i > from && ret->n < UNDONE_WORDS)
			ret->words[ret->n++] = (struct str){ ret->text + from, i - from };
		if (!is_letter || (is_upper && was_lower))
			from = is_letter ? i : i + 1;
		ret->text[i] = (char)(is_upper ? c | 32 : c);
	}
}

/*
 * Do @a and @b have the same words, except for one word that matches @does in @a and @undoes in @b?
 */
static bool undone_is_opposite(const struct undone_name *a, const struct undone_name *b,
			       const char *does, const char *undoes)
{
	size_t n = 0;

	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		if (str_eq(a->words[i], b->words[i]))
			continue;
		if (!str_glob(str_of(does), a->words[i]) || !str_glob(str_of(undoes), b->words[i]))
			return false;
		n++;
	}
	return n == 1;
}

static bool undone_has(const struct undone_name *name, const char *words)
{
	for (size_t i = 0; i < name->n; i++) {
		if (str_glob(str_of(words), name->words[i]))
			return true;
	}
	return false;
}

/*
 * Whether @a computes a result, and @b marks this result as stale. Their names must have the word
 * for the result in common.
 */
static bool undone_is_stale(const struct undone_name *a, const struct undone_name *b,
			    const char *does, const char *undoes)
{
	if (!undone_has(a, does) || !undone_has(b, undoes))
		return false;
	for (size_t i = 0; i < a->n; i++) {
		for (size_t k = 0; k < b->n; k++) {
			if (a->words[i].len >= UNDONE_SUBJECT && str_eq(a->words[i], b->words[k]) &&
			    !str_glob(str_of(does), a->words[i]))
				return true;
		}
	}
	return false;
}

/* Does @b undo the work of @a? */
static bool undone_is(const struct rule_input *in, const struct fact_function *a,
		      const struct fact_function *b, enum undone_kind *ret)
{
	struct plain_name plain_a, plain_b;
	struct str name_a = plain_name_make(&plain_a, facts_name(in->facts, a->sym));
	struct str name_b = plain_name_make(&plain_b, facts_name(in->facts, b->sym));
	struct undone_name words_a, words_b;

	if (!str_eq(plain_name_family(name_a), plain_name_family(name_b)))
		return false;
	undone_split(plain_name_last(name_a), &words_a);
	undone_split(plain_name_last(name_b), &words_b);
	for (size_t i = 0; i < ARRAY_LEN(undone_pairs); i++) {
		bool (*is)(const struct undone_name *, const struct undone_name *, const char *,
			   const char *) =
			undone_pairs[i].kind == UNDONE_STALE ? undone_is_stale : undone_is_opposite;

		*ret = undone_pairs[i].kind;
		if (is(&words_a, &words_b, undone_pairs[i].does, undone_pairs[i].undoes))
			return true;
	}
	return false;
}

static void undone_finding(const struct rule_input *in, struct findings *out,
			   const struct fact_function *a, const struct fact_function *b,
			   enum undone_kind kind)
{
	double pct = a->self + b->self;
	struct finding *f =
		finding_add(out, in, &rule_undone_work,
			    pct >= UNDONE_LEAD_PCT ? FINDING_WARNING : FINDING_NOTE, UNDONE_SURE);

	f->impact = pct;
	finding_claim(out, f,
		      STR_FMT " and " STR_FMT " take %.1f %% of %s: by their names, one undoes the "
			      "work of the other",
		      STR_ARG(facts_name(in->facts, a->sym)),
		      STR_ARG(facts_name(in->facts, b->sym)), pct, in->profile->unit.of);
	finding_share(f, in, "share of both", pct, a->self_err + b->self_err);
	finding_function(out, f, in, a);
	finding_function(out, f, in, b);
	finding_usual_cause(out, f, "%s", undone_causes[kind]);
	finding_because(out, f,
			"both are hot\n"
			"the order of their calls");
	finding_next(
		out, f,
		"perf probe -x BINARY FUNCTION for both, or uftrace: do their calls alternate");
}

static void undone_work_check(const struct rule_input *in, struct findings *out)
{
	const struct fact_function *hot[UNDONE_MOST];
	size_t n = 0;

	VEC_FOREACH (fn, &in->profile->functions) {
		if (n < UNDONE_MOST && fn->self >= UNDONE_LEAST_PCT)
			hot[n++] = fn;
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n; k++) {
			enum undone_kind kind;

			if (i == k || hot[i]->self + hot[k]->self < UNDONE_NOTE_PCT ||
			    !undone_is(in, hot[i], hot[k], &kind))
				continue;
			undone_finding(in, out, hot[i], hot[k], kind);
			return;
		}
	}
	finding_clean(out, in, &rule_undone_work,
		      "no two functions with %.0f %% are opposites by their names",
		      UNDONE_NOTE_PCT);
}

static const char *const undone_explains[] = { "hot-function", "costly-work", NULL };

const struct rule rule_undone_work = {
	.id = "undone-work",
	.title = "Work that is undone again",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.hides_pct = 100 - UNDONE_NOTE_PCT,
	.explains = undone_explains,
	.check = undone_work_check,
};
