/* SPDX-License-Identifier: MIT */
/*
 * Threads or goroutines accumulate: many of them wait in one function, or send on a channel without
 * a receiver.
 *
 * Thresholds for sends: if a send waits for a minute, or ten sends wait at one stack, there is
 * probably no receiver. (The dump does not show on which channel other goroutines receive.) After
 * ten minutes, a slow receiver is unlikely.
 *
 * Thresholds for other stacks: at least 100 goroutines, or 1000 threads of an operating system, are
 * at one stack, and they are at least half of all threads. (Pools of workers have fewer threads.)
 */
#include "explain/words/thread_words.h"

#include "analyses/threads/thread_summary.h"
#include "analyses/threads/thread_waits.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "core/names/package.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(thread_leak);

#define LEAK_SEND_NS   UINT64_C(60000000000)
#define LEAK_SEND_GONE UINT64_C(600000000000)
#define LEAK_SEND      10u
#define LEAK_MANY      100u
#define LEAK_THREADS   1000u
#define LEAK_PART      0.5
#define LEAK_SURE_SEND 85u
#define LEAK_SURE_MANY 60u
#define LEAK_SURE_SLOW 70u
#define LEAK_SURE_TEST 95u

static bool leak_is_goroutine(const struct rule_input *in)
{
	return str_starts(strings_get(capture_strings(in->capture), in->capture->threads->dialect),
			  STR("goroutine"));
}

/* Clause about the function that started thread @row: ", started by f"; "" if unknown. */
static const char *leak_creator(const struct rule_input *in, struct findings *out, uint32_t row)
{
	struct str creator = package_strip(strings_get(
		capture_strings(in->capture), threads_summary_row(in->threads, row)->creator));

	return creator.len ? finding_name(out, ", started by " STR_FMT,
					  STR_ARG(str_sub(creator, 0, 160)))
			   : "";
}

/*
 * Row of a thread that may receive from the sender @row. It does not send, and works with the same
 * object (the channel, or its owner). INDEX_NONE: none.
 */
static uint32_t leak_partner(const struct rule_input *in, uint32_t row)
{
	const struct threads *t = in->capture->threads;
	const struct threads_summary *s = in->threads;
	const struct thread_row *sender = threads_summary_row(s, row);
	uint32_t place = s->rows.data[row].place;
	uint64_t object = place < sender->n_frames ? threads_frames(t, sender)[place].object : 0;

	for (uint32_t i = 0; object && i < s->rows.len; i++) {
		const struct thread_row *other = threads_summary_row(s, i);

		if (s->rows.data[i].kind == THREAD_WAIT_SEND || other->snapshot != sender->snapshot)
			continue;
		for (uint32_t k = 0; k < other->n_frames; k++) {
			if (threads_frames(t, other)[k].object == object)
				return i;
		}
	}
	return INDEX_NONE;
}

/*
 * Add a note about senders whose receiver @partner is in the dump: the receiver works, or waits for
 * something else.
 */
static void leak_slow(const struct rule_input *in, struct findings *out,
		      const struct thread_group *g, uint32_t partner)
{
	struct finding *f = finding_add(out, in, &rule_thread_leak, FINDING_NOTE, LEAK_SURE_SLOW);

	finding_claim(out, f,
		      "%s blocked%s%s sending on a channel in %s; %s is in %s with the same object "
		      "and may be the receiver",
		      thread_words_count(out, in, g->threads), g->age_ns ? " for " : "",
		      g->age_ns ? thread_words_ages(out, in, g->age_least_ns, g->age_ns) : "",
		      thread_words_place(out, in, g->row), thread_words_name(out, in, partner),
		      thread_words_place(out, in, partner));
	finding_figure(f, "blocked senders", (double)g->threads, 0, "");
	thread_words_cite(out, f, in, g->row);
	thread_words_cite(out, f, in, partner);
	finding_usual_cause(
		out, f,
		"The receiver is slower than the sender (back-pressure), if it moves between two "
		"dumps\n"
		"the receiver is stuck itself, if it stays");
	finding_because(out, f,
			"both have the same pointer\n"
			"who receives");
	finding_next(out, f, "%s",
		     thread_words_watch(out, in, "does the receiver move, and where is it",
					"for what the receiver waits"));
}

