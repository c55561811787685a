/* SPDX-License-Identifier: MIT */
/*
 * An event loop polls and never sleeps, because a file descriptor is always ready or the timeout is
 * zero. Then system call entry and the poll itself take most of the time, and the scheduler takes
 * none. A loop with real work would show the work, and a loop that waits would show the scheduler.
 *
 * Threshold: half of the busy time is in the poll and in system call entry. In a server at full
 * load they have less than a third. If entry is cheap (no page table isolation), half of the time
 * is in the callees of the poll instead (locks, clocks, copies).
 *
 * In a language runtime the loop does more than polling. Stacks then allow a smaller limit: 15 % in
 * polls that find nothing is a warning. After a poll that finds an event, a program reads, writes
 * or accepts. If these calls have next to no time, the polls found nothing. If the scheduler has
 * none either, the loop did not sleep. Healthy servers have up to 10 % in polls, and as much in
 * reading and writing.
 *
 * A program without a library may poll in a loop of its own, and yield or sleep for a moment if
 * there are no events. Then one function both polls and pauses, and reads next to nothing.
 */
#include "explain/signatures/signature.h"

#include "analyses/categories.h"
#include "analyses/top/top.h"
#include "base/alloc.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/never_sleeping_loop_names.h"
#include "explain/rule.h"

DECLARE_RULE(never_sleeping_loop);

#define LOOP_LEAD_PCT 50.0
/* minimum share of the poll alone, percent, without system call entry */
#define LOOP_POLL_PCT 5.0
/* The loop sleeps if the scheduler has at least this part (0 to 1) of the poll's share. */
#define LOOP_SLEEP_PART 0.25
/*
 * If work of the program has more than this part (0 to 1) of the loop's share, the process may be a
 * busy server, which does not sleep either.
 */
#define LOOP_WORK_PART 0.25
/*
 * If the functions that compute the timeout of a poll have at least this share, percent, the
 * timeout is above zero. A poll with timeout zero does not call them.
 */
#define LOOP_TIMEOUT_PCT 0.5
/*
 * If eventfd_poll() has at least this self share, percent, and the program read the eventfd, the
 * profile would also show the reads.
 */
#define LOOP_EVENTFD_PCT 1.0
/*
 * Limits for polls that find nothing. Polls have an inclusive share of at least LOOP_FRUITLESS_PCT.
 * Functions that receive data or connections have at most the part LOOP_TAKES_PART (0 to 1) of this
 * share.
 */
#define LOOP_FRUITLESS_PCT 15.0
#define LOOP_TAKES_PART    0.1
/*
 * The loop sleeps if the inclusive share of the scheduler is above this part (0 to 1) of the
 * share of the polls.
 */
#define LOOP_PAUSE_PART     0.15
#define LOOP_FRUITLESS_SURE 75
#define LOOP_SAID_PCT       0.05 /* a smaller share would be printed as 0.0 % */
/*
 * Limits for a function that polls and pauses (yields or sleeps) by turns. All are shares in
 * percent. A note needs LOOP_PAUSE_PCT for the pauses, LOOP_POLL_PCT for the polls, and
 * LOOP_FRUITLESS_PCT for both. A warning needs LOOP_LEAD_PCT for both, and pauses that are mostly
 * yields.
 */
#define LOOP_PAUSE_PCT  5.0
#define LOOP_ASKERS     8u
#define LOOP_BELOW_PART 0.5
#define LOOP_SHOWN      3u
#define LOOP_SHOWN_PCT  1.0
#define LOOP_SURE       85
/* certainty if the profile prints rows down to 0.00 %, and no row belongs to the scheduler */
#define LOOP_SURE_ABSENT 97
static const char *const loop_own[] = { "syscall-entry", "epoll",    "poll",       "timekeeping",
					"mitigation",    "libevent", "event-loop", "vdso",
					"libc",          "threads" };
/*
 * Categories that may be work of the program or not: locks, clean-up, start-up, unknown names. In
 * struct loop_parts, their functions count neither in `loop` nor in `work`.
 */
static const char *const loop_unclear[] = {
	"unsymbolised", "loader",     "locking",    "rcu",           "scheduling",
	"process",      "interrupt",  "page-fault", "filesystem",    "timers",
	"memory/map",   "hardware",   "tracing",    "cgroup",        "kernel",
	"wakeup",       "memory/tlb", "string",     "virtualization"
};

static bool loop_is_in(const struct fact_function *f, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (category_is_in(f->category, str_of(names[i])))
			return true;
	}
	return false;
}

