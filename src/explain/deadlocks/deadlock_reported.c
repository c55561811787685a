/* SPDX-License-Identifier: MIT */
/* Deadlocks that a checker of locks or the runtime reports. */
#include "explain/deadlocks/deadlock.h"

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
#include "explain/words/thread_words.h"

#define DEADLOCK_SURE_ONE 60u /* certainty if one thread took two locks in both orders */
#define DEADLOCK_EDGES    8u  /* maximum number of locks in a cycle that the sentence names */

/* The function in which stack @row of the report takes its lock. */
static struct str deadlock_taker(const struct rule_input *in, uint32_t row)
{
	return thread_words_frame(in, row, in->threads->rows.data[row].place);
}

/*
 * The name of the lock that the report prints as @id: "table_lock" for
 * "table_lock 0x0000000000473c60". If the lock has no name, its address.
 */
static struct str deadlock_name(const struct rule_input *in, str_id id)
{
	struct str name = strings_get(capture_strings(in->capture), id);
	size_t blank = str_rfind_char(name, ' ');

	return str_sub(blank < name.len && blank ? str_sub(name, 0, blank) : name, 0, 48);
}

/* The name of the lock that stack @row of the report takes. */
static struct str deadlock_lock_name(const struct rule_input *in, uint32_t row)
{
	return deadlock_name(in, in->capture->threads->rows.data[row].name);
}

/*
 * The name of the lock that the path of stack @row holds. The title of the stack prints it; without
 * this, it is the lock that the next stack takes.
 */
static struct str deadlock_held_name(const struct rule_input *in, uint32_t row)
{
	str_id holds = in->capture->threads->rows.data[row].holds;

	return holds.v ? deadlock_name(in, holds) : deadlock_lock_name(in, row + 1);
}

/*
 * Whether the titles of the stacks in a report about lock order are names of locks, not of threads.
 */
static bool deadlock_has_names(const struct threads *t)
{
	VEC_FOREACH (row, &t->rows) {
		if (row->id.v || !row->name.v)
			return false;
	}
	return true;
}

/*
 * Does the report have one stack for each order, only that of the inner lock? ThreadSanitizer
 * prints the other one with TSAN_OPTIONS=second_deadlock_stack=1.
 */
static bool deadlock_is_single(const struct threads *t)
{
	VEC_FOREACH (row, &t->rows) {
		if (!row->holds.v)
			return false;
	}
	return deadlock_has_names(t);
}

/* The number of stacks for each order in the report. */
static uint32_t deadlock_step(const struct threads *t)
{
	return deadlock_is_single(t) ? 1 : 2;
}

/*
 * A clause about the caller of stack @row, if stack @other takes its lock in the same function: ",
 * called from g". Only the callers tell the two paths apart.
 */
static const char *deadlock_caller(const struct rule_input *in, struct findings *out, uint32_t row,
				   uint32_t other)
{
	const struct thread_row *r = threads_summary_row(in->threads, row);
	uint32_t place = in->threads->rows.data[row].place;

	if (place + 1 >= r->n_frames || !str_eq(deadlock_taker(in, row), deadlock_taker(in, other)))
		return "";
	return finding_name(out, ", called from %s",
			    thread_words_frame_at(out, in, row, place + 1));
}

/*
 * Describe one code path of a report about lock order: "f (x.c:12) takes A while it holds B". Stack
 * @row takes A.
 */
static const char *deadlock_path(const struct rule_input *in, struct findings *out, uint32_t row)
{
	const struct threads *t = in->capture->threads;
	uint32_t step = deadlock_step(t);
	struct str inner = deadlock_taker(in, row);
	struct str outer;

	if (deadlock_has_names(t))
		return finding_name(
			out, "%s takes " STR_FMT " while it holds " STR_FMT "%s",
			thread_words_frame_at(out, in, row, in->threads->rows.data[row].place),
			STR_ARG(deadlock_lock_name(in, row)), STR_ARG(deadlock_held_name(in, row)),
			t->rows.len == 2 * step ? deadlock_caller(in, out, row, row ? 0 : step)
						: "");
	outer = deadlock_taker(in, row + 1);
	if (str_eq(inner, outer))
		return finding_name(out, "'" STR_FMT "' takes both of its locks", STR_ARG(inner));
	return finding_name(out, "'" STR_FMT "' takes one below that of '" STR_FMT "'",
			    STR_ARG(inner), STR_ARG(outer));
}

/* Whether a report about lock order states that one thread took the locks in both orders. */
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

/*
 * Whether the @n code paths of the report form one cycle: each path takes the lock that the next
 * path holds.
 */
static bool deadlock_is_chain(const struct rule_input *in, uint32_t n)
{
	const struct threads *t = in->capture->threads;
	uint32_t step = deadlock_step(t);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t next = (i + 1) % n;

		if (!str_eq(deadlock_lock_name(in, step * i), deadlock_held_name(in, step * next)))
			return false;
	}
	return true;
}

