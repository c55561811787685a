/* SPDX-License-Identifier: MIT */
/*
 * distribution.h - how often a value fell into which range
 *
 * Buckets of one series are consecutive, lowest first, without overlap. A value v is in
 * a bucket where low <= v < high. Values of time are nanoseconds, others in the unit of
 * the text. Where a tool printed percentiles, the stretch between two of them is a
 * bucket; without a number of values the counts are parts per million (is_relative).
 *
 * Owner: the capture. Memory: 32 bytes a bucket.
 */
#ifndef CORE_DISTRIBUTION_H
#define CORE_DISTRIBUTION_H

#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"

struct distribution_bucket {
	double low;
	double high; /* INFINITY: open */
	uint64_t count;
	uint32_t line;
};

struct distribution_series {
	str_id key;  /* "xfs_file_open", "disk = sda"; STR_ID_NONE: the only one */
	str_id name; /* of the measured value: "@lat", "usecs"; STR_ID_NONE: none */
	str_id unit; /* "ns", "bytes"; STR_ID_NONE: unknown */
	uint32_t first_bucket;
	uint32_t n_buckets;
	uint64_t count;      /* of all buckets */
	double stated_sum;   /* in the unit, as the tool prints it; 0: not printed */
	uint32_t line;       /* of its first bucket */
	bool is_relative;    /* counts are parts per million */
	bool is_percentiles; /* buckets are stretches between printed percentiles */
};

struct distribution {
	VEC(struct distribution_bucket) buckets;
	VEC(struct distribution_series) series;
	/* wall clock from the start of the first value to the end of the last; 0: unknown */
	double span_ns;
};

void distribution_init(struct distribution *d);
void distribution_fini(struct distribution *d);
/* Begin a series, which takes the buckets that follow. Borrowed until the next one. */
struct distribution_series *distribution_begin(struct distribution *d, str_id key, str_id unit,
					       uint32_t line);
/*
 * Append a bucket to the last series. Errors: ERR_FORMAT if it begins below the
 * end of the previous bucket, or ends below its own start; ERR_LIMIT past LIMIT_ROWS.
 */
MUST_CHECK int distribution_add(struct distribution *d, double low, double high, uint64_t count,
				uint32_t line);

#endif