/*
 * Parts of the profile, in percent: `loop` is the loop itself; `work` is in functions that
 * certainly work for the program.
 */
struct loop_parts {
	double loop, loop_err;
	double work, work_err;
	/* parts of `loop`: these five, plus the share of `callback`, add up to `loop` */
	double border;   /* entry and exit of system calls */
	double timeouts; /* functions of LOOP_TIMEOUTS, which prepare the timeout of a poll */
	double polls;    /* functions of LOOP_POLLS that are not in LOOP_TIMEOUTS */
	double unknown;  /* functions without a name in the library of an event loop */
	double other;
	/* function of the program that is counted in `loop`, but in none of its parts */
	const struct fact_function *callback;
};

/* Add a function of the loop to the part to which it belongs. */
static void loop_cut_part(const struct fact_function *f, struct str name, struct str module,
			  struct loop_parts *ret)
{
	bool is_nameless = str_starts(name, STR("0x")) || str_starts(name, STR("[unknown]"));

	if (f == ret->callback)
		return;
	if (category_is_in(f->category, STR("syscall-entry")))
		ret->border += f->self;
	else if (str_glob(STR(LOOP_TIMEOUTS), name))
		ret->timeouts += f->self;
	else if (str_glob(STR(LOOP_POLLS), name))
		ret->polls += f->self;
	/* unnamed functions of the vDSO read the clock */
	else if (is_nameless && !str_eq(module, STR("[vdso]")))
		ret->unknown += f->self;
	else
		ret->other += f->self;
}

static void loop_cut(const struct rule_input *in, struct loop_parts *ret)
{
	*ret = (struct loop_parts){ 0 };
	VEC_FOREACH (f, &in->profile->functions) {
		struct str name = facts_name(in->facts, f->sym);
		const struct symbols *symbols = &in->facts->dossier->symbols;
		enum symbol_space space = symbols_get(symbols, f->sym)->space;
		bool is_callback = !ret->callback && space != SPACE_KERNEL &&
				   category_is_in(f->category, STR("application")) &&
				   str_glob(STR(LOOP_CALLBACKS), name);

		if (is_callback)
			ret->callback = f;
		if (is_callback || loop_is_in(f, loop_own, ARRAY_LEN(loop_own)) ||
		    str_glob(STR(LOOP_COMPANIONS), name)) {
			ret->loop += f->self;
			ret->loop_err += f->self_err;
			loop_cut_part(f, name, symbols_module(symbols, f->sym), ret);
		} else if (!loop_is_in(f, loop_unclear, ARRAY_LEN(loop_unclear)) &&
			   !str_glob(STR(LOOP_UNCLEAR), name)) {
			ret->work += f->self;
			ret->work_err += f->self_err;
		}
	}
}

/* If the text has the number of requests, add figures per request, such as polls per request. */
static void loop_per_request(const struct rule_input *in, struct findings *out, struct finding *f,
			     const struct loop_parts *parts)
{
	static const char *const units[] = { "requests", "operations", "transactions", "queries",
					     "messages", "packets",    "ops" };
	uint64_t n = 0;
	double all;
	double work;
	double most;
	double err;

	for (size_t i = 0; i < ARRAY_LEN(units) && n == 0; i++) {
		if (!top_fact(in->capture, str_of(units[i]), &n))
			n = 0;
	}
	if (n == 0 || !top_divide(in->capture, 100, 0, n, &all, &err) ||
	    !top_divide(in->capture, parts->work, 0, n, &work, &err) ||
	    !top_divide(in->capture, parts->work + parts->work_err, 0, n, &most, &err))
		return;
	finding_figure(f, "all cost per request", all, 0, "events");
	finding_figure(f, "work per request", work, most - work, "events");
	finding_next(
		out, f,
		"perf stat COMMAND: compare variants by events per request (%.0f in total, %.0f of "
		"them work, at most %.0f). Percentages mislead, because the loop fills idle time",
		all, work, most);
}

/*
 * If an eventfd is polled but never read, it is always ready: set this as the cause of @f. It must
 * be certain that there are no reads: the profile prints rows down to 0.00 %, or its missing rows
 * have a smaller share than the polls. False: not certain.
 */
