/* SPDX-License-Identifier: MIT */
/*
 * histogram_line.h - one line of a printed distribution, of any tool
 *
 * A line may be a bucket with its bounds and count, a percentile with its value, column headings,
 * or the name of a distribution. histogram_line.c has a parser function for each dialect, and a
 * table of column headings.
 */
#ifndef FORMATS_HISTOGRAM_LINE_H
#define FORMATS_HISTOGRAM_LINE_H

#include "base/str.h"

#include <stdint.h>

enum histogram_item {
	HISTOGRAM_OTHER,
	HISTOGRAM_BLANK,
	HISTOGRAM_HEAD, /* column headings; `text` is the unit, or "" if unknown */
	/* `name` and `text` are the name and the key of the next distribution */
	HISTOGRAM_KEY,
	HISTOGRAM_OPEN,  /* "@us[": the key is on the following lines, up to "]:" */
	HISTOGRAM_COUNT, /* a counter of k6 between percentiles; load_line_parse() parses it */
	HISTOGRAM_BUCKET,
	/*
	 * a bucket whose `count` includes all lower buckets; `name` and `text` are the name and key
	 */
	HISTOGRAM_UPTO,
	HISTOGRAM_PERCENTILE,
	HISTOGRAM_FIO,     /* some percentiles of fio; histogram_line_fio() parses them */
	HISTOGRAM_POINTS,  /* all percentiles of a metric of k6; load_line_parse() parses them */
	HISTOGRAM_ENCODED, /* a whole histogram of HdrHistogram; hdr_log_parse() parses it */
	/* statistics: "avg = 12 nsecs, total: 34 nsecs, count: 5"; `low` is the total, or 0 */
	HISTOGRAM_STATED,
};

struct histogram_line {
	enum histogram_item kind;
	bool is_sure;       /* such a line is printed only by tools that print distributions */
	bool has_high;      /* false: the bucket ends where the next bucket begins */
	bool has_key_above; /* HISTOGRAM_HEAD: the line above this one is the key of the series */
	struct str name;    /* name of the measured value: "@usecs" */
	/* key of the distribution; in column headings (HISTOGRAM_HEAD), the unit */
	struct str text;
	double low, high;
	/*
	 * Number of values: in the bucket, up to the percentile, or in the whole distribution; 0:
	 * unknown.
	 */
	uint64_t count;
	double percentile;
};

void histogram_line_parse(struct str line, struct histogram_line *ret);
/* Take the next percentile, such as "99.00th=[ 302]", from a line of fio. False: no more. */
bool histogram_line_fio(struct str *line, struct histogram_line *ret);
/* Number of nanoseconds in a unit such as "usecs" or "ms"; 0: not a unit of time. */
double histogram_line_unit(struct str word);

#endif
