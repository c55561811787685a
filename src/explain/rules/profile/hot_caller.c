/* SPDX-License-Identifier: MIT */
/*
 * One function of the program causes a large part of the time. Most of that time is in callees:
 * work that it requests from libraries, a runtime or the kernel. Each sample belongs to its owner:
 * the nearest function, from the sampled function outwards, without a role (analyses/roles.h). If a
 * JavaScript function is on the stack, only JavaScript functions further inwards can be owners.
 *
 * Without samples only inclusive shares are known. Then the finding names the innermost function
 * that has more than half of the time with callees: the one with the smallest such share.
 *
 * Thresholds: the function causes at least 20 % of the busy time. If most of its share is self
 * share, rule hot-function reports it. A function that another finding names is not repeated.
 */
#include "analyses/event_unit.h"
#include "analyses/roles.h"
#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/names/start_names.h"
#include "core/profile.h"
#include "core/stacks.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/signatures/signature.h"
#include "explain/signatures/sleeping.h"

#include <stdio.h>

DECLARE_RULE(hot_caller);

#define CALLER_NOTE_PCT 20.0
/*
 * Minimum share, in percent of the total. This limit matters only if idle threads wait nearly all
 * the time: the busy time is then so short that a tiny share is a large part of it.
 */
#define CALLER_LEAST_PCT 1.0
/*
 * Maximum self share of a function, as a part (0 to 1) of the share of the samples that it owns
 * (struct caller_sums), or of its share with callees. Rule hot-function reports a function with a
 * larger self share.
 */
#define CALLER_SELF_PART 0.6
/* for a table with only inclusive shares: minimum share with callees, percent */
#define CALLER_PATH_PCT 50.0
/* a function with a smaller self share, in percent, is mostly a wrapper */
#define CALLER_PATH_SELF 1.0
/*
 * If the self shares of all rows add up to less (percent), the table does not show the functions
 * that use the CPU.
 */
#define CALLER_SHOWN_PCT 2.0
/*
 * The common caller of several costs has CALLER_PATH_PCT to CALLER_ALL_PCT of the busy time, with
 * its callees. With a larger share, it is the start of the threads.
 */
#define CALLER_ALL_PCT 90.0
/* maximum self share of the common caller, as a part (0 to 1) of its share with callees */
#define CALLER_COMMON_SELF 0.2
/*
 * A function is a common caller only if it calls, directly or not, at least CALLER_COSTS functions
 * with CALLER_COST_PCT of the busy time each.
 */
#define CALLER_COST_PCT 12.0
#define CALLER_COSTS    2u
/*
 * if a caller of the common caller has nearly the same share (this part or more, 0 to 1), it is
 * also named
 */
#define CALLER_SAME_PART 0.95
#define CALLER_CHAIN     3u
/*
 * if a single other finding explains at least this part (0 to 1) of the common caller's share, the
 * common caller is not named
 */
#define CALLER_ONE_PART 0.8
/* maximum number of steps in a walk over all stacks */
#define CALLER_STEPS     20000000u
#define CALLER_SURE      70u
#define CALLER_PATH_SURE 55u
#define CALLER_KINDS     3u
#define CALLER_KIND_PCT  2.0
/*
 * If a kind of work has at least this part (0 to 1) of the share of the function that requests it,
 * this kind is the cause.
 */
#define CALLER_KIND_PART 0.3
#define CALLER_NAME_MAX  96
/*
 * If a direct callee has at least this part (0 to 1) of the function's share, the cause names this
 * callee. If samples of unknown kinds of work have it, the kind of work is unknown. Otherwise, the
 * cost is spread over many kinds of work.
 */
#define CALLER_CALLEE_PART 0.5
/*
 * CALLER_NO_FUNCTION: states of threads that profilers print as innermost frames. CALLER_SYNC:
 * synchronous variants of functions of Node.js. CALLER_CALLBACKS: functions of Node.js that call
 * the callbacks of its servers.
 */
