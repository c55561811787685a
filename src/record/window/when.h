/* SPDX-License-Identifier: MIT */
/*
 * when.h - conditions that say when what is kept in memory is to be written
 *
 *     condition = quantity comparison number [unit] ["for" time]
 *     quantity  = "cpu" | "cpu:" who | "rss:" who | "memory" | "load" | "runnable"
 *               | "psi:" ("cpu" | "io" | "memory" | "irq") ":" ("some" | "full")
 *     who       = process id | "target"
 *     comparison = ">" | ">=" | "<" | "<="
 *
 * Quantities are per cent (cpu of all CPUs, cpu:who of one, memory that is not
 * available, psi of the time) but for load and runnable, which are numbers, and rss,
 * which is bytes (K, M, G, T). Those that are rates are taken from one look to the
 * next. docs/record.md has it for users.
 */
#ifndef RECORD_WHEN_H
#define RECORD_WHEN_H

#include "base/str.h"
#include "base/vec.h"

enum when_quantity {
	WHEN_CPU,      /* of the machine */
	WHEN_CPU_OF,   /* of processes */
	WHEN_RSS_OF,   /* of processes */
	WHEN_MEMORY,   /* that is not available */
	WHEN_LOAD,     /* of one minute */
	WHEN_RUNNABLE, /* threads that run or could */
	WHEN_PSI,
};

struct when {
	char *text; /* as given */
	enum when_quantity quantity;
	uint32_t pid; /* 0: the target */
	char psi[8];  /* "cpu" */
	bool is_full; /* not some */
	bool is_less;
	bool is_equal; /* that too */
	double limit;
	uint64_t hold_ns; /* that it must hold */

	/* from look to look */
	bool has_before;
	double before;       /* of a rate: what was counted */
	double before_whole; /* out of that much */
	double value;        /* as last seen */
	bool has_value;
	uint64_t since_ns; /* it holds since then; 0: it does not */
	bool is_told;      /* since then */
};

/* Where to look. */
struct when_place {
	const char *proc; /* "/proc" */
	const uint32_t *target;
	size_t n_target;
};

/* Owner: caller, when_fini(). Errors: ERR_USAGE, with @ret empty. */
MUST_CHECK int when_parse(struct str text, struct when *ret, struct error *err);
void when_fini(struct when *w);
/*
 * Look for the first time. Errors: ERR_UNSUPPORTED, ERR_NOTFOUND: it can never be told
 * here whether it holds.
 */
MUST_CHECK int when_begin(struct when *w, const struct when_place *place, uint64_t now_ns,
			  struct error *err);
/*
 * Look again. True: it holds, and has for as long as it must; told once until it has
 * not held. What cannot be read (a process that has ended) does not hold.
 */
bool when_look(struct when *w, const struct when_place *place, uint64_t now_ns);
/* "cpu>90% for 2s (it is 97.5 %)" into @ret of @size bytes. */
void when_tell(const struct when *w, char *ret, size_t size);

#endif
