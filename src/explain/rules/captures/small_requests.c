/* SPDX-License-Identifier: MIT */
/*
 * A storage device is busy with many small requests that are not merged, and moves little data. Or
 * two tables show the same device, once with large requests and once with small ones.
 *
 * Thresholds for one table: requests have at most 32 KiB on average. This is a quarter of the
 * default readahead, and far below the limit of one command. They move less than 50 MiB/s: with
 * large requests, a disk streams twice as much. The device is busy for 80 % of the time, so the
 * requests limit the rate, and not the program. It gets 100 requests per second, about the limit of
 * a disk for random requests. At most 5 % of the requests are merged. Arrays and mapped devices are
 * ignored: they never merge requests (their members do).
 *
 * Thresholds for devices in step: four devices or more, and at least half of the table's devices,
 * have the same rate and size of requests, within 5 %. Independent loads are hardly ever so alike,
 * so one source spreads them: an array, or a program. An array waits for its slowest member, and no
 * member reaches 80 %: they are busy for 50 % of the time, and get 1000 requests per second.
 *
 * Thresholds for two tables: the sizes of requests differ by a factor of four, and the device moves
 * less data with the small requests. Small requests have at most 32 KiB; or at most 5 % of them are
 * merged, but half of the large requests are. The device is as busy in both tables, or its queue is
 * as long, within a factor of two. The other direction (writes, if reads are compared) has the same
 * load, within a factor of two. The tables do not show whether the program does the same work. This
 * is known only if the text labels the tables "before" and "after".
 */
#include "analyses/counters/device_loads.h"
#include "analyses/counters/device_means.h"
#include "base/str.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/counters.h"
#include "core/names/side_words.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"

#include <math.h>

DECLARE_RULE(small_requests);

#define SMALL_KIB        32.0
#define SMALL_KIB_RATE   51200.0 /* maximum amount of data, KiB per second: 50 MiB/s */
#define SMALL_RATE       100.0
#define SMALL_BUSY       80.0
#define SMALL_MERGED_PCT 5.0
#define SMALL_SURE       60u
/* for devices in step: minimum number, requests per second, busy time, and greatest difference */
#define SMALL_STEP_DEVICES 4u
#define SMALL_STEP_RATE    1000.0
#define SMALL_STEP_BUSY    50.0
#define SMALL_STEP_ALIKE   0.05
/*
 * for the comparison of two tables: minimum ratio of the sizes, minimum number of requests per
 * second, and certainty
 */
#define SMALL_TIMES     4.0
#define SMALL_PAIR_RATE 10.0
#define SMALL_PAIR_SURE 75u
#define SMALL_LOST_SURE 60u /* certainty if the tables have no labels "before" and "after" */
/*
 * certainty if the tables have no labels "before" and "after", and lost merges (small_is_lost()) do
 * not explain the difference in size
 */
#define SMALL_WORK_SURE 45u
#define SMALL_ALIKE     2.0
/*
 * The other direction (writes, if reads are compared) is compared, too, if its rate is at least
 * this part (0 to 1) of the compared direction's lower rate.
 */
#define SMALL_OTHER 0.1
/*
 * If the small requests are larger than SMALL_KIB, but not merged, at least this percentage of the
 * large requests must be merged.
 */
#define SMALL_LARGE_MERGED 50.0
/*
 * if the queue is shorter by this factor or more, there is a second reason: the program sends fewer
 * requests at once
 */
#define SMALL_QUEUE 4.0
/*
 * Merges are lost if requests are merged in the table with the large requests, but hardly in the
 * other one. Lost merges must explain at least this part (0 to 1) of the difference in size, on a
 * log scale.
 */
#define SMALL_PAIR_PART 0.5
#define SMALL_TABLES    32u

static const char *const small_way[DEVICE_WAYS] = { "read", "write", "request" };

/* Share of the requests that were merged into others, percent; NaN: not printed. */
static double small_merged_pct(const struct device_way_load *w)
{
	return 100 * w->merged / (w->merged + w->rate);
}

/*
 * Does @d get at least @rate small requests per second in the direction @way, hardly any of them
 * merged, and is it busy for at least @busy percent of the time?
 */
