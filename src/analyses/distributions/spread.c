/* SPDX-License-Identifier: MIT */
#include "analyses/distributions/spread.h"

#include "core/capture.h"
#include "core/kinds/distribution.h"

#include "base/arena.h"
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/capture.h"
#include "core/strings.h"

#include <math.h>

/* A mode has at least SPREAD_MODE_PART of all values, and at least SPREAD_MODE_MIN values. */
#define SPREAD_MODE_PART 0.01
#define SPREAD_MODE_MIN  5u
/*
 * The name of the measured quantity is searched only in this number of bytes at the start of a
 * text.
 */
#define SPREAD_TEXT 1024u
/* names and keys of sizes, for distributions that print no unit */
#define SPREAD_SIZES "*_size*|*@size*|*iosize*|*reqsize*|size"
/*
 * The bounds of a range are printed with two digits if the high bound is at least this multiple of
 * the low bound, as in buckets of powers of two.
 */
#define SPREAD_WIDE 1.9
/*
 * Each bound of a range is printed with its own unit if the high bound is more than this multiple
 * of the low bound.
 */
#define SPREAD_ONE_UNIT 1e4
/*
 * fio's last percentile may exceed the largest value by up to this factor. fio prints a percentile
 * as the middle of a bucket, and the largest value may be in the lower half of that bucket. fio has
 * 64 buckets between a value and its double (stat.h, FIO_IO_U_PLAT_BITS).
 */
#define SPREAD_STATED_PART 1.02
/* A valley between two peaks separates modes if it is at most this fraction of the lower peak. */
#define SPREAD_VALLEY_PART 0.5
/*
 * The lower peak must also exceed the valley by this number of standard deviations of their counts.
 */
#define SPREAD_VALLEY_SIGMA 3.0

struct spread_bounds spread_quantile(const struct spread *s, double q)
{
	/* counts of a relative series are parts per million of all values */
	double whole = s->series->is_relative ? 1e6 : (double)s->series->count;
	double want = q * whole;
	double seen = 0;
	struct spread_bounds last = { 0, 0 };

	for (uint32_t i = 0; i < s->series->n_buckets; i++) {
		if (s->buckets[i].count == 0)
			continue;
		seen += (double)s->buckets[i].count;
		last = (struct spread_bounds){ s->buckets[i].low, s->buckets[i].high };
		/*
		 * the tool printed this percentile itself: the result is this value, without bounds
		 */
		if (s->series->is_percentiles && fabs(seen - want) <= 2e-6 * whole)
			return (struct spread_bounds){ last.high, last.high };
		if (seen >= want)
			return last;
	}
	return (struct spread_bounds){ last.high,
				       s->series->is_relative ? (double)INFINITY : last.high };
}

static void spread_sums(struct spread *s)
{
	double body_high = 0, body_low = 0, tail_low = 0, tail_high = 0;

	for (uint32_t i = 0; i < s->series->n_buckets; i++) {
		const struct distribution_bucket *b = &s->buckets[i];
		double n = (double)b->count;

		if (b->count == 0)
			continue;
		if (b->low > s->p99.low) {
			s->tail_count += b->count;
			tail_low += n * b->low;
			tail_high += n * b->high;
		} else {
			body_low += n * b->low;
			body_high += n * b->high;
		}
	}
	s->sum = (struct spread_bounds){ body_low + tail_low, body_high + tail_high };
	if (tail_low + body_high > 0)
		s->tail_part.low = isinf(body_high) ? 0 : tail_low / (tail_low + body_high) * 100;
	s->tail_part.high = isinf(tail_high)           ? 100
			    : tail_high + body_low > 0 ? tail_high / (tail_high + body_low) * 100
						       : 0;
}

/*
 * Height of a bucket. A wide bucket collects more values, so its count is divided by the number of
 * doublings from its low to its high bound. Up to one doubling, the height is the count.
 */
static double spread_height(const struct distribution_bucket *b)
{
	double step = b->low > 0 ? log2(b->high / b->low) : 1;

	if (isinf(b->high) || !(step > 0))
		return (double)b->count;
	return (double)b->count / (step < 1 ? 1 : step);
}

