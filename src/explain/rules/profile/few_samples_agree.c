/* SPDX-License-Identifier: MIT */
/*
 * The profile has few samples, but nearly all of them are in one place: 28 of 28 samples prove at
 * least 88 % of the time. The place is the application function nearest to the sampled function on
 * the stack. The functions between the two show the kind of work. The records of a tracepoint are
 * no samples: each event was recorded, so their number is exact.
 *
 * Threshold: the lower bound of the 95 % interval must reach AGREE_LOW_PCT. Then the place
 * certainly has most of the time. With many samples, other rules rank functions. A warning needs a
 * kind of work that is seldom the purpose of a program. If the program ran for less than
 * AGREE_IDLE_PCT of the elapsed time, no place matters.
 */
#include "analyses/event_unit.h"
#include "analyses/roles.h"
#include "base/stats.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/rules/profile/few_rate.h"
#include "explain/signatures/signature.h"

DECLARE_RULE(few_samples_agree);

#define AGREE_FEW      400u
#define AGREE_LOW_PCT  50.0
#define AGREE_LEAD_PCT 75.0
#define AGREE_IDLE_PCT 0.5
#define AGREE_PLACES   4096u

struct agree_place {
	sym_id sym;
	uint64_t weight;
	uint64_t records;
};

struct agree {
	const struct rule_input *in;
	struct role_cache roles;
	VEC(struct agree_place) places;
	struct agree_place *top;
	uint64_t records, weight;
	bool is_event; /* the records are events of a tracepoint */
	/* kinds[role]: weight of the samples in which a callee of `top` does work of this role */
	uint64_t kinds[ROLE_COUNT];
	/* callee of `top` with more than half of the weight of `top`; 0: none */
	sym_id through;
	/*
	 * counter of the majority vote for `through` (agree_vote()): weight of the samples that
	 * voted for it, minus weight of the samples that voted against it
	 */
	uint64_t lead;
};

static bool agree_is_own(struct agree *a, sym_id sym)
{
	const struct symbol *s = symbols_get(&a->in->facts->dossier->symbols, sym);

	return s->space != SPACE_COMM && !(s->flags & SYMBOL_ADDRESS) &&
	       role_of(&a->roles, &a->in->facts->dossier->symbols, sym) == ROLE_NONE;
}

/*
 * Whether @name contains the name of the role @inner, or a synonym. The function is then a wrapper
 * around that role: app_sleep() contains "sleep".
 */
static bool agree_is_wrapper(struct str name, enum role inner)
{
	struct str word = str_of(role_name(inner));

	if (inner == ROLE_NONE)
		return false;
	for (size_t i = 0; i + word.len <= name.len; i++) {
		if (str_starts_nocase(str_skip(name, i), word))
			return true;
	}
	return role_of_words(name) == inner;
}

/*
 * Find the place of a sample whose innermost node is @at: the first function outwards without a
 * role. If every function has a role, it is the first one whose role differs from that of the
 * sampled function. Wrappers such as app_sleep() around nanosleep() are skipped. STACK_ROOT: no
 * place.
 */
static stack_id agree_own(struct agree *a, stack_id at)
{
	const struct symbols *symbols = &a->in->facts->dossier->symbols;
	const struct stacks *stacks = &a->in->capture->profile->stacks;
	enum role inner = ROLE_NONE;
	stack_id other = STACK_ROOT;

	/* skip the kernel function of the tracepoint, which is the same in all events */
	if (a->is_event && symbols_get(symbols, stacks_sym(stacks, at))->space == SPACE_KERNEL)
		at = stacks_parent(stacks, at);
	for (; at.v; at = stacks_parent(stacks, at)) {
		sym_id sym = stacks_sym(stacks, at);
		enum role role = role_of(&a->roles, symbols, sym);

		if (role == ROLE_TRANSPARENT || role == ROLE_SYSCALL ||
		    agree_is_wrapper(symbols_name(symbols, sym), inner))
			continue;
		if (agree_is_own(a, sym))
			return at;
		if (inner == ROLE_NONE)
			inner = role;
		else if (!other.v && role != ROLE_NONE && role != inner)
			other = at;
	}
	return other;
}

