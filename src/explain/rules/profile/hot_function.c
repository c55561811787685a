/* SPDX-License-Identifier: MIT */
/*
 * One function has a large self share. Either it loops for long (over a long list, a hash table
 * with too few buckets, or a set that it checks again and again), or it waits (an inlined lock, a
 * contended cache line). The share does not show which of these it is. The name sometimes does, and
 * perf annotate always does.
 *
 * Thresholds: in healthy services the hottest function has 3 to 12 % of the busy time, so more is a
 * note. 30 % or more is a warning if it is a kernel function, because running kernel code is no
 * program's purpose. A function that another finding explains is not repeated. Below 30 % there is
 * no finding if another finding explains a larger share.
 */
#include "analyses/categories.h"
#include "analyses/compare/compare.h"
#include "analyses/event_unit.h"
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
#include "explain/hot_function_names.h"
#include "explain/rule.h"
#include "explain/signatures/signature.h"
#include "explain/words/timed_words.h"

#include <stdlib.h>

DECLARE_RULE(hot_function);

#define HOT_NOTE_PCT 12.0
#define HOT_LEAD_PCT 30.0
/*
 * Minimum share, in percent of the total. This limit matters only if idle threads wait nearly all
 * the time: the busy time is then so short that a tiny share is a large part of it.
 */
#define HOT_LEAST_PCT 1.0
/*
 * If the machine is idle for a larger percentage of the time, no finding is a warning: even a large
 * share of the busy time costs little.
 */
#define HOT_IDLE_PCT 90.0
/* the finding also names a second function of the same module with at least this percentage */
#define HOT_SECOND_PCT 10.0
/* the second function must have at least this part (0 to 1) of the first one's share */
#define HOT_SECOND_PART 0.25
/*
 * If the named functions have at least this many times the share of any other function of their
 * module, the module runs hardly any other code.
 */
#define HOT_FLAT_RATIO 10.0
/*
 * if inclusive share / self share is larger than this, the callees take a considerable part of the
 * time
 */
#define HOT_CALLEES_RATIO 1.2
/* The caller is named if it has at least this part (0 to 1) of the function's samples. */
#define HOT_CALLER_PART 0.5
/*
 * A function is slow only because it is called often if it has at least HOT_MANY_CALLS calls, and
 * each takes at most HOT_SHORT_NS.
 */
#define HOT_MANY_CALLS 100000.0
#define HOT_SHORT_NS   10000.0
/*
 * a call of a function of Python that takes at least this, ns, has a loop or waits: it is as long
 * as a thousand steps
 */
#define HOT_LONG_NS 100000.0
/*
 * If a kernel function has less than this part (0 to 1) of the kernel time that its caller in the
 * program causes, it is only one step of a system call.
 */
#define HOT_STEP_PART 0.5

/* The sampled event, without modifiers. */
static struct str hot_event(const struct rule_input *in)
{
	return compare_event(
		strings_get(capture_strings(in->capture), in->capture->profile->event));
}

static bool hot_is_kernel(const struct rule_input *in, const struct fact_function *f)
{
	return symbols_get(capture_symbols(in->capture), f->sym)->space == SPACE_KERNEL;
}

/*
 * The innermost function on the stack @at that belongs to the program, and not to a library; 0:
 * none.
 */
static uint32_t hot_owner(const struct rule_input *in, stack_id at)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	const struct stacks *stacks = &in->capture->profile->stacks;

	for (; at.v && !facts_is_root(in->profile, at); at = stacks_parent(stacks, at)) {
		sym_id sym = stacks_sym(stacks, at);
		const struct symbol *s = symbols_get(symbols, sym);

		if (s->space != SPACE_KERNEL && s->space != SPACE_COMM &&
		    !(s->flags & SYMBOL_ADDRESS) &&
		    role_of(in->profile->roles, symbols, sym) == ROLE_NONE)
			return sym.v;
	}
	return 0;
}