static bool spread_is_valley(double valley, double peak)
{
	return valley <= peak * SPREAD_VALLEY_PART &&
	       peak - valley >= SPREAD_VALLEY_SIGMA * sqrt(peak + valley);
}

/*
 * Add a mode with the buckets @from to @to - 1 and the peak @peak. Skip a mode with too few values.
 */
static void spread_mode_add(struct spread *s, uint32_t from, uint32_t to, uint32_t peak)
{
	struct spread_mode m = { .from = from, .to = to, .peak = peak };

	for (uint32_t i = from; i < to; i++)
		m.count += s->buckets[i].count;
	if (s->n_modes == SPREAD_MODES || m.count < SPREAD_MODE_MIN ||
	    (double)m.count < SPREAD_MODE_PART * (double)s->series->count)
		return;
	s->modes[s->n_modes++] = m;
}

/*
 * Find the modes of the distribution. A mode is a sequence of buckets with one peak. Valleys
 * separate the modes.
 */
static void spread_modes(struct spread *s)
{
	uint32_t n = s->series->n_buckets;
	uint32_t from = 0, peak = 0, valley = 0;
	bool is_down = false;

	for (uint32_t i = 1; i < n; i++) {
		double h = spread_height(&s->buckets[i]);
		double low = spread_height(&s->buckets[valley]);
		double top = spread_height(&s->buckets[peak]);

		if (!is_down) {
			if (h > top)
				peak = valley = i;
			else if (h < low)
				valley = i;
			is_down = spread_is_valley(spread_height(&s->buckets[valley]), top);
			continue;
		}
		if (h < low) {
			valley = i;
		} else if (spread_is_valley(low, h)) {
			spread_mode_add(s, from, valley + 1, peak);
			from = valley + 1;
			peak = valley = i;
			is_down = false;
		}
	}
	spread_mode_add(s, from, n, peak);
}

/*
 * Lower the quantiles to at most the largest value that the tool printed. fio prints each
 * percentile as the middle of a bucket, which may exceed the largest value. If a percentile exceeds
 * the largest value by more than SPREAD_STATED_PART, the text is damaged, and no quantile is
 * changed.
 */
static void spread_bound(struct spread *s)
{
	double max = s->series->stated_max;
	struct spread_bounds *const quantiles[] = { &s->p50, &s->p90, &s->p99, &s->p999 };

	if (max <= 0 || s->max.low > max * SPREAD_STATED_PART)
		return;
	for (size_t i = 0; i < ARRAY_LEN(quantiles); i++) {
		quantiles[i]->low = fmin(quantiles[i]->low, max);
		quantiles[i]->high = fmin(quantiles[i]->high, max);
	}
	s->max = (struct spread_bounds){ max, max };
}

void spread_compute(const struct capture *c, size_t series, struct spread *ret)
{
	const struct distribution *d = c->distribution;

	*ret = (struct spread){ .series = &d->series.data[series] };
	ret->buckets = d->buckets.data + ret->series->first_bucket;
	ret->p50 = spread_quantile(ret, 0.5);
	ret->p90 = spread_quantile(ret, 0.9);
	ret->p99 = spread_quantile(ret, 0.99);
	ret->p999 = spread_quantile(ret, 0.999);
	ret->max = spread_quantile(ret, 1);
	spread_bound(ret);
	spread_sums(ret);
	if (!ret->series->is_percentiles)
		spread_modes(ret);
}

void spreads_init(struct spreads *s, const struct capture *c)
{
	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < c->distribution->series.len; i++) {
		if (c->distribution->series.data[i].count)
			spread_compute(c, i, VEC_PUSH(&s->rows));
	}
}

void spreads_fini(struct spreads *s)
{
	VEC_FREE(&s->rows);
}

/*
 * Print @v. If @is_time, @v is in ns, and is printed in the unit that suits a time of @of ns: "64
 * µs". Without @has_unit, the unit is left out: "64". @is_wide: print only two digits.
 */
