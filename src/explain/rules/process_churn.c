/* SPDX-License-Identifier: MIT */
/*
 * fork, exec and exit have a large part of the time: programs are started for
 * small pieces of work.
 *
 * Thresholds, of the time that is not idle: Servers at rest have below 1 % there,
 * shells and builds 10 to 30 %.
 */
#include "explain/signature.h"

#define PROCESS_CHURN_NOTE_PCT 5.0
#define PROCESS_CHURN_LEAD_PCT 15.0

static const struct signature process_churn = {
	.functions = "copy_process|dup_mm|dup_mmap|copy_page_range|copy_pte_range|"
		     "copy_present_pte*|copy_p4d_range|copy_pmd_range|"
		     "anon_vma_fork|anon_vma_clone|anon_vma_interval_tree_*|"
		     "unlink_anon_vmas|exit_mmap|begin_new_exec|load_elf_binary|"
		     "load_elf_interp|bprm_*|do_execveat_common*|setup_arg_pages|"
		     "shift_arg_pages|release_task|wait_consider_task|do_wait|"
		     "do_exit|sched_exec|create_elf_tables|elf_map|elf_load|"
		     "kernel_clone|_do_fork|do_fork|acct_collect|exit_files|"
		     "put_files_struct|alloc_pid|free_pid|proc_flush_*|"
		     "taskstats_*|vm_area_dup",
	.needs = "copy_process|copy_page_range|copy_pte_range|"
		 "copy_present_pte*|dup_mm*|load_elf_binary|begin_new_exec|"
		 "exit_mmap|kernel_clone|_do_fork|do_fork|wait_consider_task|"
		 "release_task",
	.through = "copy_p*|dup_mm*|kernel_clone|_do_fork|do_fork|exit_mmap|"
		   "anon_vma_*",
	.note_pct = PROCESS_CHURN_NOTE_PCT,
	.lead_pct = PROCESS_CHURN_LEAD_PCT,
	.sure_note = 65,
	.sure_lead = 74,
	.what = "starts and ends processes",
	.name = "fork, exec and exit",
	.cause = "programs are started for small pieces of work (scripts, health checks, a server "
		 "that forks for each request), or a large process forks or ends",
	.because = "these functions run only when a process begins or ends",
	.next = { "execsnoop, or: perf trace -a -s -e clone*,execve,exit_group: who starts what, "
		  "how often",
		  "a long-running process or a pool; posix_spawn or vfork for large parents" },
};

const struct rule rule_process_churn = {
	.id = "process-churn",
	.title = "processes are started and ended all the time",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &process_churn,
};