static bool loop_eventfd(const struct rule_input *in, struct findings *out, struct finding *f)
{
	const struct profile_facts *p = in->profile;
	const struct fact_function *poll = facts_function(p, "eventfd_poll");
	const struct fact_function *signal = facts_function(p, "eventfd_signal");
	bool is_read = facts_sum(p, LOOP_READS).functions > 0;
	bool is_complete;

	/* a read costs more than a poll, so its row would be printed */
	is_complete = poll && poll->self >= LOOP_EVENTFD_PCT && 100 - p->total < poll->self;
	if (!poll || is_read || (!p->prints_zero_rows && !is_complete))
		return false;
	finding_usual_cause(out, f,
			    "An eventfd is always ready: %sit is polled (%.1f %%), and nothing "
			    "reads it (no eventfd_read, no read system call%s)",
			    signal ? "it is signalled, " : "", poll->self,
			    p->prints_zero_rows ? ", although rows down to 0.00 % are printed"
						: "");
	finding_function(out, f, in, poll);
	if (signal)
		finding_function(out, f, in, signal);
	finding_next(out, f,
		     "read the eventfd at the start of its callback; or register it edge-triggered "
		     "(EPOLLET). Do not register it for EPOLLOUT: an eventfd is always writable");
	return true;
}

/*
 * Set the reason why it is certain that the loop does not sleep. @is_absent: the profile prints
 * rows down to 0.00 %, and no row sleeps or wakes a thread. If a function walks a queue of waiters,
 * the reason then says that it only runs callbacks. (If the only waiter is a poll, the walk wakes
 * no thread.) @has_timeout: each poll has a timeout above zero.
 */
static void loop_because(const struct rule_input *in, struct findings *out, struct finding *f,
			 bool is_absent, bool has_timeout)
{
	const struct fact_function *walks = facts_sum(in->profile, LOOP_WALKS_WAITERS).top;
	const char *why = "the scheduler has next to no time compared with the polls";

	if (is_absent && walks)
		why = finding_name(out,
				   "rows down to 0.00 %% are printed, and none sleeps or wakes a "
				   "thread; " STR_FMT
				   " (%.2f %%) only runs the callbacks of waiters",
				   STR_ARG(facts_name(in->facts, walks->sym)), walks->self);
	else if (is_absent)
		why = "rows down to 0.00 % are printed, and none sleeps or wakes a thread";
	finding_because(out, f, "%s%s", why,
			has_timeout ? ". Each poll prepares a timeout above zero, so "
				      "busy polling was not intended"
				    : "");
}

/*
 * Add figures for the parts of the loop that have none yet. The figures of all parts then add up to
 * the share of the loop.
 */
static void loop_figures(const struct rule_input *in, struct findings *out, struct finding *f,
			 const struct loop_parts *parts)
{
	if (parts->callback)
		finding_share(f, in,
			      finding_name(out, "of it, the callback " STR_FMT,
					   STR_ARG(facts_name(in->facts, parts->callback->sym))),
			      parts->callback->self, parts->callback->self_err);
	if (parts->unknown >= LOOP_SAID_PCT)
		finding_share(f, in, "of it, unknown functions of the event library",
			      parts->unknown, 0);
	if (parts->other >= LOOP_SAID_PCT)
		finding_share(f, in, "of it, other functions of the loop, libc and the clock",
			      parts->other, 0);
}

static void loop_finding(const struct rule_input *in, struct findings *out, struct fact_sum polls,
			 struct fact_sum border, struct fact_sum sleeps)
{
	const struct profile_facts *p = in->profile;
	struct fact_sum timeouts = facts_sum(p, LOOP_TIMEOUTS);
	bool is_absent = p->prints_zero_rows && !sleeps.top && !facts_sum(p, LOOP_WAKES).top;
	bool has_timeout = timeouts.self >= LOOP_TIMEOUT_PCT;
	struct loop_parts parts;
	struct finding *f;

