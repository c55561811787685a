/* SPDX-License-Identifier: MIT */
#include "explain/explain.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/profile.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/compete.h"
#include "explain/example_doubt.h"
#include "explain/facts.h"
#include "explain/faster_trace.h"
#include "explain/fill.h"
#include "explain/findings.h"
#include "explain/known_cases.h"
#include "explain/rule_list.h"
#include "explain/signatures/call_signature.h"
#include "explain/signatures/counter_signature.h"
#include "explain/signatures/signature.h"
#include "explain/signatures/sleeping.h"
#include "explain/signatures/waiting.h"
#include "explain/steps.h"
#include "explain/visible.h"

#include <math.h>

/* clang-format off */
#define RULE(name) &rule_##name,
const struct rule *const rules[] = {
#include "rules.def"

	NULL,
};
#undef RULE
/* clang-format on */

/*
 * This is added to the score of a finding once for a warning, and twice for an error. The score
 * also contains the share of cost, in percent, times the certainty.
 */
#define EXPLAIN_SEVERITY_SCORE 60.0
/*
 * For the score, the share of a finding without a cause (is_general in struct rule) is divided by
 * this number.
 */
#define EXPLAIN_GENERAL_PART 2.0
/*
 * Some findings only report that the samples of their functions belong to code that ran before them
 * (displaces in struct rule). For the score, the share of such a finding is divided by this number,
 * because other findings can be about the code to which the cost belongs.
 */
#define EXPLAIN_DISPLACES_PART 4.0
/*
 * This is added to the score of a finding for each finding that its rule explains (explains in
 * struct rule). A cause is then sorted before its consequences.
 */
#define EXPLAIN_EXPLAINS_SCORE 25.0

static bool explain_names(const char *const *ids, const struct rule *rule)
{
	for (; ids && *ids; ids++) {
		if (str_eq(str_of(*ids), str_of(rule->id)))
			return true;
	}
	return false;
}

/* Limit of certainty, percent, for profiles that are means of several runs. */
#define EXPLAIN_AVERAGED_SURE 60u
/*
 * Limit of certainty, in percent, if the text compares two profiles: the hottest function need not
 * be the function that differs.
 */
#define EXPLAIN_COMPARED_SURE 75u

/*
 * Added to the score of findings about the good profile of a comparison, so that those about the
 * bad profile come first.
 */
#define EXPLAIN_GOOD_SCORE (-40.0)

/* Whether the text calls @c good, and another capture of the same input bad. */
static bool explain_is_good(const struct facts *facts, const struct capture *c)
{
	if (c->state != STATE_GOOD)
		return false;
	VEC_FOREACH (other, &facts->dossier->captures) {
		if ((*other)->state == STATE_BAD && (*other)->path.v == c->path.v)
			return true;
	}
	return false;
}

/*
 * Some profiles show hot functions, but not the cause of a problem: the good profile of a
 * comparison, both columns of a printed comparison, and means of runs. (lkp, the kernel test robot,
 * prints such means for two kernels.) Lower the severity or certainty of findings about such
 * profiles.
 */
static void explain_soften(struct facts *facts, struct findings *f)
{
	VEC_FOREACH (row, &f->rows) {
		const struct capture *c = row->capture == INDEX_NONE
						  ? NULL
						  : facts->dossier->captures.data[row->capture];

		if (c && explain_is_good(facts, c)) {
			row->severity = FINDING_NOTE;
			row->score += EXPLAIN_GOOD_SCORE;
		}
		if (c && capture_note_of(c, STR("side")).len && row->sure > EXPLAIN_COMPARED_SURE)
			row->sure = EXPLAIN_COMPARED_SURE;
		if (c && (capture_note_of(c, STR("side")).len || c->is_averaged))
			row->is_place = false;
		if (!c || !c->is_averaged || !c->profile)
			continue;
		row->severity = FINDING_NOTE;
		if (row->sure > EXPLAIN_AVERAGED_SURE)
			row->sure = EXPLAIN_AVERAGED_SURE;
		row->sure_because =
			STR("these are means over runs of two kernels: a hot function need not "
			    "be the reason for the difference");
	}
}

