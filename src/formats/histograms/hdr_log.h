/* SPDX-License-Identifier: MIT */
/*
 * hdr_log.h - interval logs of HdrHistogram: one encoded histogram per line
 *
 *     #[Histogram log format version 1.3]
 *     "StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
 *     Tag=read,0.127,1.007,2.769,HISTFAAAAEV42pNpmSzMwMCgyAABTBDKT4GBgdnNYMcCBvsPEBEJISEuATEZMQ4uASkhIR4...
 *
 * The histograms with the same tag are added up. The unit of the values is unknown, because the log
 * does not contain it. (Interval_Max has a different unit from the recorded values.) Source:
 * HdrHistogram, HistogramLogWriter.java and AbstractHistogram.java (V2EncodingCookieBase).
 */
#ifndef FORMATS_HDR_LOG_H
#define FORMATS_HDR_LOG_H

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdint.h>

struct distribution;
struct strings;

struct hdr_interval {
	struct str tag;     /* tag of the interval; empty: the line has no tag */
	struct str encoded; /* the histogram, encoded in base64 */
};

/* The sum of all histograms with the same tag. */
struct hdr_sum {
	struct str tag; /* the tag, a view of the input */
	uint32_t line;  /* line of the first interval */
	/*
	 * layout of `counts`: which values an index stands for; the same in all intervals of the
	 * tag
	 */
	unsigned int unit_bits, half_bits;
	VEC(uint64_t) counts;
};

struct hdr_log {
	VEC(struct hdr_sum) sums;
};

/* Whether @line is a title line of the log. */
bool hdr_log_is_title(struct str line);
/* Parse the line of an interval. False: another line. */
bool hdr_log_parse(struct str line, struct hdr_interval *ret);
/*
 * Add the histogram of an interval to the sum of its tag. ERR_FORMAT: the histogram cannot be
 * decoded or has too many counts. ERR_LIMIT: the line is too long, there are too many tags, or the
 * lowest value or number of digits differs from earlier intervals of the tag. Cost: O(counts).
 */
MUST_CHECK int hdr_log_add(struct hdr_log *log, const struct hdr_interval *interval, uint32_t line);
/* Add a series to @d for each tag. Errors: ERR_LIMIT if there are too many buckets. */
MUST_CHECK int hdr_log_fill(const struct hdr_log *log, struct distribution *d,
			    struct strings *strings);
void hdr_log_fini(struct hdr_log *log);

#endif
