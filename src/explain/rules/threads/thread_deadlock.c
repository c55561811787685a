/* SPDX-License-Identifier: MIT */
/*
 * Threads that can never continue. Examples: a cycle of locks, a join while a lock is held, a
 * lock that its owner takes again, a signal handler that needs a lock of the interrupted code.
 *
 * If the dump prints the owners of locks, the cycle is a fact. Otherwise it is inferred, with a
 * certainty of at most 75 %, in three cases. All threads wait, for at least two different locks.
 * Or two threads wait inside each other's objects. Or the dump has few threads, none of them
 * runs, and one of several stuck threads waits for a lock.
 */
#include "explain/words/thread_words.h"

#include "analyses/plain_name.h"
#include "analyses/threads/thread_cross.h"
#include "analyses/threads/thread_summary.h"
#include "analyses/threads/thread_waits.h"
#include "analyses/waits/wait_roles.h"
#include "base/status.h"
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
#include "explain/thread_deadlock_names.h"

DECLARE_RULE(thread_deadlock);

#define DEADLOCK_SURE_CYCLE   97u
#define DEADLOCK_SURE_JOIN    85u
#define DEADLOCK_SURE_SELF    85u
#define DEADLOCK_SURE_SIGNAL  90u
#define DEADLOCK_SURE_GUESS   75u
#define DEADLOCK_SURE_REENTRY 60u
#define DEADLOCK_SURE_MODULE  50u
#define DEADLOCK_SURE_ONE     60u /* certainty if one thread took two locks in both orders */
/* minimum number of letters in a module name that is a prefix, as "shelf" in shelf_lock */
#define DEADLOCK_PREFIX   4u
#define DEADLOCK_SURE_FEW 60u
#define DEADLOCK_FEW      6u /* maximum number of threads in a dump that a person selected */
#define DEADLOCK_EDGES    8u /* maximum number of locks in a cycle that the sentence names */
#define DEADLOCK_CITED    4u /* maximum number of threads in a sentence */
/*
 * a critical section is shorter: two threads that wait longer inside each other's objects never
 * continue
 */
#define DEADLOCK_CROSS_NS UINT64_C(60000000000)

static struct finding *deadlock_add(const struct rule_input *in, struct findings *out,
				    unsigned int sure)
{
	struct finding *f = finding_add(out, in, &rule_thread_deadlock, FINDING_ERROR, sure);

	f->never_ends = true;
	return f;
}

/* Name, without its package, of the function in which thread @row waits. */
static struct str deadlock_place(const struct rule_input *in, uint32_t row)
{
	return package_strip(thread_words_frame(in, row, in->threads->rows.data[row].place));
}

/*
 * Append to @text thread @row of the cycle: "; thread 'b' holds 0x2 (Till) and waits for 0x1 in
 * f".
 */
static const char *deadlock_link(const struct rule_input *in, struct findings *out,
				 const char *text, uint32_t row)
{
	const struct threads_summary *s = in->threads;
	uint32_t lock = s->rows.data[row].wants;
	const char *held = "";

	for (uint32_t i = 0; i < s->locks.len && !*held; i++) {
		if (s->locks.data[i].owner == row)
			held = finding_name(out, "holds %s and ", thread_words_lock(out, in, i));
	}
	return finding_name(out, "%s; %s %swaits for %s in " STR_FMT, text,
			    thread_words_name(out, in, row), held,
			    lock == INDEX_NONE
				    ? thread_wait_object((enum thread_wait)s->rows.data[row].kind)
				    : thread_words_lock(out, in, lock),
			    STR_ARG(deadlock_place(in, row)));
}

/* Does any thread wait for the lock at @address? */
static bool deadlock_is_wanted(const struct threads_summary *s, uint64_t address)
{
	VEC_FOREACH (lock, &s->locks) {
		if (lock->address == address)
			return true;
	}
	return false;
}

/*
 * Cite the frame in which thread @row of the cycle waits, and the lines with its locks. If the
 * dump has no such lines, cite the callers instead.
 */
static void deadlock_cite(const struct rule_input *in, struct findings *out, struct finding *f,
			  uint32_t row)
{
	const struct threads *t = in->capture->threads;
	const struct thread_row *r = threads_summary_row(in->threads, row);
	const struct thread_lock *locks = threads_locks(t, r);
	uint32_t place = in->threads->rows.data[row].place;
	bool has_line = false;

	for (uint32_t i = 0; i < r->n_locks; i++)
		has_line |= locks[i].line && deadlock_is_wanted(in->threads, locks[i].address);
	if (!has_line || place >= r->n_frames) {
		thread_words_cite(out, f, in, row);
		return;
	}
	finding_subject(f, threads_summary_sym(in->threads, row, place), SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, threads_frames(t, r)[place].line, STR_FMT,
			 STR_ARG(thread_words_frame(in, row, place)));
	for (uint32_t i = 0; i < r->n_locks; i++) {
		bool is_again = i && locks[i - 1].address == locks[i].address;

		if (locks[i].line && !is_again && deadlock_is_wanted(in->threads, locks[i].address))
			finding_evidence(out, f, in, locks[i].line, "%s 0x%llx",
					 locks[i].kind == THREAD_LOCK_HELD ? "holds" : "waits for",
					 (unsigned long long)locks[i].address);
	}
}

/* The threads of the cycle: "thread 'a' and thread 'b'"; for more than two, "3 threads". */
static const char *deadlock_members(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;

	if (s->cycle.len == 2)
		return finding_name(out, "%s and %s", thread_words_name(out, in, s->cycle.data[0]),
				    thread_words_name(out, in, s->cycle.data[1]));
	return thread_words_count(out, in, s->cycle.len);
}

