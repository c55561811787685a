/* SPDX-License-Identifier: MIT */
/*
 * A storage device is printed as busy, although hardly any request is in flight.
 *
 * While a device is busy, at least one request is in flight. So the mean number of requests in
 * flight (aqu-sz) cannot be below the busy share. The printed mean is below it for one of two
 * reasons:
 *
 * (1) Linux 5.0 to 6.9 count busy time in ticks of 1 to 10 ms. A short request
 *     counts as up to two whole ticks (block/blk-core.c, update_io_ticks()).
 * (2) If ticks cannot explain the busy time, or no request completes, the kernel
 *     miscounts requests in flight: the device is busy while that count is not zero.
 *
 * A table without the queue and the time of a request, because columns were left out or the tool
 * prints none, shows less: a device that is busy for 90 % of the time or more and finishes less
 * than one request a second either needs a second for each of them, or is not busy. If its
 * partitions are idle, it is not busy.
 *
 * Thresholds: the device is busy for half of the time or more, and the mean number of requests in
 * flight is less than half of the busy share (0 to 1). The figures are means over all intervals,
 * except iostat's first one (since boot).
 */
#include "analyses/counters/device_loads.h"
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

DECLARE_RULE(busy_without_queue);

#define QUIET_BUSY_PCT 50.0
#define QUIET_PART     0.5
#define QUIET_SURE     90u
#define QUIET_DEVICES  64u
#define QUIET_TICK_S   0.01 /* longest tick: that of CONFIG_HZ=100 */
#define QUIET_TICKS    2.0
#define QUIET_KERNEL   5u
#define QUIET_RARE     90.0  /* percent */
#define QUIET_RARE_S   1.0   /* busy time for each request */
#define QUIET_RARELY   70u   /* certainty */
#define QUIET_IDLE     0.1   /* of the busy share of the device: that of an idle partition */
#define QUIET_NONE     0.005 /* a smaller number of requests in flight is printed as 0.00 */

/* Means of one device over the intervals that print its busy share and its requests in flight. */
struct quiet_device {
	str_id key;
	uint32_t line; /* input line of the device in the first of these intervals */
	double busy, queue;
	double done; /* completed requests per second; NaN: not printed */
	unsigned int n;
};

/* Why the busy share is too large: see (1) and (2) at the top of the file. */
enum quiet_cause {
	QUIET_BY_TICKS,
	QUIET_BY_COUNT, /* the kernel miscounts the requests in flight */
	QUIET_BY_EITHER,
};

static struct quiet_device *quiet_device(struct quiet_device *devices, size_t *n,
					 const struct device_load *load)
{
	size_t i = 0;

	while (i < *n && devices[i].key.v != load->key.v)
		i++;
	if (i == QUIET_DEVICES)
		return NULL;
	if (i == *n)
		devices[(*n)++] = (struct quiet_device){ .key = load->key, .line = load->line };
	return &devices[i];
}

/*
 * The device with the largest busy share, among the devices with a printed busy share and a printed
 * number of requests in flight. @is_rare: among those that print the finished requests instead of
 * the requests in flight and their times. Member n is 0 if there is none.
 */
static struct quiet_device quiet_busiest(const struct device_loads *loads, bool is_rare)
{
	struct quiet_device devices[QUIET_DEVICES];
	struct quiet_device ret = { .n = 0 };
	size_t n = 0;

	VEC_FOREACH (load, &loads->rows) {
		struct quiet_device *d;

		if (isnan(load->busy) || isnan(load->queue) != is_rare)
			continue;
		if (is_rare && (isnan(load->done) || !isnan(load->ways[DEVICE_READS].ms) ||
				!isnan(load->ways[DEVICE_BOTH].ms)))
			continue;
		d = quiet_device(devices, &n, load);
		if (!d)
			continue;
		d->n++;
		d->busy += load->busy;
		d->queue += load->queue;
		d->done += load->done;
	}
	for (size_t i = 0; i < n; i++) {
		struct quiet_device *d = &devices[i];

		d->busy /= d->n;
		d->queue /= d->n;
		d->done /= d->n;
		if (ret.n == 0 || d->busy > ret.busy)
			ret = *d;
	}
	return ret;
}

