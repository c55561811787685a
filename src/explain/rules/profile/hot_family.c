/* SPDX-License-Identifier: MIT */
/*
 * The functions of one family have a large share together. A family is a class, a namespace, a
 * package, a library, or the functions whose names begin with the same word ("json_"). Each
 * function is small, so no row of the table shows the sum.
 *
 * Thresholds: in healthy programs a family other than the main one has up to 15 % of the busy time,
 * so 20 % is a note. In an excerpt of a profile, the family also needs a quarter of the printed
 * shares. If one function has half of its family, or a large share, rule hot-function reports that
 * function instead. A family with most of the application code is the program itself, and no
 * finding. If families are nested (namespace and class), the innermost one with most of the sum is
 * named.
 */
#include "analyses/event_unit.h"
#include "analyses/plain_name.h"
#include "analyses/roles.h"
#include "base/arena.h"
#include "base/idmap.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/hot_family_names.h"
#include "explain/rule.h"
#include "explain/signatures/signature.h"

#include <stdio.h>

DECLARE_RULE(hot_family);

#define FAMILY_NOTE_PCT 20.0
/*
 * Limits for an excerpt, which shows only a part of the profile: a family needs FAMILY_LEAST_PCT of
 * the whole profile, and the part FAMILY_SHOWN_PART (0 to 1) of the printed shares.
 */
#define FAMILY_LEAST_PCT  5.0
#define FAMILY_SHOWN_PART 0.25
#define FAMILY_MIN        3u /* minimum number of functions in a family */
/*
 * Limits for the heaviest function: at most the part FAMILY_TOP_PART (0 to 1) of its family, and
 * less than FAMILY_TOP_PCT of the busy time. A heavier function is reported by rule hot-function.
 */
#define FAMILY_TOP_PART 0.5
#define FAMILY_TOP_PCT  30.0
/* A family with more than this part (0 to 1) of the application code is the program itself. */
#define FAMILY_MOST_PART 0.6
/*
 * If families are nested, the inner one is named if it has at least this part (0 to 1) of the share
 * of the outer one.
 */
#define FAMILY_INNER_PART 0.8
#define FAMILY_FUNCTIONS  512u /* number of functions to examine, heaviest first */
#define FAMILY_DEPTH      6u   /* maximum number of nested families of one function */
#define FAMILY_EVIDENCE   4u
#define FAMILY_PREFIX_MIN 3u
#define FAMILY_NAME_MAX   80
#define FAMILY_SURE       65u
/*
 * If the names of functions with at least this part (0 to 1) of the family's share suggest one kind
 * of work, the claim names this kind.
 */
#define FAMILY_WORDS_PART  0.5
#define FAMILY_CALLER_PART 0.3

enum family_kind {
	FAMILY_SCOPE,  /* class, namespace or package */
	FAMILY_PREFIX, /* first word of the names: "json_" */
	FAMILY_MODULE, /* library or kernel module */
};

struct family {
	struct str name;
	enum family_kind kind;
	/* number of families that contain this family: 1 for a class in one namespace */
	uint32_t depth;
	uint32_t n;
	double self;
	double err;
	/* functions of the family with the largest self shares, largest first */
	const struct fact_function *top[FAMILY_EVIDENCE];
	/*
	 * words[role]: sum of the self shares of functions whose names suggest this role
	 * (role_of_words())
	 */
	double words[ROLE_COUNT];
};

struct families {
	const struct rule_input *in;
	struct arena arena;
	struct idmap map;
	VEC(struct family) rows;
	double own; /* sum of the self shares of all application functions */
};

static struct family *family_of(struct families *s, enum family_kind kind, struct str name)
{
	struct idmap_probe p = idmap_first(&s->map, hash_str(name) + kind);

	while (idmap_next(&s->map, &p)) {
		struct family *f = &s->rows.data[p.id];

		if (f->kind == kind && str_eq(f->name, name))
			return f;
	}
	idmap_insert(&s->map, &p, (uint32_t)s->rows.len);
	*VEC_PUSH(&s->rows) = (struct family){ .name = arena_str(&s->arena, name), .kind = kind };
	return &s->rows.data[s->rows.len - 1];
}

static void family_add(struct families *s, enum family_kind kind, struct str name, uint32_t depth,
		       const struct fact_function *f)
{
	struct family *family = family_of(s, kind, name);

	family->depth = depth;
	if (family->n < FAMILY_EVIDENCE)
		family->top[family->n] = f;
	family->n++;
	family->self += f->self;
	family->err += f->self_err;
	family->words[role_of_words(facts_name(s->in->facts, f->sym))] += f->self;
}

/*
 * The first word of a function name, with its '_': "json_" for "json_object_get". Empty: the name
 * has only one word, or the first word is too short.
 */
static struct str family_prefix(struct str name)
{
	size_t at = 0;
	size_t end;

