/* SPDX-License-Identifier: MIT */
/*
 * oom_report.h - parse the kernel's report of the out-of-memory killer
 *
 * Sizes are in KiB, and 0 if the report does not print them. The report's table of tasks counts
 * pages. The page size follows from the victim's row and its kill line ("Killed process"). If they
 * do not show it, 4 KiB is assumed. Sources: mm/oom_kill.c, dump_header(), dump_tasks(),
 * __oom_kill_process(); mm/show_mem.c, show_free_areas(); mm/memcontrol.c,
 * mem_cgroup_print_oom_meminfo().
 */
#ifndef ANALYSES_OOM_REPORT_H
#define ANALYSES_OOM_REPORT_H

#include "base/str.h"

#include <stdint.h>

struct records;

/* Memory that the table of tasks leaves out, because it belongs to no task. */
enum oom_apart {
	OOM_SLAB,  /* unreclaimable slab memory of the kernel */
	OOM_SHMEM, /* shared memory and files of tmpfs, mapped or not */
	OOM_HUGE,  /* pages in the pool of huge pages, used or free */
	OOM_APARTS,
};

struct oom_amount {
	uint64_t kib;
	uint32_t record; /* index of the record with this amount; INDEX_NONE: not printed */
};

/* The largest cache in the list "Unreclaimable slab info". */
struct oom_slab {
	struct str name; /* name of the cache; empty: the report has no such list */
	uint64_t kib;
	uint32_t record;
};

/* The data of one report. Names and paths are borrowed from the records. */
struct oom_report {
	struct str asker;  /* process whose allocation failed; empty: the report has no such line */
	struct str victim; /* killed process; empty: the report has no kill line */
	struct str group; /* control group that reached its memory limit; empty: none, or unknown */
	/* a control group reached its limit; false: the machine ran out of memory, or unknown */
	bool is_group;
	bool is_v1; /* the group is of cgroup version 1: only this version counts memory+swap */
	/* log2 of the number of contiguous pages that the failed allocation requested */
	uint64_t order;
	/*
	 * zone_kib: free memory of the zone that has the most of it. zone_large_kib: the part in
	 * blocks of at least 2^order pages. Valid if zone.len is not 0
	 */
	uint64_t zone_kib, zone_large_kib;
	struct str zone; /* "Node 0 Normal"; empty: the report lacks the list of free blocks */
	uint64_t victim_kib;
	uint64_t limit_kib; /* memory limit of the control group */
	/* memory of the machine, as printed; else the sum of the printed kinds of pages */
	uint64_t ram_kib;

	/* number of tasks in the report's table of tasks, and the sum of their resident memory */
	uint64_t tasks, tasks_kib;
	/* name of the program whose processes together have the most resident memory */
	struct str top;
	uint64_t top_tasks, top_kib;
	struct oom_amount apart[OOM_APARTS];
	/* page cache of the control group that is not written to its files yet */
	struct oom_amount dirty;
	/*
	 * the largest unreclaimable slab cache. The kernel prints the list of these caches only if
	 * they together exceed the memory of all processes and files: mm/oom_kill.c,
	 * should_dump_unreclaim_slab()
	 */
	struct oom_slab slab;
	bool is_page_inferred; /* the page size is unknown and assumed to be 4 KiB */
	/* index of the record with the kill line; INDEX_NONE: none */
	uint32_t victim_record;
	uint32_t zone_record; /* index of the record with the free blocks of `zone` */
	/* index of a record about a task with the name `top`; INDEX_NONE: none */
	uint32_t top_record;
};

/*
 * Parse the report in the records @from to @to - 1. Cost: O(bytes), and a sort of the table's rows.
 */
void oom_report_parse(const struct records *r, uint32_t from, uint32_t to, struct oom_report *ret);

#endif
