/* SPDX-License-Identifier: MIT */
/*
 * Two tables show one storage device. In one table the device completes fewer requests, although it
 * answers each request sooner. So the sender has fewer requests in flight, and the device is not
 * the limit.
 *
 * The number of requests in flight is their rate times the time of a request (Little's law). If the
 * device were the limit, each request would take longer. If requests take less time and fewer
 * complete, the device gets fewer.
 *
 * Thresholds, in the table with fewer requests: at most half the requests in flight, at most three
 * quarters of the rate, and no more time for each request. The sizes of the requests differ by at
 * most a factor of two. In both tables the device is 80 % busy, so the sender rarely pauses. The
 * rate is at least 100 requests per second, so that means are reliable. Requests of the other
 * direction (reads or writes) are at most a tenth.
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

DECLARE_RULE(fewer_in_flight);

#define FEWER_QUEUE 2.0
#define FEWER_RATE  0.75 /* maximum ratio of the two rates */
#define FEWER_SIZE  2.0
#define FEWER_BUSY  80.0
#define FEWER_LEAST 100.0 /* minimum rate, requests per second */
/*
 * maximum rate of the other direction (writes, if reads are compared), as a part (0 to 1) of the
 * rate in the compared direction
 */
#define FEWER_OTHER  0.1
#define FEWER_TABLES 32u
/* certainty if the text labels the tables "before" and "after" */
#define FEWER_SURE 70u
/* certainty without such labels: below 50, so the finding overrules no other */
#define FEWER_SURE_GUESS 45u

static const char *const fewer_way[DEVICE_WAYS] = { "reads", "writes", "requests" };

/* One of the two tables that are compared. */
struct fewer_side {
	struct rule_input in;
	const struct device_mean *d;
	struct device_way_load load;
};

static bool fewer_is_pair(const struct fewer_side *few, const struct fewer_side *many,
			  enum device_way way)
{
	enum device_way other = way == DEVICE_READS ? DEVICE_WRITES : DEVICE_READS;
	const struct device_way_load *a = &few->load, *b = &many->load;

	/* a figure that is not printed is NaN, and then each comparison is false */
	return few->d->busy >= FEWER_BUSY && many->d->busy >= FEWER_BUSY &&
	       a->rate >= FEWER_LEAST && a->rate <= b->rate * FEWER_RATE && a->ms <= b->ms &&
	       few->d->queue * FEWER_QUEUE <= many->d->queue && a->kib <= b->kib * FEWER_SIZE &&
	       b->kib <= a->kib * FEWER_SIZE && few->d->ways[other].rate <= FEWER_OTHER * a->rate &&
	       many->d->ways[other].rate <= FEWER_OTHER * a->rate;
}

/* Does the text call one table before and the other one after? */
static bool fewer_is_labelled(const struct capture *a, const struct capture *b)
{
	enum side x = side_of_words(strings_get(capture_strings(a), a->counters->label));
	enum side y = side_of_words(strings_get(capture_strings(b), b->counters->label));

	return (x != SIDE_UNKNOWN && y != SIDE_UNKNOWN && x != y) ||
	       (a->side != SIDE_NONE && b->side != SIDE_NONE && a->side != b->side);
}

static const char *fewer_name(const struct fewer_side *s, struct findings *out)
{
	const struct capture *c = s->in.capture;
	struct str label = strings_get(capture_strings(c), c->counters->label);

	if (label.len && (c->counters->is_titled || side_of_words(label) != SIDE_UNKNOWN))
		return finding_name(out, "'" STR_FMT "'", STR_ARG(str_sub(label, 0, 60)));
	return finding_name(out, "the %s of line %u", c->counters->is_paired ? "row" : "table",
			    s->d->line);
}