/*
 * Whether @f is a kernel function that is only one step of the system calls of a function of the
 * program. Two conditions: that function causes most samples of @f; and @f has less than
 * HOT_STEP_PART of the kernel time that the function causes. Rule hot-caller then reports the
 * function of the program, because it is the place to change.
 */
static bool hot_is_step_of_call(const struct rule_input *in, const struct fact_function *f)
{
	const struct profile_facts *p = in->profile;
	const struct symbols *symbols = capture_symbols(in->capture);
	const struct stacks *stacks = &in->capture->profile->stacks;
	/* kernel[symbol]: weight of the kernel samples that this function of the program causes */
	uint64_t *kernel;
	uint64_t *part; /* part[symbol]: weight of the samples in @f that this function causes */
	uint32_t most = 0;
	bool is_step;

	if (!hot_is_kernel(in, f) || !facts_has_stacks(p) || !p->function_of)
		return false;
	kernel = xcalloc(symbols->rows.len, sizeof(*kernel));
	part = xcalloc(symbols->rows.len, sizeof(*part));
	for (uint32_t i = 1; i < stacks_count(stacks); i++) {
		sym_id sym = stacks_sym(stacks, (stack_id){ i });
		uint32_t owner;

		if (!p->self[i] || symbols_get(symbols, sym)->space != SPACE_KERNEL)
			continue;
		owner = hot_owner(in, (stack_id){ i });
		kernel[owner] += p->self[i];
		if (p->function_of[sym.v] == p->function_of[f->sym.v])
			part[owner] += p->self[i];
	}
	for (uint32_t i = 1; i < symbols->rows.len; i++)
		most = part[i] > part[most] || (!most && part[i]) ? i : most;
	is_step = most &&
		  (double)part[most] / (double)p->weight * 100 >= f->self * HOT_CALLER_PART &&
		  (double)part[most] < (double)kernel[most] * HOT_STEP_PART;
	free(kernel);
	free(part);
	return is_step;
}

static bool hot_is_known(const struct rule_input *in, const struct findings *out,
			 const struct fact_function *f)
{
	struct str name = facts_name(in->facts, f->sym);

	/* waits of threads without work cost nothing */
	if (event_unit_is_wait(&in->profile->unit) &&
	    role_may_idle(role_of(in->profile->roles, capture_symbols(in->capture), f->sym)))
		return true;
	return name.len == 0 || category_is_in(f->category, STR("idle")) ||
	       category_is_in(f->category, STR("unsymbolised")) ||
	       start_names_have(name, START_BEFORE_MAIN | START_BIT(START_ROLE_MAIN)) ||
	       str_glob(STR(HOT_NO_CODE), name) || signature_is_explained(in, out, f, 0) ||
	       hot_is_step_of_call(in, f);
}

static struct str hot_module(const struct rule_input *in, const struct fact_function *f)
{
	return symbols_module(&in->facts->dossier->symbols, f->sym);
}

/*
 * Find another hot function in the module of @first, to be named with @first; NULL: none.
 * *@ret_rest: the largest share of the remaining functions of the module.
 */
static const struct fact_function *hot_second(const struct rule_input *in,
					      const struct findings *out,
					      const struct fact_function *first, double *ret_rest)
{
	const struct fact_function *second = NULL;
	struct str module = hot_module(in, first);

	*ret_rest = 0;
	VEC_FOREACH (f, &in->profile->functions) {
		if (f == first || !str_eq(hot_module(in, f), module) || f->self <= 0)
			continue;
		if (!second && f->self >= HOT_SECOND_PCT &&
		    f->self >= first->self * HOT_SECOND_PART && !hot_is_known(in, out, f))
			second = f;
		else if (f->self > *ret_rest)
			*ret_rest = f->self;
	}
	return second;
}

