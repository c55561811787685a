/* SPDX-License-Identifier: MIT */
/*
 * One storage device takes far longer for a request than other devices (its peers), which have as
 * many requests of the same size. Load does not explain this: the device is failing, or is another
 * kind of device.
 *
 * Thresholds for time: a request takes ten times as long as at a peer, and at least 5 ms. Disks of
 * one kind differ by a factor of two or three, since cache hits and seeks average out over an
 * interval. A faster device is fast enough for most uses.
 *
 * Thresholds for load: rates and sizes of requests differ by at most a factor of two. This must
 * hold for reads and for writes, because both share the device. A direction with at most a tenth of
 * the requests is ignored. The device gets one request per second, and ten in all: otherwise a
 * single seek would decide.
 *
 * A slow device may have fewer requests because it is slow. If it is busy 90 % of each interval,
 * three requests in all are enough. Its rate may be below that of the peer if it is busy half of
 * the time, and for 40 ms per request. For comparison, a disk that seeks for every request needs 20
 * ms.
 *
 * Devices are no peers if one is an array and the other its member, if one is a partition of the
 * other, or if they have different drivers.
 */
#include "analyses/counters/counter_metrics.h"
#include "analyses/counters/device_loads.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/dossier.h"
#include "core/ids.h"
#include "core/kinds/records.h"
#include "core/strings.h"
#include "explain/facts.h"
#include "explain/findings.h"
#include "explain/rule.h"
#include "explain/slow_device_names.h"

#include <ctype.h>
#include <math.h>

DECLARE_RULE(slow_device);

#define SLOW_DEVICE_TIMES   10.0
#define SLOW_DEVICE_MS      5.0
#define SLOW_DEVICE_LEAD_MS 50.0
#define SLOW_DEVICE_ALIKE   2.0
#define SLOW_DEVICE_RATE    1.0
/*
 * The slow device may have fewer requests than its peers only if it is busy enough: at least this
 * percentage of the time, and at least this many ms for each request.
 */
#define SLOW_DEVICE_BUSY     50.0
#define SLOW_DEVICE_BUSY_MS  40.0
#define SLOW_DEVICE_REQUESTS 10.0
/*
 * A device that is busy for at least this percentage of the time has few requests because it is
 * slow. SLOW_DEVICE_FULL_REQUESTS requests are then enough.
 */
#define SLOW_DEVICE_FULL          90.0
#define SLOW_DEVICE_FULL_REQUESTS 3.0
/*
 * The other direction (writes, if reads are compared) is compared, too, if its rate is at least
 * this part (0 to 1) of the rate in the compared direction.
 */
#define SLOW_DEVICE_OTHER 0.1
/*
 * if a peer's time per request is shorter than this, ms, this is used instead. A printed 0.00 can
 * be any time below 0.005 ms
 */
#define SLOW_DEVICE_LEAST_MS 0.01
#define SLOW_DEVICE_DEVICES  64u
#define SLOW_DEVICE_SURE     70u

static const char *const slow_device_way[DEVICE_WAYS] = { "read", "write", "request" };

/*
 * One device and direction. Only those intervals are used in which another device (a peer) has the
 * same load.
 */
struct slow_device {
	str_id key;
	enum device_way way;
	/*
	 * n: number of intervals in which a peer has the same load; slow: number of those among
	 * them in which the device is slow
	 */
	uint32_t n, slow;
	/*
	 * line: input line of the device in the interval in which it is slowest; peer: input line
	 * of its slowest peer in that interval
	 */
	uint32_t line, peer;
	double worst;    /* time per request of the device in that interval, ms */
	double requests; /* sum of the device's request rates over all n intervals */
	/* sums over the slow intervals: times of the device, and times of its slowest peer */
	double ms, peer_ms;
	/* sums over the slow intervals: rate and size of the device's requests */
	double rate, kib;
	double least_busy; /* lowest busy share in the slow intervals, percent */
};

struct slow_device_search {
	const struct strings *names;
	struct device_loads loads;
	struct slow_device devices[SLOW_DEVICE_DEVICES * DEVICE_WAYS];
	size_t n;
};

