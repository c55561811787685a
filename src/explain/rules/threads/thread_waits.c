/* SPDX-License-Identifier: MIT */
/*
 * The functions in which the threads of a dump wait or run. The rule reports only if no other rule
 * has a finding. The finding names the largest group of threads that is not idle.
 *
 * Event loops, workers without work and sleeping threads are normal in a healthy program. They are
 * reported only if the dump has few threads and all are of this kind: a person probably selected
 * them because they hang.
 */
#include "explain/words/loop_words.h"
#include "explain/words/source_words.h"
#include "explain/words/thread_words.h"
#include "explain/words/wait_reasons.h"

#include "analyses/plain_name.h"
#include "analyses/threads/thread_summary.h"
#include "analyses/threads/thread_waits.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/names/package.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/thread_waits_names.h"

DECLARE_RULE(thread_waits);

/*
 * If threads have waited at least this long (ns), the next step does not ask for more dumps: they
 * would show the same stacks.
 */
#define WAITS_STUCK_NS UINT64_C(60000000000)

/* a dump with at most this number of threads was probably selected by a person */
#define WAITS_FEW    6u
#define WAITS_OTHERS 2u /* maximum number of other groups of threads that the sentence names */
/* minimum number of threads that wait for an element of a queue, such as a free connection */
#define WAITS_QUEUE 3u
/* if at least this number of threads are at one place, they probably wait for the same lock */
#define WAITS_AT_ONE 3u
#define WAITS_SURE   75u
#define WAITS_USUAL  60u /* certainty for kinds of waits that idle threads also have */
/* No critical section is this long (ns): a thread that waits longer for a lock never gets it. */
#define WAITS_LOCK_NS UINT64_C(60000000000)
/* if a thread is younger than this (ns), its CPU time since its start is not judged */
#define WAITS_LIFE_NS UINT64_C(1000000000)
/* the longest time limit of a poll that is reported, ms: one hour */
#define WAITS_POLL_MS UINT64_C(3600000)

static const char *const waits_causes[THREAD_WAIT_KINDS] = {
	/* in both cases the outer frames stay and the inner ones change */
	[THREAD_WAIT_NONE] =
		"Work that takes long, if its result or a counter in the arguments grows\n"
		"an endless loop, if the inner frames come back again and again and nothing grows",
	[THREAD_WAIT_LOCK] =
		"the lock's owner waits itself, if another thread waits below a call that took "
		"this lock\n"
		"this same thread took it before, if an outer frame locks it, too\n"
		"the owner has ended, or fork() copied the lock while it was taken, if no thread "
		"of the process is its owner",
	[THREAD_WAIT_EVENT] =
		"the sender of the signal waits itself, if the thread that should send it waits in "
		"the same dump\n"
		"the signal was sent before the wait began, if that thread has gone on\n"
		"the signal is never sent, if no code path of that thread sends it",
	[THREAD_WAIT_JOIN] = "the awaited thread does not end",
	[THREAD_WAIT_CHILD] = "The child process does not end: it may wait for its parent, an "
			      "unread pipe, or input",
	[THREAD_WAIT_SLEEP] =
		"The thread sleeps on purpose: a delay, a retry, or a poll with a fixed interval",
	[THREAD_WAIT_POLL] =
		"the other side sends nothing, if no data waits (of sockets: ss -tnp, Recv-Q 0)\n"
		"the program missed the event, if data waits (Recv-Q above 0)",
	[THREAD_WAIT_SOCKET] =
		"The other side does not answer or is slow, and no time limit is visible",
	[THREAD_WAIT_CONNECT] =
		"a firewall or the network drops the packets, if the SYN does not arrive there\n"
		"the accept queue of the other side is full, if the SYN arrives and is not "
		"answered",
	[THREAD_WAIT_DNS] =
		"The name server does not answer: five seconds per try and server by default",
	[THREAD_WAIT_DISK] = "The disk or file system of this thread is slow or stuck",
	[THREAD_WAIT_PAGE] =
		"The buffer or page stays locked: its I/O has not completed (the disk is "
		"slow or stuck), or another thread holds the lock, and may wait itself",
	[THREAD_WAIT_READ] =
		"the other end of the pipe is silent, if the descriptor is a pipe (ls -l "
		"/proc/PID/fd)\n"
		"the disk is slow, if the descriptor is a file",
	[THREAD_WAIT_FILE_LOCK] = "another process holds the file lock",
	[THREAD_WAIT_SEND] = "nobody receives from the channel",
	[THREAD_WAIT_RECEIVE] = "nobody sends to the channel or closes it",
	[THREAD_WAIT_SELECT] = "none of its channels is ever ready",
	[THREAD_WAIT_FIFO] = "No process opens the other end of the pipe: it has ended, or waits "
			     "itself",
	[THREAD_WAIT_CONDITION] = "the condition does not become true: what it waits for does not "
				  "end",
	[THREAD_WAIT_RANDOM] =
		"The kernel, or the device behind /dev/random, has not collected enough entropy: "
		"early after the start of a machine, in a small guest, or with a kernel before 5.6",
	[THREAD_WAIT_POOL] = "All permits or objects are in use, or were never given back",
	[THREAD_WAIT_GC] = "the garbage collector stops threads, or one thread does not reach its "
			   "safepoint",
	[THREAD_WAIT_IDLE] = "the thread has no work",
	[THREAD_WAIT_SYSCALL] = "the kernel has no answer yet: the other side of the file, pipe or "
				"device is silent, or the call has much to do",
	[THREAD_WAIT_PUT] =
		"The queue is full: its consumers are slower than its producers, or have stopped",
	[THREAD_WAIT_CPU] = "The scheduler left it on a run queue that no CPU serves: its affinity "
			    "changed, or its CPUs are busy",
};