/* Name the caller of @first if inclusive shares prove it. */
static void hot_bound(const struct rule_input *in, struct findings *out, struct finding *f,
		      const struct fact_function *first)
{
	struct fact_caller by;
	struct fact_callee of = { .sym = first->sym,
				  .share = first->self,
				  .is_kernel = hot_is_kernel(in, first) };

	if (!facts_caller_bound(in->profile, &of, first->self * HOT_CALLER_PART, &by) ||
	    finding_names(f, by.sym))
		return;
	finding_claim(out, f, STR_FMT ", at least %.1f %% called from " STR_FMT, STR_ARG(f->claim),
		      by.pct < first->self ? by.pct : first->self,
		      STR_ARG(facts_short_name(in->facts, by.sym, 96)));
	finding_caller(out, f, in, &by);
}

/*
 * Name the caller of @first if it has most of the samples. Otherwise add a next step that finds
 * it.
 */
static void hot_callers(const struct rule_input *in, struct findings *out, struct finding *f,
			const struct fact_function *first)
{
	struct str name = facts_name(in->facts, first->sym);
	struct fact_caller caller;
	char pattern[1024]; /* for a name; templates of C++ have long ones */

	if (name.len < sizeof(pattern) && !str_glob(STR("*[*?|]*"), name)) {
		memcpy(pattern, name.p, name.len);
		pattern[name.len] = '\0';
		if (facts_callers(in->profile, pattern, NULL, &caller, 1) &&
		    caller.pct >= first->self * HOT_CALLER_PART) {
			finding_caller(out, f, in, &caller);
			finding_next(out, f, "Count the calls of %s, and the entries per call",
				     finding_word(out, facts_name(in->facts, caller.sym), false));
			return;
		}
	}
	if (in->profile->has_callers && !in->profile->no_frame)
		/*
		 * a recording with call chains cannot show more: only wrappers call the function,
		 * or many callers do
		 */
		return;
	finding_next(out, f, "perf record %s: the callers, and the number of entries per call",
		     in->profile->no_frame ? "--call-graph dwarf" : "-g");
}

/*
 * Is @name a function of a script or of bytecode, as the profiler of a language prints it? Java
 * prints slashes before the class: "com/acme/Ranker.score".
 */
static bool hot_is_script(struct str name)
{
	size_t slash = str_rfind_char(name, '/');
	bool is_java = slash + 1 < name.len && char_is_upper(name.p[slash + 1]) &&
		       str_contains(str_skip(name, slash), STR("."));

	return is_java || (str_glob(STR(HOT_SCRIPT), name) && !str_glob(STR(HOT_COMPILED), name));
}

/* Did a runtime generate the code of @f? Then perf annotate has no program file to read. */
static bool hot_is_jit(const struct rule_input *in, const struct fact_function *f)
{
	const struct symbols *symbols = capture_symbols(in->capture);

	return str_glob(STR("[JIT]*|perf-*.map|//anon|jitted-*|*/perf-*.map"),
			symbols_module(symbols, f->sym)) ||
	       str_glob(STR("JS:*"), facts_name(in->facts, f->sym));
}

/*
 * Whether the profile is of user space only, and @f is the function that enters the kernel: the
 * time of the kernel is then charged to @f.
 */
static bool hot_is_border(const struct rule_input *in, const struct fact_function *f)
{
	return in->profile->summary.kernel.pct <= 0 &&
	       role_of(in->profile->roles, capture_symbols(in->capture), f->sym) == ROLE_SYSCALL;
}

/*
 * Set the cause and the next step for @first, the function that enters the kernel in a profile of
 * user space: the time of the kernel is charged to @first. If a function that reads, writes or is
 * named "syscall.*" has most of this time with its callees, cite it.
 */
