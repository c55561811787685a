/* SPDX-License-Identifier: MIT */
/*
 * Many threads wait for one lock. The finding names the owner of the lock, and what the owner does.
 *
 * Thresholds: two waiting threads if the owner is known, otherwise three. In any program two
 * threads sometimes need a lock at the same time.
 */
#include "explain/words/thread_words.h"
#include "explain/words/wait_reasons.h"

#include "analyses/plain_name.h"
#include "analyses/quality/quality.h"
#include "analyses/threads/thread_summary.h"
#include "analyses/threads/thread_waits.h"
#include "base/alloc.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <stdlib.h>

DECLARE_RULE(thread_lock);

#define LOCK_WAITERS_OWNED 2u
#define LOCK_WAITERS       3u
#define LOCK_SURE_OWNED    95u
#define LOCK_SURE_LIKELY   90u /* certainty if the kernel prints "likely owned by" */
#define LOCK_SURE          75u
/* The finding is a warning if at least this part (0 to 1) of all threads waits for the lock. */
#define LOCK_LEAD_PART 0.5
/* minimum number of locks in a chain of waits (thread a waits for b, and b for c) */
#define LOCK_CHAIN 2u
/* a chain with fewer locks is reported if one of its threads has waited at least this long, ns */
#define LOCK_HUNG_NS UINT64_C(10000000000)
#define LOCK_STEPS   64u
/* number of innermost frames of a thread to search */
#define LOCK_FRAMES 64u
/*
 * a lock counts as a member of an object if its address is at most this many bytes after the
 * object's start
 */
#define LOCK_MEMBER UINT64_C(65536)
#define LOCK_LINKS  3u /* maximum number of waiters that a sentence names */

static const char *const lock_causes[THREAD_WAIT_KINDS] = {
	[THREAD_WAIT_NONE] = "The owner computes while it holds the lock",
	[THREAD_WAIT_LOCK] = "The owner waits for another lock: look at that lock's owner",
	[THREAD_WAIT_EVENT] =
		"the owner waits for a signal of another thread while it holds the lock",
	[THREAD_WAIT_JOIN] = "the owner waits for the end of a thread while it holds the lock",
	[THREAD_WAIT_CHILD] = "the owner waits for a child process while it holds the lock",
	[THREAD_WAIT_SLEEP] = "the owner sleeps while it holds the lock",
	[THREAD_WAIT_POLL] = "the owner waits for events of descriptors while it holds the lock",
	[THREAD_WAIT_SOCKET] = "the owner waits for the network while it holds the lock",
	[THREAD_WAIT_CONNECT] = "the owner makes a connection while it holds the lock",
	[THREAD_WAIT_DNS] = "the owner waits for a DNS answer while it holds the lock",
	[THREAD_WAIT_DISK] = "the owner waits for the disk while it holds the lock",
	[THREAD_WAIT_PAGE] =
		"the owner waits for the lock of a page or buffer while it holds the lock: its I/O "
		"is slow, or another task has it locked. If that task waits for this lock, neither "
		"goes on",
	[THREAD_WAIT_READ] = "the owner reads or writes while it holds the lock",
	[THREAD_WAIT_FILE_LOCK] = "the owner waits for a file lock while it holds the lock",
	[THREAD_WAIT_SEND] = "the owner waits for a receiver of a channel while it holds the lock",
	[THREAD_WAIT_RECEIVE] = "the owner waits for a sender of a channel while it holds the lock",
	[THREAD_WAIT_SELECT] = "the owner waits for channels while it holds the lock",
	[THREAD_WAIT_POOL] = "the owner waits for an object of a pool while it holds the lock",
	[THREAD_WAIT_GC] = "the owner waits for the garbage collector while it holds the lock",
	[THREAD_WAIT_IDLE] = "the owner waits for work while it holds the lock",
	[THREAD_WAIT_SYSCALL] = "the owner is in a system call while it holds the lock",
	[THREAD_WAIT_CPU] = "the owner does not get a CPU while it holds the lock",
	[THREAD_WAIT_PUT] = "the owner waits for room in a full queue while it holds the lock",
	[THREAD_WAIT_FIFO] = "the owner waits for the other end of a pipe while it holds the lock",
	[THREAD_WAIT_RANDOM] = "the owner waits for random numbers while it holds the lock",
	[THREAD_WAIT_CONDITION] = "the owner polls a condition while it holds the lock",
};

