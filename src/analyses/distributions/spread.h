/* SPDX-License-Identifier: MIT */
/*
 * spread.h - what a distribution shows: percentiles, modes, tail and sum, with bounds
 *
 * A percentile is known as precisely as its bucket: it lies between low and high. A mode is a run
 * of buckets with a peak. Two peaks are two modes if the valley between them is deeper than
 * chance makes it.
 */
#ifndef ANALYSES_SPREAD_H
#define ANALYSES_SPREAD_H

#include "base/str.h"
#include "base/vec.h"

struct arena;
struct capture;
struct distribution_bucket;
struct distribution_series;

#define SPREAD_MODES 4u

struct spread_bounds {
	double low;
	double high; /* INFINITY: no upper bound */
};

struct spread_mode {
	uint32_t from, to; /* buckets from … to - 1 of the series */
	uint32_t peak;
	uint64_t count;
};

struct spread {
	const struct distribution_series *series;
	const struct distribution_bucket *buckets; /* the buckets of the series */
	struct spread_bounds p50, p90, p99, p999, max;
	struct spread_bounds sum; /* sum of all values; high may be INFINITY */
	/* percent of the sum that comes from values above p99 */
	struct spread_bounds tail_part;
	/* number of values in buckets above the bucket of p99 */
	uint64_t tail_count;
	struct spread_mode modes[SPREAD_MODES]; /* lowest values first */
	unsigned int n_modes;
};

/*
 * 10 years in ns: larger values are no durations. A negative duration, stored in an unsigned
 * number, is near 2^64.
 */
#define SPREAD_IMPOSSIBLE_NS 3.15e17

/* Whether @s, a series of times, has values above SPREAD_IMPOSSIBLE_NS: its tail is meaningless. */
bool spread_is_wrapped(const struct spread *s);

/* The quantity that a series measures, if names and titles tell. */
enum spread_subject {
	SPREAD_UNKNOWN,
	SPREAD_RUN_QUEUE,
	SPREAD_QUEUE, /* a queue in a program or the kernel, except queues of CPUs and disks */
	SPREAD_BLOCK_IO,
	SPREAD_FILE, /* operations of a file system */
	SPREAD_LOCK,
	SPREAD_REQUEST, /* requests of a load generator */
	SPREAD_FUNCTION,
	SPREAD_OFF_CPU,
	SPREAD_ON_CPU,
	SPREAD_INTERRUPT,
	SPREAD_SIZE, /* a size, not a time */
};

/* All series of a capture that have values. */
struct spreads {
	VEC(struct spread) rows;
};

/*
 * Compute all spreads of @c, which must outlive @s. Owner: caller, spreads_fini(). Cost:
 * O(buckets).
 */
void spreads_init(struct spreads *s, const struct capture *c);
void spreads_fini(struct spreads *s);
/* @series must have values. Cost: O(buckets). */
void spread_compute(const struct capture *c, size_t series, struct spread *ret);
/* Quantile @q: the bounds of the bucket that contains it. */
struct spread_bounds spread_quantile(const struct spread *s, double q);
enum spread_subject spread_subject_of(const struct capture *c, const struct distribution_series *s);
/*
 * Bounds as text: "64–128 µs", "> 16 ms", or one value if both bounds print the same. @unit:
 * unit of values that are no times. The text is in the arena.
 */
struct str spread_text(struct arena *a, struct spread_bounds b, bool is_time, struct str unit,
		       bool is_ascii);
/*
 * Line of the input with the first bucket whose low is at least @low; else the series' first
 * line.
 */
uint32_t spread_line(const struct spread *s, double low);
/* Whether the values of @s are nanoseconds. */
bool spread_is_time(const struct capture *c, const struct distribution_series *s);
/*
 * Is it, by its name, the time of a call that waits for work (epoll_wait, futex, sleep)? Then it is
 * long if there is nothing to do.
 */
bool spread_is_idle(const struct capture *c, const struct distribution_series *s);

#endif
