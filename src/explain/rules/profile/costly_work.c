/* SPDX-License-Identifier: MIT */
/*
 * One kind of work of libraries, a runtime or the kernel takes a large share of the time:
 * allocating, copying, locking, parsing. The finding adds up all functions with that role
 * (analyses/roles.h). For some roles it includes all callees (analyses/role_work.h). It names the
 * code that requests the work: the first caller outside of libraries and wrappers. Each sample
 * belongs to at most one finding.
 *
 * Thresholds: in healthy programs the largest kind has 5 to 13 % of the busy time. A note needs 10
 * % with a known caller, or 15 % without one; a warning needs 40 %. Some kinds are always notes:
 * the usual purpose of programs (compression, drawing), and a part of their start (compiling at run
 * time). Reading, writing and sending are most of the work of a healthy server, so they need 40 %
 * and are always a note. Work that programs normally do only once, such as compiling patterns,
 * needs 3 %. Rules with a specific cause run first, and the functions that they explain are not
 * reported again.
 */
#include "analyses/event_unit.h"
#include "analyses/role_work.h"
#include "analyses/roles.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/names/start_names.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/signatures/signature.h"
#include "explain/words/loop_words.h"
#include "explain/words/mutex_words.h"
#include "explain/words/rand_words.h"
#include "explain/words/timed_words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

DECLARE_RULE(costly_work);

#define WORK_NOTE_PCT  10.0
#define WORK_ALONE_PCT 15.0
#define WORK_LEAD_PCT  40.0
/* Minimum share for a finding, percent of all CPU time, even if the machine is nearly idle. */
#define WORK_LEAST_PCT 5.0
/* Minimum percentage for work that a program should do only once (":once" in roles.tsv). */
#define WORK_ONCE_PCT 3.0
/* a kind of work with fewer printed calls than this is done only at the start of the program */
#define WORK_ONCE_CALLS 100.0
/*
 * Minimum share of a kind of work in an excerpt (a profile that prints only some rows), in percent
 * of the printed shares.
 */
#define WORK_SHOWN_PCT 25.0
/* certainty if the caller is known */
#define WORK_SURE_CALLER 70u
/* if the machine is idle for a larger percentage, no work is reported */
#define WORK_IDLE_PCT   90.0
#define WORK_SURE_ALONE 60u
/*
 * A finding without a known caller is less important: its share divided by this number is
 * subtracted from its score.
 */
#define WORK_ALONE_PART 3.0
/* Maximum number of findings per capture, largest kind first. */
#define WORK_MAX 3u
/*
 * If other findings explain at least this part (0 to 1) of a kind's share, the kind is not
 * reported.
 */
#define WORK_EXPLAINED_PART 0.7
/*
 * A finding that adds up functions reports a kind of work if more than this part (0 to 1) of the
 * finding's sum is work of this kind.
 */
#define WORK_REPORTED_PART 0.9
/*
 * A finding that reports a kind of work must also contain at least this part (0 to 1) of the kind's
 * share. If it contains less, this rule reports the kind with its larger share.
 */
#define WORK_REPORTED_LEAST 0.5
/*
 * WORK_CALLERS: maximum number of callers to cite. WORK_CALLER_PART: the claim names the first
 * caller if it has at least this part (0 to 1) of the share.
 */
/* size of a buffer for a function's name; longer names are not searched in printed trees */
#define WORK_PATTERN 128u
#define WORK_CALLERS 3
/* if two shares differ by less, in percentage points, they look equal in print */
#define WORK_ROUNDED     0.05
#define WORK_CALLER_PART 0.25
#define WORK_EVIDENCE    3
/* maximum number of functions of a kind that are stored and marked as explained */
#define WORK_SUBJECTS 16
/*
 * If another kind of work requests at least this part (0 to 1) of the share, the claim also names
 * that kind: "allocation for formatting".
 */
#define WORK_ENTRY_PART 0.5
/* the claim names a function whose self share is at least this part (0 to 1) of the work */
#define WORK_WITHIN_PART 0.5
/*
 * If only inclusive shares are known, the claim names the innermost function for which they prove
 * that it calls at least this part (0 to 1) of the work. A larger part would nearly always select a
 * function further outwards.
 */
#define WORK_BOUND_PART 0.4
/*
 * WORK_SAME_PART: two inclusive shares count as equal if they differ by at most this part (0 to 1)
 * of one of them. WORK_SAME: maximum number of functions with an equal share that are named.
 */
#define WORK_SAME_PART 0.005
#define WORK_SAME      2u
/*
 * Some kinds of work are marked ":leads" in roles.tsv, such as exceptions. Such a kind is reported
 * instead of the largest kind if it has at least this part (0 to 1) of the largest kind's samples.
 * Example: a parser that throws exceptions.
 */
#define WORK_INNER_PART 0.5
/*
 * In a table without stacks, a lock function probably calls the atomic operations if its callees
 * take at least this part (0 to 1) of the time of the atomic operations.
 */
#define WORK_LOCK_PART 0.25
/*
 * If the caller is unknown, the finding names the hottest application functions that have at least
 * this percentage: " (perhaps f or g)".
 */
#define WORK_OWN_PCT 1.0
#define WORK_OWN     2u
/*
 * a function is listed as a possible caller only if its callees have at least this part (0 to 1) of
 * the work
 */
#define WORK_OWN_PART 0.2
#define WORK_NAME_MAX 96
/* modules that are not part of the program */
#define WORK_LIBRARIES                                                                         \
	"*libc.so*|*libc-2*|*ld-linux*|*libpthread*|*libm.so*|*libstdc++*|*libc++*|*libjvm*|*" \
	"libpython*"
#define WORK_ALL_PCT 99.5 /* the whole profile, except rounding */
#define WORK_GROUPS  32u  /* maximum depth of groups in a regular expression */

/* streams are made if std::has_facet has at least this part (0 to 1) of the work on locales */
#define WORK_STREAMS_PART 0.1

struct work {
	enum role kind;
	double self;
	double err;
	double explained; /* the part of `self` that other findings explain */
	uint32_t n;
	const struct fact_function *top[WORK_SUBJECTS]; /* functions of this kind, heaviest first */
	/* the role with the largest share, among the roles that belong to this kind */
	enum role top_role;
	bool is_with_callees; /* `self` includes the callees of the functions in `top` */
	/* `self` is a lower bound that was computed from the inclusive share of top[0] */
	bool is_of_rows;
	bool is_done;
	bool is_reported; /* another finding is about this kind of work */
	/*
	 * This kind is marked ":leads" in roles.tsv, and is reported instead of a larger kind that
	 * contains it. The finding then has the cause of this kind.
	 */
	bool is_leader;
};

static bool work_is_explained(const struct rule_input *in, const struct findings *out,
			      const struct fact_function *f)
{
	const struct finding *row = NULL;

	while ((row = findings_of(out, in->number, row))) {
		if (row->rule->is_general)
			continue;
		if ((row->sums.pattern && facts_is_one_of(in->profile, &row->sums, f)) ||
		    finding_explains(row, f->sym))
			return true;
	}
	return false;
}