	while (at < name.len && name.p[at] == '_')
		at++;
	end = at + str_find_char(str_skip(name, at), '_');
	return end < name.len && end - at >= FAMILY_PREFIX_MIN ? str_sub(name, 0, end + 1)
							       : STR_NONE;
}

/* Is @module a library or a kernel module, and not the program or the kernel itself? */
static bool family_is_module(struct str module)
{
	if (str_starts(module, STR("[")))
		return !str_glob(STR(FAMILY_NO_MODULE), module);
	return str_glob(STR(FAMILY_LIBRARY), module) && !str_glob(STR(FAMILY_NO_LIBRARY), module);
}

static struct str family_file(struct str path)
{
	size_t slash = str_rfind_char(path, '/');

	return slash < path.len ? str_skip(path, slash + 1) : path;
}

/*
 * The directory of the source file @path, the name of a function in Python or JavaScript:
 * "lib/x/parts" for "lib/x/parts/a.py:12(f)". Empty: @path has no directory, or the directory holds
 * packages of many authors.
 */
static struct str family_directory(struct str path)
{
	size_t slash = str_rfind_char(path, '/');

	if (slash >= path.len || str_glob(STR(FAMILY_NO_DIRECTORY), str_sub(path, 0, slash)))
		return STR_NONE;
	return str_sub(path, 0, slash);
}

static void family_add_all(struct families *s, const struct fact_function *f)
{
	const struct symbols *symbols = capture_symbols(s->in->capture);
	const struct symbol *sym = symbols_get(symbols, f->sym);
	struct str module = symbols_module(symbols, f->sym);
	struct plain_name plain;
	struct str name, scope, prefix;
	uint32_t depth = 0;
	bool is_plain;

	if (family_is_module(module))
		family_add(s, FAMILY_MODULE, family_file(module), 0, f);
	if (sym->space == SPACE_KERNEL || sym->flags & SYMBOL_ADDRESS)
		return;
	s->own += f->self;
	name = facts_name(s->in->facts, f->sym);
	if (str_starts(name, STR("/"))) {
		/* a dot in a path divides no scopes: "/opt/python3.8/site-packages/x/a.py:12(f)" */
		scope = family_directory(str_sub(name, 0, str_find_char(name, ':')));
		for (uint32_t i = 2; scope.len && i > 0; i--) {
			family_add(s, FAMILY_SCOPE, scope, i, f);
			scope = family_directory(scope);
		}
		return;
	}
	name = plain_name_make(&plain, name);
	scope = plain_name_family(name);
	is_plain = scope.len == 0;
	for (struct str outer = scope; outer.len; outer = plain_name_family(outer))
		depth++;
	for (uint32_t i = 0; scope.len && i < FAMILY_DEPTH; i++) {
		family_add(s, FAMILY_SCOPE, scope, --depth, f);
		scope = plain_name_family(scope);
	}
	if (is_plain && (prefix = family_prefix(name)).len)
		family_add(s, FAMILY_PREFIX, prefix, 0, f);
}

static void families_init(struct families *s, const struct rule_input *in,
			  const struct findings *out)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	uint32_t n = 0;

	*s = (struct families){ .in = in };
	VEC_FOREACH (f, &in->profile->functions) {
		if (f->self <= 0 || n++ == FAMILY_FUNCTIONS)
			break; /* functions are sorted, heaviest first */
		if (role_of(in->profile->roles, symbols, f->sym) == ROLE_NONE &&
		    !signature_is_explained(in, out, f, 0))
			family_add_all(s, f);
	}
}

static void families_fini(struct families *s)
{
	VEC_FREE(&s->rows);
	idmap_fini(&s->map);
	arena_fini(&s->arena);
}

static bool family_is_much(const struct families *s, const struct family *f)
{
	const struct profile_facts *p = s->in->profile;

	if (f->n < FAMILY_MIN || f->top[0]->self > f->self * FAMILY_TOP_PART ||
	    signature_of_busy(s->in, f->top[0]->self) >= FAMILY_TOP_PCT)
		return false;
	if (f->self > (f->kind == FAMILY_MODULE ? p->total : s->own) * FAMILY_MOST_PART)
		return false;
	return signature_of_busy(s->in, f->self) >= FAMILY_NOTE_PCT ||
	       (p->total < SIGNATURE_VISIBLE_PCT && f->self >= FAMILY_LEAST_PCT &&
		f->self >= p->total * FAMILY_SHOWN_PART);
}

/*
 * Whether the family @inner, a part of @outer, has most of the share of @outer. @inner is then
 * named instead. (A module is never a part of another family.)
 */
static bool family_is_inner(const struct family *outer, const struct family *inner)
{
	if (inner->self < outer->self * FAMILY_INNER_PART || inner->kind == FAMILY_MODULE)
		return false;
	return outer->kind == FAMILY_MODULE || inner->depth > outer->depth;
}

