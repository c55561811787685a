/* SPDX-License-Identifier: MIT */
/*
 * Delivery of signals is hot: a timer at a high rate, a profiler, threads that signal each other,
 * or a handler that catches faults.
 *
 * Thresholds, of the time that is not idle: Programs without timers have 0.
 */
#include "explain/signature.h"

#define SIGNAL_STORM_NOTE_PCT 4.0
#define SIGNAL_STORM_LEAD_PCT 12.0

static const struct signature signal_storm = {
	.functions = "do_signal|get_signal|arch_do_signal*|do_send_sig_info|"
		     "__send_signal*|send_signal*|do_send_specific|do_tkill|"
		     "complete_signal|dequeue_signal|__dequeue_signal|"
		     "collect_signal|signal_wake_up*|recalc_sigpending*|"
		     "__lock_task_sighand|lock_task_sighand|handle_signal|"
		     "setup_rt_frame|x64_setup_rt_frame|__setup_rt_frame|"
		     "restore_sigcontext|__x64_sys_rt_sigreturn|"
		     "__do_sys_rt_sigreturn|sys_rt_sigreturn|__restore_rt|"
		     "sigprocmask|set_current_blocked|__set_current_blocked|"
		     "__set_task_blocked|do_sigaction|__x64_sys_rt_sigprocmask|"
		     "__x64_sys_rt_sigaction|force_sig_*|posix_timer_event|"
		     "posix_timer_fn|it_real_fn|check_process_timers|"
		     "run_posix_cpu_timers|posix_cpu_timers_work|"
		     "copy_fpstate_to_sigframe|copy_siginfo_to_user|"
		     "__sigqueue_alloc|sigqueue_alloc|retarget_shared_pending|"
		     "signal_setup_done|signal_delivered",
	.needs = "get_signal|__send_signal*|send_signal*|do_send_sig_info|"
		 "complete_signal|dequeue_signal|setup_rt_frame|"
		 "x64_setup_rt_frame|handle_signal|restore_sigcontext|"
		 "force_sig_*|posix_timer_event|__restore_rt",
	.note_pct = SIGNAL_STORM_NOTE_PCT,
	.lead_pct = SIGNAL_STORM_LEAD_PCT,
	.sure_note = 65,
	.sure_lead = 80,
	.what = "sends and handles signals",
	.name = "signals",
	.cause = "a timer or profiler at a high rate, threads that stop each other by signals, or "
		 "faults that a handler catches",
	.because = "these functions run only for signals",
	.next = { "perf trace -a -e 'signal:*', or: strace -f -e trace=none -p PID: which signal, "
		  "how often",
		  "lower the rate of the timer; eventfd or futex instead of signals between "
		  "threads; look for SIGPROF, SIGSEGV handlers, SIGURG" },
};

const struct rule rule_signal_storm = {
	.id = "signal-storm",
	.title = "signals are sent all the time",
	.needs = RULE_PROFILE,
	.signature = &signal_storm,
};