#define CALLER_NO_FUNCTION "CPU_TIME|*_CODE_TIME|[*"
#define CALLER_SYNC        "*Sync|*Sync *"
#define CALLER_CALLBACKS \
	"*parserOnIncoming*|*onIncoming*|*emit node:events*|*:~emit *|*:*emit *|emit"

/*
 * Functions of JavaScript as V8 names them. The character before the name shows how the code was
 * compiled: JS:*name, JS:~name. Native code that such functions call belongs to the runtime.
 */
#define CALLER_SCRIPT "JS:*|LazyCompile:*"
/* code of V8 that only forwards a call from JavaScript to native code */
#define CALLER_BORDER "Builtins_CEntry*|Builtins_JSBuiltins*|Builtins_*Adaptor*|Builtins_Call*"

/*
 * The owner of each sample (the nearest function of the program on its stack), and the shares of
 * the owners.
 */
struct caller_sums {
	const struct rule_input *in;
	/* owner[node]: symbol of the owner of the samples at this stack node; 0: none */
	uint32_t *owner;
	/*
	 * kind[node]: kind of work that the owner requests in the samples at this stack node. It is
	 * the role of the owner's callee, or the first role with ":leads" further inwards.
	 * ROLE_NONE: the owner itself was sampled.
	 */
	uint8_t *kind;
	double *sum; /* sum[symbol]: share of the samples that the symbol owns, percent */
};

static bool caller_is_own(const struct rule_input *in, sym_id sym)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	const struct symbol *s = symbols_get(symbols, sym);

	return s->space != SPACE_COMM && s->space != SPACE_KERNEL && !(s->flags & SYMBOL_ADDRESS) &&
	       !role_is_standard_file(symbols_name(symbols, sym)) &&
	       role_of(in->profile->roles, symbols, sym) == ROLE_NONE;
}

/*
 * Weight of those samples at @node whose owner is certain. If a stack may lack the direct caller of
 * the sampled function (no_frame), the owner is certain only if it is the sampled function itself.
 */
static uint64_t caller_weight(const struct caller_sums *c, uint32_t node)
{
	const struct profile_facts *p = c->in->profile;
	const struct stacks *stacks = &c->in->capture->profile->stacks;
	const struct symbols *symbols = capture_symbols(c->in->capture);
	stack_id inner = { node };

	if (!p->no_frame || !p->no_frame[node])
		return p->self[node];
	while (inner.v &&
	       (symbols_get(symbols, stacks_sym(stacks, inner))->space == SPACE_KERNEL ||
		(symbols_get(symbols, stacks_sym(stacks, inner))->flags & SYMBOL_INLINED)))
		inner = stacks_parent(stacks, inner);
	return inner.v && stacks_sym(stacks, inner).v == c->owner[node]
		       ? p->self[node]
		       : p->self[node] - p->no_frame[node];
}

static void caller_sums_init(struct caller_sums *c, const struct rule_input *in)
{
	const struct profile_facts *p = in->profile;
	const struct symbols *symbols = capture_symbols(in->capture);
	const struct stacks *stacks = &in->capture->profile->stacks;
	bool is_wait = event_unit_is_wait(&p->unit);
	uint32_t n = stacks_count(stacks);
	/*
	 * own[symbol]: 0: not tested yet; 1: no application code; 2: application code; 3:
	 * application code in JavaScript
	 */
	uint8_t *own;
	/* in_script[node]: 1: a JavaScript function is on the stack of this node */
	uint8_t *in_script;

	*c = (struct caller_sums){ .in = in };
	own = xcalloc(symbols->rows.len, sizeof(*own));
	in_script = xcalloc(n, sizeof(*in_script));
	c->owner = xcalloc(n, sizeof(*c->owner));
	c->kind = xcalloc(n, sizeof(*c->kind));
	c->sum = xcalloc(symbols->rows.len, sizeof(*c->sum));
	for (uint32_t i = 1; i < n; i++) {
		sym_id sym = stacks_sym(stacks, (stack_id){ i });
		uint32_t up = stacks->parent.data[i];

		c->owner[i] = c->owner[up];
		c->kind[i] = c->kind[up];
		if (own[sym.v] == 0)
			own[sym.v] = !caller_is_own(in, sym)                                    ? 1
				     : str_glob(STR(CALLER_SCRIPT), symbols_name(symbols, sym)) ? 3
												: 2;
		in_script[i] = own[sym.v] == 3 || in_script[up];
		if (own[sym.v] >= 2 && (own[sym.v] == 3 || !in_script[i]) &&
		    !facts_is_root(p, (stack_id){ i })) {
			c->owner[i] = sym.v;
			c->kind[i] = ROLE_NONE;
		} else {
			enum role role = role_of(p->roles, symbols, sym);

			if (!role_cause((enum role)c->kind[i]) ||
			    (role_leads(role) && !role_leads((enum role)c->kind[i]) &&
			     !role_may_idle((enum role)c->kind[i])))
				c->kind[i] = (uint8_t)role;
		}
		/* ignore waits of threads without work, which cost nothing */
		if (p->self[i] && c->owner[i] && !(is_wait && role_may_idle((enum role)c->kind[i])))
			c->sum[c->owner[i]] +=
				(double)caller_weight(c, i) / (double)p->weight * 100;
	}
	free(own);
	free(in_script);
}