/* Does thread @row send to a nil channel, or receive from one? This wait never ends. */
static bool waits_is_nil(const struct rule_input *in, uint32_t row, enum thread_wait kind)
{
	return (kind == THREAD_WAIT_RECEIVE || kind == THREAD_WAIT_SEND) &&
	       str_glob(STR("*(nil chan)*"),
			strings_get(capture_strings(in->capture),
				    threads_summary_row(in->threads, row)->state_text));
}

/* Does thread @row run a task of a pool, and wait there for the result of another task? */
static bool waits_is_task(const struct rule_input *in, uint32_t row, enum thread_wait kind)
{
	return (kind == THREAD_WAIT_EVENT || kind == THREAD_WAIT_JOIN) &&
	       thread_words_wants_result(in, row) && thread_words_is_in_task(in, row);
}

/*
 * Do idle threads also have waits like that of thread @row? (A task of a pool that waits for a
 * result is not idle.)
 */
static bool waits_is_usual(const struct rule_input *in, uint32_t row, enum thread_wait kind)
{
	if (waits_is_nil(in, row, kind))
		return false;
	if (waits_is_task(in, row, kind))
		return false;
	/* ps prints processes: an idle process sleeps, and a shell waits for its child */
	if (str_eq(strings_get(capture_strings(in->capture), in->capture->threads->dialect),
		   STR("ps")) &&
	    threads_summary_row(in->threads, row)->state != THREAD_DISK &&
	    (kind == THREAD_WAIT_CHILD || kind == THREAD_WAIT_READ || kind == THREAD_WAIT_SOCKET ||
	     (kind == THREAD_WAIT_NONE && thread_words_sleeps(in, row))))
		return true;
	return kind == THREAD_WAIT_POLL || kind == THREAD_WAIT_SLEEP || kind == THREAD_WAIT_EVENT ||
	       kind == THREAD_WAIT_CONDITION || kind == THREAD_WAIT_SELECT ||
	       kind == THREAD_WAIT_RECEIVE || kind == THREAD_WAIT_JOIN;
}

/*
 * The event loop that runs the function in which thread @row waits. Meanwhile the loop runs no
 * other task. (A loop without work would wait for file descriptors.) Empty: none.
 */
static struct str waits_loop(const struct rule_input *in, uint32_t row)
{
	const struct thread_seen *seen = &in->threads->rows.data[row];
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	if (seen->kind == THREAD_WAIT_NONE || seen->kind == THREAD_WAIT_POLL ||
	    seen->kind == THREAD_WAIT_IDLE)
		return STR_NONE;
	for (uint32_t i = seen->place + 1; i < n; i++) {
		struct str name = thread_words_frame(in, row, i);

		if (loop_words_is_loop(name))
			return str_sub(name, 0, str_find(name, STR(" (")));
	}
	return STR_NONE;
}

/*
 * Is thread @row one that a tool started inside of the program? The innermost function outside of
 * libraries is then one of the tool.
 */
static bool waits_is_tool(const struct rule_input *in, uint32_t row)
{
	const struct thread_seen *seen = &in->threads->rows.data[row];
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	if (seen->kind == THREAD_WAIT_NONE || seen->kind == THREAD_WAIT_LOCK)
		return false;
	for (uint32_t i = seen->place; i < n; i++) {
		sym_id sym = threads_summary_sym(in->threads, row, i);

		if (!source_words_is_library(in->capture, sym) &&
		    thread_waits_is_own(in->capture, sym))
			return str_glob(STR(WAITS_TOOLS), thread_words_frame(in, row, i));
	}
	return false;
}

static bool waits_is_idle(const struct rule_input *in, const struct thread_group *g)
{
	if (g->kind == THREAD_WAIT_IDLE || waits_is_tool(in, g->row))
		return true;
	if (waits_loop(in, g->row).len)
		return false;
	if (waits_is_usual(in, g->row, (enum thread_wait)g->kind))
		return in->threads->threads > WAITS_FEW;
	return threads_summary_row(in->threads, g->row)->n_frames == 0;
}

/*
 * Does the group of threads run, or wait inside a system call? Then no other thread of the program
 * blocks it.
 */
static bool waits_is_outside(const struct thread_group *g)
{
	return g->kind == THREAD_WAIT_NONE || g->kind == THREAD_WAIT_SYSCALL;
}

/* Has the group waited for a lock for so long that it is stuck? */
static bool waits_is_stuck(const struct thread_group *g)
{
	return g->kind == THREAD_WAIT_LOCK && g->age_ns >= WAITS_LOCK_NS;
}

/* The earlier finding about this dump that reports a deadlock; NULL: none. */
static const struct finding *waits_deadlock(const struct rule_input *in, const struct findings *out)
{
	const struct finding *row = NULL;

	while ((row = findings_of(out, in->number, row))) {
		if (row->never_ends)
			return row;
	}
	return NULL;
}

/*
 * Does the finding @deadlock explain why the threads of @g wait? It does if they wait for a lock,
 * or if the finding cites their stack. For all other waits the reason is unknown, and the answer is
 * false.
 */
static bool waits_is_dead(const struct rule_input *in, const struct finding *deadlock,
			  const struct thread_group *g)
{
	const struct thread_row *t = threads_summary_row(in->threads, g->row);
	const struct thread_frame *frames = threads_frames(in->capture->threads, t);

	if (g->kind == THREAD_WAIT_LOCK)
		return true;
	VEC_FOREACH (e, &deadlock->evidence) {
		for (uint32_t i = 0; i < t->n_frames; i++) {
			if (e->line == frames[i].line || e->line == t->line)
				return true;
		}
	}
	return false;
}