/* Is each lock of the cycle the initialisation of a class? */
static bool deadlock_is_class(const struct rule_input *in)
{
	const struct threads_summary *s = in->threads;

	VEC_FOREACH (row, &s->cycle) {
		uint32_t lock = s->rows.data[*row].wants;

		if (lock == INDEX_NONE ||
		    !str_starts(strings_get(capture_strings(in->capture), s->locks.data[lock].type),
				STR("the initialisation of ")))
			return false;
	}
	return true;
}

static void deadlock_cycle(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	bool is_class = deadlock_is_class(in);
	struct finding *f = deadlock_add(in, out, DEADLOCK_SURE_CYCLE);
	const char *text = finding_name(out, "%s: %s wait for each other in a cycle",
					is_class ? "Class initialisation deadlock" : "Deadlock",
					deadlock_members(in, out));

	for (size_t i = 0; i < s->cycle.len && i < DEADLOCK_CITED; i++) {
		text = deadlock_link(in, out, text, s->cycle.data[i]);
		deadlock_cite(in, out, f, s->cycle.data[i]);
	}
	finding_claim(out, f, "%s", text);
	finding_figure(f, "threads in the cycle", (double)s->cycle.len, 0, "");
	if (is_class) {
		finding_cause(out, f,
			      "The static initialiser (<clinit>) of each class needs the next "
			      "class of the cycle, which another thread initialises");
		finding_because(out, f,
				"the dump prints which initialisation each thread waits for, and "
				"in which <clinit> the threads are");
		finding_next(out, f,
			     "remove one of the references between the static initialisers, or let "
			     "one thread use the classes before the others start");
		return;
	}
	finding_cause(out, f,
		      s->cycle.len == 1 ? "The thread waits for a lock that it already holds"
					: "they take the same locks in opposite order");
	finding_because(out, f, "the dump prints the owner of each lock");
	finding_next(out, f,
		     "take the locks in one order everywhere, or release the first lock before the "
		     "call that takes the second");
}

/*
 * The joiner (s->joiner) is a thread that waits in a join for the end of another one. Does thread
 * @row wait for a lock that the joiner itself holds?
 */
static bool deadlock_is_direct(const struct threads_summary *s, uint32_t row)
{
	uint32_t lock = s->rows.data[row].wants;

	return lock != INDEX_NONE && s->locks.data[lock].owner == s->joiner;
}

/*
 * Number of threads that wait for a lock of the joiner (a thread that waits in a join). *@ret: the
 * lock.
 */
static size_t deadlock_direct(const struct threads_summary *s, uint32_t *ret)
{
	size_t n = 0;

	VEC_FOREACH (row, &s->blocked_by_joiner) {
		if (!deadlock_is_direct(s, *row))
			continue;
		*ret = s->rows.data[*row].wants;
		n++;
	}
	return n;
}

/*
 * Append to @text, and cite, the first threads that wait for the joiner. @is_direct: those that
 * wait for a lock of the joiner; false: those that wait for a lock of such a thread.
 */
static const char *deadlock_waiters(const struct rule_input *in, struct findings *out,
				    struct finding *f, const char *text, bool is_direct)
{
	const struct threads_summary *s = in->threads;

	for (size_t i = 0; i < s->blocked_by_joiner.len && i < DEADLOCK_CITED; i++) {
		uint32_t row = s->blocked_by_joiner.data[i];

		if (deadlock_is_direct(s, row) != is_direct)
			continue;
		text = deadlock_link(in, out, text, row);
		deadlock_cite(in, out, f, row);
	}
	return text;
}

static void deadlock_join(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	struct finding *f = deadlock_add(in, out, DEADLOCK_SURE_JOIN);
	struct str place = deadlock_place(in, s->joiner);
	uint32_t lock = INDEX_NONE;
	size_t all = s->blocked_by_joiner.len;
	size_t direct = deadlock_direct(s, &lock);
	const char *behind = all > direct ? finding_name(out, ", and %zu more behind %s",
							 all - direct, direct == 1 ? "it" : "them")
					  : "";
	const char *text =
		finding_name(out,
			     "Deadlock: %s joins another thread in " STR_FMT
			     " while it holds a lock that %s wait%s for%s",
			     thread_words_name(out, in, s->joiner), STR_ARG(place),
			     thread_words_count(out, in, direct), direct == 1 ? "s" : "", behind);

	text = deadlock_link(in, out, text, s->joiner);
	deadlock_cite(in, out, f, s->joiner);
	text = deadlock_waiters(in, out, f, text, /* is_direct= */ true);
	text = deadlock_waiters(in, out, f, text, /* is_direct= */ false);
	finding_claim(out, f, "%s", text);
	finding_figure(f, "threads that wait for the joining thread", (double)all, 0, "");
	finding_usual_cause(
		out, f,
		"The joined thread needs a lock that the joining thread holds, directly or "
		"through another thread");
	finding_because(out, f,
			"each lock has a printed owner, but the dump does not name the joined "
			"thread");
	finding_next(out, f, "release %s before the join in " STR_FMT,
		     lock == INDEX_NONE ? "the lock" : thread_words_lock(out, in, lock),
		     STR_ARG(place));
}

/*
 * Index of a caller of the frame in which thread @row waits, with the same function and the same
 * object: the thread may hold the lock already. If there is none: the number of frames.
 */
static uint32_t deadlock_again(const struct rule_input *in, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	const struct thread_frame *frames = threads_frames(in->capture->threads, r);
	uint32_t place = in->threads->rows.data[row].place;
	uint32_t at = place + 1;

	while (at < r->n_frames &&
	       (frames[at].sym.v != frames[place].sym.v || !frames[place].object ||
		frames[at].object != frames[place].object))
		at++;
	return at < r->n_frames ? at : r->n_frames;
}

/*
 * Index of a caller of the frame in which thread @row waits: another method of the same object, if
 * code of other objects is in between. Such a callback may need a lock that the outer method holds.
 * If there is none: the number of frames.
 */