static void caller_sums_fini(struct caller_sums *c)
{
	free(c->owner);
	free(c->kind);
	free(c->sum);
}

static const struct fact_function *caller_fact(const struct rule_input *in, sym_id sym)
{
	return facts_by_name(in->profile,
			     symbols_get(capture_symbols(in->capture), sym)->canonical);
}

/*
 * Append the kinds of work that @sym requests to @text: ", 20.0 % in memory allocation, 10.0 % in
 * copying memory". Returns the largest kind if it has CALLER_KIND_PART of the share of @sym;
 * otherwise ROLE_NONE.
 */
static enum role caller_kinds(const struct caller_sums *c, sym_id sym, struct finding *f,
			      char *text, size_t size)
{
	const struct profile_facts *p = c->in->profile;
	double kinds[ROLE_COUNT] = { 0 };
	enum role first = ROLE_NONE;
	size_t at = 0;

	for (uint32_t i = 1; i < stacks_count(&c->in->capture->profile->stacks); i++) {
		if (p->self[i] && c->owner[i] == sym.v)
			kinds[c->kind[i]] += (double)caller_weight(c, i) / (double)p->weight * 100;
	}
	text[0] = '\0';
	for (unsigned int n = 0; n < CALLER_KINDS; n++) {
		unsigned int most = ROLE_NONE;

		for (unsigned int i = ROLE_IDLE + 1; i < ROLE_COUNT; i++)
			most = kinds[i] > kinds[most] || most == ROLE_NONE ? i : most;
		if (kinds[most] < CALLER_KIND_PCT)
			break;
		if (n == 0 && kinds[most] >= c->sum[sym.v] * CALLER_KIND_PART)
			first = (enum role)most;
		at += (size_t)snprintf(text + at, size - at, ", %.1f %% in %s", kinds[most],
				       role_noun((enum role)most));
		finding_figure(f, role_noun((enum role)most), kinds[most], 0, "%");
		if (at >= size)
			break;
		kinds[most] = 0;
	}
	return first;
}

/* Does another finding explain @sym, or name it as a caller? */
static bool caller_is_named(const struct rule_input *in, const struct findings *out, sym_id sym)
{
	const struct finding *row = NULL;

	while ((row = findings_of(out, in->number, row))) {
		VEC_FOREACH (s, &row->subjects) {
			if (s->sym.v == sym.v && s->role != SUBJECT_LISTED)
				return true;
		}
	}
	return false;
}

/*
 * Among the direct callees of @sym, the one with the largest share of the samples that @sym owns;
 * SYM_ID_NONE: none. *@ret_pct: its share. *@ret_unknown: share of the samples of unknown kind:
 * they are in a function without a name, or in callees without a role.
 */