/* The driver in a device name: "nvme" for "nvme0n1", "sd" for "sda". */
static struct str slow_device_driver(struct str name)
{
	size_t n = 0;

	if (str_starts(name, STR("nvme")) || str_starts(name, STR("mmcblk")) ||
	    str_starts(name, STR("nbd")) || str_starts(name, STR("rbd"))) {
		while (n < name.len && !char_is_digit(name.p[n]))
			n++;
		return str_sub(name, 0, n);
	}
	if (str_starts(name, STR("dev")))
		return str_sub(name, 0, str_find_char(name, '-'));
	return str_sub(name, 0, str_starts(name, STR("xvd")) ? 3 : 2);
}

/* Is one of the two devices a partition of the other: "sda1" of "sda", "nvme0n1p2" of "nvme0n1"? */
static bool slow_device_is_part(struct str a, struct str b)
{
	struct str part;

	if (a.len > b.len)
		return slow_device_is_part(b, a);
	if (!str_starts(b, a))
		return false;
	part = str_skip(b, a.len);
	(void)str_take(&part, STR("p"));
	return part.len == 0 || char_is_digit(part.p[0]);
}

static bool slow_device_alike(double a, double b)
{
	return a <= b * SLOW_DEVICE_ALIKE && b <= a * SLOW_DEVICE_ALIKE;
}

/*
 * Whether the rate @a of a device is about the rate @b of its peer: they differ by at most the
 * factor SLOW_DEVICE_ALIKE. With @may_be_less, @a may also be any smaller rate.
 */
static bool slow_device_rates(double a, double b, bool may_be_less)
{
	return may_be_less ? a <= b * SLOW_DEVICE_ALIKE : slow_device_alike(a, b);
}

/*
 * Is the load of two devices the same in one direction? With @may_be_less, @x may also have a lower
 * rate. True if a rate is unknown, or if both rates are below @least (requests per second).
 */
static bool slow_device_same(const struct device_way_load *x, const struct device_way_load *y,
			     double least, bool may_be_less)
{
	if (isnan(x->rate) || isnan(y->rate) || (x->rate < least && y->rate < least))
		return true;
	return slow_device_rates(x->rate, y->rate, may_be_less) &&
	       (isnan(x->kib) || isnan(y->kib) || slow_device_alike(x->kib, y->kib));
}

/*
 * Do two devices have the same load, in reads, in writes, and in all requests? @rate: requests per
 * second in the compared direction.
 */
static bool slow_device_same_load(const struct device_load *a, const struct device_load *b,
				  double rate, bool may_be_less)
{
	double least = fmax(SLOW_DEVICE_RATE, rate * SLOW_DEVICE_OTHER);

	return slow_device_same(&a->ways[DEVICE_READS], &b->ways[DEVICE_READS], least,
				may_be_less) &&
	       slow_device_same(&a->ways[DEVICE_WRITES], &b->ways[DEVICE_WRITES], least,
				may_be_less) &&
	       (isnan(a->done) || isnan(b->done) ||
		slow_device_rates(a->done, b->done, may_be_less));
}

/*
 * Is the device busy for longer than seeks could explain? Then it may have fewer requests than its
 * peer.
 */
static bool slow_device_is_stuck(const struct device_load *d)
{
	double rate =
		isnan(d->done) ? d->ways[DEVICE_READS].rate + d->ways[DEVICE_WRITES].rate : d->done;

	return d->busy >= SLOW_DEVICE_BUSY && d->busy * 10 >= rate * SLOW_DEVICE_BUSY_MS;
}

static bool slow_device_is_peer(const struct slow_device_search *s, const struct device_load *a,
				const struct device_load *b, enum device_way way)
{
	const struct device_way_load *x = &a->ways[way];
	const struct device_way_load *y = &b->ways[way];
	struct str name = strings_get(s->names, a->key);
	struct str other = strings_get(s->names, b->key);
	bool may_be_less = slow_device_is_stuck(a);

	return a->key.v != b->key.v && y->rate >= SLOW_DEVICE_RATE && !isnan(y->ms) &&
	       slow_device_rates(x->rate, y->rate, may_be_less) &&
	       slow_device_alike(x->kib, y->kib) &&
	       slow_device_same_load(a, b, x->rate, may_be_less) && !device_loads_is_layer(other) &&
	       !slow_device_is_part(name, other) &&
	       str_eq(slow_device_driver(name), slow_device_driver(other));
}

