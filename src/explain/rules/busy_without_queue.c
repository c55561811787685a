/* SPDX-License-Identifier: MIT */
/*
 * A storage device is shown as busy although next to no request is in flight. While a device is
 * busy, at least one request is: the mean number in flight (aqu-sz) cannot be below the busy share.
 * Linux 5.0 and later count busy time in ticks of 1 to 10 ms, so short requests with pauses between
 * them count as whole ticks (block/blk-core.c, update_io_ticks()).
 *
 * Thresholds: busy for half of the time or more, and less than half of the requests in flight that
 * this needs. The printed figures are means over all intervals.
 */
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

DECLARE_RULE(busy_without_queue);

#define QUIET_BUSY_PCT 50.0
#define QUIET_PART     0.5
#define QUIET_SURE     90u
#define QUIET_DEVICES  64u

struct quiet_device {
	str_id key;
	uint32_t line; /* of the first row with its busy share */
	double busy, queue;
	unsigned int n_busy, n_queue;
};

static struct quiet_device *quiet_device(struct quiet_device *devices, size_t *n, str_id key)
{
	size_t i = 0;

	while (i < *n && devices[i].key.v != key.v)
		i++;
	if (i == QUIET_DEVICES)
		return NULL;
	if (i == *n)
		devices[(*n)++] = (struct quiet_device){ .key = key };
	return &devices[i];
}

/* Mean figures of the device that is shown as the busiest; n_busy 0: none has both figures. */
static struct quiet_device quiet_busiest(const struct capture *c)
{
	struct quiet_device devices[QUIET_DEVICES];
	struct quiet_device ret = { .n_busy = 0 };
	size_t n = 0;

	VEC_FOREACH (row, &c->counters->rows) {
		struct str name = strings_get(capture_strings(c), row->name);
		struct quiet_device *d = row->key.v ? quiet_device(devices, &n, row->key) : NULL;

		if (!d)
			continue;
		if (str_eq(name, STR("%util"))) {
			d->line = d->n_busy++ ? d->line : row->line;
			d->busy += counter_value(row);
		} else if (str_glob(STR("aqu-sz|avgqu-sz"), name)) {
			d->n_queue++;
			d->queue += counter_value(row);
		}
	}
	for (size_t i = 0; i < n; i++) {
		struct quiet_device *d = &devices[i];

		if (d->n_busy == 0 || d->n_queue != d->n_busy)
			continue;
		d->busy /= d->n_busy;
		d->queue /= d->n_queue;
		if (ret.n_busy == 0 || d->busy > ret.busy)
			ret = *d;
	}
	return ret;
}

static void quiet_check(const struct rule_input *in, struct findings *out)
{
	struct quiet_device d;
	struct finding *f;
	struct str key;

	if (!str_glob(STR("iostat|sar"),
		      strings_get(capture_strings(in->capture), in->capture->counters->tool)))
		return;
	d = quiet_busiest(in->capture);
	if (d.n_busy == 0) {
		finding_not_assessed(out, in, &rule_busy_without_queue, "iostat -x 1",
				     "the busy share of a device or its queue is missing");
		return;
	}
	if (d.busy < QUIET_BUSY_PCT || d.queue >= d.busy / 100 * QUIET_PART) {
		finding_clean(out, in, &rule_busy_without_queue,
			      "the busiest device has as many requests in flight as its busy share "
			      "needs");
		return;
	}
	key = str_sub(strings_get(capture_strings(in->capture), d.key), 0, 64);
	f = finding_add(out, in, &rule_busy_without_queue, FINDING_NOTE, QUIET_SURE);
	finding_claim(out, f,
		      "%%util overstates the load of " STR_FMT
		      ": %.1f %% busy, but only %.2f requests in flight on average",
		      STR_ARG(key), d.busy, d.queue);
	f->is_kind = true;
	finding_figure(f, "shown as busy", d.busy, 0, "%");
	finding_figure(f, "requests in flight", d.queue, 0.005, "");
	finding_evidence(out, f, in, d.line, STR_FMT, STR_ARG(key));
	finding_cause(
		out, f,
		"The figures contradict each other: a busy device has a request in flight. The "
		"kernel counts busy time in ticks of some milliseconds, so short requests with "
		"pauses count as whole ticks. The device is mostly idle");
	finding_because(out, f, "the mean number in flight cannot be below the busy share");
	finding_next(out, f,
		     "judge the device by await and aqu-sz; biolatency: how long do requests take");
}

static const char *const quiet_overrules[] = { "disk-busy", NULL };

const struct rule rule_busy_without_queue = {
	.id = "busy-without-queue",
	.title = "Busy share of a device is wrong",
	.needs = RULE_COUNTERS,
	.overrules = quiet_overrules,
	.check = quiet_check,
	.is_measured = true,
};