/* Limit of certainty, percent, for findings about functions whose symbols are perhaps wrong. */
#define EXPLAIN_DOUBTFUL_SURE 40u
/*
 * Limit of certainty, in percent, for findings about functions whose names are truncated. It is
 * high, because the start of a name is mostly enough.
 */
#define EXPLAIN_CUT_SURE 75u

static void explain_cap(struct finding *f, unsigned int sure, const char *because)
{
	f->is_place = false; /* the name itself is in doubt */
	if (f->sure <= sure)
		return;
	f->sure = sure;
	f->sure_because = str_of(because);
}

/*
 * Limit the certainty of @f if the name of @sym may be wrong or is truncated. @is_foreign: the
 * libc symbols come from another build.
 */
static void explain_doubt_of(struct finding *f, const struct profile_facts *p, bool is_foreign,
			     sym_id sym)
{
	const struct symbols *symbols = capture_symbols(p->capture);
	const struct symbol *s = symbols_get(symbols, sym);
	struct str name = symbols_name(symbols, sym);
	const char *because = NULL;

	if (p->summary.data.pct > PROFILE_DATA_PCT &&
	    (s->space == SPACE_KERNEL || s->space == SPACE_UNKNOWN))
		because = "kernel symbols come from a different build";
	else if (is_foreign && str_glob(STR(SIGNATURE_LIBC), symbols_module(symbols, sym)))
		because = "libc symbols come from a different build";
	if (because) {
		explain_cap(f, EXPLAIN_DOUBTFUL_SURE, because);
		f->severity = FINDING_NOTE;
	} else if (symbol_name_is_cut(name) || str_ends(name, STR("..."))) {
		explain_cap(f, EXPLAIN_CUT_SURE, "the name is truncated");
	}
}

static bool explain_has_share(const struct finding *f)
{
	VEC_FOREACH (s, &f->subjects) {
		if (s->role == SUBJECT_EXPLAINED)
			return true;
	}
	return f->sums.pattern != NULL;
}

/*
 * Limit the certainty of @f, because the rows of its profile add up to more than 100 %: the total
 * of the shares is unknown.
 */
static void explain_doubt_share(struct finding *f)
{
	explain_cap(f, EXPLAIN_DOUBTFUL_SURE,
		    "the rows add up to more than 100 %: the share is of an unknown whole");
	f->severity = FINDING_NOTE;
}

/*
 * Limit the certainty of findings that depend on doubtful symbols. Kernel symbols are doubtful if
 * samples are in kernel data. libc symbols are doubtful if a rule with doubts_libc (struct rule)
 * has a finding.
 */
static void explain_doubt(struct facts *facts, struct findings *f)
{
	bool *has_foreign = xcalloc(facts->dossier->captures.len + 1, sizeof(*has_foreign));

	VEC_FOREACH (row, &f->rows) {
		if (row->rule->doubts_libc && row->capture != INDEX_NONE)
			has_foreign[row->capture] = true;
	}
	VEC_FOREACH (row, &f->rows) {
		const struct profile_facts *p =
			row->capture == INDEX_NONE ? NULL : facts->profiles[row->capture];

		if (!p || row->rule->is_about_names)
			continue;
		if (p->is_skewed && explain_has_share(row))
			explain_doubt_share(row);
		VEC_FOREACH (s, &row->subjects) {
			if (s->role != SUBJECT_CALLER)
				explain_doubt_of(row, p, has_foreign[row->capture], s->sym);
		}
	}
	free(has_foreign);
}

/*
 * Some samples are charged to a function, but belong to code that ran before the function
 * (displaces in struct rule). If they have at least the part EXPLAIN_DISPLACED_PART (0 to 1) of the
 * share of a finding, its certainty is limited to EXPLAIN_DISPLACED_SURE, in percent.
 */
#define EXPLAIN_DISPLACED_SURE 50u
#define EXPLAIN_DISPLACED_PART 0.5
/*
 * If displaced samples have at least the part EXPLAIN_DISPLACED_ALL (0 to 1) of the share of a
 * finding, this finding is not reported. This requires that the finding about the displaced samples
 * has at least the certainty EXPLAIN_DISPLACES_SURE, in percent.
 */
#define EXPLAIN_DISPLACES_SURE 75u
#define EXPLAIN_DISPLACED_ALL  0.99

