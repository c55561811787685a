/* SPDX-License-Identifier: MIT */
/*
 * counter_metrics.h - ratios of counters: instructions per cycle, faults per second
 *
 * A count is the sum of all rows with the same name, over all keys (CPUs, devices) and intervals.
 * `cycles:u` and `cycles` have different names, so they are never added. The ratio of two hardware
 * events is computed only if both were counted at the same privilege levels. The clock frequency is
 * not computed from `cycles:u`, because CPU time includes the kernel. Errors come from repeated
 * runs ("+-"). The error of multiplexing is unknown. Instead, `running` shows for what percentage
 * of the time the events of a metric had a hardware counter.
 */
#ifndef ANALYSES_COUNTER_METRICS_H
#define ANALYSES_COUNTER_METRICS_H

#include "core/ids.h"
#include "core/kinds/counter_roles.h"

struct capture;
struct counter;

/* The sum of all rows with the same role, such as COUNTS_CYCLES. */
struct counter_sum {
	double value; /* number of events; for times, seconds */
	double rel;   /* standard error divided by `value`; < 0: unknown */
	/*
	 * percentage of the time in which the event had a hardware counter: the smallest value of
	 * the summed rows; < 0: unknown
	 */
	double running;
	str_id name;  /* name of the event as printed */
	uint32_t row; /* index in counters.rows of the first summed row */
	uint32_t n_rows;
	/* the value is 0 because perf could not see the event: counter_metrics_is_unseen() */
	bool is_unseen;
};

/*
 * Whether @row shows 0 because perf could not see the event: context switches and migrations happen
 * in the kernel, which "context-switches:u" excludes (kernel/events/core.c, perf_exclude_event()).
 */
bool counter_metrics_is_unseen(const struct capture *c, const struct counter *row);

/* Sum the rows with @role. False: no event with this role was counted. Cost: O(rows). */
bool counter_sum_of(const struct capture *c, enum counter_role role, struct counter_sum *ret);
/* Elapsed wall time in seconds; of a series, the end of its last interval. False: unknown. */
bool counter_metrics_elapsed(const struct capture *c, struct counter_sum *ret);
/*
 * Factor that converts the printed unit of @row to seconds, if the role of @row is a time of perf
 * stat; else 0.
 */
double counter_metrics_seconds(const struct capture *c, const struct counter *row);
/* CPU time in seconds: task-clock, else the sum of user and system time. */
bool counter_metrics_cpu_seconds(const struct capture *c, struct counter_sum *ret);

enum counter_metric_how {
	METRIC_RATIO, /* count of role `top` / count of role `bottom` * scale */
	METRIC_ALL,   /* mean of `column` over all intervals and keys (CPUs, devices, processes) */
	/*
	 * mean of `column` over all intervals, for the key (CPU, device or process) with the
	 * highest mean
	 */
	METRIC_TOP,
	/*
	 * mean of `column` over all keys (CPUs, devices or processes) except the one with the
	 * lowest mean
	 */
	METRIC_OTHERS,
	/*
	 * sum of `column`, divided by sum of column `per`, times scale; for the key with the
	 * highest result
	 */
	METRIC_PART,
	/*
	 * in the last interval: share of the key (CPU, device or process) with the highest value of
	 * `column`, in percent of the sum of `column` over all keys
	 */
	METRIC_SHARE,
	/* smallest percentage of the time in which an event had a hardware counter */
	METRIC_RUNNING,
	/*
	 * value of `column` in the last interval, for the key (CPU, device or process) with the
	 * highest value
	 */
	METRIC_LAST,
};

enum counter_metric_tasks {
	METRIC_TASKS_ANY,
	METRIC_TASKS_WHOLE, /* only in a table without threads, because a process is their sum */
	METRIC_TASKS_THREADS,
};