/*
 * Is @g left out of the finding? It is if its threads have no work. If @deadlock is not NULL,
 * groups whose wait it does not explain are left out, too.
 */
static bool waits_is_out(const struct rule_input *in, const struct finding *deadlock,
			 const struct thread_group *g)
{
	return waits_is_idle(in, g) || (deadlock && !waits_is_dead(in, deadlock, g));
}

/* The group of threads that waits for a lock of @owner's first thread; NULL: none. */
static const struct thread_group *waits_behind(const struct rule_input *in,
					       const struct thread_group *owner)
{
	const struct threads_summary *s = in->threads;

	VEC_FOREACH (g, &s->groups) {
		uint32_t wants = s->rows.data[g->row].wants;

		if (g != owner && g->kind == THREAD_WAIT_LOCK && wants != INDEX_NONE &&
		    s->locks.data[wants].owner == owner->row)
			return g;
	}
	return NULL;
}

/* Does thread @row run a task whose result another thread can wait for? */
static bool waits_runs_result(const struct rule_input *in, uint32_t row)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	for (uint32_t i = in->threads->rows.data[row].place + 1; i < n; i++) {
		if (str_glob(STR(WAITS_RESULT_TASKS), thread_words_frame(in, row, i)))
			return true;
	}
	return false;
}

/*
 * The only thread that runs a task, if exactly one thread waits for the result of a task.
 * *@ret_waiter: the thread that waits. NULL: none, or several.
 */
static const struct thread_group *waits_awaited(const struct rule_input *in,
						const struct thread_group **ret_waiter)
{
	const struct thread_group *task = NULL;
	const struct thread_group *waiter = NULL;
	uint64_t tasks = 0, waiters = 0;

	VEC_FOREACH (g, &in->threads->groups) {
		if (g->kind == THREAD_WAIT_IDLE)
			continue;
		if (waits_runs_result(in, g->row)) {
			tasks += g->threads;
			task = g;
		} else if ((g->kind == THREAD_WAIT_EVENT || g->kind == THREAD_WAIT_JOIN) &&
			   thread_words_wants_result(in, g->row)) {
			waiters += g->threads;
			waiter = g;
		}
	}
	*ret_waiter = waiter;
	return tasks == 1 && waiters == 1 ? task : NULL;
}

/*
 * The group of threads to report; NULL: none. The first of these groups is returned:
 * - A group that has waited for a lock for a minute or more: this lock is never released.
 * - The largest group, if it has several threads and waits.
 * - A single thread that waits in a task for the result of another task, unless a thread runs.
 * - The only running thread, or else the largest group. If it runs, and another group waits for a
 *   lock of its first thread, the other group is returned: its finding names the lock and its
 *   owner.
 * - If all threads may be idle: the only thread that runs a task for whose result another one
 * waits.
 */
static const struct thread_group *waits_pick(const struct rule_input *in,
					     const struct finding *deadlock)
{
	const struct threads_summary *s = in->threads;
	const struct thread_group *best = NULL;
	const struct thread_group *runner = NULL;
	const struct thread_group *waiter;

	VEC_FOREACH (g, &s->groups) {
		if (waits_is_out(in, deadlock, g))
			continue;
		if (waits_is_stuck(g))
			return g;
		/* the thread that submitted a task waits for its result as long as the task waits
		 */
		if (!best || (best->threads == 1 && g->threads == 1 &&
			      !waits_is_task(in, best->row, (enum thread_wait)best->kind) &&
			      waits_is_task(in, g->row, (enum thread_wait)g->kind)))
			best = g;
		if (waits_is_outside(g))
			runner = runner || g->threads > 1 ? best : g;
	}
	if (!runner && !best && !deadlock)
		return waits_awaited(in, &waiter);
	if (!runner || (best && !waits_is_outside(best) && best->threads > 1))
		return best;
	best = waits_behind(in, runner);
	return best ? best : runner;
}

/* Do all threads that are not in @g wait? */
static bool waits_is_alone(const struct threads_summary *s, const struct thread_group *g)
{
	return s->threads > g->threads && s->waiting[THREAD_WAIT_NONE] == g->threads &&
	       !s->waiting[THREAD_WAIT_CPU];
}

/* Has thread @row used less than 1 % of a CPU since its start? */
static bool waits_hardly_ran(const struct rule_input *in, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	uint64_t cpu_ns, ns;

	return r->state == THREAD_RUNNING && r->lifetime_ns >= WAITS_LIFE_NS &&
	       r->cpu_ns < r->lifetime_ns / 100 && r->cpu_ns &&
	       !thread_words_used(in, row, &cpu_ns, &ns);
}

/*
 * The time limit, ms, of the poll in which thread @row waits, as its arguments print it:
 * timeout=240. 0: none, or not printed, or above WAITS_POLL_MS: programs pass INT_MAX for none.
 */
static uint64_t waits_poll_ms(const struct rule_input *in, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	const struct thread_frame *frames = threads_frames(in->capture->threads, r);
	uint32_t place = in->threads->rows.data[row].place;

	for (uint32_t i = 0; i < place && i < r->n_frames; i++) {
		struct str args = strings_get(capture_strings(in->capture), frames[i].args);
		struct str name = thread_words_frame(in, row, i);
		size_t at = str_find(args, STR("timeout="));
		uint64_t ms;

		if (at >= args.len || !str_glob(STR(WAITS_TIMED_POLLS), name))
			continue;
		args = str_skip(args, at + strlen("timeout="));
		(void)str_take(&args, STR("timeout@entry="));
		return str_u64(&args, &ms) && ms <= WAITS_POLL_MS ? ms : 0;
	}
	return 0;
}

