/* SPDX-License-Identifier: MIT */
/*
 * A storage device has pending requests and completes none. It is busy all the time, its queue is
 * not empty, and no read, write or discard completes. Load does not explain this: a request is
 * lost, or the device, its driver or its path hangs.
 *
 * Thresholds: 99 % busy, because the printed length of an interval is rounded; one request in the
 * queue on average. One interval is a note, two are a warning. The mean since boot does not count.
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

#include <math.h>

DECLARE_RULE(device_stuck);

#define STUCK_BUSY  99.0
#define STUCK_QUEUE 1.0
#define STUCK_LEAD  2u /* least number of intervals for a warning */
#define STUCK_SURE  85u

/* The figures of a device in one interval; NaN: not printed. */
struct stuck_row {
	str_id key;
	uint32_t interval, line;
	double busy, queue, done;
};

struct stuck {
	struct stuck_row worst; /* the interval with the longest queue */
	/*
	 * intervals: number of intervals that print busy, queue and done; n: how many of them are
	 * busy without a completed request
	 */
	uint64_t n, intervals;
};

static void stuck_take(struct stuck_row *r, struct str name, double value)
{
	if (str_eq(name, STR("%util")))
		r->busy = value;
	else if (str_glob(STR("aqu-sz|avgqu-sz"), name))
		r->queue = value;
	else if (str_glob(STR("r/s|w/s|d/s|f/s|tps"), name))
		r->done = isnan(r->done) ? value : r->done + value;
}

static void stuck_count(struct stuck *s, const struct stuck_row *r)
{
	if (isnan(r->busy) || isnan(r->queue) || isnan(r->done))
		return;
	s->intervals++;
	if (r->busy < STUCK_BUSY || r->queue < STUCK_QUEUE || r->done > 0)
		return;
	if (s->n == 0 || r->queue > s->worst.queue)
		s->worst = *r;
	s->n++;
}

static void stuck_gather(const struct capture *c, struct stuck *s)
{
	const struct strings *names = capture_strings(c);
	const struct stuck_row none = { .busy = (double)NAN,
					.queue = (double)NAN,
					.done = (double)NAN };
	struct stuck_row r = none;

	VEC_FOREACH (row, &c->counters->rows) {
		if (row->key.v == 0 || (c->counters->is_since_boot && row->interval == 0))
			continue;
		if (row->key.v != r.key.v || row->interval != r.interval) {
			stuck_count(s, &r);
			r = none;
			r.key = row->key;
			r.interval = row->interval;
			r.line = row->line;
		}
		stuck_take(&r, strings_get(names, row->name), counter_value(row));
	}
	stuck_count(s, &r);
}

static void stuck_finding(const struct rule_input *in, struct findings *out, const struct stuck *s)
{
	struct str key = str_sub(strings_get(capture_strings(in->capture), s->worst.key), 0, 64);
	struct finding *f =
		finding_add(out, in, &rule_device_stuck,
			    s->n >= STUCK_LEAD ? FINDING_WARNING : FINDING_NOTE, STUCK_SURE);

	finding_claim(out, f,
		      STR_FMT " finishes no request: %.4g are in its queue, and no read or write "
			      "completes",
		      STR_ARG(key), s->worst.queue);
	f->impact = s->worst.busy;
	f->is_kind = true;
	finding_figure(f, "requests in the queue", s->worst.queue, 0, "");
	finding_figure(f, "requests finished", 0, 0, "/s");
	finding_figure(f, "rows with a queue and nothing finished", (double)s->n, 0, "");
	finding_evidence(out, f, in, s->worst.line, "the longest queue");
	finding_cause(out, f,
		      "A completion is lost, or the device, its driver or the path to it "
		      "hangs. More load does not stop a device");
	finding_because(out, f, "%%util counts the time with requests in flight, not work");
	finding_next(out, f,
		     "dmesg: timeouts, resets, hung tasks; cat /sys/block/DEV/inflight twice: does "
		     "the number stay");
	finding_next(
		out, f,
		"cat /sys/kernel/debug/block/DEV/hctx*/busy: the requests that the driver holds");
}

static void stuck_check(const struct rule_input *in, struct findings *out)
{
	struct stuck s = { .n = 0 };

	if (!str_glob(STR("iostat|sar"),
		      strings_get(capture_strings(in->capture), in->capture->counters->tool)))
		return;
	stuck_gather(in->capture, &s);
	if (s.n)
		stuck_finding(in, out, &s);
	else if (s.intervals)
		finding_clean(out, in, &rule_device_stuck,
			      "each device with a queue finishes requests");
	else
		finding_not_assessed(out, in, &rule_device_stuck, "iostat -x 1",
				     "the queue, the rate or the load of a device is missing");
}

static const char *const stuck_overrules[] = { "disk-busy", "device-queue", NULL };

const struct rule rule_device_stuck = {
	.id = "device-stuck",
	.title = "A storage device finishes no request",
	.needs = RULE_COUNTERS,
	.overrules = stuck_overrules,
	.check = stuck_check,
	.is_measured = true,
};