/*
 * Find the senders @g in a goroutine profile (debug=1) of the same file. The profile prints no
 * states. So a group of the profile is used if it is at the same place as @g and has at least as
 * many goroutines. *@ret_capture: number of the profile's capture. NULL: no such group.
 */
static const struct thread_group *leak_profile(const struct rule_input *in,
					       const struct thread_group *g, uint32_t *ret_capture)
{
	const struct dossier *d = in->facts->dossier;
	sym_id place =
		threads_summary_sym(in->threads, g->row, in->threads->rows.data[g->row].place);

	for (uint32_t i = 0; place.v && i < d->captures.len; i++) {
		const struct threads_summary *s = in->facts->threads[i];

		if (!s || i == in->number || d->captures.data[i]->path.v != in->capture->path.v ||
		    !thread_words_is_goroutine_profile(d->captures.data[i]))
			continue;
		VEC_FOREACH (other, &s->groups) {
			sym_id sym =
				threads_summary_sym(s, other->row, s->rows.data[other->row].place);

			if (sym.v == place.v && other->threads >= g->threads) {
				*ret_capture = i;
				return other;
			}
		}
	}
	return NULL;
}

/*
 * Set the claim for senders that the file shows twice: as @g with their states, and as @all in the
 * goroutine profile. @capture: number of the profile's capture.
 */
static void leak_joined(const struct rule_input *in, struct findings *out, struct finding *f,
			const struct thread_group *g, const struct thread_group *all,
			uint32_t capture)
{
	struct rule_input of = *in;

	of.number = capture;
	of.capture = in->facts->dossier->captures.data[capture];
	of.threads = in->facts->threads[capture];
	finding_claim(out, f,
		      "%llu of %llu goroutines are in %s, and %s whose state is printed %s been "
		      "sending on a channel%s%s. The text shows no receiver",
		      (unsigned long long)all->threads, (unsigned long long)of.threads->threads,
		      thread_words_place(out, in, g->row),
		      g->threads == 1
			      ? "the one"
			      : finding_name(out, "the %llu", (unsigned long long)g->threads),
		      g->threads == 1 ? "has" : "have", g->age_ns ? " for " : "",
		      g->age_ns ? thread_words_ages(out, in, g->age_least_ns, g->age_ns) : "");
	finding_figure(f, "goroutines at this place", (double)all->threads, 0, "");
	finding_about(out, f, /* is_part= */ false, "%s",
		      thread_words_about_place(out, &of, all->row));
	thread_words_cite(out, f, &of, all->row);
}

static void leak_send(const struct rule_input *in, struct findings *out,
		      const struct thread_group *g)
{
	const struct thread_group *all;
	uint32_t capture;
	uint32_t partner = leak_partner(in, g->row);
	bool is_old = g->age_ns >= LEAK_SEND_GONE;
	struct finding *f;

	if (partner != INDEX_NONE) {
		leak_slow(in, out, g, partner);
		return;
	}
	f = finding_add(out, in, &rule_thread_leak, FINDING_WARNING,
			is_old ? LEAK_SURE_SEND : LEAK_SURE_SLOW);
	all = leak_profile(in, g, &capture);
	if (all)
		leak_joined(in, out, f, g, all, capture);
	else
		finding_claim(
			out, f,
			"%s%s blocked%s%s sending on a channel in %s%s. The dump shows no receiver",
			thread_words_count(out, in, g->threads), is_old ? " stuck:" : "",
			g->age_ns ? " for " : "",
			g->age_ns ? thread_words_ages(out, in, g->age_least_ns, g->age_ns) : "",
			thread_words_place(out, in, g->row), leak_creator(in, out, g->row));
	finding_figure(f, "blocked senders", (double)g->threads, 0, "");
	if (g->age_ns)
		finding_figure(f, "longest wait to send", (double)g->age_ns / 1e9, 0, "s");
	thread_words_cite(out, f, in, g->row);
	finding_usual_cause(
		out, f, "%s",
		is_old ? "The receiver is gone after a timeout or an early return, and the channel "
			 "has no room. The sender never ends (goroutine leak)"
		       : "The receiver is gone, so the senders never end (goroutine leak), if the "
			 "same senders stay and more come\n"
			 "the receivers are slower than the senders (back-pressure), if the "
			 "senders "
			 "change\n"
			 "the receivers are stuck, if they wait in the same dump");
	finding_because(out, f, "%s",
			is_old ? "a slow receiver would have arrived by now"
			       : "the senders wait in the same place\n"
				 "whether a goroutine that works receives from this channel");
	if (!is_old)
		finding_next(
			out, f, "%s",
			thread_words_watch(
				out, in,
				"do the senders change? Then look at what the receivers wait for",
				"for what the receivers wait"));
	finding_next(out, f,
		     "make the channel buffered (make(chan T, 1)), or select on the send and a "
		     "done channel");
}

