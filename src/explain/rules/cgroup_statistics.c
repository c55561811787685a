/* SPDX-License-Identifier: MIT */
/*
 * Flushing of the per-CPU statistics of control groups is hot.
 *
 * Thresholds, of the time that is not idle: A node of 100 pods that is polled each 10
 * s has below 0.5 %.
 */
#include "explain/signature.h"

#define CGROUP_STATISTICS_NOTE_PCT 2.0
#define CGROUP_STATISTICS_LEAD_PCT 8.0

static const struct signature cgroup_statistics = {
	.functions = "cgroup_rstat_flush*|__cgroup_rstat_lock|"
		     "__cgroup_rstat_unlock|css_rstat_flush*|"
		     "css_process_update_tree|css_rstat_updated_list|"
		     "mem_cgroup_css_rstat_flush|mem_cgroup_flush_stats*|"
		     "__mem_cgroup_flush_stats|do_flush_stats|"
		     "memcg_vmstats_needs_flush|memory_stat_format*|"
		     "memory_stat_show|memcg_stat_format|blkcg_rstat_flush*|"
		     "cgroup_base_stat_*|memcg_page_state*|mem_cgroup_stat_*|"
		     "blkcg_print_stat*|memcg_events*|mem_cgroup_nr_lru_pages|"
		     "mem_cgroup_usage|mem_cgroup_threshold*",
	.needs = "cgroup_rstat_flush*|css_rstat_flush*|"
		 "mem_cgroup_css_rstat_flush|*flush_stats*|"
		 "memory_stat_format*|blkcg_rstat_flush*|memory_stat_show|"
		 "memcg_stat_format",
	.through = "cgroup_rstat_*|css_rstat_*|mem_cgroup_*|__mem_cgroup_*|"
		   "do_flush_stats|memory_stat_*|seq_read*|cgroup_seqfile_*",
	.note_pct = CGROUP_STATISTICS_NOTE_PCT,
	.lead_pct = CGROUP_STATISTICS_LEAD_PCT,
	.sure_note = 70,
	.sure_lead = 85,
	.what = "sums statistics of control groups",
	.name = "statistics of control groups",
	.cause = "each reader of memory.stat, and reclaim, sums over all CPUs and all groups "
		 "below, under one lock",
	.because = "these functions do nothing but sum counters",
	.next = { "perf trace -a -e openat: who reads memory.stat, cpu.stat, io.stat, and how "
		  "often (agents, kubelet, cadvisor)",
		  "read less often and higher in the tree; remove dead groups; a kernel from 6.8 "
		  "on flushes with a threshold" },
};

const struct rule rule_cgroup_statistics = {
	.id = "cgroup-statistics",
	.title = "statistics of control groups are summed again and again",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &cgroup_statistics,
};
