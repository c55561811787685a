/* SPDX-License-Identifier: MIT */
/*
 * A storage device has pending requests and completes none. It is busy all the time, its queue is
 * not empty, and no read, write or discard completes. Load does not explain this: a request is
 * lost, or the device, its driver or its path hangs.
 *
 * Thresholds: in an interval the device is 99 % busy (the printed length of an interval is
 * rounded), and on average at least one request is in its queue. One such interval is a note, two
 * are a warning. The mean since boot does not count.
 */
#include "analyses/counters/device_loads.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(device_stuck);

#define STUCK_BUSY  99.0
#define STUCK_QUEUE 1.0
#define STUCK_LEAD  2u /* minimum number of intervals for a warning */
#define STUCK_SURE  85u

struct stuck {
	struct device_load worst; /* the interval with the longest queue */
	/*
	 * intervals: number of intervals with printed busy share, queue and completed requests.
	 * n: number of those in which the device was busy and completed nothing.
	 */
	uint64_t n, intervals;
};

static void stuck_count(struct stuck *s, const struct device_load *r)
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

static void stuck_finding(const struct rule_input *in, struct findings *out, const struct stuck *s)
{
	struct str key = str_sub(strings_get(capture_strings(in->capture), s->worst.key), 0, 64);
	struct finding *f =
		finding_add(out, in, &rule_device_stuck,
			    s->n >= STUCK_LEAD ? FINDING_WARNING : FINDING_NOTE, STUCK_SURE);

	finding_claim(out, f,
		      STR_FMT " finishes no request: %s are in its queue, and no read or write "
			      "completes",
		      STR_ARG(key), finding_amount(out, 4, s->worst.queue));
	f->impact = s->worst.busy;
	f->is_kind = true;
	finding_figure(f, "requests in the queue", s->worst.queue, 0, "");
	finding_figure(f, "requests finished", 0, 0, "/s");
	finding_figure(f, "rows with a queue and nothing finished", (double)s->n, 0, "");
	finding_evidence(out, f, in, s->worst.line, "the longest queue");
	finding_usual_cause(out, f,
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
	struct device_loads loads;

	if (!device_loads_is_table(in->capture))
		return;
	if (device_loads_of(in->capture, &loads)) {
		VEC_FOREACH (load, &loads.rows)
			stuck_count(&s, load);
	}
	device_loads_fini(&loads);
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
