/* SPDX-License-Identifier: MIT */
/*
 * distribution.h - how often a value fell into each range
 *
 * Buckets of one series are consecutive, lowest first, without overlap. A value v is in a bucket
 * where low <= v < high. Times are in nanoseconds; other values have the unit that the text prints.
 *
 * If a tool prints percentiles, each range between two adjacent percentiles is a bucket. If the
 * tool does not print the number of values, counts are parts per million (is_relative).
 *
 * Owner: the capture. Memory: 32 bytes a bucket.
 */
#ifndef CORE_DISTRIBUTION_H
#define CORE_DISTRIBUTION_H

#include "base/status.h"
#include "base/vec.h"
#include "core/ids.h"

/*
 * Key of a note of the capture: the CPU time of the measuring job, in percent of its elapsed time,
 * as "usr=3.88%, sys=96.02%".
 */
#define DISTRIBUTION_NOTE_CPU "cpu of the job"
/*
 * Key of a note of the capture: the share of the requests at each number of requests in flight, as
 * "1=0.1%, 2=0.1%, 4=0.1%, 8=0.1%, 16=0.1%, 32=0.1%, >=64=100.0%".
 */
#define DISTRIBUTION_NOTE_DEPTH "requests in flight"

struct distribution_bucket {
	double low;
	double high; /* INFINITY: the last bucket has no upper bound */
	uint64_t count;
	uint32_t line;
};

struct distribution_series {
	/* key of the series: "xfs_file_open", "disk = sda"; STR_ID_NONE: the only series */
	str_id key;
	str_id name; /* name of the measured value: "@lat", "usecs"; STR_ID_NONE: none */
	str_id unit; /* unit of low and high: "ns", "bytes"; STR_ID_NONE: unknown */
	uint32_t first_bucket;
	uint32_t n_buckets;
	uint64_t count;    /* sum of the counts of its buckets */
	double stated_sum; /* sum of all values, as the tool prints it; 0: not printed */
	double stated_max; /* largest value, as the tool prints it; 0: not printed */
	/*
	 * mean number of requests in flight: the printed rate times the printed mean latency
	 * (Little's law); 0: rate or latency is not printed
	 */
	double in_flight;
	/*
	 * mean latency, including submission, from which `in_flight` was computed; 0: not printed
	 */
	double mean;
	/* heading above the series that names its side: "before (kernel 6.1)" */
	str_id label;
	/*
	 * line of the original input with the first bucket of the series; for a log, the line with
	 * the longest value
	 */
	uint32_t line;
	uint8_t side;        /* enum side, from `label` */
	bool is_relative;    /* counts are parts per million */
	bool is_percentiles; /* buckets are the ranges between printed percentiles */
};

struct distribution {
	VEC(struct distribution_bucket) buckets;
	VEC(struct distribution_series) series;
	/*
	 * wall-clock time from the start of the first measured operation to the end of the last; 0:
	 * unknown
	 */
	double span_ns;
	/*
	 * in a log: time from the start of the first pause to the start of the last, and the sum of
	 * the pauses in this time; 0: unknown
	 */
	double between_ns, between_sum_ns;
};

void distribution_init(struct distribution *d);
void distribution_fini(struct distribution *d);
/* Begin a series; the next buckets belong to it. Borrowed until the next series begins. */
struct distribution_series *distribution_begin(struct distribution *d, str_id key, str_id unit,
					       uint32_t line);
/*
 * Append a bucket to the last series. Errors: ERR_FORMAT if @low is less than the end of the
 * previous bucket, or @high less than @low; ERR_LIMIT past LIMIT_ROWS.
 */
MUST_CHECK int distribution_add(struct distribution *d, double low, double high, uint64_t count,
				uint32_t line);

#endif
