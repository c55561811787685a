/* SPDX-License-Identifier: MIT */
/*
 * All threads of a pool are blocked, so new work has to wait. The rule also reports goroutines that
 * wait for a channel inside a function that other functions call. Such a function may hand out the
 * objects of a pool.
 */
#include "explain/words/thread_words.h"

#include "analyses/threads/thread_channels.h"
#include "analyses/threads/thread_summary.h"
#include "analyses/threads/thread_waits.h"
#include "analyses/waits/wait_roles.h"
#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/threads.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/thread_pool_names.h"

DECLARE_RULE(thread_pool);

#define POOL_LEAST 4u
#define POOL_PART  0.9
#define POOL_SURE  75u
/*
 * certainty if goroutines wait for a channel in a function that perhaps hands out jobs, and not the
 * objects of a pool
 */
#define POOL_CHANNEL 55u
#define POOL_NAME    96u
#define POOL_MAX     256u /* maximum number of different pools to count */
/* minimum number of threads that wait for objects of a pool, such as connections */
#define POOL_WAITERS 3u
/* minimum number of workers that wait inside tasks; a single worker need not belong to a pool */
#define POOL_TASKS 2u
/* functions that are never the loop of a worker: library code and lambdas */
#define POOL_NO_LOOPS \
	"std::*|*{lambda*|*<lambda*|operator()*|void std::*|__gthread*|__pthread*|[?][?]*"

struct pool {
	char name[POOL_NAME];
	size_t len;
	uint64_t threads;
	uint64_t blocked[THREAD_WAIT_KINDS];
	uint32_t row[THREAD_WAIT_KINDS];
};

static bool pool_is_blocking(unsigned int kind)
{
	return kind == THREAD_WAIT_SOCKET || kind == THREAD_WAIT_CONNECT ||
	       kind == THREAD_WAIT_DNS || kind == THREAD_WAIT_DISK || kind == THREAD_WAIT_CHILD ||
	       kind == THREAD_WAIT_JOIN || kind == THREAD_WAIT_POOL || kind == THREAD_WAIT_SLEEP ||
	       kind == THREAD_WAIT_FIFO || kind == THREAD_WAIT_CONDITION ||
	       kind == THREAD_WAIT_RANDOM || kind == THREAD_WAIT_EVENT ||
	       kind == THREAD_WAIT_FILE_LOCK || kind == THREAD_WAIT_PUT || kind == THREAD_WAIT_PAGE;
}

/*
 * The name of a pool: the name of one of its threads, with N instead of each number.
 * "http-nio-N-exec-N" for "http-nio-8080-exec-12". Returns its length; 0: the name has no number.
 */
static size_t pool_name(struct str name, char *ret)
{
	bool has_digit = false;
	size_t n = 0;

	for (size_t i = 0; i < name.len && n < POOL_NAME; i++) {
		bool is_digit = char_is_digit(name.p[i]);

		if (is_digit && i && char_is_digit(name.p[i - 1]))
			continue;
		has_digit |= is_digit;
		ret[n++] = is_digit ? 'N' : name.p[i];
	}
	return has_digit ? n : 0;
}

static void pool_add(struct pool *pools, size_t *n, const struct rule_input *in, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	unsigned int kind = in->threads->rows.data[row].kind;
	char name[POOL_NAME];
	size_t len = pool_name(strings_get(capture_strings(in->capture), r->name), name);
	size_t i = 0;

	while (i < *n && (pools[i].len != len || memcmp(pools[i].name, name, len) != 0))
		i++;
	if (len == 0 || i == POOL_MAX)
		return;
	if (i == *n) {
		memset(&pools[i], 0, sizeof(pools[i]));
		memcpy(pools[i].name, name, len);
		pools[i].len = len;
		(*n)++;
	}
	pools[i].threads += r->count;
	if (kind == THREAD_WAIT_EVENT && !thread_words_wants_result(in, row))
		return;
	/*
	 * A sleeping thread counts as blocked only inside a task: there it occupies a thread of the
	 * pool.
	 */
	if ((kind == THREAD_WAIT_SLEEP || kind == THREAD_WAIT_CONDITION) &&
	    !thread_words_is_in_task(in, row))
		return;
	if (!pools[i].blocked[kind])
		pools[i].row[kind] = row;
	pools[i].blocked[kind] += r->count;
}

