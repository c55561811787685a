/* SPDX-License-Identifier: MIT */
/*
 * device_means.h - the mean load of each storage device over the intervals of one table
 *
 * Rules that compare two tables, or judge one as a whole, use means. Arrays and mapped devices are
 * left out: their members do the work.
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

/* Means of one device over the intervals in which it is in the table. */
struct device_mean {
	str_id key;
	uint32_t line; /* line of its first interval */
	uint32_t n;    /* number of intervals */
	double busy, queue;
	/* means over the intervals with requests in this direction; `kib` and `ms` by request */
	struct device_way_load ways[DEVICE_WAYS];
	/* used[way]: number of intervals with requests in this direction */
	uint32_t used[DEVICE_WAYS];
};

struct device_means {
	struct device_mean rows[DEVICE_MEANS];
	size_t n;
};

/*
 * Set @ret to the devices of capture @c, without arrays and mapped devices. False: none. Cost:
 * O(cells).
 */
bool device_means_of(const struct capture *c, struct device_means *ret);

#endif
