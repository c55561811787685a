/* SPDX-License-Identifier: MIT */
/* counter_devices.h - how busy storage devices are, for rules about counters */
#ifndef EXPLAIN_COUNTER_DEVICES_H
#define EXPLAIN_COUNTER_DEVICES_H

#include "core/ids.h"

#include <stdbool.h>
#include <stdint.h>

struct rule_input;

/*
 * Load of the device with the most requests in flight: means over all intervals; NAN: not
 * printed.
 */
struct counter_devices {
	double ms;    /* time of a request, milliseconds */
	double queue; /* requests in flight */
	double kib;   /* size of a request, KiB */
	str_id path;
	uint32_t line;
	double known; /* requests in flight that are reads and writes: rate * time */
};

/*
 * Find the busiest storage device in all tables of the input. @key: take the device of this name
 * instead; 0: no name. False: no table prints a queue or a time. Cost: O(cells of these tables).
 */
bool counter_devices_of(const struct rule_input *in, str_id key, struct counter_devices *ret);
/*
 * Is storage fast? Requests take less than a millisecond, and reads and writes are at least half of
 * those in flight; if no times are printed, hardly any request is in flight.
 */
bool counter_devices_are_calm(const struct counter_devices *d);
/*
 * Are so few and so small requests in flight that a device of flash, which serves tens of them at
 * once, could do more? False: not printed.
 */
bool counter_devices_are_few(const struct counter_devices *d);

#endif