static bool small_is_small(const struct device_mean *d, enum device_way way, double rate,
			   double busy)
{
	const struct device_way_load *w = &d->ways[way];

	return d->used[way] && d->busy >= busy && w->rate >= rate && w->kib <= SMALL_KIB &&
	       w->rate * w->kib <= SMALL_KIB_RATE && small_merged_pct(w) <= SMALL_MERGED_PCT &&
	       w->rate * 2 >= d->ways[DEVICE_BOTH].rate;
}

/* Does @d get small requests, and may be a member of an array? It waits for the slowest one. */
static bool small_is_step(const struct device_mean *d, enum device_way way)
{
	return small_is_small(d, way, SMALL_STEP_RATE, SMALL_STEP_BUSY);
}

static const char *small_size(struct findings *out, double kib)
{
	return finding_name(out, kib < 9.95 ? "%.1f KiB" : "%.0f KiB", kib);
}

static struct str small_key(const struct rule_input *in, const struct device_mean *d)
{
	return str_sub(strings_get(capture_strings(in->capture), d->key), 0, 64);
}

/* Add a finding about the requests of @d, with their figures and the row as evidence. */
static struct finding *small_add(const struct rule_input *in, struct findings *out,
				 const struct device_mean *d, enum device_way way)
{
	const struct device_way_load *w = &d->ways[way];
	struct finding *f = finding_add(out, in, &rule_small_requests, FINDING_NOTE, SMALL_SURE);

	f->is_kind = true;
	f->impact = 30;
	finding_figure(f, "requests", w->rate, 0, "/s");
	finding_figure(f, "size of a request", w->kib, 0, "KiB");
	finding_figure(f, "data moved", w->rate * w->kib / 1024, 0, "MiB/s");
	finding_figure(f, "merged", small_merged_pct(w), 0, "%");
	finding_figure(f, "shown as busy", d->busy, 0, "%");
	finding_evidence(out, f, in, d->line, STR_FMT, STR_ARG(small_key(in, d)));
	return f;
}

static void small_next_trace(struct findings *out, struct finding *f, struct str key)
{
	finding_next(out, f,
		     "blktrace -d /dev/" STR_FMT
		     " -o - | blkparse -i -: do sectors follow each other; which process",
		     STR_ARG(key));
}

static void small_finding(const struct rule_input *in, struct findings *out,
			  const struct device_mean *d, enum device_way way)
{
	const struct device_way_load *w = &d->ways[way];
	struct str key = small_key(in, d);
	struct finding *f = small_add(in, out, d, way);

	finding_claim(out, f,
		      STR_FMT " is busy with small %ss: %.0f a second of %s each, and next to none "
			      "is merged",
		      STR_ARG(key), small_way[way], w->rate, small_size(out, w->kib));
	finding_usual_cause(
		out, f, "%s",
		way == DEVICE_READS
			? "The cost is one a request, not one a byte. The reads are random, "
			  "or readahead does not work: it is small or off, or the program "
			  "bypasses the page cache"
			: "The cost is one a request, not one a byte. The requests are "
			  "random or synchronous, or neighbours reach the device one by one: "
			  "the program waits for each, or merging is off");
	finding_because(out, f,
			"sizes and merges are counted\n"
			"whether the requests are neighbours");
	small_next_trace(out, f, key);
	finding_next(out, f, "cat /sys/block/" STR_FMT "/queue/{read_ahead_kb,nomerges,scheduler}",
		     STR_ARG(key));
}

static bool small_is_near(double a, double b)
{
	return fabs(a - b) <= SMALL_STEP_ALIKE * fmax(a, b);
}

/* The number of devices with small requests at the rate and of the size of @than. */
static size_t small_in_step(const struct device_means *devices, const struct device_mean *than,
			    enum device_way way)
{
	size_t n = 0;

	for (size_t i = 0; i < devices->n; i++) {
		const struct device_mean *d = &devices->rows[i];

		n += small_is_step(d, way) &&
		     small_is_near(d->ways[way].rate, than->ways[way].rate) &&
		     small_is_near(d->ways[way].kib, than->ways[way].kib);
	}
	return n;
}