static struct slow_device *slow_device_of(struct slow_device_search *s, str_id key,
					  enum device_way way)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->devices[i].key.v == key.v && s->devices[i].way == way)
			return &s->devices[i];
	}
	if (s->n == ARRAY_LEN(s->devices))
		return NULL;
	s->devices[s->n] = (struct slow_device){ .key = key, .way = way, .least_busy = 100 };
	return &s->devices[s->n++];
}

/*
 * Compare the device in row @at with the other devices of the same interval, which are rows @from
 * to @to - 1. Add the result to s->devices.
 */
static void slow_device_take(struct slow_device_search *s, size_t at, size_t from, size_t to,
			     enum device_way way)
{
	const struct device_load *load = &s->loads.rows.data[at];
	const struct device_way_load *mine = &load->ways[way];
	const struct device_load *peer = NULL;
	struct slow_device *d;

	if (!(mine->rate >= SLOW_DEVICE_RATE) || isnan(mine->ms) ||
	    device_loads_is_layer(strings_get(s->names, load->key)))
		return;
	for (size_t i = from; i < to; i++) {
		const struct device_load *other = &s->loads.rows.data[i];

		if (slow_device_is_peer(s, load, other, way) &&
		    (!peer || other->ways[way].ms > peer->ways[way].ms))
			peer = other;
	}
	d = peer ? slow_device_of(s, load->key, way) : NULL;
	if (!d)
		return;
	d->n++;
	d->requests += mine->rate;
	if (mine->ms < SLOW_DEVICE_MS ||
	    mine->ms < fmax(peer->ways[way].ms, SLOW_DEVICE_LEAST_MS) * SLOW_DEVICE_TIMES)
		return;
	d->slow++;
	d->least_busy = load->busy >= d->least_busy ? d->least_busy : load->busy;
	d->ms += mine->ms;
	d->peer_ms += peer->ways[way].ms;
	d->rate += mine->rate;
	d->kib += mine->kib;
	if (mine->ms > d->worst) {
		d->worst = mine->ms;
		d->line = load->line;
		d->peer = peer->line;
	}
}

static void slow_device_gather(struct slow_device_search *s)
{
	size_t to;

	for (size_t from = 0; from < s->loads.rows.len; from = to) {
		const struct device_load *first = &s->loads.rows.data[from];

		/* the next interval begins where the first device occurs again */
		for (to = from + 1; to < s->loads.rows.len; to++) {
			if (s->loads.rows.data[to].interval != first->interval ||
			    s->loads.rows.data[to].key.v == first->key.v)
				break;
		}
		if (to - from > 4 * SLOW_DEVICE_DEVICES)
			continue;
		for (size_t i = from; i < to; i++) {
			for (unsigned int way = 0; way < DEVICE_WAYS; way++)
				slow_device_take(s, i, from, to, (enum device_way)way);
		}
	}
}

static bool slow_device_is_slow(const struct slow_device *d)
{
	return d->slow * 2 > d->n;
}

/* Minimum of d->requests for which @d is judged. */
static double slow_device_least(const struct slow_device *d)
{
	return d->least_busy >= SLOW_DEVICE_FULL ? SLOW_DEVICE_FULL_REQUESTS : SLOW_DEVICE_REQUESTS;
}

/* Sum of the request rates of device @key, over the directions in which it is slow. */
static double slow_device_requests(const struct slow_device_search *s, str_id key)
{
	double ret = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (s->devices[i].key.v == key.v && slow_device_is_slow(&s->devices[i]))
			ret += s->devices[i].requests;
	}
	return ret;
}

/*
 * The slowest device, or NULL. With @has_enough, only devices with enough requests are considered;
 * the requests of both directions (reads, writes) add up if the device is slow in both.
 */
