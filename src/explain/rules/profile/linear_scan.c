/* SPDX-License-Identifier: MIT */
/*
 * Functions that search, as their names show. There are three kinds, with different texts. A walk
 * visits all elements, so its cost grows with their number: the code has a list instead of an
 * index, or checks a whole set again. A look-up finds one element: it is expensive if it is
 * frequent, or waits for an inlined lock. A look-up in an index (a tree, a sorted table) is always
 * cheap, so only its frequency can be the problem.
 *
 * Functions that compare, hash, copy or count references are ignored. Code that compares two
 * strings may sort, verify or check a password.
 *
 * Thresholds: in healthy programs a look-up has 3 to 8 % of the busy time. One function with 12 %
 * is a note. With 25 % it is a warning, but only for a walk, because a name is weak evidence for a
 * look-up. Functions that other rules know by name are ignored.
 */
#include "explain/signatures/signature.h"

#include "analyses/event_unit.h"
#include "analyses/roles.h"
#include "base/status.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/linear_scan_names.h"
#include "explain/rule.h"

DECLARE_RULE(linear_scan);

#define SCAN_NOTE_PCT 12.0
#define SCAN_LEAD_PCT 25.0
#define SCAN_SHOWN    3u
#define SCAN_LEAST    2.0
/* other functions are mentioned only if their shares add up to more than this percentage */
#define SCAN_OTHERS_PCT 0.005
/* maximum number of functions whose shares are added up; further functions have tiny shares */
#define SCAN_ALL 512u

#define SCAN_NAMES SCAN_WALKS "|" SCAN_LOOKUPS

enum scan_kind {
	SCAN_WALK,
	SCAN_LOOKUP,
	SCAN_INDEX,
};

struct scan_words {
	const char *what;   /* text after "12.3 % of CPU time", in the singular */
	const char *plural; /* text after "12.30 % of the cache misses", in the plural */
	const char *cause;
	const char *because;
	const char *next;
	unsigned int sure_lead;
};

static const struct scan_words scan_words[] = {
	[SCAN_WALK] = { "is searching or walking", "are searching or walking",
			"It visits many elements in each search (a list instead of an index, or a "
			"whole set that is checked each time), if searches are few\n"
			"it is called very often, if each search is short",
			"the name says that it goes from element to element\n"
			"whether it is one long search or many short ones",
			"use an index or a larger table, or search less often", 72 },
	[SCAN_LOOKUP] = { "is lookups", "are lookups",
			  "It walks a long structure, if it is called seldom\n"
			  "it is called very often, if each call is short\n"
			  "it waits for an inlined lock, if most samples are at a locked "
			  "instruction",
			  "the name says that it looks something up\n"
			  "how often, and how long one look-up takes",
			  "few long calls need an index or a larger table; many short ones need "
			  "fewer lookups",
			  60 },
	[SCAN_INDEX] = { "is lookups in an index", "are lookups in an index",
			 "It is called very often, for each element or again and again",
			 "the name says that each lookup is short\n"
			 "how many lookups there are",
			 "look up several elements at once, keep the position, or avoid repeated "
			 "lookups",
			 60 },
};

static enum scan_kind scan_kind_of(struct str name)
{
	if (str_glob(STR(SCAN_INDEXES), name))
		return SCAN_INDEX;
	return str_glob(STR(SCAN_WALKS), name) ? SCAN_WALK : SCAN_LOOKUP;
}

static bool scan_is_one(const struct rule_input *in, const struct fact_function *f)
{
	enum role role = role_of(in->profile->roles, capture_symbols(in->capture), f->sym);

	/*
	 * SCAN_OTHERS: names that only sound like a search, such as runtime.scanobject and
	 * dl_iterate_phdr
	 */
	return f->self > 0 &&
	       (role == ROLE_NONE || role == ROLE_SEARCH || role == ROLE_TREE ||
		role == ROLE_ITERATE) &&
	       !str_glob(STR(SCAN_OTHERS), facts_name(in->facts, f->sym));
}

/*
 * Whether the name of @f certainly shows what it does: @f is in the kernel or in a known library.
 * In the program itself, a name is only a hint.
 */