static uint32_t deadlock_callback(const struct rule_input *in, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	const struct thread_frame *frames = threads_frames(in->capture->threads, r);
	uint32_t place = in->threads->rows.data[row].place;
	bool has_between = false;

	if (place >= r->n_frames || !frames[place].object)
		return r->n_frames;
	for (uint32_t i = place + 1; i < r->n_frames; i++) {
		bool is_same = frames[i].object == frames[place].object;

		if (is_same && has_between)
			return i;
		has_between |= !is_same && thread_waits_is_own(in->capture, frames[i].sym);
	}
	return r->n_frames;
}

static bool deadlock_reentry(const struct rule_input *in, struct findings *out, uint32_t row)
{
	const struct thread_seen *seen = &in->threads->rows.data[row];
	const struct thread_frame *frames =
		threads_frames(in->capture->threads, threads_summary_row(in->threads, row));
	uint32_t outer = deadlock_callback(in, row);
	struct finding *f;

	if (outer >= threads_summary_row(in->threads, row)->n_frames)
		return false;
	f = deadlock_add(in, out, DEADLOCK_SURE_REENTRY);
	f->severity = FINDING_WARNING;
	finding_claim(
		out, f,
		"Possible self-deadlock: %s waits for a lock in " STR_FMT
		" of the object 0x%llx, and an outer caller is " STR_FMT
		" of the same object. If that call holds the lock, the thread waits for itself",
		thread_words_name(out, in, row), STR_ARG(thread_words_frame(in, row, seen->place)),
		(unsigned long long)frames[seen->place].object,
		STR_ARG(thread_words_frame(in, row, outer)));
	finding_figure(f, "frames between the two calls", (double)(outer - seen->place), 0, "");
	thread_words_cite(out, f, in, row);
	finding_evidence(out, f, in, frames[outer].line, STR_FMT,
			 STR_ARG(thread_words_frame(in, row, outer)));
	finding_usual_cause(out, f,
			    "The outer call re-enters its object through " STR_FMT
			    ", perhaps while holding the lock",
			    STR_ARG(thread_words_frame(in, row, outer - 1)));
	finding_because(out, f, "the dump does not print the owner of the lock");
	finding_next(out, f, "check " STR_FMT ": does it hold the lock where it calls " STR_FMT "?",
		     STR_ARG(thread_words_frame(in, row, outer)),
		     STR_ARG(thread_words_frame(in, row, outer - 1)));
	return true;
}

/* Is there a thread other than @row that does not wait for @lock, in a method of the object @lock?
 */
static bool deadlock_has_other_user(const struct rule_input *in, uint32_t row, uint64_t lock)
{
	const struct threads_summary *s = in->threads;

	for (uint32_t i = 0; i < s->rows.len; i++) {
		const struct thread_row *r = threads_summary_row(s, i);
		const struct thread_frame *frames = threads_frames(in->capture->threads, r);

		if (i == row || r->snapshot != s->snapshot || s->rows.data[i].lock == lock)
			continue;
		for (uint32_t k = 0; k < r->n_frames; k++) {
			if (frames[k].object == lock)
				return true;
		}
	}
	return false;
}

/*
 * For a goroutine that has waited for a mutex for at least DEADLOCK_CROSS_NS: index of the
 * outermost of its callers that are methods of the object at the address of the mutex, which is
 * then the first member of the object. A mutex of Go is not recursive: if one of these methods
 * holds it, the goroutine waits for itself. If another goroutine is in a method of the object, that
 * one may be the owner. No sign of a self-deadlock: the number of frames.
 */
static uint32_t deadlock_receiver(const struct rule_input *in, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	const struct thread_seen *seen = &in->threads->rows.data[row];
	const struct thread_frame *frames = threads_frames(in->capture->threads, r);
	struct str dialect =
		strings_get(capture_strings(in->capture), in->capture->threads->dialect);
	uint32_t ret = r->n_frames;

	if (!str_eq(dialect, STR("goroutines")) || !seen->lock || r->age_ns < DEADLOCK_CROSS_NS ||
	    deadlock_has_other_user(in, row, seen->lock))
		return ret;
	for (uint32_t i = seen->place + 1; i < r->n_frames; i++) {
		if (frames[i].object == seen->lock &&
		    str_contains(thread_words_frame(in, row, i), STR("(*")))
			ret = i;
	}
	return ret;
}

static bool deadlock_go(const struct rule_input *in, struct findings *out, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	const struct thread_seen *seen = &in->threads->rows.data[row];
	const struct thread_frame *frames = threads_frames(in->capture->threads, r);
	uint32_t outer = deadlock_receiver(in, row);
	struct finding *f;
	double n = 0;

	if (outer >= r->n_frames)
		return false;
	f = deadlock_add(in, out, DEADLOCK_SURE_REENTRY);
	f->severity = FINDING_WARNING;
	finding_claim(out, f,
		      "Possible self-deadlock: %s has waited %s for the mutex of the object 0x%llx "
		      "in " STR_FMT ", called from " STR_FMT
		      " of the same object. A mutex of Go is not recursive. If a caller holds the "
		      "mutex, the wait never ends",
		      thread_words_name(out, in, row), thread_words_ages(out, r->age_ns, r->age_ns),
		      (unsigned long long)seen->lock, STR_ARG(deadlock_place(in, row)),
		      STR_ARG(package_strip(thread_words_frame(in, row, outer))));
	thread_words_cite(out, f, in, row);
	for (uint32_t i = seen->place + 1; i <= outer; i++)
		n += frames[i].object == seen->lock;
	finding_figure(f, "callers that are methods of the object", n, 0, "");
	finding_evidence(out, f, in, frames[outer].line, STR_FMT " of the object 0x%llx",
			 STR_ARG(thread_words_frame(in, row, outer)),
			 (unsigned long long)seen->lock);
	finding_usual_cause(
		out, f,
		"A method locks the mutex, then calls another method of the object that "
		"locks it again");
	finding_because(out, f,
			"the dump does not print the owner: a goroutine that it does not show may "
			"hold the mutex");
	finding_next(out, f,
		     "read the callers at the lines cited: which of them holds the mutex where it "
		     "calls the next");
	finding_next(out, f,
		     "curl 'http://HOST:PORT/debug/pprof/goroutine?debug=2': all goroutines, for "
		     "another one in a method of 0x%llx",
		     (unsigned long long)seen->lock);
	return true;
}