static sym_id caller_main_callee(const struct caller_sums *c, sym_id sym, double *ret_pct,
				 double *ret_unknown)
{
	const struct profile_facts *p = c->in->profile;
	const struct stacks *stacks = &c->in->capture->profile->stacks;
	const struct symbols *symbols = capture_symbols(c->in->capture);
	double *callee = xcalloc(symbols->rows.len, sizeof(*callee));
	sym_id most = SYM_ID_NONE;

	*ret_unknown = 0;
	for (uint32_t i = 1; i < stacks_count(stacks); i++) {
		stack_id at = { i };
		sym_id below = SYM_ID_NONE;
		double pct;

		if (!p->self[i] || c->owner[i] != sym.v)
			continue;
		pct = (double)caller_weight(c, i) / (double)p->weight * 100;
		if (stacks_sym(stacks, at).v != sym.v &&
		    (symbols_get(symbols, stacks_sym(stacks, at))->flags & SYMBOL_ADDRESS ||
		     !role_cause((enum role)c->kind[i])))
			*ret_unknown += pct;
		for (; at.v && stacks_sym(stacks, at).v != sym.v; at = stacks_parent(stacks, at))
			below = below.v && str_glob(STR(CALLER_BORDER),
						    symbols_name(symbols, stacks_sym(stacks, at)))
					? below
					: stacks_sym(stacks, at);
		callee[below.v] += pct;
	}
	for (uint32_t i = 1; i < symbols->rows.len; i++)
		most = callee[i] > callee[most.v] || !most.v ? (sym_id){ i } : most;
	*ret_pct = callee[most.v];
	free(callee);
	return *ret_pct > 0 ? most : SYM_ID_NONE;
}

/*
 * Set the cause if no kind of work has a large part. The cause says that most of the time is in one
 * callee, that the kind of work is unknown, or that the time is spread over many kinds.
 */
static void caller_spread(const struct caller_sums *c, struct findings *out, struct finding *f,
			  sym_id sym)
{
	const struct rule_input *in = c->in;
	double pct;
	double unknown;
	sym_id callee = caller_main_callee(c, sym, &pct, &unknown);
	struct str name = facts_short_name(in->facts, callee, CALLER_NAME_MAX);

	if (callee.v && !str_glob(STR(CALLER_NO_FUNCTION), name) &&
	    !(symbols_get(capture_symbols(in->capture), callee)->flags & SYMBOL_ADDRESS) &&
	    pct >= c->sum[sym.v] * CALLER_CALLEE_PART) {
		finding_figure(f, finding_name(out, "in its callee " STR_FMT, STR_ARG(name)), pct,
			       0, "%");
		finding_usual_cause(
			out, f, "Most of it is below one callee, " STR_FMT "%s", STR_ARG(name),
			str_glob(STR(CALLER_SYNC), name) &&
					facts_under(in->profile, CALLER_CALLBACKS) > 0
				? ": a synchronous call in a callback of the server. The event "
				  "loop "
				  "stands still until it returns; the variant without Sync runs in "
				  "another thread"
				: "");
	} else if (unknown < c->sum[sym.v] * CALLER_CALLEE_PART) {
		finding_usual_cause(out, f, "Its cost is spread over many kinds of work");
	}
}

static void caller_finding(const struct caller_sums *c, struct findings *out, sym_id sym)
{
	const struct rule_input *in = c->in;
	const struct fact_function *fn = caller_fact(in, sym);
	struct str name = facts_short_name(in->facts, sym, CALLER_NAME_MAX);
	const char *of = in->profile->unit.of;
	struct finding *f = finding_add(out, in, &rule_hot_caller, FINDING_NOTE,
					signature_is_few(in) ? 50 : CALLER_SURE);
	char kinds[256];
	enum role first;

	f->impact = c->sum[sym.v];
	finding_figure(f, "including library work done for it", c->sum[sym.v], 0, "%");
	first = caller_kinds(c, sym, f, kinds, sizeof(kinds));
	finding_claim(out, f, STR_FMT " accounts for %.1f %% of %s: %.1f %% in its own code%s",
		      STR_ARG(name), c->sum[sym.v], of, fn ? fn->self : 0, kinds);
	if (fn)
		finding_function(out, f, in, fn);
	else
		finding_caller(out, f, in,
			       &(struct fact_caller){ .sym = sym, .pct = c->sum[sym.v] });
	if (signature_is_off_cpu(in))
		finding_usual_cause(out, f, "Threads leave the CPU in its callees and wait");
	else if (first)
		finding_usual_cause(out, f, "The largest part is %s: %s", role_noun(first),
				    role_cause(first));
	else
		caller_spread(c, out, f, sym);
	finding_because(out, f,
			"each stack counts for its innermost function that belongs to no library");
	if (f->cause.len == 0)
		finding_unknown(out, f,
				"the kind of its work: most of its samples are in functions "
				"without a name or a known purpose");
	finding_next(out, f, "Count the calls of %s, and the amount of data per call",
		     finding_word(out, name, false));
}