	loop_cut(in, &parts);
	f = finding_add(out, in, &rule_never_sleeping_loop, FINDING_WARNING,
			signature_sure(in, &polls, LOOP_POLL_PCT,
				       is_absent ? LOOP_SURE_ABSENT : LOOP_SURE, 70));
	f->impact = f->covers = parts.loop;
	finding_claim(out, f,
		      "The event loop never sleeps: %.1f %% of %s is the loop itself (polls, "
		      "system call overhead), not work. The work is %.1f %%, at most %.1f %%",
		      parts.loop, p->unit.of, parts.work, parts.work + parts.work_err);
	loop_because(in, out, f, is_absent, has_timeout);
	finding_figure(f, "the loop", parts.loop, parts.loop_err, "%");
	finding_share(f, in, "of it, functions of poll and epoll", parts.polls, polls.err);
	finding_share(f, in, "of it, system call entry and exit", parts.border, border.err);
	if (parts.timeouts >= LOOP_SAID_PCT)
		finding_share(f, in, "of it, preparing a timeout", parts.timeouts, timeouts.err);
	loop_figures(in, out, f, &parts);
	if (sleeps.self >= LOOP_SAID_PCT)
		finding_share(f, in, "scheduler", sleeps.self, sleeps.err);
	finding_figure(f, "work", parts.work, parts.work_err, "%");
	finding_function(out, f, in, polls.top);
	if (border.top)
		finding_function(out, f, in, border.top);
	if (has_timeout) {
		finding_subject(f, timeouts.top->sym, SUBJECT_EXPLAINED);
		finding_evidence(out, f, in, timeouts.top->line,
				 STR_FMT " %.2f %%: only for a timeout above zero",
				 STR_ARG(facts_name(in->facts, timeouts.top->sym)),
				 timeouts.top->self);
	}
	if (parts.callback) {
		finding_subject(f, parts.callback->sym, SUBJECT_EXPLAINED);
		finding_evidence(out, f, in, parts.callback->line, STR_FMT " %.2f %%: its callback",
				 STR_ARG(facts_name(in->facts, parts.callback->sym)),
				 parts.callback->self);
	}
	if (is_absent && facts_sum(p, LOOP_WALKS_WAITERS).top)
		finding_function(out, f, in, facts_sum(p, LOOP_WALKS_WAITERS).top);
	if (!loop_eventfd(in, out, f)) {
		finding_usual_cause(
			out, f,
			"A file descriptor is always ready (and never read), or the timeout "
			"is zero");
		finding_next(out, f,
			     "read the descriptor, or register it edge-triggered (EPOLLET)");
	}
	finding_next(out, f,
		     "timeout 1 strace -f -y -e trace=%%desc -p PID: shows which descriptor each "
		     "poll returns, and whether it is read");
	loop_per_request(in, out, f, &parts);
}

/*
 * Inclusive share, in percent, of polls that find nothing, in a loop that does not sleep. 0: the
 * loop sleeps, its polls find events, or it hardly polls.
 */
static double loop_fruitless(const struct rule_input *in)
{
	const struct profile_facts *p = in->profile;
	double polls;
	double takes;
	double sleeps;

	if (facts_under(p, LOOP_CALLS) < LOOP_POLL_PCT)
		return 0;
	polls = facts_under(p, LOOP_CALLS "|" LOOP_WRAPPERS);
	takes = facts_under(p, LOOP_TAKES);
	sleeps = facts_under(p, LOOP_SLEEPS);
	if (takes > polls * LOOP_TAKES_PART || sleeps > polls * LOOP_PAUSE_PART)
		return 0;
	return polls;
}

/* List application functions that run between the polls, such as callbacks. */
static void loop_callbacks(const struct rule_input *in, struct findings *out, struct finding *f)
{
	unsigned int n = 0;

	VEC_FOREACH (fn, &in->profile->functions) {
		if (fn->self < LOOP_SHOWN_PCT || n == LOOP_SHOWN)
			return;
		if (!category_is_in(fn->category, STR("application")) &&
		    !category_is_in(fn->category, STR("jit")))
			continue;
		finding_listed(out, f, in, fn);
		n++;
	}
}

/* Format a share: "3.2 %", or "next to nothing" if it would print as 0.0 %. */
static const char *loop_share(struct findings *out, double pct)
{
	return pct >= LOOP_SAID_PCT ? finding_name(out, "%.1f %%", pct) : "next to nothing";
}

