/* SPDX-License-Identifier: MIT */
/* Deadlocks in a dump that does not print the owners of the locks. */
#include "explain/deadlocks/deadlock.h"

#include "analyses/plain_name.h"
#include "analyses/threads/thread_cross.h"
#include "analyses/threads/thread_summary.h"
#include "analyses/threads/thread_waits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/diag.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/names/package.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/thread_deadlock_names.h"
#include "explain/words/task_words.h"
#include "explain/words/thread_words.h"

#define DEADLOCK_SURE_FEW 60u
/* one thread waits for an answer of the other, as a common object shows; the owner is inferred */
#define DEADLOCK_SURE_ANSWER 70u
/* maximum number of frames from the waiting function outwards to the one that has the object */
#define DEADLOCK_NEAR 4u
/* number of outermost frames with an object: the function of the thread, and what starts it */
#define DEADLOCK_OUTERMOST 2u

/*
 * Clause about the functions on the stack whose names suggest that they took a lock: ", below
 * in_lock_region, do_locked". "" if there are fewer than two.
 */
static const char *deadlock_below(const struct rule_input *in, struct findings *out, uint32_t row)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;
	const char *text = "";
	unsigned int found = 0;

	/* begin with the outermost frame, because the outermost function took its lock first */
	for (uint32_t i = n; i-- > in->threads->rows.data[row].place && found < 5;) {
		struct str name = thread_words_frame(in, row, i);

		if (!str_glob(STR(DEADLOCK_TAKES), name) || str_contains(str_of(text), name))
			continue;
		text = finding_name(out, "%s%s" STR_FMT, text, found++ ? ", " : "", STR_ARG(name));
	}
	return found > 1 ? finding_name(out, ", below %s", text) : "";
}

/* Two threads that take locks of two kinds in opposite order, as the names on their stacks show. */
struct deadlock_order {
	uint32_t row[2];
	/*
	 * frame in which the thread waits. Skip the innermost frames that are equal in both stacks;
	 * of the remaining frames, it is the innermost one with a lock function
	 */
	uint32_t wants[2];
	/*
	 * frame that probably holds the other thread's lock: the outermost lock function with the
	 * same prefix as the lock function in which the other thread waits
	 */
	uint32_t below[2];
};

/*
 * The prefix of the names of a module's functions: "brl_" for brl_get_locks, "g_lock_" for
 * g_lock_dump.
 */
static struct str deadlock_prefix(struct str name)
{
	for (size_t i = DEADLOCK_PREFIX - 1; i < name.len; i++) {
		if (name.p[i] == '_')
			return str_sub(name, 0, i + 1);
	}
	return name;
}

/* Number of innermost frames that are the same on the stacks of @a and @b. */
static uint32_t deadlock_shared(const struct rule_input *in, uint32_t a, uint32_t b)
{
	const struct thread_row *ra = threads_summary_row(in->threads, a);
	const struct thread_row *rb = threads_summary_row(in->threads, b);
	const struct thread_frame *fa = threads_frames(in->capture->threads, ra);
	const struct thread_frame *fb = threads_frames(in->capture->threads, rb);
	uint32_t n = 0;

	while (n < ra->n_frames && n < rb->n_frames && fa[n].sym.v == fb[n].sym.v)
		n++;
	return n;
}

/* Index of the innermost lock function of thread @row, from frame @from on; INDEX_NONE: none. */
static uint32_t deadlock_wanted(const struct rule_input *in, uint32_t row, uint32_t from)
{
	for (uint32_t i = from; i < threads_summary_row(in->threads, row)->n_frames; i++) {
		if (str_glob(STR(DEADLOCK_TAKES), thread_words_frame(in, row, i)))
			return i;
	}
	return INDEX_NONE;
}

/*
 * Index of the outermost lock function of thread @row whose name begins with @prefix, among the
 * callers of frame @at; INDEX_NONE: none.
 */
