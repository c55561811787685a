/* SPDX-License-Identifier: MIT */
/*
 * counter_roles.h - what the name of a counter means, whichever tool and CPU it is of
 *
 * perf, vendors and other tools have many names for one thing: "cpu_core/cycles/u",
 * "cpu-cycles" and "CPU_CLK_UNHALTED.THREAD" are all cycles. Sums and ratios are of roles.
 */
#ifndef CORE_COUNTER_ROLES_H
#define CORE_COUNTER_ROLES_H

#include "base/str.h"

enum counter_role {
	COUNTS_NONE, /* a name that nothing is known of */
	COUNTS_ELAPSED,
	COUNTS_USER,
	COUNTS_SYSTEM,
	COUNTS_TASK_CLOCK,
	COUNTS_SWITCHES,
	COUNTS_VOLUNTARY,
	COUNTS_INVOLUNTARY,
	COUNTS_MIGRATIONS,
	COUNTS_FAULTS,
	COUNTS_MINOR_FAULTS,
	COUNTS_MAJOR_FAULTS,
	COUNTS_CYCLES,
	COUNTS_REF_CYCLES,
	COUNTS_INSTRUCTIONS,
	COUNTS_BRANCHES,
	COUNTS_BRANCH_MISSES,
	COUNTS_CACHE_REFERENCES,
	COUNTS_CACHE_MISSES,
	COUNTS_STALLS_FRONT,
	COUNTS_STALLS_BACK,
	COUNTS_L1D_LOADS,
	COUNTS_L1D_MISSES,
	COUNTS_L1I_MISSES,
	COUNTS_L2_MISSES,
	COUNTS_LLC_LOADS,
	COUNTS_LLC_MISSES,
	COUNTS_DTLB_LOADS,
	COUNTS_DTLB_MISSES,
	COUNTS_DTLB_WALK,
	COUNTS_ITLB_MISSES,
	COUNTS_NODE_LOADS,
	COUNTS_NODE_MISSES,
	COUNTS_HITM,
	COUNTS_MACHINE_CLEARS,
	COUNTS_TOPDOWN_RETIRING,
	COUNTS_TOPDOWN_SPECULATION,
	COUNTS_TOPDOWN_FRONT,
	COUNTS_TOPDOWN_BACK,
	COUNTS_RESIDENT,
	COUNTS_COUNT,
};

#define COUNTER_NAME_MAX 96u

/*
 * @name in lower case, '-' for '_' and blanks, without modifiers (":u") and the name of
 * its PMU, into @buffer. Longer names are cut.
 */
struct str counter_role_plain_name(struct str name, char buffer[COUNTER_NAME_MAX]);
/* The role of a name as printed. Cost: O(roles). */
enum counter_role counter_role_of(struct str name);

#endif