/*
 * Find the innermost function of the program that has at least CALLER_PATH_PCT of the busy time
 * with its callees: the one with the smallest such share. Its self share is at least @least
 * percent, but most of its share is in callees. With @is_any, functions of installed packages are
 * accepted. NULL: none.
 */
static const struct fact_function *caller_path_of(const struct rule_input *in, double least,
						  bool is_any)
{
	const struct fact_function *ret = NULL;

	VEC_FOREACH (f, &in->profile->functions) {
		if (signature_of_busy(in, f->children) >= CALLER_PATH_PCT && f->self >= least &&
		    f->self < f->children * CALLER_SELF_PART && caller_is_own(in, f->sym) &&
		    (is_any || !role_is_library_file(facts_name(in->facts, f->sym))) &&
		    (!ret || f->children < ret->children))
			ret = f;
	}
	return ret;
}

/*
 * Find the function that caller_path_of() returns, preferably outside of installed packages. If
 * there is none, functions of packages are accepted, because a program may itself be installed as a
 * package.
 */
static const struct fact_function *caller_path(const struct rule_input *in)
{
	const struct fact_function *ret = caller_path_of(in, CALLER_PATH_SELF, false);

	if (!ret && in->profile->total < CALLER_SHOWN_PCT)
		ret = caller_path_of(in, 0, false);
	ret = ret ?: caller_path_of(in, CALLER_PATH_SELF, true);
	return ret || in->profile->total >= CALLER_SHOWN_PCT ? ret : caller_path_of(in, 0, true);
}

/*
 * Whether the profile shows inlined functions. Their cost is then contained in the rows of their
 * callers.
 */
static bool caller_has_inlined(const struct rule_input *in)
{
	const struct symbols *symbols = capture_symbols(in->capture);

	VEC_FOREACH (n, &in->capture->profile->table.nodes) {
		if (symbols_get(symbols, n->sym)->flags & SYMBOL_INLINED)
			return true;
	}
	return false;
}

static void caller_path_finding(const struct rule_input *in, struct findings *out,
				const struct fact_function *fn)
{
	struct str name = facts_short_name(in->facts, fn->sym, CALLER_NAME_MAX);
	struct finding *f = finding_add(out, in, &rule_hot_caller, FINDING_NOTE,
					signature_is_few(in) ? 50 : CALLER_PATH_SURE);
	enum role words = role_of_words(facts_name(in->facts, fn->sym));

	/*
	 * Findings about callees explain a part of the share, which is unknown: assume half. If the
	 * function is mostly a wrapper, they explain everything.
	 */
	f->impact = fn->self >= CALLER_PATH_SELF ? fn->children / 2 : 0;
	finding_figure(f, "with callees", fn->children, 0, "%");
	finding_share(f, in, "its own code", fn->self, fn->self_err);
	finding_claim(out, f,
		      STR_FMT " takes %.1f %% of %s with its callees (%.1f %% in its own code%s)",
		      STR_ARG(name), fn->children, in->profile->unit.of, fn->self,
		      caller_has_inlined(in) ? ", inlined functions included" : "");
	finding_function(out, f, in, fn);
	if (role_cause(words) && facts_is_guessed(fn))
		finding_usual_cause(out, f, "Possibly %s, by its name: %s", role_noun(words),
				    role_cause(words));
	finding_because(
		out, f,
		"no other printed row of an application function has most samples and a smaller "
		"share");
	finding_next(out, f, "perf report --children -S %s -g caller: the hot callees",
		     finding_word(out, name, false));
}

