/* SPDX-License-Identifier: MIT */
/*
 * Polls with a short timeout end without an event, one after another: a timer of the program wakes
 * the thread again and again in vain. Idle programs that do this keep the CPU from sleeping deeply,
 * and look busy in top.
 *
 * Polls with timeout 0 that find nothing count as wake-ups, too. A program may begin each round of
 * polls with such a poll.
 *
 * Thresholds: four of five polls find nothing, five of them end at a time limit, and the mean of
 * these limits is at most 50 ms (20 wake-ups a second: timers of servers, such as the 100 ms of
 * Redis, are longer). A timer is recognised by four rounds or more whose limits differ by a tenth
 * at most, or by 1 ms. Without other calls between the polls the wake-ups do nothing; with some,
 * they may do the work. Source: poll(2), epoll_wait(2).
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
#define WAKEUPS_MS    50.0
#define WAKEUPS_ALONE 2.0 /* maximum number of other calls for each poll */
/*
 * maximum number of polls with timeout 0 per poll that ends at its time limit; with more, it is a
 * busy loop
 */
#define WAKEUPS_ZERO 2.0
#define TICK_ROUNDS  4u
#define TICK_PART    0.9 /* minimum ratio of the shortest to the longest round of a timer */

/*
 * Rounds of one thread. A round is from one poll with timeout 0 to the next; its length is the sum
 * of the time limits of the polls in between.
 */
struct wakeups_rounds {
	uint32_t lane;
	uint32_t n;
	uint64_t ms; /* length of the current round, ms */
	uint64_t least, most;
	bool is_whole; /* the log contains the begin of the current round */
};

struct wakeups_sum {
	uint64_t polls;
	uint64_t ended; /* number of polls with a timeout of 1 ms or more that returned no event */
	uint64_t zero;  /* number of polls with timeout 0 that returned no event */
	uint64_t ms;    /* sum of the timeouts of the `ended` polls */
	uint64_t most;
	uint64_t least;
	uint32_t first;
	uint32_t first_zero;
	uint32_t last; /* index of the last poll that returned no event */
	struct wakeups_rounds rounds;
	bool has_lanes; /* several threads poll */
};

/* Finish the current round, because a poll with timeout 0 begins the next one. */
static void wakeups_round(struct wakeups_rounds *r)
{
	if (r->is_whole && r->ms) {
		r->least = r->n == 0 || r->ms < r->least ? r->ms : r->least;
		r->most = r->ms > r->most ? r->ms : r->most;
		r->n++;
	}
	r->ms = 0;
	r->is_whole = true;
}

static void wakeups_take(const struct rule_input *in, struct wakeups_sum *sum, uint32_t call)
{
	const struct calls *c = in->capture->calls;
	struct str name = syscall_words_name(in, c->sym.data[call]);
	struct str args = strings_get(capture_strings(in->capture), c->args.data[call]);
	uint64_t ms;

	if (syscall_kind_of_call(name, args, false) != SYSCALL_KIND_POLL)
		return;
	sum->has_lanes |= sum->polls && sum->rounds.lane != c->lane.data[call];
	sum->rounds.lane = c->lane.data[call];
	sum->polls++;
	if (!syscall_poll_timeout_ms(name, args, &ms) || ms > UINT32_MAX || c->retval.len <= call ||
	    c->retval_kind.data[call] != RETVAL_DECIMAL || c->retval.data[call] != 0)
		return;
	sum->last = call;
	if (ms == 0) {
		sum->first_zero = sum->zero++ ? sum->first_zero : call;
		wakeups_round(&sum->rounds);
		return;
	}
	sum->rounds.ms += ms;
	sum->first = sum->ended++ ? sum->first : call;
	sum->ms += ms;
	sum->most = ms > sum->most ? ms : sum->most;
	sum->least = ms < sum->least ? ms : sum->least;
}

static struct wakeups_sum wakeups_count(const struct rule_input *in)
{
	const struct calls *c = in->capture->calls;
	struct wakeups_sum sum = { .least = UINT64_MAX };

	for (uint32_t i = 0; i < c->n && c->args.len; i++)
		wakeups_take(in, &sum, i);
	return sum;
}

/* A range of times as text: "47 to 50 ms"; "50 ms" if both are equal. */
static const char *wakeups_range(struct findings *out, uint64_t least, uint64_t most)
{
	return least == most ? finding_name(out, "%" PRIu64 " ms", most)
			     : finding_name(out, "%" PRIu64 " to %" PRIu64 " ms", least, most);
}