/* The reason why the pool has no free thread, by the kind of wait. */
static const char *pool_cause(enum thread_wait kind, bool has_limit)
{
	switch (kind) {
	case THREAD_WAIT_EVENT:
		return "Tasks of the pool wait for a result or signal. If that needs a thread of "
		       "the same pool, none is left (thread starvation)";
	case THREAD_WAIT_POOL:
		return "The other pool is exhausted: it has too few objects, or they are held too "
		       "long or never returned";
	case THREAD_WAIT_SLEEP:
		return "Tasks sleep, for a retry or a delay, and occupy the threads of the pool "
		       "meanwhile";
	case THREAD_WAIT_CONDITION:
		return "Tasks poll a condition, and occupy the threads of the pool meanwhile";
	case THREAD_WAIT_PUT:
		return "The queue is full: its consumers are slower than its producers, or have "
		       "stopped";
	case THREAD_WAIT_DNS:
		return "The name server is slow or does not answer: five seconds per try and "
		       "server by default";
	default:
		return has_limit ? "The awaited service is slow or does not answer within the time "
				   "limit of the call"
				 : "The awaited service is slow or does not answer, and no time "
				   "limit is visible";
	}
}

/*
 * Does thread @row have a fixed job, unlike the threads of a pool? Such a thread may wait for a
 * connection that only this thread uses. True if the outermost frame of the thread is the start of
 * a thread, if the thread runs no task, and if neither its name nor its wait is typical of a pool.
 */
static bool pool_is_of_own_threads(const struct rule_input *in, uint32_t row)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	/*
	 * A wait for an object of a pool, or for space in a queue, is typical of a pool: only
	 * threads with work wait in this way.
	 */
	if (in->threads->rows.data[row].kind == THREAD_WAIT_POOL ||
	    in->threads->rows.data[row].kind == THREAD_WAIT_PUT)
		return false;
	if (str_glob(STR("*exec*|*pool*|*Pool*|*worker*|*Worker*|*Executor*|qtp*|XNIO*|*"
			 "dispatcher*"),
		     strings_get(capture_strings(in->capture),
				 threads_summary_row(in->threads, row)->name)))
		return false;
	return n && !thread_words_is_in_task(in, row) &&
	       wait_role_find(thread_words_frame(in, row, n - 1), WAIT_LINES_DUMP) ==
		       WAIT_ROLE_START;
}

/* The next step: a way to keep threads of the pool from waiting. */
static const char *pool_next(const struct rule_input *in, struct findings *out, uint32_t row,
			     enum thread_wait kind)
{
	struct str entry = thread_words_frame(in, row, in->threads->rows.data[row].entry);

	if (kind == THREAD_WAIT_PUT)
		return "look for the thread that takes from the queue: what it waits for";
	if (kind == THREAD_WAIT_POOL)
		return "look at the threads that hold the objects: how long, and what for";
	if (kind == THREAD_WAIT_EVENT && thread_words_is_in_task(in, row))
		return "look where the task that it waits for is submitted: if to the same pool, "
		       "give such tasks a pool of their own, or compose the futures instead of "
		       "waiting";
	if (kind == THREAD_WAIT_DNS)
		return "set 'options timeout:1 attempts:2' in /etc/resolv.conf, or cache names: "
		       "the look-up itself takes no time limit";
	/* a wait in the kernel has no time limit that the program could set */
	if (symbols_get(capture_symbols(in->capture),
			threads_summary_sym(in->threads, row, in->threads->rows.data[row].entry))
		    ->space == SPACE_KERNEL)
		return "dmesg: which device or server does not answer";
	if (thread_words_has_limit(in, row))
		return finding_name(out,
				    "compare the time limit of '" STR_FMT
				    "' with the time that callers can wait",
				    STR_ARG(entry));
	return finding_name(out, "give '" STR_FMT "' a time limit", STR_ARG(entry));
}

/*
 * A clause about threads of @p that may hold the objects for which others wait: "; 10 others wait
 * for the network in f, and may hold the objects". "": no threads of @p wait for anything else.
 */