static void loop_fruitless_finding(const struct rule_input *in, struct findings *out, double polls,
				   const struct fact_sum *sum)
{
	double takes = facts_under(in->profile, LOOP_TAKES);
	double sleeps = facts_under(in->profile, LOOP_SLEEPS);
	struct fact_caller caller;
	struct finding *f = finding_add(out, in, &rule_never_sleeping_loop, FINDING_WARNING,
					signature_is_few(in) ? 50 : LOOP_FRUITLESS_SURE);

	f->impact = f->covers = polls;
	finding_claim(out, f,
		      "The event loop never sleeps: %.1f %% of %s is polling for events; reading, "
		      "writing and accepting have %s%s",
		      polls, in->profile->unit.of, loop_share(out, takes),
		      sleeps >= LOOP_SAID_PCT ? finding_name(out, ", the scheduler %.1f %%", sleeps)
					      : "");
	finding_figure(f, "polling, with callees", polls, 0, "%");
	finding_figure(f, "reading, writing and accepting", takes, 0, "%");
	if (sleeps >= LOOP_SAID_PCT)
		finding_figure(f, "scheduler, with callees", sleeps, 0, "%");
	finding_function(out, f, in, sum->top);
	if (facts_callers_anywhere(in->profile, LOOP_CALLS "|" LOOP_WRAPPERS, NULL, &caller, 1))
		finding_caller(out, f, in, &caller);
	loop_callbacks(in, out, f);
	finding_usual_cause(
		out, f,
		"The polls find next to nothing: their timeout is zero because a callback "
		"is always due (an immediate, a timer of 0 ms, a queue checked in each "
		"turn)");
	finding_because(out, f,
			"a poll that finds an event is followed by a read, write or "
			"accept; a loop that waits shows the scheduler");
	finding_next(out, f, "timeout 1 strace -f -e trace=%%desc -p PID: do the polls return 0?");
	finding_next(out, f,
		     "let the event that fills the queue run the code, or sleep until it "
		     "comes (eventfd, condition, callback)");
}

/* A function that polls and pauses by turns. Shares in percent, with callees. */
struct loop_asker {
	sym_id sym;
	double asks;   /* share of polls, and of reads that copy nothing */
	double pauses; /* share of yields and short sleeps */
	bool naps;     /* at least half of the pauses are sleeps */
	bool is_mixed; /* some of the pauses are sleeps, and some are yields */
};

/*
 * Inclusive share, in percent, of the functions that match @pattern in calls by the function @sym.
 */
static double loop_asker_share(const struct rule_input *in, const char *pattern, sym_id sym)
{
	struct fact_caller callers[LOOP_ASKERS];
	size_t n = facts_callers_anywhere(in->profile, pattern, LOOP_THROUGH, callers,
					  ARRAY_LEN(callers));

	for (size_t i = 0; i < n; i++) {
		if (callers[i].sym.v == sym.v)
			return callers[i].pct;
	}
	return 0;
}

/*
 * Find the function of the program that yields or sleeps most. True: it also polls, and its polls
 * hardly ever return an event.
 */
static bool loop_find_asker(const struct rule_input *in, struct loop_asker *ret)
{
	struct fact_caller caller;
	double gets, finds, naps;

	if (!facts_callers_anywhere(in->profile, LOOP_YIELDS "|" LOOP_NAPS, LOOP_THROUGH, &caller,
				    1) ||
	    caller.pct < LOOP_PAUSE_PCT ||
	    symbols_get(capture_symbols(in->capture), caller.sym)->space == SPACE_KERNEL)
		return false;
	*ret = (struct loop_asker){ .sym = caller.sym, .pauses = caller.pct };
	naps = loop_asker_share(in, LOOP_NAPS, caller.sym);
	ret->naps = naps * 2 >= caller.pct;
	ret->is_mixed = naps >= LOOP_SAID_PCT && caller.pct - naps >= LOOP_SAID_PCT;
	ret->asks = loop_asker_share(in, LOOP_ASKS, caller.sym);
	gets = loop_asker_share(in, LOOP_GETS, caller.sym);
	finds = facts_of_under(in->profile, LOOP_FINDS, LOOP_GETS);
	ret->asks += gets;
	return ret->asks >= LOOP_POLL_PCT && finds <= ret->asks * LOOP_TAKES_PART;
}

/*
 * Mark polls, reads, yields and sleeps, with all of their callees, as explained by @f. No other
 * finding then reports a part of them.
 */
static void loop_explain_calls(const struct rule_input *in, struct findings *out, struct finding *f)
{
	static const char calls[] = LOOP_ASKS "|" LOOP_GETS "|" LOOP_YIELDS "|" LOOP_NAPS;
	uint8_t *marks = xcalloc(in->profile->functions.len + 1, sizeof(*marks));
	unsigned int n = 0;

	facts_mark_below(in->profile, calls, LOOP_BELOW_PART, marks);
	VEC_FOREACH (fn, &in->profile->functions) {
		if (!marks[fn->number])
			continue;
		if (n++ < LOOP_SHOWN)
			finding_function(out, f, in, fn);
		else
			finding_subject(f, fn->sym, SUBJECT_EXPLAINED);
	}
	free(marks);
}