/* Why the owner holds the lock for so long, according to its stack. */
static const char *lock_cause(const struct rule_input *in, struct findings *out, uint32_t owner)
{
	unsigned int kind = in->threads->rows.data[owner].kind;
	const struct wait_reason *reason = thread_words_reason(in, owner);

	if (kind == THREAD_WAIT_NONE && thread_words_sleeps(in, owner))
		return "The owner waits while it holds the lock";
	if (kind == THREAD_WAIT_NONE && !thread_words_runs(in, owner))
		return "The owner computes, or waits there, while it holds the lock";
	if (reason)
		return finding_name(out, "The owner waits for %s while it holds the lock",
				    reason->object);
	return lock_causes[kind];
}

/* A function in which threads wait for a lock, with their number and the row of one of them. */
struct lock_site {
	uint64_t waiters;
	uint32_t row;
};

/*
 * The function in which most threads wait for @lock. INDEX_NONE as @lock means any lock; locks
 * without a printed address then count as one lock. Member row of the result is INDEX_NONE if no
 * thread waits.
 */
static struct lock_site lock_main_site(const struct rule_input *in, uint32_t lock)
{
	const struct threads_summary *s = in->threads;
	struct lock_site best = { 0, INDEX_NONE };

	VEC_FOREACH (g, &s->groups) {
		struct lock_site site = { 0, g->row };
		sym_id sym = threads_summary_sym(s, g->row, s->rows.data[g->row].place);

		if (g->kind != THREAD_WAIT_LOCK ||
		    (lock != INDEX_NONE && s->rows.data[g->row].wants != lock))
			continue;
		/*
		 * Add up the waiters of all groups that wait for this lock in this function. Groups
		 * are sorted by size. So the function with the most waiters is probably in one of
		 * the first groups, and the outer loop ends after about 32 of them.
		 */
		VEC_FOREACH (other, &s->groups) {
			if (other->kind == THREAD_WAIT_LOCK &&
			    s->rows.data[other->row].wants == s->rows.data[g->row].wants &&
			    threads_summary_sym(s, other->row, s->rows.data[other->row].place).v ==
				    sym.v)
				site.waiters += other->threads;
		}
		if (site.waiters > best.waiters)
			best = site;
		if (g - s->groups.data > 32)
			break;
	}
	return best;
}

/*
 * The class or receiver type of the method in which thread @row waits: "(*Stack)" for
 * "X.(*Stack).Get"; empty: none.
 */
static struct str lock_type(const struct rule_input *in, uint32_t row, struct plain_name *plain)
{
	struct str type = plain_name_family(plain_name_make(
		plain, thread_words_frame(in, row, in->threads->rows.data[row].place)));
	struct str last = plain_name_last(type);

	/*
	 * types begin with '(' or a capital letter; packages and namespaces with a lower-case
	 * letter
	 */
	return last.len && (last.p[0] == '(' || char_is_upper(last.p[0])) ? type : STR_NONE;
}

/*
 * Number of threads that wait for the same lock as thread @site, in methods of the same type. Locks
 * without a printed address count as one lock.
 */
static uint64_t lock_type_waiters(const struct rule_input *in, uint32_t site)
{
	const struct threads_summary *s = in->threads;
	struct plain_name plain, other;
	struct str type = lock_type(in, site, &plain);
	uint64_t n = 0;

	VEC_FOREACH (g, &s->groups) {
		if (g->kind == THREAD_WAIT_LOCK &&
		    s->rows.data[g->row].wants == s->rows.data[site].wants && type.len &&
		    str_eq(lock_type(in, g->row, &other), type))
			n += g->threads;
	}
	return n;
}

/* The object (`this`) of the function in which thread @row waits; 0: not printed. */
static uint64_t lock_object(const struct rule_input *in, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	uint32_t place = in->threads->rows.data[row].place;

	return place < r->n_frames ? threads_frames(in->capture->threads, r)[place].object : 0;
}

/*
 * The object in whose method thread @waiter waits (its `this` pointer); 0: unknown. If another
 * thread waits for the same lock in the same function, but with another `this` pointer, the pointer
 * is perhaps only an argument. Then the object is also unknown.
 */
