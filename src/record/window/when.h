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
 * Example: "cpu>90% for 2s". cpu is CPU time in percent of the time of all CPUs, cpu:who in percent
 * of the time of one CPU. psi is stall time in percent of the elapsed time. memory is the
 * percentage of memory that is not available. load and runnable are plain numbers; rss is in bytes
 * (K, M, G, T). Rates are measured from one check to the next. docs/record.md describes conditions
 * for users.
 */
#ifndef RECORD_WHEN_H
#define RECORD_WHEN_H

#include "base/status.h"
#include "base/str.h"

enum when_quantity {
	WHEN_CPU,      /* CPU time of the machine, in percent of the time of all CPUs */
	WHEN_CPU_OF,   /* CPU time of processes, in percent of the time of one CPU */
	WHEN_RSS_OF,   /* resident memory of processes, in bytes */
	WHEN_MEMORY,   /* memory that is not available, in percent */
	WHEN_LOAD,     /* load average over one minute */
	WHEN_RUNNABLE, /* number of running and runnable threads */
	WHEN_PSI,
};

struct when {
	char *text; /* condition as the user wrote it */
	enum when_quantity quantity;
	uint32_t pid; /* process for WHEN_CPU_OF and WHEN_RSS_OF; 0: the target's processes */
	char psi[8];  /* resource of WHEN_PSI, such as "cpu" */
	bool is_full; /* "full" and not "some" */
	bool is_less;
	bool is_equal; /* the comparison is ">=" or "<=" */
	double limit;
	uint64_t hold_ns; /* time in ns for which the condition must stay true */

	/* the members below store the state from one check to the next */
	bool has_before;
	double before;       /* for rates: value of *@ret of when_read() at the previous check */
	double before_whole; /* for rates: value of *@whole of when_read() at the previous check */
	double value;        /* last measured value */
	bool has_value;
	uint64_t since_ns; /* time at which the condition became true; 0: it is false */
	/* since the condition became true, when_look() has already returned true once */
	bool is_reported;
};

/* Input of a measurement: the files in /proc, and the target's processes. */
struct when_place {
	const char *proc; /* mount point of procfs: "/proc" */
	const uint32_t *target;
	size_t n_target;
};

/*
 * Parse the condition @text. Owner of @ret: caller, when_fini(). Errors: ERR_USAGE, and @ret is
 * empty.
 */
MUST_CHECK int when_parse(struct str text, struct when *ret, struct error *err);
void when_fini(struct when *w);
/*
 * Measure the quantity for the first time. Errors: ERR_UNSUPPORTED if the kernel does not report
 * the quantity, ERR_NOTFOUND if there is no such process, ERR_USAGE.
 */
MUST_CHECK int when_begin(struct when *w, const struct when_place *place, uint64_t now_ns,
			  struct error *err);
/*
 * Measure the quantity again. Returns true once the condition has been true for the required time.
 * Further calls return false, until the condition has become false and then has been true for this
 * time again. If the quantity cannot be read, for example because the process has ended, the
 * condition is false.
 */
bool when_look(struct when *w, const struct when_place *place, uint64_t now_ns);
/*
 * Format the condition and its current value, such as "cpu>90% for 2s (it is 97.5 %)". @ret: buffer
 * of @size bytes.
 */
void when_describe(const struct when *w, char *ret, size_t size);

#endif