static void hot_border(const struct rule_input *in, struct findings *out, struct finding *f,
		       const struct fact_function *first)
{
	const struct fact_function *by = NULL;
	const struct fact_function *call = NULL;

	VEC_FOREACH (fn, &in->profile->functions) {
		enum role role = role_of(in->profile->roles, capture_symbols(in->capture), fn->sym);
		struct str name = facts_name(in->facts, fn->sym);

		/*
		 * accept "syscall.write", but not "syscall.RawSyscall6", which all system calls use
		 */
		if (str_glob(STR("syscall.*"), name) && !str_glob(STR("syscall.*yscall*"), name) &&
		    fn->children <= first->children && (!call || fn->children > call->children))
			call = fn;
		if ((role == ROLE_READ_WRITE || role == ROLE_NET_IO) &&
		    fn->children <= first->children && (!by || fn->children > by->children))
			by = fn;
	}
	if (call)
		by = call;
	if (by && by->children >= first->self * HOT_CALLER_PART) {
		finding_subject(f, by->sym, SUBJECT_LISTED);
		finding_evidence(out, f, in, by->line, STR_FMT " %.2f %% with its callees",
				 STR_ARG(facts_name(in->facts, by->sym)), by->children);
	}
	if (call && by->children >= first->self * HOT_CALLER_PART)
		finding_usual_cause(out, f,
				    "It only enters the kernel: its time is the kernel's, for the "
				    "system calls of its callers, most of all " STR_FMT
				    " (%.1f of the %.1f points)",
				    STR_ARG(facts_name(in->facts, call->sym)), call->children,
				    first->self);
	else
		finding_usual_cause(out, f,
				    "It only enters the kernel: its time is the kernel's, for the "
				    "system calls of its callers");
	finding_because(out, f,
			"a profile of user space counts the kernel's time where it is entered");
	finding_next(out, f, "timeout 5 strace -f -c -p PID: which calls, how many");
}

/* Set the usual cause of a large share of CPU time. */
static void hot_why(const struct rule_input *in, struct findings *out, struct finding *f,
		    const struct fact_function *first, bool looks, bool is_flat)
{
	struct str name = facts_short_name(in->facts, first->sym, 96);
	enum role words = role_of_words(facts_name(in->facts, first->sym));
	bool is_script = hot_is_script(facts_name(in->facts, first->sym));

	if (hot_is_border(in, first)) {
		hot_border(in, out, f, first);
		return;
	}
	if (words && role_cause(words) && facts_is_guessed(first))
		finding_usual_cause(out, f, "Possibly %s, by its name: %s", role_noun(words),
				    role_cause(words));
	else if (is_script)
		finding_usual_cause(out, f,
				    "Its own code loops over many entries, if it is called seldom\n"
				    "there are very many calls, if each of them is short");
	else if (is_flat)
		finding_usual_cause(
			out, f,
			"It computes in a loop of its own, if samples are spread over its "
			"instructions\n"
			"threads wait in it for a lock or shared cache line, if most samples are "
			"at a locked instruction or a pause%s",
			looks ? "\neach call walks a long list or chain, if most samples are at a "
				"load in a loop"
			      : "");
	else if (looks)
		finding_usual_cause(
			out, f,
			"Each call walks a long structure (a list, a hash chain, a whole set) and "
			"waits for memory, if most samples are at a load in a loop\n"
			"it waits for an inlined lock, if they are at a locked instruction or a "
			"pause");
	else
		finding_usual_cause(
			out, f,
			"It computes in a loop of its own, if samples are spread over its "
			"instructions\n"
			"it waits for an inlined lock or a shared cache line, if most samples are "
			"at a locked instruction or a pause\n"
			"it waits for uncached memory, if most samples are at a load");
	finding_because(out, f,
			is_script ? "the profiler counts the share\n"
				    "how often it is called"
			: event_unit_is_wait(&in->profile->unit)
				? "the profiler counts the share\n"
				  "whether it computes or waits"
				: "the profiler counts the share\n"
				  "whether it computes, spins or waits for memory");
	if (is_script)
		finding_next(out, f,
			     "run the language's own profiler by line (py-spy, async-profiler, "
			     "node --cpu-prof, rbspy): the hot line of %s",
			     finding_word(out, name, false));
	else if (hot_is_jit(in, first))
		finding_next(
			out, f,
			"run a profiler of the language (node --cpu-prof, async-profiler): the "
			"compiler inlined functions, whose cost counts here");
	else
		finding_next(out, f, "perf annotate %s: which instructions have the samples",
			     finding_word(out, facts_short_name(in->facts, first->sym, SIZE_MAX),
					  false));
	hot_callers(in, out, f, first);
}