/* A group of threads as a sentence: "thread 'a' waits for the disk in f". */
static const char *waits_sentence(const struct rule_input *in, struct findings *out,
				  const struct thread_group *g)
{
	const struct threads_summary *s = in->threads;
	const char *plural = g->threads == 1 ? "s" : "";
	const char *place = thread_words_place(out, in, g->row);
	const char *age = g->age_ns ? thread_words_ages(out, in, g->age_least_ns, g->age_ns) : "";
	struct str loop = waits_loop(in, g->row);
	uint64_t ms = waits_poll_ms(in, g->row);
	const char *who = g->threads == 1
				  ? thread_words_name(out, in, g->row)
				  : finding_name(out, "%llu of %s", (unsigned long long)g->threads,
						 thread_words_count(out, in, s->threads));

	if (g->kind == THREAD_WAIT_NONE && !thread_words_runs(in, g->row))
		return finding_name(out, "%s %s%s in %s", who, thread_words_verb(in, g->row),
				    plural, place);
	if (g->kind == THREAD_WAIT_NONE && waits_hardly_ran(in, g->row))
		return finding_name(out, "%s %s runnable in %s", who,
				    g->threads == 1 ? "is" : "are", place);
	if (g->kind == THREAD_WAIT_NONE && !thread_words_is_shown_running(in, g->row))
		return finding_name(out, "%s %s in %s%s", who, g->threads == 1 ? "is" : "are",
				    place, waits_is_alone(s, g) ? ", while the others wait" : "");
	if (g->kind == THREAD_WAIT_NONE)
		return finding_name(out, "%s run%s in %s%s", who, plural, place,
				    waits_is_alone(s, g) ? ", while the others wait" : "");
	if (g->kind == THREAD_WAIT_CPU)
		return finding_name(out,
				    "%s has been runnable%s%s but is not scheduled: it waits on a "
				    "run queue, in %s",
				    who, *age ? " for " : "", age, place);
	if (*age)
		return finding_name(out, "%s %s waited %s for %s in %s", who,
				    g->threads == 1 ? "has" : "have", age,
				    thread_words_object(in, g->row), place);
	return finding_name(
		out, "%s wait%s for %s%s in %s%s", who, plural, thread_words_object(in, g->row),
		g->kind == THREAD_WAIT_POLL && g->threads == 1 && ms
			? finding_name(out, ", at most %llu ms at a time,", (unsigned long long)ms)
			: "",
		place,
		loop.len ? finding_name(out, ", which blocks the event loop (" STR_FMT ")",
					STR_ARG(loop))
			 : "");
}

/*
 * The function of the program that takes an element from the queue for which thread @row waits. It
 * is the caller of the queue's own function. SYM_ID_NONE: the thread waits for no queue.
 */
static sym_id waits_queue_user(const struct rule_input *in, uint32_t row)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	for (uint32_t i = 0; i + 1 < n; i++) {
		if (str_glob(STR(WAITS_QUEUES), thread_words_frame(in, row, i)))
			return threads_summary_sym(in->threads, row, i + 1);
	}
	return SYM_ID_NONE;
}

/* Does the function @sym, directly or not, call the function in which thread @row waits or runs? */
static bool waits_is_called_by(const struct rule_input *in, uint32_t row, sym_id sym)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	for (uint32_t i = in->threads->rows.data[row].place + 1; i < n; i++) {
		if (threads_summary_sym(in->threads, row, i).v == sym.v)
			return true;
	}
	return false;
}

/*
 * A group of threads that waits at a queue, in a function of the program that is also on the stack
 * of @g. This function perhaps takes resources, such as connections, from the queue, and the
 * threads of @g perhaps use all of these resources. NULL: no such group.
 */
static const struct thread_group *waits_queue(const struct rule_input *in,
					      const struct thread_group *g)
{
	VEC_FOREACH (other, &in->threads->groups) {
		sym_id user = waits_queue_user(in, other->row);

		if (user.v && other->threads >= WAITS_QUEUE &&
		    thread_waits_is_own(in->capture, user) && waits_is_called_by(in, g->row, user))
			return other;
	}
	return NULL;
}

/* A sentence about @g, and about @queue, the group that waits at the queue. @queue may be NULL. */
static const char *waits_at_queue(const struct rule_input *in, struct findings *out,
				  struct finding *f, const struct thread_group *g,
				  const struct thread_group *queue)
{
	const char *text = waits_sentence(in, out, g);

	if (!queue)
		return text;
	thread_words_cite(out, f, in, queue->row);
	return finding_name(out, "%s; %llu wait at a queue in " STR_FMT, text,
			    (unsigned long long)queue->threads,
			    STR_ARG(facts_name(in->facts, waits_queue_user(in, queue->row))));
}

/*
 * Append a sentence about the thread that waits for the result of the task of @g to @text, if all
 * threads may be idle.
 */
static const char *waits_waiter(const struct rule_input *in, struct findings *out,
				struct finding *f, const struct thread_group *g, const char *text)
{
	const struct thread_group *waiter;

	if (!waits_is_idle(in, g) || waits_awaited(in, &waiter) != g)
		return text;
	thread_words_cite(out, f, in, waiter->row);
	return finding_name(out, "%s. It runs the only task, and only %s waits for a result, in %s",
			    text, thread_words_name(out, in, waiter->row),
			    thread_words_place(out, in, waiter->row));
}

