/* SPDX-License-Identifier: MIT */
/*
 * counters.h - numbers that a tool counted: one value per name, key and interval
 *
 * A row is one line of `perf stat` or one cell of `mpstat`. Values stay as printed, as an integer
 * and a number of decimals: "12.50" is 1250 with 2 decimals. A field that the tool does not print
 * has an impossible value (STR_ID_NONE or a negative number), never a guess. Rows of the same
 * interval were counted over the same time.
 */
#ifndef CORE_COUNTERS_H
#define CORE_COUNTERS_H

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct strings;

enum counter_state {
	COUNTER_COUNTED,
	COUNTER_NOT_COUNTED,   /* the event never got a hardware counter */
	COUNTER_NOT_SUPPORTED, /* this machine has no such event */
};

/* Key of a note of the capture: the disk whose attributes smartctl printed, "/dev/sda". */
#define COUNTERS_NOTE_DEVICE "device"

struct counter {
	str_id name; /* name as printed: "cycles:u", "%steal" */
	str_id unit; /* unit as printed: "msec"; STR_ID_NONE: a plain count */
	/* counted object: "CPU3", "S0-D0", "sda"; STR_ID_NONE: the whole system or command */
	str_id key;
	str_id comment; /* comment printed after the value: "1.25 insn per cycle" */
	int64_t value;  /* value in units of 10^-decimals */
	/* standard error of the mean over runs, in percent of the mean; < 0: unknown */
	double spread;
	/* share of time in which the event had a hardware counter, in percent; < 0: unknown */
	double running;
	uint64_t time_ns;  /* end of the counter's interval; 0: it was counted over the whole run */
	uint32_t interval; /* number of the interval, from 0 */
	uint32_t line;
	uint32_t second; /* time of day of the row, in seconds and from 1; 0: not printed */
	uint32_t above;  /* line of the parent row, if the tool prints rows as a tree; 0: none */
	uint8_t decimals;
	uint8_t state; /* enum counter_state */
	uint8_t role;  /* enum counter_role; set by counters_add() */
};

#define COUNTERS_KNOWN 64u /* size of the cache of roles, counters.known */

struct counter_role_known {
	str_id name;
	uint8_t role;
};

struct counters {
	VEC(struct counter) rows;
	str_id tool; /* name of the tool: "perf stat", "vmstat" */
	/* name of the measurement, such as "before"; STR_ID_NONE: none */
	str_id label;
	uint32_t runs;        /* number of runs that the values are means of; 0: unknown */
	uint32_t n_intervals; /* number of intervals; 1 unless the tool prints a series */
	/* the tool itself printed `label`; false: `label` is from text above the tool's output */
	bool is_titled;
	bool is_attached;   /* counted in a process that was already running: perf stat -p, -t */
	bool is_since_boot; /* interval 0 is the mean since boot, which vmstat prints first */
	/* its rows and those of another measurement stood below one line of titles, put there by
	 * hand */
	bool is_paired;
	bool is_difference; /* values are the differences to an earlier reading of the same file */
	/* the file with the values, as a command above them names it; STR_ID_NONE: none */
	str_id source;
	/* interval 0 is the mean since boot and the only interval: no row shows current values */
	bool is_only_since_boot;

	uint64_t roles; /* roles of the rows, a set of 1 << enum counter_role */

	/* cache of counter_role_of(), private to counters.c */
	struct counter_role_known known[COUNTERS_KNOWN];
};

void counters_init(struct counters *c);
void counters_fini(struct counters *c);

/*
 * Append @row and set its role from its name, which is in @strings. Errors: ERR_LIMIT past
 * LIMIT_ROWS.
 */
MUST_CHECK int counters_add(struct counters *c, const struct strings *strings, struct counter row);
/*
 * The name of a task in the key @key. pidstat -t prints a thread as "|__name", below its process;
 * then *@ret_is_thread is true. Source: sysstat, pidstat.c.
 */
struct str counter_task_name(struct str key, bool *ret_is_thread);
/*
 * The command in the key @key of a task. Readers add the number of a task to its command if another
 * task has the same command: "worker (4711)".
 */
struct str counter_task_command(struct str key);
/*
 * The first counter with the name @name, if @c is of the tool @tool; NULL: none. @c may be NULL.
 * Cost: O(rows).
 */
const struct counter *counters_find(const struct counters *c, const struct strings *strings,
				    struct str tool, struct str name);
/*
 * The value of the counter @name in the printed row of @of, a counter in @c: of its key, interval
 * and line. The counters of a row are next to each other. -1: not printed. Cost: O(columns).
 */
double counters_in_row(const struct counters *c, const struct strings *strings,
		       const struct counter *of, struct str name);

/* A counter chosen for its rank, and that rank. */
struct counter_pick {
	const struct counter *row;
	double rank;
};

/*
 * Insert @row into the @n counters @best with the highest ranks, the highest first and at most
 * @most. Of equal ranks the earlier stays first. Returns the new number. Cost: O(@most).
 */
size_t counters_pick(struct counter_pick *best, size_t n, size_t most, const struct counter *row,
		     double rank);
/* The value in its printed unit; NaN if it was not counted. */
double counter_value(const struct counter *c);

#endif