static uint64_t lock_common_object(const struct rule_input *in, uint32_t waiter)
{
	const struct threads_summary *s = in->threads;
	sym_id sym = threads_summary_sym(s, waiter, s->rows.data[waiter].place);
	uint64_t object = lock_object(in, waiter);

	for (uint32_t i = 0; object && i < s->rows.len; i++) {
		if (threads_summary_row(s, i)->snapshot == s->snapshot &&
		    s->rows.data[i].kind == THREAD_WAIT_LOCK &&
		    s->rows.data[i].wants != INDEX_NONE &&
		    s->rows.data[i].wants == s->rows.data[waiter].wants &&
		    threads_summary_sym(s, i, s->rows.data[i].place).v == sym.v &&
		    lock_object(in, i) != object)
			return 0;
	}
	return object;
}

/*
 * Is the function @sym on the stack of thread @row? If @object is not 0, the frame must also belong
 * to this object.
 */
static bool lock_is_inside(const struct rule_input *in, uint32_t row, sym_id sym, uint64_t object)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	const struct thread_frame *f = threads_frames(in->capture->threads, r);

	for (uint32_t i = 0; i < r->n_frames && i < LOCK_FRAMES; i++) {
		if (f[i].sym.v == sym.v && (!object || f[i].object == object))
			return true;
	}
	return false;
}

/*
 * Row of the likely owner of the lock for which @waiter waits: the only other thread that is inside
 * the same function of the same object without waiting for a lock. INDEX_NONE: none, or several.
 */
static uint32_t lock_insider(const struct rule_input *in, uint32_t waiter)
{
	const struct threads_summary *s = in->threads;
	sym_id sym = threads_summary_sym(s, waiter, s->rows.data[waiter].place);
	uint64_t object = lock_common_object(in, waiter);
	uint32_t found = INDEX_NONE;

	for (uint32_t i = 0; sym.v && i < s->rows.len; i++) {
		const struct thread_row *r = threads_summary_row(s, i);

		if (r->snapshot != s->snapshot || s->rows.data[i].kind == THREAD_WAIT_LOCK ||
		    !lock_is_inside(in, i, sym, object))
			continue;
		if (found != INDEX_NONE || r->count > 1)
			return INDEX_NONE;
		found = i;
	}
	return found;
}

/*
 * May thread @row hold a lock during its wait? A wait for a signal releases the lock. Threads that
 * wait for work, for events or for the end of a thread seldom hold one.
 */
static bool lock_may_hold(const struct rule_input *in, uint32_t row)
{
	switch ((enum thread_wait)in->threads->rows.data[row].kind) {
	case THREAD_WAIT_NONE:
		return thread_words_runs(in, row);
	case THREAD_WAIT_CHILD:
	case THREAD_WAIT_SOCKET:
	case THREAD_WAIT_CONNECT:
	case THREAD_WAIT_DNS:
	case THREAD_WAIT_DISK:
	case THREAD_WAIT_READ:
	case THREAD_WAIT_FILE_LOCK:
	case THREAD_WAIT_POOL:
	case THREAD_WAIT_FIFO:
	case THREAD_WAIT_RANDOM:
	case THREAD_WAIT_PAGE:
		return true;
	default:
		return false;
	}
}

/*
 * Index of the outermost frame of thread @row that is in a method of @object and of @type. If there
 * is none, returns the number of frames of the thread.
 */
static uint32_t lock_method(const struct rule_input *in, uint32_t row, uint64_t object,
			    struct str type)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	const struct thread_frame *f = threads_frames(in->capture->threads, r);
	uint32_t found = r->n_frames;

	for (uint32_t i = 0; i < r->n_frames && i < LOCK_FRAMES; i++) {
		struct plain_name plain;

		if (f[i].object == object &&
		    str_eq(plain_name_family(
				   plain_name_make(&plain, thread_words_frame(in, row, i))),
			   type))
			found = i;
	}
	return found;
}

/*
 * Row of the only thread that is in another method of the object of @waiter, so that it may hold
 * the lock for which @waiter waits. *@ret_frame: the frame of this method. INDEX_NONE: no such
 * thread, or several, or the lock is perhaps no member of the object.
 */