static void leak_many(const struct rule_input *in, struct findings *out,
		      const struct thread_group *g)
{
	struct finding *f = finding_add(out, in, &rule_thread_leak, FINDING_NOTE, LEAK_SURE_MANY);

	finding_claim(out, f, "%llu of %s are at one place, %sin %s%s",
		      (unsigned long long)g->threads,
		      thread_words_count(out, in, in->threads->threads),
		      in->threads->rows.data[g->row].is_parked ? "parked "
		      : g->kind == THREAD_WAIT_NONE
			      ? ""
			      : finding_name(out, "waiting for %s ",
					     thread_wait_object((enum thread_wait)g->kind)),
		      thread_words_place(out, in, g->row), leak_creator(in, out, g->row));
	finding_about(out, f, /* is_part= */ false, "%s",
		      thread_words_about_place(out, in, g->row));
	f->impact = 100.0 * (double)g->threads / (double)in->threads->threads;
	finding_figure(f, "at one stack", (double)g->threads, 0, "");
	finding_figure(f,
		       thread_words_all(out, in, finding_name(out, "%ss", thread_words_kind(in))),
		       (double)in->threads->threads, 0, "");
	if (g->age_ns)
		finding_figure(f, "longest wait", (double)g->age_ns / 1e9, 0, "s");
	thread_words_cite(out, f, in, g->row);
	finding_usual_cause(
		out, f,
		"One %s for each open connection or request, if their number falls with the load\n"
		"a leak, if it grows under equal load: %ss start faster than they end",
		thread_words_kind(in), thread_words_kind(in));
	finding_because(out, f,
			"the threads are counted\n"
			"whether their number grows: many connections or a burst look the same");
	if (leak_is_goroutine(in))
		finding_next(
			out, f,
			"curl -s 'http://HOST/debug/pprof/goroutine?debug=1' | head -1: twice, "
			"a minute apart; a leak grows, connections come and go");
	else if (in->capture->threads->is_sessions)
		finding_next(out, f, "list the sessions again in a minute: a leak grows");
	else
		finding_next(out, f,
			     "ls /proc/PID/task | wc -l: twice, a minute apart; a leak grows, "
			     "connections come and go");
	if (thread_words_is_goroutine_profile(in->capture))
		finding_next(out, f, "%s", thread_words_goroutine_states);
}

/* The note of a test that found goroutines or threads at its end; NULL: none. */
static const struct thread_note *leak_note(const struct rule_input *in)
{
	VEC_FOREACH (note, &in->capture->threads->notes) {
		if (note->kind == THREAD_NOTE_LEAK)
			return note;
	}
	return NULL;
}

/*
 * The number of goroutines that a test found at its end, which @note reports: those below it and
 * above the message of a later crash. *@ret_row: one of the most frequent ones; INDEX_NONE: none.
 */
