/* SPDX-License-Identifier: MIT */
/*
 * Entering and leaving the kernel is a large part: many small system calls, each with the
 * flushes against CPU vulnerabilities (page-table switch, buffer clearing) at the border.
 *
 * Thresholds, of the time that is not idle: A server whose calls do work spends 3 to 8 %
 * at the border.
 */
#include "explain/signature.h"

#define SYSCALL_BORDER_NOTE_PCT 12.0
#define SYSCALL_BORDER_LEAD_PCT 25.0

static const struct signature syscall_border = {
	.functions = "do_syscall_64|entry_SYSCALL_64|entry_SYSCALL_64_after_hwframe|"
		     "entry_SYSCALL_64_safe_stack|entry_SYSRETQ_unsafe_stack|"
		     "__entry_text_start|syscall_return_via_sysret|"
		     "syscall_exit_to_user_mode*|syscall_enter_from_user_mode*|"
		     "syscall_trace_enter*|exit_to_user_mode*|x64_sys_call|"
		     "entry_SYSCALL_compat*|do_fast_syscall_32|__do_fast_syscall_32|"
		     "entry_trampoline|swapgs_restore_regs_and_return_to_usermode|"
		     "el0_svc*|do_el0_svc|invoke_syscall*|el0t_64_sync*|"
		     "system_call_fastpath|system_call|sysret_*|syscall_slow_exit_work|"
		     "prepare_exit_to_usermode|fpregs_assert_state_consistent|"
		     "switch_fpu_return",
	.note_pct = SYSCALL_BORDER_NOTE_PCT,
	.lead_pct = SYSCALL_BORDER_LEAD_PCT,
	.sure_note = 75,
	.sure_lead = 85,
	.what = "enters and leaves the kernel",
	.name = "the border of system calls",
	.cause = "many small system calls, each with the flushes against CPU "
		 "vulnerabilities (page-table switch, buffer clearing) at the border",
	.because = "these functions run once for each system call and do not depend "
		   "on what it does",
	.next = { "perf trace -s -p PID sleep 1: which calls, how many",
		  "grep . /sys/devices/system/cpu/vulnerabilities/*: which flushes "
		  "are on",
		  "remove or batch the calls first (io_uring, sendmmsg, vDSO, larger "
		  "buffers), do not turn protection off" },
};

const struct rule rule_syscall_border = {
	.id = "syscall-border",
	.title = "entering and leaving the kernel is a large part",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &syscall_border,
};
