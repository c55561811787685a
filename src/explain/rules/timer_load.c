/* SPDX-License-Identifier: MIT */
/*
 * Timers: armed, cancelled and run in large numbers.
 *
 * Thresholds, of the time that is not idle: 1 to 4 % on machines in good health.
 */
#include "explain/signature.h"

#define TIMER_LOAD_NOTE_PCT 8.0
#define TIMER_LOAD_LEAD_PCT 20.0

static const struct signature timer_load = {
	.functions = "run_timer_softirq|__run_timers*|run_timer_base|call_timer_fn|"
		     "expire_timers|collect_expired_timers|mod_timer*|__mod_timer|"
		     "add_timer*|del_timer*|timer_delete*|detach_if_pending|"
		     "enqueue_timer|lock_timer_base|get_next_timer_interrupt|"
		     "__next_timer_interrupt|timer_clear_idle|hrtimer_*|__hrtimer_*|"
		     "hrtimers_*|timerqueue_*|tick_sched_*|tick_program_event|"
		     "clockevents_program_event|lapic_next_deadline|lapic_next_event|"
		     "run_posix_cpu_timers|posix_timer_fn|timerfd_*|do_timerfd_*|"
		     "itimer_*|common_timer_set|tick_nohz_*|sched_clock_tick|"
		     "update_process_times|task_tick_fair|scheduler_tick|sched_tick",
	.through = "mod_timer*|__mod_timer|hrtimer_*|__hrtimer_*",
	.note_pct = TIMER_LOAD_NOTE_PCT,
	.lead_pct = TIMER_LOAD_LEAD_PCT,
	.sure_note = 58,
	.sure_lead = 70,
	.what = "arms, cancels and runs timers",
	.name = "timers",
	.cause = "many timers of short period, or one that is set again for each "
		 "packet or request; on a guest each one set is an exit to the host",
	.because = "these functions do nothing but keep timers",
	.next = { "perf trace -e timer:* -a sleep 1, or trace-cmd record -e timer: "
		  "which function is armed, how often",
		  "coarser timers (timer slack), one for many requests, a longer "
		  "period; nohz_full for CPUs that run one task" },
};

const struct rule rule_timer_load = {
	.id = "timer-load",
	.title = "timers are armed and run all the time",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &timer_load,
};
