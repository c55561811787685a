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

/*
 * Key of a note of the capture. Its value is the disk whose attributes smartctl printed, or the
 * model of this disk: "/dev/sda".
 */
#define COUNTERS_NOTE_DEVICE "device"
/* Key of a note of the capture: the network interface of ethtool, from its command line: "eth0". */
#define COUNTERS_NOTE_INTERFACE "interface"
/* name of the fact with the size of all slab caches in KiB, which slabtop prints above its table */
#define COUNTERS_FACT_SLAB "KiB in all slab caches"
/*
 * Key of a note for each interval of a table in which all rows are threads of one process. Its
 * value has the sizes of the process, which the tool prints in each row: "VIRT 5353252 KiB, RES
 * 752728 KiB, SHR 19976 KiB".
 */
#define COUNTERS_NOTE_THREADS "threads of one process"
/* Key of a note with the number of this process, if the tool prints it: "4711". */
#define COUNTERS_NOTE_PROCESS "process"

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
	uint32_t interval; /* number of the interval in which the value was counted, from 0 */
	uint32_t line;
	uint32_t second; /* time of day of the row in seconds, plus 1; 0: not printed */
	uint32_t above;  /* line of the parent row, if the tool prints rows as a tree; 0: none */
	uint32_t task;   /* number of the process or thread of the row: PID, TID; 0: not printed */
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
	uint32_t runs;        /* values are means of this number of runs; 0: unknown */
	uint32_t n_intervals; /* number of intervals; 1 unless the tool prints a series */
	/* the tool itself printed `label`; false: `label` is from text above the tool's output */
	bool is_titled;
	bool is_attached;   /* counted in a process that was already running: perf stat -p, -t */
	bool is_since_boot; /* interval 0 is the mean since boot, which vmstat prints first */
	/*
	 * the author of the text put the rows of two measurements below one line of titles; this
	 * table has the rows of one of the two
	 */
	bool is_paired;
	bool is_difference; /* values are the differences to an earlier reading of the same file */
	/* the file with the values, as named by a command above them; STR_ID_NONE: none */
	str_id source;
	/* the only interval is the mean since boot: no row shows current values */
	bool is_only_since_boot;
	/*
	 * all rows are threads: top -H, ps -L. pidstat -t prints processes, too, and marks threads
	 * in their names: counter_task_name()
	 */
	bool is_threads;
	bool is_one_process; /* is_threads, and all threads belong to one process */

	uint64_t roles; /* roles of the rows, a set of 1 << enum counter_role */

	/* cache of counter_role_of(), private to counters.c */
	struct counter_role_known known[COUNTERS_KNOWN];
};

void counters_init(struct counters *c);
void counters_fini(struct counters *c);

/*
 * Append @row. Its role is set from its name, a string of @strings. Errors: ERR_LIMIT past
 * LIMIT_ROWS.
 */
MUST_CHECK int counters_add(struct counters *c, const struct strings *strings, struct counter row);
/*
 * The name of a task in the key @key. pidstat -t prints a thread as "|__name", after its process;
 * *@ret_is_thread is then true. Source: sysstat, pidstat.c.
 */
struct str counter_task_name(struct str key, bool *ret_is_thread);
/*
 * The command of a task in the key @key. If several tasks have the same command, readers add the
 * number of the task to it: "worker (4711)".
 */
struct str counter_task_command(struct str key);
/*
 * The first counter with the name @name, if the tool of @c is @tool; otherwise NULL. @c may be
 * NULL. Cost: O(rows).
 */
const struct counter *counters_find(const struct counters *c, const struct strings *strings,
				    struct str tool, struct str name);
/*
 * The value of the counter @name that is in the same printed row as the counter @of of @c. Counters
 * of one row have the same key, interval and line, and are next to each other. -1: the row does not
 * print it. Cost: O(columns).
 */
double counters_in_row(const struct counters *c, const struct strings *strings,
		       const struct counter *of, struct str name);

/* A counter, and the rank for which it was chosen. */
struct counter_pick {
	const struct counter *row;
	double rank;
};

/*
 * Insert @row into @best, which has the @n counters with the highest ranks so far, the highest
 * first. It keeps at most @most. Among equal ranks, the earlier counter is first. Returns the new
 * number. Cost: O(@most).
 */
size_t counters_pick(struct counter_pick *best, size_t n, size_t most, const struct counter *row,
		     double rank);
/* The value of @c in its printed unit; NaN if it was not counted. */
double counter_value(const struct counter *c);

#endif
