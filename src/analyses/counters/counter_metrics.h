/* SPDX-License-Identifier: MIT */
/*
 * counter_metrics.h - ratios of counters: instructions per cycle, faults per second
 *
 * Sums are over keys and intervals, of rows with one name: `cycles:u` and `cycles` are
 * never added up, and a ratio of two hardware events that were counted in different
 * modes is not made. Errors are those of repeated runs ("+-"); what multiplexing adds
 * cannot be known from a sum, so the least running time is given, too.
 */
#ifndef ANALYSES_COUNTER_METRICS_H
#define ANALYSES_COUNTER_METRICS_H

#include "core/ids.h"
#include "core/kinds/counter_roles.h"

struct capture;

/* All rows of one role. */
struct counter_sum {
	double value;   /* events, or seconds of a time */
	double rel;     /* standard error as part of the value; < 0: not known */
	double running; /* percent, least of the rows; < 0: unknown */
	str_id name;    /* as printed */
	uint32_t row;   /* the first */
	uint32_t n_rows;
};

/* False: the role was not counted. Cost: O(rows). */
bool counter_sum_of(const struct capture *c, enum counter_role role, struct counter_sum *ret);
/* Seconds of wall clock; of a series its last time. False: not known. */
bool counter_metrics_elapsed(const struct capture *c, struct counter_sum *ret);
/* CPU seconds: task-clock, or else user and system time. */
bool counter_metrics_cpu_seconds(const struct capture *c, struct counter_sum *ret);

enum counter_metric_how {
	METRIC_RATIO,   /* top / bottom * scale, of roles */
	METRIC_ALL,     /* mean of a column over intervals, of all CPUs together */
	METRIC_TOP,     /* the same of the key where it is highest */
	METRIC_OTHERS,  /* the same of all keys but that one */
	METRIC_PART,    /* sum of a column / sum of another of the same key, where it is highest */
	METRIC_SHARE,   /* mean of a column / its sum over all keys, where it is highest */
	METRIC_RUNNING, /* the least part of the time that an event had a hardware counter */
	METRIC_LAST,    /* a column in its last interval, where it is highest */
};

/* Definition of a metric: a row of the table in counter_metrics.c. */
struct counter_metric_def {
	const char *id;    /* "page-faults-per-second" */
	const char *title; /* "page faults a CPU second" */
	const char *unit;
	enum counter_metric_how how;
	enum counter_role top, bottom; /* bottom COUNTS_NONE: the value itself */
	double scale;
	const char *printed; /* str_glob of perf's text after the same ratio; NULL: none */
	const char *tool;    /* str_glob */
	const char *column;  /* str_glob: the first that is there */
	const char *keys;    /* str_glob: of these keys only; NULL: all */
	const char *per;     /* METRIC_PART: str_glob of the other column */
	double least; /* METRIC_PART: sum of the other column, at least; METRIC_SHARE: of all keys
		       */
	bool is_inverted; /* 100 % less it: busy of idle */
};

struct counter_metric {
	const struct counter_metric_def *def;
	double value;
	double low, high; /* 95 % from repeated runs; equal to value: not known */
	double running;   /* percent, the least of both; < 0: unknown */
	double peak;      /* of a series: its highest interval; else value */
	uint64_t n;       /* number of intervals in the mean; else 1 */
	str_id name;      /* of the numerator, as printed */
	str_id key;       /* where it is highest; STR_ID_NONE: of all */
	uint32_t line;
	str_id bottom;        /* the denominator; STR_ID_NONE: it has no row */
	uint32_t bottom_line; /* 0: it has none */
};

#define COUNTER_METRICS_MAX 96u

struct counter_metrics {
	struct counter_metric rows[COUNTER_METRICS_MAX];
	size_t n;
};

void counter_metrics_compute(const struct capture *c, struct counter_metrics *ret);
/* Whether the tool of @c could count one of the metrics @ids (str_glob) at all. */
bool counter_metrics_has(const struct capture *c, const char *ids);

#endif