static uint32_t lock_peer(const struct rule_input *in, uint32_t waiter, uint32_t *ret_frame)
{
	const struct threads_summary *s = in->threads;
	uint32_t lock = s->rows.data[waiter].wants;
	uint64_t object = lock_common_object(in, waiter);
	struct plain_name plain;
	struct str type = lock_type(in, waiter, &plain);
	uint32_t found = INDEX_NONE;

	if (!object || type.len == 0 || lock == INDEX_NONE ||
	    s->locks.data[lock].address - object >= LOCK_MEMBER)
		return INDEX_NONE;
	for (uint32_t i = 0; i < s->rows.len; i++) {
		const struct thread_row *r = threads_summary_row(s, i);
		uint32_t frame;

		if (r->snapshot != s->snapshot || !lock_may_hold(in, i))
			continue;
		frame = lock_method(in, i, object, type);
		if (frame == r->n_frames)
			continue;
		if (found != INDEX_NONE || r->count > 1)
			return INDEX_NONE;
		found = i;
		*ret_frame = frame;
	}
	return found;
}

/*
 * Row of the only running thread, which may own the lock for which others wait. INDEX_NONE: not
 * exactly one thread runs, or threads wait for several locks, so that the owned lock is unknown.
 */
static uint32_t lock_runner(const struct rule_input *in)
{
	const struct threads_summary *s = in->threads;
	uint32_t found = INDEX_NONE;

	if (s->locks.len > 1)
		return INDEX_NONE;
	VEC_FOREACH (g, &s->groups) {
		if (g->kind != THREAD_WAIT_NONE)
			continue;
		if (found != INDEX_NONE || g->threads > 1 || !thread_words_runs(in, g->row))
			return INDEX_NONE;
		found = g->row;
	}
	return found;
}

static void lock_owner(const struct rule_input *in, struct findings *out, struct finding *f,
		       const char *text, uint32_t owner)
{
	const struct thread_seen *seen = &in->threads->rows.data[owner];
	enum thread_wait kind = (enum thread_wait)seen->kind;

	if (kind == THREAD_WAIT_NONE)
		finding_claim(out, f, "%s; %s holds it and %s in %s", text,
			      thread_words_name(out, in, owner),
			      finding_name(out, "%ss", thread_words_verb(in, owner)),
			      thread_words_place(out, in, owner));
	else
		finding_claim(out, f, "%s; %s holds it while it waits for %s in %s", text,
			      thread_words_name(out, in, owner), thread_wait_object(kind),
			      thread_words_place(out, in, owner));
	thread_words_cite(out, f, in, owner);
	finding_cause(out, f, "%s", lock_cause(in, out, owner));
	finding_because(out, f, "the dump prints the owner");
	finding_next(out, f,
		     "shorten the critical section of " STR_FMT
		     ": do not wait while holding the lock",
		     STR_ARG(thread_words_frame(in, owner, seen->place)));
}

/* If there is a probable owner of the lock for which @waiter waits, name it in the finding. */
static void lock_guess_owner(const struct rule_input *in, struct findings *out, struct finding *f,
			     const char *text, uint32_t waiter)
{
	uint32_t frame = 0;
	uint32_t insider = lock_insider(in, waiter);
	uint32_t peer = insider == INDEX_NONE ? lock_peer(in, waiter, &frame) : INDEX_NONE;
	uint32_t runner = insider == INDEX_NONE ? lock_runner(in) : INDEX_NONE;
	enum thread_wait kind;
	bool has_object;

	if (peer != INDEX_NONE) {
		kind = (enum thread_wait)in->threads->rows.data[peer].kind;
		thread_words_cite(out, f, in, peer);
		finding_claim(out, f,
			      "%s may hold the lock while it %s%s in %s: %s; it is in a method of "
			      "the same object, " STR_FMT,
			      thread_words_name(out, in, peer),
			      kind == THREAD_WAIT_NONE ? "" : "waits for ",
			      kind == THREAD_WAIT_NONE
				      ? finding_name(out, "%ss", thread_words_verb(in, peer))
				      : thread_wait_object(kind),
			      thread_words_place(out, in, peer), text,
			      STR_ARG(thread_words_frame(in, peer, frame)));
		return;
	}
	if (insider == INDEX_NONE && runner == INDEX_NONE) {
		finding_claim(out, f, "%s; the dump does not print its owner", text);
		return;
	}
	thread_words_cite(out, f, in, insider == INDEX_NONE ? runner : insider);
	if (insider == INDEX_NONE) {
		finding_claim(
			out, f, "%s; the only running thread%s, %s, is in %s and may hold the lock",
			text, quality_is_part(in->capture) ? " of the text" : "",
			thread_words_name(out, in, runner), thread_words_place(out, in, runner));
		return;
	}
	kind = (enum thread_wait)in->threads->rows.data[insider].kind;
	has_object = lock_common_object(in, waiter) != 0;
	finding_claim(
		out, f, "%s; %s is in the same function%s, %s%s in %s, and %s the lock", text,
		thread_words_name(out, in, insider), has_object ? " of the same object" : "",
		kind == THREAD_WAIT_NONE ? "" : "waits for ",
		kind == THREAD_WAIT_NONE ? finding_name(out, "%ss", thread_words_verb(in, insider))
					 : thread_wait_object(kind),
		thread_words_place(out, in, insider), has_object ? "likely holds" : "may hold");
}