static void fewer_finding(struct findings *out, const struct fewer_side *few,
			  const struct fewer_side *many, enum device_way way)
{
	struct str key = str_sub(strings_get(capture_strings(few->in.capture), few->d->key), 0, 64);
	bool is_labelled = fewer_is_labelled(few->in.capture, many->in.capture);
	struct finding *f = finding_add(out, &few->in, &rule_fewer_in_flight,
					is_labelled ? FINDING_WARNING : FINDING_NOTE,
					is_labelled ? FEWER_SURE : FEWER_SURE_GUESS);

	f->is_kind = true;
	f->capture = INDEX_NONE; /* the finding is about both captures */
	f->impact = 100 - 100 * few->load.rate / many->load.rate;
	finding_claim(out, f,
		      "Fewer requests are in flight at " STR_FMT
		      " in %s: %s instead of %s, so %.0f "
		      "%s a second complete instead of %.0f, although each takes %s instead of %s "
		      "ms",
		      STR_ARG(key), fewer_name(few, out), finding_amount(out, 2, few->d->queue),
		      finding_amount(out, 2, many->d->queue), few->load.rate, fewer_way[way],
		      many->load.rate, finding_amount(out, 2, few->load.ms),
		      finding_amount(out, 2, many->load.ms));
	finding_figure(f, "requests in flight, fewer", few->d->queue, 0, "");
	finding_figure(f, "requests in flight, more", many->d->queue, 0, "");
	finding_figure(f, "completed, fewer in flight", few->load.rate, 0, "/s");
	finding_figure(f, "completed, more in flight", many->load.rate, 0, "/s");
	finding_evidence(out, f, &few->in, few->d->line, "fewer in flight");
	finding_evidence(out, f, &many->in, many->d->line, "more in flight");
	finding_cause(
		out, f,
		"The device answers sooner and completes less, so the sender sets the rate: it "
		"submits fewer requests at once, or waits for them before it sends the next%s",
		is_labelled ? "" : ". Or the workload differs");
	finding_because(out, f, "%s",
			is_labelled ? "requests in flight are rate times time; both are printed"
				    : "both print rate and time of the same device, but not what "
				      "work it did");
	finding_next(out, f,
		     "check the sender: queue depth, number of threads, readahead, and where it "
		     "waits for a whole batch");
	finding_next(
		out, f,
		"blktrace -d /dev/" STR_FMT
		" -o - | blkparse -i -: pauses between completion (C) and the next request (Q)",
		STR_ARG(key));
}

static bool fewer_compare(const struct rule_input *in, struct findings *out, uint32_t a, uint32_t b,
			  const struct device_means *x, const struct device_means *y)
{
	for (size_t i = 0; i < x->n; i++) {
		for (size_t k = 0; k < y->n; k++) {
			if (x->rows[i].key.v != y->rows[k].key.v)
				continue;
			for (unsigned int way = 0; way < DEVICE_BOTH; way++) {
				struct fewer_side few = { *in, &x->rows[i], x->rows[i].ways[way] };
				struct fewer_side many = { *in, &y->rows[k], y->rows[k].ways[way] };

				if (!fewer_is_pair(&few, &many, (enum device_way)way))
					continue;
				few.in.number = a;
				many.in.number = b;
				few.in.capture = in->facts->dossier->captures.data[a];
				many.in.capture = in->facts->dossier->captures.data[b];
				fewer_finding(out, &few, &many, (enum device_way)way);
				return true;
			}
		}
	}
	return false;
}

/* Does the table print requests in flight and the time of a request of a device? */
static bool fewer_is_known(const struct device_means *d)
{
	for (size_t i = 0; i < d->n; i++) {
		for (unsigned int way = 0; way < DEVICE_BOTH; way++) {
			if (d->rows[i].queue >= 0 && d->rows[i].ways[way].ms > 0)
				return true;
		}
	}
	return false;
}

static void fewer_check(const struct rule_input *in, struct findings *out)
{
	const struct dossier *d = in->facts->dossier;
	uint32_t tables[FEWER_TABLES] = { 0 };
	struct device_means x, y;
	size_t n = 0, known = 0;

	for (uint32_t i = 0; i < d->captures.len && n < FEWER_TABLES; i++) {
		if (d->captures.data[i]->counters &&
		    d->captures.data[i]->excerpt_of == INDEX_NONE &&
		    device_means_of(d->captures.data[i], &x)) {
			tables[n++] = i;
			known += fewer_is_known(&x);
		}
	}
	for (size_t i = 0; i < n; i++) {
		for (size_t k = i + 1; k < n; k++) {
			(void)device_means_of(d->captures.data[tables[i]], &x);
			(void)device_means_of(d->captures.data[tables[k]], &y);
			if (fewer_compare(in, out, tables[i], tables[k], &x, &y) ||
			    fewer_compare(in, out, tables[k], tables[i], &y, &x))
				return;
		}
	}
	if (known > 1)
		finding_clean(out, in, &rule_fewer_in_flight,
			      "no device completes fewer requests and answers them sooner");
	else if (n > 1)
		finding_not_assessed(out, in, &rule_fewer_in_flight, "iostat -x 1",
				     "the tables lack the queue or the time of a request");
}

/* the sender has few requests in flight, so a finding that the device is busy would mislead */
static const char *const fewer_overrules[] = { "disk-busy", "device-queue", NULL };

const struct rule rule_fewer_in_flight = {
	.id = "fewer-in-flight",
	.title = "Fewer requests in flight at a storage device",
	.needs = RULE_DOSSIER,
	.overrules = fewer_overrules,
	.explains = fewer_overrules,
	.check = fewer_check,
};