/* Append sentences about the next groups of threads that are not idle to @text. */
static const char *waits_others(const struct rule_input *in, struct findings *out,
				struct finding *f, const struct thread_group *first,
				const char *text)
{
	/*
	 * the finding @f was added, which may have moved the other findings in memory, so get the
	 * pointer again
	 */
	const struct finding *deadlock = waits_deadlock(in, out);
	unsigned int n = 0;

	VEC_FOREACH (g, &in->threads->groups) {
		if (g == first || waits_is_out(in, deadlock, g) || n++ >= WAITS_OTHERS)
			continue;
		text = finding_name(out, "%s; %s", text, waits_sentence(in, out, g));
		thread_words_cite(out, f, in, g->row);
	}
	return text;
}

/*
 * May thread @row and others wait for the same Python lock? True if at least WAITS_AT_ONE threads
 * are at the place of @row, and other threads are at other places. Only for dumps that have no
 * frame for the lock that "with lock:" takes (faulthandler).
 */
static bool waits_may_share_lock(const struct rule_input *in, uint32_t row)
{
	struct str dialect =
		strings_get(capture_strings(in->capture), in->capture->threads->dialect);

	if (in->threads->groups.len < 2 || !str_glob(STR(WAITS_FRAMELESS_LOCKS), dialect))
		return false;
	VEC_FOREACH (g, &in->threads->groups) {
		if (g->row == row)
			return g->threads >= WAITS_AT_ONE;
	}
	return false;
}

/*
 * A text about the cause, for a thread @row whose innermost function @step is only a short step of
 * its caller: the caller probably repeats the step in a loop.
 */
static const char *waits_step(const struct rule_input *in, struct findings *out, uint32_t row,
			      struct str step)
{
	struct plain_name plain;

	return finding_name(
		out,
		"A loop of " STR_FMT " repeats the short step " STR_FMT " for each element of a "
		"long list or chain, or without end, if the CPU time of the thread grows (top "
		"-H)\n"
		"a breakpoint, a signal or a crash stopped it here, if the text above the stack "
		"says so",
		STR_ARG(package_strip(thread_words_frame(in, row, 1))),
		STR_ARG(plain_name_make(&plain, step)));
}

/* The cause for thread @row, whose kind of wait is unknown. */
static const char *waits_unknown(const struct rule_input *in, struct findings *out, uint32_t row)
{
	struct str step = thread_words_step(in, row);

	if (thread_words_lacks_gil(in, row))
		return "another thread has the GIL (+gil): this thread waits for it, or runs "
		       "native "
		       "code without it";
	if (in->threads->rows.data[row].is_parked)
		return "it is parked in the runtime, at the address of goroutines that wait; most "
		       "likely for a channel: this kind of dump prints no state";
	if (waits_hardly_ran(in, row))
		return "The JVM calls this thread runnable, but the thread used almost no CPU time "
		       "since its start: it has just begun to work, or it waits in a way that the "
		       "JVM does not see";
	if (step.len && thread_words_runs(in, row))
		return waits_step(in, out, row, step);
	if (thread_words_runs(in, row))
		return thread_words_is_shown_running(in, row)
			       ? waits_causes[THREAD_WAIT_NONE]
			       : "The thread works here, if its CPU time grows (top -H)\n"
				 "a breakpoint, a signal or a crash stopped it here, if the text "
				 "above the stack says so";
	if (str_eq(strings_get(capture_strings(in->capture),
			       threads_summary_row(in->threads, row)->state_text),
		   STR("in Object.wait()")))
		return "A thread that a JVM reports as runnable and in Object.wait() waits until "
		       "another thread has initialised a class";
	if (thread_words_sleeps(in, row))
		return "";
	if (waits_may_share_lock(in, row))
		return "They wait for one lock that a thread elsewhere holds, if they stay there: "
		       "a dump of Python has no frame for a lock\n"
		       "they run, if their CPU time grows (top -H)";
	return "";
}

/*
 * A clause about the owner of the lock for which thread @row waits: the function in which the owner
 * runs or waits. NULL: the owner is unknown, or is thread @row itself.
 */
static const char *waits_owner(const struct rule_input *in, struct findings *out, uint32_t row)
{
	const struct threads_summary *s = in->threads;
	uint32_t wants = s->rows.data[row].wants;
	uint32_t owner = wants == INDEX_NONE ? INDEX_NONE : s->locks.data[wants].owner;
	const char *place;

	if (owner == INDEX_NONE || owner == row)
		return NULL;
	place = thread_words_place(out, in, owner);
	if (s->rows.data[owner].kind == THREAD_WAIT_NONE)
		return finding_name(out, "Its owner, %s, is in %s",
				    thread_words_name(out, in, owner), place);
	return finding_name(out, "Its owner, %s, waits for %s in %s",
			    thread_words_name(out, in, owner),
			    thread_wait_object((enum thread_wait)s->rows.data[owner].kind), place);
}

/*
 * The function that forks, if the dump has a single thread that forks or was just forked. Empty: no
 * such function.
 */
static struct str waits_fork(const struct rule_input *in, uint32_t row)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	for (uint32_t i = 0; i < n && in->threads->rows.len == 1; i++) {
		struct str name = thread_words_frame(in, row, i);

		name = str_sub(name, 0, str_find(name, STR(" (")));
		/* every kernel thread starts in ret_from_fork(), which is no fork by the program */
		if (symbols_get(capture_symbols(in->capture),
				threads_summary_sym(in->threads, row, i))
			    ->space == SPACE_KERNEL)
			return STR_NONE;
		if (str_glob(STR(WAITS_FORKS), name))
			return name;
	}
	return STR_NONE;
}