static enum quiet_cause quiet_cause(const struct rule_input *in, const struct quiet_device *d)
{
	struct str release = capture_note_of(in->capture, STR("os release"));
	struct str rest = release;
	uint64_t major;
	bool is_known = str_u64(&rest, &major) && str_starts(rest, STR("."));

	if (!isnan(d->done) &&
	    d->done * QUIET_TICKS * QUIET_TICK_S + d->queue < d->busy / 100 * QUIET_PART)
		return QUIET_BY_COUNT;
	/* except kernel 4.18 of RHEL 8, which contains the block layer of later versions */
	if (is_known && major < QUIET_KERNEL && !str_contains(release, STR(".el8")))
		return QUIET_BY_COUNT;
	return is_known && major >= QUIET_KERNEL && d->done > 0 ? QUIET_BY_TICKS : QUIET_BY_EITHER;
}

static void quiet_explain(struct findings *out, struct finding *f, enum quiet_cause cause,
			  bool is_idle)
{
	static const char *const texts[] = {
		[QUIET_BY_TICKS] =
			"The figures contradict each other: a busy device has a request in flight. "
			"The kernel counts busy time in ticks of some milliseconds, so short "
			"requests with pauses count as whole ticks. The device is mostly idle",
		[QUIET_BY_COUNT] =
			"The figures contradict each other: a busy device has a request in flight. "
			"Short requests cannot add up to this share. Likely the kernel miscounts "
			"the requests in flight: %util grows while that count is not zero",
		[QUIET_BY_EITHER] =
			"The figures contradict each other: a busy device has a request in flight. "
			"Either the kernel counts busy time in ticks (Linux 5.0 to 6.9), so "
			"short requests count as whole ticks, or it miscounts the requests in "
			"flight",
	};

	finding_usual_cause(
		out, f, "%s",
		cause == QUIET_BY_COUNT && is_idle
			? "%util grows while a request is in flight, and none finishes. Either "
			  "the kernel miscounts the requests in flight, and the device is "
			  "idle, or a request never completes: it enters aqu-sz only at its "
			  "end (since Linux 5.0)"
			: texts[cause]);
	finding_because(out, f, "the mean number in flight cannot be below the busy share");
	if (cause == QUIET_BY_COUNT && is_idle)
		finding_next(
			out, f,
			"ps -eo stat,wchan:30,comm | grep ^D: threads that wait for I/O mean a "
			"request that never completes");
	if (cause != QUIET_BY_TICKS)
		finding_next(out, f,
			     "cat /sys/block/DEV/inflight a few times while the device is idle: a "
			     "number that stays is miscounted");
	if (cause != QUIET_BY_COUNT)
		finding_next(out, f,
			     "judge the device by await and aqu-sz; biolatency: how long do "
			     "requests take");
}

static void quiet_finding(const struct rule_input *in, struct findings *out,
			  const struct quiet_device *d)
{
	struct str key = str_sub(strings_get(capture_strings(in->capture), d->key), 0, 64);
	bool is_idle = d->done == 0 && d->queue < QUIET_NONE;
	struct finding *f =
		finding_add(out, in, &rule_busy_without_queue, FINDING_NOTE, QUIET_SURE);

	if (is_idle)
		finding_claim(out, f,
			      STR_FMT " is shown as %.1f %% busy, but finishes no request and has "
				      "none in its queue",
			      STR_ARG(key), d->busy);
	else
		finding_claim(out, f,
			      "%%util overstates the load of " STR_FMT
			      ": %.1f %% busy, but only %.2f requests in flight on average",
			      STR_ARG(key), d->busy, d->queue);
	f->is_kind = true;
	finding_figure(f, "shown as busy", d->busy, 0, "%");
	finding_figure(f, "requests in flight", d->queue, 0.005, "");
	if (!isnan(d->done))
		finding_figure(f, "requests finished", d->done, 0, "/s");
	finding_evidence(out, f, in, d->line, STR_FMT, STR_ARG(key));
	quiet_explain(out, f, quiet_cause(in, d), is_idle);
}

/* Whether @name is a partition of @device: "sda1" of "sda", "nvme0n1p2" of "nvme0n1". */
static bool quiet_is_partition(struct str name, struct str device)
{
	if (!str_take(&name, device))
		return false;
	(void)str_take(&name, STR("p"));
	for (size_t i = 0; i < name.len; i++) {
		if (!char_is_digit(name.p[i]))
			return false;
	}
	return name.len > 0;
}