static const struct family *family_largest(const struct families *s)
{
	const struct family *best = NULL;

	VEC_FOREACH (f, &s->rows) {
		if (family_is_much(s, f) && (!best || f->self > best->self))
			best = f;
	}
	for (const struct family *outer = NULL; best != outer;) {
		outer = best;
		VEC_FOREACH (f, &s->rows) {
			if (family_is_much(s, f) && family_is_inner(best, f))
				best = f;
		}
	}
	return best;
}

static enum role family_words(const struct family *f)
{
	for (unsigned int i = ROLE_IDLE + 1; i < ROLE_COUNT; i++) {
		if (role_cause((enum role)i) && f->words[i] >= f->self * FAMILY_WORDS_PART)
			return (enum role)i;
	}
	return ROLE_NONE;
}

/* Name the main caller of the family in @f, if it has a large part of the family's share. */
static void family_callers(const struct families *s, struct findings *out, struct finding *f,
			   const struct family *family)
{
	char pattern[FAMILY_NAME_MAX + 4];
	struct fact_caller caller;

	if (family->kind != FAMILY_MODULE && family->name.len <= FAMILY_NAME_MAX &&
	    str_find_char(family->name, '|') == family->name.len) {
		(void)snprintf(pattern, sizeof(pattern), "*" STR_FMT "*", STR_ARG(family->name));
		if (facts_callers(s->in->profile, pattern, NULL, &caller, 1) &&
		    caller.pct >= family->self * FAMILY_CALLER_PART) {
			finding_claim(out, f, STR_FMT ", %.1f %% called from " STR_FMT,
				      STR_ARG(f->claim), caller.pct,
				      STR_ARG(facts_short_name(s->in->facts, caller.sym,
							       FAMILY_NAME_MAX)));
			finding_caller(out, f, s->in, &caller);
			finding_next(
				out, f,
				"Count the calls from %s into this family, and the work per call",
				finding_word(out, facts_name(s->in->facts, caller.sym), false));
			return;
		}
	}
	finding_next(out, f, "perf record %s: who calls into '" STR_FMT "', how often",
		     s->in->profile->no_frame ? "--call-graph dwarf" : "-g",
		     STR_ARG(str_sub(family->name, 0, FAMILY_NAME_MAX)));
}

static void family_finding(const struct families *s, struct findings *out,
			   const struct family *family)
{
	const struct event_unit *unit = &s->in->profile->unit;
	struct finding *f = finding_add(out, s->in, &rule_hot_family, FINDING_NOTE,
					signature_is_few(s->in) ? 50 : FAMILY_SURE);
	enum role words = family_words(family);

	f->impact = family->self;
	finding_share(f, s->in, "self share of the family", family->self, family->err);
	finding_figure(f, "functions", family->n, 0, "");
	finding_claim(out, f,
		      "%.1f %% of %s %s in %u functions of " STR_FMT
		      "%s, each with at most %.1f %%",
		      family->self, unit->of, unit->is_plural ? "are" : "is", family->n,
		      STR_ARG(str_sub(family->name, 0, FAMILY_NAME_MAX)),
		      family->kind == FAMILY_PREFIX ? "*" : "", family->top[0]->self);
	for (uint32_t i = 0; i < family->n && i < FAMILY_EVIDENCE; i++)
		finding_function(out, f, s->in, family->top[i]);
	if (words)
		finding_usual_cause(out, f, "Possibly %s, by their names: %s", role_noun(words),
				    role_cause(words));
	else
		finding_usual_cause(
			out, f,
			"Many small steps of one kind of work: their number and their size decide");
	finding_because(out, f, "the shares are printed; the purpose is inferred from the name");
	family_callers(s, out, f, family);
}

static void family_check(const struct rule_input *in, struct findings *out)
{
	const struct family *largest;
	struct families s;

	if (!signature_can_judge(in, out, &rule_hot_family))
		return;
	if (signature_is_tracepoint(in)) {
		finding_not_assessed(
			out, in, &rule_hot_family, "perf record -e cycles -a -g",
			"all samples of a tracepoint are in one function by construction");
		return;
	}
	families_init(&s, in, out);
	largest = family_largest(&s);
	if (largest)
		family_finding(&s, out, largest);
	else
		finding_clean(out, in, &rule_hot_family,
			      "no family of at least %u small functions has %.0f %%", FAMILY_MIN,
			      FAMILY_NOTE_PCT);
	families_fini(&s);
}

const struct rule rule_hot_family = {
	.id = "hot-family",
	.title = "Hot class, package or library",
	.needs = RULE_PROFILE | RULE_LAST,
	.events = EVENT_IS_WORK | EVENT_BIT(EVENT_OTHER),
	.hides_pct = FAMILY_NOTE_PCT,
	.check = family_check,
	.is_general = true,
};
