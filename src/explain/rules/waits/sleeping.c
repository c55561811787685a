/* SPDX-License-Identifier: MIT */
/*
 * The most frequent reason for threads to leave the CPU, from samples of context switches. The
 * hottest function of such a profile is always in the scheduler, so its callers are judged. Waits
 * for locks and storage have rules of their own.
 *
 * Threshold: a third of the switches with known stacks have the same reason.
 *
 * The weights may also be times off the CPU, which bpftrace and bcc sum up by stack. Then a third
 * of the time in writes to a full pipe or socket is a warning: such a thread has work to do.
 */
#include "explain/signatures/sleeping.h"

#include "analyses/event_unit.h"
#include "analyses/waits/waits.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/stacks.h"
#include "core/symbols.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/signatures/waiting.h"
#include "explain/sleeping_names.h"

#include <stdio.h>

DECLARE_RULE(sleeping);

#define SLEEPING_MOST_PCT  33.0
#define SLEEPING_SHOWN_PCT 5.0

/* The innermost function on @stack that matches SLEEPING_FULL; empty: none. */
static struct str sleeping_full(const struct rule_input *in, stack_id stack)
{
	const struct stacks *s = &in->capture->profile->stacks;

	for (uint32_t at = stack.v; at; at = s->parent.data[at]) {
		struct str name = symbols_canonical(capture_symbols(in->capture), s->sym.data[at]);

		if (str_glob(STR(SLEEPING_FULL), name))
			return name;
	}
	return STR_NONE;
}

static unsigned int sleeping_most(const struct wait_switches *w)
{
	unsigned int most = WAIT_CPU;

	for (unsigned int k = 0; k < WAIT_KINDS; k++) {
		if (k != WAIT_OTHER && k != WAIT_UNKNOWN && w->pct[k] > w->pct[most])
			most = k;
	}
	return most;
}

static void sleeping_found(const struct rule_input *in, struct findings *out,
			   const struct wait_switches *w, unsigned int most)
{
	struct str frames = waiting_frames(in, out, w->stack[most]);
	struct str full = most == WAIT_PEER ? sleeping_full(in, w->stack[most]) : STR_NONE;
	bool is_time = sleeping_is_time(in);
	bool leads = is_time && full.len && w->stack_pct[most] >= SLEEPING_MOST_PCT;
	struct finding *f =
		finding_add(out, in, &rule_sleeping, leads ? FINDING_WARNING : FINDING_NOTE, 85);

	/*
	 * The impact is half of the share, because the share may be of the number of switches, and
	 * not of the time.
	 */
	f->impact = w->pct[most] / 2;
	f->is_kind = true;
	if (most == WAIT_CPU)
		finding_claim(out, f, "%.1f %% of %s %s of threads that another thread preempted",
			      w->pct[most], in->profile->unit.of, sleeping_verb(in, "are", "is"));
	else if (full.len)
		finding_claim(out, f,
			      "%.1f %% of %s %s writes to a full pipe or socket, in " STR_FMT
			      " (called from " STR_FMT ")",
			      w->stack_pct[most], in->profile->unit.of,
			      sleeping_verb(in, "are", "is"), STR_ARG(full), STR_ARG(frames));
	else
		finding_claim(
			out, f, "%.1f %% of %s %s%s, most often in " STR_FMT " (%.1f %%)",
			w->pct[most], in->profile->unit.of,
			most == WAIT_SLEEP
				? sleeping_verb(in, "are of threads that sleep for a time they set",
						"is of threads that sleep for a time they set")
				: sleeping_verb(in, "are waits for ", "waits for "),
			most == WAIT_SLEEP ? "" : wait_kind_name((enum wait_kind)most),
			STR_ARG(frames), w->stack_pct[most]);
	for (unsigned int k = 0; k < WAIT_KINDS; k++) {
		if (w->pct[k] >= SLEEPING_SHOWN_PCT)
			finding_figure(f,
				       finding_name(out, "%s%s", k == WAIT_SLEEP ? "" : "for ",
						    wait_kind_name((enum wait_kind)k)),
				       w->pct[k], 0, "%");
	}
	if (w->kernel_pct >= SLEEPING_SHOWN_PCT)
		finding_figure(f, "threads of the kernel", w->kernel_pct, 0, "%");
	finding_evidence(out, f, in, 0, STR_FMT " %.2f %%", STR_ARG(frames), w->stack_pct[most]);
	if (full.len)
		finding_cause(out, f,
			      "The buffer is full: the reader at the other end is slower than the "
			      "writer, or does not read. The writer waits for it (back-pressure)");
	else if (is_time)
		finding_usual_cause(out, f, "Threads wait for work, or for a slow partner");
	else if (!sleeping_is_unnamed(in))
		finding_cause(out, f,
			      "The samples show where threads leave the CPU and how often, not for "
			      "how long");
	finding_because(out, f, "%s",
			sleeping_is_unnamed(in) ? SLEEPING_UNNAMED
			: is_time               ? SLEEPING_TIMED
				  : "the functions above the scheduler show the reason");
	if (full.len)
		finding_next(out, f,
			     "ls -l /proc/PID/fd; lsof -U +E -p PID: the process at the other end "
			     "of the pipe or socket; profile that one");
	finding_next(
		out, f,
		"assay record --off-cpu -- COMMAND: how long threads wait, and who wakes them");
}

static void sleeping_all(const struct rule_input *in, struct findings *out)
{
	struct wait_switches w;
	unsigned int most;

	if (in->profile->functions.len == 0 || !sleeping_measure(in, out, &rule_sleeping, &w))
		return;
	most = sleeping_most(&w);
	if (w.pct[most] >= SLEEPING_MOST_PCT && (most == WAIT_LOCK || most == WAIT_DISK))
		finding_clean(out, in, &rule_sleeping, "%.1f %% of %s %s for %s, reported as %s",
			      w.pct[most], in->profile->unit.of,
			      sleeping_verb(in, "are waits", "waits"),
			      wait_kind_name((enum wait_kind)most),
			      most == WAIT_LOCK ? "sleeping-lock" : "sleeping-disk");
	else if (w.pct[most] >= SLEEPING_MOST_PCT)
		sleeping_found(in, out, &w, most);
	else
		finding_clean(out, in, &rule_sleeping, "no kind of wait has %.0f %% of %s",
			      SLEEPING_MOST_PCT, in->profile->unit.of);
}

const struct rule rule_sleeping = {
	.id = "sleeping",
	.title = "Off-CPU time by kind of wait",
	.needs = RULE_PROFILE,
	.events = EVENT_BIT(EVENT_SLEEP),
	.check = sleeping_all,
	.is_general = true,
};