static void spread_put(struct out *out, double v, double of, bool is_time, bool has_unit,
		       bool is_ascii, bool is_wide)
{
	const struct {
		double ns;
		const char *name;
	} units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, is_ascii ? "us" : "µs" }, { 1, "ns" } };
	size_t i = 0;

	while (i + 1 < ARRAY_LEN(units) && of < units[i].ns)
		i++;
	v /= is_time ? units[i].ns : 1;
	out_printf(out, v >= (is_wide ? 10 : 1000) ? "%.0f" : is_wide ? "%.2g" : "%.4g", v);
	if (has_unit && is_time)
		out_printf(out, " %s", units[i].name);
}

struct str spread_text(struct arena *a, struct spread_bounds b, bool is_time, struct str unit,
		       bool is_ascii)
{
	struct out low = { .fd = -1 };
	struct out high = { .fd = -1 };
	bool is_range = !isinf(b.high) && b.high > b.low;
	double of = b.low > 0 || !is_range ? b.low : b.high;
	bool has_two = is_range && b.high > of * SPREAD_ONE_UNIT;
	bool is_wide = is_time && is_range && b.high >= b.low * SPREAD_WIDE;
	struct str ret;

	if (is_range) {
		spread_put(&low, b.low, of, is_time, has_two, is_ascii, is_wide);
		spread_put(&high, b.high, has_two ? b.high : of, is_time, false, is_ascii, is_wide);
		is_range = !str_eq(out_view(&low), out_view(&high));
		low.len = high.len = 0;
	}
	if (isinf(b.high))
		out_z(&low, "> ");
	spread_put(&low, b.low, of, is_time, !is_range || has_two, is_ascii, is_wide);
	if (is_range) {
		out_z(&low, is_ascii ? "-" : "–");
		spread_put(&low, b.high, has_two ? b.high : of, is_time, true, is_ascii, is_wide);
	}
	if (!is_time && unit.len)
		out_printf(&low, " " STR_FMT, STR_ARG(unit));
	ret = arena_str(a, out_view(&low));
	out_fini(&low);
	out_fini(&high);
	return ret;
}

uint32_t spread_line(const struct spread *s, double low)
{
	for (uint32_t i = 0; i < s->series->n_buckets; i++) {
		if (s->buckets[i].low >= low && s->buckets[i].line)
			return s->buckets[i].line;
	}
	return s->series->line;
}

bool spread_is_time(const struct capture *c, const struct distribution_series *s)
{
	return str_eq(strings_get(capture_strings(c), s->unit), STR("ns"));
}

bool spread_is_wrapped(const struct spread *s)
{
	return s->max.low > SPREAD_IMPOSSIBLE_NS;
}

/* Copy the start of @s to @buf in lower case. */
static struct str spread_lower(struct str s, char buf[SPREAD_TEXT])
{
	return str_lower(str_sub(s, 0, SPREAD_TEXT), buf);
}

/*
 * The measured function, from a title of bcc's funclatency: "f" in 'Tracing 1 functions for "f"'.
 * Empty: no such title.
 */
static struct str spread_function(const struct capture *c)
{
	VEC_FOREACH (note, &c->notes) {
		struct str text = strings_get(capture_strings(c), note->value);
		size_t from = str_find_char(text, '"');

		if (from < text.len && str_glob(STR("*racing * functions for \"*\"*"), text)) {
			text = str_skip(text, from + 1);
			return str_sub(text, 0, str_find_char(text, '"'));
		}
	}
	return STR_NONE;
}

/* Whether @pattern matches the name of the series, its key, or the measured function. */
static bool spread_is_of(const struct capture *c, const struct distribution_series *s,
			 const char *pattern)
{
	struct str texts[] = { strings_get(capture_strings(c), s->name),
			       strings_get(capture_strings(c), s->key),
			       s->name.v || s->key.v ? STR_NONE : spread_function(c) };
	char buf[SPREAD_TEXT];

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (str_glob(str_of(pattern), spread_lower(texts[i], buf)))
			return true;
	}
	return false;
}

