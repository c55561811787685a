/* SPDX-License-Identifier: MIT */
/* counter_devices.h - how busy storage devices are, for rules about counters */
#ifndef EXPLAIN_COUNTER_DEVICES_H
#define EXPLAIN_COUNTER_DEVICES_H

#include "core/ids.h"

#include <stdbool.h>
#include <stdint.h>

struct rule_input;

/* Means over all intervals, of the device with the longest queue; NAN: not printed. */
struct counter_devices {
	double ms;    /* time of a request, milliseconds */
	double queue; /* requests in flight */
	str_id path;
	uint32_t line;
};

/*
 * Find the busiest storage device in all tables of the input; with @key, the load of the device of
 * that name. False: no table prints a queue or a time. Cost: O(cells of all tables of devices).
 */
bool counter_devices_of(const struct rule_input *in, str_id key, struct counter_devices *ret);
/*
 * Do the devices answer at once? Requests take less than a millisecond; if their times are unknown,
 * hardly any request is in flight.
 */
bool counter_devices_are_calm(const struct counter_devices *d);

#endif