static void work_sum(const struct rule_input *in, const struct findings *out, struct work *works)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	double by_role[ROLE_COUNT] = { 0 };
	bool is_lock_wait = event_unit_is_lock_wait(&in->profile->unit);

	VEC_FOREACH (f, &in->profile->functions) {
		enum role role = role_of(in->profile->roles, symbols, f->sym);
		struct work *w = &works[role_with(role)];

		if (f->self <= 0)
			break; /* functions are sorted, heaviest first */
		/* allocation in the kernel belongs to rule kernel-allocation */
		if (w->kind == ROLE_ALLOCATE && symbols_get(symbols, f->sym)->space == SPACE_KERNEL)
			continue;
		/* in a profile of lock waits, a function that takes or releases a lock shows a wait
		 */
		if (role == ROLE_LOCK && is_lock_wait)
			role = ROLE_LOCK_SLOW;
		if (w->n < WORK_SUBJECTS)
			w->top[w->n] = f;
		w->n++;
		w->self += f->self;
		w->err += f->self_err;
		by_role[role] += f->self;
		if (w->n == 1 || by_role[role] > by_role[w->top_role])
			w->top_role = role;
		/* to save time, functions with a small share count as not explained */
		if (f->self >= WORK_NOTE_PCT / 10 && work_is_explained(in, out, f))
			w->explained += f->self;
	}
}

/* Set w->top to those functions of the kind that have the largest inclusive shares. */
static void work_heads(const struct rule_input *in, struct work *w)
{
	const struct symbols *symbols = capture_symbols(in->capture);

	w->n = 0;
	VEC_FOREACH (f, &in->profile->functions) {
		uint32_t at = w->n;

		if (role_with(role_of(in->profile->roles, symbols, f->sym)) != w->kind ||
		    f->children <= 0)
			continue;
		while (at && w->top[at - 1]->children < f->children)
			at--;
		if (at >= WORK_EVIDENCE)
			continue;
		if (w->n < WORK_EVIDENCE)
			w->n++;
		memmove(w->top + at + 1, w->top + at, (w->n - 1 - at) * sizeof(*w->top));
		w->top[at] = f;
	}
	w->top_role = w->kind;
}

/*
 * Recompute works[i].self from the samples, without the samples of the kinds in @taken. If kind i
 * has role_is_within(), its share with callees replaces the sum of its self shares as soon as it is
 * larger. The share of any other kind can only become smaller.
 */
static void work_include(const struct rule_input *in, const struct role_work *all,
			 struct role_set taken, struct work *works)
{
	uint64_t weights[ROLE_COUNT];

	role_work_sum(all, taken, weights);
	for (unsigned int i = 0; i < ROLE_COUNT; i++) {
		double pct = (double)weights[i] / (double)in->profile->weight * 100;
		bool is_new = role_is_within((enum role)i) && !works[i].is_with_callees &&
			      pct > works[i].self + WORK_ROUNDED;

		if (is_new) {
			works[i].is_with_callees = true;
			work_heads(in, &works[i]);
			works[i].self = pct;
		} else if (pct < works[i].self) {
			works[i].self = pct;
		}
	}
}

/*
 * The folder of a function's file: "/lib/re/" for "/lib/re/parser.py:5(parse)". Empty: the name has
 * no file.
 */
static struct str work_folder(struct str name)
{
	struct str file = str_sub(name, 0, str_find_char(name, ':'));
	size_t slash = str_rfind_char(file, '/');

	return slash < file.len ? str_sub(file, 0, slash + 1) : STR_NONE;
}

/* Does the function @name belong to the package in folder @folder? */
static bool work_is_in_folder(struct str folder, struct str name)
{
	return folder.len && str_starts(name, folder);
}

/*
 * heads[kind] is the function of a kind with the largest inclusive share. Find the heads of other
 * kinds that heads[kind] certainly calls, and return the largest of their inclusive shares; 0:
 * there is none. (If two inclusive shares add up to more than 100 %, the function with the larger
 * share calls the other one.)
 */
static double work_rows_inner(const struct fact_function *const *heads, enum role kind)
{
	const struct fact_function *head = heads[kind];
	double ret = 0;

	for (unsigned int i = 0; i < ROLE_COUNT; i++) {
		if (i != (unsigned int)kind && heads[i] && heads[i]->children < head->children &&
		    heads[i]->children + head->children > 100 && heads[i]->children > ret)
			ret = heads[i]->children;
	}
	return ret;
}

/*
 * Like work_include(), for a table that has only inclusive shares. The head of a kind is its
 * function with the largest inclusive share; it includes most other functions of the kind.
 *
 * Two kinds of time are subtracted from the head's share. One is the time of application code that
 * the head may call, such as a comparison in a sort. (Code in the folder of the head belongs to the
 * same library, and is not subtracted.) The other is work of another kind that the head certainly
 * calls.
 */
static void work_include_rows(const struct rule_input *in, struct work *works)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	const struct fact_function *heads[ROLE_COUNT] = { NULL };

	VEC_FOREACH (f, &in->profile->functions) {
		enum role role = role_of(in->profile->roles, symbols, f->sym);
		enum role kind = role_with(role);

		if (role_is_within(role) && f->rows <= 1 && f->children <= 100 &&
		    f->children > f->self && (!heads[kind] || f->children > heads[kind]->children))
			heads[kind] = f;
	}
	for (unsigned int i = 0; i < ROLE_COUNT; i++) {
		double pct = heads[i] ? heads[i]->children : 0;
		struct str folder =
			heads[i] ? work_folder(facts_name(in->facts, heads[i]->sym)) : STR_NONE;
		double inner;

		if (!heads[i])
			continue;
		inner = work_rows_inner(heads, (enum role)i);
		VEC_FOREACH (f, &in->profile->functions) {
			if (f->children <= heads[i]->children && f->self > 0 &&
			    symbols_get(symbols, f->sym)->space != SPACE_KERNEL &&
			    role_of(in->profile->roles, symbols, f->sym) == ROLE_NONE &&
			    !work_is_in_folder(folder, facts_name(in->facts, f->sym)))
				pct -= f->self;
		}
		pct = fmin(pct, heads[i]->children - inner);
		if (pct <= works[i].self + WORK_ROUNDED)
			continue;
		works[i].is_with_callees = works[i].is_of_rows = true;
		work_heads(in, &works[i]);
		works[i].self = pct;
		works[i].err = heads[i]->self_err;
	}
}

