/* SPDX-License-Identifier: MIT */
#include "explain/signatures/counter_devices.h"

#include "analyses/counters/device_loads.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"

#include <math.h>

/*
 * Storage is not slow if its requests take less than this on average, ms. (A request takes about
 * 0.1 ms on flash, and 5 ms or more on disks.)
 */
#define DEVICES_CALM_MS 1.0
/* maximum number of tables of devices that are read for one finding */
#define DEVICES_TABLES 64u
/*
 * If the tables print no durations, storage is not slow if fewer requests than this are in flight
 * on average. (The device is then idle most of the time.)
 */
#define DEVICES_CALM_QUEUE 0.25
/*
 * A flash device reaches its full rate with tens of requests in flight. With fewer than this, it
 * waits for requests.
 */
#define DEVICES_FEW 4.0
/*
 * Requests up to this size (KiB) count as small. With larger requests, two or three of them in
 * flight may saturate the device.
 */
#define DEVICES_SMALL_KIB   128.0
#define DEVICES_ROUNDED_KIB 0.5
/*
 * At least this part (0 to 1) of the requests in flight must be reads and writes. The others are
 * flushes or discards, whose time is not in the printed mean.
 */
#define DEVICES_KNOWN 0.5
/* A device that is busy for this share of an interval and finishes nothing does not answer. */
#define DEVICES_STALLED_PCT 99.0

/* Minimum share of a CPU of a task that computes between its requests, percent. */
#define SERIAL_LEAST 30.0
/* Maximum share of a CPU of one thread, percent; more by ticks of the clock. */
#define SERIAL_MOST 105.0
/* Time that is neither computing nor a request of the task, or is counted twice, percent. */
#define SERIAL_SLACK 15.0

struct devices_sum {
	double queue, n_queue;
	double ms, weight;
	/* sums over requests with a printed size: KiB per second, requests per second */
	double kib, sized;
	double changing; /* rate of writes, discards and flushes */
	uint32_t line;
};

/* Add the load of one device in one interval to the sums. */
static void devices_add(struct devices_sum *s, const struct device_load *load)
{
	if (load->queue >= 0) {
		s->queue += load->queue;
		s->n_queue++;
	}
	for (size_t w = 0; w < DEVICE_WAYS; w++) {
		const struct device_way_load *way = &load->ways[w];

		if (way->rate > 0 && way->kib >= 0) {
			s->kib += way->kib * way->rate;
			s->sized += way->rate;
		}
		if (!(way->rate > 0) || !(way->ms >= 0))
			continue;
		s->ms += way->ms * way->rate;
		s->weight += way->rate;
	}
	if (load->done > 0)
		s->changing +=
			load->done -
			(load->ways[DEVICE_READS].rate > 0 ? load->ways[DEVICE_READS].rate : 0);
	s->line = load->line;
}

static bool devices_is_stalled(const struct device_load *load)
{
	return load->busy >= DEVICES_STALLED_PCT && load->done <= 0;
}

/*
 * Copy the device of @s to @ret if it is busier than the device in @ret. The busier device has more
 * requests in flight. If no table prints requests in flight, the busier device has longer requests.
 */
static void devices_keep(const struct devices_sum *s, str_id path, struct counter_devices *ret)
{
	double queue = s->n_queue > 0 ? s->queue / s->n_queue : (double)NAN;
	double ms = s->weight > 0 ? s->ms / s->weight : (double)NAN;
	bool is_stalled = ret->is_stalled;

	if (isnan(queue) && isnan(ms))
		return;
	if (ret->line && !(queue > ret->queue) && !(isnan(ret->queue) && ms > ret->ms))
		return;
	/* Little's law: in flight = rate * time */
	*ret = (struct counter_devices){
		.ms = ms,
		.queue = queue,
		.kib = s->sized > 0 ? s->kib / s->sized : (double)NAN,
		.path = path,
		.line = s->line,
		.known = s->n_queue > 0 ? s->ms / 1000 / s->n_queue : (double)NAN,
		.is_read_only = s->weight > 0 && !(s->changing > 0),
		.is_stalled = is_stalled,
	};
}

static bool devices_is_first(const struct device_loads *loads, size_t at)
{
	for (size_t i = 0; i < at; i++) {
		if (loads->rows.data[i].key.v == loads->rows.data[at].key.v)
			return false;
	}
	return true;
}

bool counter_devices_of(const struct rule_input *in, str_id key, struct counter_devices *ret)
{
	uint32_t tables = 0;

	*ret = (struct counter_devices){ .ms = (double)NAN, .queue = (double)NAN };
	VEC_FOREACH (c, &in->facts->dossier->captures) {
		struct device_loads loads;

		if (tables == DEVICES_TABLES)
			break;
		if (!(*c)->counters || !device_loads_of(*c, &loads))
			continue;
		tables++;
		for (size_t i = 0; i < loads.rows.len; i++) {
			struct devices_sum sum = { .line = 0 };
			str_id name = loads.rows.data[i].key;

			if ((key.v && key.v != name.v) || !devices_is_first(&loads, i))
				continue;
			VEC_FOREACH (load, &loads.rows) {
				if (load->key.v != name.v)
					continue;
				devices_add(&sum, load);
				ret->is_stalled = ret->is_stalled || devices_is_stalled(load);
			}
			devices_keep(&sum, (*c)->path, ret);
		}
		device_loads_fini(&loads);
	}
	return ret->line > 0;
}

bool counter_devices_are_calm(const struct counter_devices *d)
{
	if (d->is_stalled)
		return false;
	if (isnan(d->ms))
		return d->queue < DEVICES_CALM_QUEUE;
	/* requests that only read are never flushes: a larger queue is an error of the kernel */
	return d->ms < DEVICES_CALM_MS && !(!d->is_read_only && d->queue >= DEVICES_CALM_QUEUE &&
					    d->known < d->queue * DEVICES_KNOWN);
}

bool counter_devices_are_few(const struct counter_devices *d)
{
	return d->queue < DEVICES_FEW && d->kib < DEVICES_SMALL_KIB + DEVICES_ROUNDED_KIB;
}

/* Whether the tool of @c prints the CPU time of tasks in a column %CPU. */
static bool devices_has_tasks(const struct capture *c)
{
	return c->counters &&
	       str_glob(STR("ps|top|pidstat"), strings_get(capture_strings(c), c->counters->tool));
}

bool counter_devices_reader(const struct rule_input *in, const struct counter_devices *d,
			    struct counter_reader *ret)
{
	const struct dossier *all = in->facts->dossier;
	double io = 100 * d->known;
	double other = 0;

	*ret = (struct counter_reader){ .cpu = 0 };
	for (uint32_t i = 0; i < all->captures.len && d->known <= 1; i++) {
		const struct capture *c = all->captures.data[i];
		const struct strings *names = capture_strings(c);

		if (!devices_has_tasks(c))
			continue;
		VEC_FOREACH (row, &c->counters->rows) {
			struct str key = strings_get(names, row->key);
			double cpu = counter_value(row);

			if (!key.len || !str_eq(strings_get(names, row->name), STR("%CPU")))
				continue;
			other = fmax(other, fmin(cpu, ret->cpu));
			if (cpu > ret->cpu && !str_eq(key, ret->name))
				*ret = (struct counter_reader){ key, cpu, i, row->line };
		}
	}
	return ret->cpu >= SERIAL_LEAST && ret->cpu <= SERIAL_MOST && other < SERIAL_LEAST &&
	       fabs(ret->cpu + io - 100) <= SERIAL_SLACK;
}
