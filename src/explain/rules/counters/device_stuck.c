/* SPDX-License-Identifier: MIT */
/*
 * A storage device has pending requests, but completes none or hardly any. It is always busy, and
 * its queue is not empty. Load does not explain this: a request is lost, or the device, its driver
 * or its path hangs. A device that only forwards requests (bcache, md, dm) may hold them back
 * itself, while the disks below it are idle.
 *
 * Thresholds: in an interval the device is 99 % busy (the printed length of an interval is
 * rounded), with at least one request in its queue on average. Either no read, write or discard
 * completes, or so few that each takes 10 s: requests in the queue divided by the rate. For
 * comparison, a disk that seeks for each of 128 requests takes one or two seconds. One such
 * interval is a note, two are a warning. The mean since boot is ignored.
 *
 * Since Linux 5.0 a request enters the queue figure (aqu-sz) only when it completes. A device whose
 * requests never complete therefore shows a queue of 0. Then tasks must wait for I/O: 10 % iowait.
 * (Without iowait, the kernel miscounts the requests in flight: rule busy-without-queue.)
 */
#include "analyses/counters/counter_metrics.h"
#include "analyses/counters/device_loads.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/kinds/counters.h"
#include "core/strings.h"
#include "explain/device_stuck_names.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <inttypes.h>
#include <math.h>

DECLARE_RULE(device_stuck);

#define STUCK_BUSY  99.0
#define STUCK_QUEUE 1.0
/* the device is stuck if a request takes at least this, seconds (queue length / rate) */
#define STUCK_WAIT 10.0
#define STUCK_LEAD 2u /* minimum number of intervals for a warning */
#define STUCK_SURE 85u
/* a smaller queue is printed as 0.00: it has only completed requests */
#define STUCK_EMPTY      0.005
#define STUCK_EMPTY_SURE 75u
#define STUCK_IOWAIT     10.0

/* Devices that forward requests, with the reasons why they hold requests back. */
static const struct stuck_layer {
	const char *devices;
	const char *cause;
	const char *next;
} stuck_layers[] = { STUCK_LAYERS };

struct stuck {
	struct device_load worst; /* the stuck interval with the longest queue */
	/*
	 * intervals: number of intervals with a printed busy share, queue and rate of completed
	 * requests; n: number of stuck intervals among them, in which the device was busy and
	 * completed hardly any requests
	 */
	uint64_t n, intervals;
	/*
	 * is_waited: tasks wait for I/O; n_silent: number of intervals of a device in which it was
	 * busy, finished nothing and had an empty queue; silent: the first of them
	 */
	bool is_waited;
	uint64_t n_silent;
	struct device_load silent;
};

static bool stuck_is_silent(const struct device_load *r)
{
	return r->busy >= STUCK_BUSY && r->queue < STUCK_EMPTY && r->done <= 0;
}

static void stuck_count(struct stuck *s, const struct device_load *r)
{
	if (isnan(r->busy) || isnan(r->queue) || isnan(r->done))
		return;
	s->intervals++;
	if (s->is_waited && stuck_is_silent(r) && s->n_silent == 0)
		s->silent = *r;
	if (s->is_waited && stuck_is_silent(r) && r->key.v == s->silent.key.v)
		s->n_silent++;
	if (r->busy < STUCK_BUSY || r->queue < STUCK_QUEUE || r->done * STUCK_WAIT > r->queue)
		return;
	if (s->n == 0 || r->queue > s->worst.queue)
		s->worst = *r;
	s->n++;
}

static const struct stuck_layer *stuck_layer(struct str device)
{
	for (size_t i = 0; i < ARRAY_LEN(stuck_layers); i++) {
		if (str_glob(str_of(stuck_layers[i].devices), device))
			return &stuck_layers[i];
	}
	return NULL;
}

/*
 * The busiest disk in the same interval as the stuck device. Member `busy` is NaN if there is no
 * disk.
 */
static struct device_load stuck_disk(const struct capture *c, const struct device_loads *loads,
				     uint32_t interval)
{
	struct device_load ret = { .busy = (double)NAN };

	VEC_FOREACH (load, &loads->rows) {
		if (load->interval == interval && !isnan(load->busy) &&
		    !device_loads_is_layer(strings_get(capture_strings(c), load->key)) &&
		    !(ret.busy >= load->busy))
			ret = *load;
	}
	return ret;
}

static void stuck_claim(struct findings *out, struct finding *f, const struct stuck *s,
			struct str key)
{
	double wait = s->worst.queue / s->worst.done;

	if (s->worst.done > 0)
		finding_claim(out, f,
			      STR_FMT " finishes next to no request: %s are in its queue, and %s a "
				      "second complete: each takes about %.0f s",
			      STR_ARG(key), finding_amount(out, 4, s->worst.queue),
			      finding_amount(out, 2, s->worst.done), wait);
	else
		finding_claim(out, f,
			      STR_FMT " finishes no request: %s are in its queue, and no read or "
				      "write completes",
			      STR_ARG(key), finding_amount(out, 4, s->worst.queue));
}