/* Does thread @row of the kernel sleep in state D, although it waits only for a time? */
static bool waits_is_counted_sleep(const struct rule_input *in, uint32_t row)
{
	uint32_t place = in->threads->rows.data[row].place;

	for (uint32_t i = 0; i <= place && i < threads_summary_row(in->threads, row)->n_frames;
	     i++) {
		if (str_glob(STR(WAITS_COUNTED_SLEEPS), thread_words_frame(in, row, i)))
			return true;
	}
	return false;
}

/*
 * Does the text show only thread @row, of a program with locks in its own memory? The owner of such
 * a lock may be a thread of the parent process, from before a fork.
 */
static bool waits_has_lone_stack(const struct rule_input *in, uint32_t row)
{
	const struct threads *t = in->capture->threads;

	return t->rows.len == 1 && t->rows.data[row].count == 1 &&
	       str_glob(STR("gdb|lldb|eu-stack|backtrace"),
			strings_get(capture_strings(in->capture), t->dialect));
}

/* The cause of the wait of thread @row, which is not idle. @kind: kind of this wait. */
static const char *waits_cause(const struct rule_input *in, struct findings *out, uint32_t row,
			       enum thread_wait kind)
{
	bool is_disk = threads_summary_row(in->threads, row)->state == THREAD_DISK;
	const char *owner = kind == THREAD_WAIT_LOCK ? waits_owner(in, out, row) : NULL;

	struct str fork = kind == THREAD_WAIT_LOCK ? waits_fork(in, row) : STR_NONE;

	if (kind == THREAD_WAIT_NONE)
		return waits_unknown(in, out, row);
	if (fork.len && !owner)
		return finding_name(
			out,
			"The stack passes " STR_FMT
			". If this is the child process, only the thread that forked "
			"lives on in it: a lock that another thread held at the fork is "
			"never released. Call only exec() and async-signal-safe "
			"functions in the child, or take the lock before the fork "
			"(pthread_atfork)",
			STR_ARG(fork));
	if (waits_is_nil(in, row, kind))
		return "The channel is nil: nobody made it, or a nil value was passed. This wait "
		       "never ends";
	if (thread_words_reason(in, row))
		return thread_words_reason(in, row)->cause;
	if (kind == THREAD_WAIT_SLEEP && waits_is_counted_sleep(in, row))
		return "A delay, a retry, or a poll with a fixed interval. This sleep is "
		       "uninterruptible: the thread is in state D and counts in the load average, "
		       "but uses no CPU time";
	if (kind == THREAD_WAIT_DISK && thread_words_is_remote(in, row))
		return "The file system is on a server: the server or the network does not answer, "
		       "or this thread itself has to handle the answer";
	if (kind == THREAD_WAIT_SOCKET && is_disk)
		return "An uninterruptible wait (state D): a file server, or the network to it, "
		       "does not answer";
	if (kind == THREAD_WAIT_EVENT && is_disk)
		return "An uninterruptible wait (state D): a device, a server or another task has "
		       "not completed the work";
	if (waits_is_task(in, row, kind))
		return "A task waits for the result of another task. If that one needs a thread of "
		       "the same pool, none may be left (thread starvation)";
	if (kind == THREAD_WAIT_SOCKET && thread_words_has_limit(in, row))
		return "The other side does not answer or is slow; the call has a time limit";
	if (kind == THREAD_WAIT_LOCK && !owner && waits_has_lone_stack(in, row))
		return "The lock's owner does not release it: it waits itself, has ended, or is "
		       "this same thread. If the process has no other thread, it was forked while "
		       "another thread held the lock";
	return owner ? owner : waits_causes[kind];
}

/*
 * For a dump in which all threads may be idle: a clause about the only thread that waits for the
 * result of another thread. The main thread of a healthy server waits like this, but so does a
 * program that hangs. "": none.
 */
static const char *waits_if_it_hangs(const struct rule_input *in, struct findings *out)
{
	uint64_t tasks = 0;

	VEC_FOREACH (g, &in->threads->groups)
		tasks += g->kind != THREAD_WAIT_IDLE && waits_runs_result(in, g->row) ? g->threads
										      : 0;
	VEC_FOREACH (g, &in->threads->groups) {
		if ((g->kind == THREAD_WAIT_EVENT || g->kind == THREAD_WAIT_JOIN) &&
		    g->threads == 1 && thread_words_wants_result(in, g->row))
			return finding_name(out, ". If the program hangs, %s waits in %s, and %s",
					    thread_words_name(out, in, g->row),
					    thread_words_place(out, in, g->row),
					    tasks ? finding_name(out,
								 "the %llu threads that run tasks "
								 "wait, too",
								 (unsigned long long)tasks)
						  : "no thread is at work to end this wait");
	}
	return "";
}

/*
 * A sentence about the CPU time of a single thread between the last two dumps: ". It used 10.0 s of
 * CPU time in the 10.0 s since the dump before". "": not printed.
 */
static const char *waits_used(const struct rule_input *in, struct findings *out, struct finding *f,
			      const struct thread_group *g)
{
	uint64_t cpu_ns, ns;

	if (g->threads != 1 || !thread_words_used(in, g->row, &cpu_ns, &ns))
		return "";
	finding_figure(f, "CPU time since the dump before", (double)cpu_ns / 1e9, 0, "s");
	return finding_name(out, ". It used %s of CPU time in the %s since the dump before",
			    finding_duration(out, cpu_ns), finding_duration(out, ns));
}

/*
 * Does the dump show only C functions of the interpreter for thread @row, which runs Python code?
 */
static bool waits_is_python(const struct rule_input *in, uint32_t row)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	for (uint32_t i = 0; i < n; i++) {
		if (str_glob(STR("_PyEval_EvalFrameDefault*"), thread_words_frame(in, row, i)))
			return true;
	}
	return false;
}

