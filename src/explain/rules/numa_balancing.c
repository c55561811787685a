/* SPDX-License-Identifier: MIT */
/*
 * NUMA balancing unmaps and moves pages: the kernel takes away access to pages to see who
 * uses them, and moves them.
 *
 * Thresholds, of the time that is not idle: Where pages stay where they are used it costs
 * below 2 %.
 */
#include "explain/signature.h"

#define NUMA_BALANCING_NOTE_PCT 4.0
#define NUMA_BALANCING_LEAD_PCT 10.0

static const struct signature numa_balancing = {
	.functions = "task_numa_work|change_prot_numa|change_protection*|"
		     "change_pte_range|change_huge_pmd|do_numa_page|"
		     "do_huge_pmd_numa_page|migrate_misplaced_*|task_numa_*|numa_*|"
		     "should_numa_migrate*|update_task_scan_period|mpol_misplaced|"
		     "numa_migrate_prep|numamigrate_*",
	.needs = "task_numa_work|change_prot_numa|do_numa_page|migrate_misplaced_*|"
		 "task_numa_fault|do_huge_pmd_numa_page",
	.note_pct = NUMA_BALANCING_NOTE_PCT,
	.lead_pct = NUMA_BALANCING_LEAD_PCT,
	.sure_note = 70,
	.sure_lead = 88,
	.what = "is automatic NUMA balancing",
	.name = "NUMA balancing",
	.cause = "the kernel takes away access to pages to see who uses them, and "
		 "moves them",
	.because = "these functions run for the sampling of accesses only",
	.next = { "sysctl kernel.numa_balancing; grep numa_ /proc/vmstat",
		  "bind the program (numactl, cpusets) and set "
		  "kernel.numa_balancing=0" },
};

const struct rule rule_numa_balancing = {
	.id = "numa-balancing",
	.title = "NUMA balancing unmaps and moves pages",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &numa_balancing,
};