static void agree_add(struct agree *a, sym_id sym, uint64_t weight, uint64_t records)
{
	VEC_FOREACH (place, &a->places) {
		if (place->sym.v == sym.v) {
			place->weight += weight;
			place->records += records;
			return;
		}
	}
	if (a->places.len < AGREE_PLACES)
		*VEC_PUSH(&a->places) = (struct agree_place){ sym, weight, records };
}

static void agree_collect(struct agree *a)
{
	const struct profile *p = a->in->capture->profile;

	for (size_t i = 0; i < p->samples.n; i++) {
		stack_id own = agree_own(a, p->samples.stack.data[i]);

		a->records += profile_samples_at(p, i);
		a->weight += p->samples.weight.data[i];
		if (own.v)
			agree_add(a, stacks_sym(&p->stacks, own), p->samples.weight.data[i],
				  profile_samples_at(p, i));
	}
	VEC_FOREACH (place, &a->places) {
		if (!a->top || place->weight > a->top->weight)
			a->top = place;
	}
}

/*
 * One step of the majority vote (Boyer and Moore, 1981). If a callee has more than half of the
 * weight, it is a->through after all steps. @callee 0: the sample is in a->top itself, so it votes
 * for no callee.
 */
static void agree_vote(struct agree *a, sym_id callee, uint64_t weight)
{
	if (a->through.v == callee.v) {
		a->lead += weight;
	} else if (a->lead >= weight) {
		a->lead -= weight;
	} else {
		a->through = callee;
		a->lead = weight - a->lead;
	}
}

/*
 * If a->top is the place of sample @i (agree_own()), return true, and set two results.
 * *@ret_callee: the function that a->top calls in this stack. *@ret_kind: the innermost role among
 * the callees of a->top, except ROLE_TRANSPARENT and ROLE_SYSCALL.
 */
static bool agree_below(struct agree *a, size_t i, sym_id *ret_callee, enum role *ret_kind)
{
	const struct profile *p = a->in->capture->profile;
	stack_id at = p->samples.stack.data[i];
	stack_id own = agree_own(a, at);
	stack_id below = STACK_ROOT;

	*ret_kind = ROLE_NONE;
	*ret_callee = (sym_id){ 0 };
	if (!own.v || stacks_sym(&p->stacks, own).v != a->top->sym.v)
		return false;
	for (; at.v != own.v; at = stacks_parent(&p->stacks, at)) {
		enum role role = role_of(&a->roles, &a->in->facts->dossier->symbols,
					 stacks_sym(&p->stacks, at));

		below = at;
		if (*ret_kind == ROLE_NONE && role != ROLE_TRANSPARENT && role != ROLE_SYSCALL)
			*ret_kind = role;
	}
	if (below.v)
		*ret_callee = stacks_sym(&p->stacks, below);
	return true;
}

/* The kind of work with the largest weight among the callees of a->top. Also sets a->through. */
static enum role agree_kind(struct agree *a)
{
	const struct profile *p = a->in->capture->profile;
	enum role most = ROLE_NONE;
	uint64_t through = 0;
	sym_id callee;
	enum role kind;

	for (size_t i = 0; i < p->samples.n; i++) {
		if (!agree_below(a, i, &callee, &kind))
			continue;
		agree_vote(a, callee, p->samples.weight.data[i]);
		a->kinds[kind] += p->samples.weight.data[i];
		if (a->kinds[kind] > a->kinds[most])
			most = kind;
	}
	for (size_t i = 0; i < p->samples.n; i++) {
		if (agree_below(a, i, &callee, &kind) && callee.v == a->through.v)
			through += p->samples.weight.data[i];
	}
	if (through * 2 <= a->top->weight)
		a->through = (sym_id){ 0 };
	return most;
}