/*
 * Set the cause for a builtin that reads or moves all elements of a list in each call.
 */
static void hot_linear(struct findings *out, struct finding *f, struct str bare)
{
	finding_usual_cause(
		out, f,
		"Each call %s all elements of the list, in a loop in C. Called once per element, "
		"the time grows with the square of their number",
		str_glob(STR("*insert*"), bare) ? "moves" : "reads");
	finding_because(out, f,
			"the builtin is a pure loop over the list; the profiler timed each call");
	finding_next(out, f, "%s",
		     str_glob(STR("*insert*"), bare)
			     ? "collections.deque, or append and reverse once"
			     : "make a set, a dict or collections.Counter once before the loop");
}

/* Do the callees of @fn take a considerable part of its time? */
static bool hot_has_callees(const struct fact_function *fn)
{
	return fn->children > fn->self * HOT_CALLEES_RATIO;
}

/* Time of @fn without callees; 0: the total is unknown. */
static double hot_ns(const struct rule_input *in, const struct fact_function *fn)
{
	const struct profile *p = in->capture->profile;

	return p->has_event_count ? fn->self / 100 * (double)p->event_count : 0;
}

/*
 * Whether the tool prints the number and time of the calls of @fn, and they are very many and each
 * short.
 */
static bool hot_is_many_calls(const struct rule_input *in, const struct fact_function *fn)
{
	double calls = timed_words_calls(in, fn);
	double ns = hot_ns(in, fn);

	return ns > 0 && calls >= HOT_MANY_CALLS && ns < HOT_SHORT_NS * calls;
}

/* Does each call of @fn take HOT_LONG_NS or more, without its callees? */
static bool hot_is_long_call(const struct rule_input *in, const struct fact_function *fn)
{
	double calls = timed_words_calls(in, fn);

	return calls >= 1 && hot_ns(in, fn) >= HOT_LONG_NS * calls;
}

/*
 * Set cause, basis and next step of a function of Python whose calls are long. The profiler has a
 * row of its own for each builtin that code calls, so such a call is not charged to @first. But
 * Python calls no builtin for "with lock" and "for line in file": their waits are charged to
 * @first.
 */
static void hot_long_call(const struct rule_input *in, struct findings *out, struct finding *f,
			  const struct fact_function *first, const struct fact_function *second,
			  struct str bare)
{
	const struct fact_function *both[] = { first, second };

	for (size_t i = 0; i < ARRAY_LEN(both) && both[i]; i++)
		finding_figure(f,
			       second ? finding_name(out, "own time per call of " STR_FMT,
						     STR_ARG(facts_short_name(in->facts,
									      both[i]->sym, 96)))
				      : "own time per call",
			       hot_ns(in, both[i]) / timed_words_calls(in, both[i]) / 1e6, 0, "ms");
	finding_usual_cause(out, f,
			    "A loop over many entries in each call, such as a search in a list, "
			    "if one CPU is busy meanwhile\n"
			    "a wait in a statement that calls no builtin, such as 'with lock' or "
			    "'for line in file', if the CPU is idle");
	finding_because(out, f,
			"the profiler counted and timed each call, and callees have rows of "
			"their own\n"
			"whether its own code works or waits");
	finding_next(out, f,
		     "kernprof -lv SCRIPT, with @profile before " STR_FMT
		     ": the line that takes the time; a dict or set instead of a search in a list",
		     STR_ARG(str_sub(bare, 0, 64)));
}

/*
 * Set the usual cause of a large share in the output of a language's own profiler (cProfile, for
 * example). Such a profiler times calls, so the time includes waits. It has no instructions to
 * annotate.
 */