static void stuck_finding(const struct rule_input *in, struct findings *out, const struct stuck *s,
			  const struct device_loads *loads)
{
	struct str key = str_sub(strings_get(capture_strings(in->capture), s->worst.key), 0, 64);
	const struct stuck_layer *layer = stuck_layer(key);
	struct device_load disk = stuck_disk(in->capture, loads, s->worst.interval);
	struct finding *f =
		finding_add(out, in, &rule_device_stuck,
			    s->n >= STUCK_LEAD ? FINDING_WARNING : FINDING_NOTE, STUCK_SURE);

	stuck_claim(out, f, s, key);
	f->impact = s->worst.busy;
	f->is_kind = true;
	finding_figure(f, "requests in the queue", s->worst.queue, 0, "");
	finding_figure(f, "requests finished", s->worst.done, 0, "/s");
	finding_figure(f, "rows with a queue and nothing finished", (double)s->n, 0, "");
	finding_evidence(out, f, in, s->worst.line, "the longest queue");
	if (layer && !isnan(disk.busy)) {
		finding_figure(f, "the busiest disk at the same time", disk.busy, 0, "%");
		finding_evidence(out, f, in, disk.line, "the busiest disk at the same time");
	}
	finding_usual_cause(
		out, f, "%s",
		layer ? layer->cause
		: s->worst.done > 0
			? "The device or the path to it delays requests for seconds: retries, a "
			  "failing disk, or a limit that holds them back (an I/O limit of the "
			  "group, of the hypervisor or of the cloud). More load does not stop a "
			  "device"
			: "A completion is lost, or the device, its driver or the path to it "
			  "hangs. More load does not stop a device");
	finding_because(out, f, "%%util counts the time with requests in flight, not work");
	if (layer)
		finding_next(out, f, "%s", layer->next);
	finding_next(out, f,
		     "dmesg: timeouts, resets, hung tasks; cat /sys/block/DEV/inflight twice: does "
		     "the number stay");
	if (!layer)
		finding_next(out, f,
			     "cat /sys/kernel/debug/block/DEV/hctx*/busy: the requests that the "
			     "driver holds");
}

/* The other devices that are as silent as the first one, at the same time. */
static uint64_t stuck_others(const struct stuck *s, const struct device_loads *loads)
{
	uint64_t n = 0;

	VEC_FOREACH (load, &loads->rows) {
		if (load->interval == s->silent.interval && load->key.v != s->silent.key.v &&
		    stuck_is_silent(load))
			n++;
	}
	return n;
}

/* Devices are busy and finish nothing, with an empty queue, while tasks wait for I/O. */
static void stuck_silent(const struct rule_input *in, struct findings *out, const struct stuck *s,
			 const struct device_loads *loads)
{
	const struct counter_metric *iowait = counter_metrics_find(in->counters, "iowait");
	struct str key = str_sub(strings_get(capture_strings(in->capture), s->silent.key), 0, 64);
	const struct stuck_layer *layer = stuck_layer(key);
	uint64_t others = stuck_others(s, loads);
	struct finding *f = finding_add(out, in, &rule_device_stuck,
					s->n_silent >= STUCK_LEAD ? FINDING_WARNING : FINDING_NOTE,
					STUCK_EMPTY_SURE);

	finding_claim(out, f,
		      STR_FMT
		      "%s finishes no request: busy for %.1f %% of the time, while tasks wait "
		      "for I/O (%.1f %% iowait)",
		      STR_ARG(key),
		      others == 0   ? ""
		      : others == 1 ? ", like one more device,"
				    : finding_name(out, ", like %" PRIu64 " more devices,", others),
		      s->silent.busy, iowait->value);
	f->impact = s->silent.busy;
	f->is_kind = true;
	finding_figure(f, "shown as busy", s->silent.busy, 0, "%");
	finding_figure(f, "requests finished", s->silent.done, 0, "/s");
	finding_figure(f, "iowait", iowait->value, 0, "%");
	finding_figure(f, "rows of the device with nothing finished", (double)s->n_silent, 0, "");
	finding_evidence(out, f, in, s->silent.line, STR_FMT, STR_ARG(key));
	finding_evidence(out, f, in, iowait->line, "iowait");
	finding_usual_cause(
		out, f,
		"A request in flight never completes: it was lost, or the device or the "
		"path to it hangs. aqu-sz is 0 because a request enters it only when it "
		"completes (since Linux 5.0)%s%s",
		layer ? ". Or: " : "", layer ? layer->cause : "");
	finding_because(
		out, f,
		"%%util grows while the count of requests in flight is not 0; a wrong count "
		"would let no task wait");
	finding_next(out, f,
		     "dmesg: timeouts, resets, hung tasks; cat /sys/block/DEV/inflight twice: does "
		     "the number stay");
	finding_next(out, f, "%s",
		     layer ? layer->next
			   : "cat /sys/kernel/debug/block/DEV/hctx*/busy: the requests that the "
			     "driver holds");
}

static void stuck_check(const struct rule_input *in, struct findings *out)
{
	struct stuck s = { .n = 0 };
	struct device_loads loads;

	const struct counter_metric *iowait = counter_metrics_find(in->counters, "iowait");

	if (!device_loads_is_table(in->capture))
		return;
	s.is_waited = iowait && iowait->value >= STUCK_IOWAIT;
	if (device_loads_of(in->capture, &loads)) {
		VEC_FOREACH (load, &loads.rows)
			stuck_count(&s, load);
	}
	if (s.n)
		stuck_finding(in, out, &s, &loads);
	else if (s.n_silent)
		stuck_silent(in, out, &s, &loads);
	else if (s.intervals)
		finding_clean(out, in, &rule_device_stuck,
			      "each device with a queue finishes requests");
	else
		finding_not_assessed(out, in, &rule_device_stuck, "iostat -x 1",
				     "the queue, the rate or the load of a device is missing");
	device_loads_fini(&loads);
}

static const char *const stuck_overrules[] = { "disk-busy", "device-queue", "busy-without-queue",
					       NULL };

const struct rule rule_device_stuck = {
	.id = "device-stuck",
	.title = "A storage device finishes no request",
	.needs = RULE_COUNTERS,
	.overrules = stuck_overrules,
	.check = stuck_check,
	.is_measured = true,
};