static const char *pool_holders(const struct rule_input *in, struct findings *out,
				struct finding *f, const struct pool *p)
{
	unsigned int best = THREAD_WAIT_POOL;

	for (unsigned int k = 0; k < THREAD_WAIT_KINDS; k++) {
		if (k != THREAD_WAIT_POOL && pool_is_blocking(k) && p->blocked[k] &&
		    (best == THREAD_WAIT_POOL || p->blocked[k] > p->blocked[best]))
			best = k;
	}
	if (best == THREAD_WAIT_POOL)
		return "";
	thread_words_cite(out, f, in, p->row[best]);
	return finding_name(out, "; %llu other%s wait%s for %s in %s, and may hold the objects",
			    (unsigned long long)p->blocked[best], p->blocked[best] == 1 ? "" : "s",
			    p->blocked[best] == 1 ? "s" : "",
			    thread_wait_object((enum thread_wait)best),
			    thread_words_place(out, in, p->row[best]));
}

/*
 * The object for which thread @row waits, by the @kind of its wait: "the network". For a future it
 * is "the result of a task".
 */
static const char *pool_object(const struct rule_input *in, uint32_t row, enum thread_wait kind)
{
	uint32_t n = in->threads->rows.data[row].place;

	for (uint32_t i = 0; kind == THREAD_WAIT_EVENT && i < n; i++) {
		if (str_glob(STR("*Future*|*future*"), thread_words_frame(in, row, i)))
			return "the result of a task";
	}
	return thread_wait_object(kind);
}

/* Number of dumps of the input that show the stack of thread @row. */
static uint32_t pool_dumps(const struct rule_input *in, uint32_t row)
{
	VEC_FOREACH (g, &in->threads->groups) {
		if (g->stack.v == threads_summary_row(in->threads, row)->stack.v)
			return g->snapshots;
	}
	return 1;
}

/* Add the finding about pool @p. @outside: clause about threads outside of pools. */
static void pool_finding(const struct rule_input *in, struct findings *out, const struct pool *p,
			 enum thread_wait kind, const char *outside)
{
	uint32_t row = p->row[kind];
	uint32_t dumps = pool_dumps(in, row);
	const char *again =
		dumps > 1 ? "" : finding_name(out, "%s; then ", thread_words_dumps(out, in));
	bool is_own = pool_is_of_own_threads(in, row);
	struct finding *f = finding_add(out, in, &rule_thread_pool,
					is_own ? FINDING_NOTE : FINDING_WARNING, POOL_SURE);

	if (is_own)
		finding_claim(out, f, "%llu of %llu threads of '" STR_FMT "' wait for %s in %s",
			      (unsigned long long)p->blocked[kind], (unsigned long long)p->threads,
			      STR_ARG(((struct str){ p->name, p->len })),
			      pool_object(in, row, kind), thread_words_place(out, in, row));
	else if (p->len)
		finding_claim(out, f,
			      "Pool exhausted: %llu of %llu threads of '" STR_FMT
			      "' wait for %s in %s%s",
			      (unsigned long long)p->blocked[kind], (unsigned long long)p->threads,
			      STR_ARG(((struct str){ p->name, p->len })),
			      pool_object(in, row, kind), thread_words_place(out, in, row),
			      kind == THREAD_WAIT_POOL ? pool_holders(in, out, f, p) : outside);
	else
		finding_claim(out, f, "Pool exhausted: %s wait for %s in %s",
			      thread_words_count(out, in, p->blocked[kind]),
			      pool_object(in, row, kind), thread_words_place(out, in, row));
	finding_figure(f, p->len ? "blocked threads of the pool" : "threads that wait there",
		       (double)p->blocked[kind], 0, "");
	finding_figure(f, p->len ? "threads of the pool" : thread_words_all(out, in, "threads"),
		       (double)p->threads, 0, "");
	thread_words_cite(out, f, in, row);
	finding_usual_cause(
		out, f, "%s%s",
		is_own ? "Threads that serve one connection each wait like this without work. "
			 "Threads that share the work are all taken. "
		       : "",
		pool_cause(kind, thread_words_has_limit(in, row)));
	if (dumps > 1)
		finding_because(out, f, "the same stack is in %u dumps", dumps);
	else
		finding_because(out, f,
				"the threads are counted\n"
				"how long they wait");
	if (kind == THREAD_WAIT_SLEEP) {
		finding_next(out, f, "%sschedule the task again later instead of sleeping", again);
		return;
	}
	finding_next(out, f, "%s%s", again, pool_next(in, out, row, kind));
}