/*
 * Whether the samples represent the whole profile. They do not if they were made from printed rows,
 * and some rows are missing.
 */
static bool caller_has_samples(const struct profile_facts *p)
{
	return p->weight && facts_has_stacks(p);
}

/* Is most of the function's share its self share? Then hot-function reports it. */
static bool caller_is_hot_itself(const struct caller_sums *c, sym_id sym)
{
	const struct fact_function *fn = caller_fact(c->in, sym);

	return fn && fn->self >= c->sum[sym.v] * CALLER_SELF_PART;
}

static void caller_common_words(const struct rule_input *in, struct findings *out,
				const sym_id *chain, size_t n, double share)
{
	struct finding *f = finding_add(out, in, &rule_hot_caller, FINDING_NOTE,
					signature_is_few(in) ? 50 : CALLER_SURE);
	struct str names[CALLER_CHAIN] = { STR_NONE };
	const char *path;

	for (size_t i = 0; i < n; i++)
		names[i] = facts_short_name(in->facts, chain[i], CALLER_NAME_MAX / 2);
	path = finding_name(out, STR_FMT "%s" STR_FMT "%s" STR_FMT, STR_ARG(names[0]),
			    n > 1 ? " → " : "", STR_ARG(names[1]), n > 2 ? " → " : "",
			    STR_ARG(names[2]));
	f->impact = share;
	finding_figure(f, "with callees", share, 0, "%");
	if (in->profile->idle > 0) {
		finding_figure(f, "of the time that is not idle", signature_of_busy(in, share), 0,
			       "%");
		finding_claim(out, f,
			      "%s takes %.1f %% of %s with its callees: %.1f %% of the "
			      "time that is not idle",
			      path, share, in->profile->unit.of, signature_of_busy(in, share));
	} else {
		finding_claim(out, f, "%s takes %.1f %% of %s with its callees", path, share,
			      in->profile->unit.of);
	}
	for (size_t i = 0; i < n; i++)
		finding_caller(out, f, in, &(struct fact_caller){ .sym = chain[i], .pct = share });
	finding_usual_cause(out, f, "Several costs have this one caller: it asks for all of them");
	finding_because(out, f, "the stacks show the caller");
	finding_next(out, f, "Count the calls of %s, and the amount of data per call",
		     finding_word(out, names[0], false));
}

/* Shares of functions with their callees, without waits of threads that may be idle. */
struct caller_paths {
	double *share; /* share[symbol]: percent of the profile */
	/* longest[symbol]: the heaviest sampled stack node with the symbol on its stack */
	uint32_t *longest;
};

/*
 * Fill *@ret. False: there are too many stacks. Owner of the arrays: caller, caller_paths_fini().
 */
static bool caller_paths_init(const struct caller_sums *c, struct caller_paths *ret)
{
	const struct profile_facts *p = c->in->profile;
	const struct stacks *stacks = &c->in->capture->profile->stacks;
	uint32_t n = stacks_count(stacks);
	size_t n_syms = capture_symbols(c->in->capture)->rows.len;
	bool is_wait = event_unit_is_wait(&p->unit);
	uint32_t *seen = xcalloc(n_syms, sizeof(*seen));
	uint32_t steps = 0;

	ret->share = xcalloc(n_syms, sizeof(*ret->share));
	ret->longest = xcalloc(n_syms, sizeof(*ret->longest));
	for (uint32_t i = 1; i < n && steps < CALLER_STEPS; i++) {
		double pct = (double)p->self[i] / (double)p->weight * 100;

		if (!p->self[i] || (is_wait && role_may_idle((enum role)c->kind[i])))
			continue;
		for (stack_id at = { i }; at.v; at = stacks_parent(stacks, at), steps++) {
			sym_id sym = stacks_sym(stacks, at);

			if (seen[sym.v] == i)
				continue;
			seen[sym.v] = i;
			ret->share[sym.v] += pct;
			if (p->self[i] > p->self[ret->longest[sym.v]])
				ret->longest[sym.v] = i;
		}
	}
	free(seen);
	return steps < CALLER_STEPS;
}