static uint32_t deadlock_outer(const struct rule_input *in, uint32_t row, uint32_t at,
			       struct str prefix)
{
	for (uint32_t i = threads_summary_row(in->threads, row)->n_frames; i-- > at + 1;) {
		struct str name = thread_words_frame(in, row, i);

		if (str_starts(name, prefix) && str_glob(STR(DEADLOCK_TAKES), name))
			return i;
	}
	return INDEX_NONE;
}

static bool deadlock_has_order(const struct rule_input *in, uint32_t a, uint32_t b,
			       struct deadlock_order *ret)
{
	uint32_t shared = deadlock_shared(in, a, b);
	struct str prefix[2];

	*ret = (struct deadlock_order){ .row = { a, b } };
	for (unsigned int k = 0; k < 2; k++) {
		ret->wants[k] = deadlock_wanted(in, ret->row[k], shared);
		if (ret->wants[k] == INDEX_NONE)
			return false;
		prefix[k] = deadlock_prefix(thread_words_frame(in, ret->row[k], ret->wants[k]));
	}
	if (str_eq(prefix[0], prefix[1]))
		return false;
	for (unsigned int k = 0; k < 2; k++) {
		ret->below[k] = deadlock_outer(in, ret->row[k], ret->wants[k], prefix[1 - k]);
		if (ret->below[k] == INDEX_NONE)
			return false;
	}
	return true;
}

/* Append to @text in which frames the two threads of @o wait, and cite these frames. */
static const char *deadlock_order_text(const struct rule_input *in, struct findings *out,
				       struct finding *f, const struct deadlock_order *o,
				       const char *text)
{
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t row = o->row[k];
		const struct thread_row *r = threads_summary_row(in->threads, row);
		const struct thread_frame *frames = threads_frames(in->capture->threads, r);
		struct str wants = thread_words_frame(in, row, o->wants[k]);
		struct str below = thread_words_frame(in, row, o->below[k]);

		text = finding_name(out, "%s; %s waits for %s in " STR_FMT ", below " STR_FMT, text,
				    thread_words_name(out, in, row), thread_words_lock(out, in, k),
				    STR_ARG(wants), STR_ARG(below));
		finding_evidence(out, f, in, frames[o->wants[k]].line, STR_FMT, STR_ARG(wants));
		finding_evidence(out, f, in, frames[o->below[k]].line, STR_FMT, STR_ARG(below));
	}
	return finding_name(out, "%s: opposite order", text);
}

/*
 * Whether a thread may continue without any other thread, because it runs, or waits for data or a
 * timeout. It may then release a lock.
 */
static bool deadlock_may_go_on(const struct threads_summary *s)
{
	static const enum thread_wait kinds[] = {
		THREAD_WAIT_NONE,      THREAD_WAIT_CPU,     THREAD_WAIT_SLEEP,   THREAD_WAIT_POLL,
		THREAD_WAIT_SOCKET,    THREAD_WAIT_CONNECT, THREAD_WAIT_DNS,     THREAD_WAIT_DISK,
		THREAD_WAIT_READ,      THREAD_WAIT_CHILD,   THREAD_WAIT_SYSCALL, THREAD_WAIT_FIFO,
		THREAD_WAIT_CONDITION, THREAD_WAIT_RANDOM,  THREAD_WAIT_PAGE,
	};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (s->waiting[kinds[i]])
			return true;
	}
	return false;
}

/*
 * Add a finding about a likely deadlock. Conditions: the dump prints no owners of locks; all
 * threads wait; at least half of them wait for locks; there are two or more locks. Then no thread
 * can release a lock. False: no finding was added.
 */