static void lock_no_owner(const struct rule_input *in, struct findings *out, struct finding *f,
			  const char *text, uint32_t waiter)
{
	lock_guess_owner(in, out, f, text, waiter);
	finding_usual_cause(out, f,
			    "Lock contention: the owner of the lock is slow, or is blocked itself");
	finding_because(out, f,
			"the dump prints the wait\n"
			"how long it lasts");
	finding_next(out, f, "%s", thread_words_find_owner(out, in, waiter, false));
}

/*
 * Set claim, cause and next step for a dump that prints the id of the lock's owner, but not the
 * owner's stack.
 */
static void lock_absent_owner(const struct rule_input *in, struct findings *out, struct finding *f,
			      const char *text, str_id owner)
{
	struct str id = strings_get(capture_strings(in->capture), owner);

	finding_claim(out, f, "%s; thread " STR_FMT " holds it, and the dump lacks its stack", text,
		      STR_ARG(id));
	finding_usual_cause(out, f,
			    "Lock contention: the owner of the lock is slow, or is blocked itself");
	finding_because(out, f, "the dump prints the owner");
	finding_next(out, f, "gdb -p PID -ex 'thread apply all bt': the stack of thread " STR_FMT,
		     STR_ARG(id));
}

/*
 * A clause about the functions in which threads wait for the lock: "all in X.(*Stack).Get". If they
 * wait in several functions, the clause names the function in which most of them wait, and their
 * number. @is_of_type: all functions are methods of one type, which the clause names, too.
 */
static const char *lock_where(const struct rule_input *in, struct findings *out,
			      const struct lock_site *site, uint64_t waiters, bool is_of_type)
{
	struct plain_name plain;
	const char *of_type = "";

	if (is_of_type)
		of_type = finding_name(out, "all in methods of " STR_FMT ", ",
				       STR_ARG(lock_type(in, site->row, &plain)));
	return finding_name(
		out, "%s%s in %s", of_type,
		site->waiters < waiters
			? finding_name(out, "%llu of them", (unsigned long long)site->waiters)
			: "all",
		thread_words_place(out, in, site->row));
}

/*
 * A chain of waits: all its threads wait, directly or through others, for one thread, the head. The
 * head itself does not wait for a known owner.
 */
struct lock_chain {
	/*
	 * behind: number of threads that wait for the head, directly or through others. direct:
	 * number of threads that wait directly for the head.
	 */
	uint64_t behind;
	uint32_t direct;
	uint32_t head;   /* row of the head */
	uint32_t tail;   /* row of the thread that is furthest from the head */
	uint32_t locks;  /* number of locks between tail and head */
	uint64_t age_ns; /* longest printed wait of the chain's threads, ns */
};

/* Row of the owner of the lock for which @row waits; INDEX_NONE: unknown. */
static uint32_t lock_next(const struct threads_summary *s, uint32_t row)
{
	uint32_t lock = s->rows.data[row].wants;

	return lock == INDEX_NONE ? INDEX_NONE : s->locks.data[lock].owner;
}

/* The chain with the most threads; its head is INDEX_NONE if there is no chain. Cost: O(rows). */
static struct lock_chain lock_longest_chain(const struct threads_summary *s)
{
	struct lock_chain best = { .head = INDEX_NONE };
	struct lock_chain *by_head = xcalloc(s->rows.len + 1, sizeof(*by_head));