static bool scan_is_known(const struct rule_input *in, const struct fact_function *f)
{
	const struct symbols *symbols = capture_symbols(in->capture);

	return symbols_get(symbols, f->sym)->space == SPACE_KERNEL ||
	       role_of(in->profile->roles, symbols, f->sym) != ROLE_NONE;
}

static void scan_finding(const struct rule_input *in, struct findings *out,
			 const struct fact_function *const *shown, size_t n, double sum, double err)
{
	const struct fact_function *top = shown[0];
	struct str name = facts_short_name(in->facts, top->sym, 96);
	struct str whole = facts_short_name(in->facts, top->sym, SIZE_MAX);
	char pattern[1024]; /* for a name; templates of C++ have long ones */
	enum scan_kind kind = scan_kind_of(name);
	/* a look-up may also do other work, so only a walk can be a warning */
	bool leads = kind == SCAN_WALK && scan_is_known(in, top) &&
		     signature_of_busy(in, top->self) >= SCAN_LEAD_PCT && !signature_is_few(in);
	const struct scan_words *words = &scan_words[kind];
	const char *does = in->profile->unit.is_plural ? words->plural : words->what;
	struct fact_caller caller;
	struct finding *f =
		finding_add(out, in, &rule_linear_scan, leads ? FINDING_WARNING : FINDING_NOTE,
			    signature_is_few(in) ? 50
			    : leads              ? words->sure_lead
						 : 60);

	f->impact = sum;
	if (sum >= top->self + SCAN_OTHERS_PCT)
		finding_claim(out, f, "%.1f %% of %s %s, by the names, %s in " STR_FMT " (%.1f %%)",
			      sum, in->profile->unit.of, does,
			      top->self * 2 > sum ? "most of it" : "most of all", STR_ARG(name),
			      top->self);
	else
		finding_claim(out, f, "%.1f %% of %s %s in " STR_FMT ", by its name", sum,
			      in->profile->unit.of, does, STR_ARG(name));
	finding_share(f, in, "searching and walking", sum, err);
	finding_share(f, in, "of it, in one function", top->self, top->self_err);
	for (size_t i = 0; i < n; i++)
		finding_function(out, f, in, shown[i]);
	if (whole.len < sizeof(pattern)) {
		memcpy(pattern, whole.p, whole.len);
		pattern[whole.len] = '\0';
		if (!str_glob(STR("*[*?|]*"), whole) &&
		    facts_callers(in->profile, pattern, NULL, &caller, 1)) {
			finding_figure(f, "called by one function", caller.pct, 0, "%");
			finding_caller(out, f, in, &caller);
		}
	}
	finding_usual_cause(out, f, "%s", words->cause);
	finding_because(out, f, "%s", words->because);
	finding_next(out, f,
		     "perf annotate %s: a hot load in a loop is the walk, a hot locked instruction "
		     "waits; count the calls with bpftrace",
		     finding_word(out, whole, true));
	finding_next(out, f, "%s", words->next);
}

static void scan_check(const struct rule_input *in, struct findings *out)
{
	const struct fact_function *shown[SCAN_SHOWN];
	const struct fact_function *all[SCAN_ALL];
	size_t matching;
	double sum = 0;
	double err = 0;
	size_t n = 0;
	double one;

	if (!signature_can_judge(in, out, &rule_linear_scan))
		return;
	matching = facts_heaviest(in->profile, SCAN_NAMES, all, ARRAY_LEN(all));
	for (size_t i = 0; i < matching; i++) {
		const struct fact_function *f = all[i];

		if (!scan_is_one(in, f))
			continue;
		sum += f->self;
		err += f->self_err;
		if (n < SCAN_SHOWN && (n == 0 || f->self >= SCAN_LEAST))
			shown[n++] = f;
	}
	one = n ? signature_of_busy(in, shown[0]->self) : 0;
	if (n && one >= SCAN_NOTE_PCT)
		scan_finding(in, out, shown, n, sum, err);
	else
		finding_clean(out, in, &rule_linear_scan, "%.1f %% in searching and walking", sum);
}

const struct rule rule_linear_scan = {
	.id = "linear-scan",
	.title = "Search through a long structure",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.hides_pct = SCAN_NOTE_PCT,
	.check = scan_check,
};