static void caller_paths_fini(struct caller_paths *paths)
{
	free(paths->share);
	free(paths->longest);
}

/* Is @sym an application function, and not the start of a program or thread? */
static bool caller_is_inner(const struct caller_sums *c, sym_id sym)
{
	return caller_is_own(c->in, sym) &&
	       !start_names_have(facts_name(c->in->facts, sym),
				 START_BEFORE_MAIN | START_BIT(START_ROLE_MAIN));
}

/*
 * Find the common caller: the innermost application function with a share, callees included, of
 * CALLER_PATH_PCT to CALLER_ALL_PCT of the busy time. SYM_ID_NONE: none.
 */
static sym_id caller_common(const struct caller_sums *c, const struct caller_paths *paths)
{
	const struct rule_input *in = c->in;
	sym_id ret = SYM_ID_NONE;
	const struct fact_function *fn;

	for (uint32_t i = 1; i < capture_symbols(in->capture)->rows.len; i++) {
		if (signature_of_busy(in, paths->share[i]) >= CALLER_PATH_PCT &&
		    (!ret.v || paths->share[i] < paths->share[ret.v]) &&
		    caller_is_inner(c, (sym_id){ i }))
			ret = (sym_id){ i };
	}
	fn = caller_fact(in, ret);
	if (signature_of_busy(in, paths->share[ret.v]) > CALLER_ALL_PCT ||
	    (fn && fn->self > paths->share[ret.v] * CALLER_COMMON_SELF))
		return SYM_ID_NONE;
	return ret;
}

/*
 * Find the functions on the heaviest stack of @sym that have nearly the same share as @sym,
 * outermost first. Returns their number, at most CALLER_CHAIN.
 */
static size_t caller_chain(const struct caller_sums *c, const struct caller_paths *paths,
			   sym_id sym, sym_id *ret)
{
	const struct stacks *stacks = &c->in->capture->profile->stacks;
	sym_id names[CALLER_CHAIN];
	size_t n = 0;

	for (stack_id at = { paths->longest[sym.v] }; at.v; at = stacks_parent(stacks, at)) {
		sym_id up = stacks_sym(stacks, at);

		/*
		 * stop at the outermost function: it is the start of a thread, whatever its name is
		 */
		if (!stacks_parent(stacks, at).v || facts_is_root(c->in->profile, at))
			break;
		if (paths->share[up.v] < paths->share[sym.v] ||
		    paths->share[up.v] * CALLER_SAME_PART > paths->share[sym.v] ||
		    !caller_is_inner(c, up))
			continue;
		memmove(names + 1, names, (CALLER_CHAIN - 1) * sizeof(*names));
		names[0] = up;
		n += n < CALLER_CHAIN;
	}
	memcpy(ret, names, n * sizeof(*names));
	return n;
}

/*
 * Whether another finding already reports this cost. The finding explains at least the part
 * CALLER_ONE_PART of @share (percent), or it names a function of @chain that has at least this
 * part.
 */
static bool caller_is_reported(const struct rule_input *in, const struct findings *out,
			       double share, const sym_id *chain, size_t n)
{
	const struct finding *row = NULL;

	while ((row = findings_of(out, in->number, row))) {
		if (row->impact >= share * CALLER_ONE_PART && !row->rule->is_about_data)
			return true;
		VEC_FOREACH (s, &row->subjects) {
			for (size_t i = 0; i < n; i++) {
				if (s->sym.v == chain[i].v && s->share >= share * CALLER_ONE_PART)
					return true;
			}
		}
	}
	return false;
}