/*
 * Are the innermost frames of all threads in the kernel? Then the dump shows blocked tasks, and
 * no idle workers.
 */
static bool deadlock_is_kernel(const struct rule_input *in)
{
	const struct symbols *symbols = capture_symbols(in->capture);

	VEC_FOREACH (g, &in->threads->groups) {
		sym_id sym = threads_summary_sym(in->threads, g->row, 0);

		if (symbols_get(symbols, sym)->space != SPACE_KERNEL)
			return false;
	}
	return true;
}

/*
 * The module or class in the name of a C or C++ function: "shelf" for shelf_lock, "ns::Shelf" for
 * ns::Shelf::put. Empty: unknown, or a language whose locks are recursive.
 */
static struct str deadlock_module(struct plain_name *buffer, struct str name)
{
	struct str plain = plain_name_make(buffer, name);
	struct str family = plain_name_family(plain);
	size_t from = 0;
	size_t end;

	if (family.len)
		return str_find(plain, STR("::")) < plain.len ? family : STR_NONE;
	while (from < plain.len && plain.p[from] == '_')
		from++;
	end = from + str_find_char(str_skip(plain, from), '_');
	return end < plain.len && end >= from + DEADLOCK_PREFIX ? str_sub(plain, from, end)
								: STR_NONE;
}

/*
 * Index of a caller of the frame in which thread @row waits, in the same kernel module, if the
 * kernel entered a file system in between (to read a file, or to free memory). If there is none:
 * the number of frames.
 */
static uint32_t deadlock_entered_again(const struct rule_input *in, uint32_t row)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;
	uint32_t place = in->threads->rows.data[row].place;
	bool has_entry = false;
	struct str module;

	if (place >= n)
		return n;
	module = symbols_module(symbols, threads_summary_sym(in->threads, row, place));
	for (uint32_t i = place + 1; i < n && module.len; i++) {
		sym_id sym = threads_summary_sym(in->threads, row, i);

		if (has_entry && str_eq(symbols_module(symbols, sym), module))
			return i;
		has_entry |= wait_role_has(WAIT_ROLE_ENTRY, symbols_canonical(symbols, sym));
	}
	return n;
}

/*
 * Index of a caller of the frame in which thread @row waits, in the same module, if code of other
 * modules is in between. A module with most of the stack is the program itself, and does not count.
 * If there is none: the number of frames.
 */
static uint32_t deadlock_module_again(const struct rule_input *in, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	uint32_t place = in->threads->rows.data[row].place;
	uint32_t again = r->n_frames;
	uint32_t own = 0;
	uint32_t same = 0;
	bool has_between = false;
	struct plain_name a, b;
	struct str module;

	if (place >= r->n_frames)
		return r->n_frames;
	module = deadlock_module(&a, thread_words_frame(in, row, place));
	for (uint32_t i = place; i < r->n_frames && module.len; i++) {
		bool is_same = str_eq(module, deadlock_module(&b, thread_words_frame(in, row, i)));

		if (!is_same &&
		    !thread_waits_is_own(in->capture, threads_summary_sym(in->threads, row, i)))
			continue;
		own++;
		same += is_same;
		if (is_same && has_between && again == r->n_frames)
			again = i;
		has_between |= !is_same;
	}
	return same * 2 > own ? r->n_frames : again;
}

/*
 * Add a finding if an outer function of the same module may hold the lock for which thread @row
 * waits. (The name of a C function shows its module, but no object.) False: no such function, or
 * the dump has more than DEADLOCK_FEW threads.
 */
static bool deadlock_module_reentry(const struct rule_input *in, struct findings *out, uint32_t row)
{
	const struct thread_seen *seen = &in->threads->rows.data[row];
	const struct thread_row *r = threads_summary_row(in->threads, row);
	uint32_t outer = deadlock_is_kernel(in) ? deadlock_entered_again(in, row)
						: deadlock_module_again(in, row);
	struct finding *f;

	if (outer >= r->n_frames || in->threads->threads > DEADLOCK_FEW)
		return false;
	f = deadlock_add(in, out, DEADLOCK_SURE_MODULE);
	f->severity = FINDING_WARNING;
	finding_claim(out, f,
		      "Possible self-deadlock: %s waits for a lock in '" STR_FMT "', and '" STR_FMT
		      "' of the same module is further out on its stack. If that call holds the "
		      "lock, the thread waits for itself",
		      thread_words_name(out, in, row),
		      STR_ARG(thread_words_frame(in, row, seen->place)),
		      STR_ARG(thread_words_frame(in, row, outer)));
	finding_figure(f, "frames between the two calls", (double)(outer - seen->place), 0, "");
	thread_words_cite(out, f, in, row);
	finding_evidence(out, f, in, threads_frames(in->capture->threads, r)[outer].line, STR_FMT,
			 STR_ARG(thread_words_frame(in, row, outer)));
	finding_usual_cause(out, f,
			    "the outer call leads back into its module through '" STR_FMT
			    "', perhaps below the lock (re-entry)",
			    STR_ARG(thread_words_frame(in, row, outer - 1)));
	finding_because(out, f,
			"the owner of the lock is not printed; names alone say that the "
			"two belong together");
	finding_next(out, f,
		     "look in '" STR_FMT "': does it hold the lock where it calls '" STR_FMT "'?",
		     STR_ARG(thread_words_frame(in, row, outer)),
		     STR_ARG(thread_words_frame(in, row, outer - 1)));
	return true;
}

