/* SPDX-License-Identifier: MIT */
/*
 * histogram_line.h - one line of a printed distribution, of any tool
 *
 * The line is a bucket with its bounds and count, a percentile with its value, column headings, or
 * the name of a distribution. Each dialect is one parser function in histogram_line.c; column
 * headings are a table there.
 */
#ifndef FORMATS_HISTOGRAM_LINE_H
#define FORMATS_HISTOGRAM_LINE_H

#include "base/str.h"

#include <stdint.h>

enum histogram_item {
	HISTOGRAM_OTHER,
	HISTOGRAM_BLANK,
	HISTOGRAM_HEAD, /* column headings; `text` is the unit, or "" if unknown */
	/* the name and the key of the next distribution, in `name` and `text` */
	HISTOGRAM_KEY,
	HISTOGRAM_OPEN,  /* "@us[": the key is on the following lines, up to "]:" */
	HISTOGRAM_COUNT, /* a counter of k6, between percentiles: load_line_parse() parses it */
	HISTOGRAM_BUCKET,
	/* a bucket whose `count` includes all lower buckets; `name` and `text` are those of a key
	 */
	HISTOGRAM_UPTO,
	HISTOGRAM_PERCENTILE,
	HISTOGRAM_FIO,     /* some percentiles of fio: histogram_line_fio() parses them */
	HISTOGRAM_POINTS,  /* all percentiles of a metric of k6: load_line_parse() parses them */
	HISTOGRAM_ENCODED, /* a whole histogram of HdrHistogram: hdr_log_parse() parses it */
	/* "avg = 12 nsecs, total: 34 nsecs, count: 5": `low` is the total, or 0 */
	HISTOGRAM_STATED,
};

struct histogram_line {
	enum histogram_item kind;
	bool is_sure;       /* only a printed distribution has such a line */
	bool has_high;      /* false: the bucket ends where the next bucket begins */
	bool has_key_above; /* HISTOGRAM_HEAD: the line above is the key of the series */
	struct str name;    /* name of the measured value: "@usecs" */
	struct str text;    /* key or unit */
	double low, high;
	/*
	 * number of values in a bucket, up to a percentile, or of all values of a key; 0: unknown
	 */
	uint64_t count;
	double percentile;
};

void histogram_line_parse(struct str line, struct histogram_line *ret);
/* Take the next "99.00th=[ 302]" from a line of fio. False: none left. */
bool histogram_line_fio(struct str *line, struct histogram_line *ret);
/* Nanoseconds in a unit such as "usecs" or "ms"; 0: no unit of time. */
double histogram_line_unit(struct str word);

#endif