/* Mark functions as explained by @f if most of their samples are in the work @w. */
static void work_explain(const struct rule_input *in, const struct role_work *all,
			 const struct work *w, struct finding *f)
{
	const struct profile_facts *p = in->profile;
	const struct stacks *stacks = &in->capture->profile->stacks;
	uint64_t *part = xcalloc(p->functions.len + 1, sizeof(*part));

	for (uint32_t i = 1; i < all->n; i++) {
		uint32_t number = p->function_of[stacks_sym(stacks, (stack_id){ i }).v];

		if (number && all->self[i] && role_set_has(all->at[i], w->kind))
			part[number] += all->self[i];
	}
	for (uint32_t i = 0; i < p->functions.len; i++) {
		const struct fact_function *fn = &p->functions.data[i];

		if (fn->self > 0 &&
		    (double)part[i + 1] / (double)p->weight * 100 >= fn->self * WORK_EXPLAINED_PART)
			finding_subject(f, fn->sym, SUBJECT_EXPLAINED);
	}
	free(part);
}

/* The callers that request one kind of work. */
struct work_callers {
	struct fact_caller owners[WORK_CALLERS];
	/*
	 * the function of the program that calls owners[0], if owners[0] is kernel code or a
	 * wrapper
	 */
	struct fact_caller from;
	/* the library function that the owners call to get the work done */
	struct fact_caller entry;
	/*
	 * the kind of work that requests this work, such as formatting, which requests allocation;
	 * ROLE_NONE: none
	 */
	enum role entry_role;
	size_t n;
	bool has_owner;
	bool has_from;
	bool is_bound; /* the share of owners[0] is a lower bound */
	/*
	 * nameless: the module whose unresolved functions call most of the work; 0: most callers
	 * are resolved. nameless_pct: share of the work that they call, in percent of the profile.
	 */
	str_id nameless;
	double nameless_pct;
};

/*
 * Find a caller that inclusive shares alone prove (facts_caller_bound()). ret->pct is a lower
 * bound. False: there is none.
 */
static bool work_bound(const struct rule_input *in, const struct work *w, struct fact_caller *ret)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	struct fact_callee of = {
		.share = (w->is_of_rows ? w->top[0]->children : w->self) - w->err,
		.is_kernel = w->n && symbols_get(symbols, w->top[0]->sym)->space == SPACE_KERNEL,
		.is_inclusive = w->is_of_rows,
	};

	if (!facts_caller_bound(in->profile, &of, w->self * WORK_BOUND_PART, ret))
		return false;
	ret->pct = ret->pct < w->self ? ret->pct : w->self;
	return true;
}

/*
 * Find the frame that requests the work @w at stack node @at: the first one outwards that does
 * another kind of work, except wrappers. If it is unresolved, return its module; otherwise 0.
 */
static str_id work_nameless_of(const struct rule_input *in, const struct work *w, stack_id at)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	const struct stacks *stacks = &in->capture->profile->stacks;

	for (; at.v; at = stacks_parent(stacks, at)) {
		sym_id sym = stacks_sym(stacks, at);
		enum role role = role_with(role_of(in->profile->roles, symbols, sym));

		if (role == w->kind)
			continue;
		if (role_is_nameless(symbols, sym))
			return symbols_get(symbols, sym)->module;
		if (role != ROLE_TRANSPARENT)
			break;
	}
	return STR_ID_NONE;
}

/*
 * Find the module that calls most of the work, if its functions have no names (a stripped module).
 * The first loop is a majority vote: a sample of one module cancels a sample of another one. A
 * module with more than half of the samples remains.
 */
static void work_find_nameless(const struct rule_input *in, const struct work *w,
			       struct work_callers *ret)
{
	const struct profile_facts *p = in->profile;
	const struct stacks *stacks = &in->capture->profile->stacks;
	const struct symbols *symbols = capture_symbols(in->capture);
	str_id *module; /* module[node]: module of the unresolved caller at this stack node */
	double lead = 0;

	if (!p->self || p->weight == 0)
		return;
	module = xcalloc(stacks_count(stacks), sizeof(*module));
	for (uint32_t i = 1; i < stacks_count(stacks); i++) {
		sym_id sym = stacks_sym(stacks, (stack_id){ i });

		if (!p->self[i] || role_with(role_of(p->roles, symbols, sym)) != w->kind)
			continue;
		module[i] = work_nameless_of(in, w, (stack_id){ i });
		lead += (module[i].v == ret->nameless.v ? 1 : -1) * (double)p->self[i];
		if (lead < 0) {
			ret->nameless = module[i];
			lead = -lead;
		}
	}
	for (uint32_t i = 1; i < stacks_count(stacks) && ret->nameless.v; i++) {
		if (module[i].v == ret->nameless.v)
			ret->nameless_pct += (double)p->self[i] / (double)p->weight * 100;
	}
	free(module);
	if (ret->nameless_pct < w->self * WORK_ENTRY_PART)
		ret->nameless = STR_ID_NONE;
}

static bool work_has_owner(const struct work_callers *by, sym_id sym)
{
	for (size_t i = 0; i < by->n; i++) {
		if (by->owners[i].sym.v == sym.v)
			return true;
	}
	return false;
}

/*
 * Set *@ret to main() if main() certainly calls enough of the work @w. main() calls nearly
 * everything, so it is tried last. At a barrier, main() only waits, and other threads are the
 * cause: no caller then. False: nothing was set.
 */
static bool work_bound_main(const struct rule_input *in, const struct work *w,
			    struct fact_caller *ret)
{
	if (w->kind == ROLE_BARRIER)
		return false;
	VEC_FOREACH (f, &in->profile->functions) {
		double pct = w->self - w->err + f->children - 100;

		if (f->rows > 1 || pct < w->self * WORK_ENTRY_PART ||
		    !start_names_have(facts_name(in->facts, f->sym), START_BIT(START_ROLE_MAIN)))
			continue;
		*ret = (struct fact_caller){ .sym = f->sym, .pct = pct, .line = f->line };
		return true;
	}
	return false;
}

/*
 * Find the function that the printed trees show as the direct caller of the work @w. If the share
 * is computed from inclusive shares (is_of_rows), any function without a role is accepted.
 * Otherwise only main() is accepted, because functions in between were inlined. False: none.
 */
static bool work_printed_caller(const struct rule_input *in, const struct work *w,
				struct fact_caller *ret)
{
	struct str name = w->n ? facts_name(in->facts, w->top[0]->sym) : STR_NONE;
	char pattern[WORK_PATTERN];

	if (name.len == 0 || name.len >= sizeof(pattern) || str_find_char(name, '*') < name.len)
		return false;
	memcpy(pattern, name.p, name.len);
	pattern[name.len] = '\0';
	if (!facts_callers_printed(in->profile, pattern, "", ret, 1) ||
	    ret->pct < w->self * WORK_CALLER_PART)
		return false;
	return (w->is_of_rows &&
		role_of(in->profile->roles, capture_symbols(in->capture), ret->sym) == ROLE_NONE) ||
	       start_names_have(facts_name(in->facts, ret->sym), START_BIT(START_ROLE_MAIN));
}

/*
 * Find the lock function that probably calls the atomic operations @w, in a table without stacks.
 * Set ret->entry to it.
 */