static void hot_timed(const struct rule_input *in, struct findings *out, struct finding *f,
		      const struct fact_function *first, const struct fact_function *second)
{
	struct str name = facts_name(in->facts, first->sym);
	enum role words = role_of_words(name);
	size_t open = str_find_char(name, '(');
	bool is_traced = in->capture->profile->method == PROFILE_TIMED;
	/* a function that is no builtin, such as "{built-in method time.sleep}" */
	bool is_python = strcmp(in->capture->format, "pstats") == 0 && open < name.len &&
			 name.p[0] != '{' && name.p[0] != '<';
	struct str bare =
		open < name.len ? str_sub(name, open + 1, str_find_char(name, ')')) : name;

	if (!second)
		finding_claim(out, f, STR_FMT "%s", STR_ARG(f->claim),
			      timed_words_in_calls(out, in, first, hot_ns(in, first), "call"));
	if (str_glob(STR(HOT_LINEAR), bare)) {
		hot_linear(out, f, bare);
		return;
	}
	if (timed_words_cause(in, out, f, first, bare))
		return;
	if (is_python && hot_is_long_call(in, first) && (!second || hot_is_long_call(in, second)) &&
	    !hot_has_callees(first)) {
		hot_long_call(in, out, f, first, second, bare);
		return;
	}
	if (hot_is_many_calls(in, first))
		finding_usual_cause(out, f,
				    "Very many short calls: their number costs, not a slow one. "
				    "Fewer calls, each for more work, take less");
	else if (str_glob(STR(HOT_BLOCKS), bare) || role_may_idle(words) || words == ROLE_LOCK)
		finding_usual_cause(
			out, f,
			"A call that blocks: it waits for data, an event, a lock or its time, "
			"and elapsed time counts that. A time of 0.1 ms a call or more is "
			"waiting");
	else if (words && role_cause(words) && facts_is_guessed(first))
		finding_usual_cause(out, f, "Possibly %s, by its name: %s", role_noun(words),
				    role_cause(words));
	else
		finding_usual_cause(out, f, "%s: a loop over many entries, %s",
				    hot_has_callees(first) || (second && hot_has_callees(second))
					    ? "The shares are of own code, without callees"
					    : "Its own code takes the time, not its callees",
				    str_glob(STR(HOT_PURE), bare) ? "or very many calls"
				    : is_python ? "very many calls, or a wait as in 'with lock'"
						: "very many calls, or a wait");
	finding_because(out, f, "%s%s%s", is_traced ? "the profiler timed each call; " : "",
			is_python ? "builtins that it calls have rows of their own"
				  : "elapsed time does not separate work from waits",
			is_traced ? ", and small functions look more expensive than they are" : "");
	if (strcmp(in->capture->format, "pstats") == 0)
		finding_next(out, f,
			     "python3 -m pstats DUMP, then 'callers " STR_FMT
			     "': how often each caller calls it",
			     STR_ARG(str_sub(bare, 0, 64)));
	else
		finding_next(out, f,
			     "look at the profiler's view of the callers of " STR_FMT
			     ": how often each calls it",
			     STR_ARG(str_sub(name, 0, 64)));
}

/*
 * Set the cause for a profile that counts waits, too: threads run in the function, or wait in it.
 */
static void hot_waited(struct findings *out, struct finding *f)
{
	finding_usual_cause(
		out, f,
		"Threads run there or wait there: the profile counts both. Waits of threads "
		"that may have no work are left out");
	finding_because(out, f, "the share is counted; it is no share of CPU time");
	finding_next(
		out, f,
		"take a profile of CPU time of the same program: time that it lacks is waiting");
}

/*
 * Set the cause for a blocking read of a connection. The read uses hardly any CPU time, so its
 * samples are waits if the profile counts wall-clock time. Most folded stacks do not say which time
 * they count.
 */
static void hot_read(const struct rule_input *in, struct findings *out, struct finding *f,
		     const struct fact_function *first)
{
	bool is_wall = event_unit_is_wait(&in->profile->unit);
	struct str name = facts_short_name(in->facts, first->sym, 96);

	if (is_wall)
		finding_usual_cause(out, f,
				    "A blocking read of a connection: the thread waits there for "
				    "the other side, and computes nothing");
	else
		finding_usual_cause(out, f,
				    "A blocking read of a connection. If the samples are of "
				    "wall-clock time, the thread waits there for the other side, "
				    "and computes nothing");
	finding_because(out, f,
			"the share is counted; such a read uses hardly any CPU time\n"
			"whether the samples are of wall-clock or CPU time");
	finding_next(out, f,
		     "read the log of the other side, by the caller of " STR_FMT
		     ": does it state the same times?%s",
		     STR_ARG(name),
		     is_wall ? ""
			     : " A profile of CPU time of the same program: if the function is "
			       "missing there, it waits");
	hot_callers(in, out, f, first);
}