static bool deadlock_self(const struct rule_input *in, struct findings *out, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	const struct thread_seen *seen = &in->threads->rows.data[row];
	uint32_t again = deadlock_again(in, row);
	const struct thread_frame *frames = threads_frames(in->capture->threads, r);
	struct finding *f;

	if (again >= r->n_frames)
		return false;
	f = deadlock_add(in, out, DEADLOCK_SURE_SELF);
	finding_claim(out, f,
		      "Self-deadlock: %s waits for a lock in " STR_FMT
		      ", which is twice on its own stack with the same object 0x%llx. The outer "
		      "call likely holds the lock",
		      thread_words_name(out, in, row),
		      STR_ARG(thread_words_frame(in, row, seen->place)),
		      (unsigned long long)frames[seen->place].object);
	finding_figure(f, "frames between the two calls", (double)(again - seen->place), 0, "");
	if (seen->lock)
		finding_figure(f,
			       finding_name(out, "waiters for the lock 0x%llx",
					    (unsigned long long)seen->lock),
			       (double)(seen->wants == INDEX_NONE
						? 1
						: in->threads->locks.data[seen->wants].waiters),
			       0, "");
	thread_words_cite(out, f, in, row);
	finding_evidence(out, f, in, frames[again].line, STR_FMT " again",
			 STR_ARG(thread_words_frame(in, row, again)));
	finding_usual_cause(out, f,
			    "The function re-enters itself through " STR_FMT
			    " while it holds its own lock, which is not recursive",
			    STR_ARG(thread_words_frame(in, row, again - 1)));
	finding_because(out, f, "the dump does not print the owner of the lock");
	finding_next(
		out, f,
		"gdb -p PID -ex 'frame %u' -ex 'p *this': the owner of the mutex is this thread",
		seen->place);
	return true;
}

/*
 * Was the allocator interrupted, and does the signal handler call it? It is in the handler's
 * frames, and among the six innermost frames of the interrupted code.
 */
static bool deadlock_is_shared(const struct rule_input *in, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	const struct thread_frame *frames = threads_frames(in->capture->threads, r);
	const struct symbols *symbols = capture_symbols(in->capture);
	bool is_inside = false;
	bool is_outside = false;

	for (uint32_t i = 0; i < r->n_frames; i++) {
		bool is_allocator = thread_waits_is_allocator(symbols, frames[i].sym);

		is_inside |= is_allocator && i < r->signal_at;
		is_outside |= is_allocator && i >= r->signal_at && i < r->signal_at + 6;
	}
	return is_inside && is_outside;
}

static bool deadlock_signal(const struct rule_input *in, struct findings *out, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	const struct thread_seen *seen = &in->threads->rows.data[row];
	const struct thread_frame *frames = threads_frames(in->capture->threads, r);
	bool is_allocator;
	struct finding *f;

	if (!r->signal_at || r->signal_at >= r->n_frames || seen->entry >= r->signal_at)
		return false;
	is_allocator = deadlock_is_shared(in, row);
	f = deadlock_add(in, out, is_allocator ? DEADLOCK_SURE_SIGNAL : DEADLOCK_SURE_GUESS);
	finding_claim(out, f,
		      "Self-deadlock: the signal handler " STR_FMT
		      " waits for a lock%s, and the interrupted code, " STR_FMT ", %s holds it",
		      STR_ARG(thread_words_frame(in, row, r->signal_at - 1)),
		      is_allocator ? " of the memory allocator" : "",
		      STR_ARG(thread_words_frame(in, row, r->signal_at)),
		      is_allocator ? "already" : "possibly");
	finding_figure(f, "frames inside the signal handler", (double)r->signal_at, 0, "");
	thread_words_cite(out, f, in, row);
	finding_evidence(out, f, in, frames[r->signal_at - 1].line, "signal handler " STR_FMT,
			 STR_ARG(thread_words_frame(in, row, r->signal_at - 1)));
	finding_evidence(out, f, in, frames[r->signal_at].line, "interrupted in " STR_FMT,
			 STR_ARG(thread_words_frame(in, row, r->signal_at)));
	finding_cause(out, f,
		      "The handler calls functions that are not async-signal-safe: malloc, stdio "
		      "and logging take locks");
	finding_because(out, f, "%s",
			is_allocator ? "the same allocator is on both sides of the signal"
				     : "the dump does not print the owner of the lock");
	finding_next(out, f, "man 7 signal-safety: in the handler only call write() or set a flag");
	return true;
}

/*
 * Clause about functions on the stack whose names suggest that they hold a lock: ", below
 * in_lock_region, do_locked"; "": fewer than two.
 */
static const char *deadlock_below(const struct rule_input *in, struct findings *out, uint32_t row)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;
	const char *text = "";
	unsigned int found = 0;

	/* outermost first, which is the order in which they took their locks */
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
	/* frame that wants a lock: the innermost lock function that is not on both stacks */
	uint32_t wants[2];
	/* outermost frame with the prefix of what the other thread wants */
	uint32_t below[2];
};

/* The prefix of the functions of one module: "brl_" of brl_get_locks, "g_lock_" of g_lock_dump. */
static struct str deadlock_prefix(struct str name)
{
	for (size_t i = DEADLOCK_PREFIX - 1; i < name.len; i++) {
		if (name.p[i] == '_')
			return str_sub(name, 0, i + 1);
	}
	return name;
}

/* Number of frames that the stacks of @a and @b share at their innermost end. */
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

/* The innermost lock function of @row from frame @from on; INDEX_NONE: none. */
static uint32_t deadlock_wanted(const struct rule_input *in, uint32_t row, uint32_t from)
{
	for (uint32_t i = from; i < threads_summary_row(in->threads, row)->n_frames; i++) {
		if (str_glob(STR(DEADLOCK_TAKES), thread_words_frame(in, row, i)))
			return i;
	}
	return INDEX_NONE;
}