static bool deadlock_guess(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	struct deadlock_order order;
	const char *text;
	struct finding *f;
	uint64_t processes;
	uint64_t omitted = diag_get(&in->capture->diag, "threads-omitted");
	uint64_t waiters = 0;
	bool has_order;

	if (s->locks.len < 2 || deadlock_may_go_on(s))
		return false;
	VEC_FOREACH (lock, &s->locks) {
		/*
		 * the waiting thread can hold another lock only if the function in which it waits
		 * has a caller
		 */
		if (lock->owner != INDEX_NONE ||
		    s->rows.data[lock->waiter].place + 1 >=
			    threads_summary_row(s, lock->waiter)->n_frames)
			return false;
		waiters += lock->waiters;
	}
	if (waiters * 2 < s->threads)
		return false;
	processes = threads_summary_processes(s);
	f = deadlock_add(in, out, processes > 1 ? DEADLOCK_SURE_FEW : DEADLOCK_SURE_GUESS);
	if (processes > 1)
		text = finding_name(out, "Possible deadlock: %s of %llu processes wait for locks",
				    thread_words_count(out, in, waiters),
				    (unsigned long long)processes);
	else
		text = finding_name(out, "Likely deadlock: %s wait for %zu different locks",
				    thread_words_count(out, in, waiters), s->locks.len);
	if (omitted)
		text = finding_name(out,
				    "%s, and no printed thread runs (%llu other%s not in the text, "
				    "or %s ended)",
				    text, (unsigned long long)omitted,
				    omitted > 1 ? "s are" : " is", omitted > 1 ? "have" : "has");
	else
		text = finding_name(out, "%s, and no thread of the dump runs", text);
	has_order =
		deadlock_has_order(in, s->locks.data[0].waiter, s->locks.data[1].waiter, &order);
	if (has_order)
		text = deadlock_order_text(in, out, f, &order, text);
	for (uint32_t i = 0; i < s->locks.len && i < 2 && !has_order; i++) {
		uint32_t row = s->locks.data[i].waiter;

		text = finding_name(out, "%s; %s waits for %s in " STR_FMT "%s", text,
				    thread_words_name(out, in, row), thread_words_lock(out, in, i),
				    STR_ARG(thread_words_frame(in, row, s->rows.data[row].place)),
				    deadlock_below(in, out, row));
		thread_words_cite(out, f, in, row);
	}
	finding_claim(out, f, "%s", text);
	finding_figure(f, "threads that wait for a lock", (double)waiters, 0, "");
	if (processes > 1)
		finding_figure(f, "processes", (double)processes, 0, "");
	else
		finding_figure(f, "different locks", (double)s->locks.len, 0, "");
	finding_usual_cause(
		out, f, "%s",
		has_order ? "Each likely holds the lock that the other wants: they lock in "
			    "opposite order"
		: processes > 1
			? "Each process holds the lock in shared memory that another wants, if "
			  "they are two locks: they lock in opposite order\n"
			  "the owner is a process that is missing here, if it is one lock"
			: "Each thread likely holds a lock while it waits for the other's lock: "
			  "they lock in opposite order");
	finding_because(
		out, f, "%s",
		processes > 1
			? "each waits for a lock below a call that may hold one\n"
			  "the owners of the locks, and whether both processes wait for one lock"
			: "each waits for a lock below a call that may hold one\n"
			  "the owners of the locks, and what omitted threads do");
	finding_next(out, f, "%s", thread_words_find_owner(out, in, s->locks.data[0].waiter, true));
	return true;
}

/*
 * Describe one of the two threads of deadlock_cross(): "goroutine 7 waits for a lock in
 * (*Shop).Total of 0x1, below (*Till).Pay of 0x2".
 */
static const char *deadlock_side(const struct rule_input *in, struct findings *out,
				 const struct thread_cross *c, unsigned int side)
{
	uint32_t row = c->rows[side];
	uint32_t place = in->threads->rows.data[row].place;
	const struct thread_frame *frames =
		threads_frames(in->capture->threads, threads_summary_row(in->threads, row));
	uint64_t age = threads_summary_row(in->threads, row)->age_ns;

	return finding_name(out,
			    "%s waits for a lock in " STR_FMT " of 0x%llx, below " STR_FMT
			    " of 0x%llx%s%s",
			    thread_words_name(out, in, row), STR_ARG(deadlock_place(in, row)),
			    (unsigned long long)frames[place].object,
			    STR_ARG(package_strip(thread_words_frame(in, row, c->outer[side]))),
			    (unsigned long long)frames[c->outer[side]].object, age ? ", for " : "",
			    age ? thread_words_age(out, age) : "");
}

