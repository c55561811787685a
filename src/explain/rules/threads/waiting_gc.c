/* SPDX-License-Identifier: MIT */
/*
 * Threads of a dump wait for a garbage collection, or at the safepoint (a stop of all threads) that
 * the collection needs.
 *
 * The functions on the stacks belong to the runtime, so the wait is certain. The finding names the
 * thread that collects, or the thread that has not stopped yet, if the dump shows it.
 *
 * Threshold: two threads. A single thread may have requested the collection itself.
 */
#include "explain/words/thread_words.h"

#include "analyses/threads/thread_summary.h"
#include "analyses/threads/thread_waits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/waiting_gc_names.h"

DECLARE_RULE(waiting_gc);

static const struct gc_runtime {
	const char *waiters; /* functions in which threads wait for the collector */
	const char *log;     /* where the runtime logs its collections */
	const char *cause;   /* the usual cause of such a wait */
} gc_runtimes[] = { WAITING_GC_RUNTIMES };

#define GC_LEAST 2u
#define GC_SURE  75u

/* Does a function on the stack of thread @row match @names? */
static bool gc_has(const struct rule_input *in, uint32_t row, struct str names)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;

	for (uint32_t i = 0; i < n; i++) {
		if (str_glob(names, thread_words_frame(in, row, i)))
			return true;
	}
	return false;
}

static bool gc_is_waiter(const struct rule_input *in, const struct thread_group *g)
{
	return g->kind == THREAD_WAIT_GC && gc_has(in, g->row, STR(WAITING_GC_RUNTIMES_WAITERS)) &&
	       !gc_has(in, g->row, STR(WAITING_GC_THREADS)) &&
	       !gc_has(in, g->row, STR(WAITING_GC_COLLECTORS));
}

/* Row of the first thread with a function on its stack that matches @names; INDEX_NONE: none. */
static uint32_t gc_find(const struct rule_input *in, struct str names)
{
	VEC_FOREACH (g, &in->threads->groups) {
		if (gc_has(in, g->row, names))
			return g->row;
	}
	return INDEX_NONE;
}

/*
 * Row of the only running thread. Threads of the runtime are ignored. INDEX_NONE: none, or several.
 */
static uint32_t gc_runner(const struct rule_input *in)
{
	uint32_t ret = INDEX_NONE;

	VEC_FOREACH (g, &in->threads->groups) {
		if (g->kind != THREAD_WAIT_NONE || !thread_words_runs(in, g->row) ||
		    gc_has(in, g->row, STR(WAITING_GC_THREADS)) ||
		    gc_has(in, g->row, STR(WAITING_GC_COLLECTORS)) ||
		    gc_has(in, g->row, STR(WAITING_GC_STOPS)))
			continue;
		if (ret != INDEX_NONE || g->threads > 1)
			return INDEX_NONE;
		ret = g->row;
	}
	return ret;
}

/* A clause about the thread for which the others wait; "": this thread is not in the dump. */
static const char *gc_other(const struct rule_input *in, struct findings *out, struct finding *f)
{
	uint32_t stops = gc_find(in, STR(WAITING_GC_STOPS));
	uint32_t collector = gc_find(in, STR(WAITING_GC_COLLECTORS));
	uint32_t runner = gc_runner(in);

	if (stops != INDEX_NONE && runner != INDEX_NONE) {
		thread_words_cite(out, f, in, runner);
		return finding_name(out, "; %s still runs, in %s",
				    thread_words_name(out, in, runner),
				    thread_words_place(out, in, runner));
	}
	if (stops != INDEX_NONE) {
		thread_words_cite(out, f, in, stops);
		return "; not all threads have stopped yet";
	}
	if (collector == INDEX_NONE)
		return "";
	thread_words_cite(out, f, in, collector);
	return finding_name(out, "; %s collects", thread_words_name(out, in, collector));
}

/* The runtime of thread @row, which waits for its collector. */
static const struct gc_runtime *gc_runtime_of(const struct rule_input *in, uint32_t row)
{
	size_t i = 0;

	while (i + 1 < ARRAY_LEN(gc_runtimes) && !gc_has(in, row, str_of(gc_runtimes[i].waiters)))
		i++;
	return &gc_runtimes[i];
}

static void gc_check(const struct rule_input *in, struct findings *out)
{
	const struct threads_summary *s = in->threads;
	const struct thread_group *first = NULL;
	const struct gc_runtime *runtime;
	uint64_t waiters = 0;
	struct finding *f;

	if (thread_words_is_nameless(in, &rule_waiting_gc, out))
		return;
	VEC_FOREACH (g, &s->groups) {
		if (!gc_is_waiter(in, g))
			continue;
		first = first ? first : g;
		waiters += g->threads;
	}
	if (waiters < GC_LEAST) {
		finding_clean(out, in, &rule_waiting_gc, "%llu of %llu threads wait for %s",
			      (unsigned long long)waiters, (unsigned long long)s->threads,
			      thread_wait_object(THREAD_WAIT_GC));
		return;
	}
	runtime = gc_runtime_of(in, first->row);
	f = finding_add(out, in, &rule_waiting_gc, FINDING_NOTE, GC_SURE);
	thread_words_cite(out, f, in, first->row);
	finding_claim(out, f,
		      "%llu of %s wait for a garbage collection or safepoint, most of them in %s%s",
		      (unsigned long long)waiters, thread_words_count(out, in, s->threads),
		      thread_words_place(out, in, first->row), gc_other(in, out, f));
	finding_figure(f, "threads that wait there", (double)waiters, 0, "");
	finding_figure(f, thread_words_all(out, in, "threads"), (double)s->threads, 0, "");
	finding_usual_cause(out, f, "%s", runtime->cause);
	finding_because(out, f,
			"the dump prints the wait\n"
			"how long it lasts, and how often it occurs");
	finding_next(out, f, "read the log of the collector (%s): duration and number of pauses",
		     runtime->log);
}

const struct rule rule_waiting_gc = {
	.id = "waiting-gc",
	.title = "Threads stopped by the runtime",
	.needs = RULE_THREADS,
	.check = gc_check,
};