/*
 * A clause about @outside threads that wait for a result, but not inside a task; "" if @outside is
 * 0.
 */
static const char *pool_outside_words(struct findings *out, uint64_t outside)
{
	if (!outside)
		return "";
	return finding_name(
		out,
		", inside a task of the pool; %llu thread%s outside of tasks wait%s for "
		"a result, too, perhaps one of this pool",
		(unsigned long long)outside, outside == 1 ? "" : "s", outside == 1 ? "s" : "");
}

/*
 * If the threads of pool @p wait for a result inside a task: a clause about other threads that wait
 * for a result, but not inside a task: ", inside a task of the pool; 4 threads outside of tasks
 * wait for a result, too, perhaps one of this pool". Returns "" if there are no such threads.
 */
static const char *pool_outside(const struct rule_input *in, struct findings *out,
				const struct pool *pools, size_t n, const struct pool *p)
{
	uint64_t outside = 0;

	if (!thread_words_is_in_task(in, p->row[THREAD_WAIT_EVENT]))
		return "";
	for (size_t i = 0; i < n; i++) {
		if (&pools[i] != p && pools[i].blocked[THREAD_WAIT_EVENT] &&
		    !thread_words_is_in_task(in, pools[i].row[THREAD_WAIT_EVENT]))
			outside += pools[i].blocked[THREAD_WAIT_EVENT];
	}
	return pool_outside_words(out, outside);
}

/*
 * Is wait @k of pool @a a better finding than wait @best_k of pool @best? A wait inside a task is
 * better than a wait outside. Otherwise the wait with more blocked threads is better.
 */
static bool pool_is_better(const struct rule_input *in, const struct pool *a, unsigned int k,
			   const struct pool *best, unsigned int best_k)
{
	bool is_task = thread_words_is_in_task(in, a->row[k]);

	if (!best)
		return true;
	if (is_task != thread_words_is_in_task(in, best->row[best_k]))
		return is_task;
	return a->blocked[k] > best->blocked[best_k];
}

static bool pool_search(const struct rule_input *in, struct findings *out, const struct pool *pools,
			size_t n)
{
	const struct pool *best = NULL;
	unsigned int kind = 0;

	for (size_t i = 0; i < n; i++) {
		for (unsigned int k = 0; k < THREAD_WAIT_KINDS; k++) {
			if (pools[i].threads < POOL_LEAST || !pool_is_blocking(k) ||
			    (double)pools[i].blocked[k] < POOL_PART * (double)pools[i].threads ||
			    !pool_is_better(in, &pools[i], k, best, kind))
				continue;
			best = &pools[i];
			kind = k;
		}
	}
	if (!best)
		return false;
	pool_finding(in, out, best, (enum thread_wait)kind,
		     kind == THREAD_WAIT_EVENT ? pool_outside(in, out, pools, n, best) : "");
	return true;
}

/* May goroutines that wait for a channel in the function @place be idle, waiting for a job? */
static bool pool_is_idle(struct str place, const struct thread_channels *c)
{
	return !c->nested && str_glob(STR(THREAD_POOL_JOBS), place) &&
	       !str_glob(STR(THREAD_POOL_HAND_OUTS), place);
}

/*
 * Set cause and next step for goroutines that may hold one object of a pool and wait for a second
 * one.
 */
static void pool_say_nested(const struct rule_input *in, struct findings *out, struct finding *f,
			    const struct thread_channels *c)
{
	struct str outer = facts_name(in->facts, c->outer);
	struct str place = facts_name(in->facts, c->place);

	finding_usual_cause(out, f,
			    "They may hold one object and wait for a second from the same pool: if "
			    "all goroutines that hold one do so, none goes on (deadlock by nested "
			    "checkout)");
	finding_next(out, f,
		     "read " STR_FMT ": does it hold what " STR_FMT
		     " returned to it while it calls on? Give it back first, or pass it to the "
		     "callee",
		     STR_ARG(outer), STR_ARG(place));
}