/* Whether the rounds have so equal lengths that they show the period of a timer. */
static bool wakeups_is_tick(const struct wakeups_sum *sum)
{
	const struct wakeups_rounds *r = &sum->rounds;

	return !sum->has_lanes && r->n >= TICK_ROUNDS &&
	       (r->most - r->least <= 1 || (double)r->least >= TICK_PART * (double)r->most);
}

static void wakeups_claim(const struct rule_input *in, struct findings *out, struct finding *f,
			  const struct wakeups_sum *sum)
{
	struct str name = syscall_words_name(in, in->capture->calls->sym.data[sum->first]);
	const char *limits = wakeups_range(out, sum->least, sum->most);
	bool is_tick = wakeups_is_tick(sum);
	const char *tick =
		is_tick ? finding_name(out, " of %s",
				       wakeups_range(out, sum->rounds.least, sum->rounds.most))
			: "";
	const char *ends =
		sum->zero
			? finding_name(out, "find no event (%" PRIu64 " with timeout 0)", sum->zero)
			: finding_name(out, "time out, after %s", limits);

	finding_claim(out, f,
		      "A timer%s wakes the thread up to %.0f times per second for nothing: "
		      "%" PRIu64 " of %" PRIu64 " calls of " STR_FMT " %s",
		      tick,
		      is_tick ? 1000 / (double)sum->rounds.least
			      : 1000 * (double)sum->ended / (double)sum->ms,
		      sum->ended + sum->zero, sum->polls, STR_ARG(name), ends);
	finding_figure(f, "polls that time out", (double)sum->ended, 0, "");
	finding_figure_part(f, "share of polls", sum->ended + sum->zero, sum->polls);
	finding_figure(f, "mean timeout", (double)sum->ms / (double)sum->ended, 0, "ms");
	finding_figure(f, "time limits in all", (double)sum->ms, 0, "ms");
}

static void wakeups_finding(const struct rule_input *in, struct findings *out,
			    const struct wakeups_sum *sum)
{
	const struct calls *c = in->capture->calls;
	struct str name = syscall_words_name(in, c->sym.data[sum->first]);
	bool is_alone =
		(double)(in->syscalls->calls - sum->polls) <= WAKEUPS_ALONE * (double)sum->polls;
	struct finding *f =
		finding_add(out, in, &rule_idle_wakeups, FINDING_NOTE, is_alone ? 75 : 50);

	f->impact = syscall_words_pct((double)(sum->ended + sum->zero), (double)sum->polls);
	wakeups_claim(in, out, f, sum);
	finding_subject(f, c->sym.data[sum->first], SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, c->line.data[sum->first], STR_FMT ", no event", STR_ARG(name));
	if (sum->zero)
		finding_evidence(out, f, in, c->line.data[sum->first_zero],
				 STR_FMT ", timeout 0, no event", STR_ARG(name));
	if (sum->last != sum->first && sum->last != sum->first_zero)
		finding_evidence(out, f, in, c->line.data[sum->last], STR_FMT ", no event",
				 STR_ARG(name));
	finding_usual_cause(out, f,
			    "A timer of the program or of a library it uses (animation, cursor, "
			    "polling for a state) runs although nothing changes: polling instead "
			    "of waiting for an event");
	finding_because(out, f,
			is_alone ? "timeouts and results are in the log, and hardly a call follows"
				 : "timeouts and results are in the log\n"
				   "whether the calls between are the work of the timer");
	finding_next(out, f,
		     "gdb -p PID, break in " STR_FMT
		     ", bt: the loop; then the timers that it keeps (their interval and owner)",
		     STR_ARG(name));
	if (is_alone)
		finding_next(out, f,
			     "perf top -p PID: if the process uses much CPU time, what it runs "
			     "between the polls, which take at least %" PRIu64 " ms here",
			     sum->ms);
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
	if (sum.ended >= WAKEUPS_LEAST && (double)sum.zero <= WAKEUPS_ZERO * (double)sum.ended &&
	    (double)(sum.ended + sum.zero) >= WAKEUPS_PART * (double)sum.polls &&
	    (double)sum.ms <= WAKEUPS_MS * (double)sum.ended)
		wakeups_finding(in, out, &sum);
	else
		finding_clean(out, in, &rule_idle_wakeups,
			      "%" PRIu64 " of %" PRIu64 " polls end at a timeout, of %.0f ms on "
			      "average",
			      sum.ended, sum.polls, (double)sum.ms / fmax(1, (double)sum.ended));
}

static const char *const wakeups_explains[] = { "system-calls", "call-sequence", "empty-polls",
						NULL };

const struct rule rule_idle_wakeups = {
	.id = "idle-wakeups",
	.title = "Wake-ups for nothing (short timer)",
	.needs = RULE_SYSCALLS,
	.explains = wakeups_explains,
	.check = idle_wakeups_check,
	.is_measured = true,
};
