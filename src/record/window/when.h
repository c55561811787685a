/* SPDX-License-Identifier: MIT */
/*
 * when.h - conditions that trigger writing the window kept in memory
 *
 *     condition = quantity comparison number [unit] ["for" time]
 *     quantity  = "cpu" | "cpu:" who | "rss:" who | "memory" | "load" | "runnable"
 *               | "psi:" ("cpu" | "io" | "memory" | "irq") ":" ("some" | "full")
 *     who       = process id | "target"
 *     comparison = ">" | ">=" | "<" | "<="
 *
 * Most quantities are per cent: cpu of all CPUs, cpu:who of one CPU, memory that is not
 * available, psi of time. load and runnable are numbers, rss is bytes (K, M, G, T). Rates are
 * measured between two checks. docs/record.md describes conditions for users.
 */
#ifndef RECORD_WHEN_H
#define RECORD_WHEN_H

#include "base/status.h"
#include "base/str.h"

enum when_quantity {
	WHEN_CPU,      /* CPU use of the machine */
	WHEN_CPU_OF,   /* CPU use of processes */
	WHEN_RSS_OF,   /* resident memory of processes */
	WHEN_MEMORY,   /* share of memory not available */
	WHEN_LOAD,     /* average of one minute */
	WHEN_RUNNABLE, /* running and runnable threads */
	WHEN_PSI,
};

struct when {
	char *text; /* as given by the user */
	enum when_quantity quantity;
	uint32_t pid; /* 0: the target */
	char psi[8];  /* "cpu" */
	bool is_full; /* "full" instead of "some" */
	bool is_less;
	bool is_equal; /* includes equality */
	double limit;
	uint64_t hold_ns; /* minimum duration */

	/* state between checks */
	bool has_before;
	double before;       /* rates: previous count */
	double before_whole; /* rates: previous reference */
	double value;        /* last measured value */
	bool has_value;
	uint64_t since_ns; /* true since this time; 0: false */
	bool is_reported;  /* already reported since then */
};

/* Sources of measurements. */
struct when_place {
	const char *proc; /* "/proc" */
	const uint32_t *target;
	size_t n_target;
};

/* Parse a condition. Owner: caller, when_fini(). Errors: ERR_USAGE, with @ret empty. */
MUST_CHECK int when_parse(struct str text, struct when *ret, struct error *err);
void when_fini(struct when *w);
/*
 * Measure for the first time. Errors: ERR_UNSUPPORTED, ERR_NOTFOUND: the condition can never be
 * evaluated here.
 */
MUST_CHECK int when_begin(struct when *w, const struct when_place *place, uint64_t now_ns,
			  struct error *err);
/*
 * Check again. True: the condition has held for the required time; returned once until it
 * becomes false. An unreadable quantity (an ended process) counts as false.
 */
bool when_look(struct when *w, const struct when_place *place, uint64_t now_ns);
/* Format "cpu>90% for 2s (it is 97.5 %)" into @ret of @size bytes. */
void when_describe(const struct when *w, char *ret, size_t size);

#endif