/* The outermost lock function of @row outside of frame @at that begins with @prefix. */
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

/* Append to @text where both threads of @o wait, and cite these frames. */
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
 * May a thread continue without any other thread, because it runs, or waits for data or a
 * timeout? It may then release a lock.
 */
static bool deadlock_may_go_on(const struct threads_summary *s)
{
	static const enum thread_wait kinds[] = {
		THREAD_WAIT_NONE,   THREAD_WAIT_CPU,     THREAD_WAIT_SLEEP,   THREAD_WAIT_POLL,
		THREAD_WAIT_SOCKET, THREAD_WAIT_CONNECT, THREAD_WAIT_DNS,     THREAD_WAIT_DISK,
		THREAD_WAIT_READ,   THREAD_WAIT_CHILD,   THREAD_WAIT_SYSCALL,
	};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (s->waiting[kinds[i]])
			return true;
	}
	return false;
}

/*
 * If the dump prints no owners: add a finding about a likely deadlock if all threads wait, and at
 * least half of them for two or more locks. Then no thread can release these locks. False: no
 * finding was added.
 */
static bool deadlock_guess(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	struct deadlock_order order;
	const char *text;
	struct finding *f;
	uint64_t processes;
	uint64_t waiters = 0;
	bool has_order;

	if (s->locks.len < 2 || deadlock_may_go_on(s))
		return false;
	VEC_FOREACH (lock, &s->locks) {
		/* only a function with a caller can hold another lock during the wait */
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
			? "Locks in shared memory block both. If each process holds the lock that "
			  "another wants, they lock in opposite order. If it is one lock, its "
			  "owner is not in the dump"
			: "Each thread likely holds a lock while it waits for the other's lock: "
			  "they lock in opposite order");
	finding_because(out, f, "%s",
			processes > 1
				? "the dump prints no owners, and addresses of two processes "
				  "do not show whether it is one lock"
				: "the dump prints no owners, so the order is a guess; omitted "
				  "threads may run");
	finding_next(out, f, "%s", thread_words_find_owner(out, in, s->locks.data[0].waiter, true));
	return true;
}

/*
 * One of the two threads of deadlock_cross(): "goroutine 7 waits for a lock in (*Shop).Total of
 * 0x1, below (*Till).Pay of 0x2".
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
 * Add a finding about two threads of which each waits for a lock inside the other's object.
 * False: there are none.
 */
static bool deadlock_cross(const struct rule_input *in, struct findings *out)
{
	struct thread_cross c;
	uint64_t least = UINT64_MAX;
	struct finding *f;

	/* an object of one process may have the address of another object in the next process */
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
	finding_because(out, f, "the dump prints no owners: the outer methods may hold no lock");
	finding_next(out, f,
		     "check " STR_FMT " and " STR_FMT
		     ": which lock does each hold at that call? Take both in one order",
		     STR_ARG(package_strip(thread_words_frame(in, c.rows[0], c.outer[0]))),
		     STR_ARG(package_strip(thread_words_frame(in, c.rows[1], c.outer[1]))));
	return true;
}

/* Does the thread wait for a lock, an event, a join or a message? Then it is no idle worker. */
static bool deadlock_is_stuck(const struct thread_seen *seen)
{
	return seen->kind == THREAD_WAIT_LOCK || seen->kind == THREAD_WAIT_EVENT ||
	       seen->kind == THREAD_WAIT_JOIN || seen->kind == THREAD_WAIT_SEND ||
	       seen->kind == THREAD_WAIT_RECEIVE;
}

/*
 * Do all stuck threads wait for one lock? Then its owner may be a thread that is not in the dump.
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
 * Add a finding about a possible deadlock if the dump has few threads, none of them runs, and at
 * least two are stuck. The owner of the lock is one of these, or is not in the dump. False: no
 * finding was added.
 */
static bool deadlock_few(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	const char *text = "possible deadlock: ";
	struct finding *f;
	unsigned int n = 0;

	VEC_FOREACH (lock, &s->locks) {
		if (lock->owner != INDEX_NONE)
			return false;
	}
	VEC_FOREACH (g, &s->groups)
		n += deadlock_is_stuck(&s->rows.data[g->row]);
	if (n < 2 || (!s->waiting[THREAD_WAIT_LOCK] && !deadlock_is_kernel(in)) ||
	    s->threads > DEADLOCK_FEW || s->waiting[THREAD_WAIT_NONE] ||
	    s->waiting[THREAD_WAIT_CPU] || deadlock_is_one_lock(s))
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
				    thread_wait_object((enum thread_wait)seen->kind),
				    thread_words_place(out, in, g->row));
		thread_words_cite(out, f, in, g->row);
	}
	finding_claim(out, f, "%s; none of the threads shown runs", text);
	finding_figure(f, "threads in the dump", (double)s->threads, 0, "");
	finding_figure(f, "threads that wait for a lock", (double)s->waiting[THREAD_WAIT_LOCK], 0,
		       "");
	finding_usual_cause(
		out, f,
		s->waiting[THREAD_WAIT_LOCK]
			? "the owner of the lock is another of these threads and waits for "
			  "the one that wants it (a cycle), or it is not shown"
			: "they wait for each other (a cycle), or for a thread that is not "
			  "shown");
	finding_because(out, f, "the dump prints no owners, and threads may be missing");
	finding_next(out, f,
		     "which locks does each thread hold where it waits? gdb: 'p *MUTEX' has "
		     "__owner; kernel: CONFIG_LOCKDEP, echo d > /proc/sysrq-trigger");
	return true;
}

/* The function in which stack @row of the report takes its lock. */
static struct str deadlock_taker(const struct rule_input *in, uint32_t row)
{
	return thread_words_frame(in, row, in->threads->rows.data[row].place);
}