/* The number of threads that run or are runnable, by their printed states or frames. */
static uint64_t waits_running(const struct rule_input *in)
{
	const struct threads_summary *s = in->threads;
	uint64_t n = 0;

	for (uint32_t i = 0; i < s->rows.len; i++) {
		if (threads_summary_row(s, i)->snapshot == s->snapshot &&
		    str_glob(STR("running|runnable|not blocked"), threads_summary_state(s, i)))
			n += threads_summary_row(s, i)->count;
	}
	return n;
}

/*
 * Is the input a single stack that was copied from a profile, and whose thread runs or takes a
 * lock? Then the thread perhaps does not stay in this place.
 */
static bool waits_is_sampled(const struct rule_input *in, enum thread_wait kind)
{
	struct str dialect =
		strings_get(capture_strings(in->capture), in->capture->threads->dialect);

	return in->threads->rows.len == 1 &&
	       ((kind == THREAD_WAIT_NONE && str_eq(dialect, STR("bcc-stack"))) ||
		((kind == THREAD_WAIT_NONE || kind == THREAD_WAIT_LOCK) &&
		 str_glob(STR("bare-stack|systemtap"), dialect)));
}

/*
 * The next step for thread @row, which waits for a lock: find its owner, or how long the owner
 * keeps it.
 */
static const char *waits_owner_step(const struct rule_input *in, struct findings *out, uint32_t row)
{
	uint32_t wants = in->threads->rows.data[row].wants;
	const char *mutex = thread_words_mutex(out, in, row);
	bool is_stopped;
	const char *dump = thread_words_dump(in, &is_stopped);

	if (in->threads->threads > 1)
		return thread_words_find_owner(out, in, row, false);
	if (mutex)
		return finding_name(out,
				    "%s: __owner is the thread that holds it; if that is no thread "
				    "of this process, it has ended, or fork() copied the lock",
				    mutex);
	if (wants != INDEX_NONE && in->capture->threads->lock_digits &&
	    thread_lock_has_address(in->threads->locks.data[wants].address))
		return finding_name(out, "%s: which of all threads has locked %s",
				    dump ? dump : "take the stacks of all threads",
				    thread_words_lock(out, in, wants));
	return finding_name(out, "%s: which of all threads holds the lock",
			    dump ? dump : "take the stacks of all threads");
}

/* Set the basis of finding @f about group @g, and the thing that the dump does not show. */
static void waits_say_sure(const struct rule_input *in, struct findings *out, struct finding *f,
			   const struct thread_group *g)
{
	uint32_t wants = in->threads->rows.data[g->row].wants;
	bool is_owned = wants != INDEX_NONE && in->threads->locks.data[wants].owner != INDEX_NONE;
	const char *what = g->kind == THREAD_WAIT_LOCK && !is_owned    ? "who holds the lock, and "
			   : g->kind != THREAD_WAIT_NONE               ? ""
			   : thread_words_sleeps(in, g->row)           ? "for what it waits, and "
			   : thread_words_is_shown_running(in, g->row) ? ""
			   : thread_words_runs(in, g->row)
				   ? "whether it runs or was stopped there, and "
				   : "whether it runs or waits there, and ";

	if (g->age_ns)
		finding_because(out, f, "the dump prints the stack and its age\n%swhether it ends",
				what);
	else if (g->snapshots > 1)
		finding_because(out, f,
				"the stack is the same in %u dumps\n%swhether it left in between",
				g->snapshots, what);
	else
		finding_because(out, f, "the dump prints the stack\n%ssince when it %s", what,
				g->kind == THREAD_WAIT_NONE ? "is there" : "waits");
	f->is_place = true;
}

/*
 * The alternatives @cause for a program that hangs. Without this condition, the sign of an
 * alternative may also be true in a thread without work: its socket has no data, either.
 */
static const char *waits_if_hung(struct findings *out, const char *cause)
{
	struct str rest = str_of(cause);
	struct str line;
	const char *text = "";

	while (str_line(&rest, &line)) {
		size_t at = str_find(line, STR(", if "));

		text = finding_name(out, "%s%s" STR_FMT ", if the program hangs%s" STR_FMT, text,
				    *text ? "\n" : "", STR_ARG(str_sub(line, 0, at)),
				    at < line.len ? " and " : "",
				    STR_ARG(str_skip(line, at < line.len ? at + 5 : line.len)));
	}
	return text;
}

/* Set the usual cause of finding @f about group @g, if there is one. */
static void waits_say_cause(const struct rule_input *in, struct findings *out, struct finding *f,
			    const struct thread_group *g, bool has_queue, bool is_usual)
{
	struct str loop = waits_loop(in, g->row);
	const char *cause = waits_cause(in, out, g->row, (enum thread_wait)g->kind);
	bool may_hang =
		is_usual && g->kind != THREAD_WAIT_SLEEP && *cause && !thread_words_says_hang(in);

	finding_usual_cause(
		out, f, "%s%s%s%s%s",
		loop.len ? "A blocking call in a callback of an event loop: no other task of the "
			   "loop runs until it returns. Use the asynchronous call, or a thread"
			 : "",
		loop.len == 0 ? ""
		: str_ends(loop, STR("_run_once"))
			? *cause ? " (asyncio.to_thread). Reason of the wait: "
				 : " (asyncio.to_thread)"
		: *cause ? ". Reason of the wait: "
			 : "",
		has_queue ? "If the queue holds resources (connections, permits), the pool is "
			    "exhausted. If it holds jobs, those threads have no work. "
			  : "",
		may_hang ? "The thread has no work and this wait is normal, if the program "
			   "answers\n"
			 : "",
		may_hang ? waits_if_hung(out, cause) : cause);
}