/*
 * The finding @by states that the samples of some functions belong to code that ran before these
 * functions (displaces in struct rule). If most of the share of @f is in these functions, limit the
 * certainty of @f.
 */
static void explain_displace_of(struct finding *f, const struct profile_facts *p,
				const struct finding *by, uint32_t number)
{
	double misplaced = 0;
	double sum = 0;

	VEC_FOREACH (fn, &p->functions) {
		if (fn->self <= 0 || !facts_is_one_of(p, &f->sums, fn))
			continue;
		sum += fn->self;
		if (facts_is_one_of(p, &by->sums, fn))
			misplaced += fn->self;
	}
	if (misplaced <= 0 || misplaced < sum * EXPLAIN_DISPLACED_PART)
		return;
	/*
	 * nearly all samples of the finding belong to other code, so they do not support the
	 * finding
	 */
	if (misplaced >= sum * EXPLAIN_DISPLACED_ALL && by->sure >= EXPLAIN_DISPLACES_SURE &&
	    f->overruled_by == INDEX_NONE)
		f->overruled_by = number;
	f->severity = FINDING_NOTE;
	explain_cap(f, EXPLAIN_DISPLACED_SURE,
		    "most of it is charged to functions that re-enable interrupts, but "
		    "belongs to the code before");
}

static void explain_displace(struct facts *facts, struct findings *f)
{
	VEC_FOREACH (by, &f->rows) {
		if (!by->rule->displaces || !by->sums.pattern)
			continue;
		VEC_FOREACH (row, &f->rows) {
			if (row != by && row->capture == by->capture && row->sums.pattern)
				explain_displace_of(row, facts->profiles[row->capture], by,
						    (uint32_t)(by - f->rows.data));
		}
	}
}

/*
 * Compare finding @a with all findings in a list. If the rule of @a overrules the rule of a listed
 * finding, @a overrules this finding. Exceptions: @a is uncertain (below 50 %), or `yields` is set
 * in @a. If the rule of @a explains the rule of a listed finding, the score of @a grows. @at: index
 * of the first finding in the list; next[i]: index of the finding after finding i.
 */
static void explain_weigh_chain(struct findings *f, uint32_t a, const uint32_t *next, uint32_t at)
{
	struct finding *row = &f->rows.data[a];

	for (; at != INDEX_NONE; at = next[at]) {
		struct finding *b = &f->rows.data[at];

		if (at == a)
			continue;
		if (explain_names(row->rule->overrules, b->rule) && row->sure >= 50 && !row->yields)
			b->overruled_by = a;
		if (explain_names(row->rule->explains, b->rule))
			row->score += EXPLAIN_EXPLAINS_SCORE;
	}
}

/*
 * Make a list of the findings about each capture, in their order. (*@ret_first)[capture]: index of
 * the first finding about a capture; (*@ret_next)[i]: index of the finding after finding i;
 * INDEX_NONE: none. Entry @n of *@ret_first is for findings about several captures. @n: number of
 * captures. Owner of both: caller, free().
 */
static void explain_chain(const struct findings *f, uint32_t n, uint32_t **ret_first,
			  uint32_t **ret_next)
{
	uint32_t *first = xcalloc(n + 1u, sizeof(*first));
	uint32_t *next = xcalloc(f->rows.len + 1, sizeof(*next));

	for (uint32_t i = 0; i <= n; i++)
		first[i] = INDEX_NONE;
	for (uint32_t i = (uint32_t)f->rows.len; i-- > 0;) {
		uint32_t *of = &first[f->rows.data[i].capture < n ? f->rows.data[i].capture : n];

		next[i] = *of;
		*of = i;
	}
	*ret_first = first;
	*ret_next = next;
}

/*
 * Compute the scores, and let findings about the same capture overrule or support each other. A
 * finding about several captures is compared with the findings of all captures. @n: number of
 * captures.
 */