/*
 * The name of the lock in stack @row, "table_lock" for "table_lock 0x0000000000473c60"; without a
 * name, its address.
 */
static struct str deadlock_lock_name(const struct rule_input *in, uint32_t row)
{
	struct str name = strings_get(capture_strings(in->capture),
				      in->capture->threads->rows.data[row].name);
	size_t blank = str_rfind_char(name, ' ');

	return str_sub(blank < name.len && blank ? str_sub(name, 0, blank) : name, 0, 48);
}

/* Do the stacks of a report about lock order have names of locks, and not of threads? */
static bool deadlock_has_names(const struct threads *t)
{
	VEC_FOREACH (row, &t->rows) {
		if (row->id.v || !row->name.v)
			return false;
	}
	return true;
}

/*
 * One code path of a report about lock order: "'f' takes A while it holds B". Stack @row takes A,
 * and stack @row + 1 took B.
 */
static const char *deadlock_path(const struct rule_input *in, struct findings *out, uint32_t row)
{
	struct str inner = deadlock_taker(in, row);
	struct str outer = deadlock_taker(in, row + 1);

	if (deadlock_has_names(in->capture->threads))
		return finding_name(out, "'" STR_FMT "' takes " STR_FMT " while it holds " STR_FMT,
				    STR_ARG(inner), STR_ARG(deadlock_lock_name(in, row)),
				    STR_ARG(deadlock_lock_name(in, row + 1)));
	if (str_eq(inner, outer))
		return finding_name(out, "'" STR_FMT "' takes both of its locks", STR_ARG(inner));
	return finding_name(out, "'" STR_FMT "' takes one below that of '" STR_FMT "'",
			    STR_ARG(inner), STR_ARG(outer));
}

/* Does a report about lock order state that one thread took the locks in both orders? */
static bool deadlock_is_of_one_thread(const struct threads *t)
{
	str_id thread = STR_ID_NONE;
	uint32_t n = 0;

	VEC_FOREACH (row, &t->rows) {
		if (!row->state_text.v)
			continue;
		if (n++ && row->state_text.v != thread.v)
			return false;
		thread = row->state_text;
	}
	return n > 1;
}

/* Do the @n code paths of the report form one cycle: does each take the lock that the next holds?
 */
static bool deadlock_is_chain(const struct rule_input *in, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t next = (i + 1) % n;

		if (!str_eq(deadlock_lock_name(in, 2 * i), deadlock_lock_name(in, 2 * next + 1)))
			return false;
	}
	return true;
}

/* Is the report about one cycle of three or more locks, so that the sentence names all of them? */
static bool deadlock_has_edges(const struct rule_input *in)
{
	const struct threads *t = in->capture->threads;
	uint32_t n = (uint32_t)t->rows.len / 2;

	return t->rows.len % 2 == 0 && n > 2 && n <= DEADLOCK_EDGES && deadlock_has_names(t) &&
	       !deadlock_is_of_one_thread(t) && deadlock_is_chain(in, n);
}

/* Set the claim for a cycle of @n locks, with all edges and threads, and cite each edge. */
static void deadlock_edges(const struct rule_input *in, struct findings *out, struct finding *f,
			   uint32_t n)
{
	const struct threads *t = in->capture->threads;
	const struct strings *strings = capture_strings(in->capture);
	const char *text = finding_name(out, STR_FMT, STR_ARG(deadlock_lock_name(in, 1)));
	const char *threads = "";

	for (uint32_t i = 0; i < n; i++) {
		uint32_t row = 2 * i;
		const struct thread_row *r = threads_summary_row(in->threads, row);
		uint32_t place = in->threads->rows.data[row].place;
		struct str thread = strings_get(strings, r->state_text);

		text = finding_name(out, "%s -> " STR_FMT, text,
				    STR_ARG(deadlock_lock_name(in, row)));
		if (thread.len)
			threads = finding_name(out, "%s%s" STR_FMT, threads,
					       *threads ? ", " : ", threads ", STR_ARG(thread));
		if (place < r->n_frames)
			finding_evidence(out, f, in, threads_frames(t, r)[place].line, "%s",
					 deadlock_path(in, out, row));
	}
	finding_claim(out, f,
		      "Potential deadlock: lock order cycle %s%s; the report shows no thread "
		      "blocked",
		      text, threads);
	finding_cause(
		out, f,
		"Each path holds one lock and takes the next. If all %u run at once, none can "
		"go on, unless another lock keeps them apart",
		n);
}

/* Set the claim for a report about lock order that was cut off after the first code path. */
static void deadlock_cut(const struct rule_input *in, struct findings *out, struct finding *f)
{
	f->severity = FINDING_WARNING;
	finding_claim(out, f,
		      "Locks are taken in a cycle, which can deadlock: '" STR_FMT
		      "' takes one while it holds another; the report is cut off",
		      STR_ARG(deadlock_taker(in, 0)));
	finding_cause(out, f, "Another path, which is not shown, takes them the other way round");
	finding_next(out, f, "the whole report: where the other locks of the cycle are taken");
}

/*
 * Set the claim for a report about code paths that take locks in opposite order. (It is a danger:
 * the threads need not have waited.)
 */