/*
 * Add a finding about goroutines that wait for a channel in a function that other functions call.
 * False: no finding was added.
 */
static bool pool_channels(const struct rule_input *in, struct findings *out)
{
	struct thread_channels c;
	bool is_pool, is_work;
	struct finding *f;
	struct str place;
	const char *text;

	if (!thread_channels_find(in->threads, &c) || c.threads < POOL_LEAST)
		return false;
	place = facts_name(in->facts, c.place);
	if (pool_is_idle(place, &c))
		return false;
	is_pool = str_glob(STR(THREAD_POOL_HAND_OUTS), place);
	is_work = c.nested || (c.callers > 1 && c.distance > 1);
	f = finding_add(out, in, &rule_thread_pool,
			is_pool && is_work ? FINDING_WARNING : FINDING_NOTE,
			is_work ? POOL_SURE : POOL_CHANNEL);
	text = finding_name(
		out, "%s%llu of %s wait for %s in %s", is_pool && is_work ? "Pool exhausted: " : "",
		(unsigned long long)c.threads, thread_words_count(out, in, in->threads->threads),
		thread_wait_object((enum thread_wait)in->threads->rows.data[c.row].kind),
		thread_words_place(out, in, c.row));
	thread_words_cite(out, f, in, c.row);
	if (c.nested) {
		text = finding_name(out,
				    "%s; %llu of them got there through " STR_FMT
				    ", which also calls " STR_FMT " itself",
				    text, (unsigned long long)c.nested,
				    STR_ARG(facts_name(in->facts, c.outer)), STR_ARG(place));
		thread_words_cite(out, f, in, c.nested_row);
	}
	finding_claim(out, f, "%s", text);
	finding_figure(f, "goroutines that wait there", (double)c.threads, 0, "");
	finding_figure(f, thread_words_all(out, in, "goroutines"), (double)in->threads->threads, 0,
		       "");
	finding_figure(f, "functions that call it", c.callers, 0, "");
	if (c.nested)
		finding_figure(f, "with a second call on the stack", (double)c.nested, 0, "");
	finding_because(out, f,
			is_work ? "several functions call it in the middle of their work\n"
				  "how long they wait"
				: "the threads are counted, below one caller\n"
				  "what it hands out, and how long they wait");
	if (c.nested)
		pool_say_nested(in, out, f, &c);
	else if (is_work && is_pool)
		finding_usual_cause(out, f,
				    "Objects are held too long, if the waiting threads change "
				    "between two dumps\n"
				    "objects are never returned, if the same threads stay\n"
				    "there are too few, if all holders work and finish soon");
	else
		finding_usual_cause(out, f,
				    "All objects or permits are in use or were never returned, if "
				    "the function hands these out\n"
				    "an answer is missing, if it waits for one\n"
				    "these goroutines have no work, if it hands out jobs");
	finding_next(out, f, "%s",
		     thread_words_watch(out, in,
					"a stack that stays is stuck; then look for the goroutine "
					"that should send to this channel",
					"which goroutine should send to this channel"));
	return true;
}

/*
 * The loop of the worker that runs the task of thread @row: the first function outwards from the
 * task that is neither a lambda nor part of the C++ library. STR_NONE: the thread runs no task.
 */
static struct str pool_loop(const struct rule_input *in, uint32_t row)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;
	bool is_task = false;

	for (uint32_t i = in->threads->rows.data[row].place + 1; i < n; i++) {
		struct str name = thread_words_frame(in, row, i);

		if (str_glob(STR(THREAD_WORDS_TASKS), name))
			is_task = true;
		else if (is_task && !str_glob(STR(POOL_NO_LOOPS), name) &&
			 wait_role_find(name, WAIT_LINES_DUMP) == WAIT_ROLE_NONE)
			return name;
	}
	return STR_NONE;
}

/* Is function @loop on the stack of thread @row? */
static bool pool_has_loop(const struct rule_input *in, uint32_t row, struct str loop)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	for (uint32_t i = 0; i < n; i++) {
		if (str_eq(thread_words_frame(in, row, i), loop))
			return true;
	}
	return false;
}

