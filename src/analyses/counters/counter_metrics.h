/* SPDX-License-Identifier: MIT */
/*
 * counter_metrics.h - ratios of counters: instructions per cycle, faults per second
 *
 * A sum adds the rows with the same name, over all keys and intervals: `cycles:u` and `cycles` are
 * never added. A ratio of two hardware events that were counted in different modes is not computed.
 * Errors come from repeated runs ("+-"). Errors by multiplexing are unknown, so each metric has the
 * smallest running time of its events (`running`).
 */
#ifndef ANALYSES_COUNTER_METRICS_H
#define ANALYSES_COUNTER_METRICS_H

#include "core/ids.h"
#include "core/kinds/counter_roles.h"

struct capture;

/* Sum over all rows with the same role. */
struct counter_sum {
	double value; /* number of events; for times, seconds */
	double rel;   /* standard error relative to value; < 0: unknown */
	/* smallest part of the time in which a row's event was counted, in percent; < 0: unknown */
	double running;
	str_id name;  /* name of the event as printed */
	uint32_t row; /* index of the first row */
	uint32_t n_rows;
};

/* Sum the rows with @role. False: the role was not counted. Cost: O(rows). */
bool counter_sum_of(const struct capture *c, enum counter_role role, struct counter_sum *ret);
/* Elapsed wall time in seconds; of a series, the end of its last interval. False: unknown. */
bool counter_metrics_elapsed(const struct capture *c, struct counter_sum *ret);
/* CPU time in seconds: task-clock, else the sum of user and system time. */
bool counter_metrics_cpu_seconds(const struct capture *c, struct counter_sum *ret);

enum counter_metric_how {
	METRIC_RATIO,  /* count of role `top` / count of role `bottom` * scale */
	METRIC_ALL,    /* mean of `column` over all intervals, over all keys */
	METRIC_TOP,    /* mean of `column` over all intervals, of the key with the highest mean */
	METRIC_OTHERS, /* mean of `column` over all keys except that with the lowest mean */
	/* sum of `column` / sum of column `per` * scale, of the key with the highest ratio */
	METRIC_PART,
	/*
	 * `column` of the key with the highest value, in percent of the sum over all keys, in the
	 * last interval
	 */
	METRIC_SHARE,
	/* smallest part of the time in which an event had a hardware counter, in percent */
	METRIC_RUNNING,
	/* value of `column` in the last interval, of the key with the highest value */
	METRIC_LAST,
};

/* Definition of a metric: a row of the table in counter_metrics.c. */
struct counter_metric_def {
	const char *id;    /* "faults-per-second" */
	const char *title; /* "page faults a CPU second" */
	const char *unit;
	enum counter_metric_how how;
	/* bottom COUNTS_NONE: the metric is the value of `top` itself */
	enum counter_role top, bottom;
	double scale;
	/* pattern (str_glob) for perf's own text for this ratio; NULL: perf prints no such ratio */
	const char *printed;
	const char *tool;   /* pattern for the tools that have the column */
	const char *column; /* pattern for the column's name; the first match is used */
	const char *keys;   /* pattern for the keys to use; NULL: all keys */
	const char *per;    /* METRIC_PART: pattern for the column to divide by */
	/* METRIC_PART: minimum sum of column `per`; METRIC_SHARE: minimum sum over all keys */
	double least;
	/*
	 * pattern for a column of the same line, whose value is added to that of `column`; NULL:
	 * none. For example, the time in which a CPU waits for I/O is idle time
	 */
	const char *also;
	bool is_inverted; /* use 100 % minus the column: the busy share from %idle */
	bool is_now;      /* the column describes the present moment, even in a report since boot */
};

struct counter_metric {
	const struct counter_metric_def *def;
	double value;
	double low, high; /* 95 % interval from repeated runs; equal to value: unknown */
	/*
	 * smallest part of the time in which an event of the ratio was counted, in percent; < 0:
	 * unknown
	 */
	double running;
	double peak;        /* of a series: value of the highest interval; else value */
	uint32_t peak_line; /* line of the highest interval; 0: unknown */
	/* METRIC_TOP: number of keys with at least 9/10 of the highest mean; else 0 */
	uint32_t n_near;
	/*
	 * of a ratio over a series: part of the numerator that its highest interval has; 0: no
	 * series
	 */
	double burst;
	uint64_t n;  /* number of intervals in the mean; 1 if there is no series */
	str_id name; /* name of the numerator as printed */
	str_id key;  /* key with the highest value; STR_ID_NONE: the value is of all keys */
	uint32_t line;
	str_id bottom;        /* name of the denominator; STR_ID_NONE: it has no row of its own */
	uint32_t bottom_line; /* line of the denominator in the input; 0: none */
};

#define COUNTER_METRICS_MAX 128u

struct counter_metrics {
	struct counter_metric rows[COUNTER_METRICS_MAX];
	size_t n;
};

void counter_metrics_compute(const struct capture *c, struct counter_metrics *ret);
/* Whether the tool that printed @c can report one of the metrics that match @ids (str_glob). */
bool counter_metrics_has(const struct capture *c, const char *ids);

#endif