/* Is @name a blocking read, and may the samples be of wall-clock time? */
static bool hot_is_read(const struct rule_input *in, struct str name)
{
	return str_glob(STR(HOT_READS), name) &&
	       (in->profile->unit.kind == EVENT_UNNAMED || event_unit_is_wait(&in->profile->unit));
}

/* Set the cause for an event other than time: the profile shows only where the event happens. */
static void hot_where(const struct rule_input *in, struct findings *out, struct finding *f,
		      const struct fact_function *first)
{
	bool is_exact = signature_is_precise(in) || str_glob(STR(HOT_EXACT), hot_event(in)) ||
			in->capture->profile->event.v == 0;

	finding_cause(out, f, "%.1f %% of %s happen here. The share is not a share of CPU time",
		      first->self, in->profile->unit.of);
	finding_because(
		out, f,
		in->capture->profile->method == PROFILE_COUNTED
			? "the tool executed the program and counted each event"
		: is_exact ? "the event was sampled exactly where it happened"
			   : "the event was sampled within some instructions of where it happened");
	finding_next(out, f, "perf annotate %s: which instruction",
		     finding_word(out, facts_name(in->facts, first->sym), false));
	finding_next(out, f, "perf record -e cycles -g: the cost in CPU time");
}

/* Set claim and cause for a function whose code waits in a loop with a pause instruction. */
static void hot_spins(const struct rule_input *in, struct findings *out, struct finding *f,
		      const struct fact_function *first)
{
	struct str name = facts_name(in->facts, first->sym);

	finding_claim(out, f,
		      STR_FMT " spins for %.1f %% of %s (self): it waits for another thread",
		      STR_ARG(str_sub(name, 0, 96)), first->self, in->profile->unit.of);
	finding_cause(out, f,
		      "The function is short and has a loop with a pause instruction: a spin lock, "
		      "or a wait for a value that another thread sets. Threads use their CPUs for "
		      "waiting");
	finding_because(out, f, "the code of the function was read from its file");
	finding_next(out, f,
		     "read the callers of %s: what they run while they hold the lock. Hold it "
		     "shorter, or use a mutex that sleeps",
		     finding_word(out, name, false));
	hot_callers(in, out, f, first);
}

