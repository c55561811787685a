/* SPDX-License-Identifier: MIT */
/*
 * counters.h - numbers that a tool counted: one value a name, key and interval
 *
 * A row is one line of `perf stat` or one cell of `mpstat`. Values stay as printed: an
 * integer of 10^-decimals in the printed unit. A field that is not printed has a value
 * that no tool prints (STR_ID_NONE, below 0), never a guess. Rows that share
 * an interval were counted over the same time.
 */
#ifndef CORE_COUNTERS_H
#define CORE_COUNTERS_H

#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"

struct strings;

enum counter_state {
	COUNTER_COUNTED,
	COUNTER_NOT_COUNTED,   /* the event never got a hardware counter */
	COUNTER_NOT_SUPPORTED, /* this machine has no such event */
};

struct counter {
	str_id name;       /* as printed: "cycles:u", "%steal" */
	str_id unit;       /* as printed: "msec"; STR_ID_NONE: a number of things */
	str_id key;        /* whose: "CPU3", "S0-D0", "sda"; STR_ID_NONE: of all together */
	str_id comment;    /* as printed after it: "1.25 insn per cycle" */
	int64_t value;     /* of 10^-decimals */
	double spread;     /* standard error of the mean over runs, percent of it; < 0: unknown */
	double running;    /* percent of the time that it had a hardware counter; < 0: unknown */
	uint64_t time_ns;  /* end of its interval; 0: the whole run */
	uint32_t interval; /* number of its interval, from 0 */
	uint32_t line;
	uint8_t decimals;
	uint8_t state; /* enum counter_state */
	uint8_t role;  /* enum counter_role; set by counters_add() */
};

#define COUNTERS_KNOWN 64u /* names whose roles are remembered */

struct counter_role_known {
	str_id name;
	uint8_t role;
};

struct counters {
	VEC(struct counter) rows;
	str_id tool;          /* "perf stat", "vmstat" */
	str_id label;         /* name of the measurement in the text: "before"; STR_ID_NONE: none */
	uint32_t runs;        /* that the values are means of; 0: unknown */
	uint32_t n_intervals; /* 1 where there is no series */
	bool is_titled;       /* the label is a title of the measurement, not text above it */
	bool is_since_boot;   /* interval 0 is the mean since boot, as vmstat prints it first */

	struct counter_role_known known[COUNTERS_KNOWN]; /* private */
};

void counters_init(struct counters *c);
void counters_fini(struct counters *c);

/*
 * Append @row, its role set from its name in @strings.
 * Errors: ERR_LIMIT past LIMIT_ROWS.
 */
MUST_CHECK int counters_add(struct counters *c, const struct strings *strings, struct counter row);
/* The value in its printed unit; NaN where it was not counted. */
double counter_value(const struct counter *c);

#endif