static void loop_asker_finding(const struct rule_input *in, struct findings *out,
			       const struct loop_asker *a)
{
	double sum = a->asks + a->pauses;
	struct fact_caller caller = { .sym = a->sym, .pct = sum };
	bool leads = signature_of_busy(in, sum) >= LOOP_LEAD_PCT && !a->naps;
	struct finding *f = finding_add(out, in, &rule_never_sleeping_loop,
					leads ? FINDING_WARNING : FINDING_NOTE,
					signature_is_few(in) ? 50 : LOOP_FRUITLESS_SURE);

	f->impact = f->covers = sum;
	finding_claim(out, f,
		      "%s: %.1f %% of %s is " STR_FMT
		      ", which asks for events (%.1f %%) and %s (%.1f %%) in turn",
		      a->naps ? "The program polls with short sleeps"
			      : "The program polls without sleeping",
		      sum, in->profile->unit.of, STR_ARG(facts_name(in->facts, a->sym)), a->asks,
		      a->is_mixed ? "sleeps for a moment or yields the CPU"
		      : a->naps   ? "sleeps for a moment"
				  : "yields the CPU",
		      a->pauses);
	finding_figure(f, "asking and pausing, with callees", sum, 0, "%");
	finding_figure(f, "asking for events", a->asks, 0, "%");
	finding_figure(f,
		       a->is_mixed ? "short sleeps and yields"
		       : a->naps   ? "short sleeps"
				   : "yields",
		       a->pauses, 0, "%");
	loop_explain_calls(in, out, f);
	finding_caller(out, f, in, &caller);
	finding_usual_cause(out, f,
			    "The loop asks with a timeout of zero, or a descriptor that does not "
			    "block, and tries again, instead of waiting for the event");
	finding_because(out, f, "the same function makes both calls, and next to nothing is read");
	finding_next(
		out, f,
		"timeout 1 strace -f -e trace=%%desc -p PID: how many calls return 0 or EAGAIN");
	finding_next(out, f,
		     "let the call wait: a timeout of -1 or the time of the next timer, without "
		     "the %s",
		     a->naps ? "sleep" : "yield");
}

static void loop_check(const struct rule_input *in, struct findings *out)
{
	const struct profile_facts *p = in->profile;
	struct fact_sum polls;
	struct fact_sum border;
	struct fact_sum sleeps;
	struct loop_parts parts;
	struct loop_asker asker;
	double fruitless;

	if (!signature_can_judge(in, out, &rule_never_sleeping_loop))
		return;
	if (loop_find_asker(in, &asker) &&
	    signature_of_busy(in, asker.asks + asker.pauses) >= LOOP_FRUITLESS_PCT) {
		loop_asker_finding(in, out, &asker);
		return;
	}
	polls = facts_sum(p, LOOP_POLLS);
	border = facts_category(p, "syscall-entry");
	sleeps = facts_sum(p, LOOP_SLEEPS);
	if (polls.top && polls.self >= LOOP_POLL_PCT &&
	    (signature_of_busy(in, polls.self + border.self) >= LOOP_LEAD_PCT ||
	     signature_of_busy(in, facts_under(p, LOOP_CALLS)) >= LOOP_LEAD_PCT) &&
	    sleeps.self <= polls.self * LOOP_SLEEP_PART) {
		loop_cut(in, &parts);
		if (parts.work > parts.loop * LOOP_WORK_PART) {
			finding_clean(out, in, &rule_never_sleeping_loop,
				      "the loop finds work in each poll: %.1f %% is work, %.1f %% "
				      "the loop",
				      parts.work, parts.loop);
			return;
		}
		loop_finding(in, out, polls, border, sleeps);
		return;
	}
	fruitless = polls.top ? loop_fruitless(in) : 0;
	if (signature_of_busy(in, fruitless) >= LOOP_FRUITLESS_PCT)
		loop_fruitless_finding(in, out, fruitless, &polls);
	else
		finding_clean(out, in, &rule_never_sleeping_loop,
			      "%.1f %% in polling and %.1f %% in system call entry and exit",
			      polls.self, border.self);
}

/* a loop that polls all the time makes system call entry expensive */
static const char *const loop_explains[] = { "syscall-border", NULL };

const struct rule rule_never_sleeping_loop = {
	.id = "never-sleeping-loop",
	.title = "Event loop never sleeps",
	.needs = RULE_PROFILE,
	.wants = RULE_WANTS_KERNEL,
	.hides_pct = LOOP_LEAD_PCT,
	.explains = loop_explains,
	.check = loop_check,
};
