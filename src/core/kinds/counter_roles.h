/* SPDX-License-Identifier: MIT */
/*
 * counter_roles.h - the meaning of a counter's name, for all tools and CPUs
 *
 * perf, CPU vendors and other tools have many names for the same thing: "cpu_core/cycles/u",
 * "cpu-cycles" and "CPU_CLK_UNHALTED.THREAD" all count cycles. A role stands for all these names.
 * Sums and ratios are computed by role.
 */
#ifndef CORE_COUNTER_ROLES_H
#define CORE_COUNTER_ROLES_H

#include "base/str.h"

enum counter_role {
	COUNTS_NONE, /* meaning unknown */
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
	COUNTS_SLOTS,
	COUNTS_RESIDENT,
	COUNTS_COUNT,
};

#define COUNTER_NAME_MAX 96u

/* The role of a counter, by its printed name. Cost: O(roles). */
enum counter_role counter_role_of(struct str name);

/*
 * The event of perf (`perf stat -e`) that counts a role. NULL: perf prints the role without an
 * event, or the events differ by CPU.
 */
const char *counter_role_event(enum counter_role role);

/* Privilege levels in which perf counts an event; a set. */
enum counter_level {
	COUNTS_IN_USER = 1,
	COUNTS_IN_KERNEL = 2,
	COUNTS_IN_HYPERVISOR = 4,
};

/*
 * The privilege levels in which an event is counted, by the modifiers of its printed name:
 * COUNTS_IN_USER for "cycles:u", "cpu_core/cycles/u" and, in a mail, "cycles=u". 0: no modifier, or
 * both user space and kernel. Modifiers of precision ("cycles:pp") do not matter.
 */
unsigned int counter_levels(struct str name);

#endif