/*
 * Add a finding about two threads, if each waits for a lock inside the other's object. False: there
 * are none.
 */
static bool deadlock_cross(const struct rule_input *in, struct findings *out)
{
	struct thread_cross c;
	uint64_t least = UINT64_MAX;
	struct finding *f;

	/* the same address may belong to different objects of different processes */
	if (threads_summary_processes(in->threads) > 1 || !thread_cross_find(in->threads, &c))
		return false;
	for (unsigned int i = 0; i < 2; i++) {
		uint64_t age = threads_summary_row(in->threads, c.rows[i])->age_ns;

		least = age < least ? age : least;
	}
	f = deadlock_add(in, out,
			 least >= DEADLOCK_CROSS_NS ? DEADLOCK_SURE_GUESS : DEADLOCK_SURE_FEW);
	if (least < DEADLOCK_CROSS_NS)
		f->severity = FINDING_WARNING;
	finding_claim(out, f, "%s: two threads wait for locks inside each other's objects; %s; %s",
		      least >= DEADLOCK_CROSS_NS ? "Likely deadlock" : "Possible deadlock",
		      deadlock_side(in, out, &c, 0), deadlock_side(in, out, &c, 1));
	finding_figure(f, "threads in the cycle", 2, 0, "");
	if (least)
		finding_figure(f, "shorter of the two waits", (double)least / 1e9, 0, "s");
	for (unsigned int i = 0; i < 2; i++)
		thread_words_cite(out, f, in, c.rows[i]);
	finding_usual_cause(out, f,
			    "Each outer method holds the lock of its own object while it calls a "
			    "method of the other: they lock in opposite order");
	finding_because(out, f,
			"each calls into the other and waits for a lock there\n"
			"whether the outer methods hold a lock: the dump prints no owners");
	finding_next(out, f,
		     "check " STR_FMT " and " STR_FMT
		     ": which lock does each hold at that call? Take both in one order",
		     STR_ARG(package_strip(thread_words_frame(in, c.rows[0], c.outer[0]))),
		     STR_ARG(package_strip(thread_words_frame(in, c.rows[1], c.outer[1]))));
	return true;
}

/* Whether the thread waits for a lock, an event, a join or a message. It is then no idle worker. */
static bool deadlock_is_stuck(const struct thread_seen *seen)
{
	return seen->kind == THREAD_WAIT_LOCK || seen->kind == THREAD_WAIT_EVENT ||
	       seen->kind == THREAD_WAIT_JOIN || seen->kind == THREAD_WAIT_SEND ||
	       seen->kind == THREAD_WAIT_RECEIVE;
}

/*
 * Whether the thread waits for a grace period of RCU. It takes milliseconds, and ends without the
 * other threads of the dump.
 */
static bool deadlock_is_grace(const struct rule_input *in, uint32_t row)
{
	uint32_t place = in->threads->rows.data[row].place;

	for (uint32_t i = 0; i <= place && i < threads_summary_row(in->threads, row)->n_frames;
	     i++) {
		if (str_glob(STR(GRACE_PERIODS), thread_words_frame(in, row, i)))
			return true;
	}
	return false;
}

/*
 * Whether all stuck threads wait for the same lock. Its owner may then be a thread that is not in
 * the dump.
 */