static void explain_weigh(struct findings *f, uint32_t n)
{
	uint32_t *first;
	uint32_t *next;

	explain_chain(f, n, &first, &next);
	for (uint32_t i = 0; i < f->rows.len; i++) {
		struct finding *a = &f->rows.data[i];

		a->score += (double)a->severity * EXPLAIN_SEVERITY_SCORE +
			    a->impact * (double)a->sure / 100 /
				    (a->rule->displaces ? EXPLAIN_DISPLACES_PART
				     : a->is_general    ? EXPLAIN_GENERAL_PART
							: 1);
		if (!a->rule->overrules && !a->rule->explains)
			continue;
		for (uint32_t k = 0; k <= n; k++) {
			if (k == n || a->capture >= n || k == a->capture)
				explain_weigh_chain(f, i, next, first[k]);
		}
	}
	free(first);
	free(next);
}

/*
 * The finding that replaces @a: among those about the same subject (finding.about), the one with
 * the highest score. Its score must exceed that of @a, except if @a reports only a part of the
 * subject. NULL: none.
 */
static struct finding *explain_same(const struct findings *f, const struct finding *a)
{
	struct finding *ret = NULL;

	VEC_FOREACH (b, &f->rows) {
		if (b == a || b->is_part || b->overruled_by != INDEX_NONE ||
		    !str_eq(b->about, a->about))
			continue;
		if ((a->is_part || b->score > a->score) && (!ret || b->score > ret->score))
			ret = b;
	}
	return ret;
}

/* For each subject (finding.about), let the most important finding overrule the others. */
static void explain_join_same(struct findings *f)
{
	VEC_FOREACH (a, &f->rows) {
		struct finding *best =
			a->about.len && a->overruled_by == INDEX_NONE ? explain_same(f, a) : NULL;

		if (!best)
			continue;
		a->overruled_by = (uint32_t)(best - f->rows.data);
		if (a->severity > best->severity) {
			best->score +=
				(double)(a->severity - best->severity) * EXPLAIN_SEVERITY_SCORE;
			best->severity = a->severity;
		}
	}
}

/*
 * Sort position of a finding: 0: reported; 1: overruled by a rule; 2: evidence of another finding.
 */
static unsigned int explain_group(const struct finding *f)
{
	return f->overruled_by == INDEX_NONE ? 0 : f->is_evidence ? 2 : 1;
}

/*
 * Sort key: lower keys are first. Findings are sorted by explain_group(), then by score, the
 * highest first.
 */
static uint64_t explain_key(const struct finding *f)
{
	uint64_t bits;

	memcpy(&bits, &f->score, sizeof(bits));
	/* turn the bits of a double into an integer that sorts in the same order */
	bits = bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
	return (uint64_t)explain_group(f) << 62 | ~bits >> 2;
}

/*
 * Sort the rows by explain_key(); rows with equal keys keep their order. Then update the row
 * numbers in overruled_by.
 */
static void explain_order(struct findings *f)
{
	size_t n = f->rows.len;
	struct sort_item *order = xcalloc(n, sizeof(*order));
	uint32_t *place = xcalloc(n, sizeof(*place));
	struct finding *sorted = xcalloc(n, sizeof(*sorted));

	for (uint32_t i = 0; i < n; i++)
		order[i] = (struct sort_item){ explain_key(&f->rows.data[i]), i };
	sort_items(order, n);
	for (uint32_t i = 0; i < n; i++)
		place[order[i].value] = i;
	for (uint32_t i = 0; i < n; i++) {
		sorted[i] = f->rows.data[order[i].value];
		if (sorted[i].overruled_by != INDEX_NONE)
			sorted[i].overruled_by = place[sorted[i].overruled_by];
	}
	if (n)
		memcpy(f->rows.data, sorted, n * sizeof(*sorted));
	free(order);
	free(place);
	free(sorted);
}

static void explain_check(const struct rule_input *in, const struct rule *rule,
			  struct findings *ret)
{
	if (rule->check)
		rule->check(in, ret);
	else if (rule->signature)
		signature_check(in, ret, rule);
	else if (rule->counters)
		counter_signature_check(in, ret, rule);
	else if (rule->waiting)
		waiting_check(in, ret, rule);
	else if (rule->sleeping)
		sleeping_check(in, ret, rule);
	else
		call_signature_check(in, ret, rule);
}

