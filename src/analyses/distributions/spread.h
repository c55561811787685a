/* SPDX-License-Identifier: MIT */
/*
 * spread.h - percentiles, modes, tail and sum of a distribution, with bounds
 *
 * Only the bucket of a percentile is known, so its bounds are the bucket's low and high. A mode is
 * a sequence of buckets with a peak. Two peaks are two modes if the valley between them is deeper
 * than chance explains.
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
	/* the mode has buckets[from] to buckets[to - 1] of the series */
	uint32_t from, to;
	uint32_t peak;
	uint64_t count;
};

struct spread {
	const struct distribution_series *series;
	const struct distribution_bucket *buckets; /* the buckets of `series` */
	struct spread_bounds p50, p90, p99, p999, max;
	/*
	 * bounds of the sum of all values; high is INFINITY if the last bucket has no upper limit
	 */
	struct spread_bounds sum;
	/* percentage of the sum of all values that comes from the values above p99 */
	struct spread_bounds tail_part;
	/* number of values in the buckets above the bucket of p99 */
	uint64_t tail_count;
	struct spread_mode modes[SPREAD_MODES]; /* lowest values first */
	unsigned int n_modes;
};

/*
 * 10 years in ns. A larger value is no real duration: it was negative, was stored in an unsigned
 * number, and so is near 2^64.
 */
#define SPREAD_IMPOSSIBLE_NS 3.15e17

/*
 * Whether @s is a series of times with values above SPREAD_IMPOSSIBLE_NS. Its tail is then
 * meaningless.
 */
bool spread_is_wrapped(const struct spread *s);

/* The quantity that a series measures, found from names and titles. */
enum spread_subject {
	SPREAD_UNKNOWN,
	SPREAD_RUN_QUEUE,
	SPREAD_QUEUE, /* a queue in a program or the kernel, but not of a CPU or a disk */
	SPREAD_BLOCK_IO,
	SPREAD_FILE, /* operations of a file system */
	SPREAD_SYNC, /* calls that wait until data is on storage: fsync, syncfs */
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
/*
 * Compute the spread of series number @series of @c. The series must have values. Cost: O(buckets).
 */
void spread_compute(const struct capture *c, size_t series, struct spread *ret);
/* Bounds of the quantile @q, such as 0.99: those of its bucket. */
struct spread_bounds spread_quantile(const struct spread *s, double q);
enum spread_subject spread_subject_of(const struct capture *c, const struct distribution_series *s);
/*
 * Write bounds as text: "64–128 µs", "> 16 ms", or a single value if both bounds are the same text.
 * @unit: unit of the values if they are no times. The text is in the arena @a.
 */
struct str spread_text(struct arena *a, struct spread_bounds b, bool is_time, struct str unit,
		       bool is_ascii);
/*
 * Line of the input with the first bucket whose low bound is at least @low. Without such a bucket,
 * the first line of the series.
 */
uint32_t spread_line(const struct spread *s, double low);
/* Whether the values of @s are nanoseconds. */
bool spread_is_time(const struct capture *c, const struct distribution_series *s);
/*
 * Whether the name of @s is that of a call that waits for work (epoll_wait, futex, sleep). Such a
 * call takes long if there is nothing to do.
 */
bool spread_is_idle(const struct capture *c, const struct distribution_series *s);
/*
 * Whether @s measures reads of any descriptor (vfs_read). Reads of pipes, sockets and terminals
 * wait for input.
 */
bool spread_may_wait_for_input(const struct capture *c, const struct distribution_series *s);

#endif