static uint64_t leak_count(const struct rule_input *in, const struct thread_note *note,
			   uint32_t *ret_row)
{
	const struct threads_summary *s = in->threads;
	uint32_t end = UINT32_MAX;
	uint64_t n = 0;

	VEC_FOREACH (other, &in->capture->threads->notes) {
		if (other->kind < THREAD_NOTE_RELOCK && other->line > note->line &&
		    other->line < end)
			end = other->line;
	}
	*ret_row = INDEX_NONE;
	for (uint32_t i = 0; i < s->rows.len; i++) {
		const struct thread_row *r = threads_summary_row(s, i);

		if (r->line < note->line || r->line >= end)
			continue;
		n += r->count;
		*ret_row = *ret_row == INDEX_NONE ? i : *ret_row;
	}
	VEC_FOREACH (g, &s->groups) {
		const struct thread_row *r = threads_summary_row(s, g->row);

		if (r->line < note->line || r->line >= end)
			continue;
		*ret_row = g->row;
		break;
	}
	return n;
}

/* Add the finding about @n goroutines, such as @row, that a test found, which @note reports. */
static void leak_reported(const struct rule_input *in, struct findings *out,
			  const struct thread_note *note, uint32_t row, uint64_t n)
{
	const struct threads_summary *s = in->threads;
	struct str place = strings_get(capture_strings(in->capture),
				       threads_summary_row(s, row)->creator_place);
	struct finding *f = finding_add(out, in, &rule_thread_leak, FINDING_ERROR, LEAK_SURE_TEST);

	finding_claim(out, f, "Goroutine leak: %s%s%s%s still %s at the end of a test",
		      n == 1 ? ""
			     : finding_name(out, "%s, one in ", thread_words_count(out, in, n)),
		      thread_words_place(out, in, row), leak_creator(in, out, row),
		      !place.len ? "," : finding_name(out, " (" STR_FMT "),", STR_ARG(place)),
		      n == 1 ? "runs" : "run");
	finding_figure(f, "leaked goroutines", (double)n, 0, "");
	finding_evidence(out, f, in, note->line, STR_FMT,
			 STR_ARG(strings_get(capture_strings(in->capture), note->text)));
	thread_words_cite(out, f, in, row);
	finding_cause(out, f,
		      "The test, or the code that it calls, starts the goroutine and does not end "
		      "it before the test ends");
	finding_because(out, f, "the leak detector of the test lists the goroutine");
	finding_next(
		out, f,
		"end it before the test returns, with its Stop() or Close(), or by cancelling its "
		"context, and wait until it has ended");
}

static void leak_check(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	uint64_t many = leak_is_goroutine(in) ? LEAK_MANY : LEAK_THREADS;
	bool is_found = false;
	const struct thread_note *note;
	uint64_t leaked;
	uint32_t row;

	if (thread_words_is_nameless(in, &rule_thread_leak, out))
		return;
	note = leak_note(in);
	leaked = note ? leak_count(in, note, &row) : 0;
	if (leaked) {
		leak_reported(in, out, note, row, leaked);
		return;
	}
	VEC_FOREACH (g, &s->groups) {
		bool is_part = (double)g->threads >= LEAK_PART * (double)s->threads;

		if (g->kind == THREAD_WAIT_SEND &&
		    (g->age_ns >= LEAK_SEND_NS || g->threads >= LEAK_SEND))
			leak_send(in, out, g);
		else if (g->threads >= many && is_part && g->kind != THREAD_WAIT_LOCK &&
			 g->kind != THREAD_WAIT_IDLE)
			leak_many(in, out, g);
		else
			continue;
		is_found = true;
		break;
	}
	if (!is_found)
		finding_clean(out, in, &rule_thread_leak,
			      "no sender is stuck, and fewer than %llu threads that have work are "
			      "at one place",
			      (unsigned long long)many);
}

static const char *const leak_overrules[] = { "thread-waits", NULL };

const struct rule rule_thread_leak = {
	.id = "thread-leak",
	.title = "Thread or goroutine leak",
	.needs = RULE_THREADS,
	.overrules = leak_overrules,
	.check = leak_check,
};
