/* SPDX-License-Identifier: MIT */
/*
 * when.h - conditions under which --ring writes the records of the last seconds
 *
 *     condition = quantity comparison number [unit] ["for" time]
 *     quantity  = "cpu" | "cpu:" who | "rss:" who | "memory" | "load" | "runnable"
 *               | "psi:" ("cpu" | "io" | "memory" | "irq") ":" ("some" | "full")
 *     who       = process id | "target"
 *     comparison = ">" | ">=" | "<" | "<="
 *
 * Most quantities are percentages: cpu of all CPUs, cpu:who of one CPU, psi of time. memory is the
 * percentage of memory that is not available. load and runnable are plain numbers; rss is bytes (K,
 * M, G, T). Rates are measured between two checks. docs/record.md describes conditions for users.
 */
#ifndef RECORD_WHEN_H
#define RECORD_WHEN_H

#include "base/status.h"
#include "base/str.h"

enum when_quantity {
	WHEN_CPU,      /* CPU time of the machine, in percent of all CPUs */
	WHEN_CPU_OF,   /* CPU time of processes, in percent of one CPU */
	WHEN_RSS_OF,   /* resident memory of processes, in bytes */
	WHEN_MEMORY,   /* memory that is not available, in percent */
	WHEN_LOAD,     /* load average over one minute */
	WHEN_RUNNABLE, /* number of running and runnable threads */
	WHEN_PSI,
};

struct when {
	char *text; /* condition as the user wrote it */
	enum when_quantity quantity;
	uint32_t pid; /* process of WHEN_CPU_OF and WHEN_RSS_OF; 0: the target */
	char psi[8];  /* resource of WHEN_PSI, such as "cpu" */
	bool is_full; /* the condition says "full" instead of "some" */
	bool is_less;
	bool is_equal; /* the comparison is ">=" or "<=" */
	double limit;
	uint64_t hold_ns; /* how long the condition must hold */

	/* the members below are the state between two checks */
	bool has_before;
	double before;       /* for rates: *@ret of when_read() at the previous check */
	double before_whole; /* for rates: *@whole of when_read() at the previous check */
	double value;        /* last measured value */
	bool has_value;
	uint64_t since_ns; /* time since which the condition holds; 0: it does not hold */
	/* when_look() has already returned true since the condition began to hold, at `since_ns` */
	bool is_reported;
};

/* Files and processes from which quantities are read. */
struct when_place {
	const char *proc; /* mount point of procfs: "/proc" */
	const uint32_t *target;
	size_t n_target;
};

/* Parse a condition. Owner of @ret: caller, when_fini(). Errors: ERR_USAGE; @ret is then empty. */
MUST_CHECK int when_parse(struct str text, struct when *ret, struct error *err);
void when_fini(struct when *w);
/*
 * Measure the quantity for the first time. Errors: ERR_UNSUPPORTED (the kernel does not report the
 * quantity), ERR_NOTFOUND (no such process), ERR_USAGE.
 */
MUST_CHECK int when_begin(struct when *w, const struct when_place *place, uint64_t now_ns,
			  struct error *err);
/*
 * Measure again. True: the condition has just held for the required time. The next calls return
 * false, until the condition has been false once and has held for this time again. If the quantity
 * cannot be read, for example because the process has ended, the condition is false.
 */
bool when_look(struct when *w, const struct when_place *place, uint64_t now_ns);
/*
 * Format the condition with its current value into @ret, which has @size bytes: "cpu>90% for 2s (it
 * is 97.5 %)".
 */
void when_describe(const struct when *w, char *ret, size_t size);

#endif
