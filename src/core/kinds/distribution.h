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
 * Key of a note of the capture. Its value is the CPU time of the measuring job, in percent of the
 * job's elapsed time: "usr=3.88%, sys=96.02%".
 */
#define DISTRIBUTION_NOTE_CPU "cpu of the job"
/*
 * Key of a note of the capture. Its value is, for each number of requests in flight, the share of
 * requests that were issued while this number of requests was in flight: "1=0.1%, 2=0.1%, 4=0.1%,
 * 8=0.1%, 16=0.1%, 32=0.1%, >=64=100.0%".
 */
#define DISTRIBUTION_NOTE_DEPTH "requests in flight"
/*
 * Key of a note of the capture: the time to submit a request, before the measured time begins, in
 * ms, as "longest 69.992, mean 0.005".
 */
#define DISTRIBUTION_NOTE_SUBMISSION "submission in ms"
/*
 * Key of a note of the capture: the number of jobs that submit these requests, and how many
 * requests they submit a second in all, as "48 jobs, 1884 requests a second".
 */
#define DISTRIBUTION_NOTE_JOBS "jobs that submit"

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
	 * mean number of requests in flight: the product of the printed rate and the printed mean
	 * latency (Little's law); 0: one of them is not printed
	 */
	double in_flight;
	/*
	 * mean latency, including submission, from which `in_flight` was computed; 0: not printed
	 */
	double mean;
	/* heading above the series, which names one side of a comparison: "before (kernel 6.1)" */
	str_id label;
	/*
	 * line of the original input that has the first bucket of the series; in a log, the line
	 * that has the longest value
	 */
	uint32_t line;
	uint8_t side;        /* enum side: side of a comparison that `label` names */
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
	 * For a log of pauses. between_ns: time from the start of the first pause to the start of
	 * the last one. between_sum_ns: sum of the pauses in this time. 0: unknown
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
