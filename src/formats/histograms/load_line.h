/* SPDX-License-Identifier: MIT */
/*
 * load_line.h - lines of the summary of the load generator k6, with one metric per line
 *
 * A trend has percentiles, "http_req_duration...: avg=12ms min=1ms med=9ms max=1m6s p(90)=20ms". A
 * counter has a value and a rate, "http_reqs....: 1000 32.4/s", or a percentage and a count.
 */
#ifndef FORMATS_HISTOGRAMS_LOAD_LINE_H
#define FORMATS_HISTOGRAMS_LOAD_LINE_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOAD_POINTS 16u
#define LOAD_CELLS  2u

struct load_point {
	double percentile;
	double value;
};

struct load_cell {
	const char *suffix; /* appended to the name of the metric: " rate", " count" or "" */
	struct str unit;
	uint64_t value; /* the digits without the decimal point: 324 for "32.4" */
	unsigned int decimals;
};

struct load_line {
	struct str name;
	/*
	 * the line is about a part of the metric in an earlier line: "{ expected_response:true }"
	 */
	bool is_part;
	bool is_time; /* values of the points are in ns */
	/*
	 * figures of a trend in order of their percentile; the minimum has percentile 0, the
	 * maximum 100
	 */
	struct load_point points[LOAD_POINTS];
	size_t n_points;
	uint64_t count; /* number of values in a trend; 0: not printed */
	struct load_cell cells[LOAD_CELLS];
	size_t n_cells;
};

/* Parse a line. False: neither a trend nor a counter of k6. */
bool load_line_parse(struct str line, struct load_line *ret);

#endif
