/* SPDX-License-Identifier: MIT */
/*
 * Requests of a block device, each observed from its queueing to its completion. The rule finds
 * three problems: requests wait in the kernel before the device gets them; the device takes long
 * for each request; small adjacent requests are issued one by one.
 *
 * Thresholds. Eight requests, so that a median is meaningful. Waiting: at least half of the time
 * of all requests, and requests take 1 ms or more. Slow device: half of the requests take 20 ms
 * or more; a disk needs at most 15 ms (seek and rotation). Adjacent requests: 70 % of at least 16
 * requests begin where the previous one ended, and their median size is at most 32 KiB (a quarter
 * of the default readahead).
 */
#include "explain/rule.h"

#include "analyses/calls/block_requests.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "explain/facts.h"
#include "explain/findings.h"

#include <stdlib.h>

DECLARE_RULE(block_requests);

#define BLOCK_LEAST      8u
#define BLOCK_WAIT_PCT   50.0
#define BLOCK_TAKES_NS   UINT64_C(1000000)
#define BLOCK_SLOW_NS    UINT64_C(20000000)
#define BLOCK_NEXT       16u
#define BLOCK_NEXT_PCT   70.0
#define BLOCK_NEXT_KIB   32.0
#define BLOCK_SURE       75u
#define BLOCK_SECTOR_KIB 0.5

/* Sums over the requests of one device. */
struct block_sums {
	size_t n;
	/*
	 * number of requests whose time in the kernel's queue is known; wait_ns: sum of these
	 * times; all_ns: sum of the times of these requests from queueing to completion
	 */
	size_t waited;
	uint64_t wait_ns, all_ns;
	size_t next;
	uint64_t median_wait_ns, median_device_ns;
	double median_kib;
	/*
	 * the longest request; for a finding about waits: the longest of the requests counted in
	 * `waited`
	 */
	const struct block_request *longest;
};

static int block_by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t block_median(uint64_t *values, size_t n)
{
	if (n == 0)
		return 0;
	qsort(values, n, sizeof(*values), block_by_value);
	return values[(n - 1) / 2];
}

static struct block_sums block_sums_of(const struct block_requests *b, uint32_t device)
{
	struct block_sums s = { 0 };
	VEC(uint64_t) waits = VEC_INIT;
	VEC(uint64_t) times = VEC_INIT;
	VEC(uint64_t) sizes = VEC_INIT;

	VEC_FOREACH (r, &b->done) {
		if (r->device != device)
			continue;
		s.n++;
		s.next += r->is_next;
		*VEC_PUSH(&times) = r->device_ns;
		*VEC_PUSH(&sizes) = r->sectors;
		if (!s.longest ||
		    r->wait_ns + r->device_ns > s.longest->wait_ns + s.longest->device_ns)
			s.longest = r;
		if (!r->has_wait)
			continue;
		s.waited++;
		s.wait_ns += r->wait_ns;
		s.all_ns += r->wait_ns + r->device_ns;
		*VEC_PUSH(&waits) = r->wait_ns;
	}
	s.median_wait_ns = block_median(waits.data, waits.len);
	s.median_device_ns = block_median(times.data, times.len);
	s.median_kib = (double)block_median(sizes.data, sizes.len) * BLOCK_SECTOR_KIB;
	VEC_FREE(&waits);
	VEC_FREE(&times);
	VEC_FREE(&sizes);
	return s;
}

static void block_cite(const struct rule_input *in, struct findings *out, struct finding *f,
		       const struct block_request *r)
{
	finding_evidence(out, f, in, r->line, "the longest request begins");
	finding_evidence(out, f, in, r->end_line, "it ends, %s later",
			 finding_duration(out, r->wait_ns + r->device_ns));
}

static void block_waits(const struct rule_input *in, struct findings *out, struct str device,
			const struct block_sums *s)
{
	double pct = 100 * (double)s->wait_ns / (double)s->all_ns;
	struct finding *f = finding_add(out, in, &rule_block_requests, FINDING_WARNING, BLOCK_SURE);

	f->impact = pct;
	finding_claim(out, f,
		      "Requests of device " STR_FMT " spend %.0f %% of their time waiting in the "
		      "kernel: median %s before they are issued, %s at the device",
		      STR_ARG(device), pct, finding_duration(out, s->median_wait_ns),
		      finding_duration(out, s->median_device_ns));
	finding_figure(f, "waiting before the issue", pct, 0, "%");
	finding_figure(f, "requests", (double)s->waited, 0, "");
	block_cite(in, out, f, s->longest);
	finding_usual_cause(
		out, f,
		"The I/O scheduler or a limit (blk-throttle, iocost, wbt) holds them back, or "
		"all slots of the device's queue are in use");
	finding_because(out, f, "each request was traced from its queueing to its completion");
	finding_next(out, f,
		     "head /sys/block/*/queue/{scheduler,nr_requests,wbt_lat_usec}: what holds "
		     "requests back");
}

