/* SPDX-License-Identifier: MIT */
/*
 * kernel_stall.h - read the lines of an RCU stall; find where a CPU was when a soft lockup was
 * reported
 *
 * Source: kernel/rcu/tree_stall.h, print_cpu_stall_info() and its callers.
 */
#ifndef EXPLAIN_KERNEL_STALL_H
#define EXPLAIN_KERNEL_STALL_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

struct findings;
struct kernel_trace;
struct rule_input;

#define KERNEL_STALL_CPUS 4u /* maximum number of stalled CPUs that a finding names */
/* maximum number of records from the title to the line with the jiffies */
#define KERNEL_STALL_LINES 40u

struct kernel_stall {
	unsigned int cpus[KERNEL_STALL_CPUS];
	uint32_t records[KERNEL_STALL_CPUS]; /* records whose lines report these CPUs */
	unsigned int n;                      /* number of stalled CPUs; may exceed the array */
	unsigned int n_tickless;             /* number of stalled CPUs with "0 ticks this GP" */
	unsigned int n_unforced;             /* number of stalled CPUs with "fqs=0" */
	uint64_t jiffies;                    /* age of the grace period; 0: not printed */
	uint32_t jiffies_record; /* record that prints `jiffies`; not set if that is 0 */
	/*
	 * name of the first task that the dump shows as running; empty: none. Borrowed from the
	 * records
	 */
	struct str task;
	uint32_t task_record; /* record that prints `task`; not set if that is empty */
};

/* Read the RCU stall whose title is record @first. */
void kernel_stall_read(const struct rule_input *in, uint32_t first, struct kernel_stall *ret);
/*
 * The stalled CPUs and the age of the stall: " of CPUs 1 and 3, after 26002 jiffies, with no timer
 * tick". "": the lines do not print this.
 */
const char *kernel_stall_says(struct findings *out, const struct kernel_stall *s);
/* The stalled CPUs: "CPU 3", "CPUs 1 and 3"; "the stalled CPU" if none is named. */
const char *kernel_stall_cpus(struct findings *out, const struct kernel_stall *s);
/*
 * A clause about the place of a CPU in a soft lockup at the time of the report (the lockup began
 * earlier): "; at the report RIP was in walk [mod], called from flush". @t: call trace of the
 * report. @which: "first " if there are several reports, otherwise "". @where: functions of the
 * trace, "in walk, called from flush". "": unknown.
 */
const char *kernel_stall_place(const struct rule_input *in, struct findings *out,
			       const struct kernel_trace *t, const char *which, const char *where);

#endif
