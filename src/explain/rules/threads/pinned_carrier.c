/* SPDX-License-Identifier: MIT */
/*
 * A virtual thread of Java blocks and keeps its carrier thread (it is pinned). The finding is
 * certain: Java runs functions such as VirtualThread.parkOnCarrierThread() only in pinned threads.
 * The dump does not print the reason why the thread cannot leave its carrier.
 *
 * No threshold: one thread is a note, two are a warning. A scheduler has one carrier per CPU.
 */
#include "explain/words/thread_words.h"

#include "analyses/threads/thread_summary.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/threads.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/pinned_carrier_names.h"
#include "explain/rule.h"

DECLARE_RULE(pinned_carrier);

#define PINNED_LEAD 2u
#define PINNED_SURE 95u

/*
 * Is thread @row pinned? *@ret: index of its innermost frame that is not part of Java itself;
 * INDEX_NONE: none.
 */
static bool pinned_is(const struct rule_input *in, uint32_t row, uint32_t *ret)
{
	uint32_t n = threads_summary_row(in->threads, row)->n_frames;
	bool is_pinned = false;

	*ret = INDEX_NONE;
	for (uint32_t i = 0; i < n; i++) {
		struct str name = thread_words_frame(in, row, i);

		is_pinned |= str_glob(STR(PINNED_FUNCTIONS), name);
		if (*ret == INDEX_NONE && !str_glob(STR(PINNED_INNER), name))
			*ret = i;
	}
	return is_pinned;
}

static void pinned_finding(const struct rule_input *in, struct findings *out, uint32_t row,
			   uint32_t frame, uint64_t n)
{
	struct finding *f =
		finding_add(out, in, &rule_pinned_carrier,
			    n >= PINNED_LEAD ? FINDING_WARNING : FINDING_NOTE, PINNED_SURE);
	struct str place = frame != INDEX_NONE ? thread_words_frame(in, row, frame) : STR_NONE;
	struct str waits = thread_words_frame(
		in, row,
		frame != INDEX_NONE && frame ? frame - 1
					     : threads_summary_row(in->threads, row)->n_frames - 1);

	thread_words_cite(out, f, in, row);
	finding_claim(out, f, "%s and keep%s the carrier thread (pinned): in " STR_FMT "%s" STR_FMT,
		      n > 1 ? finding_name(out, "%llu virtual threads block", (unsigned long long)n)
			    : "A virtual thread blocks",
		      n > 1 ? "" : "s", STR_ARG(waits), place.len ? ", called from " : "",
		      STR_ARG(place));
	finding_figure(f, "pinned threads", (double)n, 0, "");
	finding_usual_cause(
		out, f,
		"It blocks inside a synchronized block or method (before JDK 24), or in a "
		"native call. The carrier then runs no other virtual thread: one a CPU, "
		"and all virtual threads stand still when all are pinned");
	finding_because(out, f, "these functions run only if a thread cannot leave its carrier");
	finding_next(
		out, f,
		"java -Djdk.tracePinnedThreads=full: frames with '<== monitors' hold the monitor");
	finding_next(out, f,
		     "ReentrantLock instead of synchronized around the blocking call, or JDK 24");
}

static void pinned_carrier_check(const struct rule_input *in, struct findings *out)
{
	uint32_t first = INDEX_NONE, first_frame = INDEX_NONE;
	uint64_t n = 0, java = 0;

	if (thread_words_is_nameless(in, &rule_pinned_carrier, out))
		return;
	VEC_FOREACH (g, &in->threads->groups) {
		uint32_t frame;

		if (pinned_is(in, g->row, &frame)) {
			first_frame = n ? first_frame : frame;
			first = n ? first : g->row;
			n += g->threads;
		}
		for (uint32_t i = 0; i < threads_summary_row(in->threads, g->row)->n_frames; i++)
			java += str_contains(thread_words_frame(in, g->row, i),
					     STR("ForkJoinWorkerThread.run"));
	}
	if (n)
		pinned_finding(in, out, first, first_frame, n);
	else if (java)
		finding_clean(out, in, &rule_pinned_carrier,
			      "no thread of a fork-join pool parks on its carrier");
}

/* rule thread-waits may also report the wait of the pinned thread, which is the same problem */
static const char *const pinned_explains[] = { "thread-waits", NULL };

const struct rule rule_pinned_carrier = {
	.id = "pinned-carrier",
	.title = "Virtual thread pins its carrier",
	.needs = RULE_THREADS,
	.explains = pinned_explains,
	.check = pinned_carrier_check,
	.is_measured = true,
};