	for (uint32_t i = 0; s->cycle.len == 0 && i < s->rows.len; i++) {
		struct lock_chain *c;
		uint32_t head = i;
		uint32_t steps = 0;

		if (threads_summary_row(s, i)->snapshot != s->snapshot)
			continue;
		while (lock_next(s, head) != INDEX_NONE && steps < LOCK_STEPS) {
			head = lock_next(s, head);
			steps++;
		}
		if (steps == 0)
			continue;
		c = &by_head[head];
		c->head = head;
		c->behind += threads_summary_row(s, i)->count;
		c->direct += steps == 1;
		if (steps > c->locks) {
			c->locks = steps;
			c->tail = i;
		}
		if (threads_summary_row(s, i)->age_ns > c->age_ns)
			c->age_ns = threads_summary_row(s, i)->age_ns;
		if (best.head == INDEX_NONE || c->head == best.head || c->behind > best.behind)
			best = *c;
	}
	free(by_head);
	return best;
}

/*
 * Append the threads of the chain to @text, from the tail to the head: "; thread 'a' waits in f for
 * 0x1 of thread 'b'".
 */
static const char *lock_links(const struct rule_input *in, struct findings *out, struct finding *f,
			      const struct lock_chain *c, const char *text)
{
	const struct threads_summary *s = in->threads;
	uint32_t row = c->tail;

	for (unsigned int n = 0; n < LOCK_LINKS && lock_next(s, row) != INDEX_NONE; n++) {
		text = finding_name(out, "%s; %s waits in " STR_FMT " for %s of %s", text,
				    thread_words_name(out, in, row),
				    STR_ARG(thread_words_frame(in, row, s->rows.data[row].place)),
				    thread_words_lock(out, in, s->rows.data[row].wants),
				    thread_words_name(out, in, lock_next(s, row)));
		thread_words_cite(out, f, in, row);
		row = lock_next(s, row);
	}
	return text;
}

/* Add a finding about the head of the chain, which keeps all other threads waiting. */
static void lock_chain_finding(const struct rule_input *in, struct findings *out,
			       const struct lock_chain *c)
{
	enum thread_wait kind = (enum thread_wait)in->threads->rows.data[c->head].kind;
	uint64_t address = in->threads->locks.data[in->threads->rows.data[c->tail].wants].address;
	struct finding *f =
		finding_add(out, in, &rule_thread_lock, FINDING_WARNING,
			    thread_lock_has_address(address) ? LOCK_SURE_OWNED : LOCK_SURE_LIKELY);
	const char *what =
		kind == THREAD_WAIT_NONE
			? finding_name(out, "%ss", thread_words_verb(in, c->head))
			: finding_name(out, "waits for %s", thread_words_object(in, c->head));
	const char *text;

	thread_words_cite(out, f, in, c->head);
	text = finding_name(out, "%s %s for %s, which %s in %s",
			    c->behind == 1 ? thread_words_name(out, in, c->tail)
					   : thread_words_count(out, in, c->behind),
			    c->behind == 1 ? "waits" : "wait", thread_words_name(out, in, c->head),
			    what, thread_words_place(out, in, c->head));
	finding_claim(out, f, "%s", lock_links(in, out, f, c, text));
	f->impact = 100.0 * (double)c->behind / (double)in->threads->threads;
	finding_figure(f, "threads behind it", (double)c->behind, 0, "");
	finding_figure(f, "threads that wait for it directly", (double)c->direct, 0, "");
	finding_figure(f, "locks in the chain", (double)c->locks, 0, "");
	if (c->age_ns)
		finding_figure(f,
			       in->capture->threads->has_limits ? "blocked for more than"
								: "longest wait, at least",
			       (double)c->age_ns / 1e9, 0, "s");
	finding_cause(out, f, "%s", lock_cause(in, out, c->head));
	finding_because(out, f, "%s",
			threads_summary_row(in->threads, c->head)->is_owner &&
					!threads_summary_row(in->threads, c->head)->id.v
				? "the title above the owner's stack says that it holds a lock"
			: in->capture->threads->has_lock_list
				? "lockdep lists the locks of each task; the last one of a task "
				  "that is blocked in taking a lock is the one that it waits for"
				: "the dump prints the owner of each lock");
	if (kind == THREAD_WAIT_PAGE)
		finding_next(out, f,
			     "scripts/faddr2line VMLINUX, with the frame " STR_FMT
			     "+0x...: does a task take the lock there that has the page locked? "
			     "Then both wait forever; lockdep does not list locks of pages",
			     STR_ARG(thread_words_frame(in, c->tail,
							in->threads->rows.data[c->tail].place)));
	else
		finding_next(out, f, "look at " STR_FMT " first: the others continue when it does",
			     STR_ARG(thread_words_frame(in, c->head,
							in->threads->rows.data[c->head].place)));
}