/*
 * Whether the report shows one cycle of three to DEADLOCK_EDGES locks. The claim then names all of
 * these locks.
 */
static bool deadlock_has_edges(const struct rule_input *in)
{
	const struct threads *t = in->capture->threads;
	uint32_t step = deadlock_step(t);
	uint32_t n = (uint32_t)t->rows.len / step;

	return t->rows.len % step == 0 && n > 2 && n <= DEADLOCK_EDGES && deadlock_has_names(t) &&
	       !deadlock_is_of_one_thread(t) && deadlock_is_chain(in, n);
}

/*
 * Set the claim for a cycle of @n locks, with the threads of each code path. Cite one line of each
 * path.
 */
static void deadlock_edges(const struct rule_input *in, struct findings *out, struct finding *f,
			   uint32_t n)
{
	const struct threads *t = in->capture->threads;
	const struct strings *strings = capture_strings(in->capture);
	const char *text = finding_name(out, STR_FMT, STR_ARG(deadlock_held_name(in, 0)));
	const char *threads = "";

	for (uint32_t i = 0; i < n; i++) {
		uint32_t row = deadlock_step(t) * i;
		const struct thread_row *r = threads_summary_row(in->threads, row);
		uint32_t place = in->threads->rows.data[row].place;
		struct str thread = strings_get(strings, r->state_text);

		text = finding_name(out, "%s -> " STR_FMT, text,
				    STR_ARG(deadlock_lock_name(in, row)));
		if (thread.len)
			threads = finding_name(out, "%s%s" STR_FMT, threads,
					       *threads                              ? ", "
					       : str_contains(thread, STR("thread")) ? ", by "
										     : ", threads ",
					       STR_ARG(thread));
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

/* Set the claim for a report about lock order that ends after the first code path. */
static void deadlock_cut(const struct rule_input *in, struct findings *out, struct finding *f)
{
	f->severity = FINDING_WARNING;
	finding_claim(out, f,
		      "Locks are taken in a cycle, which can deadlock: '" STR_FMT
		      "' takes one while it holds another; the report is cut off",
		      STR_ARG(deadlock_taker(in, 0)));
	finding_cause(out, f, "Another path, which is not shown, takes them the other way round");
	finding_next(out, f, "read the whole report: where the other locks of the cycle are taken");
}

/*
 * Set the claim for a report about code paths that take locks in opposite order. Such a report
 * warns of a danger: perhaps no thread ever waited.
 */
static void deadlock_order(const struct rule_input *in, struct findings *out, struct finding *f)
{
	const struct threads *t = in->capture->threads;
	uint32_t step = deadlock_step(t);
	uint32_t n = deadlock_has_names(t) ? (uint32_t)t->rows.len / step : 0;
	bool is_open = n > 1 && !deadlock_is_chain(in, n);
	const char *text = deadlock_path(in, out, 0);

	if (t->rows.len >= 2 * step)
		text = finding_name(out, "%s, and %s", text, deadlock_path(in, out, step));
	if (is_open)
		text = finding_name(
			out,
			"Locks are taken in a cycle, which can deadlock: %s; the report "
			"is cut off",
			text);
	else if (n > 2)
		text = finding_name(out, "%u locks are taken in a cycle, which can deadlock: %s", n,
				    text);
	else
		text = finding_name(
			out, "Locks are taken in opposite order, which can deadlock: %s", text);
	if (n > 1 && !is_open)
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
		      : n > 2 || is_open
			      ? "Each path holds a lock that the previous one takes. They deadlock "
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

static bool deadlock_runtime(const struct rule_input *in, struct findings *out)
{
	const struct threads *t = in->capture->threads;
	const struct threads_summary *s = in->threads;

	VEC_FOREACH (note, &t->notes) {
		struct str text = strings_get(capture_strings(in->capture), note->text);
		uint32_t row = s->groups.len ? s->groups.data[0].row : INDEX_NONE;
		/*
		 * a deadlock of the JVM has at least two threads: if there is only one, the text is
		 * cut off
		 */
		bool is_part = s->threads == 1 && str_contains(text, STR("Java-level"));
		struct finding *f;

		if (note->kind != THREAD_NOTE_DEADLOCK || row == INDEX_NONE)
			continue;
		f = deadlock_add(in, out, DEADLOCK_SURE_CYCLE);
		finding_claim(out, f,
			      "Deadlock reported by the runtime: %s%s; %s waits for %s in %s",
			      thread_words_count(out, in, s->threads),
			      is_part ? " of the cycle is in the text" : " cannot continue",
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

bool deadlock_reported(const struct rule_input *in, struct findings *out)
{
	return deadlock_checked(in, out) || deadlock_runtime(in, out);
}