static void explain_capture(struct facts *facts, uint32_t number, const struct rule *rule,
			    struct findings *ret)
{
	struct rule_input in = {
		.facts = facts,
		.capture = facts->dossier->captures.data[number],
		.counters = facts->counters[number],
		.number = number,
		.profile = facts->profiles[number],
		.calls = facts->calls[number],
		.traced = facts->traced[number],
		.log = facts->logs[number],
		.requests = facts->requests[number],
		.metrics = facts->metrics[number],
		.waits = facts->waits[number],
		.holders = facts->holders[number],
		.threads = facts->threads[number],
		.syscalls = facts->syscalls[number],
		.spreads = facts->spreads[number],
	};
	size_t clean = ret->clean.len;

	in.code = in.capture->code ? in.capture->code : in.capture->instructions;
	if (rule->needs & RULE_PROFILE && in.profile) {
		if (!visible_is_of_event(&in, rule, ret))
			return;
		explain_check(&in, rule, ret);
		visible_doubt(&in, rule, ret, clean);
	} else if ((rule->needs & RULE_COUNTERS && in.counters) ||
		   (rule->needs & RULE_CALLS && in.calls) || (rule->needs & RULE_LOG && in.log) ||
		   (rule->needs & RULE_METRICS && in.metrics) ||
		   (in.threads &&
		    rule->needs &
			    (in.capture->threads->is_sessions ? RULE_SESSIONS : RULE_THREADS)) ||
		   (rule->needs & RULE_CODE && in.code) || (rule->needs & RULE_WAITS && in.waits) ||
		   (rule->needs & RULE_DISTRIBUTION && in.spreads) ||
		   (rule->needs & RULE_SYSCALLS && in.syscalls)) {
		if (!visible_is_filtered(&in, rule, ret))
			explain_check(&in, rule, ret);
	}
}

static void explain_rule(struct facts *facts, const struct rule *rule, struct findings *ret)
{
	struct rule_input in = { .facts = facts, .number = INDEX_NONE };

	if (rule->needs & RULE_DOSSIER) {
		explain_check(&in, rule, ret);
		return;
	}
	for (uint32_t i = 0; i < facts->dossier->captures.len; i++)
		explain_capture(facts, i, rule, ret);
}

/*
 * Name of the first function whose cost @f explains. If there is none, name of the first function
 * that @f names. Empty: @f names no function.
 */
static struct str explain_subject(const struct facts *facts, const struct finding *f)
{
	VEC_FOREACH (s, &f->subjects) {
		if (s->role == SUBJECT_EXPLAINED)
			return facts_name(facts, s->sym);
	}
	return f->subjects.len ? facts_name(facts, f->subjects.data[0].sym) : STR_NONE;
}

/* Whether @f can be merged with an equal finding about another capture. */
static bool explain_may_merge(const struct finding *f)
{
	return f->capture != INDEX_NONE && !(f->rule->needs & (RULE_DOSSIER | RULE_LOG));
}

/*
 * Whether @a and @b state the same about two captures of one input, or about two distributions of
 * one capture. They can then be merged into one finding.
 */
static bool explain_is_same(const struct facts *facts, const struct finding *a,
			    const struct finding *b)
{
	const struct capture *x, *y;

	if (a->rule != b->rule || !explain_may_merge(a) || !explain_may_merge(b) ||
	    (a->capture == b->capture && !(a->rule->needs & RULE_DISTRIBUTION)) ||
	    explain_group(a) != explain_group(b) || a->is_kind != b->is_kind ||
	    !str_eq(a->cause, b->cause))
		return false;
	x = facts->dossier->captures.data[a->capture];
	y = facts->dossier->captures.data[b->capture];
	return x->path.v == y->path.v &&
	       (a->is_kind || str_eq(explain_subject(facts, a), explain_subject(facts, b)));
}

static void explain_join(struct finding *into, const struct finding *f)
{
	*VEC_PUSH(&into->also) = (struct finding_also){
		.capture = f->capture,
		.place = f->evidence.len ? f->evidence.data[0]
					 : (struct finding_evidence){ .line = 0 },
		.claim = f->claim,
		.value = f->figures.len ? f->figures.data[0].value : 0,
		.unit = f->figures.len ? f->figures.data[0].unit : NULL,
	};
}

static int explain_compare_also(const void *a, const void *b)
{
	const struct finding_also *x = a;
	const struct finding_also *y = b;

	if (x->capture != y->capture)
		return x->capture < y->capture ? -1 : 1;
	return (x->place.line > y->place.line) - (x->place.line < y->place.line);
}

