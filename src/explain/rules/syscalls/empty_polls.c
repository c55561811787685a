/* SPDX-License-Identifier: MIT */
/*
 * A poll, select or epoll_wait call with a timeout of zero returns at once instead of waiting. A
 * loop may use such a call to empty a queue, but one such call in each round is wasted work. If the
 * loop has no other wait, it never sleeps.
 *
 * Thresholds: at least a fifth of the polls, and ten of them, have a timeout of zero. A warning
 * needs half of the polls, and a thousand, and no other wait that slows down the loop. In an
 * excerpt, one such poll that found nothing suffices instead of ten.
 */
#include "analyses/syscalls/syscalls.h"
#include "core/calls.h"
#include "core/capture.h"
#include "explain/words/syscall_words.h"

#include "base/str.h"
#include "base/vec.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(empty_polls);

#define POLLS_NOTE_PCT 20.0
#define POLLS_LEAD_PCT 50.0
#define POLLS_LEAD     1000u
#define POLLS_MIN      10u
/* another wait slows down the loop if its mean duration is at least this, ns */
#define POLLS_PACE_NS 1e6

/*
 * Find a wait that slows down a loop whose polls have a timeout of zero: a sleep, or a wait for
 * another thread. It must occur at least half as often as these polls. NULL: none.
 */
static const struct syscall_row *polls_pace(const struct rule_input *in)
{
	const struct syscalls_summary *s = in->syscalls;

	VEC_FOREACH (row, &s->rows) {
		if ((row->kind == SYSCALL_KIND_SLEEP || row->kind == SYSCALL_KIND_FUTEX) &&
		    row->calls * 2 >= s->polls_zero &&
		    row->time_ns >= POLLS_PACE_NS * (double)row->calls)
			return row;
	}
	return NULL;
}

static void polls_finding(const struct rule_input *in, struct findings *out, uint64_t polls)
{
	const struct syscalls_summary *s = in->syscalls;
	double pct = syscall_words_pct((double)s->polls_zero, (double)polls);
	struct str name = syscall_words_name(in, s->polls_sym);
	const struct syscall_row *pace = polls_pace(in);
	bool is_connect = s->polls_connecting * 2 >= s->polls_zero;
	bool is_all = s->polls_zero == polls && polls >= POLLS_MIN;
	struct finding *f = finding_add(
		out, in, &rule_empty_polls,
		pct >= POLLS_LEAD_PCT && s->polls_zero >= POLLS_LEAD && !pace ? FINDING_WARNING
									      : FINDING_NOTE,
		s->polls_zero >= POLLS_MIN ? 90 : 75);

	f->impact = syscall_words_pct((double)s->polls_zero, (double)s->calls);
	finding_claim(out, f,
		      "%llu of %llu " STR_FMT
		      " calls do not wait (timeout 0); %llu of these return no events%s",
		      (unsigned long long)s->polls_zero, (unsigned long long)polls, STR_ARG(name),
		      (unsigned long long)s->polls_empty,
		      s->polls_twice ? ", directly after another poll" : "");
	finding_figure(f, "polls with timeout 0", (double)s->polls_zero, 0, "");
	finding_figure(f, "without events", (double)s->polls_empty, 0, "");
	finding_figure(f, "after another poll", (double)s->polls_twice, 0, "");
	finding_figure_part(f, "share of polls", s->polls_zero, polls);
	finding_subject(f, s->polls_sym, SUBJECT_EXPLAINED);
	finding_evidence(out, f, in, s->polls_line, STR_FMT ", timeout 0", STR_ARG(name));
	if (is_connect)
		finding_cause(
			out, f,
			"A connect goes on in the background (EINPROGRESS), and these polls ask "
			"whether it is done instead of waiting for it: give the poll a time limit");
	else if (pace)
		finding_usual_cause(out, f,
				    "Another call paces the loop (" STR_FMT
				    "), as in a loop with a fixed period: the polls only look "
				    "whether something came",
				    STR_ARG(syscall_words_name(in, pace->sym)));
	else
		finding_usual_cause(
			out, f, "%s",
			is_all ? "The event loop never sleeps: it polls again at once and burns a "
				 "CPU (busy polling)"
			       : "The loop polls once more before it sleeps or runs its timers, or "
				 "a client checks that its connection is still open before each "
				 "request. The extra poll is needless if it never finds an event");
	finding_because(out, f, "the log shows timeouts and results");
	finding_next(out, f,
		     "strace -f -k -e trace=" STR_FMT
		     " COMMAND: the code that computes the timeout, and what is due at once",
		     STR_ARG(name));
}

static void polls_check(const struct rule_input *in, struct findings *out)
{
	const struct syscalls_summary *s = in->syscalls;
	uint64_t polls = 0;

	if (s->is_library)
		return;
	VEC_FOREACH (row, &s->rows)
		polls += row->kind == SYSCALL_KIND_POLL ? row->calls : 0;
	if (polls == 0)
		return;
	if (!s->is_log)
		finding_not_assessed(out, in, &rule_empty_polls,
				     "strace -f -e 'trace=/poll|select' -o out COMMAND",
				     "a table does not show the timeouts of %llu polls",
				     (unsigned long long)polls);
	else if (s->polls_zero &&
		 (s->polls_zero >= POLLS_MIN ||
		  (s->calls < SYSCALL_EXCERPT && s->polls_empty && polls > 1)) &&
		 syscall_words_pct((double)s->polls_zero, (double)polls) >= POLLS_NOTE_PCT)
		polls_finding(in, out, polls);
	else
		finding_clean(out, in, &rule_empty_polls, "%llu of %llu polls have timeout 0",
			      (unsigned long long)s->polls_zero, (unsigned long long)polls);
}

static const char *const polls_explains[] = { "system-calls", "call-sequence", NULL };

const struct rule rule_empty_polls = {
	.id = "empty-polls",
	.title = "Busy polling (timeout 0)",
	.needs = RULE_SYSCALLS,
	.explains = polls_explains,
	.check = polls_check,
	.is_measured = true,
};