/* Does @sym call, directly or not, CALLER_COSTS or more functions with a large cost? */
static bool caller_has_costs(const struct caller_sums *c, sym_id sym)
{
	const struct profile_facts *p = c->in->profile;
	const struct stacks *stacks = &c->in->capture->profile->stacks;
	uint32_t n = stacks_count(stacks);
	bool is_wait = event_unit_is_wait(&p->unit);
	/* below[node]: 1: @sym is on the stack of this node */
	uint8_t *below = xcalloc(n, sizeof(*below));
	double *self = xcalloc(capture_symbols(c->in->capture)->rows.len, sizeof(*self));
	size_t costs = 0;

	for (uint32_t i = 1; i < n; i++) {
		sym_id leaf = stacks_sym(stacks, (stack_id){ i });
		double busy =
			signature_of_busy(c->in, (double)p->self[i] / (double)p->weight * 100);

		below[i] = below[stacks->parent.data[i]] || leaf.v == sym.v;
		if (!below[i] || leaf.v == sym.v ||
		    (is_wait && role_may_idle((enum role)c->kind[i])))
			continue;
		costs += self[leaf.v] < CALLER_COST_PCT && self[leaf.v] + busy >= CALLER_COST_PCT;
		self[leaf.v] += busy;
	}
	free(below);
	free(self);
	return costs >= CALLER_COSTS;
}

/* Add the finding about a common caller of several costs. False: there is none. */
static bool caller_common_finding(const struct caller_sums *c, struct findings *out)
{
	const struct rule_input *in = c->in;
	struct caller_paths paths;
	sym_id chain[CALLER_CHAIN];
	sym_id sym = SYM_ID_NONE;
	double share = 0;
	size_t n = 0;

	if (caller_paths_init(c, &paths))
		sym = caller_common(c, &paths);
	if (sym.v) {
		share = paths.share[sym.v];
		n = caller_chain(c, &paths, sym, chain);
	}
	caller_paths_fini(&paths);
	if (!n || !caller_has_costs(c, sym) || caller_is_reported(in, out, share, chain, n))
		return false;
	caller_common_words(in, out, chain, n, share);
	return true;
}

static void caller_check(const struct rule_input *in, struct findings *out)
{
	const struct fact_function *path;
	struct caller_sums sums;
	sym_id most = SYM_ID_NONE;

	if (in->profile->unit.kind == EVENT_SLEEP && !sleeping_is_time(in)) {
		finding_not_assessed(out, in, &rule_hot_caller, "perf record -e cycles -a -g",
				     "the samples show where threads leave the CPU, not CPU time");
		return;
	}
	if (!signature_can_judge(in, out, &rule_hot_caller))
		return;
	if (!caller_has_samples(in->profile)) {
		path = caller_path(in);
		if (path && !caller_is_named(in, out, path->sym))
			caller_path_finding(in, out, path);
		else
			finding_clean(out, in, &rule_hot_caller,
				      "no application function with most of the samples that is "
				      "not explained otherwise");
		return;
	}
	caller_sums_init(&sums, in);
	for (uint32_t i = 1; i < capture_symbols(in->capture)->rows.len; i++)
		most = sums.sum[i] > sums.sum[most.v] ? (sym_id){ i } : most;
	if (signature_of_busy(in, sums.sum[most.v]) >= CALLER_NOTE_PCT &&
	    (!in->profile->is_unit_guessed || sums.sum[most.v] >= CALLER_LEAST_PCT) &&
	    !caller_is_hot_itself(&sums, most) && !caller_is_named(in, out, most))
		caller_finding(&sums, out, most);
	else if (!caller_common_finding(&sums, out))
		finding_clean(out, in, &rule_hot_caller, "the largest caller has %.1f %%%s",
			      sums.sum[most.v],
			      event_unit_is_wait(&in->profile->unit)
				      ? ", waits of threads that may be idle left out"
				      : "");
	caller_sums_fini(&sums);
}

const struct rule rule_hot_caller = {
	.id = "hot-caller",
	.title = "Hot caller",
	.needs = RULE_PROFILE | RULE_LAST,
	/*
	 * EVENT_SLEEP is included: its samples are all in the code that gives up the CPU, so the
	 * caller shows where the program sleeps
	 */
	.events = EVENT_IS_WORK | EVENT_BIT(EVENT_OTHER) | EVENT_BIT(EVENT_SLEEP),
	.wants = RULE_WANTS_CHAINS,
	.hides_pct = CALLER_NOTE_PCT,
	.check = caller_check,
	.is_general = true,
};