static void waits_check(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	const struct finding *deadlock = waits_deadlock(in, out);
	const struct thread_group *g = waits_pick(in, deadlock);
	enum thread_wait kind = g ? (enum thread_wait)g->kind : THREAD_WAIT_NONE;
	const struct thread_group *queue = g ? waits_queue(in, g) : NULL;
	const struct wait_reason *reason = g ? thread_words_reason(in, g->row) : NULL;
	uint64_t running = waits_running(in);
	const char *text;
	struct finding *f;
	uint64_t ms = g ? waits_poll_ms(in, g->row) : 0;
	uint64_t cpu_ns, ns;
	bool is_usual;

	if (thread_words_is_nameless(in, &rule_thread_waits, out))
		return;
	if (threads_is_checked(in->capture->threads)) {
		finding_clean(out, in, &rule_thread_waits,
			      "the stacks are those of a checker, and no waits");
		return;
	}
	/* rule sampled-stack reports the work of a sampled stack */
	if (waits_is_sampled(in, kind)) {
		finding_clean(out, in, &rule_thread_waits,
			      "one stack of a profile: not known to stay there");
		return;
	}
	if (!g && deadlock)
		return;
	if (!g && running)
		finding_clean(out, in, &rule_thread_waits,
			      "%llu of %llu threads run or can run; the others wait as threads "
			      "without work do%s",
			      (unsigned long long)running, (unsigned long long)s->threads,
			      waits_if_it_hangs(in, out));
	else if (!g)
		finding_clean(out, in, &rule_thread_waits,
			      "all %llu threads wait as threads without work do%s",
			      (unsigned long long)s->threads, waits_if_it_hangs(in, out));
	if (!g)
		return;
	is_usual = waits_is_usual(in, g->row, kind) &&
		   threads_summary_row(s, g->row)->state != THREAD_DISK &&
		   (!reason || wait_reason_is_general(reason));
	f = finding_add(out, in, &rule_thread_waits,
			waits_is_stuck(g) ? FINDING_WARNING : FINDING_NOTE,
			is_usual ? WAITS_USUAL : WAITS_SURE);
	finding_figure(f,
		       kind == THREAD_WAIT_NONE
			       ? "threads there"
			       : finding_name(out, "threads there (%s)", thread_wait_name(kind)),
		       (double)g->threads, 0, "");
	finding_figure(f, thread_words_all(out, in, "threads"), (double)s->threads, 0, "");
	if (thread_words_is_goroutine_profile(in->capture))
		finding_about(out, f, /* is_part= */ false, "%s",
			      thread_words_about_place(out, in, g->row));
	if (g->snapshots > 1)
		finding_figure(f, "dumps with the same stack", g->snapshots, 0, "");
	thread_words_cite(out, f, in, g->row);
	text = waits_waiter(in, out, f, g, waits_at_queue(in, out, f, g, queue));
	finding_claim(out, f, "%s%s", waits_others(in, out, f, g, text), waits_used(in, out, f, g));
	waits_say_cause(in, out, f, g, queue != NULL, is_usual);
	waits_say_sure(in, out, f, g);
	if (thread_words_used(in, g->row, &cpu_ns, &ns) && g->threads == 1)
		finding_next(out, f,
			     "assay record -p PID, or a profiler of the language: its hot "
			     "functions, if it used the CPU; else its kernel stack");
	else if (thread_words_is_goroutine_profile(in->capture))
		finding_next(out, f, "%s", thread_words_goroutine_states);
	else if (waits_is_python(in, g->row))
		finding_next(out, f,
			     "py-spy dump --pid PID: functions and lines of Python, and whether it "
			     "waits for a lock or for work; these frames do not show it");
	else if (g->snapshots > 1 && !(reason && !wait_reason_is_general(reason)))
		finding_next(out, f,
			     "compare cpu= or top -H between the dumps: a thread that computes "
			     "uses CPU time, a stuck one does not");
	else if (reason)
		finding_next(out, f, "%s", reason->next);
	else if (kind == THREAD_WAIT_RANDOM)
		finding_next(
			out, f,
			"cat /proc/sys/kernel/random/entropy_avail; uname -r: then use "
			"/dev/urandom "
			"(in Java not getInstanceStrong(), and "
			"-Djava.security.egd=file:/dev/./urandom), or add a source: virtio-rng, "
			"rngd");
	else if (kind == THREAD_WAIT_CONDITION)
		finding_next(out, f, "%s",
			     thread_words_watch(
				     out, in,
				     "does the wait end; look in the other threads for what the "
				     "condition needs",
				     "look in the other threads for what the condition needs"));
	else if (g->age_ns >= WAITS_STUCK_NS)
		finding_next(out, f,
			     "look for the thread that should end this wait: who sends, signals, "
			     "closes or opens the other end");
	else if (kind == THREAD_WAIT_LOCK)
		finding_next(out, f, "%s", waits_owner_step(in, out, g->row));
	else if (kind == THREAD_WAIT_POLL && ms && !in->capture->threads->is_stopped)
		finding_next(out, f,
			     "strace -f -T -p PID: each wait ends after at most %llu ms, so later "
			     "dumps show this stack also if the program works. Do all waits end by "
			     "the time limit (= 0), and what does the loop check in between",
			     (unsigned long long)ms);
	else
		finding_next(out, f, "%s",
			     thread_words_watch(
				     out, in,
				     "a stack that stays is stuck, a stack that changes is slow",
				     "what the other threads do, and the arguments of this one"));
}

const struct rule rule_thread_waits = {
	.id = "thread-waits",
	.title = "Blocked threads",
	.needs = RULE_THREADS,
	.check = waits_check,
	.is_general = true,
};