/*
 * The busiest partition of @d in the table. NULL: none is printed, or one has a tenth of the busy
 * share of the device or more.
 */
static const struct device_load *quiet_partition(const struct rule_input *in,
						 const struct device_loads *loads,
						 const struct quiet_device *d)
{
	const struct strings *names = capture_strings(in->capture);
	const struct device_load *ret = NULL;

	VEC_FOREACH (load, &loads->rows) {
		if (!isnan(load->busy) && (!ret || load->busy > ret->busy) &&
		    quiet_is_partition(strings_get(names, load->key), strings_get(names, d->key)))
			ret = load;
	}
	return ret && ret->busy < d->busy * QUIET_IDLE ? ret : NULL;
}

static void quiet_rare(const struct rule_input *in, struct findings *out,
		       const struct device_loads *loads, const struct quiet_device *d)
{
	const struct strings *names = capture_strings(in->capture);
	const struct device_load *part = quiet_partition(in, loads, d);
	struct str key = str_sub(strings_get(names, d->key), 0, 64);
	struct finding *f = finding_add(out, in, &rule_busy_without_queue, FINDING_NOTE,
					part ? QUIET_SURE : QUIET_RARELY);
	const char *text = finding_name(out,
					"%%util of " STR_FMT " is likely wrong: %.1f %% busy with "
					"only %.2f requests a second",
					STR_ARG(key), d->busy, d->done);

	if (part)
		text = finding_name(out, "%s, and its partition " STR_FMT " is %.2f %% busy", text,
				    STR_ARG(strings_get(names, part->key)), part->busy);
	finding_claim(out, f, "%s", text);
	/* the figures of the partition are worth a finding of their own */
	f->is_kind = !part;
	finding_figure(f, "shown as busy", d->busy, 0, "%");
	finding_figure(f, "requests finished", d->done, 0, "/s");
	finding_evidence(out, f, in, d->line, STR_FMT, STR_ARG(key));
	if (part)
		finding_evidence(out, f, in, part->line, STR_FMT,
				 STR_ARG(strings_get(names, part->key)));
	finding_usual_cause(out, f,
			    "A busy device serves hundreds of requests a second. Either the kernel "
			    "miscounts busy time, and the device is idle, or each of these "
			    "requests takes a second");
	finding_because(out, f,
			part ? "requests of a partition are requests of its device"
			     : "so few requests rarely need so long");
	finding_next(out, f,
		     "iostat -x 1: await and aqu-sz; if both are near 0, ignore %%util of this "
		     "device");
	finding_next(out, f,
		     "cat /sys/block/DEV/inflight a few times while the device is idle: a number "
		     "that stays is miscounted");
}

/* Judge a table that prints no requests in flight. False: nothing contradicts its busy share. */
static bool quiet_check_rare(const struct rule_input *in, struct findings *out,
			     const struct device_loads *loads)
{
	struct quiet_device d = quiet_busiest(loads, /* is_rare= */ true);

	if (d.n == 0 || d.busy < QUIET_RARE || d.done * QUIET_RARE_S >= d.busy / 100)
		return false;
	quiet_rare(in, out, loads, &d);
	return true;
}

static void quiet_check(const struct rule_input *in, struct findings *out)
{
	struct device_loads loads;
	struct quiet_device d;
	bool is_rare;

	if (!device_loads_is_table(in->capture))
		return;
	(void)device_loads_of(in->capture, &loads);
	d = quiet_busiest(&loads, /* is_rare= */ false);
	is_rare = d.n == 0 && quiet_check_rare(in, out, &loads);
	device_loads_fini(&loads);
	if (is_rare)
		return;
	if (d.n == 0)
		finding_not_assessed(out, in, &rule_busy_without_queue, "iostat -x 1",
				     "the busy share of a device or its queue is missing");
	else if (d.busy < QUIET_BUSY_PCT || d.queue >= d.busy / 100 * QUIET_PART)
		finding_clean(out, in, &rule_busy_without_queue,
			      "the busiest device has as many requests in flight as its busy share "
			      "needs");
	else
		quiet_finding(in, out, &d);
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