static void work_find_lock(const struct rule_input *in, const struct work *w,
			   struct work_callers *ret)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	double most = w->self * WORK_LOCK_PART;

	VEC_FOREACH (f, &in->profile->functions) {
		double pct = f->children - f->self;

		if (f->rows > 1 || pct < most || pct > w->self ||
		    role_of(in->profile->roles, symbols, f->sym) != ROLE_LOCK)
			continue;
		most = pct;
		ret->entry = (struct fact_caller){ .sym = f->sym, .pct = pct, .line = f->line };
		ret->entry_role = ROLE_LOCK;
	}
}

/*
 * Whether one of @kind and @entry is filling memory, and the other is copying memory. Then @entry
 * is not the kind of work that requests @kind, because a fill is no part of a copy. (@entry may be
 * a constructor, whose name does not show whether it fills or copies.)
 */
static bool work_is_other_bytes(enum role kind, enum role entry)
{
	return (kind == ROLE_ZERO && entry == ROLE_COPY) ||
	       (kind == ROLE_COPY && entry == ROLE_ZERO);
}

/*
 * Find main() as the caller of the work @w in the samples. Between main() and the work, there may
 * only be functions of this kind, wrappers and helpers of libraries. (facts_owners() never returns
 * main(), because main() has the role of a wrapper.) ret->pct: its share. False: none.
 */
static bool work_sampled_main(const struct rule_input *in, const struct work *w,
			      struct fact_caller *ret)
{
	const struct profile_facts *p = in->profile;
	const struct symbols *symbols = capture_symbols(in->capture);
	const struct stacks *stacks = &in->capture->profile->stacks;
	uint64_t weight = 0;

	if (!p->self || p->weight == 0 || w->kind == ROLE_BARRIER)
		return false;
	*ret = (struct fact_caller){ .pct = 0 };
	for (uint32_t i = 1; i < stacks_count(stacks); i++) {
		stack_id at = { i };

		if (!p->self[i] ||
		    role_with(role_of(p->roles, symbols, stacks_sym(stacks, at))) != w->kind)
			continue;
		for (; at.v; at = stacks_parent(stacks, at)) {
			sym_id sym = stacks_sym(stacks, at);
			enum role role = role_with(role_of(p->roles, symbols, sym));

			if (start_names_have(facts_name(in->facts, sym),
					     START_BIT(START_ROLE_MAIN))) {
				ret->sym = sym;
				weight += p->self[i];
				break;
			}
			if (role_is_nameless(symbols, sym) ||
			    (role != w->kind && role != ROLE_TRANSPARENT && !role_is_helper(role)))
				break;
		}
	}
	ret->pct = (double)weight / (double)p->weight * 100;
	VEC_FOREACH (f, &p->functions) {
		if (weight && f->sym.v == ret->sym.v)
			ret->line = f->line;
	}
	return weight > 0;
}

static void work_find_callers(const struct rule_input *in, const struct work *w,
			      struct work_callers *ret)
{
	struct fact_caller main_caller;

	const struct profile_facts *p = in->profile;
	const struct symbols *symbols = capture_symbols(in->capture);
	bool roles[ROLE_COUNT];
	struct fact_owned of = { .roles = roles,
				 .is_anywhere = w->is_with_callees,
				 .is_asked = w->is_with_callees };

	*ret = (struct work_callers){ .n = 0 };
	/* threads of the runtime do this work on their own: it has no caller */
	if (w->top_role == ROLE_GC || w->top_role == ROLE_JIT)
		return;
	if (w->kind == ROLE_ATOMIC && !p->has_callers)
		work_find_lock(in, w, ret);
	for (unsigned int i = 0; i < ROLE_COUNT; i++)
		roles[i] = role_with((enum role)i) == w->kind;
	ret->n = facts_owners(p, &of, ret->owners, ARRAY_LEN(ret->owners));
	/*
	 * A printed tree also counts inlined functions, which have no rows of their own. So limit
	 * the share of a caller to the share of the work.
	 */
	for (size_t i = 0; i < ret->n; i++)
		ret->owners[i].pct = fmin(ret->owners[i].pct, w->self);
	if (work_sampled_main(in, w, &main_caller) &&
	    main_caller.pct >= w->self * WORK_CALLER_PART &&
	    (ret->n == 0 || main_caller.pct > ret->owners[0].pct)) {
		ret->n = ret->n < ARRAY_LEN(ret->owners) ? ret->n + 1 : ret->n;
		memmove(ret->owners + 1, ret->owners, (ret->n - 1) * sizeof(*ret->owners));
		ret->owners[0] = main_caller;
		ret->owners[0].pct = fmin(main_caller.pct, w->self);
	}
	ret->has_owner = ret->n && ret->owners[0].pct >= w->self * WORK_CALLER_PART;
	if (ret->n == 0 && !p->no_frame && work_bound(in, w, &ret->owners[0])) {
		ret->n = 1;
		ret->has_owner = ret->is_bound = true;
		return;
	}
	if (!ret->has_owner) {
		work_find_nameless(in, w, ret);
		if (ret->n == 0 && !ret->nameless.v &&
		    work_printed_caller(in, w, &ret->owners[0])) {
			ret->owners[0].pct = fmin(ret->owners[0].pct, w->self);
			ret->n = 1;
			ret->has_owner = true;
			return;
		}
		if (ret->n == 0 && !p->no_frame && !ret->nameless.v &&
		    work_bound_main(in, w, &ret->owners[0])) {
			ret->n = 1;
			ret->has_owner = ret->is_bound = true;
		}
		return;
	}
	of.is_user = symbols_get(symbols, ret->owners[0].sym)->space == SPACE_KERNEL;
	of.named = role_of_words(facts_name(in->facts, ret->owners[0].sym));
	if (of.is_user || of.named)
		ret->has_from = facts_owners(p, &of, &ret->from, 1) &&
				!work_has_owner(ret, ret->from.sym) &&
				ret->from.pct >= w->self * WORK_CALLER_PART;
	of = (struct fact_owned){ .roles = roles, .wants_entry = true };
	if (w->is_with_callees)
		return;
	if (facts_owners(p, &of, &ret->entry, 1) && ret->entry.pct >= w->self * WORK_ENTRY_PART) {
		enum role role = role_of(p->roles, symbols, ret->entry.sym);

		if (role_with(role) != w->kind && role_cause(role) &&
		    !work_is_other_bytes(w->kind, role_with(role)))
			ret->entry_role = role;
	}
}

/*
 * Whether only a word in a function's name suggests this kind of work, such as "parse" in
 * "parse_line". Such a function belongs to the program and has at least half of the share. The kind
 * is more certain for functions of libraries, runtimes and the kernel, and for names with a package
 * or class.
 */
static bool work_is_hint(const struct rule_input *in, const struct work *w)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	const struct symbol *s = symbols_get(symbols, w->top[0]->sym);
	struct str module = symbols_module(symbols, w->top[0]->sym);
	struct str name = facts_name(in->facts, w->top[0]->sym);

	return role_is_by_word(name, module, SPACE_USER) && w->top[0]->self >= w->self / 2 &&
	       s->space == SPACE_USER && module.len &&
	       !str_glob(STR("*.so*|[*|lib*|ld-*|*.dll|*.dylib|*.node"), module) &&
	       !str_glob(STR("*::*|*.*|*(*|*#*|*<*|*/*|*$*|*@*|_*"), name);
}