/* Sort the members `also` of each finding by the order of their captures in the input. */
static void explain_order_also(struct findings *f)
{
	VEC_FOREACH (row, &f->rows) {
		VEC_SORT(&row->also, explain_compare_also);
	}
}

/*
 * Update the row numbers in overruled_by after rows have moved. @place: the new row number for each
 * old one; INDEX_NONE: the row was removed.
 */
static void explain_renumber(struct findings *f, const uint32_t *place)
{
	VEC_FOREACH (row, &f->rows) {
		if (row->overruled_by != INDEX_NONE)
			row->overruled_by = place[row->overruled_by];
	}
}

/* A hash for finding equal findings: if explain_is_same() is true, the hashes are equal. */
static uint64_t explain_hash(const struct facts *facts, const struct finding *f)
{
	const struct capture *c =
		f->capture == INDEX_NONE ? NULL : facts->dossier->captures.data[f->capture];
	uint64_t texts =
		hash_str(f->cause) ^ (f->is_kind ? 0 : hash_str(explain_subject(facts, f)) * 3);

	return hash_u64((uint64_t)(uintptr_t)f->rule, texts + (c ? c->path.v : 0));
}

/*
 * Merge findings that state the same about several captures of one input. The first finding stays;
 * the others become members of `also`.
 */
static void explain_merge(const struct facts *facts, struct findings *f)
{
	uint32_t *place = xcalloc(f->rows.len + 1, sizeof(*place));
	struct idmap map = { .slots = NULL };
	uint32_t n = 0;

	for (size_t i = 0; i < f->rows.len; i++) {
		struct finding row = f->rows.data[i];
		struct idmap_probe p;

		place[i] = n;
		if (!explain_may_merge(&row)) {
			f->rows.data[n++] = row;
			continue;
		}
		p = idmap_first(&map, explain_hash(facts, &row));
		while (place[i] == n && idmap_next(&map, &p)) {
			if (explain_is_same(facts, &f->rows.data[p.id], &row))
				place[i] = p.id;
		}
		if (place[i] == n) {
			idmap_insert(&map, &p, n);
			f->rows.data[n++] = row;
			continue;
		}
		explain_join(&f->rows.data[place[i]], &row);
		finding_fini(&row);
	}
	f->rows.len = n;
	explain_renumber(f, place);
	idmap_fini(&map);
	free(place);
}

/*
 * Keep only findings whose rule id matches the pattern @only. The other rules ran, too, because
 * their findings can overrule the findings that are kept.
 */
static void explain_keep(struct findings *f, struct str only)
{
	uint32_t *place = xcalloc(f->rows.len, sizeof(*place));
	size_t n = 0;

	for (size_t i = 0; i < f->rows.len; i++) {
		struct finding *row = &f->rows.data[i];

		place[i] = INDEX_NONE;
		if (str_glob(only, str_of(row->rule->id))) {
			place[i] = (uint32_t)n;
			f->rows.data[n++] = *row;
			continue;
		}
		finding_fini(row);
	}
	f->rows.len = n;
	explain_renumber(f, place);
	free(place);
	n = 0;
	VEC_FOREACH (c, &f->clean) {
		if (str_glob(only, str_of(c->rule->id)))
			f->clean.data[n++] = *c;
	}
	f->clean.len = n;
	n = 0;
	VEC_FOREACH (u, &f->not_assessed) {
		if (str_glob(only, str_of(u->rule->id)))
			f->not_assessed.data[n++] = *u;
	}
	f->not_assessed.len = n;
}

/* A finding below this certainty, percent, is a guess, and does not count as an explanation. */
#define EXPLAIN_CAUSE_SURE 60u

/*
 * Whether @f explains a cost of @capture with its cause. False if it is uncertain or overruled,
 * only names hot functions, or is about symbol names.
 */
static bool explain_accounts(const struct finding *f, uint32_t capture, struct str only)
{
	return f->capture == capture && (only.len == 0 || str_glob(only, str_of(f->rule->id))) &&
	       f->sure >= EXPLAIN_CAUSE_SURE && !f->is_general && !f->rule->is_about_names &&
	       f->overruled_by == INDEX_NONE;
}

