/* SPDX-License-Identifier: MIT */
/*
 * Requests of a block device, each observed from its queueing to its completion. The rule finds
 * three problems: requests wait in the kernel before the device gets them; the device takes long
 * for each request; small neighbours, which could be one request, are issued one by one.
 *
 * Thresholds. Eight requests, so that a median is meaningful. Waiting: it takes at least half of
 * the time of all requests, and requests take 1 ms or more. Slow device: half of the requests take
 * 20 ms or more; a disk needs at most 15 ms (seek and rotation). Neighbours: 70 % of the reads and
 * writes begin where the previous one ended, and their median size is at most 32 KiB (a quarter of
 * the default readahead). If the kernel merged at least one bio per ten neighbours, merging works.
 *
 * Why were neighbours not merged? Kernel, block/blk-merge.c: it merges only requests that are not
 * issued yet, and no flush. A request that completed before the next one was queued could not be
 * merged: the program waited for it. If the trace has no completions, issues less than 3 µs apart
 * show that the program did not wait: a device and its interrupt take longer.
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

#define BLOCK_LEAST    8u
#define BLOCK_WAIT_PCT 50.0
#define BLOCK_TAKES_NS UINT64_C(1000000)
#define BLOCK_SLOW_NS  UINT64_C(20000000)
#define BLOCK_NEXT_PCT 70.0
#define BLOCK_NEXT_KIB 32.0
#define BLOCK_GAP_NS   UINT64_C(3000)
/* no finding if the kernel merged one bio per this number of neighbours, or more */
#define BLOCK_MERGES     10u
#define BLOCK_SURE       75u
#define BLOCK_SECTOR_KIB 0.5

/* Sums over the completed requests of one device. */
struct block_sums {
	size_t n;
	/*
	 * waited: number of requests whose time in the kernel's queue is known; wait_ns: sum of
	 * these times; all_ns: sum of the times of these requests from queueing to completion
	 */
	size_t waited;
	uint64_t wait_ns, all_ns;
	uint64_t median_wait_ns, median_device_ns;
	/*
	 * the longest request; for a finding about waits: the longest request among those in
	 * `waited`
	 */
	const struct block_request *longest;
};

/*
 * Sums over the issued reads and writes of one device. A neighbour is a request that begins where
 * the previous request of the device ended.
 */
struct block_next {
	size_t n;
	size_t neighbours;
	/*
	 * numbers of neighbours. flushed: a flush prevents the merge (block_issue.is_flushed);
	 * pending: the previous request was in flight when this one was queued (is_pending);
	 * queued: the trace shows when the request was queued (is_queued)
	 */
	size_t flushed, pending, queued;
	uint64_t median_gap_ns; /* median time from one neighbour's issue to the next */
	double median_kib;      /* median size of the neighbours */
	/* merges and splits of the device and of its partitions */
	size_t merges, splits;
	bool is_one_size;
	bool has_times;                         /* at least two issues have different times */
	const struct block_issue *first, *last; /* the first and the last neighbour */
};

/* Why neighbours were not merged, as far as the trace shows it. */
enum block_why {
	BLOCK_UNKNOWN,
	BLOCK_FLUSHED,
	BLOCK_CUT,    /* larger bios were split */
	BLOCK_WAITED, /* each neighbour was queued after the completion of the previous one */
	/*
	 * each neighbour was issued after the completion of the previous one; when it was queued is
	 * unknown
	 */
	BLOCK_AFTER,
	/* each neighbour was queued or issued before the completion of the previous one */
	BLOCK_TOGETHER,
};