static void lock_check(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	uint32_t lock = s->locks.len ? 0 : INDEX_NONE;
	struct lock_site site = lock_main_site(in, lock);
	uint64_t waiters = lock == 0 ? s->locks.data[0].waiters : site.waiters;
	bool has_owner = lock == 0 && s->locks.data[0].owner != INDEX_NONE;
	bool is_of_type = false;
	struct lock_chain chain = lock_longest_chain(s);
	struct finding *f;
	const char *text;

	if (thread_words_is_nameless(in, &rule_thread_lock, out))
		return;
	if (chain.head != INDEX_NONE &&
	    ((chain.locks >= LOCK_CHAIN && chain.behind >= LOCK_WAITERS_OWNED) ||
	     chain.age_ns >= LOCK_HUNG_NS)) {
		lock_chain_finding(in, out, &chain);
		return;
	}
	/*
	 * If most waiting threads wait for other locks, perhaps without a printed address, use the
	 * function in which most of them wait.
	 */
	if (lock == 0 && waiters * 2 < s->waiting[THREAD_WAIT_LOCK]) {
		struct lock_site all = lock_main_site(in, INDEX_NONE);

		if (all.waiters > waiters) {
			lock = INDEX_NONE;
			site = all;
			waiters = all.waiters;
			has_owner = false;
		}
	}
	if (lock == INDEX_NONE && site.row != INDEX_NONE) {
		uint64_t of_type = lock_type_waiters(in, site.row);

		is_of_type = of_type > waiters;
		waiters = is_of_type ? of_type : waiters;
	}
	if (waiters < (has_owner ? LOCK_WAITERS_OWNED : LOCK_WAITERS) || site.row == INDEX_NONE) {
		finding_clean(out, in, &rule_thread_lock,
			      "%llu of %llu threads wait for one lock%s",
			      (unsigned long long)waiters, (unsigned long long)s->threads,
			      s->locks.len > 1 && threads_summary_processes(s) > 1
				      ? ", or more: their processes have different addresses for it"
				      : "");
		return;
	}
	f = finding_add(out, in, &rule_thread_lock,
			(double)waiters >= LOCK_LEAD_PART * (double)s->threads ? FINDING_WARNING
									       : FINDING_NOTE,
			has_owner ? LOCK_SURE_OWNED : LOCK_SURE);
	text = finding_name(out, "%llu of %s wait for %s%s, %s", (unsigned long long)waiters,
			    thread_words_count(out, in, s->threads),
			    lock == 0    ? "the lock "
			    : is_of_type ? "locks"
					 : "a lock",
			    lock == 0 ? thread_words_lock(out, in, 0) : "",
			    lock_where(in, out, &site, waiters, is_of_type));
	f->impact = s->threads ? 100.0 * (double)waiters / (double)s->threads : 0;
	finding_figure(f, "threads that wait for the lock", (double)waiters, 0, "");
	finding_figure(f, thread_words_all(out, in, "threads"), (double)s->threads, 0, "");
	thread_words_cite(out, f, in, site.row);
	if (has_owner)
		lock_owner(in, out, f, text, s->locks.data[0].owner);
	else if (lock == 0 && s->locks.data[0].owner_id.v)
		lock_absent_owner(in, out, f, text, s->locks.data[0].owner_id);
	else
		lock_no_owner(in, out, f, text, site.row);
}

static const char *const lock_overrules[] = { "thread-waits", NULL };

const struct rule rule_thread_lock = {
	.id = "thread-lock",
	.title = "Lock contention: many threads wait for one lock",
	.needs = RULE_THREADS,
	.overrules = lock_overrules,
	.check = lock_check,
	.is_measured = true,
};