/*
 * Whether @f may be a caller or callee of @of with the same share: their inclusive shares differ by
 * at most WORK_SAME_PART.
 */
static bool work_is_same_path(const struct rule_input *in, const struct fact_function *f,
			      const struct fact_function *of)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	const struct symbol *s = symbols_get(symbols, f->sym);

	return f != of && f->rows <= 1 && f->children > f->self &&
	       fabs(f->children - of->children) <= of->children * WORK_SAME_PART &&
	       !(s->flags & SYMBOL_ADDRESS) && s->space != SPACE_KERNEL && s->space != SPACE_COMM &&
	       role_of(in->profile->roles, symbols, f->sym) == ROLE_NONE;
}

/*
 * If inclusive shares alone prove the caller (is_bound), name the functions with the same share as
 * this caller: ", with b and c (75.1 % with callees)". Each of them calls the caller or is called
 * by it. "": none.
 */
static const char *work_path(const struct rule_input *in, struct findings *out, struct finding *f,
			     const struct work_callers *by)
{
	const struct fact_function *of =
		by->is_bound ? facts_by_name(in->profile, symbols_get(capture_symbols(in->capture),
								      by->owners[0].sym)
								  ->canonical)
			     : NULL;
	const char *text = "";
	unsigned int n = 0;

	if (!of)
		return text;
	VEC_FOREACH (other, &in->profile->functions) {
		if (n == WORK_SAME || !work_is_same_path(in, other, of))
			continue;
		text = finding_name(
			out, "%s%s" STR_FMT, text, n++ ? " and " : ", with ",
			STR_ARG(str_sub(facts_name(in->facts, other->sym), 0, WORK_NAME_MAX)));
		finding_inclusive(out, f, in, other);
	}
	return n ? finding_name(out, "%s (%.1f %% with callees)", text, of->children) : text;
}

/*
 * The noun for @role that follows "12 % of CPU time is". If the profile counts CPU time, the noun
 * does not include waiting.
 */
static const char *work_noun(const struct rule_input *in, enum role role)
{
	const struct event_unit *unit = &in->profile->unit;

	return event_unit_is_wait(unit) || unit->kind == EVENT_UNNAMED ? role_noun(role)
								       : role_noun_running(role);
}

/*
 * If the caller is unknown, name the function that does most of the work: set @text to ", 79.1 % in
 * zlasr_". @text stays unchanged if no function has WORK_WITHIN_PART of the work.
 */
static void work_within(const struct rule_input *in, const struct work *w, char *text, size_t size)
{
	const struct fact_function *most = w->top[0];

	if (most->self < w->self * WORK_WITHIN_PART)
		return;
	if (most->self < w->self - WORK_ROUNDED)
		(void)snprintf(text, size, ", %.1f %% in " STR_FMT, most->self,
			       STR_ARG(facts_short_name(in->facts, most->sym, WORK_NAME_MAX)));
	else
		(void)snprintf(text, size, ", all in " STR_FMT,
			       STR_ARG(facts_short_name(in->facts, most->sym, WORK_NAME_MAX)));
}

/* Set the claim with the caller: "12.0 % of CPU time is parsing, 8.0 % called from load". */
static void work_claim(const struct rule_input *in, struct findings *out, struct finding *f,
		       const struct work *w, const struct work_callers *by,
		       const struct loop_work *loop)
{
	const char *where = loop_words_claim(in, out, loop);
	const struct event_unit *unit = &in->profile->unit;
	double pct = by->nameless.v ? by->nameless_pct : by->owners[0].pct;
	char entry[256] = "";
	char share[48] = "all";
	char under[256] = "";
	char from[160] = "";

	if (by->entry_role)
		(void)snprintf(entry, sizeof(entry), ", %s%.1f %% of it for %s (" STR_FMT ")",
			       in->profile->has_callers ? "" : "up to ", by->entry.pct,
			       work_noun(in, by->entry_role),
			       STR_ARG(facts_short_name(in->facts, by->entry.sym, WORK_NAME_MAX)));
	if (by->is_bound || pct < w->self - WORK_ROUNDED)
		(void)snprintf(share, sizeof(share), "%s%.1f %%", by->is_bound ? "at least " : "",
			       pct);
	if (by->has_owner)
		(void)snprintf(
			under, sizeof(under), ", %s called from " STR_FMT, share,
			STR_ARG(facts_short_name(in->facts, by->owners[0].sym, WORK_NAME_MAX)));
	if (by->has_from)
		(void)snprintf(from, sizeof(from), ", from " STR_FMT,
			       STR_ARG(facts_short_name(in->facts, by->from.sym, WORK_NAME_MAX)));
	if (!by->has_owner && !by->nameless.v && !work_is_hint(in, w))
		work_within(in, w, under, sizeof(under));
	if (by->nameless.v)
		(void)snprintf(
			under, sizeof(under), ", %s called from unnamed code of " STR_FMT, share,
			STR_ARG(str_sub(strings_get(capture_strings(in->capture), by->nameless), 0,
					WORK_NAME_MAX)));
	if (work_is_hint(in, w)) {
		finding_claim(out, f, "%.1f %% of %s may be %s, by the name of " STR_FMT "%s%s%s",
			      w->self, unit->of, work_noun(in, w->top_role),
			      STR_ARG(facts_short_name(in->facts, w->top[0]->sym, WORK_NAME_MAX)),
			      under, from, where);
		return;
	}
	finding_claim(out, f, "%s%.1f %% of %s %s %s%s%s%s%s%s", w->is_of_rows ? "At least " : "",
		      w->self, unit->of, unit->is_plural ? "are in" : "is",
		      work_noun(in, w->top_role), entry, under, work_path(in, out, f, by), from,
		      where);
}

/*
 * Names of the hottest functions of the program, " (perhaps f or g)". One of them may be the
 * unknown caller of the work @w, but that is not proven. Functions are left out if their callees
 * have too little time for the work. "": none.
 */
static const char *work_own(const struct rule_input *in, struct findings *out, struct finding *f,
			    const struct work *w)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	bool has_children = in->capture->profile->table.columns & ROW_HAS_CHILDREN;
	const char *ret = "";
	unsigned int n = 0;

	VEC_FOREACH (fn, &in->profile->functions) {
		const struct symbol *s = symbols_get(symbols, fn->sym);

		if (fn->self < WORK_OWN_PCT || n == WORK_OWN)
			break;
		if (s->flags & SYMBOL_ADDRESS || s->space == SPACE_KERNEL ||
		    (has_children && fn->children >= 0 &&
		     fn->children - fn->self < w->self * WORK_OWN_PART) ||
		    str_glob(STR(WORK_LIBRARIES), symbols_module(symbols, fn->sym)) ||
		    role_of(in->profile->roles, symbols, fn->sym) != ROLE_NONE)
			continue;
		finding_subject(f, fn->sym, SUBJECT_LISTED);
		ret = finding_name(out, "%s%s" STR_FMT, ret, n++ ? " or " : " (perhaps ",
				   STR_ARG(facts_short_name(in->facts, fn->sym, WORK_NAME_MAX)));
	}
	return n ? finding_name(out, "%s)", ret) : "";
}

