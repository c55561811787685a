/* SPDX-License-Identifier: MIT */
/* A thread that waits for a lock which it may hold already. */
#include "explain/deadlocks/deadlock.h"

#include "analyses/plain_name.h"
#include "analyses/threads/thread_cross.h"
#include "analyses/threads/thread_summary.h"
#include "analyses/threads/thread_waits.h"
#include "analyses/waits/wait_roles.h"
#include "base/status.h"
#include "base/str.h"
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
#include "explain/words/thread_words.h"
#include "explain/words/wait_reasons.h"

#define DEADLOCK_SURE_SELF 85u
/* the handler waits for another arena of malloc than that of the interrupted code */
#define DEADLOCK_SURE_OTHER   50u
#define DEADLOCK_SURE_SIGNAL  90u
#define DEADLOCK_SURE_REENTRY 60u
#define DEADLOCK_SURE_MODULE  50u
#define DEADLOCK_SURE_EVENT   75u
#define DEADLOCK_WAIT_FRAMES  8u /* maximum number of innermost frames that may be the wait */

/*
 * Index of a caller of the frame in which thread @row waits, if the caller has the same function
 * and the same object: the thread may already hold the lock. Without such a caller: the number of
 * frames.
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
 * Index of a caller of the frame in which thread @row waits, if the caller is a method of the same
 * object, and code of other objects is between both. Such a callback may need a lock that the outer
 * method holds. Without such a caller: the number of frames.
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
	finding_figure(f, "frames between the two calls", (double)(outer - seen->place - 1), 0, "");
	thread_words_cite(out, f, in, row);
	finding_evidence(out, f, in, frames[outer].line, STR_FMT,
			 STR_ARG(thread_words_frame(in, row, outer)));
	finding_usual_cause(out, f,
			    "The outer call re-enters its object through " STR_FMT
			    ", perhaps while holding the lock",
			    STR_ARG(thread_words_frame(in, row, outer - 1)));
	finding_because(out, f,
			"the inner call locks what the outer call may hold\n"
			"the owner of the lock: the dump does not print it");
	finding_next(out, f, "check " STR_FMT ": does it hold the lock where it calls " STR_FMT "?",
		     STR_ARG(thread_words_frame(in, row, outer)),
		     STR_ARG(thread_words_frame(in, row, outer - 1)));
	return true;
}

/*
 * Whether a thread other than @row is in a method of the object @lock, and does not wait for @lock.
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
 * outermost caller that is a method of the object with the address of the mutex. The mutex is then
 * the first member of this object. A mutex of Go is not recursive: if the method holds it, the
 * goroutine waits for itself. Returns the number of frames if there is no such caller, or if
 * another goroutine is in a method of the object, because it may be the owner of the mutex.
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
		      thread_words_name(out, in, row),
		      thread_words_ages(out, in, r->age_ns, r->age_ns),
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
			"both calls lock the mutex of one object\n"
			"the owner of the mutex: a goroutine that is missing here may hold it");
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
 * Index of a caller of the frame in which thread @row waits, if both are in the same kernel module,
 * and the kernel entered a file system between them (to read a file, or to free memory). Without
 * such a caller: the number of frames.
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
 * Index of a caller of the frame in which thread @row waits, if both are in the same module, and
 * code of other modules is between them. A module with most of the stack is the program itself, and
 * does not count. Without such a caller: the number of frames.
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
 * waits. (The name of a C function shows its module, but not its object.) False: there is no such
 * function, or the dump has more than DEADLOCK_FEW threads.
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
	finding_figure(f, "frames between the two calls", (double)(outer - seen->place - 1), 0, "");
	thread_words_cite(out, f, in, row);
	finding_evidence(out, f, in, threads_frames(in->capture->threads, r)[outer].line, STR_FMT,
			 STR_ARG(thread_words_frame(in, row, outer)));
	finding_usual_cause(out, f,
			    "the outer call leads back into its module through '" STR_FMT
			    "', perhaps below the lock (re-entry)",
			    STR_ARG(thread_words_frame(in, row, outer - 1)));
	finding_because(out, f,
			"the names say that the two calls belong together\n"
			"the owner of the lock");
	finding_next(out, f,
		     "look in '" STR_FMT "': does it hold the lock where it calls '" STR_FMT "'?",
		     STR_ARG(thread_words_frame(in, row, outer)),
		     STR_ARG(thread_words_frame(in, row, outer - 1)));
	return true;
}

static bool deadlock_taken_again(const struct rule_input *in, struct findings *out, uint32_t row)
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
	finding_figure(f, "frames between the two calls", (double)(again - seen->place - 1), 0, "");
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
	finding_because(out, f,
			"the inner call locks what the outer call may hold\n"
			"the owner of the lock: the dump does not print it");
	finding_next(
		out, f,
		"gdb -p PID -ex 'frame %u' -ex 'p *this': the owner of the mutex is this thread",
		seen->place);
	return true;
}

/*
 * Whether a signal interrupted the allocator, and the signal handler calls the allocator again. The
 * stack then has functions of the allocator twice: in the frames of the handler, and in the six
 * innermost frames of the interrupted code.
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

/*
 * The frame with an arena of malloc between frames @from and @to of thread @row: the arena is the
 * object of these functions. INDEX_NONE: none is printed.
 */
static uint32_t deadlock_arena(const struct rule_input *in, uint32_t row, uint32_t from,
			       uint32_t to)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	const struct thread_frame *frames = threads_frames(in->capture->threads, r);

	for (uint32_t i = from; i < to && i < r->n_frames; i++) {
		if (frames[i].object &&
		    str_glob(STR(DEADLOCK_ARENAS), thread_words_frame(in, row, i)))
			return i;
	}
	return INDEX_NONE;
}

