/* SPDX-License-Identifier: MIT */
/*
 * Polls with a short timeout end without an event, one after another: a timer of the program wakes
 * the thread again and again in vain. Idle programs that do this keep the CPU from sleeping deeply,
 * and look busy in top.
 *
 * Thresholds: four of five polls time out, at least five polls, and the mean timeout is at most 20
 * ms (50 wake-ups per second). Timers of servers are longer, such as the 100 ms of Redis. If there
 * are no other calls between the polls, the wake-ups do nothing; otherwise they may do work.
 * Source: poll(2), epoll_wait(2).
 */
#include "analyses/syscalls/syscalls.h"
#include "base/str.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/words/syscall_words.h"

#include <inttypes.h>
#include <math.h>

DECLARE_RULE(idle_wakeups);

#define WAKEUPS_LEAST 5u
#define WAKEUPS_PART  0.8
#define WAKEUPS_MS    20.0
#define WAKEUPS_ALONE 2.0 /* maximum number of other calls for each poll */

struct wakeups_sum {
	uint64_t polls;
	uint64_t ended; /* polls that ended without an event after 1 ms or more */
	uint64_t ms;    /* sum of the timeouts of these polls */
	uint64_t most;
	uint64_t least;
	uint32_t first;
};

static struct wakeups_sum wakeups_count(const struct rule_input *in)
{
	const struct calls *c = in->capture->calls;
	struct wakeups_sum sum = { .least = UINT64_MAX };

	for (uint32_t i = 0; i < c->n && c->args.len; i++) {
		struct str name = syscall_words_name(in, c->sym.data[i]);
		struct str args = strings_get(capture_strings(in->capture), c->args.data[i]);
		uint64_t ms;

		if (syscall_kind_of_call(name, args, false) != SYSCALL_KIND_POLL)
			continue;
		sum.polls++;
		if (!syscall_poll_timeout_ms(name, args, &ms) || ms == 0 || ms > UINT32_MAX ||
		    c->retval.len <= i || c->retval_kind.data[i] != RETVAL_DECIMAL ||
		    c->retval.data[i] != 0)
			continue;
		sum.first = sum.ended++ ? sum.first : i;
		sum.ms += ms;
		sum.most = ms > sum.most ? ms : sum.most;
		sum.least = ms < sum.least ? ms : sum.least;
	}
	return sum;
}

static void wakeups_finding(const struct rule_input *in, struct findings *out,
			    const struct wakeups_sum *sum)
{
	const struct calls *c = in->capture->calls;
	struct str name = syscall_words_name(in, c->sym.data[sum->first]);
	double mean = (double)sum->ms / (double)sum->ended;
	bool is_alone =
		(double)(in->syscalls->calls - sum->polls) <= WAKEUPS_ALONE * (double)sum->polls;
	struct finding *f =
		finding_add(out, in, &rule_idle_wakeups, FINDING_NOTE, is_alone ? 75 : 50);

	f->impact = syscall_words_pct((double)sum->ended, (double)sum->polls);
	finding_claim(out, f,
		      "A timer wakes the thread about %.0f times per second for nothing: %" PRIu64
		      " of %" PRIu64 " calls of " STR_FMT " time out, after %s%" PRIu64 " ms",
		      1000 / mean, sum->ended, sum->polls, STR_ARG(name),
		      sum->least == sum->most ? ""
					      : finding_name(out, "%" PRIu64 " to ", sum->least),
		      sum->most);
	finding_figure(f, "polls that time out", (double)sum->ended, 0, "");
	finding_figure_part(f, "share of polls", sum->ended, sum->polls);
	finding_figure(f, "mean timeout", mean, 0, "ms");
	finding_subject(f, c->sym.data[sum->first], SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, c->line.data[sum->first], STR_FMT ", no event", STR_ARG(name));
	finding_usual_cause(out, f,
			    "A timer of the program or of a library it uses (animation, cursor, "
			    "polling for a state) runs although nothing changes: polling instead "
			    "of waiting for an event");
	finding_because(out, f,
			is_alone ? "timeouts and results are in the log, and hardly a call follows"
				 : "timeouts and results are in the log; the calls between may be "
				   "the work of the timer");
	finding_next(out, f,
		     "gdb -p PID, break in " STR_FMT
		     ", bt: the loop; then the timers that it keeps (their interval and owner)",
		     STR_ARG(name));
}

static void idle_wakeups_check(const struct rule_input *in, struct findings *out)
{
	const struct syscalls_summary *s = in->syscalls;
	struct wakeups_sum sum;

	if (s->is_library)
		return;
	if (!s->is_log) {
		finding_not_assessed(out, in, &rule_idle_wakeups,
				     "strace -f -e trace=poll,epoll_wait -p PID",
				     "a table does not show timeouts");
		return;
	}
	sum = wakeups_count(in);
	if (sum.ended >= WAKEUPS_LEAST && (double)sum.ended >= WAKEUPS_PART * (double)sum.polls &&
	    (double)sum.ms <= WAKEUPS_MS * (double)sum.ended)
		wakeups_finding(in, out, &sum);
	else
		finding_clean(out, in, &rule_idle_wakeups,
			      "%" PRIu64 " of %" PRIu64 " polls end at a timeout, of %.0f ms on "
			      "average",
			      sum.ended, sum.polls, (double)sum.ms / fmax(1, (double)sum.ended));
}

static const char *const wakeups_explains[] = { "system-calls", "call-sequence", NULL };

const struct rule rule_idle_wakeups = {
	.id = "idle-wakeups",
	.title = "Wake-ups for nothing (short timer)",
	.needs = RULE_SYSCALLS,
	.explains = wakeups_explains,
	.check = idle_wakeups_check,
	.is_measured = true,
};