static void small_step_finding(const struct rule_input *in, struct findings *out,
			       const struct device_mean *d, enum device_way way, size_t n)
{
	const struct device_way_load *w = &d->ways[way];
	struct str key = small_key(in, d);
	struct finding *f = small_add(in, out, d, way);

	finding_claim(out, f,
		      "%zu devices get the same load of small %ss: each %.0f a second of %s, and "
		      "next to none is merged",
		      n, small_way[way], w->rate, small_size(out, w->kib));
	finding_figure(f, "devices in step", (double)n, 0, "");
	finding_usual_cause(out, f, "%s",
			    "One source spreads them: an array (a stripe, a resync or a check), or "
			    "a program that uses all devices alike");
	finding_because(out, f,
			"independent loads are hardly ever so alike\n"
			"whether the requests are neighbours");
	finding_next(out, f, "cat /proc/mdstat: is an array in resync, recovery or check");
	small_next_trace(out, f, key);
}

/* Find devices that get the same load of small requests. False: there are none. */
static bool small_check_step(const struct rule_input *in, struct findings *out,
			     const struct device_means *devices)
{
	for (unsigned int way = 0; way < DEVICE_BOTH; way++) {
		for (size_t i = 0; i < devices->n; i++) {
			const struct device_mean *d = &devices->rows[i];
			size_t n;

			if (!small_is_step(d, (enum device_way)way))
				continue;
			n = small_in_step(devices, d, (enum device_way)way);
			if (n < SMALL_STEP_DEVICES || n * 2 < devices->n)
				continue;
			small_step_finding(in, out, d, (enum device_way)way, n);
			return true;
		}
	}
	return false;
}

static void small_check_one(const struct rule_input *in, struct findings *out)
{
	const struct device_mean *found = NULL;
	enum device_way found_way = DEVICE_READS;
	struct device_means devices;
	bool has_merges = false;

	if (!device_means_of(in->capture, &devices))
		return;
	for (size_t i = 0; i < devices.n; i++) {
		const struct device_mean *d = &devices.rows[i];

		for (unsigned int way = 0; way < DEVICE_BOTH; way++) {
			has_merges |= d->used[way] && !isnan(d->ways[way].merged);
			if (small_is_small(d, (enum device_way)way, SMALL_RATE, SMALL_BUSY) &&
			    (!found || d->ways[way].rate > found->ways[found_way].rate)) {
				found = d;
				found_way = (enum device_way)way;
			}
		}
	}
	/* devices in step come first: the cause of their load is their source, not a single device
	 */
	if (small_check_step(in, out, &devices))
		return;
	if (found)
		small_finding(in, out, found, found_way);
	else if (has_merges)
		finding_clean(out, in, &rule_small_requests,
			      "no busy device moves little data with small requests");
	else
		finding_not_assessed(out, in, &rule_small_requests, "iostat -x 1",
				     "the merges of requests are missing");
}

/* One of the two tables that are compared. */
struct small_side {
	struct rule_input in;
	const struct device_mean *d;
	struct device_way_load load;
	const char *name;
};

static const char *small_side_name(const struct capture *c, const struct device_mean *d,
				   struct findings *out)
{
	struct str label = strings_get(capture_strings(c), c->counters->label);

	if (label.len && (c->counters->is_titled || side_of_words(label) != SIDE_UNKNOWN))
		return finding_name(out, "'" STR_FMT "'", STR_ARG(str_sub(label, 0, 60)));
	return finding_name(out, "the %s of line %u", c->counters->is_paired ? "row" : "table",
			    d->line);
}

/*
 * Do lost merges explain the difference in size? If n requests are merged, the result has n times
 * their size.
 */
static bool small_is_lost(const struct device_way_load *small, const struct device_way_load *large)
{
	double few = (small->rate + small->merged) / small->rate;
	double many = (large->rate + large->merged) / large->rate;

	return log(many / few) >= SMALL_PAIR_PART * log(large->kib / small->kib);
}

/* Does the text call one table before and the other one after? */
static bool small_is_labelled(const struct capture *a, const struct capture *b)
{
	enum side x = side_of_words(strings_get(capture_strings(a), a->counters->label));
	enum side y = side_of_words(strings_get(capture_strings(b), b->counters->label));

	return (x != SIDE_UNKNOWN && y != SIDE_UNKNOWN && x != y) ||
	       (a->side != SIDE_NONE && b->side != SIDE_NONE && a->side != b->side);
}