static bool deadlock_signal(const struct rule_input *in, struct findings *out, uint32_t row)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	const struct thread_seen *seen = &in->threads->rows.data[row];
	const struct thread_frame *frames = threads_frames(in->capture->threads, r);
	bool is_allocator;
	uint32_t inner, outer;
	bool has_arena, is_same, is_other;
	struct finding *f;

	if (!r->signal_at || r->signal_at >= r->n_frames || seen->entry >= r->signal_at)
		return false;
	inner = deadlock_arena(in, row, 0, r->signal_at);
	outer = deadlock_arena(in, row, r->signal_at, r->signal_at + 6);
	has_arena = inner != INDEX_NONE && outer != INDEX_NONE;
	is_same = has_arena && frames[inner].object == frames[outer].object;
	/* each arena has a lock of its own */
	is_other = has_arena && !is_same;
	is_allocator = deadlock_is_shared(in, row) && !is_other;
	f = deadlock_add(in, out,
			 is_allocator ? DEADLOCK_SURE_SIGNAL
			 : is_other   ? DEADLOCK_SURE_OTHER
				      : DEADLOCK_SURE_GUESS);
	f->severity = is_other ? FINDING_WARNING : f->severity;
	finding_claim(out, f,
		      "%s: the signal handler " STR_FMT
		      " waits for a lock%s, and the interrupted code, " STR_FMT ", %s holds it",
		      is_other ? "Possible self-deadlock" : "Self-deadlock",
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
	if (has_arena)
		finding_evidence(out, f, in, frames[inner].line, STR_FMT " of 0x%llx",
				 STR_ARG(thread_words_frame(in, row, inner)),
				 (unsigned long long)frames[inner].object);
	finding_cause(out, f,
		      "The handler calls functions that are not async-signal-safe: malloc, stdio "
		      "and logging take locks");
	finding_because(out, f, "%s",
			is_same        ? finding_name(out,
						      "the allocator has the same arena, 0x%llx, on both "
							     "sides of the signal",
						      (unsigned long long)frames[inner].object)
			: is_other     ? "the inner call waits for another arena than that of the "
					 "interrupted code\n"
					 "the owner of the lock: the dump does not print it"
			: is_allocator ? "the same allocator is on both sides of the signal"
				       : "the inner call locks what the outer call may hold\n"
					 "the owner of the lock: the dump does not print it");
	finding_next(out, f,
		     "man 7 signal-safety: in the handler only set a flag, or call functions of "
		     "that list, such as write(), unlink() and _exit()");
	return true;
}

bool deadlock_self(const struct rule_input *in, struct findings *out, uint32_t row)
{
	return deadlock_signal(in, out, row) || deadlock_taken_again(in, out, row) ||
	       deadlock_go(in, out, row) || deadlock_reentry(in, out, row) ||
	       deadlock_module_reentry(in, out, row);
}

/*
 * Whether the thread @row waits for an event of its own. *@ret_wait: the frame that waits;
 * *@ret_within: the frame that would bring the event about.
 */
static const struct self_wait *deadlock_event(const struct rule_input *in, uint32_t row,
					      uint32_t *ret_wait, uint32_t *ret_within)
{
	const struct symbols *symbols = capture_symbols(in->capture);
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	for (uint32_t i = 0; i < n && i < DEADLOCK_WAIT_FRAMES; i++) {
		struct str wait =
			symbols_canonical(symbols, threads_summary_sym(in->threads, row, i));

		for (uint32_t k = i + 1; k < n; k++) {
			const struct self_wait *ret = wait_reason_self(
				wait, symbols_canonical(symbols,
							threads_summary_sym(in->threads, row, k)));

			*ret_wait = i;
			*ret_within = k;
			if (ret)
				return ret;
		}
	}
	return NULL;
}

bool deadlock_own_event(const struct rule_input *in, struct findings *out, uint32_t row)
{
	const struct thread_frame *frames =
		threads_frames(in->capture->threads, threads_summary_row(in->threads, row));
	uint32_t wait, within;
	const struct self_wait *own = deadlock_event(in, row, &wait, &within);
	struct finding *f;

	if (!own)
		return false;
	f = deadlock_add(in, out, DEADLOCK_SURE_EVENT);
	finding_claim(out, f,
		      "Likely self-deadlock: %s waits for %s in " STR_FMT
		      ", while it %s itself (" STR_FMT " further out on its stack)",
		      thread_words_name(out, in, row), own->event,
		      STR_ARG(thread_words_frame(in, row, wait)), own->doing,
		      STR_ARG(thread_words_frame(in, row, within)));
	finding_figure(f, "frames between the two calls", (double)(within - wait - 1), 0, "");
	for (uint32_t i = wait; i < within && i < wait + DEADLOCK_CITED; i++)
		finding_evidence(out, f, in, frames[i].line, STR_FMT,
				 STR_ARG(thread_words_frame(in, row, i)));
	finding_evidence(out, f, in, frames[within].line, STR_FMT,
			 STR_ARG(thread_words_frame(in, row, within)));
	finding_usual_cause(out, f,
			    "The code below " STR_FMT " calls " STR_FMT
			    ", which waits for the end of the work that this very thread does",
			    STR_ARG(thread_words_frame(in, row, within)),
			    STR_ARG(thread_words_frame(in, row, wait + 1)));
	finding_because(out, f,
			"only this thread can end the wait, unless it waits for another object "
			"of the kind");
	finding_next(out, f,
		     "move the call of " STR_FMT " out of " STR_FMT
		     ", for example to a work item of another workqueue",
		     STR_ARG(thread_words_frame(in, row, wait + 1)),
		     STR_ARG(thread_words_frame(in, row, within)));
	return true;
}