static void block_slow(const struct rule_input *in, struct findings *out, struct str device,
		       const struct block_sums *s)
{
	struct finding *f = finding_add(out, in, &rule_block_requests, FINDING_NOTE, BLOCK_SURE);

	finding_claim(out, f,
		      "Device " STR_FMT " takes %s for a request (median of %zu), after its issue",
		      STR_ARG(device), finding_duration(out, s->median_device_ns), s->n);
	finding_figure(f, "time at the device", (double)s->median_device_ns / 1e6, 0, "ms");
	finding_figure(f, "requests", (double)s->n, 0, "");
	block_cite(in, out, f, s->longest);
	finding_usual_cause(
		out, f,
		"The device is slow, or many requests wait in its own queue. A disk needs at "
		"most 15 ms for a random request, flash less than 1 ms");
	finding_because(out, f, "a full queue and a slow device look the same");
	finding_next(out, f, "iostat -x 1: aqu-sz is the number of requests in flight");
}

static void block_neighbours(const struct rule_input *in, struct findings *out, struct str device,
			     const struct block_sums *s)
{
	struct finding *f = finding_add(out, in, &rule_block_requests, FINDING_NOTE, BLOCK_SURE);

	finding_claim(out, f,
		      "%zu of %zu requests of device " STR_FMT " begin where the one before ended, "
		      "and have %.4g KiB (median): neighbours are not merged",
		      s->next, s->n, STR_ARG(device), s->median_kib);
	finding_figure_part(f, "neighbours", s->next, s->n);
	finding_figure(f, "size", s->median_kib, 0, "KiB");
	block_cite(in, out, f, s->longest);
	finding_usual_cause(
		out, f,
		"The program waits for each request before it sends the next, or the queue "
		"does not merge: no plug around them, scheduler none, nomerges");
	finding_because(out, f, "the sectors are in the trace");
	finding_next(out, f, "larger reads and writes, or readahead (read_ahead_kb)");
}

/* Judge one device. True: a finding was added. */
static bool block_judge(const struct rule_input *in, struct findings *out, struct str device,
			const struct block_sums *s)
{
	bool is_waiting = s->waited >= BLOCK_LEAST &&
			  100 * (double)s->wait_ns >= BLOCK_WAIT_PCT * (double)s->all_ns &&
			  s->all_ns / s->waited >= BLOCK_TAKES_NS;
	bool is_slow = s->median_device_ns >= BLOCK_SLOW_NS;
	bool is_next = s->n >= BLOCK_NEXT && s->median_kib <= BLOCK_NEXT_KIB &&
		       100 * (double)s->next >= BLOCK_NEXT_PCT * (double)s->n;

	if (is_waiting)
		block_waits(in, out, device, s);
	if (is_slow)
		block_slow(in, out, device, s);
	if (is_next)
		block_neighbours(in, out, device, s);
	return is_waiting || is_slow || is_next;
}

static void block_requests_check(const struct rule_input *in, struct findings *out)
{
	struct block_requests b;
	bool is_found = false;
	size_t judged = 0;

	block_requests_find(&b, in->capture);
	for (uint32_t device = 0; device < b.devices.len; device++) {
		struct block_sums s = block_sums_of(&b, device);

		if (s.n < BLOCK_LEAST)
			continue;
		judged++;
		is_found |= block_judge(in, out, b.devices.data[device], &s);
	}
	if (!judged && b.devices.len)
		finding_not_assessed(out, in, &rule_block_requests,
				     "blktrace -d DEVICE -w 10 -o - | blkparse -i -",
				     "fewer than %u requests have their issue and their completion "
				     "in the trace",
				     BLOCK_LEAST);
	else if (judged && !is_found)
		finding_clean(out, in, &rule_block_requests,
			      "requests neither wait long before their issue nor take long at the "
			      "device");
	block_requests_fini(&b);
}

const struct rule rule_block_requests = {
	.id = "block-requests",
	.title = "Where requests of a block device spend their time",
	.needs = RULE_CALLS,
	.check = block_requests_check,
};