static void work_cite(const struct rule_input *in, struct findings *out, struct finding *f,
		      const struct work *w, const struct work_callers *by)
{
	for (uint32_t i = 0; i < w->n && i < WORK_EVIDENCE; i++) {
		if (w->is_with_callees)
			finding_inclusive(out, f, in, w->top[i]);
		else
			finding_function(out, f, in, w->top[i]);
	}
	for (size_t i = 0; i < by->n && by->has_owner; i++) {
		if (i == 0 || by->owners[i].pct >= w->self * WORK_CALLER_PART / 2)
			finding_caller(out, f, in, &by->owners[i]);
	}
	for (uint32_t i = WORK_EVIDENCE; i < w->n && i < WORK_SUBJECTS; i++)
		finding_subject(f, w->top[i]->sym, SUBJECT_EXPLAINED);
	if (by->has_from)
		finding_caller(out, f, in, &by->from);
}

static bool work_is_much_of_excerpt(const struct rule_input *in, const struct work *w)
{
	return in->profile->total < SIGNATURE_VISIBLE_PCT && w->n > 1 &&
	       w->self >= in->profile->total * WORK_SHOWN_PCT / 100;
}

/*
 * Whether a program should do this work only once, and may repeat it here. If the tool prints few
 * calls, the work is not repeated.
 */
static bool work_is_repeated(const struct rule_input *in, const struct work *w)
{
	double most = -1;

	for (uint32_t i = 0; i < w->n && i < WORK_SUBJECTS; i++)
		most = fmax(most, timed_words_calls(in, w->top[i]));
	return role_is_once(w->top_role) && (most <= 0 || most >= WORK_ONCE_CALLS);
}

/*
 * Is the share large enough for a note, in a whole profile or in an excerpt? Reading, writing and
 * sending need WORK_LEAD_PCT. Work that should be done once needs WORK_ONCE_PCT, and other kinds
 * need WORK_NOTE_PCT.
 */
static bool work_is_much(const struct rule_input *in, const struct work *w)
{
	double least = role_is_traffic(w->kind) ? WORK_LEAD_PCT : WORK_NOTE_PCT;

	if (work_is_repeated(in, w))
		return w->self >= WORK_ONCE_PCT;
	return w->self >= WORK_LEAST_PCT &&
	       (signature_of_busy(in, w->self) >= least || work_is_much_of_excerpt(in, w));
}

/* The reason for the certainty: how the caller is known, or why it is unknown. */
static const char *work_caller_words(const struct profile_facts *p, const struct work *w,
				     const struct work_callers *by)
{
	if (by->is_bound)
		return "inclusive shares show the caller";
	if (by->has_owner)
		return "the stacks show the caller";
	if (by->nameless.v)
		return "its callers have no names";
	if (w->top_role == ROLE_GC || w->top_role == ROLE_JIT)
		return "threads of the runtime do it";
	if (p->has_callers && !p->no_frame)
		return "no caller has most of it";
	return "the data has no callers";
}

/*
 * Whether the share may be waits of threads without work. Two conditions: such threads wait in
 * functions of this role; and the profile counts waits, or may count them (its event has no name,
 * and it has no kernel functions).
 */
static bool work_is_idle(const struct profile_facts *p, const struct work *w)
{
	return role_may_idle(w->top_role) &&
	       (event_unit_is_wait(&p->unit) ||
		(p->unit.kind == EVENT_UNNAMED && p->summary.kernel.pct <= 0));
}

/*
 * Whether the share of reading or sending includes waiting for data, because the profile counts
 * waits (wall-clock time).
 */
static bool work_is_wait(const struct profile_facts *p, const struct work *w)
{
	return event_unit_is_wait(&p->unit) &&
	       (w->top_role == ROLE_NET_IO || w->top_role == ROLE_READ_WRITE);
}

/*
 * Work of the role @entry requests the work @w. Should the finding have the cause of @w, and not
 * the cause of @entry? It should if @w is a leader (is_leader). It also should if the role of @w
 * has ":leads", and @entry includes its callees, or has no more self time than @w. Example of
 * false: malloc() of small objects takes more self time than its callees.
 */
static bool work_has_own_cause(const struct work *works, const struct work *w, enum role entry)
{
	const struct work *by = &works[role_with(entry)];

	return w->is_leader ||
	       (role_leads(w->top_role) && (by->is_with_callees || by->self <= w->self));
}

/*
 * The regular expression whose code takes most of the share of @w. V8 names this code "RegExp:" and
 * the expression. Empty: no expression takes WORK_ENTRY_PART of the share.
 */
static struct str work_pattern_of(const struct rule_input *in, const struct work *w)
{
	const struct fact_function *most = NULL;

	VEC_FOREACH (f, &in->profile->functions) {
		if (str_starts(facts_name(in->facts, f->sym), STR("RegExp:")) &&
		    (!most || fmax(f->self, f->children) > fmax(most->self, most->children)))
			most = f;
	}
	if (!most || fmax(most->self, most->children) < w->self * WORK_ENTRY_PART)
		return STR_NONE;
	return str_skip(facts_name(in->facts, most->sym), strlen("RegExp:"));
}

static bool work_has_pattern(const struct rule_input *in, const struct work *w)
{
	return w->top_role == ROLE_REGEX && work_pattern_of(in, w).len > 0;
}

/* Does a quantifier without a limit begin at @at: "*", "+" or "{2,}"? */
static bool work_is_repeat(struct str pattern, size_t at)
{
	size_t end;

	if (at >= pattern.len)
		return false;
	if (pattern.p[at] == '*' || pattern.p[at] == '+')
		return true;
	end = at + str_find_char(str_skip(pattern, at), '}');
	return pattern.p[at] == '{' && end < pattern.len && pattern.p[end - 1] == ',';
}

/*
 * Does a repeated group of the pattern contain a repetition, as in "(a+)+"? Then a text that nearly
 * matches can be divided in very many ways, and all of them are tried.
 */
static bool work_is_nested(struct str pattern)
{
	bool repeats[WORK_GROUPS] = { false };
	unsigned int depth = 0;
	bool is_class = false;

	for (size_t i = 0; i < pattern.len; i++) {
		char c = pattern.p[i];

		if (c == '\\')
			i++;
		else if (is_class)
			is_class = c != ']';
		else if (c == '[')
			is_class = true;
		else if (c == '(' && depth + 1 < WORK_GROUPS)
			repeats[++depth] = false;
		else if (c == ')' && depth) {
			bool is_repeated = work_is_repeat(pattern, i + 1);

			if (repeats[depth] && is_repeated)
				return true;
			repeats[depth - 1] |= repeats[depth];
			depth--;
		} else if (work_is_repeat(pattern, i)) {
			repeats[depth] = true;
		}
	}
	return false;
}