/*
 * Add a finding about workers without names: all threads that run the loop of a pool wait for
 * results inside its tasks. False: no finding was added.
 */
static bool pool_tasks(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	const unsigned int kind = THREAD_WAIT_EVENT;
	struct pool p = { .threads = 0 };
	struct str loop = STR_NONE;
	uint64_t outside = 0;

	for (uint32_t i = 0; i < s->rows.len && loop.len == 0; i++) {
		if (threads_summary_row(s, i)->snapshot == s->snapshot)
			loop = pool_loop(in, i);
	}
	for (uint32_t i = 0; loop.len && i < s->rows.len; i++) {
		const struct thread_row *r = threads_summary_row(s, i);
		bool waits = s->rows.data[i].kind == kind && thread_words_wants_result(in, i);

		if (r->snapshot != s->snapshot)
			continue;
		if (!pool_has_loop(in, i, loop)) {
			outside += waits ? r->count : 0;
			continue;
		}
		p.threads += r->count;
		if (!waits || !str_eq(pool_loop(in, i), loop))
			return false;
		p.row[kind] = p.blocked[kind] ? p.row[kind] : i;
		p.blocked[kind] += r->count;
	}
	if (p.threads < POOL_TASKS)
		return false;
	p.len = loop.len < POOL_NAME ? loop.len : POOL_NAME;
	memcpy(p.name, loop.p, p.len);
	pool_finding(in, out, &p, THREAD_WAIT_EVENT, pool_outside_words(out, outside));
	return true;
}

static void pool_search_all(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	struct pool *pools = xcalloc(POOL_MAX, sizeof(*pools));
	bool is_found;
	size_t n = 0;

	for (uint32_t i = 0; i < s->rows.len; i++) {
		if (threads_summary_row(s, i)->snapshot == s->snapshot)
			pool_add(pools, &n, in, i);
	}
	is_found = pool_search(in, out, pools, n);
	if (!is_found && s->waiting[THREAD_WAIT_POOL] >= POOL_WAITERS) {
		struct pool all = { .threads = s->threads };

		/* if all threads that wait for an object belong to one pool, report this pool */
		for (size_t i = 0; i < n; i++) {
			if (pools[i].blocked[THREAD_WAIT_POOL] == s->waiting[THREAD_WAIT_POOL])
				all = pools[i];
		}
		all.blocked[THREAD_WAIT_POOL] = s->waiting[THREAD_WAIT_POOL];
		VEC_FOREACH (g, &s->groups) {
			if (g->kind == THREAD_WAIT_POOL) {
				all.row[THREAD_WAIT_POOL] = g->row;
				break;
			}
		}
		pool_finding(in, out, &all, THREAD_WAIT_POOL, "");
		is_found = true;
	}
	is_found = is_found || pool_tasks(in, out) || pool_channels(in, out);
	if (!is_found && n)
		finding_clean(out, in, &rule_thread_pool, "no thread pool is blocked as a whole");
	else if (!is_found)
		finding_not_assessed(out, in, &rule_thread_pool, "a dump with the names of threads",
				     "no thread has a name with a number");
	free(pools);
}

/*
 * Does the dump list only blocked tasks, as SysRq-w and reports of hung tasks do? Then free threads
 * of a pool are not in it.
 */
static bool pool_is_of_blocked(const struct threads_summary *s)
{
	for (uint32_t i = 0; i < s->rows.len; i++) {
		const struct thread_row *row = threads_summary_row(s, i);

		if (row->snapshot == s->snapshot && row->state != THREAD_DISK)
			return false;
	}
	return s->rows.len > 0;
}

static void pool_check(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;

	if (pool_is_of_blocked(s)) {
		finding_not_assessed(out, in, &rule_thread_pool,
				     "echo t > /proc/sysrq-trigger: the stacks of all tasks",
				     "the dump has only blocked tasks, not the other threads of "
				     "their pools");
		return;
	}
	pool_search_all(in, out);
}

static const char *const pool_overrules[] = { "thread-waits", NULL };

const struct rule rule_thread_pool = {
	.id = "thread-pool",
	.title = "Pool exhausted",
	.needs = RULE_THREADS,
	.overrules = pool_overrules,
	.check = pool_check,
};