static bool deadlock_is_one_lock(const struct threads_summary *s)
{
	VEC_FOREACH (g, &s->groups) {
		const struct thread_seen *seen = &s->rows.data[g->row];

		if (deadlock_is_stuck(seen) && seen->kind != THREAD_WAIT_LOCK)
			return false;
	}
	return s->locks.len == 1 && s->locks.data[0].waiters == s->waiting[THREAD_WAIT_LOCK];
}

/*
 * Whether two groups of stuck tasks are in the same module or subsystem. This is for the kernel's
 * lists of blocked tasks, which never contain a running task.
 */
static bool deadlock_has_relation(const struct rule_input *in)
{
	const struct threads_summary *s = in->threads;

	VEC_FOREACH (a, &s->groups) {
		VEC_FOREACH (b, &s->groups) {
			uint32_t at = s->rows.data[b->row].place;

			if (a < b && deadlock_is_stuck(&s->rows.data[a->row]) &&
			    deadlock_is_stuck(&s->rows.data[b->row]) &&
			    task_words_relation(in, a->row, s->rows.data[a->row].place, b->row, at,
						at))
				return true;
		}
	}
	return false;
}

/*
 * Whether the rule task-chain has a finding about this dump: it reports which task waits for which.
 */
static bool deadlock_is_chain_of_tasks(const struct rule_input *in, const struct findings *out)
{
	const struct finding *row = NULL;

	while ((row = findings_of(out, in->number, row))) {
		if (str_eq(str_of(row->rule->id), STR("task-chain")))
			return true;
	}
	return false;
}

/*
 * The frame of thread @row, from the waiting function outwards, whose object is also an argument of
 * the functions that thread @by runs: its outermost ones. *@ret_by: the frame there. INDEX_NONE:
 * none.
 */
static uint32_t deadlock_common(const struct rule_input *in, uint32_t row, uint32_t by,
				uint32_t *ret_by)
{
	const struct thread_row *a = threads_summary_row(in->threads, row);
	const struct thread_row *b = threads_summary_row(in->threads, by);
	const struct thread_frame *fa = threads_frames(in->capture->threads, a);
	const struct thread_frame *fb = threads_frames(in->capture->threads, b);
	uint32_t from = in->threads->rows.data[row].place;

	for (uint32_t i = from; i < a->n_frames && i <= from + DEADLOCK_NEAR; i++) {
		uint32_t seen = 0;

		for (uint32_t k = b->n_frames;
		     fa[i].object && k-- > 0 && seen < DEADLOCK_OUTERMOST;) {
			*ret_by = k;
			if (fb[k].object == fa[i].object)
				return i;
			seen += fb[k].object != 0;
		}
	}
	return INDEX_NONE;
}

/*
 * Whether one thread waits for a signal below a function that has the object of another thread: the
 * outermost function of that other thread, which waits for a lock, got it as its argument. The
 * first thread then waits for an answer of the second. Set cause, basis and next step of @f.
 */
static bool deadlock_is_answered(const struct rule_input *in, struct findings *out,
				 struct finding *f)
{
	const struct threads_summary *s = in->threads;

	for (uint32_t i = 0; i < s->groups.len * s->groups.len; i++) {
		uint32_t a = s->groups.data[i / s->groups.len].row;
		uint32_t b = s->groups.data[i % s->groups.len].row;
		uint32_t at, by;

		if (s->rows.data[a].kind != THREAD_WAIT_EVENT ||
		    s->rows.data[b].kind != THREAD_WAIT_LOCK || deadlock_is_kernel(in))
			continue;
		at = deadlock_common(in, a, b, &by);
		if (at == INDEX_NONE)
			continue;
		f->sure = DEADLOCK_SURE_ANSWER;
		finding_evidence(
			out, f, in,
			threads_frames(in->capture->threads, threads_summary_row(s, b))[by].line,
			STR_FMT, STR_ARG(thread_words_frame(in, b, by)));
		finding_usual_cause(out, f,
				    "%s waits for an answer of %s: " STR_FMT " and " STR_FMT
				    " have the same object, 0x%llx. The first thread likely holds "
				    "the lock that "
				    "the second one wants: a cycle",
				    thread_words_name(out, in, a), thread_words_name(out, in, b),
				    STR_ARG(thread_words_frame(in, a, at)),
				    STR_ARG(thread_words_frame(in, b, by)),
				    (unsigned long long)threads_frames(
					    in->capture->threads, threads_summary_row(s, a))[at]
					    .object);
		finding_because(out, f,
				"both stacks have this object\n"
				"the owner of the lock");
		finding_next(out, f, "%s", thread_words_find_owner(out, in, b, true));
		return true;
	}
	return false;
}