static void agree_finding(struct agree *a, struct findings *out, double low, bool is_event)
{
	const struct rule_input *in = a->in;
	enum role kind = agree_kind(a);
	/* the kind of work is known and has a usual cause, and programs seldom exist to do it */
	bool is_wrong = kind != ROLE_NONE && role_cause(kind) && !role_is_purpose(kind) &&
			!role_is_traffic(kind);
	struct finding *f = finding_add(
		out, in, &rule_few_samples_agree,
		low >= AGREE_LEAD_PCT && !is_event && is_wrong ? FINDING_WARNING : FINDING_NOTE,
		low >= AGREE_LEAD_PCT ? 75 : 60);
	double pct = 100.0 * (double)a->top->weight / (double)a->weight;
	const char *name = finding_word(out, facts_short_name(in->facts, a->top->sym, 96), true);
	const char *through =
		a->through.v
			? finding_name(out, ", mostly through %s",
				       finding_word(out,
						    facts_short_name(in->facts, a->through, 96),
						    true))
			: "";

	f->impact = is_event ? 0 : low;
	finding_subject(f, a->top->sym, SUBJECT_EXPLAINED);
	if (is_event) {
		finding_figure(f, "share of the records", pct, 0, "%");
		finding_claim(out, f, "%llu of %llu %s come from %s%s",
			      (unsigned long long)a->top->records, (unsigned long long)a->records,
			      in->profile->unit.of, name, through);
	} else {
		finding_figure_interval(f, "share of the samples", pct, low,
					stats_wilson(pct / 100 * in->profile->effective,
						     in->profile->effective, STATS_Z95)
						.high,
					"%");
		finding_claim(
			out, f,
			"%llu of %llu samples are in %s or its callees: at least %.0f %% of %s%s",
			(unsigned long long)a->top->records, (unsigned long long)a->records, name,
			low, in->profile->unit.of, through);
	}
	finding_evidence(out, f, in, 0, "%s %llu of %llu", name,
			 (unsigned long long)a->top->records, (unsigned long long)a->records);
	if (kind != ROLE_NONE && role_cause(kind)) {
		finding_usual_cause(out, f, "Its kind of work is %s: %s", role_noun(kind),
				    role_cause(kind));
		/*
		 * The texts of the next steps of a kind of work contain {CALLER}, the function that
		 * requests the work. Here this function is the place (a->top).
		 */
		finding_value(out, f, "CALLER", facts_name(in->facts, a->top->sym));
		finding_next(out, f, "%s", role_next(kind));
	} else {
		finding_cause(out, f, "The samples show where the time is, not why");
		if (is_event)
			finding_next(out, f, "assay report -g caller FILE: the whole stacks");
		else
			finding_next(out, f, "perf record -F %u -g, longer: the hot callees",
				     few_rate(in->capture->profile, 1));
	}
	finding_because(
		out, f, "%s",
		is_event ? "each record is an event that happened"
			 : "so few samples have a wide interval; the title has its lower end");
}

static void agree_check(const struct rule_input *in, struct findings *out)
{
	const struct profile *p = in->capture->profile;
	bool is_event = signature_is_tracepoint(in);
	struct agree a = { .in = in, .is_event = is_event };
	double low;

	if (!p->has_n_samples || in->profile->functions.len == 0 ||
	    event_unit_is_goroutines(&in->profile->unit))
		return;
	if (p->table.rows.len && p->n_samples < AGREE_FEW) {
		finding_not_assessed(out, in, &rule_few_samples_agree, "perf script, or perf.data",
				     "a table has no single samples");
		return;
	}
	if (p->table.rows.len || (!is_event && p->n_samples >= AGREE_FEW)) {
		finding_clean(out, in, &rule_few_samples_agree, "%llu samples: enough to rank",
			      (unsigned long long)p->n_samples);
		return;
	}
	if (!is_event && signature_elapsed_pct(in) >= 0 &&
	    signature_elapsed_pct(in) < AGREE_IDLE_PCT) {
		finding_clean(out, in, &rule_few_samples_agree,
			      "the program ran for %.2f %% of the elapsed time",
			      signature_elapsed_pct(in));
		return;
	}
	agree_collect(&a);
	low = a.top && a.weight ? 100.0 * (double)a.top->weight / (double)a.weight : 0;
	if (!is_event)
		low = stats_wilson(low / 100 * in->profile->effective, in->profile->effective,
				   STATS_Z95)
			      .low;
	if (low >= AGREE_LOW_PCT)
		agree_finding(&a, out, low, is_event);
	else
		finding_clean(out, in, &rule_few_samples_agree,
			      "no application function certainly has %.0f %%", AGREE_LOW_PCT);
	role_cache_fini(&a.roles);
	VEC_FREE(&a.places);
}

const struct rule rule_few_samples_agree = {
	.id = "few-samples-agree",
	.title = "Few samples that agree",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_ANY,
	.check = agree_check,
	.is_general = true,
};
