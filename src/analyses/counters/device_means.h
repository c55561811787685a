/* SPDX-License-Identifier: MIT */
/*
 * device_means.h - the mean load of each storage device over the intervals of one table
 *
 * For rules that compare two tables, or that judge a table as a whole. Arrays and mapped devices
 * are left out, because their member devices do the work.
 */
#ifndef ANALYSES_DEVICE_MEANS_H
#define ANALYSES_DEVICE_MEANS_H

#include "analyses/counters/device_loads.h"
#include "core/ids.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct capture;

#define DEVICE_MEANS 64u /* maximum number of devices; the others are left out */

/* Means of one device over the intervals in which the table has the device. */
struct device_mean {
	str_id key;
	uint32_t line; /* line of the device's first interval in the input */
	uint32_t n;    /* number of intervals in which the table has the device */
	double busy, queue;
	/*
	 * `rate` and `merged` are means over the `n` intervals; `kib` and `ms` are means over the
	 * requests
	 */
	struct device_way_load ways[DEVICE_WAYS];
	/* used[way]: number of intervals with requests in this direction */
	uint32_t used[DEVICE_WAYS];
};

struct device_means {
	struct device_mean rows[DEVICE_MEANS];
	size_t n;
};

/* Compute the means of the devices of capture @c. False: there are none. Cost: O(cells). */
bool device_means_of(const struct capture *c, struct device_means *ret);

#endif