bool spread_is_idle(const struct capture *c, const struct distribution_series *s)
{
	static const char waits[] =
		"*epoll_*|*poll_wait*|*pselect*|*_select*|*sleep*|*cond_wait*|*futex_us*|"
		"*futex_ns*|*sys_futex*|*sys_accept*|do_futex|futex_wait*|*sys_poll|*sys_ppoll|"
		"do_poll|do_select|*sys_wait4|*sys_waitid|do_wait|kernel_wait4|*sys_recv*|"
		"*_recvmsg*|unix_stream_read_generic|inet_csk_accept|*sys_pause|*sigtimedwait|"
		"*sigsuspend|*io_getevents|*sys_io_uring_enter|io_cqring_wait|*msgrcv|"
		"pipe_read|n_tty_read|tty_read|inotify_read|eventfd_read|ep_poll|"
		"schedule_timeout*|schedule_hrtimeout*|poll_schedule_timeout*";

	return spread_is_of(c, s, waits);
}

bool spread_may_wait_for_input(const struct capture *c, const struct distribution_series *s)
{
	return spread_is_of(c, s,
			    "vfs_read*|vfs_iter_read|ksys_read|*sys_read|*sys_readv|"
			    "do_iter_read*|new_sync_read");
}

enum spread_subject spread_subject_of(const struct capture *c, const struct distribution_series *s)
{
	static const struct {
		const char *pattern;
		enum spread_subject subject;
	} words[] = {
		{ "*runq*|*run queue*|*run_queue*|*scheduler latency*", SPREAD_RUN_QUEUE },
		{ "sync percentiles*|*fsync*|*fdatasync*|syncfs|syncfs,*|*_syncfs|*_sync_file",
		  SPREAD_SYNC },
		{ "*biolat*|*block*i/o*|*block device*|disk = *|*biostack*|*blk_*|*d2c*|"
		  "clat*|* clat*|slat*|* slat*|*bitesize*",
		  SPREAD_BLOCK_IO },
		{ "*queue_lat*|*queue_time*|*queue_duration*|*queue_wait*|*qlat*|*queued*",
		  SPREAD_QUEUE },
		{ "*hardirq*|*softirq*|*irq*", SPREAD_INTERRUPT },
		{ "*mutex*|lock*|*_lock*|* lock*|*spinlock*|*rwlock*|*klock*|*deadlock*|*futex*",
		  SPREAD_LOCK },
		{ "*offcpu*|*off-cpu*|*off_cpu*", SPREAD_OFF_CPU },
		{ "*cpudist*|*on-cpu*|*on_cpu*", SPREAD_ON_CPU },
		{ "*ext4*|*xfs*|*btrfs*|*zfs*|*nfs*|*vfs_*|operation = *|*fs_*", SPREAD_FILE },
		{ "*latency distribution*|*requests served*|*percentile*|*hdrhistogram*|"
		  "*latency by*",
		  SPREAD_REQUEST },
		{ "*funclat*|function = *|*tracing *\"*|*func*", SPREAD_FUNCTION },
		/* metrics of services in the format of Prometheus */
		{ "*_duration_seconds|*_latency_seconds|*_request*_seconds|*_time_seconds",
		  SPREAD_REQUEST },
	};
	struct strings *strings = capture_strings(c);
	struct str texts[8] = { strings_get(strings, s->key), strings_get(strings, s->name),
				strings_get(strings, c->command) };
	size_t n = 3;

	if (s->unit.v && !spread_is_time(c, s))
		return SPREAD_SIZE;
	VEC_FOREACH (note, &c->notes) {
		if (n < ARRAY_LEN(texts))
			texts[n++] = strings_get(strings, note->value);
	}
	for (size_t k = 0; k < n; k++) {
		char lower[SPREAD_TEXT];
		struct str text = spread_lower(texts[k], lower);

		for (size_t i = 0; i < ARRAY_LEN(words) && text.len; i++) {
			if (str_glob(str_of(words[i].pattern), text))
				return words[i].subject;
		}
	}
	return str_glob(STR(SPREAD_SIZES), texts[0]) || str_glob(STR(SPREAD_SIZES), texts[1])
		       ? SPREAD_SIZE
		       : SPREAD_UNKNOWN;
}