static void hot_finding(const struct rule_input *in, struct findings *out,
			const struct fact_function *first)
{
	struct str name = facts_short_name(in->facts, first->sym, 96);
	double rest;
	const struct fact_function *second = hot_second(in, out, first, &rest);
	bool is_border = hot_is_border(in, first);
	double both;
	bool leads;
	bool few = signature_is_few(in);
	bool looks = str_glob(STR(HOT_LOOKS), name);
	bool is_user = !hot_is_kernel(in, first);
	bool spins = symbols_get(&in->facts->dossier->symbols, first->sym)->flags & SYMBOL_SPINS;
	bool is_flat;
	bool is_time = EVENT_BIT(in->profile->unit.kind) & EVENT_IS_TIME;
	struct finding *f;

	/*
	 * Do not name a second function if the first one only enters the kernel, because its time
	 * is the time of the kernel; or if it spins; or if only one of the two has very many short
	 * calls, because the cause of one is then not that of the other.
	 */
	if (is_border || spins ||
	    (second && hot_is_many_calls(in, first) != hot_is_many_calls(in, second)))
		second = NULL;
	both = first->self + (second ? second->self : 0);
	leads = signature_of_busy(in, both) >= HOT_LEAD_PCT && in->profile->idle < HOT_IDLE_PCT;
	is_flat = is_user && both >= rest * HOT_FLAT_RATIO && both >= HOT_LEAD_PCT;
	f = finding_add(out, in, &rule_hot_function,
			leads && !few && (!is_user || spins) ? FINDING_WARNING : FINDING_NOTE,
			few     ? 50
			: leads ? 70
				: 60);
	f->impact = both;
	f->is_place = !few && !spins;
	finding_share(f, in, "self share", first->self, first->self_err);
	finding_function(out, f, in, first);
	if (second) {
		struct str other = facts_short_name(in->facts, second->sym, 96);

		finding_claim(out, f,
			      STR_FMT " and " STR_FMT " %s %.1f %% of %s (self: %.1f and %.1f %%)",
			      STR_ARG(name), STR_ARG(other), is_time ? "take" : "have", both,
			      in->profile->unit.of, first->self, second->self);
		finding_share(f, in, finding_name(out, "self share of " STR_FMT, STR_ARG(other)),
			      second->self, second->self_err);
		finding_function(out, f, in, second);
	} else {
		finding_claim(out, f, STR_FMT " %s %.1f %% of %s (self)", STR_ARG(name),
			      is_time ? "takes" : "has", first->self, in->profile->unit.of);
	}
	if (hot_is_read(in, name))
		hot_read(in, out, f, first);
	else if (str_eq(hot_event(in), STR("elapsed-time")))
		hot_timed(in, out, f, first, second);
	else if (in->profile->is_unit_guessed && event_unit_is_wait(&in->profile->unit))
		hot_waited(out, f);
	else if (spins && is_time)
		hot_spins(in, out, f, first);
	else if (is_time)
		hot_why(in, out, f, first, looks, is_flat);
	else
		hot_where(in, out, f, first);
	if (!second && !in->profile->has_callers)
		hot_bound(in, out, f, first);
}

/* Whether another finding with a cause explains more than @pct percent of this profile. */
static bool hot_is_lesser(const struct rule_input *in, const struct findings *out, double pct)
{
	const struct finding *row = NULL;

	while ((row = findings_of(out, in->number, row))) {
		if (!row->rule->is_general && row->impact > pct && row->sums.pattern)
			return true;
	}
	return false;
}

static void hot_check(const struct rule_input *in, struct findings *out)
{
	const struct fact_function *hottest = NULL;

	if (!signature_can_judge(in, out, &rule_hot_function))
		return;
	if (signature_is_tracepoint(in)) {
		finding_not_assessed(
			out, in, &rule_hot_function, "perf record -e cycles -a -g",
			"all samples of this event are in one function by construction");
		return;
	}
	/*
	 * The profile lists the callers of one function: all rows are about this function. So its
	 * share is always 100 %.
	 */
	if (in->profile->functions.len == 1 && in->capture->profile->table.rows.len > 1) {
		finding_not_assessed(out, in, &rule_hot_function, "perf record -g",
				     "all rows are of one function");
		return;
	}
	VEC_FOREACH (f, &in->profile->functions) {
		if (signature_of_busy(in, f->self) < HOT_NOTE_PCT ||
		    (in->profile->is_unit_guessed && f->self < HOT_LEAST_PCT))
			break; /* functions are sorted, heaviest first */
		if (!hot_is_known(in, out, f)) {
			hottest = f;
			break;
		}
	}
	if (hottest && signature_of_busy(in, hottest->self) < HOT_LEAD_PCT &&
	    hot_is_lesser(in, out, hottest->self))
		hottest = NULL;
	if (hottest)
		hot_finding(in, out, hottest);
	else
		finding_clean(out, in, &rule_hot_function,
			      "no otherwise unexplained function has %.0f %% self time",
			      HOT_NOTE_PCT);
}

const struct rule rule_hot_function = {
	.id = "hot-function",
	.title = "Hot function",
	.needs = RULE_PROFILE | RULE_LAST,
	/* without EVENT_SLEEP, since all context switches happen in the scheduler */
	.events = EVENT_IS_WORK | EVENT_BIT(EVENT_OTHER),
	.hides_pct = HOT_NOTE_PCT,
	.check = hot_check,
	.is_general = true,
};