/* Set the cause: the pattern, and whether it can backtrack for long. */
static void work_pattern(const struct rule_input *in, struct findings *out, struct finding *f,
			 const struct work *w, const struct loop_work *loop)
{
	struct str pattern = work_pattern_of(in, w);

	if (work_is_nested(pattern))
		finding_usual_cause(out, f,
				    "The pattern " STR_FMT
				    " repeats a group that repeats inside. On a text that nearly "
				    "matches, such a pattern can backtrack: the time then grows "
				    "exponentially with the length%s",
				    STR_ARG(str_sub(pattern, 0, WORK_NAME_MAX)),
				    loop_words_cause(loop));
	else
		finding_usual_cause(out, f, "The pattern " STR_FMT ": %s%s",
				    STR_ARG(str_sub(pattern, 0, WORK_NAME_MAX)),
				    role_cause(ROLE_REGEX), loop_words_cause(loop));
}

/*
 * Does the work on locales make streams? std::basic_ios::init() of libstdc++ calls std::has_facet
 * when a stream is made or gets another locale; conversions call only std::use_facet.
 */
static bool work_makes_streams(const struct rule_input *in, const struct work *w)
{
	double self = 0;

	if (w->kind != ROLE_LOCALE)
		return false;
	VEC_FOREACH (fn, &in->profile->functions)
		self += str_glob(STR("std::has_facet*"), facts_name(in->facts, fn->sym)) ? fn->self
											 : 0;
	return self >= w->self * WORK_STREAMS_PART;
}

/* Set the usual cause. @role: the kind of work whose cause it is. */
static void work_cause(const struct rule_input *in, struct findings *out, struct finding *f,
		       const struct work *w, bool is_idle, enum role role,
		       const struct loop_work *loop)
{
	if (is_idle)
		finding_usual_cause(
			out, f,
			"Threads wait for work, or for each other. A thread without work "
			"waits all the time");
	else if (work_is_wait(in->profile, w))
		finding_usual_cause(
			out, f,
			"The time counts the wait for data, for the other side or for the disk");
	else if (work_has_pattern(in, w))
		work_pattern(in, out, f, w, loop);
	else if (work_makes_streams(in, w))
		finding_usual_cause(out, f,
				    "Streams are made again and again: std::has_facet runs when a "
				    "stream is made. Each copies the locale, whose reference count "
				    "is shared between threads%s",
				    loop_words_cause(loop));
	else
		finding_usual_cause(out, f, "%s%s%s",
				    work_is_hint(in, w) ? "if the name says it: " : "",
				    role_cause(role), loop_words_cause(loop));
}

/*
 * Add the finding about @w. False: it is not added, because its caller is unknown and its share too
 * small.
 */
static bool work_finding(const struct rule_input *in, struct findings *out,
			 const struct work *works, const struct work *w,
			 const struct role_work *all)
{
	const struct profile_facts *p = in->profile;
	double busy = signature_of_busy(in, w->self);
	bool is_hint = work_is_hint(in, w);
	bool is_idle = work_is_idle(p, w);
	bool leads = !is_idle && busy >= WORK_LEAD_PCT && !role_is_purpose(w->kind) &&
		     !role_is_traffic(w->kind) && EVENT_BIT(p->unit.kind) & EVENT_IS_TIME &&
		     !signature_is_few(in) && !is_hint && p->idle < WORK_IDLE_PCT;
	bool is_holder = w->n && mutex_words_is_unlock(in, w->top[0]);
	enum role role = w->top_role;
	struct work_callers by;
	struct loop_work loop;
	const char *own;
	struct finding *f;

	leads |= is_holder && busy >= WORK_LEAD_PCT && !signature_is_few(in) &&
		 mutex_words_is_slow(in, w->top[0]);
	work_find_callers(in, w, &by);
	if (!by.has_owner && busy < WORK_ALONE_PCT && !work_is_repeated(in, w) &&
	    !work_is_much_of_excerpt(in, w))
		return false;
	/*
	 * in a profile of lock waits, everything is waiting for locks: without a caller, a finding
	 * has no information
	 */
	if (!by.has_owner && w->self >= WORK_ALL_PCT && event_unit_is_wait(&p->unit) &&
	    (w->top_role == ROLE_LOCK || w->top_role == ROLE_LOCK_SLOW))
		return false;
	if (by.entry_role && !work_has_own_cause(works, w, by.entry_role))
		role = by.entry_role;
	loop_words_find(in, all, w->kind, by.entry_role, &loop);
	loop.work = fmin(loop.work, w->self);
	/* what a program is there for is still a fault if it stops the event loop */
	leads |= loop.is_slow && busy >= WORK_LEAD_PCT && !signature_is_few(in) && !is_hint;
	f = finding_add(out, in, &rule_costly_work, leads ? FINDING_WARNING : FINDING_NOTE,
			signature_is_few(in) || is_idle ? 50
			: work_is_wait(p, w)            ? WORK_SURE_ALONE
			: by.has_owner && !is_hint      ? WORK_SURE_CALLER
							: WORK_SURE_ALONE);
	f->impact = is_idle && p->is_unit_guessed ? 0 : w->self;
	f->is_kind = true;
	f->covers = w->is_with_callees ? w->self : 0;
	if (!by.has_owner)
		/*
		 * without a caller, the purpose of the work is unknown, so the finding is less
		 * important
		 */
		f->score -= w->self / WORK_ALONE_PART;
	finding_share(f, in, work_noun(in, w->kind), w->self, w->err);
	if (by.has_owner)
		finding_figure(f, "under one caller", by.owners[0].pct, 0, "%");
	work_claim(in, out, f, w, &by, &loop);
	if (w->is_with_callees && all->n)
		work_explain(in, all, w, f);
	work_cite(in, out, f, w, &by);
	if (is_holder && mutex_words_add(in, out, f, w->top[0]))
		return true;
	if (w->kind == ROLE_RANDOM && rand_words_is_shared(p)) {
		rand_words_add(in, out, f, w->self);
		return true;
	}
	work_cause(in, out, f, w, is_idle, role, &loop);
	own = by.has_owner ? "" : work_own(in, out, f, w);
	if (w->top_role == ROLE_GC || w->top_role == ROLE_JIT)
		own = "";
	finding_because(out, f, "%s%s; %s%s",
			p->is_unit_guessed && is_idle
				? "nearly all weight is at calls that block, so the profile counts "
				  "waiting, too; "
				: "",
			is_hint ? "a name of the program itself is only a hint"
				: "the names show the kind of work",
			work_caller_words(p, w, &by), own);
	if (by.nameless.v)
		finding_next(out, f,
			     "debug symbols of %s (-dbgsym, -debuginfo, or debuginfod): which code "
			     "calls it",
			     finding_word(out,
					  strings_get(capture_strings(in->capture), by.nameless),
					  true));
	else if (!by.has_owner && (!p->has_callers || p->no_frame))
		finding_next(out, f, "perf record %s: who calls %s",
			     p->no_frame ? "--call-graph dwarf" : "-g",
			     finding_word(out, facts_name(in->facts, w->top[0]->sym), true));
	loop_words_add(in, out, f, &loop);
	finding_next(out, f, "%s", role_next(role));
	return true;
}

