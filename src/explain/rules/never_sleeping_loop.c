/* SPDX-License-Identifier: MIT */
/*
 * An event loop that polls and never sleeps: a file descriptor that is always
 * ready, or a timeout of zero. The system call border and the poll itself are
 * then most of the time, and nothing schedules: a loop with work in it would
 * show the work, a loop that waits would show the scheduler.
 *
 * Threshold: half of the busy time in the poll path and the border. A server at
 * 100 % load with real work stays below a third.
 */
#include "explain/rule.h"

#define LOOP_LEAD_PCT 50.0
#define LOOP_POLL_PCT 5.0 /* the poll itself must be there, not only the border */

#define LOOP_POLLS                                                                              \
	"ep_poll|ep_send_events|do_epoll_wait|do_epoll_pwait*|__x64_sys_epoll_wait|"            \
	"__x64_sys_epoll_pwait*|ep_item_poll|do_sys_poll|do_poll|__x64_sys_poll|do_select|"     \
	"core_sys_select|epoll_wait|eventfd_poll|sock_poll|pipe_poll|select_estimate_accuracy|" \
	"ep_*|__ep_*"
#define LOOP_SLEEPS "schedule|__schedule|schedule_hrtimeout*|finish_task_switch|pick_next_task*"

static void loop_check(const struct rule_input *in, struct findings *out)
{
	const struct profile_facts *p = in->profile;
	struct fact_sum polls = facts_sum(p, LOOP_POLLS);
	struct fact_sum border = facts_category(p, "syscall-entry");
	struct fact_sum sleeps = facts_sum(p, LOOP_SLEEPS);
	struct fact_sum clocks = facts_category(p, "timekeeping");
	double busy = p->busy > 0 ? p->busy : p->total;
	double share = busy > 0 ? (polls.self + border.self) / busy * 100 : 0;
	struct finding *f;

	if (p->functions.len == 0)
		return;
	if (!polls.top || polls.self < LOOP_POLL_PCT || share < LOOP_LEAD_PCT ||
	    sleeps.self > polls.self / 4) {
		if (p->summary.kernel.pct <= 0)
			finding_not_assessed(
				out, in, &rule_never_sleeping_loop, "perf record -a -g",
				"no kernel function is in it, so a polling loop cannot show");
		else
			finding_clean(
				out, in, &rule_never_sleeping_loop,
				"%.2f %% in polling and %.2f %% at the border of system calls",
				polls.self, border.self);
		return;
	}
	f = finding_add(out, in, &rule_never_sleeping_loop, FINDING_WARNING,
			p->prints_zero_rows && !sleeps.top ? 97 : 85);
	f->impact = polls.self + border.self + clocks.self;
	finding_claim(
		out, f,
		"the event loop never sleeps: %.2f %% in polling, %.2f %% entering and leaving "
		"the kernel, %.2f %% in the scheduler",
		polls.self, border.self, sleeps.self);
	finding_cause(out, f,
		      "a file descriptor is always ready (and never read), or the timeout is zero");
	finding_because(out, f,
			p->prints_zero_rows && !sleeps.top
				? "rows down to 0.00 %% are printed and none is the scheduler's"
				: "the scheduler has next to nothing beside the polls");
	finding_figure_interval(f, "polling", polls.self, polls.low, polls.high, "%");
	finding_figure_interval(f, "system call border", border.self, border.low, border.high, "%");
	finding_figure(f, "scheduler", sleeps.self, sleeps.err, "%");
	finding_evidence(out, f, in, polls.top->line, STR_FMT " %.2f %%",
			 STR_ARG(facts_name(in->facts, polls.top->sym)), polls.top->self);
	if (border.top)
		finding_evidence(out, f, in, border.top->line, STR_FMT " %.2f %%",
				 STR_ARG(facts_name(in->facts, border.top->sym)), border.top->self);
	finding_next(out, f,
		     "strace -c -p PID for a second: which descriptor does the poll return, "
		     "and is it read");
	finding_next(out, f, "read the descriptor, or register it edge-triggered (EPOLLET)");
}

const struct rule rule_never_sleeping_loop = {
	.id = "never-sleeping-loop",
	.title = "an event loop that never sleeps",
	.needs = RULE_PROFILE,
	.check = loop_check,
};
