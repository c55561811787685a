/* SPDX-License-Identifier: MIT */
/*
 * Threads that can never continue. Examples: a cycle of locks, a join while a lock is held, a lock
 * that its owner takes again, a signal handler that needs a lock of the interrupted code.
 *
 * If the dump prints the owners of locks, the cycle is a fact. Otherwise it is inferred, with a
 * certainty of at most 75 %, in three cases. First, all threads wait, for at least two different
 * locks. Second, two threads wait inside each other's objects. Third, the dump has few threads,
 * none of them runs, and one of several stuck threads waits for a lock.
 */
#include "explain/deadlocks/deadlock.h"
#include "explain/words/thread_words.h"

#include "analyses/plain_name.h"
#include "analyses/threads/thread_cross.h"
#include "analyses/threads/thread_summary.h"
#include "analyses/threads/thread_waits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/strings.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/thread_deadlock_names.h"

DECLARE_RULE(thread_deadlock);

/*
 * Append thread @row of the cycle to @text: "; thread 'b' holds 0x2 (Till) and waits for 0x1 in f".
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

/* Cite the lines from @from to before @to with locks of the cycle that thread @row holds or wants.
 */
static void deadlock_cite_locks(const struct rule_input *in, struct findings *out,
				struct finding *f, uint32_t row, uint32_t from, uint32_t to)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	const struct thread_lock *locks = threads_locks(in->capture->threads, r);

	for (uint32_t i = 0; i < r->n_locks; i++) {
		bool is_again = i && locks[i - 1].address == locks[i].address;

		if (locks[i].line && locks[i].line >= from && locks[i].line < to && !is_again &&
		    deadlock_is_wanted(in->threads, locks[i].address))
			finding_evidence(out, f, in, locks[i].line, "%s 0x%llx",
					 locks[i].kind == THREAD_LOCK_HELD ? "holds" : "waits for",
					 (unsigned long long)locks[i].address);
	}
}

/*
 * Cite the frame in which thread @row of the cycle waits, and the lines with its locks, in the
 * order of the text. If the dump has no such lines, cite the callers instead.
 */
static void deadlock_cite(const struct rule_input *in, struct findings *out, struct finding *f,
			  uint32_t row)
{
	const struct threads *t = in->capture->threads;
	const struct thread_row *r = threads_summary_row(in->threads, row);
	const struct thread_lock *locks = threads_locks(t, r);
	uint32_t place = in->threads->rows.data[row].place;
	bool has_line = false;
	uint32_t line;

	for (uint32_t i = 0; i < r->n_locks; i++)
		has_line |= locks[i].line && deadlock_is_wanted(in->threads, locks[i].address);
	if (!has_line || place >= r->n_frames) {
		thread_words_cite(out, f, in, row);
		return;
	}
	finding_subject(f, threads_summary_sym(in->threads, row, place), SUBJECT_EXPLAINED);
	line = threads_frames(t, r)[place].line;
	deadlock_cite_locks(in, out, f, row, 0, line);
	finding_evidence(out, f, in, line, STR_FMT, STR_ARG(thread_words_frame(in, row, place)));
	deadlock_cite_locks(in, out, f, row, line, UINT32_MAX);
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

/* Does each lock of the cycle guard the initialisation of a class? */
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
 * The joiner (s->joiner) is a thread that waits in a join for the end of another thread. Does
 * thread @row wait for a lock that the joiner holds?
 */
static bool deadlock_is_direct(const struct threads_summary *s, uint32_t row)
{
	uint32_t lock = s->rows.data[row].wants;

	return lock != INDEX_NONE && s->locks.data[lock].owner == s->joiner;
}

/*
 * Number of threads that wait for a lock of the joiner (see deadlock_is_direct()). *@ret: this
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
 * Append the first threads that wait for the joiner to @text, and cite them. @is_direct: name
 * threads that wait for a lock of the joiner itself; false: name threads that wait for a lock of
 * another waiting thread.
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

/*
 * The class of a method of Java: "a.Shop" of "a.Shop.close", and of "a.Shop$1.run", whose class is
 * an inner one. *@ret_inner: whether it is. Empty: the frame has no class.
 */
static struct str deadlock_class(struct str frame, bool *ret_inner)
{
	struct str name = str_sub(frame, 0, str_find_char(frame, ' '));
	size_t method = str_rfind_char(name, '.');
	size_t inner = str_find_char(name, '$');

	*ret_inner = inner < method && method < name.len;
	return method < name.len ? str_sub(name, 0, *ret_inner ? inner : method) : STR_NONE;
}

/*
 * The thread that is most likely the joined one: it waits for the joiner, and runs a method of an
 * inner class of the class that joins, as its outermost function. INDEX_NONE: none, or several.
 */
static uint32_t deadlock_joined(const struct rule_input *in)
{
	const struct threads_summary *s = in->threads;
	uint32_t ret = INDEX_NONE;
	bool is_inner;
	struct str class = deadlock_class(
		thread_words_frame(in, s->joiner, s->rows.data[s->joiner].place), &is_inner);

	if (class.len == 0 || is_inner ||
	    s->rows.data[s->joiner].place >= threads_summary_row(s, s->joiner)->n_frames)
		return INDEX_NONE;
	VEC_FOREACH (row, &s->blocked_by_joiner) {
		uint32_t i = threads_summary_row(s, *row)->n_frames;
		bool is_member;

		/* the code of the thread is its outermost frame that is not of the JDK */
		while (i > 1 && str_starts(thread_words_frame(in, *row, i - 1), STR("java.")))
			i--;
		is_member = i &&
			    str_eq(deadlock_class(thread_words_frame(in, *row, i - 1), &is_inner),
				   class) &&
			    is_inner;
		if (is_member && ret != INDEX_NONE)
			return INDEX_NONE;
		ret = is_member ? *row : ret;
	}
	return ret;
}

static void deadlock_join(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	struct finding *f = deadlock_add(in, out, DEADLOCK_SURE_JOIN);
	struct str place = deadlock_place(in, s->joiner);
	uint32_t lock = INDEX_NONE;
	size_t all = s->blocked_by_joiner.len;
	size_t direct = deadlock_direct(s, &lock);
	uint32_t joined;
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
	joined = deadlock_joined(in);
	if (joined != INDEX_NONE) {
		finding_usual_cause(
			out, f,
			"%s is most likely the joined one: it runs an inner class of the class "
			"that joins. It needs a lock that the joining thread holds, directly or "
			"through another thread",
			thread_words_name(out, in, joined));
		finding_because(out, f,
				"the owners of the locks are printed; the joined thread is "
				"inferred from the name of its class");
	} else {
		finding_usual_cause(
			out, f,
			"The joined thread needs a lock that the joining thread holds, directly "
			"or through another thread");
		finding_because(out, f,
				"the owners of the locks are printed; the joined thread may be "
				"another one\n"
				"which thread is joined");
	}
	finding_next(out, f, "release %s before the join in " STR_FMT,
		     lock == INDEX_NONE ? "the lock" : thread_words_lock(out, in, lock),
		     STR_ARG(place));
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
		is_found = deadlock_reported(in, out);
	is_found |= s->cycle.len || s->blocked_by_joiner.len;
	for (uint32_t i = 0; !is_found && i < s->groups.len; i++) {
		uint32_t row = s->groups.data[i].row;

		if (s->rows.data[row].kind == THREAD_WAIT_LOCK)
			is_found = deadlock_self(in, out, row);
		else
			is_found = deadlock_own_event(in, out, row);
	}
	if (is_found || deadlock_inferred(in, out))
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