static const struct slow_device *slow_device_worst(const struct slow_device_search *s,
						   bool has_enough)
{
	const struct slow_device *ret = NULL;

	for (size_t i = 0; i < s->n; i++) {
		const struct slow_device *d = &s->devices[i];

		if (slow_device_is_slow(d) &&
		    (!has_enough || slow_device_requests(s, d->key) >= slow_device_least(d)) &&
		    (!ret || d->ms / d->slow > ret->ms / ret->slow))
			ret = d;
	}
	return ret;
}

/* Whether this device is the busiest one, which rule disk-busy reports. */
static bool slow_device_is_busiest(const struct rule_input *in, str_id key)
{
	for (size_t i = 0; i < in->counters->n; i++) {
		const struct counter_metric *m = &in->counters->rows[i];

		if (str_glob(STR("device-busy|device-queue"), str_of(m->def->id)) &&
		    m->key.v != key.v)
			return false;
	}
	return true;
}

/* Does @text name the device @name as a word: "dev sdc,", "[sdc]"? */
static bool slow_device_is_named(struct str text, struct str name)
{
	for (size_t at = 0; (at += str_find(str_skip(text, at), name)) < text.len; at++) {
		char before = at ? text.p[at - 1] : ' ';
		struct str rest = str_skip(text, at + name.len);
		char after = rest.len ? rest.p[0] : ' ';

		if (!isalnum((unsigned char)before) && !isalnum((unsigned char)after))
			return true;
	}
	return false;
}

/*
 * Find the first record of a log in the same input that matches @words and names the device @name.
 * *@ret: a rule input with the capture of this log. NULL: there is none.
 */
static const struct log_record *slow_device_record(const struct rule_input *in, const char *words,
						   struct str name, struct rule_input *ret)
{
	const struct dossier *d = in->facts->dossier;

	*ret = *in;
	for (uint32_t i = 0; i < d->captures.len && name.len; i++) {
		ret->number = i;
		ret->capture = d->captures.data[i];
		if (!ret->capture->records)
			continue;
		VEC_FOREACH (rec, &ret->capture->records->rows) {
			if (str_glob(str_of(words), rec->text) &&
			    slow_device_is_named(rec->text, name))
				return rec;
		}
	}
	return NULL;
}

/* If a log in the same input reports errors of the device @name: cite one, and set the cause. */
static bool slow_device_errors(const struct rule_input *in, struct findings *out, struct finding *f,
			       struct str name)
{
	struct rule_input other;
	const struct log_record *media = slow_device_record(in, DEVICE_MEDIA_ERRORS, name, &other);
	const struct log_record *rec =
		media ? media : slow_device_record(in, DEVICE_ERRORS, name, &other);

	if (!rec)
		return false;
	finding_evidence(out, f, &other, rec->line, "an error of the device");
	finding_about(out, f, /* is_part= */ false, "fault " STR_FMT, STR_ARG(name));
	if (media)
		finding_cause(
			out, f,
			"The kernel reports sectors of " STR_FMT
			" that cannot be read (media error): the drive fails. It retries each "
			"of them for seconds",
			STR_ARG(name));
	else
		finding_cause(out, f,
			      "The kernel reports I/O errors of " STR_FMT
			      ": the drive, its cable or its controller fails, and each retry "
			      "takes up to seconds",
			      STR_ARG(name));
	finding_because(out, f, "the table shows the delay, and the log of the kernel the errors");
	return true;
}

