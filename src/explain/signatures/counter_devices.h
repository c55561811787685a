/* SPDX-License-Identifier: MIT */
/* counter_devices.h - queue and time of the requests of storage devices, for rules about counters
 */
#ifndef EXPLAIN_COUNTER_DEVICES_H
#define EXPLAIN_COUNTER_DEVICES_H

#include "core/ids.h"

#include <stdbool.h>
#include <stdint.h>

struct rule_input;

/* Means over the intervals of the device with the longest queue; NAN: not printed. */
struct counter_devices {
	double ms;    /* time of a request */
	double queue; /* requests in flight */
	str_id path;
	uint32_t line;
};

/*
 * The load of the devices of the input, in any of its tables; with @key, of that device. False: no
 * table prints a queue or a time. Cost: O(cells of all tables of devices).
 */
bool counter_devices_of(const struct rule_input *in, str_id key, struct counter_devices *ret);
/*
 * Whether the devices answer at once: requests take less than a millisecond, or without times,
 * hardly any are in flight.
 */
bool counter_devices_are_calm(const struct counter_devices *d);

#endif