/*
 * Add a finding about a possible deadlock if the dump has few threads, none of them runs, and at
 * least two are stuck. The owner of the lock is one of the threads, or is not in the dump. False:
 * no finding was added.
 */
static bool deadlock_few(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	const char *text = "Possible deadlock: ";
	struct finding *f;
	unsigned int n = 0;

	VEC_FOREACH (lock, &s->locks) {
		if (lock->owner != INDEX_NONE)
			return false;
	}
	VEC_FOREACH (g, &s->groups)
		n += deadlock_is_stuck(&s->rows.data[g->row]) && !deadlock_is_grace(in, g->row);
	if (n < 2 || (!s->waiting[THREAD_WAIT_LOCK] && !deadlock_is_kernel(in)) ||
	    s->threads > DEADLOCK_FEW || s->waiting[THREAD_WAIT_NONE] ||
	    s->waiting[THREAD_WAIT_CPU] || deadlock_is_one_lock(s) ||
	    (deadlock_is_kernel(in) && !deadlock_has_relation(in)) ||
	    deadlock_is_chain_of_tasks(in, out))
		return false;
	f = deadlock_add(in, out, DEADLOCK_SURE_FEW);
	f->severity = FINDING_WARNING;
	n = 0;
	VEC_FOREACH (g, &s->groups) {
		const struct thread_seen *seen = &s->rows.data[g->row];

		if (!deadlock_is_stuck(seen) || n == DEADLOCK_CITED)
			continue;
		text = finding_name(out, "%s%s%s waits for %s in %s", text, n++ ? "; " : "",
				    thread_words_name(out, in, g->row),
				    thread_words_object(in, g->row),
				    thread_words_place(out, in, g->row));
		thread_words_cite(out, f, in, g->row);
	}
	finding_claim(out, f, "%s; none of the threads shown runs", text);
	finding_figure(f, thread_words_all(out, in, "threads"), (double)s->threads, 0, "");
	finding_figure(f, "threads that wait for a lock", (double)s->waiting[THREAD_WAIT_LOCK], 0,
		       "");
	if (deadlock_is_answered(in, out, f))
		return true;
	finding_usual_cause(
		out, f,
		s->waiting[THREAD_WAIT_LOCK]
			? "the owner of the lock is another of these threads and waits for the one "
			  "that wants it (a cycle), or it is a thread that is missing here"
			: "they wait for each other (a cycle), or for a thread that is missing "
			  "here");
	finding_because(out, f,
			"all of these threads wait\n"
			"the owners of the locks, and whether threads are missing");
	if (deadlock_is_kernel(in))
		finding_next(out, f,
			     "find which locks each task holds where it waits: CONFIG_LOCKDEP, "
			     "echo d > /proc/sysrq-trigger");
	else if (s->locks.len)
		finding_next(out, f, "%s",
			     thread_words_find_owner(out, in, s->locks.data[0].waiter, true));
	else
		finding_next(
			out, f,
			"find which locks each thread holds where it waits: in gdb, 'p *MUTEX' "
			"has __owner");
	return true;
}

bool deadlock_inferred(const struct rule_input *in, struct findings *out)
{
	return deadlock_cross(in, out) || deadlock_mutual(in, out) || deadlock_guess(in, out) ||
	       deadlock_few(in, out);
}