static void slow_device_finding(const struct rule_input *in, struct findings *out,
				const struct slow_device_search *s, const struct slow_device *d)
{
	struct str name = str_sub(strings_get(s->names, d->key), 0, 64);
	double ms = d->ms / d->slow;
	double peer_ms = d->peer_ms / d->slow;
	const char *way = slow_device_way[d->way];
	struct finding *f = finding_add(out, in, &rule_slow_device,
					ms >= SLOW_DEVICE_LEAD_MS ? FINDING_WARNING : FINDING_NOTE,
					SLOW_DEVICE_SURE);

	f->yields = !slow_device_is_busiest(in, d->key);
	f->impact = fmin(90, 40 + 10 * log10(ms / SLOW_DEVICE_MS));
	f->is_kind = true;
	if (peer_ms >= SLOW_DEVICE_LEAST_MS)
		finding_claim(out, f,
			      STR_FMT " takes %s ms for a %s, %s times as long as the other "
				      "devices with the same load or more (at most %s ms)",
			      STR_ARG(name), finding_amount(out, 4, ms), way,
			      finding_amount(out, 3, ms / peer_ms),
			      finding_amount(out, 4, peer_ms));
	else
		finding_claim(out, f,
			      STR_FMT " takes %s ms for a %s; the other devices with the same "
				      "load or more take next to no time",
			      STR_ARG(name), finding_amount(out, 4, ms), way);
	finding_figure(f, "time of a request", ms, 0, "ms");
	finding_figure(f, "of the slowest other device", peer_ms, 0.005, "ms");
	finding_figure(f, "requests", d->rate / d->slow, 0, "/s");
	finding_figure(f, "size of a request", d->kib / d->slow, 0, "KiB");
	finding_figure(f, "intervals in which another device has the same load", d->n, 0, "");
	finding_figure(f, "of these, intervals in which the device is slow", d->slow, 0, "");
	finding_evidence(out, f, in, d->line, "the slow device");
	finding_evidence(out, f, in, d->peer, "the slowest of the others");
	if (!slow_device_errors(in, out, f, name)) {
		finding_usual_cause(out, f,
				    "The other devices get reads and writes of the same sizes at "
				    "the same or higher rates, so load does not explain the "
				    "difference. The device fails and retries, its link or cache "
				    "is impaired, or it is another kind of device. An array waits "
				    "for its slowest member");
		finding_because(out, f,
				"the times of the requests are measured\n"
				"where on the disk they read and write");
	}
	finding_next(out, f,
		     "smartctl -x /dev/" STR_FMT
		     "; dmesg: errors, retries, resets, a slower link, the write cache",
		     STR_ARG(name));
	finding_next(out, f, "replace or remove the device from the array, and measure again");
}

/* The number of devices that were compared in at least one direction. */
static size_t slow_device_compared(const struct slow_device_search *s)
{
	size_t ret = 0;

	for (size_t i = 0; i < s->n; i++) {
		size_t k = 0;

		while (s->devices[k].key.v != s->devices[i].key.v)
			k++;
		ret += k == i;
	}
	return ret;
}

static void slow_device_check(const struct rule_input *in, struct findings *out)
{
	struct slow_device_search s = { .names = capture_strings(in->capture) };
	const struct slow_device *worst, *few;

	if (device_loads_of(in->capture, &s.loads)) {
		slow_device_gather(&s);
		worst = slow_device_worst(&s, /* has_enough= */ true);
		few = slow_device_worst(&s, /* has_enough= */ false);
		if (worst)
			slow_device_finding(in, out, &s, worst);
		else if (few)
			finding_not_assessed(
				out, in, &rule_slow_device, "iostat -x 1 10",
				"too few requests on the slowest device, " STR_FMT,
				STR_ARG(str_sub(strings_get(s.names, few->key), 0, 64)));
		else if (s.n)
			finding_clean(out, in, &rule_slow_device,
				      "the %zu devices that have a peer with the same load answer "
				      "about equally fast",
				      slow_device_compared(&s));
		else
			finding_not_assessed(out, in, &rule_slow_device, "iostat -x 1",
					     "no two devices have the same load");
	}
	device_loads_fini(&s.loads);
}

static const char *const slow_device_explains[] = { "iowait-time", NULL };
/* the device itself is slow, so a finding about its load would mislead */
static const char *const slow_device_overrules[] = { "disk-busy", "device-queue", NULL };

const struct rule rule_slow_device = {
	.id = "slow-device",
	.title = "One device answers far slower than its peers",
	.needs = RULE_COUNTERS,
	.explains = slow_device_explains,
	.overrules = slow_device_overrules,
	.check = slow_device_check,
};
