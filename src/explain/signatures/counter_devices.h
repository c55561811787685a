/* SPDX-License-Identifier: MIT */
/* counter_devices.h - how busy storage devices are, for rules about counters */
#ifndef EXPLAIN_COUNTER_DEVICES_H
#define EXPLAIN_COUNTER_DEVICES_H

#include "base/str.h"
#include "core/ids.h"

#include <stdbool.h>
#include <stdint.h>

struct rule_input;

/* Load of one device. Each value is the mean over all intervals; NAN: not printed. */
struct counter_devices {
	double ms;    /* mean time of a request, milliseconds */
	double queue; /* mean number of requests in flight */
	double kib;   /* mean size of a request, KiB */
	str_id path;
	uint32_t line;
	/* number of reads and writes in flight, computed as rate * duration */
	double known;
	bool is_read_only; /* no write, discard or flush was finished */
	bool is_stalled;   /* one of the devices is always busy and finishes nothing */
};

/*
 * Find the storage device with the highest load in all tables of the input. @key: use the device
 * with this name instead; 0: any device. False: no table prints a queue or a time. Cost: O(cells of
 * these tables).
 */
bool counter_devices_of(const struct rule_input *in, str_id key, struct counter_devices *ret);
/*
 * Is storage fast? It is if requests take less than a millisecond on average. But if requests are
 * in flight, at least half of them must be reads and writes, unless the device only reads. If the
 * tables print no durations, storage is fast if hardly any request is in flight. It is not fast if
 * a device is always busy and finishes nothing.
 */
bool counter_devices_are_calm(const struct counter_devices *d);
/*
 * Could a flash device serve more requests at once? True if few and small requests are in flight.
 * (Flash can serve tens of requests at once.) False if the tables do not print this.
 */
bool counter_devices_are_few(const struct counter_devices *d);

/* A task that computes between its requests, from a table of tasks of the same input. */
struct counter_reader {
	struct str name;
	double cpu; /* share of a CPU, percent */
	uint32_t capture, line;
};

/*
 * Find the task that uses the device @d in turn with a CPU: its CPU time and the time of the
 * requests add up to all of the time, within SERIAL_SLACK. False: no task, several busy tasks, or
 * another sum.
 */
bool counter_devices_reader(const struct rule_input *in, const struct counter_devices *d,
			    struct counter_reader *ret);

#endif