/* Definition of a metric: a row of the table in counter_metrics.c. */
struct counter_metric_def {
	const char *id;    /* name of the metric in rules and JSON: "faults-per-second" */
	const char *title; /* noun for users: "page faults per second of CPU time" */
	const char *unit;
	enum counter_metric_how how;
	/*
	 * the metric is a ratio: count of `top` / count of `bottom`. If `bottom` is COUNTS_NONE,
	 * the metric is the count of `top`
	 */
	enum counter_role top, bottom;
	double scale;
	/*
	 * assumed cost of one event in cycles, and its range on CPUs of the last fifteen years (A.
	 * Fog's tables; Intel's optimization manual). The ratio is multiplied by the cost. 0: no
	 * cost is assumed
	 */
	double cost, cost_low, cost_high;
	/*
	 * pattern (str_glob) for the text with which perf prints this ratio itself; NULL: perf does
	 * not print it
	 */
	const char *printed;
	const char *tool;   /* pattern for the tools that have the column */
	const char *column; /* pattern for the column's name; the first match is used */
	/* pattern for the keys (CPUs, devices, processes) to use; NULL: all keys */
	const char *keys;
	const char *numbered; /* what a key counts that is a number: "GPU"; NULL: CPUs */
	/* for tools that print processes and threads: the tasks for which the metric is computed */
	enum counter_metric_tasks tasks;
	const char *per; /* METRIC_PART: pattern for the column to divide by */
	/*
	 * minimum sum for which the metric is computed. METRIC_PART: sum of column `per` (and of
	 * `column`, if is_of_both); METRIC_SHARE: sum of `column` over all keys
	 */
	double least;
	/*
	 * METRIC_PART: `per` counts cases, such as scheduling periods, and `column` counts some of
	 * them, such as throttled periods. The metric is then computed even if `per` is below
	 * `least`; its interval comes from the number of cases
	 */
	bool is_part_of_cases;
	/*
	 * METRIC_PART: `per` does not include the cases that `column` counts, so divide by the sum
	 * of both. For example, the kernel counts a packet either as dropped or as processed
	 */
	bool is_of_both;
	/*
	 * pattern for other columns of the same line, which are added to `column`; NULL: none. For
	 * example, the time in which a CPU waits for I/O is added to its idle time
	 */
	const char *also;
	/*
	 * the column is a share of a whole: rows well below 0 or above 100 % are damaged and left
	 * out
	 */
	bool is_share;
	/* the denominator includes the numerator: a ratio well above 100 % is discarded */
	bool is_part;
	bool is_inverted; /* use 100 % minus the column: the busy share from %idle */
	/*
	 * the column shows the current state. So it is valid even in the first report of vmstat, in
	 * which other columns are means since boot
	 */
	bool is_now;
};

struct counter_metric {
	const struct counter_metric_def *def;
	double value;
	/*
	 * 95 % interval of `value`, from repeated runs or from the number of cases. If the interval
	 * is unknown, low and high equal `value`. With an assumed cost, the interval also includes
	 * the range of the cost
	 */
	double low, high;
	/* is_part_of_cases: number of cases, if less than def->least; 0: there are enough cases */
	double few;
	/*
	 * smallest percentage of the time in which an event of the ratio had a hardware counter;
	 * < 0: unknown
	 */
	double running;
	/* of a series of intervals: the highest value of one interval; else `value` */
	double peak;
	uint32_t peak_line; /* line of the interval with the value `peak`; 0: unknown */
	/*
	 * METRIC_TOP: number of keys (CPUs, devices or processes) whose mean is at least 9/10 of
	 * the highest mean; else 0
	 */
	uint32_t n_near;
	/*
	 * of a ratio over a series of intervals: largest fraction (0 to 1) of the numerator that
	 * was counted in one interval; 0: fewer than three intervals
	 */
	double burst;
	uint64_t n;  /* number of intervals over which the mean is taken; 1 if there is no series */
	str_id name; /* name of the numerator as printed */
	/*
	 * the CPU, device or process with the highest value; STR_ID_NONE: the value combines all of
	 * them
	 */
	str_id key;
	uint32_t line;
	str_id bottom;        /* name of the denominator; STR_ID_NONE: it has no row of its own */
	uint32_t bottom_line; /* line of the denominator in the input; 0: none */
};

#define COUNTER_METRICS_MAX    128u
#define COUNTER_IMPOSSIBLE_MAX 16u

/*
 * Value of a metric whose rows were all left out because they are impossible, such as 3378 % of CPU
 * time.
 */
struct counter_impossible {
	const struct counter_metric_def *def;
	double value; /* value in the first row that was left out */
	uint32_t line;
};

struct counter_metrics {
	struct counter_impossible impossible[COUNTER_IMPOSSIBLE_MAX];
	size_t n_impossible;
	struct counter_metric rows[COUNTER_METRICS_MAX];
	size_t n;
};

/* Is @m a number of things at one moment, such as tasks or messages, and not a mean? */
bool counter_metric_is_whole(const struct counter_metric *m);
void counter_metrics_compute(const struct capture *c, struct counter_metrics *ret);
/* The first metric whose id matches @ids (str_glob), such as "cpu-busy"; NULL: none. */
const struct counter_metric *counter_metrics_find(const struct counter_metrics *m, const char *ids);
/*
 * The first metric that matches @ids (str_glob) and that the tool which printed @c can report;
 * NULL: none.
 */
const struct counter_metric_def *counter_metrics_def(const struct capture *c, const char *ids);

#endif