static const struct {
	bool is_shown; /* the trace shows this cause; false: it is only the usual cause */
	const char *cause;
	const char *because;
	const char *next;
} block_words[] = {
	[BLOCK_UNKNOWN] = { false,
			    "The program sends each request after the one before has completed, or "
			    "the "
			    "queue does not merge: no plug around them, scheduler none, nomerges",
			    "the sectors are in the trace\n"
			    "when the requests completed",
			    "perf trace -e 'block:*': which comes first, the completion "
			    "(block_rq_complete) or the next issue" },
	[BLOCK_FLUSHED] = { true,
			    "They are flushed one by one (fsync, O_DSYNC, a log): the kernel "
			    "merges no "
			    "flush with its neighbour",
			    "the sectors and the flushes are in the trace",
			    "one fsync for several writes, or larger writes: strace -f -e "
			    "trace=fsync,fdatasync,write shows who syncs" },
	[BLOCK_CUT] = { true, "The kernel splits larger bios at a limit of the device",
			"the splits are in the trace",
			"head /sys/block/*/queue/{max_sectors_kb,max_segments,chunk_sectors}: "
			"which "
			"limit has this size" },
	[BLOCK_WAITED] = { true,
			   "The program sends each request after the one before has completed, so "
			   "the kernel has nothing to merge it with",
			   "each one completed in the trace before the next was queued",
			   "use larger reads and writes, or readahead (read_ahead_kb)" },
	[BLOCK_AFTER] = { false,
			  "The program sends each request after the one before has completed, or "
			  "the device takes one at a time",
			  "each one completed in the trace before the next was issued\n"
			  "when it was queued",
			  "use larger reads and writes, or readahead (read_ahead_kb)" },
	[BLOCK_TOGETHER] = { false,
			     "No plug holds them back until the next one arrives, the file system "
			     "sends each page as a bio of its own, or merging is off",
			     "the sectors are in the trace; each is issued before the one before "
			     "can complete",
			     "head /sys/block/*/queue/{scheduler,nomerges}; then trace block_plug, "
			     "block_bio_queue and block_bio_backmerge: are bios small, and does a "
			     "plug "
			     "collect them" },
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

	VEC_FOREACH (r, &b->done) {
		if (r->device != device)
			continue;
		s.n++;
		*VEC_PUSH(&times) = r->device_ns;
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
	VEC_FREE(&waits);
	VEC_FREE(&times);
	return s;
}

/*
 * Add the merges and splits of device @device. For a partition, the kernel reports merges and
 * splits under the number of the partition, "8,1", but requests under that of the disk, "8,0".
 */
static void block_add_merges(const struct block_requests *b, uint32_t device, struct block_next *s)
{
	struct str name = b->devices.data[device].name;
	struct str major = str_sub(name, 0, str_find_char(name, ','));

	for (uint32_t i = 0; i < b->devices.len; i++) {
		const struct block_device *d = &b->devices.data[i];

		if (i != device &&
		    (d->issues || !str_eq(major, str_sub(d->name, 0, str_find_char(d->name, ',')))))
			continue;
		s->merges += d->merges;
		s->splits += d->splits;
	}
}

static struct block_next block_next_of(const struct block_requests *b, uint32_t device)
{
	struct block_next s = { .is_one_size = true };
	VEC(uint64_t) sizes = VEC_INIT;
	VEC(uint64_t) gaps = VEC_INIT;

	VEC_FOREACH (i, &b->issued) {
		if (i->device != device)
			continue;
		s.n++;
		if (!i->is_next)
			continue;
		s.is_one_size &= !s.first || s.first->sectors == i->sectors;
		s.neighbours++;
		s.flushed += i->is_flushed;
		s.pending += i->is_pending;
		s.queued += i->is_queued;
		s.has_times |= i->gap_ns > 0;
		s.first = s.first ? s.first : i;
		s.last = i;
		*VEC_PUSH(&sizes) = i->sectors;
		*VEC_PUSH(&gaps) = i->gap_ns;
	}
	s.median_kib = (double)block_median(sizes.data, sizes.len) * BLOCK_SECTOR_KIB;
	s.median_gap_ns = block_median(gaps.data, gaps.len);
	block_add_merges(b, device, &s);
	VEC_FREE(&sizes);
	VEC_FREE(&gaps);
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
	finding_because(out, f,
			"each request has the time of its issue and of its end\n"
			"whether the queue is full or the device is slow");
	finding_next(out, f, "iostat -x 1: aqu-sz is the number of requests in flight");
}

/* Why the neighbours of @s were not merged. @n_done: number of completed requests of the device. */
static enum block_why block_why(const struct block_next *s, size_t n_done)
{
	if (2 * s->flushed >= s->neighbours)
		return BLOCK_FLUSHED;
	if (2 * s->splits >= s->neighbours)
		return BLOCK_CUT;
	if (2 * n_done >= s->n)
		return 2 * s->pending >= s->neighbours  ? BLOCK_TOGETHER
		       : 2 * s->queued >= s->neighbours ? BLOCK_WAITED
							: BLOCK_AFTER;
	return s->has_times && s->median_gap_ns < BLOCK_GAP_NS ? BLOCK_TOGETHER : BLOCK_UNKNOWN;
}

static void block_neighbours(const struct rule_input *in, struct findings *out, struct str device,
			     const struct block_next *s, size_t n_done)
{
	enum block_why why = block_why(s, n_done);
	struct finding *f = finding_add(out, in, &rule_block_requests, FINDING_NOTE, BLOCK_SURE);

	finding_claim(out, f,
		      "%zu of %zu requests of device " STR_FMT " begin where the one before ended, "
		      "%s%.4g KiB%s: they are issued one by one, not merged",
		      s->neighbours, s->n, STR_ARG(device), s->is_one_size ? "each " : "",
		      s->median_kib, s->is_one_size ? "" : " (median)");
	finding_figure_part(f, "neighbours", s->neighbours, s->n);
	finding_figure(f, "size", s->median_kib, 0, "KiB");
	if (s->median_gap_ns)
		finding_figure(f, "time from one issue to the next (median)",
			       (double)s->median_gap_ns / 1e3, 0, "µs");
	finding_evidence(out, f, in, s->first->line, "the first one that follows its neighbour");
	if (s->last != s->first)
		finding_evidence(out, f, in, s->last->line, "the last one");
	finding_cause_if(out, f, block_words[why].is_shown, "%s", block_words[why].cause);
	finding_because(out, f, "%s", block_words[why].because);
	finding_next(out, f, "%s", block_words[why].next);
}

/* Judge the times of a device's completed requests. True: a finding was added. */
static bool block_judge_times(const struct rule_input *in, struct findings *out, struct str device,
			      const struct block_sums *s)
{
	bool is_waiting = s->waited >= BLOCK_LEAST &&
			  100 * (double)s->wait_ns >= BLOCK_WAIT_PCT * (double)s->all_ns &&
			  s->all_ns / s->waited >= BLOCK_TAKES_NS;
	bool is_slow = s->median_device_ns >= BLOCK_SLOW_NS;

	if (is_waiting)
		block_waits(in, out, device, s);
	if (is_slow)
		block_slow(in, out, device, s);
	return is_waiting || is_slow;
}

/* Whether small neighbours are issued one by one. */
static bool block_has_neighbours(const struct block_next *s)
{
	return s->n >= BLOCK_LEAST && s->median_kib <= BLOCK_NEXT_KIB &&
	       100 * (double)s->neighbours >= BLOCK_NEXT_PCT * (double)s->n &&
	       BLOCK_MERGES * s->merges < s->neighbours;
}

static void block_requests_check(const struct rule_input *in, struct findings *out)
{
	struct block_requests b;
	bool is_found = false;
	size_t judged = 0;

	block_requests_find(&b, in->capture);
	for (uint32_t i = 0; i < b.devices.len; i++) {
		const struct block_device *device = &b.devices.data[i];
		struct block_sums s = block_sums_of(&b, i);
		struct block_next next = block_next_of(&b, i);

		if (s.n >= BLOCK_LEAST) {
			judged++;
			is_found |= block_judge_times(in, out, device->name, &s);
		}
		if (block_has_neighbours(&next)) {
			block_neighbours(in, out, device->name, &next, s.n);
			is_found = true;
		}
	}
	if (is_found) {
		block_requests_fini(&b);
		return;
	}
	if (judged)
		finding_clean(out, in, &rule_block_requests,
			      "requests neither wait long before their issue nor take long at the "
			      "device");
	else if (b.devices.len)
		finding_not_assessed(out, in, &rule_block_requests,
				     "blktrace -d DEVICE -w 10 -o - | blkparse -i -",
				     b.issued.len
					     ? "fewer than %u requests have their issue and their "
					       "completion in the trace"
					     : "fewer than %u requests are issued in the trace: it "
					       "does not show how long they wait, and which are "
					       "merged",
				     BLOCK_LEAST);
	block_requests_fini(&b);
}

const struct rule rule_block_requests = {
	.id = "block-requests",
	.title = "Where requests of a block device spend their time",
	.needs = RULE_CALLS,
	.check = block_requests_check,
};
