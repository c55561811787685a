/* SPDX-License-Identifier: MIT */
/*
 * load_line.h - lines of the summary of k6: one metric a line, with dots between name and figures
 *
 * A trend has percentiles, "http_req_duration...: avg=12ms min=1ms med=9ms max=1m6s p(90)=20ms". A
 * counter has a value and a rate, "http_reqs....: 1000 32.4/s", or a share. Private to
 * histogram*.c.
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
	const char *suffix; /* after the name of the metric: " rate", or "" */
	struct str unit;
	uint64_t value; /* in units of 10^-decimals */
	unsigned int decimals;
};

struct load_line {
	struct str name;
	bool is_part; /* "{ expected_response:true }": a part of the metric in the line above */
	bool is_time;
	/* points of a trend, by rising percentile; minimum and maximum are 0 and 100 */
	struct load_point points[LOAD_POINTS];
	size_t n_points;
	uint64_t count; /* values of a trend; 0: not printed */
	struct load_cell cells[LOAD_CELLS];
	size_t n_cells;
};

/* Parse a line. False: neither a trend nor a counter of k6. */
bool load_line_parse(struct str line, struct load_line *ret);

#endif