static void small_pair_cause(struct findings *out, struct finding *f, bool is_lost,
			     bool is_labelled, bool is_short, enum device_way way)
{
	finding_usual_cause(
		out, f, "%s%s%s",
		is_lost ? "Requests are not merged: on one side neighbours are joined into one "
			  "request, on the other each is a request of its own"
		: way == DEVICE_READS
			? "The requests are made smaller above the device: less readahead, smaller "
			  "reads of the program, or a lower limit of the request size"
			: "The requests are made smaller above the device: smaller writes, more "
			  "fragments, or a lower limit of the request size",
		is_short ? ". The queue is shorter, too: fewer requests are sent at once, as when "
			   "the sender waits for each, or when plugging is lost"
			 : "",
		is_labelled ? ""
			    : ". Or the workload differs, such as random instead of sequential");
	finding_because(out, f, "%s",
			is_labelled ? "both print size and rate of the same device"
				    : "both print size and rate of the same device, but not "
				      "what work it did");
}

static void small_pair_finding(struct findings *out, struct small_side *small,
			       struct small_side *large, enum device_way way)
{
	struct str key =
		str_sub(strings_get(capture_strings(small->in.capture), small->d->key), 0, 64);
	double few = small_merged_pct(&small->load);
	double many = small_merged_pct(&large->load);
	bool is_lost = small_is_lost(&small->load, &large->load);
	bool is_labelled = small_is_labelled(small->in.capture, large->in.capture);
	bool is_short = small->d->queue * SMALL_QUEUE <= large->d->queue;
	/*
	 * The text compares the two rows or tables on purpose: it labels them, or it prints two
	 * rows as a pair and lost merges explain their difference.
	 */
	bool is_meant = is_labelled || (is_lost && small->in.capture->counters->is_paired);
	struct finding *f = finding_add(out, &small->in, &rule_small_requests,
					is_meant ? FINDING_WARNING : FINDING_NOTE,
					is_labelled ? SMALL_PAIR_SURE
					: is_lost   ? SMALL_LOST_SURE
						    : SMALL_WORK_SURE);

	f->is_kind = true;
	/*
	 * If the text compares two captures, findings about the good one become notes. The two rows
	 * of one table are not such captures, so the finding belongs to no capture.
	 */
	if (is_meant && !is_labelled)
		f->capture = INDEX_NONE;
	f->impact = is_meant ? 50 : 30;
	small->name = small_side_name(small->in.capture, small->d, out);
	large->name = small_side_name(large->in.capture, large->d, out);
	finding_claim(out, f,
		      STR_FMT " gets %ss of %s in %s, and of %s in %s: %s instead of %s MiB/s",
		      STR_ARG(key), small_way[way], small_size(out, small->load.kib), small->name,
		      small_size(out, large->load.kib), large->name,
		      finding_amount(out, 3, small->load.rate * small->load.kib / 1024),
		      finding_amount(out, 3, large->load.rate * large->load.kib / 1024));
	finding_figure(f, "size of the small requests", small->load.kib, 0, "KiB");
	finding_figure(f, "size of the large requests", large->load.kib, 0, "KiB");
	if (!isnan(few) && !isnan(many)) {
		finding_figure(f, "merged, small requests", few, 0, "%");
		finding_figure(f, "merged, large requests", many, 0, "%");
	}
	finding_figure(f, "small requests", small->load.rate, 0, "/s");
	finding_figure(f, "large requests", large->load.rate, 0, "/s");
	if (is_short) {
		finding_figure(f, "in flight, small requests", small->d->queue, 0, "");
		finding_figure(f, "in flight, large requests", large->d->queue, 0, "");
	}
	finding_evidence(out, f, &small->in, small->d->line, "the small requests");
	finding_evidence(out, f, &large->in, large->d->line, "the large requests");
	small_pair_cause(out, f, is_lost, is_labelled, is_short, way);
	finding_next(out, f,
		     "on both sides: cat /sys/block/" STR_FMT
		     "/queue/{read_ahead_kb,max_sectors_kb,nomerges,scheduler}",
		     STR_ARG(key));
	finding_next(out, f,
		     "blktrace -d /dev/" STR_FMT
		     " -o - | blkparse -i -: at which step does a request become small (Q, X, D)",
		     STR_ARG(key));
}

static bool small_alike(double a, double b)
{
	return a <= b * SMALL_ALIKE && b <= a * SMALL_ALIKE;
}

