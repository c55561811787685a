/* SPDX-License-Identifier: MIT */
/*
 * oom_report.h - what the kernel prints when it kills a process for want of memory
 *
 * Sizes are in KiB, 0 where the report does not say. The table of tasks counts pages, whose
 * size follows from the victim's row and its line; without them it is taken as 4 KiB.
 * Source: mm/oom_kill.c, dump_header(), dump_tasks(), __oom_kill_process(); mm/show_mem.c,
 * show_free_areas(); mm/memcontrol.c, mem_cgroup_print_oom_meminfo().
 */
#ifndef ANALYSES_OOM_REPORT_H
#define ANALYSES_OOM_REPORT_H

#include "base/str.h"

#include <stdint.h>

struct records;

/* Names and paths are borrowed from the records. */
struct oom_report {
	struct str asker;  /* process whose allocation failed; empty: no such line */
	struct str victim; /* empty: the report ends before it */
	struct str group;  /* control group whose limit was reached; empty: none, or unknown */
	bool is_group;     /* a group's limit was reached, not the end of the machine's memory */
	uint64_t order;    /* the allocation requested 2^order contiguous pages */
	uint64_t victim_kib;
	uint64_t limit_kib; /* of the group */

	uint64_t tasks, tasks_kib; /* rows of the table and their sum */
	struct str top;            /* process name whose tasks hold most memory */
	uint64_t top_tasks, top_kib;
	uint64_t slab_kib;      /* unreclaimable */
	bool is_page_inferred;  /* the page size is taken as 4 KiB */
	uint32_t victim_record; /* INDEX_NONE: none; so the others */
	uint32_t top_record;
	uint32_t slab_record;
};

/*
 * Parse the report of records [@from, @to). Cost: O(bytes), and a sort of the table's rows.
 */
void oom_report_parse(const struct records *r, uint32_t from, uint32_t to, struct oom_report *ret);

#endif
