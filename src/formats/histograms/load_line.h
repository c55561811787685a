/* SPDX-License-Identifier: MIT */
/*
 * load_line.h - lines of the summary that the load generator k6 prints: one metric a line
 *
 * A trend has percentiles, "http_req_duration...: avg=12ms min=1ms med=9ms max=1m6s p(90)=20ms". A
 * counter has a value and a rate, "http_reqs....: 1000 32.4/s", or a percentage and a count.
 * Private to histogram*.c.
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
	uint64_t value; /* in units of 10^-decimals */
	unsigned int decimals;
};

struct load_line {
	struct str name;
	bool is_part; /* "{ expected_response:true }": only some values of the metric above it */
	bool is_time; /* values of the points are in ns */
	/* points of a trend, by ascending percentile; minimum and maximum have 0 and 100 */
	struct load_point points[LOAD_POINTS];
	size_t n_points;
	uint64_t count; /* number of values in a trend; 0: not printed */
	struct load_cell cells[LOAD_CELLS];
	size_t n_cells;
};

/* Parse a line. False: neither a trend nor a counter of k6. */
bool load_line_parse(struct str line, struct load_line *ret);

#endif