/*
 * Whether both tables show the same load, except in direction @way. The device must be as busy, or
 * its queue as long. The other direction must have the same load, or hardly any load in both
 * tables.
 */
static bool small_is_same_load(const struct device_mean *a, const struct device_mean *b,
			       enum device_way way)
{
	enum device_way other = way == DEVICE_READS ? DEVICE_WRITES : DEVICE_READS;
	const struct device_way_load *x = &a->ways[other];
	const struct device_way_load *y = &b->ways[other];
	double least = SMALL_OTHER * fmin(a->ways[way].rate, b->ways[way].rate);

	if (!small_alike(a->busy, b->busy) && !small_alike(a->queue, b->queue))
		return false;
	return (x->rate < least && y->rate < least) ||
	       (small_alike(x->rate, y->rate) && small_alike(x->kib, y->kib));
}

/* Are the requests small in one table and large in the other, by the thresholds above? */
static bool small_is_pair(const struct device_way_load *small, const struct device_way_load *large)
{
	bool is_unmerged = small_merged_pct(small) <= SMALL_MERGED_PCT &&
			   small_merged_pct(large) >= SMALL_LARGE_MERGED;

	return small->rate >= SMALL_PAIR_RATE && large->rate >= SMALL_PAIR_RATE &&
	       small->kib * SMALL_TIMES <= large->kib && (small->kib <= SMALL_KIB || is_unmerged) &&
	       small->rate * small->kib < large->rate * large->kib;
}

static bool small_compare(const struct rule_input *in, struct findings *out, uint32_t a, uint32_t b,
			  const struct device_means *x, const struct device_means *y)
{
	for (size_t i = 0; i < x->n; i++) {
		for (size_t k = 0; k < y->n; k++) {
			if (x->rows[i].key.v != y->rows[k].key.v)
				continue;
			for (unsigned int way = 0; way < DEVICE_BOTH; way++) {
				struct small_side s = { *in, &x->rows[i], x->rows[i].ways[way],
							NULL };
				struct small_side l = { *in, &y->rows[k], y->rows[k].ways[way],
							NULL };

				if (!small_is_pair(&s.load, &l.load) ||
				    !small_is_same_load(s.d, l.d, (enum device_way)way))
					continue;
				s.in.number = a;
				l.in.number = b;
				s.in.capture = in->facts->dossier->captures.data[a];
				l.in.capture = in->facts->dossier->captures.data[b];
				small_pair_finding(out, &s, &l, (enum device_way)way);
				return true;
			}
		}
	}
	return false;
}

/*
 * Find the first two tables that show one device with small requests and with large ones. Add a
 * finding about them. False: there are none.
 */
static bool small_check_pairs(const struct rule_input *in, struct findings *out,
			      const uint32_t *tables, size_t n)
{
	const struct dossier *d = in->facts->dossier;
	struct device_means x, y;

	for (size_t i = 0; i < n; i++) {
		if (!device_means_of(d->captures.data[tables[i]], &x))
			continue;
		for (size_t k = i + 1; k < n; k++) {
			if (device_means_of(d->captures.data[tables[k]], &y) &&
			    (small_compare(in, out, tables[i], tables[k], &x, &y) ||
			     small_compare(in, out, tables[k], tables[i], &y, &x)))
				return true;
		}
	}
	return false;
}

static void small_check(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;
	struct rule_input one = *in;
	uint32_t tables[SMALL_TABLES] = { 0 };
	size_t n = 0;

	for (uint32_t i = 0; i < d->captures.len && n < SMALL_TABLES; i++) {
		if (d->captures.data[i]->counters && d->captures.data[i]->excerpt_of == INDEX_NONE)
			tables[n++] = i;
	}
	if (small_check_pairs(in, out, tables, n))
		return;
	for (size_t i = 0; i < n; i++) {
		one.number = tables[i];
		one.capture = d->captures.data[tables[i]];
		small_check_one(&one, out);
	}
}

static const char *const small_explains[] = { "disk-busy", "device-queue", NULL };

const struct rule rule_small_requests = {
	.id = "small-requests",
	.title = "Small requests that are not merged",
	.needs = RULE_DOSSIER,
	.explains = small_explains,
	.check = small_check,
};
