/* SPDX-License-Identifier: MIT */
/*
 * device_loads.h - rate, size, time and merges of the requests of each storage device
 *
 * One row for each device and interval of iostat -x or sar -d. Old and new versions print different
 * columns and units: sectors of 512 bytes, kB or MB; one column "await" for all requests, or one
 * for each direction. Here a size is in KiB and a time in ms. A figure that the tool does not print
 * is NaN.
 */
#ifndef ANALYSES_DEVICE_LOADS_H
#define ANALYSES_DEVICE_LOADS_H

#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"

struct capture;

enum device_way { DEVICE_READS, DEVICE_WRITES, DEVICE_BOTH, DEVICE_WAYS };

struct device_way_load {
	double rate;   /* number of requests finished per second */
	double kib;    /* mean size of a request in KiB */
	double ms;     /* mean time of a request in ms, its time in the queue included */
	double merged; /* number of requests merged into others per second */
};

struct device_load {
	str_id key; /* name of the device */
	uint32_t interval, line;
	double busy;  /* time in which the device was busy, in percent */
	double queue; /* mean number of requests in flight */
	double done;  /* requests finished per second: reads, writes, discards, flushes */
	struct device_way_load ways[DEVICE_WAYS];
};

struct device_loads {
	/* one row for each device and interval, in the order of the input */
	VEC(struct device_load) rows;
};

/*
 * Collect the loads of the devices in @c. A first interval with means since boot is left out if the
 * table has more intervals. False: @c is no table of devices. Owner: caller, device_loads_fini().
 * Cost: O(cells).
 */
bool device_loads_of(const struct capture *c, struct device_loads *ret);
/*
 * Whether the tool that printed @c can print tables of devices, even if this table is another one.
 */
bool device_loads_is_table(const struct capture *c);
void device_loads_fini(struct device_loads *d);
/*
 * Whether the device has no storage of its own, but passes requests on to other devices: md, dm,
 * loop and similar ones.
 */
bool device_loads_is_layer(struct str name);

#endif