/*
 * Lower bound of the share, in percent, that all findings about profile @number explain together.
 * Negative: no finding has a share. *@ret_n: number of these findings.
 */
static double explain_account(const struct profile_facts *p, const struct findings *f,
			      uint32_t number, const uint32_t *next, uint32_t first,
			      struct str only, uint32_t *ret_n)
{
	uint8_t *marks = xcalloc(p->functions.len + 1, sizeof(*marks));
	double pct = -1;
	double most = 0;

	*ret_n = 0;
	for (uint32_t i = first; i != INDEX_NONE; i = next[i]) {
		const struct finding *row = &f->rows.data[i];

		if (!explain_accounts(row, number, only))
			continue;
		++*ret_n;
		if (row->covers > most)
			most = row->covers;
		if (row->sums.pattern)
			facts_mark(p, &row->sums, marks);
		VEC_FOREACH (s, &row->subjects) {
			const struct fact_function *fn = facts_by_name(
				p, symbols_get(capture_symbols(p->capture), s->sym)->canonical);

			if (fn && s->role == SUBJECT_EXPLAINED)
				marks[fn->number] = 1;
		}
	}
	VEC_FOREACH (fn, &p->functions) {
		if (marks[fn->number] && fn->self > 0)
			pct = (pct < 0 ? 0 : pct) + fn->self;
	}
	free(marks);
	return most > pct && most > 0 ? fmin(most, 100) : pct;
}

static void explain_count(const struct facts *facts, struct findings *f, struct str only)
{
	uint32_t *first;
	uint32_t *next;

	explain_chain(f, (uint32_t)facts->dossier->captures.len, &first, &next);
	for (uint32_t i = 0; i < facts->dossier->captures.len; i++) {
		bool has_any = first[i] != INDEX_NONE;
		uint32_t n = 0;
		double pct = has_any && facts->profiles[i] && !facts->profiles[i]->is_skewed
				     ? explain_account(facts->profiles[i], f, i, next, first[i],
						       only, &n)
				     : -1;

		if (pct >= 0)
			*VEC_PUSH(&f->accounts) = (struct finding_account){ i, pct, n };
	}
	free(first);
	free(next);
}

/*
 * Put the name of the input file into the commands of next steps, except if the input came through
 * a pipe.
 */
static void explain_name_inputs(const struct dossier *d, struct findings *f)
{
	VEC_FOREACH (row, &f->rows) {
		struct str path = STR_NONE;

		if (row->capture < d->captures.len)
			path = strings_get(&d->strings, d->captures.data[row->capture]->path);
		else if (d->inputs.len == 1)
			path = strings_get(&d->strings, d->inputs.data[0].path);
		if (path.len && !str_eq(path, STR("-")))
			finding_name_input(f, row, path);
	}
}

void explain_run(struct facts *facts, const struct explain_options *options, struct findings *ret)
{
	for (unsigned int last = 0; last < 2; last++) {
		for (const struct rule *const *r = rules; *r; r++) {
			if (((*r)->needs & RULE_LAST) == (last ? RULE_LAST : 0))
				explain_rule(facts, *r, ret);
		}
	}
	/* shares can add up to more than 100 % if calls ran in parallel, or the input is damaged */
	VEC_FOREACH (row, &ret->rows)
		row->impact = fmin(100, row->impact);
	explain_soften(facts, ret);
	faster_trace_order(facts, ret);
	explain_doubt(facts, ret);
	explain_displace(facts, ret);
	example_doubt(facts, ret);
	explain_weigh(ret, (uint32_t)facts->dossier->captures.len);
	explain_join_same(ret);
	explain_count(facts, ret,
		      options ? options->only
			      /*
			       * findings are counted before explain_merge(), because a merged
			       * finding belongs to several captures
			       */
			      : STR_NONE);
	explain_order(ret);
	explain_merge(facts, ret);
	explain_order_also(ret);
	compete_findings(facts, ret);
	explain_order(ret);
	known_cases_cap(ret);
	steps_fit(facts, ret);
	fill_steps(facts, ret);
	explain_name_inputs(facts->dossier, ret);
	if (options && options->only.len)
		explain_keep(ret, options->only);
}
