/* SPDX-License-Identifier: MIT */
/*
 * histogram_line.h - one line of a printed distribution, of any tool
 *
 * The line is a bucket with its bounds and count, a percentile with its value, or a title. Each
 * dialect is one parser function in histogram_line.c.
 */
#ifndef FORMATS_HISTOGRAM_LINE_H
#define FORMATS_HISTOGRAM_LINE_H

#include "base/str.h"

#include <stdint.h>

enum histogram_item {
	HISTOGRAM_OTHER,
	HISTOGRAM_BLANK,
	HISTOGRAM_HEAD,  /* titles of columns: text is the unit, "" if unknown */
	HISTOGRAM_KEY,   /* name of the distribution that follows: name and text */
	HISTOGRAM_OPEN,  /* "@us[": the key is on the following lines, up to "]:" */
	HISTOGRAM_COUNT, /* a counter between percentiles of k6: load_line_parse() takes it */
	HISTOGRAM_BUCKET,
	HISTOGRAM_PERCENTILE,
	HISTOGRAM_FIO,    /* some percentiles of fio: histogram_line_fio() takes them */
	HISTOGRAM_POINTS, /* all percentiles of a metric of k6: load_line_parse() takes them */
	HISTOGRAM_STATED, /* "avg = 12 nsecs, total: 34 nsecs, count: 5": low is the total, or 0 */
};

struct histogram_line {
	enum histogram_item kind;
	bool is_sure;       /* only a printed distribution has such a line */
	bool has_high;      /* false: the bucket ends where the next bucket begins */
	bool has_key_above; /* titles: the line above them is the key */
	struct str name;    /* name of the measured value: "@usecs" */
	struct str text;    /* key or unit */
	double low, high;
	/* bucket: its values; percentile: values up to it; key: all values; 0: unknown */
	uint64_t count;
	double percentile;
};

void histogram_line_parse(struct str line, struct histogram_line *ret);
/* Take the next "99.00th=[ 302]" from a line of fio. False: none left. */
bool histogram_line_fio(struct str *line, struct histogram_line *ret);
/* Nanoseconds in a unit such as "usecs" or "ms"; 0: no unit of time. */
double histogram_line_unit(struct str word);

#endif