/* Share of the samples that count both for role @a and for role @b, percent. */
static double work_shared(const struct rule_input *in, const struct role_work *all, enum role a,
			  enum role b)
{
	uint64_t weight = 0;

	for (uint32_t i = 1; i < all->n; i++) {
		if (all->self[i] && role_set_has(all->at[i], a) && role_set_has(all->at[i], b))
			weight += all->self[i];
	}
	return (double)weight / (double)in->profile->weight * 100;
}

/*
 * Find a kind of work to report instead of @most: a kind with ":leads" that has at least
 * WORK_INNER_PART of the samples of @most. Returns @most if there is no such kind. Also returns
 * @most if it has ":leads" itself, or if it is garbage collection or compilation: their work
 * includes the waits of the runtime's own threads.
 */
static struct work *work_leader(const struct rule_input *in, const struct role_work *all,
				struct work *works, struct work *most)
{
	struct work *leader = most;
	double largest = most->self * WORK_INNER_PART;
	bool is_parser = most->kind == ROLE_PARSE && all->n;

	if (role_leads(most->kind) || most->kind == ROLE_GC || most->kind == ROLE_JIT)
		return most;
	for (unsigned int i = 0; i < ROLE_COUNT; i++) {
		struct work *w = &works[i];
		double shared = w->self;

		/*
		 * In a parser, ROLE_STRING_SCAN may also replace @most: if a parser calls sscanf()
		 * for each item, each call searches the whole rest of the text for its end.
		 */
		if (!(role_leads(w->kind) || (is_parser && w->kind == ROLE_STRING_SCAN)) ||
		    w->is_done || w->self < largest)
			continue;
		if (all->n)
			shared = work_shared(in, all, w->kind, most->kind);
		/* without stacks, only exceptions are certainly a part of the work @most */
		else if (w->kind != ROLE_EXCEPTION)
			continue;
		if (shared < largest)
			continue;
		leader = w;
		largest = shared;
	}
	leader->is_leader = leader != most;
	return leader;
}

static bool work_is_covered(const struct work *w)
{
	return w->is_reported || w->explained >= w->self * WORK_EXPLAINED_PART;
}

/* The kind of work with the largest share that no other finding reports or explains. NULL: none. */
static struct work *work_most(struct work *works)
{
	struct work *most = NULL;

	for (unsigned int i = 0; i < ROLE_COUNT; i++) {
		if (role_cause((enum role)i) && i != ROLE_IDLE && works[i].self > 0 &&
		    !works[i].is_done && !work_is_covered(&works[i]) &&
		    (!most || works[i].self > most->self))
			most = &works[i];
	}
	return most;
}

/*
 * Mark the kinds of work that another finding already reports, because two findings would print two
 * different figures. A finding reports a kind if nearly all of the finding's sum is of this kind,
 * if the finding has a good part of the kind's share, and if it includes the heaviest function of
 * the kind.
 */
static void work_leave_reported(const struct rule_input *in, const struct findings *out,
				struct work *works)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	uint8_t *marks = xmalloc(in->profile->functions.len + 1);
	const struct finding *row = NULL;

	while ((row = findings_of(out, in->number, row))) {
		double by_kind[ROLE_COUNT] = { 0 };
		double sum = 0;

		if (row->rule->is_general || !row->sums.pattern)
			continue;
		memset(marks, 0, in->profile->functions.len);
		facts_mark(in->profile, &row->sums, marks);
		VEC_FOREACH (f, &in->profile->functions) {
			if (!marks[f->number])
				continue;
			by_kind[role_with(role_of(in->profile->roles, symbols, f->sym))] += f->self;
			sum += f->self;
		}
		for (unsigned int i = 0; i < ROLE_COUNT; i++) {
			if (works[i].n && by_kind[i] > sum * WORK_REPORTED_PART &&
			    fmax(by_kind[i], row->covers) >= works[i].self * WORK_REPORTED_LEAST &&
			    marks[works[i].top[0]->number])
				works[i].is_reported = true;
		}
	}
	free(marks);
}

static void work_check(const struct rule_input *in, struct findings *out)
{
	struct work works[ROLE_COUNT] = { 0 };
	struct role_work all = { .n = 0 };
	struct role_set taken = { { 0 } };
	unsigned int n = 0;
	double largest = 0;

	if (!signature_can_judge(in, out, &rule_costly_work))
		return;
	if (signature_is_tracepoint(in)) {
		finding_not_assessed(
			out, in, &rule_costly_work, "perf record -e cycles -a -g",
			"all samples of this event are in one function by construction");
		return;
	}
	if (event_unit_is_goroutines(&in->profile->unit)) {
		finding_not_assessed(out, in, &rule_costly_work,
				     "go tool pprof http://HOST/debug/pprof/profile",
				     "goroutines are counted, and a goroutine that waits in a "
				     "function costs nothing");
		return;
	}
	for (unsigned int i = 0; i < ROLE_COUNT; i++)
		works[i].kind = (enum role)i;
	work_sum(in, out, works);
	if (in->profile->function_of && in->profile->has_callers && in->profile->weight)
		role_work_init(&all, in->profile->roles, capture_symbols(in->capture),
			       &in->capture->profile->stacks, in->profile->self);
	if (all.n)
		work_include(in, &all, taken, works);
	/* in tables of expanded trees, rows have hardly any self time: use inclusive shares */
	if (!in->profile->has_callers || in->profile->total < WORK_NOTE_PCT)
		work_include_rows(in, works);
	work_leave_reported(in, out, works);
	while (n < WORK_MAX) {
		struct work *most = work_most(works);

		if (!most)
			break;
		most = work_leader(in, &all, works, most);
		if (most->self > largest)
			largest = most->self;
		most->is_done = true;
		if (!work_is_covered(most)) {
			if (!work_is_much(in, most) || !work_finding(in, out, works, most, &all))
				continue;
			n++;
		}
		taken = role_set_with(taken, most->kind);
		if (all.n)
			work_include(in, &all, taken, works);
	}
	role_work_fini(&all);
	if (n == 0)
		finding_clean(out, in, &rule_costly_work,
			      "the largest kind of library work has %.1f %%", largest);
}

const struct rule rule_costly_work = {
	.id = "costly-work",
	.title = "Costly kind of work: allocating, copying, parsing and others",
	.needs = RULE_PROFILE | RULE_LAST,
	.events = EVENT_IS_WORK | EVENT_BIT(EVENT_OTHER),
	.hides_pct = WORK_NOTE_PCT,
	.check = work_check,
};