static void deadlock_order(const struct rule_input *in, struct findings *out, struct finding *f)
{
	const struct threads *t = in->capture->threads;
	/*
	 * without names of locks, ThreadSanitizer may omit stacks, so that two stacks need not be
	 * one path
	 */
	uint32_t n = deadlock_has_names(t) ? (uint32_t)t->rows.len / 2 : 0;
	const char *text = deadlock_path(in, out, 0);

	if (t->rows.len > 3)
		text = finding_name(out, "%s, and %s", text, deadlock_path(in, out, 2));
	if (n > 2)
		text = finding_name(out, "%u locks are taken in a cycle, which can deadlock: %s", n,
				    text);
	else
		text = finding_name(
			out, "Locks are taken in opposite order, which can deadlock: %s", text);
	if (n > 1)
		finding_figure(f, "locks in the cycle", n, 0, "");
	f->severity = FINDING_WARNING;
	finding_claim(out, f, "%s", text);
	if (deadlock_is_of_one_thread(t)) {
		f->severity = FINDING_NOTE;
		f->sure = DEADLOCK_SURE_ONE;
		finding_claim(out, f, "%s; one thread does both", text);
		finding_because(out, f, "the checker saw no second thread take these locks");
	}
	finding_cause(out, f,
		      deadlock_is_of_one_thread(t)
			      ? "One thread took the locks both ways, one after the other. It "
				"deadlocks only if two threads ever do so at once"
		      : n > 2 ? "Each path holds a lock that the previous one takes. They deadlock "
				"once all of them meet, unless another lock keeps them apart"
			      : "Two paths nest the same locks the other way round. They deadlock "
				"once they meet, unless another lock keeps them apart");
	if (deadlock_has_edges(in))
		deadlock_edges(in, out, f, n);
	finding_next(out, f,
		     "take the locks in one order everywhere, or release the first before the call "
		     "that takes the second");
}

static bool deadlock_checked(const struct rule_input *in, struct findings *out)
{
	const struct threads *t = in->capture->threads;
	struct finding *f;
	bool is_order;
	bool has_edges;

	if (!threads_is_checked(t) || t->notes.data[0].kind == THREAD_NOTE_CHECKER)
		return false;
	is_order = t->notes.data[0].kind == THREAD_NOTE_LOCK_ORDER;
	if (t->rows.len < (is_order ? 1 : 2))
		return false;
	has_edges = is_order && deadlock_has_edges(in);
	f = deadlock_add(in, out, is_order ? DEADLOCK_SURE_JOIN : DEADLOCK_SURE_CYCLE);
	/* deadlock_edges() cites one line of each path */
	for (uint32_t i = 0; i < t->rows.len && i < DEADLOCK_CITED && !has_edges; i++)
		thread_words_cite(out, f, in, i);
	finding_figure(f, "stacks in the report", (double)t->rows.len, 0, "");
	finding_because(out, f, "the checker that watched the locks reports it");
	if (is_order && t->rows.len == 1) {
		deadlock_cut(in, out, f);
		return true;
	}
	if (is_order) {
		deadlock_order(in, out, f);
		return true;
	}
	finding_claim(out, f,
		      "Self-deadlock: '" STR_FMT
		      "' takes a lock that its thread already holds since '" STR_FMT "'",
		      STR_ARG(deadlock_taker(in, 0)), STR_ARG(deadlock_taker(in, 1)));
	finding_cause(out, f, "The lock is not recursive: the thread waits for itself");
	finding_next(out, f,
		     "release the lock before the call, or let the inner function expect it to be "
		     "held");
	return true;
}

static bool deadlock_reported(const struct rule_input *in, struct findings *out)
{
	const struct threads *t = in->capture->threads;
	const struct threads_summary *s = in->threads;

	VEC_FOREACH (note, &t->notes) {
		struct str text = strings_get(capture_strings(in->capture), note->text);
		uint32_t row = s->groups.len ? s->groups.data[0].row : INDEX_NONE;
		struct finding *f;

		if (note->kind != THREAD_NOTE_DEADLOCK || row == INDEX_NONE)
			continue;
		f = deadlock_add(in, out, DEADLOCK_SURE_CYCLE);
		finding_claim(out, f,
			      "Deadlock reported by the runtime: %s cannot continue; %s waits for "
			      "%s in %s",
			      thread_words_count(out, in, s->threads),
			      thread_words_name(out, in, row),
			      thread_wait_object((enum thread_wait)s->rows.data[row].kind),
			      thread_words_place(out, in, row));
		finding_figure(f, "threads", (double)s->threads, 0, "");
		finding_evidence(out, f, in, note->line, STR_FMT, STR_ARG(text));
		thread_words_cite(out, f, in, row);
		finding_cause(out, f,
			      "Each waits for a lock or message that no other thread can provide");
		finding_because(out, f, "the runtime reports it");
		finding_next(out, f,
			     "follow the stacks above: which thread should send, close or unlock");
		return true;
	}
	return false;
}

static void deadlock_check(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	bool is_found = false;

	if (s->cycle.len)
		deadlock_cycle(in, out);
	else if (s->joiner != INDEX_NONE && s->blocked_by_joiner.len)
		deadlock_join(in, out);
	else
		is_found = deadlock_checked(in, out) || deadlock_reported(in, out);
	is_found |= s->cycle.len || s->blocked_by_joiner.len;
	for (uint32_t i = 0; !is_found && i < s->groups.len; i++) {
		uint32_t row = s->groups.data[i].row;

		if (s->rows.data[row].kind == THREAD_WAIT_LOCK)
			is_found = deadlock_signal(in, out, row) || deadlock_self(in, out, row) ||
				   deadlock_go(in, out, row) || deadlock_reentry(in, out, row) ||
				   deadlock_module_reentry(in, out, row);
	}
	if (is_found || deadlock_cross(in, out) || deadlock_guess(in, out) || deadlock_few(in, out))
		return;
	if (s->waiting[THREAD_WAIT_LOCK] && !s->locks.len)
		finding_not_assessed(out, in, &rule_thread_deadlock,
				     "gdb -p PID -ex 'thread apply all bt', with debug information "
				     "of libc and the program",
				     "threads wait for locks, but the dump does not name them");
	else
		finding_clean(out, in, &rule_thread_deadlock, "no cycle among the printed locks");
}

static const char *const deadlock_overrules[] = { "thread-waits", "thread-lock", NULL };

const struct rule rule_thread_deadlock = {
	.id = "thread-deadlock",
	.title = "Deadlock",
	.needs = RULE_THREADS,
	.overrules = deadlock_overrules,
	.check = deadlock_check,
};
