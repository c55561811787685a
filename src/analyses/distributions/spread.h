/* SPDX-License-Identifier: MIT */
/*
 * spread.h - what a distribution says: percentiles, modes, tail, sum, with their bounds
 *
 * A percentile is known as precisely as its bucket: between low and high. A mode is a
 * run of buckets with a peak; two peaks are two modes where the valley between them is
 * deeper than chance makes it.
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
	double high; /* INFINITY: open */
};

struct spread_mode {
	uint32_t from, to; /* buckets of the series, [from, to) */
	uint32_t peak;
	uint64_t count;
};

struct spread {
	const struct distribution_series *series;
	const struct distribution_bucket *buckets; /* of the series */
	struct spread_bounds p50, p90, p99, p999, max;
	struct spread_bounds sum;               /* of all values; high may be INFINITY */
	struct spread_bounds tail_part;         /* percent of the sum that values above p99 have */
	uint64_t tail_count;                    /* values in buckets above that of p99 */
	struct spread_mode modes[SPREAD_MODES]; /* lowest first */
	unsigned int n_modes;
};

/*
 * Values above this are no durations: 10 years in ns. A time before zero in an unsigned number is
 * near 2^64.
 */
#define SPREAD_IMPOSSIBLE_NS 3.15e17

/* Has the series of @s, which has times, such values? Its tail is then meaningless. */
bool spread_is_wrapped(const struct spread *s);

/* The measured quantity, if names and titles contain it. */
enum spread_subject {
	SPREAD_UNKNOWN,
	SPREAD_RUN_QUEUE,
	SPREAD_QUEUE, /* of a program or the kernel, not of CPUs or a disk */
	SPREAD_BLOCK_IO,
	SPREAD_FILE, /* operations of a file system */
	SPREAD_LOCK,
	SPREAD_REQUEST, /* of a load generator */
	SPREAD_FUNCTION,
	SPREAD_OFF_CPU,
	SPREAD_ON_CPU,
	SPREAD_INTERRUPT,
	SPREAD_SIZE, /* no time */
};

/* All series of a capture that have values. */
struct spreads {
	VEC(struct spread) rows;
};

/* Owner: caller, spreads_fini(). Borrows from @c. Cost: O(buckets). */
void spreads_init(struct spreads *s, const struct capture *c);
void spreads_fini(struct spreads *s);
/* Cost: O(buckets). @series must have values. */
void spread_compute(const struct capture *c, size_t series, struct spread *ret);
/* Quantile @q: the bounds of the bucket that contains it. */
struct spread_bounds spread_quantile(const struct spread *s, double q);
enum spread_subject spread_subject_of(const struct capture *c, const struct distribution_series *s);
/*
 * Bounds for people: "64–128 µs", "> 16 ms"; one value where both print the same. @unit is
 * that of values that are no times. The text lives in the arena.
 */
struct str spread_text(struct arena *a, struct spread_bounds b, bool is_time, struct str unit,
		       bool is_ascii);
/* Line of the input with the bucket at @low; else the first line of the series. */
uint32_t spread_line(const struct spread *s, double low);
/* Whether its values are nanoseconds. */
bool spread_is_time(const struct capture *c, const struct distribution_series *s);

#endif
