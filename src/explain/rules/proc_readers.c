/* SPDX-License-Identifier: MIT */
/*
 * Somebody reads /proc and /sys all the time: statistics are gathered and printed as text.
 *
 * Thresholds, of the time that is not idle: agents in good health cost below 2 %.
 */
#include "explain/signature.h"

#define PROC_READERS_NOTE_PCT 8.0
#define PROC_READERS_LEAD_PCT 20.0

static const struct signature proc_readers = {
	.functions = "smaps_*|show_smap*|show_map*|pagemap_*|clear_refs_*|proc_*|"
		     "do_task_stat|next_tgid|show_stat|show_interrupts|kstat_irqs*|"
		     "seq_put_*|seq_printf|seq_vprintf|seq_read*|seq_file_*|m_next|"
		     "m_start|walk_pgd_range|walk_page_range*|walk_page_vma|"
		     "kernfs_seq_*|kernfs_fop_read*|sysfs_kf_*|dev_attr_show|vmstat_start|vmstat_"
		     "next|vmstat_show|"
		     "diskstats_show|part_stat_show|meminfo_proc_*|stat_open|"
		     "single_open*|tcp4_seq_*|tcp_seq_*|established_get_*|"
		     "listening_get_*|inet_diag_*|tcp_diag_*|netlink_dump|rtnl_dump_*|"
		     "if_nlmsg*|dev_seq_*|get_mm_exe_file|render_sigset_t|task_mem|"
		     "environ_read|access_remote_vm|__access_remote_vm*|"
		     "fill_stats_for_pid|taskstats_*|cgroupstats_*",
	.needs = "smaps_*|show_*|pagemap_*|proc_*|seq_*|do_task_stat|kstat_irqs*|"
		 "kernfs_*|tcp4_seq_*|established_get_*|inet_diag_*|netlink_dump|"
		 "taskstats_*|vmstat_show|vmstat_start",
	.note_pct = PROC_READERS_NOTE_PCT,
	.lead_pct = PROC_READERS_LEAD_PCT,
	.sure_note = 62,
	.sure_lead = 74,
	.what = "gathers and prints what is read from /proc and /sys",
	.name = "files of /proc and /sys",
	.cause = "monitoring reads files that are made anew for each reading: maps "
		 "of large processes, tables of connections, counters of all CPUs",
	.because = "these functions run only when such a file is read, or a table is "
		   "dumped over netlink",
	.next = { "perf record -a -g, or opensnoop: who reads which file, how often",
		  "read less often, smaps_rollup instead of smaps, netlink with "
		  "filters instead of tables of text" },
};

const struct rule rule_proc_readers = {
	.id = "proc-readers",
	.title = "files of /proc and /sys are read all the time",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &proc_readers,
};
